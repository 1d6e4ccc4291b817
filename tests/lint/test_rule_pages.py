"""Each rule has a page, and the page's example is the rule's test."""

import re
from datetime import date
from pathlib import Path

import pytest

from reaffirm.lint.run import lint
from reaffirm.lint.subject import Subject
from reaffirm.store.reading.collection import read_collection

_ROOT = Path(__file__).parents[2]
_PAGES = sorted(page for page in (_ROOT / "docs/reference/lint").glob("*.md") if page.stem != "index")
_FILE = re.compile(r'^````\w+ title="(?P<name>[^"]+)"\n(?P<text>.*?)^````$', re.MULTILINE | re.DOTALL)
_EXPECTED = re.compile(r"^```text\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_PARTS = ("**Why.**", "## How to mend", "## How to silence")
#: Rules whose example needs more than files of text; they have tests of their own.
_NO_EXAMPLE = {"unreadable", "number-collision", "too-many", "unknown-language", "outside", "reopen-asked"}

_CODES = (
    re.compile(r'(?:Finding|Fix)\(\s*[\w.\[\]]+,\s*[^"]{1,60}?,\s*"([a-z]+(?:-[a-z]+)*)"'),
    re.compile(r'\.(?:wrong|problem)\(\s*[^"]{1,60}?,\s*"([a-z]+(?:-[a-z]+)*)"'),
)
#: Modules of the command scan, which looks for secrets.
_OTHERS = {"secret_allowances.py", "secret_scan.py"}


@pytest.mark.parametrize("page", _PAGES, ids=[page.stem for page in _PAGES])
def test_the_example_of_a_page_is_true(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody would read what lint says, and it would say something else."""
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {page.stem}\n")
    assert [part for part in _PARTS if part not in text] == []
    files = {match["name"]: match["text"] for match in _FILE.finditer(text)}
    assert bool(files) != (page.stem in _NO_EXAMPLE)
    if not files:
        return
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    here = Path()
    found = lint(Subject(read_collection([here], root=here), here, here, date(2026, 12, 1)))
    match = _EXPECTED.search(text)
    assert match is not None
    expected = match["text"].splitlines()
    codes = {line.split(": ", 1)[1].split(" ")[0] for line in expected}
    assert [str(one) for one in found if one.code in codes] == expected


def test_every_code_has_a_page() -> None:
    """A message would name a code that nobody explains."""
    known = {page.stem for page in _PAGES}
    codes: set[str] = set()
    modules = [
        *(_ROOT / "src/reaffirm/lint").glob("*.py"),
        *(_ROOT / "src/reaffirm/store/reading").glob("*.py"),
    ]
    for path in modules:
        if path.name not in _OTHERS:
            for form in _CODES:
                codes |= set(form.findall(path.read_text(encoding="utf-8")))
    assert len(codes) > 40
    assert sorted(codes - known) == []


def test_the_index_names_every_page() -> None:
    """A rule would be found by nobody."""
    index = (_ROOT / "docs/reference/lint/index.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[([a-z-]+)\]\(\1\.md\)", index, re.MULTILINE)
    assert {page.stem for page in _PAGES} == set(re.findall(r"\]\(([a-z-]+)\.md\) \|", index))
