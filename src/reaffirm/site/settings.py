"""What a site is told about its repository, whoever asks for it: MkDocs, or a command."""

import os
import posixpath
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import urljoin, urlsplit

_EDIT = {
    "github.com": "edit/{}/",
    "gitlab.com": "edit/{}/",
    "bitbucket.org": "src/{}/",
    "codeberg.org": "_edit/{}/",
}


@dataclass(frozen=True)
class SiteSettings:
    """Paths are from ``root``.

    Attributes:
        root: the folder of the repository.
        docs: its documentation.
        records: its folders of records; none: they are looked for.
        runbooks: its folder of runbooks.
        strict: what is wrong with records is a finding of the site, and a dead link stays one. Otherwise both
            are shown on the pages as what they are.
        repo: address of the repository on its forge; empty: files that are no pages are not linked.
        branch: the branch there.
        edit_uri: where the forge edits a file of the documentation, from ``repo``, as MkDocs has it, or with
            ``{path}`` in it; empty: it is guessed from the forge.
        name: the name of the site.
        address: where the site will be; empty: nobody knows.
        directory_urls: whether the address of ``a.md`` is ``a/`` and not ``a.html``.
        today: the day of the board.
    """

    root: Path
    docs: str = "docs"
    records: tuple[str, ...] = ()
    runbooks: str = "runbooks"
    strict: bool = False
    repo: str = ""
    branch: str = "main"
    edit_uri: str = ""
    name: str = "Decisions"
    address: str = ""
    directory_urls: bool = True
    today: date = date.min

    @property
    def forge(self) -> str:
        """The address under which files of the repository can be read, with its slash; empty for none."""
        return f"{self.repo.rstrip('/')}/blob/{self.branch}/" if self.repo else ""

    def edit_address(self, source: str) -> str:
        """Return where a file of the repository can be edited; empty where nobody knows.

        Args:
            source: the file, from the root.
        """
        base = self.repo.rstrip("/") + "/" if self.repo else ""
        if not self.edit_uri:
            guess = _EDIT.get(urlsplit(base).netloc.lower())
            return urljoin(base, guess.format(self.branch) + source) if guess else ""
        path = posixpath.relpath(source, self.docs)
        if "{path" in self.edit_uri:
            noext = posixpath.splitext(path)[0]
            there = self.edit_uri.replace("{path}", path).replace("{path_noext}", noext)
        else:
            there = self.edit_uri.rstrip("/") + "/" + path
        # What is not below the documentation is beside it: docs/../adrs/x.md is adrs/x.md.
        up = path.count("../") if path.startswith("../") else 0
        there = there.replace(f"{self.docs.strip('/')}/{'../' * up}", "") if up else there
        if urlsplit(there).scheme:
            return there
        if there.startswith(("?", "#")):
            base = base.rstrip("/")
        return (base + there if there.startswith(("?", "#")) else urljoin(base, there)) if base else ""


def today() -> date:
    """Return the day of the board: that of ``SOURCE_DATE_EPOCH`` when set, so that builds can be repeated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return moment.date()
