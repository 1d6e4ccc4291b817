"""Reads a built page as a browser would: what in it could run, and what a reader sees."""

from html.parser import HTMLParser
from pathlib import Path

_NEVER = ("script", "iframe", "object", "embed", "form", "foreignobject", "base", "meta", "link")


class Article(HTMLParser):
    """A page: ``text``, ``tags``, ``headings`` of what is inside ``<article>``; ``dangers`` of all of it."""

    def __init__(self, page: Path | str) -> None:
        super().__init__()
        self.dangers: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.headings: list[str] = []
        self._inside = False
        self._script = False
        self._heading = False
        self.feed(page if isinstance(page, str) else page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note each element and what could run."""
        self._script = tag == "script"
        if tag == "article":
            self._inside = True
        if self._inside:
            self.tags.append(tag)
            self._heading = tag in ("h1", "h2", "h3")
            if self._heading:
                self.headings.append("")
            if tag in _NEVER:
                self.dangers.append(f"<{tag}>")
        for name, value in attrs:
            text = "".join((value or "").split()).lower()
            if name.startswith("on"):
                self.dangers.append(f"{tag} {name}={value}")
            if name in ("href", "src", "xlink:href", "action") and text.split(":")[0] in (
                "javascript",
                "vbscript",
            ):
                self.dangers.append(f"{tag} {name}={value}")
            if name in ("href", "src") and text.startswith("data:") and not text.startswith("data:image/"):
                self.dangers.append(f"{tag} {name}={value}")
            if self._inside and name in ("src", "fill", "style") and "://" in text:
                self.dangers.append(f"{tag} {name}={value}")

    def handle_endtag(self, tag: str) -> None:
        """Leave the article and headings."""
        self._script = False
        if tag == "article":
            self._inside = False
        if tag in ("h1", "h2", "h3"):
            self._heading = False

    def handle_data(self, data: str) -> None:
        """Keep what is seen."""
        if self._script and "alert(" in data:
            self.dangers.append(f"script: {data}")
        if self._inside:
            self.text += data
            if self._heading:
                self.headings[-1] += data
