"""What a reader takes away from a page: commands from the copy button, a print, the page on a phone."""

from pathlib import Path
from typing import Any

import pytest
from kinds import one_of_each
from watched import watched

pytestmark = pytest.mark.browser

# What is out of sight sideways and gives no sign of it.
_NO_SIGN = """() => [...document.querySelectorAll("article :is(.md-typeset__scrollwrap, .rf-frame)")]
  .filter((one) => one.offsetParent && one.scrollWidth > one.clientWidth + 1)
  .filter((one) => !getComputedStyle(one).backgroundImage.includes("gradient"))
  .map((one) => one.outerHTML.slice(0, 160))"""


def test_the_copy_button_of_a_session_copies_its_commands(
    browser: Any, own_site: str, own_folder: Path
) -> None:
    """Pasted into a shell, `$ ` and the output would be junk."""
    with watched(browser, own_site, permissions=["clipboard-read", "clipboard-write"]) as seen:
        page = seen.visit(one_of_each(own_folder)["tutorial"])
        block = page.locator('.highlight:has(code:has-text("$ "))').filter(has=page.locator(".go")).first
        assert block.inner_text().startswith("$ ")
        block.locator("[data-md-type=copy]").click(force=True)
        page.locator(".md-dialog--active").wait_for()
        copied = page.evaluate("() => navigator.clipboard.readText()")
        assert copied
        assert copied in block.inner_text()
        assert "$ " not in copied
        assert len(copied) < len(block.inner_text()) - 2


def test_paper_leaves_folded_what_its_reader_left_folded(
    browser: Any, own_site: str, own_folder: Path
) -> None:
    """The theme unfolds everything for paper: the page of one run would be fifty sheets."""
    with watched(browser, own_site) as seen:
        page = seen.visit(one_of_each(own_folder)["run on the lab"])
        page.locator("details.rf-box > summary").first.click()
        page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        shown = page.locator("article details > :not(summary)").evaluate_all(
            "(all) => all.filter((one) => getComputedStyle(one).display !== 'none').length"
        )
        assert 1 <= shown <= 3, shown
        page.emulate_media(media="screen")
        page.evaluate("() => window.dispatchEvent(new Event('afterprint'))")
        assert page.locator("[data-rf-folded]").count() == 0


def test_nothing_makes_a_printed_page_smaller(browser: Any, own_site: str, own_folder: Path) -> None:
    """What is wider than the sheet makes a browser print all of the page smaller."""
    found = {}
    with watched(browser, own_site, viewport={"width": 718, "height": 1000}) as seen:
        for kind, path in one_of_each(own_folder).items():
            page = seen.visit(path)
            page.emulate_media(media="print")
            found[kind] = page.evaluate("document.documentElement.scrollWidth")
            page.emulate_media(media="screen")
    # The padding of a name in code may hang over by a few pixels.
    assert {kind: width for kind, width in found.items() if width > 722} == {}


def test_a_phone_shows_that_there_is_more_sideways(browser: Any, own_site: str, own_folder: Path) -> None:
    """'Removes containers … consent: no' was read without 'only what it started itself', out of sight."""
    found: list[str] = []
    with watched(browser, own_site, viewport={"width": 390, "height": 800}) as seen:
        for kind, path in one_of_each(own_folder).items():
            found += [f"{kind}: {one}" for one in seen.visit(path).evaluate(_NO_SIGN)]
        page = seen.visit("runbooks/launch_vllm/")
        note = page.locator("table:has(.rf-changes) td:last-child").last.bounding_box()
        assert note is not None
        assert note["x"] + note["width"] <= 390
    assert found == []


# Tables that go on out of sight, of those that are not folded.
_TOO_WIDE = """() => [...document.querySelectorAll("article table")]
  .filter((one) => one.offsetParent && one.parentElement.closest(".md-typeset__scrollwrap, .rf-frame"))
  .filter((one) => ((box) => box.scrollWidth > box.clientWidth + 1)(one.parentElement.closest(
    ".md-typeset__scrollwrap, .rf-frame")))
  .map((one) => one.outerHTML.slice(0, 160))"""


def test_on_a_phone_no_column_is_out_of_sight(browser: Any, own_site: str, own_folder: Path) -> None:
    """What a probe read in an image, or the state of a rank, would have to be looked for sideways."""
    found: list[str] = []
    with watched(browser, own_site, viewport={"width": 390, "height": 800}) as seen:
        for kind, path in one_of_each(own_folder).items():
            page = seen.visit(path)
            page.evaluate(
                "() => document.querySelectorAll('article details').forEach((one) => { one.open = true; })"
            )
            page.wait_for_timeout(200)
            found += [f"{kind}: {one}" for one in page.evaluate(_TOO_WIDE)]
        page = seen.visit("container-images/vllm-qwen35/")
        cell = page.locator("td[data-rf-column]").filter(has_text="arm64").last
        assert cell.get_attribute("data-rf-column") == "Read by a probe (simulated)"
        assert page.locator("thead a[href*='runs/']").last.is_visible()
    assert found == []


def test_a_run_says_where_it_is(browser: Any, own_site: str, own_folder: Path) -> None:
    """A run is not in the navigation: from its page one would find neither its runbook nor the other runs."""
    with watched(browser, own_site, viewport={"width": 390, "height": 800}) as seen:
        page = seen.visit(one_of_each(own_folder)["run on the lab"])
        line, title = page.locator(".rf-path"), page.locator("h1")
        above, below = line.bounding_box(), title.bounding_box()
        assert above is not None
        assert below is not None
        assert above["y"] + above["height"] <= below["y"]
        assert " › lab run 2026" in line.inner_text()
        line.locator("a").first.click()
        page.wait_for_url("**/runs/")
