"""The results of the table: written by a test run, compared by every other, shown on the page."""

import getpass
import json
import os
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

from fault_table import RESULTS

_VARIES = (
    (re.compile(r"/[^\s:'\"]*/(?=[\w.-]+\.(?:run|toml|ipynb|log|json)\b)"), "…/"),
    (re.compile(r"(?<=127\.0\.0\.1)([]:]+ ?)\d{4,5}\b"), r"\1PORT"),
    (re.compile(r"\bport \d{5}\b"), "port PORT"),
    (re.compile(r"/[\w./-]*/(?=known_hosts|config\b|client_key|wrong\b)"), "…/"),
    (re.compile(r"-p \d{5}\b"), "-p PORT"),
    (re.compile(r"\b(?:sha256:)?[0-9a-f]{12,64}\b"), "ID"),
)


def steady(text: str, folder: Path | None = None) -> str:
    """Return a message without what differs from run to run: ports, folders, ids."""
    if folder is not None:
        text = text.replace(str(folder), "…")
    text = text.replace(f"user {getpass.getuser()!r}", "user 'me'")
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    text = text.replace("……", "…").replace("Operation not permitted", "Permission denied")
    # An author's step says its whole report: the first paragraphs hold the reason.
    head = text.partition("\n\nAnswer")[0].replace("[real run]\n\n", "").replace("[lab run]\n\n", "")
    return re.sub(r"\s*\n\s*", " ", head)


def read_results(place: str) -> dict[str, Any]:
    """Return what is kept of one place, empty where nothing was run."""
    path = RESULTS / f"{place}.json"
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return data


def write_results(place: str, found: dict[str, Any], **about: Any) -> Path:
    """Write the results of one place."""
    path = RESULTS / f"{place}.json"
    faults = dict(sorted(found.items()))
    path.write_text(
        json.dumps({**about, "faults": faults}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return path


#: Set to write what is found instead of comparing with it.
WRITE = "REAFFIRM_WRITE_FAULTS"


def compare(place: str, fault: str, found: dict[str, Any]) -> None:
    """Stop unless this is what the results file says, or write it there where that is asked for."""
    kept = read_results(place)
    faults = kept.get("faults", {})
    if os.environ.get(WRITE):
        about = {key: value for key, value in kept.items() if key != "faults"}
        write_results(place, faults | {fault: found}, **about)
        return
    hint = f"run {WRITE}=1 pytest tests/faults, look at the difference, then scripts/regen"
    assert faults.get(fault) == found, hint


def keep_lab(fault: str, found: dict[str, Any]) -> None:
    """Write what was seen on the lab, with the day, where that is asked for. Real hosts differ in words."""
    if os.environ.get(WRITE):
        kept = read_results("lab")
        today = datetime.now(UTC).strftime("%Y-%m-%d")
        faults = kept.get("faults", {}) | {fault: found | {"measured": today}}
        write_results("lab", faults, measured=today, versions=_versions())


def _versions() -> dict[str, str]:
    return {"python": python_version(), "reaffirm": version("reaffirm"), "asyncssh": version("asyncssh")}
