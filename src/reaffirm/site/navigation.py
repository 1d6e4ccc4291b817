"""The navigation of a site whose settings have none."""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

#: Folders under the documentation in the order of the navigation, and what readers see.
SHELVES = {
    "tutorial": "Tutorial",
    "how-to": "How-to",
    "explanation": "Explanation",
    "reference": "Reference",
    "failures": "Failure modes",
    "container-images": "Container images",
}
# What the plugin makes, before the shelves.
_FIRST = (("decisions", "Decisions"), ("runbooks", "Runbooks"), ("runs", "Runs"))
_HOME = ("index.md", "README.md")
_LINK = re.compile(r"\]\(<?([^)\s>#?]+)")
# A page at the top, behind the decisions.
_BOARD = ("still-true.md", "Still true?")


def navigation(
    uris: Iterable[str], hidden: Collection[str], text: Callable[[str], str] = lambda _: ""
) -> list[Any]:
    """Return a navigation for some pages: one section per shelf, then what other folders hold.

    The pages of a shelf stand in the order in which its index links to them, then by name.

    Args:
        uris: all pages.
        hidden: generated pages that are found from others: records from their index, runs from their runbook.
        text: the Markdown of a page.
    """
    known = {uri for uri in uris if uri not in hidden}
    nav: list[Any] = [{"Home": next(uri for uri in _HOME if uri in known)}] if known & set(_HOME) else []
    first = ("tutorial", SHELVES["tutorial"])
    shelves = dict((first, *_FIRST, *SHELVES.items()))
    for folder, label in shelves.items():
        inside = sorted(uri for uri in known if uri.startswith(f"{folder}/"))
        if inside == [f"{folder}/index.md"]:
            nav.append({label: inside[0]})
        elif inside:
            nav.append({label: _section(folder, _in_order(inside, text))})
        if folder == "decisions" and _BOARD[0] in known:
            nav.append({_BOARD[1]: _BOARD[0]})
    rest = sorted(
        uri for uri in known if uri not in (*_HOME, _BOARD[0]) and uri.partition("/")[0] not in shelves
    )
    return nav + _tree(rest, "")


def moved(nav: Any, shown: Mapping[str, str]) -> Any:
    """Return a navigation in which each record's file is the page that shows it, and none comes twice.

    Args:
        nav: as mkdocs.yml has it.
        shown: the page by the path of each such file, from the folder of the documentation.
    """
    if isinstance(nav, str):
        return shown.get(nav, nav)
    if isinstance(nav, dict):
        return {name: moved(one, shown) for name, one in nav.items()}
    if isinstance(nav, list):
        found = [moved(one, shown) for one in nav]
        return [one for n, one in enumerate(found) if not isinstance(one, str) or one not in found[:n]]
    return nav


def linked(markdown: str, uri: str) -> list[str]:
    """Return what a page links to, each once, in its order, from the folder of the documentation.

    Args:
        markdown: the text of the page.
        uri: where it is.
    """
    folder = posixpath.dirname(uri)
    return list(dict.fromkeys(posixpath.normpath(f"{folder}/{one}") for one in _LINK.findall(markdown)))


def _in_order(uris: list[str], text: Callable[[str], str]) -> list[str]:
    """Pages of one folder as the indexes among them name them; what none names comes last."""
    named = (one for uri in uris if posixpath.basename(uri) in _HOME for one in linked(text(uri), uri))
    places = {uri: place for place, uri in enumerate(dict.fromkeys(named))}
    return sorted(uris, key=lambda uri: (places.get(uri, len(places)), uri))


def _section(folder: str, uris: list[str]) -> list[Any]:
    """The pages of a folder, its index first; a folder in it with an index is a section of its own."""
    index = [uri for uri in uris if uri in (f"{folder}/index.md", f"{folder}/README.md")]
    below: dict[str, list[str]] = {}
    for uri in uris:
        inner = uri.removeprefix(f"{folder}/").rpartition("/")[0].partition("/")[0]
        if inner and {f"{folder}/{inner}/README.md", f"{folder}/{inner}/index.md"} & set(uris):
            below.setdefault(inner, []).append(uri)
    nested = {uri for inside in below.values() for uri in inside}
    pages: list[Any] = index + [uri for uri in uris if uri not in index and uri not in nested]
    return pages + [
        {inner.capitalize(): _section(f"{folder}/{inner}", inside)} for inner, inside in below.items()
    ]


def _tree(uris: list[str], above: str) -> list[Any]:
    """Pages of somebody else's documentation: folders are sections, their index first."""
    pages = [uri for uri in uris if "/" not in uri.removeprefix(above)]
    pages.sort(key=lambda uri: (uri.removeprefix(above) not in _HOME, uri))
    folders: dict[str, list[str]] = {}
    for uri in uris:
        name, mark, _ = uri.removeprefix(above).partition("/")
        if mark:
            folders.setdefault(name, []).append(uri)
    return [
        *pages,
        *({_words(name): _tree(inside, f"{above}{name}/")} for name, inside in folders.items()),
    ]


def _words(name: str) -> str:
    shown = re.sub(r"[-_]+", " ", name).strip()
    return shown[:1].upper() + shown[1:] or name
