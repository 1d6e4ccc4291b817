"""What of a record's page the search knows: what it says, and nothing that only leads or only checks."""

import json
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

_FOREIGN = Path(__file__).parents[1] / "foreign/quayside"


def test_search_knows_what_a_record_says_and_not_what_is_said_about_its_file(tmp_path: Path) -> None:
    """Whoever searches for a word would find hundreds of records that only a rule names it in."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "adr").mkdir()
    (tmp_path / "docs/index.md").write_text("# Home\n", encoding="utf-8")
    for path in sorted((_FOREIGN / "doc/adr").glob("003[0-9]*.md")):
        (tmp_path / "adr" / path.name).write_bytes(path.read_bytes())
    settings = "site_name: Toy\ntheme: { name: material, font: false }\nplugins: [search, reaffirm]\n"
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    config = load_config(str(tmp_path / "mkdocs.yml"), site_dir=str(tmp_path / "site"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    pages = {one.parent.name: one.read_text() for one in (tmp_path / "site/decisions").rglob("index.html")}
    page = pages["0035-contract-tests"]
    assert "about this record" in page
    assert "status-word" in page
    assert "All decisions" in page
    assert "data-search-exclude=" not in page, "the sign is for the index and is not loaded by a reader"
    entries = json.loads((tmp_path / "site/search/search_index.json").read_text())["docs"]
    texts = [one["text"] for one in entries if one["location"].startswith("decisions/0035")]
    assert any("Parked" in text for text in texts)
    assert any("mandatory" in text for text in texts)
    for words in ("status-word", "about this record", "All decisions", "No history", "adr/0035"):
        assert not any(words in text for text in texts), words
