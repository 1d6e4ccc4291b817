"""Prose, pictures and links on their way to a page."""

import json
from pathlib import Path

import markdown
import pytest
from article import Article
from hypothesis import given, settings
from hypothesis import strategies as some

from reaffirm.site.links import SiteMap, no_links
from reaffirm.site.prose import rebuild
from reaffirm.site.prose_words import first_heading, words
from reaffirm.site.svg import clean_svg
from reaffirm.site.text import admonition, cell, code, escape, fence, plain, table

_EXTENSIONS = [
    "admonition",
    "attr_list",
    "tables",
    "toc",
    "pymdownx.details",
    "pymdownx.highlight",
    "pymdownx.superfences",
]
_PIECES = json.loads((Path(__file__).parent / "specimens/pieces.json").read_text(encoding="utf-8"))


def shown(source: str) -> Article:
    """Return a page with this Markdown on it."""
    return Article(f"<article>{markdown.markdown(source, extensions=_EXTENSIONS)}</article>")


_TEXT = some.lists(some.sampled_from(_PIECES), max_size=12).map("".join)


@settings(max_examples=300, deadline=None)
@given(_TEXT)
def test_no_prose_can_run(text: str) -> None:
    """Some nesting of marks that nobody thought of would let a script through."""
    for made in (
        rebuild(text, no_links),
        escape(plain(text)),
        fence(text),
        code(text),
        f"- {cell(text)}",
        table(("a",), [(cell(text),), (code(text),)]),
        admonition("note", text, fence(text), folded=True),
    ):
        page = shown(made)
        assert page.dangers == [], made
        assert not {"b", "svg", "script", "form"} & set(page.tags), made


@settings(max_examples=150, deadline=None)
@given(_TEXT)
def test_a_fence_shows_its_text_and_ends(text: str) -> None:
    """A log line could end the fence, and what follows would be markup."""
    page = shown(f"{fence(text)}\n\nafter")
    assert page.text.rstrip().endswith("after")
    assert page.tags.count("p") == 1


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a_b and *c* and __init__", "a_b and <em>c</em> and <strong>init</strong>"),
        ("- a\n  - b\n\n    c", "-   a\n    -   b\n\n        c"),
        ("3. a\n4. b", "3.  a\n4.  b"),
        ("a  \nb", "a<br>\nb"),
        ("# A `b`\n\nc", "# A `b`\n\nc"),
        ("`a|b`", "<code>a&#124;b</code>"),
        (
            "see <https://example.invalid/a?b=1>",
            "see [https://example.invalid/a?b=1](https://example.invalid/a?b=1)",
        ),
        ("a <!-- note --> b", "a  b"),
    ],
)
def test_ordinary_prose_stays_what_it_is(source: str, expected: str) -> None:
    """Records would read differently on the site and on the forge."""
    assert rebuild(source, no_links) == expected


def test_headings_give_their_words() -> None:
    """Titles would show their marks."""
    assert first_heading("# A *b* `c` [d](e)\n\nrest") == ("A b c d", "\nrest")
    assert first_heading("no heading") == ("", "no heading")
    assert words("a\nb") == "a b"


_MAP = SiteMap(
    {
        "adrs/0001-a.md": "decisions/0001-a.md",
        "docs/how-to/x.md": "how-to/x.md",
        "docs/runs/README.md": "runs/index.md",
        "runbooks/book.py": "runbooks/book.md",
    },
    forge="https://forge.invalid/us/it/blob/main/",
    files=frozenset({"src/toy.py", "src"}),
)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("0001-a.md", "0001-a.md"),
        ("0001-a.md#claims", "0001-a.md#claims"),
        ("../docs/how-to/x.md", "../how-to/x.md"),
        ("../docs/runs", "../runs/index.md"),
        ("../docs/runs/", "../runs/index.md"),
        ("../runbooks/book.py", "../runbooks/book.md"),
        ("../src/toy.py#L3", "https://forge.invalid/us/it/blob/main/src/toy.py#L3"),
        ("../gone.md", "../gone.md"),
        ("#claims", "#claims"),
        ("https://example.invalid/(a)", "https://example.invalid/%28a%29"),
        ("mailto:a@example.invalid", "mailto:a@example.invalid"),
        ("javascript:alert(1)", None),
        ("java\nscript:alert(1)", None),
        ("JAVASCRIPT%3Aalert(1)", None),
        ("\x01javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("//example.invalid/x", None),
        ("", None),
    ],
)
def test_links_of_a_record(target: str, expected: str | None) -> None:
    """A link that works on the forge would be dead, or worse, on the site."""
    assert _MAP.resolve(target, source="adrs/0002-b.md", page="decisions/0002-b.md") == expected


def test_links_in_code_are_left_alone() -> None:
    """Examples of links would be rewritten."""
    between = "\n\n```\n[a](../adrs/0001-a.md)\n```\n[b](how-to/x.md)\n"
    before = f"[a](../adrs/0001-a.md){between}[c]: ../adrs/0001-a.md"
    after = f"[a](decisions/0001-a.md){between}[c]: decisions/0001-a.md"
    assert _MAP.rewrite(before, source="docs/index.md", page="index.md") == after


_OPEN = '<svg xmlns="http://www.w3.org/2000/svg"'


@pytest.mark.parametrize(
    ("given_svg", "kept"),
    [
        (f'{_OPEN} onload="x"><rect width="1"/></svg>', f'{_OPEN}><rect width="1"></rect></svg>'),
        (f"{_OPEN}><script>x</script>t</svg>", f"{_OPEN}>t</svg>"),
        (f'{_OPEN}><a href="javascript:x"><text>t</text></a></svg>', f"{_OPEN}></svg>"),
        (f'{_OPEN}><rect fill="url(http://x.invalid)"/></svg>', f"{_OPEN}><rect></rect></svg>"),
        (
            f'{_OPEN}><rect style="fill:red;background:url(x)"/></svg>',
            f'{_OPEN}><rect style="fill:red"></rect></svg>',
        ),
        (f'{_OPEN} class="md-overlay rf-badge d"/>', f'{_OPEN} class="d"></svg>'),
        (
            f"{_OPEN}><style>.rf-lanes .d{{fill:red}}.rf-badge{{opacity:0}}p{{color:red}}</style></svg>",
            f"{_OPEN}><style>.rf-lanes .d{{fill:red}}</style></svg>",
        ),
        ("<svg><!DOCTYPE x></svg>", None),
        ('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', None),
        ("<html/>", None),
        ("no picture", None),
    ],
)
def test_pictures_keep_only_what_is_harmless(given_svg: str, kept: str | None) -> None:
    """A picture is a program unless somebody takes the program out."""
    assert clean_svg(given_svg) == kept


def test_two_pictures_on_a_page_do_not_meet() -> None:
    """The arrow of one picture would end in the head of another."""
    one = clean_svg(f'{_OPEN}><marker id="a"/><path marker-end="url(#a)"/></svg>')
    two = clean_svg(f'{_OPEN}><marker id="a"/><path marker-end="url(#a)" d="M0 0"/></svg>')
    assert one
    assert two
    assert one.split('id="')[1].split('"')[0] not in two
    for picture in (one, two):
        name = picture.split('id="')[1].split('"')[0]
        assert f"url(#{name})" in picture


def test_a_link_that_leads_nowhere_from_the_site_is_text() -> None:
    """The strict build would refuse a page for a link that works where the repository is read."""
    sites = SiteMap({}, files=frozenset({"src/toy.py"}))
    before = "[toy](../src/toy.py), [gone](../src/gone.py)"
    assert sites.rewrite(before, source="docs/index.md", page="index.md") == "toy, [gone](../src/gone.py)"


def test_blocks_of_an_extension_are_words() -> None:
    """On a site with pymdownx.blocks.html, a record could run a script in the reader's browser."""
    for text in (
        "/// html | script\nalert(1)\n///",
        "/<!-- -->// html | script\nalert(1)\n///",
        "x\n\n/ // y",
    ):
        page = rebuild(text, no_links)
        shown = markdown.markdown(page, extensions=["pymdownx.blocks.html"])
        assert "<script" not in shown, page


def test_no_file_of_the_build_machine_gets_into_a_page(tmp_path: Path) -> None:
    """On a site with pymdownx.snippets, a cell of a notebook could publish .git/config with its token."""
    (tmp_path / "secret.env").write_text("TOKEN=abc", encoding="utf-8")
    settings = {"pymdownx.snippets": {"base_path": [str(tmp_path)]}}
    for line in ('--8<-- "secret.env"', "--8<--\nsecret.env\n--8<--", ' ;--8<-- "secret.env"'):
        page = rebuild(f"```text\na\n\n{line}\n```\n\n{line}", no_links)
        extensions = ["pymdownx.superfences", "pymdownx.snippets"]
        shown = markdown.markdown(page, extensions=extensions, extension_configs=settings)
        assert "abc" not in shown, page
        assert "8&lt;" in shown or "8&#60;" in shown
