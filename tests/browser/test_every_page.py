"""Every page of this project's own site in Chromium: nothing breaks, leads nowhere or is loaded elsewhere."""

from pathlib import Path
from typing import Any

import pytest
from crawl import Crawl, crawl, summary

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(browser: Any, own_site: str, own_folder: Path) -> Crawl:
    """Every page, visited on a screen of 400 pixels."""
    return crawl(browser, own_site, own_folder)


def test_no_page_complains_or_asks_elsewhere(site: Crawl) -> None:
    """Readers behind a firewall would miss parts of a page, and others would be told of every reader."""
    assert len(site.pages) > 150
    assert (found := [f"{p}: {t}" for p, one in site.pages.items() for t in one.troubles]) == [], summary(
        found
    )


def test_no_link_leads_nowhere(site: Crawl) -> None:
    """A reader would click into nothing; links in pictures count too."""
    assert site.dead == [], summary(site.dead)


def test_no_page_scrolls_sideways_on_a_phone(site: Crawl) -> None:
    """On a phone the words would run out of the screen."""
    assert (found := [f"{p}: {one.wide}" for p, one in site.pages.items() if one.wide]) == [], summary(found)


def test_a_screen_reader_knows_what_a_page_is(site: Crawl) -> None:
    """Without one heading, a language and landmarks nobody hears where they are."""
    wrong = [
        f"{path}: h1 {one.h1}, lang {one.lang!r}, title {one.title!r}, {one.landmarks}"
        for path, one in site.pages.items()
        if one.h1 != 1 or one.lang != "en" or not one.title or len(one.landmarks) < 4
    ]
    assert wrong == [], summary(wrong)


def test_no_id_is_there_twice(site: Crawl) -> None:
    """A link to a claim or a cell would lead to another place."""
    twice = [
        f"{path}: {sorted({i for i in one.ids if one.ids.count(i) > 1})}"
        for path, one in site.pages.items()
        if len(set(one.ids)) != len(one.ids)
    ]
    assert twice == [], summary(twice)


def test_the_pages_of_a_foreign_repository_are_whole(
    browser: Any, foreign_site: str, foreign_folder: Path
) -> None:
    """A team that tries three lines of settings would see a site that is broken on a phone."""
    site = crawl(browser, foreign_site, foreign_folder)
    assert len(site.pages) > 85
    wrong = [f"{p}: {t}" for p, one in site.pages.items() for t in one.troubles]
    wrong += [f"{p}: {one.wide}" for p, one in site.pages.items() if one.wide]
    ours = {path: one for path, one in site.pages.items() if path.startswith("decisions/")}
    wrong += [f"{p}: {one.h1} h1" for p, one in ours.items() if one.h1 != 1 or one.lang != "en"]
    assert wrong + site.dead == [], summary(wrong + site.dead)
