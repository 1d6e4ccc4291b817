"""The second wall: what got onto a page all the same neither runs nor loads anything."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from sites import build, served
from watched import watched

pytestmark = pytest.mark.browser

_PROJECT = Path(__file__).parents[1] / "site/specimens/project"
_HOLE = """<script>document.title = "ran"; fetch("http://203.0.113.1/s")</script>
<img src="http://203.0.113.1/p.png" onerror="document.title = 'ran'">
<script src="http://203.0.113.1/x.js"></script><a href="javascript:document.title='ran'" id="hole">x</a>"""

_DIAGRAM = "\n```mermaid\nflowchart LR\n  a --> b\n```\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy project as a site; its front page has a hole in the first wall."""
    root = tmp_path_factory.mktemp("policy") / "toy"
    shutil.copytree(_PROJECT, root)
    record = root / "adrs/0002-no-cache.md"
    record.write_text(record.read_text(encoding="utf-8") + _DIAGRAM, encoding="utf-8")
    out = build(root, root.parent / "site")
    page = out / "index.html"
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"</article>", f"{_HOLE}</article>", text, count=1), encoding="utf-8")
    return out


def test_a_script_on_a_page_does_not_run_and_asks_nobody(browser: Any, site: Path) -> None:
    """One hole in the first wall would be enough."""
    with served(site) as origin, watched(browser, origin) as seen:
        page = seen.visit("")
        page.click("#hole")
        assert "ran" not in page.title()
        told = seen.taken()
        assert not [one for one in told if one.startswith("request elsewhere")]
        assert len([one for one in told if "Content Security Policy" in one]) >= 4


def test_the_theme_works_behind_it(browser: Any, site: Path) -> None:
    """Search or the choice of the scheme would be dead."""
    with served(site) as origin, watched(browser, origin) as seen:
        page = seen.visit("decisions/")
        page.keyboard.press("/")
        page.wait_for_function("document.activeElement.matches('.md-search__input')")
        page.keyboard.type("cache", delay=50)
        page.wait_for_selector(".md-search-result__item")
        assert seen.taken() == []


def test_diagrams_are_drawn_behind_it(browser: Any, site: Path) -> None:
    """A record would show the source of its diagram."""
    with served(site) as origin, watched(browser, origin) as seen:
        page = seen.visit("decisions/0002-no-cache/")
        page.wait_for_selector("img[src^='data:image/svg+xml']")
        assert seen.taken() == []


def test_a_preview_shows_what_was_saved(browser: Any, tmp_path: Path) -> None:
    """Whoever writes would have to reload by hand, and not know why."""
    root = tmp_path / "toy"
    shutil.copytree(_PROJECT, root)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    with subprocess.Popen(words, cwd=root, env=env, stderr=subprocess.DEVNULL) as server:
        try:
            _wait(port)
            with watched(browser, f"http://127.0.0.1:{port}/") as seen:
                page = seen.visit("")
                assert "Content-Security-Policy" in page.content()
                home = root / "docs/index.md"
                home.write_text(home.read_text() + "\nSaved just now.\n")
                page.wait_for_selector("text=Saved just now.", timeout=30_000)
                assert [one for one in seen.taken() if "Content Security Policy" in one] == []
        finally:
            server.terminate()
            server.wait(30)


def _wait(port: int) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < end, "the preview did not begin"
            time.sleep(0.1)
        else:
            return
