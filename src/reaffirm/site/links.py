"""Where a link of the repository leads on the site."""

import posixpath
import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from reaffirm.site.assets import Assets
from reaffirm.store.reading.anchors import loose
from reaffirm.store.reading.naming import SUFFIXES

#: Gives the target of a link as it must stand on the page; None: there is nothing to link to.
Resolve = Callable[[str], str | None]

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_SAFE = ("http", "https", "mailto")
_FENCE = re.compile(r"^ {0,12}(`{3,}|~{3,})")
_TARGET = re.compile(r"(\]\(<?|^ {0,3}\[[^\]]+\]:\s+<?)([^)\s>]+)", re.MULTILINE)

_INLINE = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([^()\s<>]+)\)")
_TEMPLATED = re.compile(r"[{}<>$]|\s")


class OnDisk(Container[str]):
    """The files and folders of a repository by their path from its root; looked up when one is named."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, bool] = {}

    def __contains__(self, path: object) -> bool:
        """Whether it is there; nothing outside of the repository is."""
        if not isinstance(path, str) or path.startswith(("../", "/")) or path == "..":
            return False
        known = self._known.get(path)
        if known is None:
            try:
                known = (self._root / path).exists()
            except (OSError, ValueError):
                known = False
            self._known[path] = known
        return known


@dataclass(frozen=True)
class PageAnchors:
    """The anchors of a page of a record: those that it has, and those that its file has beside them."""

    ids: tuple[str, ...]
    spelled: tuple[str, ...] = ()


@dataclass(frozen=True)
class SiteMap:
    """Which page of the site shows which file of the repository.

    Keys of ``pages`` are paths from the root of the repository (``adrs/0001-x.md``), values are pages
    as MkDocs names them (``decisions/0001-x.md``), with the anchor of the place that tells of a file where
    the page does not show it. ``forge`` is the address under which other files
    can be read, with its slash; empty: they are not linked. ``files`` are those that are no pages.
    ``anchors`` are those of the pages of records; those of other pages are MkDocs's own affair.

    ``strict`` leaves a dead link as it is, so that ``mkdocs build --strict`` names it. Otherwise it becomes
    its words, and :meth:`gone` says what is missing.
    """

    pages: Mapping[str, str]
    docs: str = "docs"
    forge: str = ""
    files: Container[str] = field(default_factory=frozenset)
    strict: bool = True
    anchors: Mapping[str, PageAnchors] = field(default_factory=dict)
    assets: Assets | None = None

    def resolver(self, source: str, page: str) -> Resolve:
        """Return how links that stand in the file ``source`` are written on the page ``page``."""
        return lambda target: self.resolve(target, source=source, page=page)

    def misser(self, source: str) -> Callable[[str], str]:
        """Return :meth:`gone` for links that stand in the file ``source``."""
        return lambda target: self.gone(target, source=source)

    def resolve(self, target: str, *, source: str, page: str) -> str | None:
        """Return the target of a link on a page; None where it must become plain text.

        Only http, https and mailto lead out; a scheme hidden behind control characters counts too.
        """
        target = re.sub(r"[\x00-\x20\x7f]+", "", target)
        if scheme := _SCHEME.match(unquote(target)):
            return _quoted(target) if scheme[1].lower() in _SAFE else None
        if target.startswith(("//", "\\")):
            return None
        path, _, anchor = target.partition("#")
        if not path:
            here = self._anchor(page, anchor)
            return _quoted(f"#{here}") if here else None
        wanted = self._wanted(path, source)
        found = self._page(wanted)
        if found:
            shown, _, told = self.pages[found].partition("#")
            there = told or self._anchor(shown, anchor)
            link = posixpath.relpath(shown, posixpath.dirname(page) or ".")
            return _quoted(link) + (_quoted(f"#{there}") if there else "")
        if self.assets and (picture := self.assets.get(wanted)):
            return _quoted(posixpath.relpath(picture, posixpath.dirname(page) or "."))
        anchor = f"#{anchor}" if anchor else ""
        if wanted in self.files:
            return f"{self.forge}{_quoted(wanted)}{_quoted(anchor)}" if self.forge else None
        return _quoted(path + anchor) if self.strict else None

    def gone(self, target: str, *, source: str) -> str:
        """Return what of a link is not there, in words; empty where all is, or nobody can know."""
        if (
            self.strict
            or _SCHEME.match(target)
            or target.startswith(("//", "\\"))
            or _TEMPLATED.search(target)
        ):
            return ""
        path, _, anchor = target.partition("#")
        wanted = self._wanted(path, source) if path else source
        found = self._page(wanted)
        if not found:
            known = wanted in self.files or path.startswith("/") or wanted.startswith("../")
            return "" if known else "not there"
        known_here = self.anchors.get(self.pages[found]) if anchor else None
        if known_here and not _same((*known_here.ids, *known_here.spelled, "top"), anchor):
            return "" if re.fullmatch(r"L\d+(?:-L?\d+)?", anchor) else "section not there"
        return ""

    def forged(self, path: str) -> str:
        """Return the address of a file on the forge."""
        return f"{self.forge}{_quoted(path)}"

    def _wanted(self, path: str, source: str) -> str:
        path = unquote(path.partition("?")[0])
        if path.startswith("/") and not self.strict:
            return posixpath.normpath(path.lstrip("/")) if path.strip("/") else "."
        return posixpath.normpath(posixpath.join(posixpath.dirname(source), path.lstrip("/")))

    def _page(self, wanted: str) -> str:
        """The file that is a page and that a path means; empty for none."""
        tries = [wanted, f"{wanted}/README.md", f"{wanted}/index.md"]
        if not self.strict and wanted not in self.files:
            bare = re.sub(r"\.html?\Z", "", wanted)
            if bare != wanted or not posixpath.splitext(posixpath.basename(wanted))[1]:
                tries += [f"{bare}{ending}" for ending in SUFFIXES]
        return next((name for name in tries if name in self.pages), "")

    def _anchor(self, page: str, anchor: str) -> str:
        """An anchor as the page has it; as it is written where that is not known."""
        known = self.anchors.get(page) if anchor else None
        return anchor if known is None or not anchor else _same(known.ids, anchor)

    def rewrite(self, markdown: str, *, source: str, page: str) -> str:
        """Rewrite the links of a page of ours that lead to a generated page or out of the documentation.

        A link to a file that nobody could open from the site becomes its text. Other links are MkDocs's
        own affair. Fenced code is left alone.
        """

        def shown(match: re.Match[str]) -> str:
            path = match[2].split("#", 1)[0]
            wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
            known = bool(path) and wanted in self.files
            dead = known and self.resolve(match[2], source=source, page=page) is None
            return match[1] if dead else match[0]

        def one(match: re.Match[str]) -> str:
            path = match[2].split("#", 1)[0]
            wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
            inside = wanted.startswith(f"{self.docs}/")
            if (
                not path
                or _SCHEME.match(path)
                or (inside and f"{self.docs}/{self.pages.get(wanted, wanted)}" == wanted)
            ):
                return match[0]
            return match[1] + (self.resolve(match[2], source=source, page=page) or match[2])

        parts: list[str] = []
        fence = ""
        for line in markdown.split("\n"):
            found = _FENCE.match(line)
            if fence:
                if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                    fence = ""
                parts.append(line)
            elif found:
                fence = found[1]
                parts.append(line)
            else:
                parts.append(_TARGET.sub(one, _INLINE.sub(shown, line)))
        return "\n".join(parts)


def no_links(target: str) -> str | None:
    """Resolve nothing but what leads out of the site and is safe."""
    return SiteMap({}).resolve(target, source="", page="") if _SCHEME.match(target) else None


def lab_page(resolve: Resolve) -> str:
    """Return where the site says what the lab is, as a link in a runbook would lead there; else empty."""
    asked = "../docs/how-to/lab.md"
    found = resolve(asked) or ""
    return "" if found == asked or _SCHEME.match(found) else found


def _same(anchors: tuple[str, ...], wanted: str) -> str:
    """The anchor of a page that somebody's spelling means; empty for none."""
    wanted = unquote(wanted)
    if wanted in anchors:
        return wanted
    return next((one for one in anchors if loose(one) == loose(wanted)), "")


def _quoted(target: str) -> str:
    return quote(target, safe="/#:?&=%@+,;~.-_!$*", errors="replace")
