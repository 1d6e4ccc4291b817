"""Where a link of the repository leads on the site."""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

#: Gives the target of a link as it must stand on the page; None: there is nothing to link to.
Resolve = Callable[[str], str | None]

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_SAFE = ("http", "https", "mailto")
_FENCE = re.compile(r"^ {0,12}(`{3,}|~{3,})")
_TARGET = re.compile(r"(\]\(<?|^ {0,3}\[[^\]]+\]:\s+<?)([^)\s>]+)", re.MULTILINE)

_INLINE = re.compile(r"(?<!!)\[([^\[\]]+)\]\(([^()\s<>]+)\)")


@dataclass(frozen=True)
class SiteMap:
    """Which page of the site shows which file of the repository.

    Keys of ``pages`` are paths from the root of the repository (``adrs/0001-x.md``), values are pages
    as MkDocs names them (``decisions/0001-x.md``). ``forge`` is the address under which other files
    can be read, with its slash; empty: they are not linked.
    """

    pages: Mapping[str, str]
    docs: str = "docs"
    forge: str = ""
    files: frozenset[str] = field(default_factory=frozenset)

    def resolver(self, source: str, page: str) -> Resolve:
        """Return how links that stand in the file ``source`` are written on the page ``page``."""
        return lambda target: self.resolve(target, source=source, page=page)

    def resolve(self, target: str, *, source: str, page: str) -> str | None:
        """Return the target of a link on a page; None where it must become plain text.

        Only http, https and mailto lead out; a scheme hidden behind control characters counts too.
        A file that is neither on the site nor in the repository is left as it is, so that
        ``mkdocs build --strict`` names it.
        """
        target = re.sub(r"[\x00-\x20\x7f]+", "", target)
        if scheme := _SCHEME.match(unquote(target)):
            return _quoted(target) if scheme[1].lower() in _SAFE else None
        if target.startswith(("//", "\\")):
            return None
        path, _, anchor = target.partition("#")
        anchor = f"#{anchor}" if anchor else ""
        if not path:
            return _quoted(anchor) or None
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(path).lstrip("/")))
        for name in (wanted, f"{wanted}/README.md", f"{wanted}/index.md"):
            if name in self.pages:
                return _quoted(posixpath.relpath(self.pages[name], posixpath.dirname(page) or ".")) + _quoted(
                    anchor
                )
        if wanted in self.files:
            return f"{self.forge}{_quoted(wanted)}{_quoted(anchor)}" if self.forge else None
        return _quoted(path + anchor)

    def rewrite(self, markdown: str, *, source: str, page: str) -> str:
        """Rewrite the links of a page of ours that lead to a generated page or out of the documentation.

        A link to a file that nobody could open from the site becomes its text. Other links are MkDocs's
        own affair. Fenced code is left alone.
        """

        def shown(match: re.Match[str]) -> str:
            path = match[2].split("#", 1)[0]
            wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
            dead = wanted in self.files and self.resolve(match[2], source=source, page=page) is None
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


def _quoted(target: str) -> str:
    return quote(target, safe="/#:?&=%@+,;~.-_!$*")
