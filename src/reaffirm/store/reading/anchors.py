"""The anchors that a page has: one for each heading, as forges and site generators make them."""

import re

_DROP = re.compile(r"[^\w\- ]", re.UNICODE)


class Anchors:
    """Collects anchors; the second heading of the same words has ``-1`` behind it."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.seen: dict[str, int] = {}

    def add(self, name: str) -> None:
        """Note an anchor that is written out."""
        self.found.append(name)

    def heading(self, text: str) -> None:
        """Note the anchor of a heading."""
        slug = slug_of(text)
        times = self.seen.get(slug, 0)
        self.seen[slug] = times + 1
        self.found.append(f"{slug}-{times}" if times else slug)


def slug_of(text: str) -> str:
    """Return a heading's anchor: ``Pros & Cons`` gives ``pros--cons``."""
    return _DROP.sub("", text.strip().lower()).replace(" ", "-")


def loose(anchor: str) -> str:
    """Return what all spellings of an anchor have in common; forges and generators differ in dashes."""
    return re.sub(r"[\W_]+", "", anchor.lower())
