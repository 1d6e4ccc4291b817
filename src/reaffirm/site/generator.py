"""What a generator must be told to build the written pages: as a file of settings for MkDocs or Zensical."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from reaffirm.errors import UsageError
from reaffirm.site.mkdocs_file import Dumper, plugins_of
from reaffirm.site.skin import MATERIAL, features, needed
from reaffirm.site.tree import Tree

_MARK = (
    "# Written by `reaffirm pages`, and again by its next call. What you change belongs into mkdocs.yml.\n"
)


def extensions(data: Mapping[str, Any]) -> list[Any]:
    """Return somebody's Markdown extensions with those that the pages need besides.

    Args:
        data: the settings of mkdocs.yml.
    """
    given = data.get("markdown_extensions") or []
    pairs = [{name: one} for name, one in given.items()] if isinstance(given, Mapping) else list(given)
    names = {str(name) for one in pairs for name in (one if isinstance(one, Mapping) else [one])}
    return [*pairs, *needed(names)]


def settings_text(tree: Tree, folder: Path, file: Path, data: Mapping[str, Any]) -> str:
    """Return settings that build the pages in ``folder``.

    Args:
        tree: what was written there.
        folder: where.
        file: where the settings will be; paths in them start there.
        data: the settings of the repository's mkdocs.yml.
    """
    here = file.absolute().parent
    own = tree.settings.root / "mkdocs.yml"
    made: dict[str, Any] = {}
    if own.is_file():
        made["INHERIT"] = _from(own, here)
    else:
        made["site_name"] = tree.settings.name
    if theme := _theme(tree, data):
        made["theme"] = theme
    made["docs_dir"] = _from(folder, here)
    made["edit_uri"] = ""  # the pages here are made; nobody should edit them
    made["plugins"] = [
        {name: one} if one else name for name, one in plugins_of(data).items() if name != "reaffirm"
    ]
    for key, ours in (("extra_css", tree.styles), ("extra_javascript", tree.scripts)):
        if both := [*ours, *(one for one in data.get(key) or [] if one not in ours)]:
            made[key] = both
    made["markdown_extensions"] = extensions(data)
    made["nav"] = tree.moved(data["nav"]) if data.get("nav") else tree.nav()
    made["not_in_nav"] = (
        "\n".join([*_not_in_nav(tree), *str(data.get("not_in_nav") or "").splitlines()]) + "\n"
    )
    dumped = yaml.dump(made, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=110)
    return _MARK + dumped


def _theme(tree: Tree, data: Mapping[str, Any]) -> dict[str, Any]:
    """The theme, as far as the repository's settings do not name it."""
    told = data.get("theme") or MATERIAL
    theme = dict(told) if isinstance(told, Mapping) else {"name": str(told)}
    given = theme.get("features") or []
    if not isinstance(given, list):  # a tag, which only MkDocs can read
        return {} if data.get("theme") else MATERIAL
    found = features(str(theme.get("name")), given, nav=data.get("nav"), records=tree.records_outside)
    if not data.get("theme"):
        return {**theme, "features": found}
    return {"name": theme["name"], "features": found} if found != list(given) else {}


def write_settings(file: Path, text: str) -> bool:
    """Write a file of settings; return whether anything changed.

    Raises:
        UsageError: there is a file that nobody here wrote.
    """
    if file.exists() or file.is_symlink():
        old = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        if not old.startswith(_MARK):
            msg = f"{file} was not written by reaffirm"
            raise UsageError(msg, hint="name another file, such as mkdocs.pages.yml")
        if old == text:
            return False
    draft = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)
    return True


def _not_in_nav(tree: Tree) -> list[str]:
    """Patterns for the pages that are found from others; few, since each is tried on every page."""
    tops = sorted({uri.partition("/")[0] for uri in tree.hidden})
    shown = [uri for uri in tree.pages if uri not in tree.hidden and uri.partition("/")[0] in tops]
    return [*(f"/{top}/**" for top in tops), *(f"!/{uri}" for uri in sorted(shown))]


def _from(path: Path, here: Path) -> str:
    return Path(os.path.relpath(path.absolute(), here)).as_posix()
