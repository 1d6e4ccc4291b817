"""Decisions in a browser: filters that can be linked, tables that sort, boxes that are links."""

from typing import Any

import pytest
from watched import watched

pytestmark = pytest.mark.browser

_ROWS = "tr:has([data-rf-row])"


def _shown(page: Any) -> int:
    return int(page.locator(f"{_ROWS}:visible").count())


def test_a_link_with_filters_shows_what_it_says_and_the_count_is_announced(
    browser: Any, own_site: str
) -> None:
    """Somebody would send a link to three decisions, and the other would see all of them."""
    with watched(browser, own_site) as seen:
        page = seen.visit("decisions/?status=accepted&tag=serving")
        some, all_of_them = _shown(page), page.locator(_ROWS).count()
        assert 0 < some < all_of_them
        told = page.get_by_role("status")
        assert told.text_content() == f"{some} of {all_of_them} decisions"
        page.get_by_label("Verdict").select_option("refuted as the decision expects")
        assert "verdict=refuted" in page.url
        assert 0 < _shown(page) < some
        page.get_by_label("Contains").fill("no such words anywhere")
        assert _shown(page) == 0
        assert told.text_content() == (
            f"None of the {all_of_them} decisions fits this filter. “Show all” brings them back."
        )
        page.get_by_role("button", name="Show all").click()
        page.wait_for_function("() => !location.search")
        assert told.text_content() == f"All {all_of_them} decisions"
        assert seen.taken() == []


def test_a_column_sorts_by_its_head_and_back(browser: Any, own_site: str) -> None:
    """A reader could not bring the newest decision to the top."""
    with watched(browser, own_site) as seen:
        page = seen.visit("decisions/")
        before = page.locator(_ROWS).first.text_content()
        head = page.get_by_role("columnheader").first
        button = head.get_by_role("button")
        button.focus()
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "descending"
        assert page.locator(_ROWS).first.text_content() != before
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") is None
        assert page.locator(_ROWS).first.text_content() == before


def test_claims_sort_with_the_worst_news_first(browser: Any, own_site: str) -> None:
    """Who looks for what does not hold would find the record with the fewest claims."""
    with watched(browser, own_site) as seen:
        page = seen.visit("decisions/")
        head = page.get_by_role("columnheader", name="Claims").get_by_role("button")
        for _ in range(2):
            head.click()
            # a record without claims has nothing to say, whichever way
            assert page.locator(_ROWS).last.locator(".rf-bar").count() == 0
        head.click()
        head.click()
        worst = page.locator(_ROWS).first.locator(".rf-bar")
        assert (worst.get_attribute("aria-label") or "").partition(": ")[2].startswith("1 unknown")
        assert seen.taken() == []


def test_a_box_of_the_picture_leads_to_its_decision_by_keyboard(browser: Any, own_site: str) -> None:
    """A picture that can only be looked at is a riddle for whoever has no mouse."""
    with watched(browser, own_site) as seen:
        page = seen.visit("decisions/")
        box = page.locator(".rf-supersession a").first
        assert "0009" in (box.text_content() or "")
        box.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/decisions/0009-*/")
        assert seen.taken() == []


def test_a_filter_takes_headings_without_rows_with_it(browser: Any, own_site: str) -> None:
    """A page of headings with nothing below them would be left."""
    with watched(browser, own_site) as seen:
        verdict = "refuted as the decision expects"
        page = seen.visit(f"still-true/?verdict={verdict.replace(' ', '+')}")
        assert page.locator("#refuted-as-expected").is_visible()
        assert not page.locator("#told").is_visible()
        assert page.locator("#due").is_visible()
        assert _shown(page) == page.locator(f'[data-rf-verdict="{verdict}"]').count() == 1
        page = seen.visit("still-true/?decision=0001+Serve+with+vLLM+instead+of+SGLang")
        for verdict in ("affirmed", "told"):
            all_of_it = page.locator(f'[data-rf-verdict="{verdict}"]').count()
            here = page.locator(f'tr:visible:has([data-rf-verdict="{verdict}"])').count()
            assert 0 < here < all_of_it
            told = page.locator(f"#{verdict} ~ p").first
            assert f"{here} of {all_of_it} claims" in (told.text_content() or "")


def test_the_cell_that_shows_a_fact_of_a_claim_opens(browser: Any, own_site: str) -> None:
    """Who follows a claim to the run would stand before a closed box and not see the value."""
    with watched(browser, own_site) as seen:
        page = seen.visit("decisions/0001-serve-with-vllm-instead-of-sglang/")
        claim = page.locator("#claim-vllm-joins-across-two-hosts ~ .md-typeset__scrollwrap").first
        claim.get_by_role("link", name="cell").first.click()
        page.wait_for_url("**/runs/pivot_to_vllm/**")
        assert page.get_by_role("cell", name="launch.ready", exact=True).locator("visible=true").count() >= 1
        assert page.locator("details.rf-box[open]").count() == 1


def test_without_scripts_everything_is_there(browser: Any, own_site: str) -> None:
    """A reader whose browser runs no scripts would see an empty page, or controls that do nothing."""
    with watched(browser, own_site, java_script_enabled=False) as seen:
        for path in ("decisions/?status=rejected", "still-true/?text=nothing"):
            page = seen.visit(path)
            assert _shown(page) == page.locator(_ROWS).count() > 20
            assert page.locator("form.rf-sieve, .rf-sort, .rf-copy").count() == 0
            assert seen.taken() == []


def test_on_a_phone_each_date_has_a_line_of_its_own(browser: Any, own_site: str) -> None:
    """Dates stood beside the tags or below them by their length: no column to run an eye down."""
    with watched(browser, own_site, viewport={"width": 390, "height": 800}) as seen:
        page = seen.visit("decisions/")
        rows = page.locator("tr:has(.rf-row)").evaluate_all(
            """rows => rows.map(row => {
                const [tags, date] = [...row.cells].slice(-2);
                const small = date.querySelector("small"), words = date.querySelector(".rf-nowrap");
                const [a, b] = [tags.getBoundingClientRect(), words.getBoundingClientRect()];
                const c = small ? small.getBoundingClientRect() : b;
                return [b.left, b.top >= a.bottom - 1, Math.abs(c.bottom - b.bottom) < 8 && c.left >= b.left];
            })"""
        )
        assert len(rows) > 20
        assert len({round(left) for left, _, _ in rows}) == 1
        assert all(below and beside for _, below, beside in rows)
