"""What mkdocs.yml, or a command without one, tells of a site."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reaffirm.errors import UsageError
from reaffirm.site.mkdocs_file import plugins_of
from reaffirm.site.settings import SiteSettings, today


def told_settings(
    root: Path, data: Mapping[str, Any], *, docs: str = "", records: tuple[str, ...] = ()
) -> SiteSettings:
    """Return the settings of a repository's site.

    Args:
        root: its folder.
        data: what its mkdocs.yml says; empty: there is none.
        docs: its documentation, from ``root``; empty: as mkdocs.yml has it.
        records: its folders of records, likewise.

    Raises:
        UsageError: a folder of records is not there.
    """
    own = plugins_of(data).get("reaffirm", {})
    strict = own.get("strict_records") is True
    named = own.get("records")
    if not isinstance(named, str | list | None):
        msg = f"mkdocs.yml: records, of the plugin reaffirm, is a folder or a list of folders, got {named!r}"
        raise UsageError(msg, hint="mend it, for example `records: adrs`")
    folders = records or ((named,) if isinstance(named, str) else tuple(str(one) for one in named or ()))
    if not folders and strict:
        folders = ("adrs",)
    for folder in folders:
        if not (root / folder).is_dir():
            msg = f"there is no folder {folder!r} for records"
            raise UsageError(msg, hint="--records names one, from the root of the repository")
    return SiteSettings(
        root,
        docs=Path(docs or _text(data, "docs_dir", "docs")).as_posix(),
        records=tuple(Path(folder).as_posix() for folder in folders),
        runbooks=_text(own, "runbooks", "runbooks"),
        strict=strict,
        repo=_text(data, "repo_url") or _text(own, "repo"),
        branch=_text(own, "branch", "main"),
        edit_uri=_text(data, "edit_uri_template") or _text(data, "edit_uri"),
        name=_text(data, "site_name", root.name or "Decisions"),
        address=_text(data, "site_url"),
        directory_urls=data.get("use_directory_urls") is not False,
        today=today(),
    )


def _text(data: Mapping[str, Any], key: str, other: str = "") -> str:
    value = data.get(key)
    return value if isinstance(value, str) and value else other
