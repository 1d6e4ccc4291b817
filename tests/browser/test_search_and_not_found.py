"""What is typed into the search is read as words; a page that is not there leads on, wherever it is."""

import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from watched import watched

pytestmark = pytest.mark.browser

_HALF = ["spark-", "vllm -", "+", ":", "*", "-", "^", "title:", "host:", "vllm ~", '"all', "--nodes", "a:b:c"]


@pytest.mark.parametrize("typed", _HALF)
def test_half_a_word_is_no_error(browser: Any, own_site: str, typed: str) -> None:
    """The search would find nothing while a name with a dash is typed, and put errors into the console."""
    with watched(browser, own_site, viewport={"width": 1280, "height": 900}) as seen:
        page = seen.visit("")
        box = page.get_by_role("textbox", name="Search")
        box.click()
        box.press_sequentially(typed)
        page.wait_for_timeout(600)
        assert seen.taken() == []
        box.press_sequentially(" sglang")
        page.locator(".md-search-result__item").first.wait_for()
        assert seen.taken() == []


class _Below(SimpleHTTPRequestHandler):
    """Answers as forges do: what is not there is the site's own page for that."""

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        body = (Path(self.directory) / "below/site/404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def test_a_page_that_is_not_there_leads_on_below_a_folder_of_its_host(
    browser: Any, own_folder: Path, tmp_path: Path
) -> None:
    """Every link would lead beside the site, and the page would have no looks."""
    shutil.copytree(own_folder, tmp_path / "below/site")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Below, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        top = f"http://127.0.0.1:{server.server_port}/"
        try:
            with watched(browser, top, viewport={"width": 1280, "height": 900}) as seen:
                page = seen.visit("below/site/runs/launch_vllm/gone/")
                link = page.locator("article").get_by_role("link", name="What does this failure mean?")
                page.locator("article a[href^='/below/site/failures']").wait_for()
                link.click()
                page.wait_for_load_state("load")
                assert page.url == f"{top}below/site/failures/"
                assert page.locator("h1").inner_text()
        finally:
            server.shutdown()
