"""HTML of records and notebooks: what stays, what is shown as text, what is never loaded."""

import subprocess
import sys
import tomllib
from pathlib import Path

import markdown
import pytest
from article import Article
from hypothesis import given, settings
from hypothesis import strategies as some

from reaffirm.site.links import SiteMap, no_links
from reaffirm.site.prose import rebuild
from reaffirm.site.raw_html import HtmlWriter, tree_of

_CASES = tomllib.loads((Path(__file__).parent / "specimens/html.toml").read_text(encoding="utf-8"))["case"]
_MAP = SiteMap(
    {"adrs/a.md": "decisions/a.md"}, files=frozenset({"adrs/p.png"}), forge="https://forge.invalid/"
)


@pytest.mark.parametrize("case", _CASES, ids=[one["what"] for one in _CASES])
def test_html_becomes_markdown_that_says_the_same(case: dict[str, str]) -> None:
    """Records that others wrote would lose their tables and folds, or bring their scripts."""
    resolve = _MAP.resolver("adrs/b.md", "decisions/b.md")
    assert rebuild(case["html"], resolve) == case["page"].rstrip()


_TAGS = ("a", "b", "p", "div", "table", "tr", "td", "th", "ul", "li", "pre", "code", "details", "summary")
_TAGS += ("x", "script", "style", "svg", "math", "iframe")
_PIECES = [f"<{t}>" for t in _TAGS] + [f"</{t}>" for t in _TAGS]
_PIECES += ["<img src=x onerror=alert(1)>", "<a href='javascript:alert(1)'>", "<td onclick=alert(1)>"]
_PIECES += ["|", "\n", "`", "```\n", "<!--", "-->", "<![CDATA[", "&lt;script&gt;", "text", "<p title='"]
_PIECES += ["](javascript:alert(1))", "<math><mtext><table><mglyph><style><img>", "{: onclick=alert(1)}"]
_PIECES += ['<noscript><p title="</noscript><img src=x onerror=alert(1)>">']


@settings(max_examples=300, deadline=None)
@given(some.lists(some.sampled_from(_PIECES), max_size=14).map("".join))
def test_no_html_can_run(html: str) -> None:
    """Some nesting that a sanitiser and a browser read differently would let a script through."""
    write = HtmlWriter(lambda words, target: f"[{words}](https://x.invalid)", lambda words, source: "picture")
    for made in (rebuild(html, no_links), write.blocks(tree_of(html).children)):
        extensions = ["admonition", "attr_list", "tables", "pymdownx.details", "pymdownx.superfences"]
        page = Article(f"<article>{markdown.markdown(made, extensions=extensions)}</article>")
        assert page.dangers == [], made
        assert not {"b", "svg", "script", "style", "math", "img"} & set(page.tags), made


def test_deep_nesting_is_flat_in_the_end() -> None:
    """A page of ten thousand open elements would stop the build."""
    assert "end" in rebuild("<p>" + "<span>" * 5000 + "end" + "</span>" * 5000 + "</p>", no_links)


def test_the_sanitiser_is_loaded_only_by_pages_that_need_it() -> None:
    """Every command would start slower for a library that it does not use."""
    program = (
        "import sys; from reaffirm.site.links import no_links; from reaffirm.site.prose import rebuild; "
        "rebuild('plain *words* only', no_links); sys.exit('nh3' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0
