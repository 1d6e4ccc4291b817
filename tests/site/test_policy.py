"""The policy of the pages: what the theme brings may run, what got onto a page may not."""

import re
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from reaffirm.site.policy import Policy, inline_scripts

_PROJECT = Path(__file__).parent / "specimens/project"
_THEME = """<head><script>scope=new URL("{{ base | d(url) }}",location),get=1</script>
<script id="c" type="application/json">{"a": {{ b }}}</script><script src="{{ s }}"></script>
<script>{{ anything }}</script></head>"""
_HASH = re.compile(r"'sha256-[^']+'")


def _page(script: str) -> str:
    head = '<head>\n<meta charset="utf-8"><title>x</title></head>'
    return f"<!doctype html>\n<html>{head}<body>{script}</body></html>"


def test_scripts_of_the_theme_may_run_whatever_address_they_hold() -> None:
    """The switch between light and dark would be dead."""
    policy = Policy([_THEME])
    for where in (".", "../..", "https://example.org/a"):
        page = _page(f'<script>scope=new URL("{where}",location),get=1</script>')
        assert len(_HASH.findall(policy.text(page))) == 1


@pytest.mark.parametrize(
    "script",
    [
        "alert(1)",
        'scope=new URL("x",location),get=1;alert(1)',
        'scope=new URL("");alert(1);("",location),get=1',
        'scope=new URL(""+alert`1`+"",location),get=1',
        "a",
    ],
)
def test_scripts_that_got_onto_a_page_may_not(script: str) -> None:
    """A hole in the first wall would be one in the second."""
    text = Policy([_THEME]).text(_page(f"<script>{script}</script>"))
    assert not _HASH.search(text)
    assert "unsafe" not in text.split("script-src")[1]


def test_data_and_files_need_no_leave() -> None:
    """Each page would allow what never runs."""
    page = _page(
        '<script type="application/json">{}</script><script src="a.js"></script><SCRIPT async>b()</SCRIPT>'
    )
    assert inline_scripts(page) == ["b()"]


def test_the_policy_comes_before_anything_else_but_the_encoding() -> None:
    """A browser would have loaded something before it reads the policy."""
    put = Policy([_THEME]).put(_page(""))
    head = put[put.index("<head>") :].split(">")
    assert head[1].strip() == '<meta charset="utf-8"'
    assert (
        head[2]
        .strip()
        .startswith('<meta http-equiv="Content-Security-Policy" content="default-src &#x27;self&#x27;;')
    )
    assert len(put.encode()[: put.index("<title>")]) < 1024
    assert Policy([_THEME]).put("<p>no page</p>") == "<p>no page</p>"


def _build(target: Path, command: str = "build", **plugin: object) -> Path:
    config = load_config(str(_PROJECT / "mkdocs.yml"), site_dir=str(target), strict=True)
    config.plugins["reaffirm"].config.update(plugin)
    config.plugins.on_startup(command=command, dirty=False)
    build(config)
    return target


def test_every_page_of_a_strict_site_has_it_and_all_scripts_of_the_theme_run(tmp_path: Path) -> None:
    """One page without it is the one that is attacked; one script without leave is a broken page."""
    site = _build(tmp_path)
    pages = list(site.rglob("*.html"))
    assert site / "404.html" in pages
    for page in pages:
        text = page.read_text()
        assert text.count("Content-Security-Policy") == 1, page
        scripts = inline_scripts(text)
        allowed = set(re.findall(r"&#x27;sha256-[^&]+&#x27;", text))
        assert len(allowed) == len(set(scripts)) >= 2, page


def test_a_preview_lets_its_server_reload_the_page(tmp_path: Path) -> None:
    """The preview would no longer show what was saved."""
    text = (_build(tmp_path, "serve") / "index.html").read_text()
    assert "script-src &#x27;self&#x27; &#x27;unsafe-inline&#x27;" in text


def test_it_can_be_left_out(tmp_path: Path) -> None:
    """A site that has pictures elsewhere would lose them."""
    assert "Content-Security-Policy" not in (_build(tmp_path, csp=False) / "index.html").read_text()
    assert (
        "Content-Security-Policy"
        not in (_build(tmp_path, strict_records=False, records="adrs") / "index.html").read_text()
    )
