"""The box that a log is pasted into, on the built site: by mouse, keyboard, with large and hostile logs."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pasting import MODES, in_python
from watched import Watched, watched

from reaffirm.diagnose.paste import PASTE_LINES, Paste
from reaffirm.model.failure import Example, FailureMode

pytestmark = pytest.mark.browser

_PATH = "failures/#log-box"
_EXAMPLES = [(mode, example) for mode in MODES for example in mode.examples]
_LINE = "CustomAllreduce is disabled because this process group spans across nodes."


@pytest.fixture(scope="module")
def box(browser: Any, own_site: str) -> Iterator[Watched]:
    """The index of failure modes."""
    with watched(browser, own_site, viewport={"width": 1000, "height": 900}) as seen:
        seen.visit(_PATH)
        yield seen
        assert seen.taken() == []


def _find(page: Any) -> list[str]:
    """Press the button; return the pages that fit, in order, but not those that need more silence."""
    page.evaluate("document.querySelector('.rf-log-status').textContent = ''")
    page.get_by_role("button", name="Find the page").click()
    page.locator(".rf-log:not([aria-busy]) ~ .rf-log-status:not(:empty)").wait_for()
    shown = page.locator(".rf-log-pages > li:not(.rf-log-perhaps)")
    return [one.get_attribute("data-rf-page") for one in shown.all()]


def _clear(page: Any) -> None:
    """Begin anew: no lines, and nothing told of them."""
    page.locator(".rf-log").get_by_role("button", name="Clear").click()


def _fill(page: Any, example: Example) -> None:
    _clear(page)
    page.fill("#rf-log-text", example.text)
    page.get_by_label("Engine").select_option(str(example.engine))
    page.get_by_label("Version").fill(example.version)
    after = page.get_by_label("After the last line")
    if example.ended is not None:
        after.select_option("ended")
        page.get_by_label("with status").fill(str(example.ended))
    else:
        after.select_option("silent")
        page.get_by_label("for … seconds").fill(f"{example.silent:g}")


@pytest.mark.parametrize(("mode", "example"), _EXAMPLES, ids=[f"{m.id}:{e.line}" for m, e in _EXAMPLES])
def test_every_example_finds_in_the_box_what_it_finds_in_a_report(
    box: Watched, mode: FailureMode, example: Example
) -> None:
    """Somebody would paste the very lines of a page and be sent to another one."""
    _fill(box.page, example)
    # The box tells either how long nothing came or how the container ended.
    silent = None if example.ended is not None else example.silent
    told = Paste(example.text, example.engine, example.version, silent, example.ended)
    expected = in_python(told)
    found = _find(box.page)
    assert found == [one["page"] for one in (*expected["fits"], *expected["later"])]
    if example.ended is None:
        assert (mode.id in found) is example.hit


def test_the_line_of_the_story_leads_to_both_rivals(box: Watched) -> None:
    """Nobody would learn that two causes look the same, or how to tell them apart."""
    page = box.page
    _clear(page)
    page.fill("#rf-log-text", f"[2026-03-06 10:00:00 TP0] {_LINE}")
    assert _find(page) == []
    perhaps = page.locator(".rf-log-perhaps[data-rf-page]")
    assert [one.get_attribute("data-rf-page") for one in perhaps.all()] == [
        "silent-stall-queue-address",
        "silent-stall-nccl",
    ]
    status = page.locator(".rf-log-status").inner_text()
    assert status.startswith("2 pages fit if nothing new came after the last line (1 line, read as of SGLang")
    assert page.locator("mark").first.inner_text() == _LINE.rstrip(".")
    code = perhaps.first.locator("p > code").first
    assert code.inner_text() == "-e SGLANG_HOST_IP=<own fabric address>"
    tested = [one.locator("h3 .rf-badge").last.inner_text() for one in perhaps.all()]
    assert tested == ["recogniser tested, also on genuine logs", "draft: rests on too little yet"]
    rivals = page.locator(".rf-log-rivals")
    assert "speaks for the queue" in rivals.inner_text()
    assert "Cheapest, without a restart: preflight's" in rivals.inner_text()
    rivals.get_by_role("link").first.click()
    page.wait_for_url("**/failures/silent-stall-queue-address/")
    box.visit(_PATH)


def test_both_ranks_of_one_log_are_shown(box: Watched) -> None:
    """Of a stall of two ranks one line would be shown, and nobody would know whose."""
    page = box.page
    _clear(page)
    page.fill("#rf-log-text", f"[2026-03-06 10:00:00 TP0] {_LINE}\n[2026-03-06 10:00:00 TP1] {_LINE}")
    assert _find(page) == []
    lines = page.locator(".rf-log-pages > li").first.locator(".rf-log-at").all_inner_texts()
    assert lines == ["TP0, line 1", "TP1, line 2", "all ranks"]
    [assumed] = page.locator(".rf-log-caveat").all_inner_texts()
    assert "are an assumption" in assumed


def test_one_rank_s_lines_do_not_speak_for_the_other(box: Watched) -> None:
    """Silence of all ranks for 300 s would be read where one rank was pasted and nobody gave a figure."""
    page = box.page
    _clear(page)
    page.fill("#rf-log-text", f"[2026-03-06 10:00:00 TP0] {_LINE}")
    page.get_by_label("After the last line").select_option("silent")
    assert page.get_by_label("for … seconds").input_value() == ""
    assert _find(page) == []
    told = page.locator(".rf-log-pages > li").first.inner_text()
    assert "one rank if nothing new came for 45 s (you said that nothing new came, not for how long)" in told
    assert "300" not in told
    one, assumed = page.locator(".rf-log-caveat").all_inner_texts()
    assert one.startswith("One rank’s lines only")
    assert assumed.startswith("You said that nothing new came, not for how long")
    page.get_by_label("for … seconds").fill("90")
    assert _find(page) == ["silent-stall-queue-address", "silent-stall-nccl"]
    assert "one rank nothing new for 90 s" in page.locator(".rf-log-pages > li").first.inner_text()


def test_where_no_page_fits_the_box_says_what_is_near(box: Watched) -> None:
    """Whoever stops at the very place of the stall would be told "none fits" and nothing more."""
    page = box.page
    _clear(page)
    other = "CustomAllreduce is disabled because it's not supported on more than two PCIe-only GPUs."
    page.fill("#rf-log-text", f"[2026-03-06 10:00:00 TP0] {other}\nwhat nobody knows")
    assert _find(page) == []
    assert page.locator("[data-rf-page]").count() == 0
    status = page.locator(".rf-log-status").inner_text()
    assert status.startswith(f"None of the {len(MODES)} pages fits; 3 are near (2 lines")
    stop = page.locator(".rf-log-stop").inner_text()
    assert "These lines stop at the stage “Group created”" in stop
    assert "a rank, line 1" in stop
    assert "harmless by itself: what comes after it counts" in stop
    near = page.locator("[data-rf-near]")
    assert near.first.get_attribute("data-rf-near") == "silent-stall-queue-address"
    assert near.first.locator("h3 .rf-badge").inner_text() == "near, does not fit"
    wants = near.first.locator(".rf-log-wants > li").all_inner_texts()
    assert "a line with CustomAllreduce is disabled because this process group spans across" in wants[0]
    assert "yours begins CustomAllreduce is disabled because" in wants[0]
    assert wants[1].startswith("nothing new for 45 s")
    caveats = page.locator(".rf-log-caveat").all_inner_texts()
    assert "not known to any page or stage" in caveats[-1]
    assert "what nobody knows" in caveats[-1]


def test_what_stands_in_the_way_of_a_page_is_said(box: Watched) -> None:
    """A wrong engine, a killed container or a broken line would end in "none fits"."""
    page = box.page
    _clear(page)
    page.fill("#rf-log-text", _LINE)
    page.get_by_label("Engine").select_option("vllm")
    page.get_by_label("After the last line").select_option("silent")
    page.get_by_label("for … seconds").fill("300")
    assert _find(page) == []
    told = page.locator(".rf-log-caveat").all_inner_texts()
    assert any("This line is written so by SGLang, and you chose vLLM." in one for one in told)
    assert "nothing new for 45 s" not in page.locator(".rf-log-found").inner_text()
    _clear(page)
    page.fill("#rf-log-text", _LINE)
    page.get_by_label("After the last line").select_option("ended")
    assert _find(page) == []
    status = page.locator(".rf-log-status").inner_text()
    assert status.startswith(f"None of the {len(MODES)} pages fits; 2 would if it was silent before")
    early = page.locator('[data-rf-page="silent-stall-queue-address"]').inner_text()
    assert "it may have been silent before it was killed" in early
    assert "and no end" not in early
    page.get_by_label("with status").fill("137")
    assert _find(page) == ["worker-gone"]
    assert page.locator('[data-rf-page="silent-stall-nccl"]').count() == 1
    _clear(page)
    page.fill("#rf-log-text", _LINE.replace("spans ", "spans\n "))
    assert _find(page) == []
    assert page.locator("[data-rf-page]").count() == 2
    told = page.locator(".rf-log-caveat").all_inner_texts()
    assert any(f"read as one line: {_LINE}" in one for one in told)
    _clear(page)
    page.fill("#rf-log-text", f"TP0: {_LINE}\n" + "TP1: hello\n" * 1999)
    assert _find(page) == []
    stop = page.locator(".rf-log-stop").inner_text()
    assert stop.startswith("One rank’s lines stop at the stage “Group created”, by")
    assert "Another rank’s lines show no stage at all." in stop
    assert "More than 200 lines follow, so it was not silent after that." in stop
    assert "nothing new for 45 s" not in page.locator(".rf-log-found").inner_text()
    assert box.taken() == []


def test_a_rival_that_does_not_fit_stands_beside_the_page_that_does(box: Watched) -> None:
    """Of two causes that look alike the one with the longer log would be taken for the cause."""
    page = box.page
    _clear(page)
    page.fill("#rf-log-text", "[2026-03-06 10:00:00 TP1] Setup Custom allreduce failed with x")
    assert _find(page) == []
    one = page.locator('[data-rf-page="silent-stall-queue-address"]').inner_text()
    assert "Can look the same, and does not fit these lines: Both ranks fall silent while NCCL" in one
    assert "What tells them apart: Where the line about the disabled fast path" in one


_TYPED = """log => {
  const text = document.querySelector('#rf-log-text');
  text.focus();
  document.execCommand('insertText', false, log);
  text.scrollLeft = 400;
  text.dispatchEvent(new InputEvent('input', {inputType: 'insertFromPaste', bubbles: true}));
}"""


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_what_was_found_comes_into_sight_and_the_focus_stays(
    browser: Any, own_site: str, motion: str
) -> None:
    """The answer would stand below the fold of a phone, and look as if nothing had happened."""
    with watched(browser, own_site, viewport={"width": 390, "height": 700}, reduced_motion=motion) as seen:
        page = seen.visit("failures/")
        page.evaluate("document.querySelector('#rf-log-text').scrollIntoView({block: 'start'})")
        page.evaluate(_TYPED, f"[2026-03-06 10:00:00 TP0] {_LINE} {'x' * 300}")
        page.wait_for_selector(".rf-log-pages")
        page.wait_for_function(
            "() => { const {top} = document.querySelector('.rf-log-status').getBoundingClientRect();"
            " return top > 0 && top < innerHeight / 2 }",
            timeout=5000,
        )
        assert page.evaluate("document.activeElement.id") == "rf-log-text"
        assert page.evaluate("document.querySelector('#rf-log-text').scrollLeft") == 0
        page.evaluate("document.querySelector('#rf-log-text').scrollIntoView({block: 'start'})")
        before = page.evaluate("scrollY")
        page.keyboard.type("y")
        page.wait_for_timeout(800)
        assert abs(page.evaluate("scrollY") - before) < 40  # who types is not taken away from it
        assert seen.taken() == []


def test_no_word_of_the_box_is_too_small_to_read(browser: Any, own_site: str) -> None:
    """On a phone at night half of the answer would be below ten pixels."""
    with watched(browser, own_site, viewport={"width": 390, "height": 844}) as seen:
        page = seen.visit("failures/")
        for text in (f"{_LINE}\nodd", "CustomAllreduce is disabled because it's not supported on two\nodd"):
            page.fill("#rf-log-text", text)
            page.get_by_label("After the last line").select_option("silent")
            _find(page)
            sizes = page.evaluate(
                """() => [...document.querySelectorAll('.rf-log-box *')]
                  .filter(one => one.type !== 'file' && [...one.childNodes].some(
                    node => node.nodeType === 3 && node.textContent.trim()))
                  .map(one => parseFloat(getComputedStyle(one).fontSize))"""
            )
            assert min(sizes) >= 12
        assert seen.taken() == []


def test_a_log_that_no_page_knows_is_told_so(box: Watched) -> None:
    """Silence would look like an answer."""
    page = box.page
    _clear(page)
    page.fill("#rf-log-text", "all is well")
    page.get_by_label("After the last line").select_option("silent")
    assert _find(page) == []
    assert page.locator(".rf-log-status").inner_text().startswith(f"None of the {len(MODES)} pages fits")
    assert "Add a page" in page.locator(".rf-log-nothing").inner_text()


def test_a_container_that_ended_somehow_fits_nothing_by_that_alone(box: Watched) -> None:
    """Any harmless line would be called a rank that was killed, as long as nobody clears a field."""
    page = box.page
    _clear(page)
    page.fill("#rf-log-text", "all is well")
    page.get_by_label("After the last line").select_option("ended")
    assert page.get_by_label("with status").input_value() == ""
    assert _find(page) == []
    assert "ended, status not known" in page.locator(".rf-log-status").inner_text()
    page.get_by_label("with status").fill("137")
    assert _find(page) == ["worker-gone"]


def test_the_box_works_by_keyboard_and_says_what_it_found(browser: Any, own_site: str) -> None:
    """Somebody without a mouse or a screen would be left alone at night."""
    with watched(browser, own_site) as seen:
        page = seen.visit("failures/")
        page.locator("#rf-log-text").focus()
        page.keyboard.insert_text("Gloo connectFullMesh failed with no error")
        names = []
        for _ in range(7):
            page.keyboard.press("Tab")
            names.append(page.evaluate("document.activeElement.tagName + '.' + document.activeElement.type"))
        assert names[:3] == ["SELECT.select-one", "INPUT.text", "SELECT.select-one"]
        assert names[3:6] == ["BUTTON.submit", "INPUT.file", "BUTTON.button"]
        assert names[6].startswith("A.")
        status = page.get_by_role("status").filter(has_text="fits")
        assert status.inner_text().startswith("1 page fits (1 line, read as of vLLM or SGLang)")
        assert status.get_attribute("aria-live") == "polite"
        link = page.locator(".rf-log-pages a").first
        assert link.get_attribute("href").endswith("/wrong-interface/")
        assert seen.taken() == []


def test_nothing_of_a_log_leaves_the_page(browser: Any, own_site: str) -> None:
    """A log with a host name or a token would be sent somewhere."""
    with watched(browser, own_site) as seen:
        page = seen.visit("failures/")
        asked: list[tuple[str, str, str | None]] = []
        page.on("request", lambda one: asked.append((one.method, one.url, one.post_data)))
        page.fill("#rf-log-text", f"secret-host {_LINE}")
        page.wait_for_selector(".rf-log-pages")
        page.get_by_role("button", name="Find the page").click()
        page.wait_for_timeout(600)
        # The icon of the tab may come late.
        found = [one for one in asked if not one[1].endswith("favicon.png")]
        assert found == [("GET", f"{own_site}assets/failures.json", None)]
        assert "secret" not in page.url
        assert page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length") <= 2
        kept = page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
        assert "secret" not in kept
        assert seen.taken() == []


def test_what_is_pasted_never_becomes_markup(box: Watched) -> None:
    """A line of a log could run code in the reader's browser."""
    page = box.page
    _clear(page)
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script> Gloo connectFullMesh failed <b>"
    page.fill("#rf-log-text", f"<i>n</i> | {hostile}\n<i>m</i> | {hostile}")
    assert _find(page) == ["wrong-interface"]
    assert page.locator(".rf-log-found :is(img, script, b, i)").count() == 0
    assert hostile in page.locator(".rf-log-lines").inner_text()
    assert box.taken() == []


def test_a_large_paste_is_read_and_the_page_stays_alive(box: Watched) -> None:
    """Five megabytes on the clipboard would freeze the tab."""
    page = box.page
    _clear(page)
    lines = 200_000
    page.evaluate(
        """lines => {
          window.ticks = 0;
          setInterval(() => { window.ticks += 1 }, 5);
          const log = 'INFO 11-30 10:02:15 step\\n'.repeat(lines - 1) + 'Gloo connectFullMesh failed';
          const data = new DataTransfer();
          data.setData('text/plain', log);
          const paste = new ClipboardEvent('paste', {clipboardData: data, cancelable: true, bubbles: true});
          window.before = window.ticks;
          document.querySelector('#rf-log-text').dispatchEvent(paste);
        }""",
        lines,
    )
    page.wait_for_selector('[data-rf-page="wrong-interface"]')
    status = page.locator(".rf-log-status").inner_text()
    assert f"({PASTE_LINES} lines, read as of" in status
    assert f"left out before them: {lines - PASTE_LINES} lines" in status
    assert page.evaluate("window.ticks - window.before") > 3
    assert page.evaluate("document.querySelector('#rf-log-text').value.split('\\n').length") <= 500
    assert f"a rank, line {PASTE_LINES} of those read" in page.locator(".rf-log-lines").inner_text()


_PASTE = """log => {
  const data = new DataTransfer();
  data.setData('text/plain', log);
  const paste = new ClipboardEvent('paste', {clipboardData: data, cancelable: true, bubbles: true});
  document.querySelector('#rf-log-text').dispatchEvent(paste);
}"""


@pytest.mark.parametrize("codes", ["\x1b[0m" * 200_000, "\x1b]" * 75_000], ids=["colours", "titles"])
def test_a_line_of_colours_alone_does_not_freeze_the_tab(box: Watched, codes: str) -> None:
    """A progress bar that wrote one endless line would stop the browser for ten seconds to a minute."""
    page = box.page
    _clear(page)
    page.evaluate(_PASTE, f"{_LINE}{codes}\nGloo connectFullMesh failed")
    before = time.monotonic()
    page.wait_for_selector('[data-rf-page="wrong-interface"]')
    shown, last = page.locator("#rf-log-text").input_value().split("\n")
    assert shown.startswith(_LINE)
    assert len(shown) < 100
    assert last == "Gloo connectFullMesh failed"
    assert time.monotonic() - before < 5
    assert "2 lines, read as of" in page.locator(".rf-log-status").inner_text()


def test_a_new_paste_ends_the_reading_of_the_last_one(box: Watched) -> None:
    """Whoever pasted the wrong log would wait for it before anything is said of the right one."""
    page = box.page
    _clear(page)
    page.evaluate(
        """() => {
          const paste = log => {
            const data = new DataTransfer();
            data.setData('text/plain', log);
            const event = new ClipboardEvent('paste', {clipboardData: data, cancelable: true, bubbles: true});
            document.querySelector('#rf-log-text').dispatchEvent(event);
          };
          const noise = 'INFO 11-30 10:02:15 step\\n'.repeat(200000);
          paste(noise + 'Gloo connectFullMesh failed');
          paste(noise + 'zmq.error.ZMQError: Cannot assign requested address');
        }"""
    )
    page.wait_for_selector('[data-rf-page="host-address-of-another-machine"]')
    assert page.locator('[data-rf-page="wrong-interface"]').count() == 0


def test_a_long_reading_shows_itself_and_can_be_cancelled(box: Watched) -> None:
    """Nobody would know whether the page works or hangs, and could only close it."""
    page = box.page
    _clear(page)
    page.evaluate(
        """() => {
          const {prototype} = window.reaffirm.Reader;
          window.held = prototype.read;
          prototype.read = (paste, tell) => { tell(0.25); return new Promise(() => {}); };
        }"""
    )
    page.fill("#rf-log-text", "Gloo connectFullMesh failed")
    assert page.get_by_role("progressbar").get_attribute("value") == "0.25"
    assert page.locator(".rf-log-status").inner_text() == "Reading …"
    page.locator(".rf-log-box").get_by_role("button", name="Cancel").click()
    assert page.locator(".rf-log-status").inner_text().startswith("Reading was stopped.")
    assert not page.get_by_role("progressbar").is_visible()
    page.evaluate("() => { window.reaffirm.Reader.prototype.read = window.held; }")
    assert _find(page) == ["wrong-interface"]


def test_clear_takes_everything_back(box: Watched) -> None:
    """The next log would be read as of the engine, the version and the end of the last one."""
    page = box.page
    page.fill("#rf-log-text", "all is well")
    page.get_by_label("Engine").select_option("sglang")
    page.get_by_label("Version").fill("0.5.10")
    page.get_by_label("After the last line").select_option("ended")
    page.get_by_label("with status").fill("137")
    _clear(page)
    found = page.locator(".rf-log").locator("textarea, select, input")
    assert [one.input_value() for one in found.all()] == [""] * found.count()
    assert not page.get_by_label("with status").is_visible()
    assert page.locator(".rf-log-status").inner_text() == ""


def test_without_lines_the_button_asks_for_them(box: Watched) -> None:
    """A button that does nothing looks broken."""
    page = box.page
    for text in ("", " \n\t\n"):
        _clear(page)
        page.fill("#rf-log-text", text)
        assert _find(page) == []
        assert page.locator(".rf-log-status").inner_text() == "Paste some lines first."
        assert page.evaluate("document.activeElement.id") == "rf-log-text"


def test_where_there_are_no_workers_the_page_reads_itself(browser: Any, own_site: str) -> None:
    """A stricter policy, or an old browser, would leave the box dead."""
    for script in (
        "delete window.Worker",
        "window.Worker = class extends EventTarget { constructor() { super(); "
        "setTimeout(() => this.dispatchEvent(new Event('error', {cancelable: true}))); } "
        "postMessage() {} terminate() {} }",
    ):
        with watched(browser, own_site) as seen:
            seen.page.add_init_script(script)
            page = seen.visit("failures/")
            page.fill("#rf-log-text", "Gloo connectFullMesh failed")
            page.wait_for_selector('[data-rf-page="wrong-interface"]')
            assert page.locator("mark").first.inner_text() == "Gloo connectFullMesh failed"
            assert seen.taken() == []


def test_a_file_can_be_opened(box: Watched, tmp_path: Path) -> None:
    """Somebody with a file would have to copy it by hand."""
    page = box.page
    _clear(page)
    log = tmp_path / "head.log"
    log.write_bytes(b"\x1b[31mGloo connectFullMesh\x1b[0m failed \xff\r\n")
    page.locator(".rf-log-file input").set_input_files(log)
    page.wait_for_selector('[data-rf-page="wrong-interface"]')


def test_the_box_works_below_a_folder_of_a_site(browser: Any, own_folder: Path, tmp_path: Path) -> None:
    """Most projects' pages are below the name of the project."""
    from sites import served

    (tmp_path / "project").symlink_to(own_folder)
    with served(tmp_path) as origin, watched(browser, origin) as seen:
        page = seen.visit("project/failures/")
        page.fill("#rf-log-text", "Gloo connectFullMesh failed")
        page.wait_for_selector('[data-rf-page="wrong-interface"]')
        assert seen.taken() == []


def test_without_scripts_the_page_is_whole_and_says_what_to_do(browser: Any, own_site: str) -> None:
    """Somebody with scripts off would see an empty place."""
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(f"{own_site}failures/")
        assert "reaffirm diagnose LOG" in page.locator(".rf-log-box").inner_text()
        assert page.locator("[data-rf-failure] a").count() == len(MODES)
    finally:
        context.close()
