"""The format of claims, told three times: by reader, JSON Schema and page."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ruamel.yaml import YAML

from reaffirm.model.claim import ClaimKind, Operator
from reaffirm.model.evidence import Kind
from reaffirm.store.claim_format import read_claims
from reaffirm.store.frontmatter import parse_page
from reaffirm.store.review import read_date_of, read_review

_ROOT = Path(__file__).parents[2]
_PAGE = _ROOT / "docs/reference/claims.md"
_SCHEMA: dict[str, Any] = json.loads(_PAGE.with_suffix(".schema.json").read_text(encoding="utf-8"))
_CASES = tomllib.loads((Path(__file__).parent / "specimens/front_matter.toml").read_text())["case"]
_VALIDATOR = jsonschema.Draft202012Validator(_SCHEMA)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["name"])
def test_reader_and_schema_agree(case: dict[str, Any]) -> None:
    """An editor would underline what the tool takes, or leave plain what the tool refuses."""
    page = parse_page(f"---\n{case['yaml'].strip()}\n---\n", shown="record.md")
    findings = [*read_claims(page)[1], *read_review(page)[2], *read_date_of(page)[1]]
    said = [error.message for error in _VALIDATOR.iter_errors(YAML(typ="safe").load(case["yaml"]))]
    assert (not findings) is case["good"], findings
    assert (not said) is case["good"], said


@pytest.mark.parametrize("path", sorted((_ROOT / "adrs").glob("[0-9]*.md")), ids=lambda path: path.name)
def test_our_own_records_are_valid(path: Path) -> None:
    """The first file that somebody opens in an editor would be underlined."""
    front = path.read_text(encoding="utf-8").split("---\n")[1]
    assert [error.message for error in _VALIDATOR.iter_errors(YAML(typ="safe", pure=True).load(front))] == []


def test_the_schema_is_a_schema_and_knows_every_word() -> None:
    """A new operator would work and be called a mistake."""
    jsonschema.Draft202012Validator.check_schema(_SCHEMA)
    words = set(_SCHEMA["$defs"]["expect"]["properties"])
    assert words == {*map(str, Operator), "unit"}
    assert set(_SCHEMA["$defs"]["kind"]["enum"]) == set(map(str, Kind))
    assert set(_SCHEMA["$defs"]["claim"]["properties"]["kind"]["enum"]) == set(map(str, ClaimKind))


def test_the_page_tells_every_word() -> None:
    """A key that works would be known only to those who read the source."""
    text = _PAGE.read_text(encoding="utf-8")
    keys = {*_SCHEMA["properties"], *_SCHEMA["$defs"]["claim"]["properties"], *map(str, Operator)}
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []
