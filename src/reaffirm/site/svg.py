"""Pictures for a page: SVG rebuilt from an allow-list of elements and attributes."""

import hashlib
import re
import xml.etree.ElementTree as ET
from collections.abc import Collection
from xml.sax.saxutils import escape, quoteattr

_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = frozenset(
    """
    svg g path rect circle ellipse line polyline polygon text tspan title desc defs marker
    linearGradient radialGradient stop clipPath style use
    """.split()  # noqa: SIM905
)
_ATTRIBUTES = frozenset(
    """
    viewBox width height x y x1 y1 x2 y2 dx dy cx cy r rx ry d points transform fill fill-opacity fill-rule
    stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin stroke-opacity opacity font-family
    font-size font-weight font-style text-anchor dominant-baseline letter-spacing marker-start marker-mid
    marker-end markerWidth markerHeight markerUnits orient refX refY id class role aria-label aria-hidden
    offset stop-color stop-opacity gradientUnits gradientTransform clip-path preserveAspectRatio style
    """.split()  # noqa: SIM905
)
_LOCAL_URL = re.compile(r"url\(\s*#([A-Za-z0-9_-]+)\s*\)")
_DECLARATION = re.compile(
    r"(fill|stroke|color|opacity|font|font-size|font-weight|font-family|font-style|line-height|text-anchor|"
    r"dominant-baseline|letter-spacing|max-width|height|(fill|stroke|stop)-[a-z]+)\s*:"
    r"\s*[A-Za-z0-9#%.,()/ _'-]+\Z"
)
# Style sheets of our own pictures name this class first in every rule; other rules would reach the page.
_OURS = re.compile(r"\.rf-lanes( \.[a-z0-9-]+)*\Z")
_CLASS = re.compile(r"(?!md-|rf-)[a-z][a-z0-9-]{0,20}\Z|rf-lanes\Z")
_MAX = 500_000
_MAX_RULES = 10_000
_DEEPEST = 60
_HREF = ("href", "{http://www.w3.org/1999/xlink}href")
# What may be used again: shapes alone, so that no picture can use itself a million times.
_SHAPES = frozenset("path rect circle ellipse line polyline polygon".split())  # noqa: SIM905


def clean_svg(svg: str) -> str | None:
    """Return the picture on one line, or None when it is no SVG that can be shown.

    Scripts, events, links, foreign content, style rules that reach the page and every address that leads
    out of the picture are left out. Ids get a prefix of the picture's own, so that two pictures on a page
    do not meet.
    """
    if len(svg) > _MAX or "<!DOCTYPE" in svg.upper() or "<!ENTITY" in svg.upper():
        return None
    try:
        root = ET.fromstring(svg)  # noqa: S314 - no document type, so no entities
    except (ET.ParseError, UnicodeEncodeError):
        return None
    if _is_deep(root):
        return None
    if root.tag not in (f"{_SVG}svg", "svg"):
        return None
    prefix = f"p{hashlib.sha256(svg.encode('utf-8', 'replace')).hexdigest()[:8]}-"
    shapes = {
        node.attrib["id"]
        for node in root.iter()
        if isinstance(node.tag, str) and node.tag.removeprefix(_SVG) in _SHAPES and "id" in node.attrib
    }
    return _element(root, prefix, shapes, top=True)


def _is_deep(root: ET.Element) -> bool:
    """Whether elements lie in each other as in no picture that somebody drew."""
    level = [root]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in node]
    return bool(level)


def _element(node: ET.Element, prefix: str, shapes: Collection[str], *, top: bool = False) -> str:
    tag = node.tag.removeprefix(_SVG) if isinstance(node.tag, str) else ""
    if tag not in _ELEMENTS or (tag == "svg" and not top):
        return ""
    if tag == "style":
        rules = node.text or ""
        return f"<style>{_rules(rules) if len(rules) <= _MAX_RULES else ''}</style>"
    attributes = "".join(
        f" {name}={quoteattr(value)}"
        for name, raw in node.attrib.items()
        if name in _ATTRIBUTES and (value := _value(name, raw, prefix)) is not None
    )
    if tag == "use":
        wanted = next((node.attrib[name].strip() for name in _HREF if name in node.attrib), "")
        if wanted[:1] != "#" or wanted[1:] not in shapes or not re.fullmatch(r"[A-Za-z0-9_-]+", wanted[1:]):
            return ""
        attributes += f' href="#{prefix}{wanted[1:]}"'
    xmlns = ' xmlns="http://www.w3.org/2000/svg"' if top else ""
    inside = _text(node.text) + "".join(_element(child, prefix, shapes) + _text(child.tail) for child in node)
    return f"<{tag}{xmlns}{attributes}>{inside}</{tag}>"


def _value(name: str, raw: str, prefix: str) -> str | None:
    value = " ".join(raw.split())
    if name == "id":
        return prefix + value if re.fullmatch(r"[A-Za-z0-9_-]+", value) else None
    if name == "style":
        return _declarations(value) or None
    value = _LOCAL_URL.sub(rf"url(#{prefix}\1)", value)
    rest = _LOCAL_URL.sub("", value)
    if re.search(r"url|expression|javascript|data:|[@\\<>]", rest, re.IGNORECASE):
        return None
    if name == "class":
        return " ".join(word for word in value.split() if _CLASS.match(word)) or None
    return value


def _rules(css: str) -> str:
    """Keep the rules for our own pictures; colour schemes of the system are the page's affair."""
    kept = []
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        names = [" ".join(selector.split()) for selector in selectors.split(",")]
        if all(_OURS.match(name) for name in names) and (inside := _declarations(body)):
            kept.append(f"{','.join(names)}{{{inside}}}")
    return "".join(kept)


def _declarations(css: str) -> str:
    parts = [part.strip() for part in css.split(";")]
    return ";".join(part for part in parts if _DECLARATION.match(part) and "url" not in part.lower())


def _text(text: str | None) -> str:
    return escape(" ".join(text.split())) if text and text.strip() else ""
