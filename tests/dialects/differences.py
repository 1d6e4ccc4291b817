"""How an answer of ``reaffirm records --format json`` differs from what a specimen expects."""

from collections.abc import Iterator
from typing import Any

_KEYS = ("id", "title", "status", "status_raw", "date", "deciders", "supersedes", "superseded_by")
_LINES = ("title", "status", "date", "deciders", "supersedes", "superseded_by")


def differences(expected: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    """Yield each difference by the rules of tests/dialects/README.md and tests/hostile/README.md."""
    if "schema" not in answer:
        yield "the answer names no schema"
    may = {one["path"]: one for one in expected.get("may", ())}
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for path in dict.fromkeys(one["path"] for one in answer["records"]):
        same = [one for one in answer["records"] if one["path"] == path]
        found |= {(path, n): one for n, one in enumerate(same)}
    wanted: dict[tuple[str, int], dict[str, Any]] = {}
    for path in dict.fromkeys(one["path"] for one in expected["records"]):
        same = [one for one in expected["records"] if one["path"] == path]
        wanted |= {(path, n): one for n, one in enumerate(same)}
    for key, record in wanted.items():
        if key not in found:
            yield f"{key[0]}: is no record here ({_told(answer, key[0])})"
        else:
            yield from (f"{key[0]}: {told}" for told in _record(record, found[key]))
    for key, record in found.items():
        if key in wanted:
            continue
        if key[0] not in may:
            yield f"{key[0]}: should be no record"
            continue
        for name, value in may[key[0]].items():
            allowed = [value, *value] if isinstance(value, list) else [value]
            if name != "path" and record.get(name) not in allowed:
                yield f"{key[0]}: {name} is {record.get(name)!r}, may be {value!r}"
    named = [one["path"] for one in answer["skipped"]]
    troubled = {one["path"] for one in answer["problems"]}
    records = {path for path, _ in found}
    for one in expected["skipped"]:
        if one["path"] in records or not _is_named(one["path"], named):
            yield f"{one['path']}: should be named as skipped ({one.get('why')})"
    for path in expected.get("refused", ()):
        path = path if isinstance(path, str) else path["path"]
        if path in records or not (_is_named(path, named) or _is_named(path, troubled)):
            yield f"{path}: should be refused"
    for path in may:
        if path not in records and not (_is_named(path, named) or path in troubled):
            yield f"{path}: is neither read nor named"
    yield from _problems(expected, answer, set(may))


def _problems(expected: dict[str, Any], answer: dict[str, Any], may: set[str]) -> Iterator[str]:
    for one in expected["problems"]:
        lines = [problem["line"] for problem in answer["problems"] if problem["path"] == one["path"]]
        if not lines or (one["line"] is not None and one["line"] not in lines):
            where = f"{one['path']}:{one['line']}"
            yield f"{where}: a problem is missing ({one['what']}), there are {lines}"
    allowed = {one["path"] for one in expected["problems"]} | may
    refused = [one if isinstance(one, str) else one["path"] for one in expected.get("refused", ())]
    for problem in answer["problems"]:
        if problem["path"] not in allowed and not _is_named(problem["path"], refused):
            told = f"{problem['code']} {problem['message']}"
            yield f"{problem['path']}:{problem['line']}: no problem is here: {told}"


def _record(wanted: dict[str, Any], record: dict[str, Any]) -> Iterator[str]:
    for key in _KEYS:
        if record[key] != wanted[key]:
            yield f"{key} is {record[key]!r}, wanted {wanted[key]!r}"
    links = [(one["target"], one["line"]) for one in record["links"]]
    if links != [(one["target"], one["line"]) for one in wanted["links"]]:
        yield f"links are {links}, wanted {[(one['target'], one['line']) for one in wanted['links']]}"
    for key in _LINES:
        if record["lines"].get(key) != wanted["lines"][key]:
            yield f"line of {key} is {record['lines'].get(key)}, wanted {wanted['lines'][key]}"


def _is_named(path: str, names: Any) -> bool:
    parts = path.split("/")
    return any("/".join(parts[:n]) in names for n in range(1, len(parts) + 1))


def _told(answer: dict[str, Any], path: str) -> str:
    told = [one["why"] for one in answer["skipped"] if f"{path}/".startswith(one["path"] + "/")]
    told += [one["message"] for one in answer["problems"] if one["path"] == path]
    return "; ".join(told) or "not named"
