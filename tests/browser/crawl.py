"""Follows every link of a site in the browser and notes what each page is like."""

import json
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urlsplit

from watched import watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_LOOK = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const links = all("a").map((a) => a.href instanceof SVGAnimatedString
    ? new URL(a.href.baseVal, document.baseURI).href : a.href).filter(Boolean);
  const loads = all("img[src],script[src],source[src]").map((one) => one.src)
    .concat(all("link[href]").filter((l) => !["canonical"].includes(l.rel)).map((l) => l.href));
  return {
    links, loads, ids: all("[id]").map((e) => e.id), lang: document.documentElement.lang,
    h1: all("h1").length, title: document.title,
    landmarks: ["header", "main", "footer", "article"].filter((n) => all(n).length),
  };
}"""
_WIDE = """() => {
  const room = document.documentElement.clientWidth;
  const out = document.scrollingElement.scrollWidth;
  if (out <= room) return "";
  const who = [...document.querySelectorAll("article *")]
    .filter((e) => e.getBoundingClientRect().right > room + 1).map((e) => e.tagName + "." + e.className);
  return `${out} > ${room}: ${who.slice(0, 4).join(", ")}`;
}"""


@dataclass
class Looked:
    """What a page is like: see ``_LOOK``; ``wide`` says what reaches out of a phone's screen."""

    troubles: list[str]
    links: list[str]
    loads: list[str]
    ids: list[str]
    lang: str
    h1: int
    title: str
    landmarks: list[str]
    wide: str = ""


@dataclass
class Crawl:
    """All pages of a site by their path, and links to what is no page."""

    pages: dict[str, Looked] = field(default_factory=dict)
    dead: list[str] = field(default_factory=list)


def crawl(browser: "Browser", origin: str, folder: Path) -> Crawl:
    """Visit the pages that the sitemap names and all that their links lead to.

    Args:
        browser: Chromium.
        origin: where the site is served, with a slash.
        folder: the built site; a link to a file is held against it.
    """
    found = Crawl()
    waiting = ["", *_mapped(folder)]
    with watched(browser, origin, viewport={"width": 400, "height": 800}) as seen:
        while waiting:
            path = waiting.pop()
            if path in found.pages:
                continue
            page = seen.visit(path)
            looked = Looked(troubles=[], **page.evaluate(_LOOK), wide=page.evaluate(_WIDE))
            looked.troubles = seen.taken()
            found.pages[path] = looked
            for link in looked.links:
                there = _local(link, origin)
                if there is not None and _is_page(folder, there):
                    waiting.append(there)
    for path, looked in found.pages.items():
        for link in (*looked.links, *looked.loads):
            if (why := _dead(link, origin, folder, found)) and not path.endswith("404.html"):
                found.dead.append(f"{path or '/'}: {link} ({why})")
    return found


def _mapped(folder: Path) -> list[str]:
    """The pages of the folder; the sitemap must name each of them but the page of errors."""
    pages = {
        path.relative_to(folder).as_posix().removesuffix("index.html") for path in folder.rglob("*.html")
    }
    pages = {path for path in pages if path != "404.html" and not path.startswith("assets/")}
    tree = ET.parse(folder / "sitemap.xml")
    named = [loc.text or "" for loc in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    paths = {urlsplit(one).path.lstrip("/") if "://" in one else one.lstrip("/") for one in named} - {"None"}
    assert not paths or paths <= pages, sorted(paths - pages)
    return sorted(pages)


def _local(link: str, origin: str) -> str | None:
    bare = urldefrag(link)[0]
    return unquote(urlsplit(bare).path[1:]) if bare.startswith(origin) else None


def _is_page(folder: Path, path: str) -> bool:
    return (folder / path / "index.html").is_file() or path.endswith(".html")


def _dead(link: str, origin: str, folder: Path, found: Crawl) -> str:
    path = _local(link, origin)
    if path is None:
        return "" if link.startswith(("https://", "http://", "mailto:", "data:")) else "no such scheme"
    file = folder / path
    if not (file.is_file() or (file / "index.html").is_file()):
        return "not there"
    anchor = unquote(urlsplit(link).fragment)
    page = found.pages.get(path)
    if anchor and page and anchor not in page.ids and anchor not in ("top", "__toc") and ":~:" not in anchor:
        return "no such anchor"
    return ""


def summary(lines: list[str]) -> str:
    """Return findings for a message of pytest, the first thirty."""
    return json.dumps(lines[:30], indent=1, ensure_ascii=False) + f"\n{len(lines)} in all"
