"""axe-core on one page of every kind, light and dark; and what a keyboard reaches."""

from pathlib import Path
from typing import Any

import pytest
from crawl import summary
from kinds import KINDS, one_of_each
from watched import watched

pytestmark = pytest.mark.browser

# Colours fade in; axe would measure them half-way.
_STILL = "*, *::before, *::after { transition: none !important; animation: none !important; }"
_RUN = """() => axe.run(document, {resultTypes: ["violations"]}).then((found) => found.violations.flatMap(
  (v) => v.nodes.map((n) => `${v.impact} ${v.id}: ${n.target.join(" ")} | ${n.html.slice(0, 160)} | ` +
    n.any.map((a) => a.message).join("; ").slice(0, 200))))"""


def _axe() -> str:
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(own_folder: Path) -> dict[str, str]:
    """One page of each kind."""
    return one_of_each(own_folder)


def _serious(browser: Any, origin: str, paths: dict[str, str], scheme: str, width: int) -> list[str]:
    """What axe-core finds serious or critical on the pages."""
    found: list[str] = []
    program = _axe()
    size = {"width": width, "height": 900}
    with watched(browser, origin, color_scheme=scheme, viewport=size, reduced_motion="reduce") as seen:
        for kind, path in paths.items():
            page = seen.visit(path)
            page.add_style_tag(content=_STILL)
            page.evaluate("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            page.evaluate(program)
            found += [
                f"{scheme} {kind} {path}: {line}"
                for line in page.evaluate(_RUN)
                if line.startswith(("serious", "critical"))
            ]
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Any, own_site: str, pages: dict[str, str], scheme: str) -> None:
    """Somebody who sees little, or nothing, could not read a page."""
    assert set(pages) >= set(KINDS), sorted(set(KINDS) - set(pages))
    found = _serious(browser, own_site, pages, scheme, 1280)
    assert found == [], summary(found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_a_foreign_site(browser: Any, foreign_site: str, scheme: str) -> None:
    """Records that others wrote would be readable only for some."""
    paths = {"front": "", "decisions": "decisions/", "a record": "decisions/20210118-events-not-calls/"}
    found = _serious(browser, foreign_site, paths, scheme, 400)
    assert found == [], summary(found)
