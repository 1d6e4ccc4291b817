"""Specimens of texts with and without secrets, and what must become of each."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from made_up import SECRETS, filled, tell_tales

from reaffirm.redact import LineRedactor, StreamRedactor, redact

FOLDER = Path(__file__).parent / "specimens"


def _specimens() -> list[Any]:
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        for number, one in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["specimen"], 1):
            found.append(pytest.param(one, id=f"{path.stem}-{number}"))
    return found


@pytest.mark.parametrize("specimen", _specimens())
def test_a_specimen(specimen: dict[str, str]) -> None:
    """A secret that stays is a leak; anything else that goes is a log that nobody can read."""
    text = filled(specimen["text"])
    expected = specimen.get("expected", text)
    assert redact(text) == expected, specimen["why"]
    assert redact(expected) == expected, "masked twice"


@pytest.mark.parametrize("specimen", _specimens())
def test_a_specimen_in_pieces(specimen: dict[str, str]) -> None:
    """The same text as a stream of small chunks: what is written must hold no more than before."""
    text = filled(specimen["text"])
    for size in (1, 7, 40):
        stream = StreamRedactor()
        written = (
            "".join(stream.feed(text[at : at + size]) for at in range(0, len(text), size)) + stream.close()
        )
        _nothing_of(specimen, written)
        if "expected" not in specimen:
            assert written == text
    lines = LineRedactor()
    _nothing_of(specimen, "\n".join(lines(line) for line in text.split("\n")))


def _nothing_of(specimen: dict[str, str], written: str) -> None:
    if "expected" in specimen:
        for name, secret in SECRETS.items():
            if f"«{name}»" in specimen["text"]:
                for part in tell_tales(secret):
                    assert part not in written


@pytest.mark.parametrize("specimen", _specimens())
def test_a_specimen_inside_of_json(specimen: dict[str, str]) -> None:
    """Answers of Docker and of APIs are parsed after redaction, and so is what is in a notebook."""
    text = filled(specimen["text"])
    inspected = [{"Config": {"Env": [text], "Cmd": [text]}}]
    for data in ({"a": [text, "z"], "b": text}, inspected, {"a": json.dumps([text])}):
        for raw in (json.dumps(data), json.dumps(data, indent=2), json.dumps(data, ensure_ascii=False)):
            masked = redact(raw)
            json.loads(masked)
            _nothing_of(specimen, masked)
            if "expected" not in specimen:
                assert masked == raw
