"""Checks the specimens against themselves: every expectation must be visible in the file that it is about.

`python tests/dialects/check_specimens.py` looks at all folders with an `expected.json` below `tests/dialects`
and `tests/hostile` and at the `*.expected.json` of `tests/foreign`, prints what is wrong and exits with 1.
It knows nothing of any parser: it only looks whether the named file exists, whether the raw text stands on
the named line, and whether every file that could be a record is accounted for.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
STATUSES = {"draft", "proposed", "accepted", "rejected", "deprecated", "superseded", "other", None}
WHYS = {"readme", "index", "template", "not-a-record", "vendored", "symlink", "binary", "too-large"}
RECORD_KEYS = {
    "path", "id", "title", "status", "status_raw", "date", "deciders",
    "supersedes", "superseded_by", "links", "lines",
}  # fmt: skip
LINE_KEYS = {"title", "status", "date", "deciders", "supersedes", "superseded_by"}
RECORD_LIKE = {".md", ".markdown", ".adoc", ".asciidoc", ".rst", ".toml"}
NOT_TEXT_TO_JUDGE = {"expected.json"}


def text_lines(file: Path) -> list[str]:
    """The lines of a file as an editor counts them: LF or CRLF; BOMs and encodings are recognised."""
    data = file.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16")
    else:
        text = data.decode("utf-8-sig", errors="replace")
    return [line.removesuffix("\r") for line in text.split("\n")]


def _flat(text: str) -> str:
    """Without markup that a reader drops, and with single spaces."""
    return re.sub(r"\s+", " ", text.replace("`", "")).strip()


def _shown(lines: list[str], number: int, wanted: str) -> bool:
    """Whether `wanted` begins on line `number` (1-based); it may go on over the next three lines."""
    if not 1 <= number <= len(lines):
        return False
    below = _flat(" ".join(lines[number : number + 3]))
    here = _flat(lines[number - 1])
    position = _flat(f"{here} {below}").find(_flat(wanted))
    return 0 <= position <= len(here)


def _of_record(record: dict[str, Any], root: Path) -> Iterator[str]:
    """What is wrong with one expected record."""
    if set(record) != RECORD_KEYS or set(record["lines"]) != LINE_KEYS:
        yield f"keys: {sorted(set(record) ^ RECORD_KEYS)}"
        return
    lines = text_lines(root / record["path"])
    where = record["lines"]
    if not (isinstance(record["id"], str) and record["id"]):
        yield "the id is no text"
    if record["status"] not in STATUSES:
        yield f"status {record['status']!r} is not in the list"
    if record["status"] is not None and record["status_raw"] is None:
        yield "a status without what was written"
    if record["date"] is not None and not re.fullmatch(r"\d{4}-\d\d-\d\d", record["date"]):
        yield f"date {record['date']!r} is not ISO"
    for key, wanted in (("title", record["title"]), ("status", record["status_raw"])):
        if where[key] is not None and wanted is not None and not _shown(lines, where[key], wanted):
            yield f"{key}: {wanted!r} is not on line {where[key]}"
        if where[key] is not None and wanted is None:
            yield f"{key}: a line but no text"
    if record["title"] is not None and where["title"] is None:
        yield "title: no line"
    for key in ("date", "deciders", "supersedes", "superseded_by"):
        if where[key] is not None and not 1 <= where[key] <= len(lines):
            yield f"{key}: there is no line {where[key]}"
    if record["deciders"] and not _shown(lines, where["deciders"] or 0, record["deciders"][0]):
        yield f"deciders: {record['deciders'][0]!r} is not on line {where['deciders']}"
    for key in ("supersedes", "superseded_by"):
        if bool(record[key]) != (where[key] is not None):
            yield f"{key}: entries and line disagree"
        elif record[key]:
            short = record[key][0].lstrip("0") or "0"
            if short not in lines[where[key] - 1]:
                yield f"{key}: {record[key][0]!r} is not on line {where[key]}"
    for link in record["links"]:
        line = lines[link["line"] - 1] if 1 <= link["line"] <= len(lines) else ""
        if link["target"] not in line and not any(
            link["target"] in one for one in lines if re.match(r"\s{0,3}(\[|\.\. _)", one)
        ):
            yield f"link {link['target']!r} is not on line {link['line']}"


def check_expectation(expected: Path, root: Path, *, complete: bool = True) -> Iterator[str]:
    """What is wrong with one expectation about the tree `root`; `complete`: is each file named."""
    try:
        data = json.loads(expected.read_text(encoding="utf-8"))
    except ValueError as error:
        yield f"{expected}: no JSON: {error}"
        return
    if not {"schema", "records", "skipped", "problems"} <= set(data):
        yield f"{expected}: keys are {sorted(data)}"
        return
    named: set[str] = set()
    for group in ("records", "skipped", "problems", "refused", "may"):
        for entry in data.get(group, []):
            named.add(entry["path"])
            if not ((root / entry["path"]).exists() or (root / entry["path"]).is_symlink()):
                yield f"{expected}: {group}: there is no {entry['path']}"
    for record in data["records"]:
        if (root / record["path"]).exists():
            for wrong in _of_record(record, root):
                yield f"{expected}: {record['path']}: {wrong}"
    for entry in data["skipped"]:
        if entry["why"] not in WHYS:
            yield f"{expected}: {entry['path']}: why is {entry['why']!r}"
    for entry in data["problems"]:
        if entry["line"] is not None and (root / entry["path"]).is_file():
            lines = text_lines(root / entry["path"])
            if not _shown(lines, entry["line"], entry.get("text", "")):
                yield f"{expected}: {entry['path']}: {entry.get('text')!r} is not on line {entry['line']}"
    if complete:
        for file in sorted(root.rglob("*")):
            inside = file.relative_to(root).as_posix()
            if (
                file.suffix.lower() in RECORD_LIKE
                and file.name not in NOT_TEXT_TO_JUDGE
                and inside not in named
            ):
                yield f"{expected}: {inside} is neither record, skipped nor problem"


def expectations() -> Iterator[tuple[Path, Path]]:
    """Every expectation and the tree that it is about."""
    for part in ("dialects", "hostile"):
        for expected in sorted((ROOT / part).rglob("expected.json")):
            yield expected, expected.parent
    for expected in sorted((ROOT / "foreign").glob("*.expected.json")):
        yield expected, expected.with_name(expected.name.removesuffix(".expected.json"))


def main() -> int:
    """Print what is wrong with all specimens; 1 when something is."""
    wrong = [line for expected, root in expectations() for line in check_expectation(expected, root)]
    for line in wrong:
        print(line)
    print(f"{sum(1 for _ in expectations())} expectations, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
