"""The foreign repositories as sites, with three lines of configuration."""

import logging
import shutil
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

_HERE = Path(__file__).parent
_SETTINGS = {
    "quayside": ("docs_dir: doc", "doc/adr"),
    "lumenfield": ("docs_dir: docs", "."),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(_SETTINGS))
def test_a_foreign_repository_is_built_as_a_site(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A team would have to change its records before it sees them."""
    root = tmp_path / name
    shutil.copytree(_HERE / name, root)
    docs, records = _SETTINGS[name]
    lines = [f"site_name: {name}", docs, f"plugins: [reaffirm: {{records: {records}}}]"]
    (root / "mkdocs.yml").write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "site"
    with caplog.at_level(logging.ERROR):
        build(load_config(str(root / "mkdocs.yml"), site_dir=str(out)))
    pages = [page for page in (out / "decisions").rglob("index.html") if page.parent != out / "decisions"]
    expected = len(set(_records(name)))
    assert len(pages) >= expected
    index = (out / "decisions/index.html").read_text(encoding="utf-8")
    for page in pages:
        if page.parent.name != "template":
            assert f"{page.parent.relative_to(out / 'decisions').as_posix()}/" in index


def _records(name: str) -> list[str]:
    import json

    expected = json.loads((_HERE / f"{name}.expected.json").read_text(encoding="utf-8"))
    return [record["path"] for record in expected["records"]]
