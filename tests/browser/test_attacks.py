"""A repository that attacks its readers: nothing of it runs, loads anything elsewhere or breaks a page."""

from pathlib import Path
from typing import Any

import pytest
from crawl import summary
from watched import Watched, watched

pytestmark = pytest.mark.browser

_LOOK = """() => {
  const wrong = [];
  const article = document.querySelector("article");
  if (!article) return ["there is no article"];
  const inside = [...article.querySelectorAll("*")];
  for (const one of inside) {
    for (const name of one.getAttributeNames()) if (name.startsWith("on")) wrong.push(`${one.tagName} ${name}`);
    for (const kind of ["mouseover", "focus", "load", "error"]) one.dispatchEvent(new Event(kind));
    const style = getComputedStyle(one);
    if (style.position === "fixed") wrong.push(`fixed: ${one.outerHTML.slice(0, 80)}`);
    const to = one.href instanceof SVGAnimatedString ? one.href.baseVal : one.href;
    if (typeof to === "string" && to && !/^(https?|mailto):/.test(to)) wrong.push(`leads to ${to.slice(0, 80)}`);
  }
  const never = "script, iframe, object, embed, form:not([data-rf-form]), meta, link, base, style:not(svg style), video";
  for (const one of article.querySelectorAll(never)) wrong.push(one.outerHTML.slice(0, 120));
  for (const name of ["header", "main", "footer"]) {
    const box = [...document.querySelectorAll(name)].map((one) => one.getBoundingClientRect());
    if (!box.some((one) => one.width > 100 && one.height > 10)) wrong.push(`${name} is not to be seen`);
  }
  const h1 = document.querySelectorAll("h1");
  if (h1.length !== 1) wrong.push(`${h1.length} h1`);
  if (!document.querySelector("main article h1")) wrong.push("the h1 has left the article");
  if (document.querySelector("article").parentElement.closest("main") === null) wrong.push("no article in main");
  const config = document.getElementById("__config");
  if (!config || config.tagName !== "SCRIPT") wrong.push("the theme's settings are hidden by a part of the page");
  if (window.__pwned !== undefined) wrong.push("something ran");
  return wrong;
}"""


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
        found += [f"{path}: {one}" for one in seen.taken() if not _missing_picture(one)]
    assert found == [], summary(found)


def _missing_picture(trouble: str) -> bool:
    """A picture of the site that is not there harms nobody."""
    return (trouble.startswith("status 404") and "evil" not in trouble) or "404 (File not found)" in trouble


def test_the_search_runs_nothing(seen: Watched) -> None:
    """The list of results shows texts of every page at once."""
    for words in ("pwned", "script", "onerror", "evil"):
        page = seen.visit("")
        page.locator(".md-search__input").fill(words)
        page.locator(".md-search-result__item").first.wait_for()
        page.wait_for_timeout(300)
        inside = page.locator(".md-search-result").evaluate(
            "(e) => [...e.querySelectorAll('script, img, iframe, style, [onerror], [onload]')].map((o) => o.outerHTML)"
        )
        assert inside == []
        assert page.evaluate("() => window.__pwned") is None
        assert seen.taken() == []
