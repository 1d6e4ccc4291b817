"""The site as data: its pages with their sources, the files beside them, what programs read."""

import io
import json
import posixpath
import re
import shutil
from datetime import date
from pathlib import Path
from zipfile import ZipFile

import jsonschema
import pytest

from reaffirm.site.addresses import address
from reaffirm.site.navigation import navigation
from reaffirm.site.secrets_told import secrets_told
from reaffirm.site.settings import SiteSettings
from reaffirm.site.static_files import SCRIPT, STYLE
from reaffirm.site.tree import Tree, make_tree
from reaffirm.store.reading.report import schema_text

_PROJECT = Path(__file__).parent / "specimens/project"
_FAILURES = Path(__file__).parents[1] / "failures/specimens/good"
_DAY = date(2026, 2, 25)


def tree_of(root: Path, **settings: object) -> Tree:
    """Return the tree of a project with ``docs`` and ``adrs``."""
    docs = root / "docs"
    files = {path.relative_to(docs).as_posix(): path for path in sorted(docs.rglob("*")) if path.is_file()}
    given = {"records": ("adrs",), "strict": True, "today": _DAY, "name": "Toy", **settings}
    return make_tree(SiteSettings(root, **given), files)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tree() -> Tree:
    """The tree of the toy project."""
    return tree_of(_PROJECT)


def test_every_page_names_the_file_that_it_shows(tree: Tree) -> None:
    """Somebody who wants to mend a page would be led to a file that is made, or that is not there."""
    sources = {uri: page.source for uri, page in tree.pages.items()}
    assert sources["decisions/0001-keep-the-cache.md"] == "adrs/0001-keep-the-cache.md"
    assert sources["runbooks/measure_latency.md"] == "runbooks/measure_latency.py"
    run = "measure_latency/2026-02-01-lab"
    assert sources[f"runs/{run}.md"] == f"docs/runs/{run}/notebook.ipynb"
    assert sources["index.md"] == "docs/index.md"
    for source in filter(None, sources.values()):
        assert (_PROJECT / source).is_file(), source


def test_records_and_runs_are_found_from_others_and_not_from_the_navigation(tree: Tree) -> None:
    """With a thousand records in the navigation each page would carry all the others."""
    hidden = {uri for uri in tree.hidden if uri.startswith(("decisions/0", "runs/measure"))}
    assert hidden == tree.hidden
    shown = json.dumps(tree.nav())
    assert "decisions/index.md" in shown
    assert not any(uri in shown for uri in hidden)


def test_pages_by_hand_come_as_the_site_shows_them(tree: Tree) -> None:
    """Another generator would show links into nothing, and failure pages without their heads."""
    assert "](decisions/0001-keep-the-cache.md" in tree.pages["index.md"].markdown
    assert "adrs/" not in tree.pages["index.md"].markdown
    image = tree.pages["container-images/toy.md"].markdown
    assert image.startswith("---\n")
    assert "Told by this page" in image
    assert "\nstatus:" not in image.split("---")[1]


def test_pages_of_a_project_without_records_stay_and_are_linked(tmp_path: Path) -> None:
    """Who has no record yet would lose every other page, and the index of images would lead nowhere."""
    root = tmp_path / "toy"
    shutil.copytree(_PROJECT, root)
    shutil.rmtree(root / "adrs")
    (root / "docs/guide.md").write_text("# A guide\n\nFirst do this.\n")
    shutil.copytree(_FAILURES, root / "docs/failures")
    (root / "docs/container-images/half.md").write_text("---\nstatus: accepted\n---\n\n# Half an image\n")
    tree = tree_of(root, records=(), strict=False)
    assert {"guide.md", "container-images/toy.md"} <= tree.pages.keys()
    assert tree.pages.keys() >= {f"failures/{one.id}.md" for one in tree.site.plan.failures}
    assert [record.path for record in tree.site.plan.found.records] == ["docs/container-images/half.md"]
    for index in ("container-images/index.md", "failures/index.md"):
        links = re.findall(r"\]\(([^):#]+\.md)", tree.pages[index].markdown)
        assert links
        for link in links:
            assert posixpath.normpath(posixpath.join(posixpath.dirname(index), link)) in tree.pages, link


def test_each_address_has_one_file_and_what_is_no_page_is_left_out(tree: Tree) -> None:
    """A stray file would be public, or one file would write over another."""
    assert not set(tree.pages) & set(tree.files)
    assert not set(tree.pages) & set(tree.texts)
    assert not set(tree.texts) & set(tree.files)
    assert "notes.toml" in tree.left_out
    assert "runs/measure_latency/2026-02-01-lab/facts.json" in tree.left_out
    assert "runs/measure_latency/2026-02-01-lab/run.zip" in tree.archives
    assert STYLE in tree.texts
    assert SCRIPT not in tree.texts or tree.texts[SCRIPT].strip()


def test_records_json_is_what_the_command_prints_and_the_page_and_the_verdicts(tree: Tree) -> None:
    """A program would have to guess where a record can be read and whether it still holds."""
    found = json.loads(tree.texts["records.json"])
    jsonschema.validate(found, json.loads(schema_text()))
    first = next(one for one in found["records"] if one["id"] == "0001")
    assert first["page"] == "decisions/0001-keep-the-cache/"
    assert sum(first["verdicts"].values()) == len(first["claims"])
    flat = json.loads(tree_of(_PROJECT, directory_urls=False).texts["records.json"])
    assert flat["records"][0]["page"] == "decisions/0001-keep-the-cache.html"


def test_addresses() -> None:
    """A link of a feed or of records.json would lead nowhere."""
    assert address("index.md") == ""
    assert address("decisions/index.md") == "decisions/"
    assert address("decisions/a.md#b") == "decisions/a/#b"
    assert address("index.md", directory_urls=False) == "index.html"
    assert address("a/README.md", directory_urls=False) == "a/index.html"
    assert address("a/b.md#c", directory_urls=False) == "a/b.html#c"


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"repo": "https://github.com/a/b"}, "https://github.com/a/b/edit/main/adrs/1.md"),
        (
            {"repo": "https://gitlab.com/a/b/", "branch": "trunk"},
            "https://gitlab.com/a/b/edit/trunk/adrs/1.md",
        ),
        ({"repo": "https://git.example.org/a/b"}, ""),
        (
            {"repo": "https://git.example.org/a/b", "edit_uri": "src/dev/docs/"},
            "https://git.example.org/a/b/src/dev/adrs/1.md",
        ),
        (
            {"repo": "https://git.example.org/a/b", "edit_uri": "?query=root/docs/"},
            "https://git.example.org/a/b?query=root/adrs/1.md",
        ),
        (
            {"edit_uri": "https://e.example.org/{path_noext}?x={path}"},
            "https://e.example.org/../adrs/1?x=../adrs/1.md",
        ),
        ({"edit_uri": "https://e.example.org/docs/{path}"}, "https://e.example.org/adrs/1.md"),
        ({}, ""),
    ],
)
def test_a_page_is_edited_where_its_source_is(settings: dict[str, str], wanted: str) -> None:
    """The button would open a page that does not exist on the forge."""
    assert SiteSettings(Path(), **settings).edit_address("adrs/1.md") == wanted  # type: ignore[arg-type]


def test_a_page_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    """A page that is not UTF-8 would be missing, and nobody would be told."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/bad.md").write_bytes(b"# \xff\xfe")
    tree = tree_of(tmp_path)
    assert [str(one) for one in tree.findings if one.code == "unreadable"] == [
        "docs/bad.md:1: unreadable not UTF-8; save the file as UTF-8"
    ]


def test_pages_stand_in_the_order_of_their_index() -> None:
    """A menu by the alphabet would tell how to clean up before how to launch."""
    texts = {
        "how-to/index.md": "# How\n\n* [Z](z.md#part)\n* [elsewhere](../x.md)\n* [B](b.md), [Z](z.md)\n",
        **dict.fromkeys(("how-to/a.md", "how-to/b.md", "how-to/z.md"), ""),
    }
    [shelf] = navigation(texts, frozenset(), texts.__getitem__)
    assert shelf == {"How-to": ["how-to/index.md", "how-to/z.md", "how-to/b.md", "how-to/a.md"]}


def test_a_secret_in_what_is_shown_is_a_finding_and_is_masked(tmp_path: Path) -> None:
    """Somebody would publish a key with a record, a log or a page: a warning stops only a strict build."""
    root = tmp_path / "toy"
    shutil.copytree(_PROJECT, root)
    secret = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345"
    run = root / "docs/runs/measure_latency/2026-02-03-simulated"
    record = f"# Key\n\n## Status\n\nAccepted\n\n{secret}\n\n## With {secret}\n"
    (root / "adrs/0003-key.md").write_text(record, encoding="utf-8")
    (root / "docs/key.md").write_text(f"# Key\n\n{secret}\n", encoding="utf-8")
    (run / "key.log").write_text(f"{secret}\n", encoding="utf-8")
    tree = tree_of(root)
    found = [one for one in tree.findings if one.code == "hf-token"]
    assert [(one.path, one.line) for one in found] == [
        ("adrs/0003-key.md", 7),
        ("adrs/0003-key.md", 9),
        ("docs/key.md", 3),
        ("docs/runs/measure_latency/2026-02-03-simulated/key.log", 1),
    ]
    assert secret not in str(found)
    pages = "".join(page.markdown for page in tree.pages.values()).replace("\\", "")
    assert secret not in pages + "".join(tree.texts.values())
    assert secret[3:] not in pages
    name = "measure_latency/2026-02-03-simulated"
    with ZipFile(io.BytesIO(tree.archives[f"runs/{name}/run.zip"])) as archive:
        assert archive.read(f"{name}/key.log") == b"hf_[redacted]\n"
    assert f"runs/{name}/key.log" not in {*tree.files, *tree.texts}
    assert "hf_[redacted]" in tree.pages["decisions/0003-key.md"].markdown
    allowed = '[[allow]]\npath = "*"\ncode = "hf-token"\ncount = 4\nwhy = "made up"\n'
    (root / ".secrets-allowed.toml").write_text(allowed, encoding="utf-8")
    assert not [one for one in tree_of(root).findings if one.code == "hf-token"]


def test_a_file_that_was_clean_is_looked_at_again_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept from build to build would let a secret through that came later."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page = tmp_path / "docs/page.md"
    page.parent.mkdir()
    page.write_text("# A page\n", encoding="utf-8")
    assert secrets_told(tmp_path, [page]) == []
    looked: list[Path] = []
    monkeypatch.setattr("reaffirm.site.secrets_told._READ", {})
    monkeypatch.setattr("reaffirm.site.secrets_told.scan", lambda paths, _: looked.extend(paths) or ())
    assert secrets_told(tmp_path, [page]) == []
    assert looked == [], "it is known by its hash"
    page.write_text("# A page\n\nhf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345\n", encoding="utf-8")
    secrets_told(tmp_path, [page])
    assert looked == [page]
    monkeypatch.undo()
    assert [one.code for one in secrets_told(tmp_path, [page])] == ["hf-token"]


_A_RECORD = """\
# 1. Use queues

Date: 2026-01-01

## Status

Accepted

## Context

Some.

## Decision

This.
"""


@pytest.mark.parametrize("records", [0, 1])
def test_a_page_that_is_no_record_stays_a_page(records: int, tmp_path: Path) -> None:
    """A team that adds the plugin would lose what stands beside its records, or all of its pages."""
    texts = {
        "index.md": "# Home\n",
        "guide.md": "# Guide\n\nWords.\n",
        "adr/background.md": "# Background\n\nWords.\n",
    }
    if records:
        texts["adr/0001-use-queues.md"] = _A_RECORD
    for name, text in texts.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    tree = tree_of(tmp_path, records=(), strict=False)
    assert {"index.md", "guide.md", "adr/background.md"} <= tree.pages.keys()
    assert tree.left_out == ({"adr/0001-use-queues.md"} if records else frozenset())
