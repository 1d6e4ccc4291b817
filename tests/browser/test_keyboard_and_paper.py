"""Without a mouse, and on paper."""

from pathlib import Path
from typing import Any

import pytest
from crawl import summary
from kinds import one_of_each
from watched import watched

pytestmark = pytest.mark.browser

_MOST_STOPS = 60
_NOW = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  // The switch between light and dark is a button that its label draws.
  const drawn_by = one.matches(".md-option") ? one.nextElementSibling : one;
  const style = getComputedStyle(drawn_by);
  const drawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const box = drawn_by.getBoundingClientRect();
  return {
    what: `${one.tagName} ${one.className} ${(one.textContent || "").trim().slice(0, 30)}`,
    seen: drawn || style.boxShadow !== "none" || one.matches("input.md-search__input, .md-skip"),
    inside: box.width > 0 && box.height > 0,
    skip: one.matches(".md-skip"), main: !!one.closest("article"),
  };
}"""
_UNREACHABLE = """() => [...document.querySelectorAll("article :is(a[href], button, summary, input, select)")]
  .filter((one) => one.tabIndex < 0 && one.offsetParent !== null && !one.closest("[inert]"))
  .map((one) => one.outerHTML.slice(0, 120))"""


def test_the_first_stop_leads_over_the_navigation(browser: Any, own_site: str) -> None:
    """With a keyboard every page would begin with thirty links of the navigation."""
    with watched(browser, own_site) as seen:
        page = seen.visit("decisions/0001-serve-with-vllm-instead-of-sglang/")
        page.keyboard.press("Tab")
        assert page.evaluate(_NOW)["skip"]
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate(_NOW)["main"]


def test_every_stop_of_the_keyboard_is_seen(browser: Any, own_site: str, own_folder: Path) -> None:
    """Somebody would press Enter without knowing on what."""
    found: list[str] = []
    with watched(browser, own_site, viewport={"width": 1280, "height": 900}) as seen:
        for kind, path in one_of_each(own_folder).items():
            page = seen.visit(path)
            found += [f"{kind}: not to be reached: {one}" for one in page.evaluate(_UNREACHABLE)]
            for _ in range(_MOST_STOPS):
                page.keyboard.press("Tab")
                now = page.evaluate(_NOW)
                if now is None:
                    break
                if not (now["seen"] and now["inside"]) and "md-search" not in now["what"]:
                    found.append(f"{kind}: no focus to be seen: {now['what']}")
    assert found == [], summary(sorted(set(found)))


def test_paper_shows_the_page_and_not_the_site(browser: Any, own_site: str) -> None:
    """A printed decision would be half navigation, and nobody could find the run behind it."""
    with watched(browser, own_site, color_scheme="dark", viewport={"width": 800, "height": 1100}) as seen:
        page = seen.visit("decisions/0001-serve-with-vllm-instead-of-sglang/")
        page.emulate_media(media="print")
        for gone in (".md-header", ".md-tabs", ".md-footer", ".md-sidebar", ".md-search", ".headerlink"):
            assert page.locator(f"{gone}:visible").count() == 0, gone
        assert page.locator("h1").is_visible()
        link = page.locator("article a[data-rf-address]:visible").first
        after = link.evaluate("(one) => getComputedStyle(one, '::after').content")
        assert "/runs/" in after
        ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        ink = page.locator("article p").first.evaluate("(one) => getComputedStyle(one).color")
        assert _light(ground) > _light(ink) + 0.5, (ground, ink)


def test_paper_says_what_is_folded(browser: Any, own_site: str, own_folder: Path) -> None:
    """On paper nothing can be unfolded: evidence would be missing without a word."""
    with watched(browser, own_site, viewport={"width": 800, "height": 1100}) as seen:
        page = seen.visit(one_of_each(own_folder)["run on the lab"])
        page.emulate_media(media="print")
        said = page.locator("article details:not([open]) > summary:visible").evaluate_all(
            "(all) => all.map((one) => getComputedStyle(one, '::after').content)"
        )
        assert said
        assert all("folded" in one for one in said), said


def _light(colour: str) -> float:
    """How light a colour is, 0 to 1; what lets everything through is paper."""
    parts = [float(one) for one in colour[colour.index("(") + 1 : -1].replace("/", ",").split(",")[:4]]
    if len(parts) == 4 and parts[3] == 0:
        return 1.0
    return sum(parts[:3]) / 765
