"""A repository that attacks its readers: nothing of it runs, loads anything elsewhere or breaks a page."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from crawl import summary
from watched import Watched, watched

pytestmark = pytest.mark.browser

_NO_QUERY = re.compile(r"console warning: (?:Invalid query: |[\w.]+\.QueryParseError)")
_LOOK = (Path(__file__).parent / "look_for_attacks.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def seen(browser: Any, hostile_site: str) -> Any:
    """A browser on the hostile site."""
    with watched(browser, hostile_site, viewport={"width": 1100, "height": 900}) as one:
        yield one


@pytest.fixture(scope="module")
def paths(hostile_folder: Path) -> list[str]:
    """Every page of the site."""
    return sorted(
        one.relative_to(hostile_folder).as_posix().removesuffix("index.html")
        for one in hostile_folder.rglob("index.html")
    )


def test_there_is_a_page_for_every_attempt_and_field(paths: list[str]) -> None:
    """What is not built is not attacked."""
    from hostile import attempts

    names = attempts(Path(__file__).parent / "specimens/hostile")
    for folder in ("runs/measure_latency", "failures", "container-images"):
        assert {f"{folder}/{name}/" for name in names} <= set(paths), folder
    assert sum(path.startswith("decisions/") for path in paths) > 2 * len(names)


def test_nothing_runs_or_loads_elsewhere_and_every_page_stays_whole(seen: Watched, paths: list[str]) -> None:
    """Whoever reads a record of somebody else would give away the session, or see a forged verdict."""
    found: list[str] = []
    for path in paths:
        page = seen.visit(path)
        page.wait_for_timeout(1500 if "mermaid" in path else 20)
        found += [f"{path}: {one}" for one in page.evaluate(_LOOK)]
        found += [f"{path}: {one}" for one in seen.taken() if not _harmless(one, path)]
    assert found == [], summary(found)


def _harmless(trouble: str, path: str) -> bool:
    """A picture of the site that is not there; what the frame that draws diagrams refused to load or run."""
    missing = trouble.startswith("status 404") and "evil" not in trouble
    refused = "mermaid" in path and trouble.startswith("console") and "Content Security Policy" in trouble
    return missing or refused or "404 (File not found)" in trouble


def test_the_search_runs_nothing(seen: Watched) -> None:
    """The list of results shows texts of every page at once."""
    for words in ("pwned", "script", "onerror", "evil"):
        page = seen.visit("")
        page.locator(".md-search__input").fill(words)
        page.locator(".md-search-result__item").first.wait_for()
        page.wait_for_timeout(300)
        live = page.locator(".md-search-result :is(script, img, iframe, style, [onerror], [onload])")
        assert live.evaluate_all("(all) => all.map((one) => one.outerHTML)") == []
        assert page.evaluate("() => window.__pwned") is None
        assert seen.taken() == []


def test_what_is_pasted_or_stands_in_an_address_does_not_run(seen: Watched) -> None:
    """Somebody would be sent a link, or a log, that acts in their name."""
    from hostile import attempts

    texts = attempts(Path(__file__).parent / "specimens/hostile")
    page = seen.visit("failures/")
    box = page.locator("article textarea").first
    box.wait_for()
    for text in texts.values():
        box.fill(f"pwned script {text}\npwned svg")
        page.wait_for_timeout(120)
    assert page.evaluate("() => window.__pwned") is None
    for text in texts.values():
        words = urlencode({"q": text[:500], "words": text[:500], "verdict": text[:200], "tag": text[:200]})
        page = seen.visit(f"decisions/?{words}#{quote(text[:200])}")
        assert page.evaluate(_LOOK) == []
    # Sooner or later the theme searches for the words of the address, and says which are no query.
    assert [one for one in seen.taken() if not _harmless(one, "") and not _NO_QUERY.match(one)] == []
