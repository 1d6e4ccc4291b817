"""How much text redaction takes in a second, against a floor: JSON made of the same text, in the same run.

The text is what the published recordings hold: logs, answers, reports. Seconds are the processor's, and each
figure is the best of several rounds. The ratio is what compares between machines.

    python benchmarks/redaction_speed.py [--megabytes 12.7] [--values 15] [--write]
"""

import argparse
import json
import random
import string
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from whole_process import HERE, machine

from reaffirm.redact import StreamRedactor, redact, remembering

RESULT = HERE / "results" / "redaction_speed.json"
ROUNDS = 3


def main() -> int:
    """Measure and print."""
    words = argparse.ArgumentParser(description="How much text redaction takes in a second.")
    words.add_argument("--megabytes", type=float, default=12.7, help="how much text")
    words.add_argument("--values", type=int, default=15, help="how many secrets are known by value")
    words.add_argument("--write", action="store_true", help=f"write {RESULT.relative_to(HERE.parent)}")
    given = words.parse_args()
    found = measure(int(given.megabytes * 1e6), given.values)
    print(json.dumps(found, indent=2))
    if given.write:
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text(json.dumps(found, indent=2) + "\n")
    return 0


def measure(size: int, values: int) -> dict[str, Any]:
    """Redact the text as a whole and as a stream, with and without known values."""
    text = "\n".join(_recorded(HERE.parent / "docs" / "runs"))
    text = (text * (size // len(text) + 1))[:size]
    made = random.Random(1)
    secrets = [
        "".join(made.choices(string.ascii_letters + string.digits + "!$%&", k=24)) for _ in range(values)
    ]

    def stream() -> None:
        redactor = StreamRedactor()
        for at in range(0, len(text), 65_536):
            redactor.feed(text[at : at + 65_536])
        redactor.close()

    floor = _best(lambda: json.dumps(text))
    figures = {"json.dumps": floor, "redact": _best(lambda: redact(text))}
    with remembering(secrets):
        figures[f"redact, {values} known values"] = _best(lambda: redact(text))
        figures[f"stream, {values} known values"] = _best(stream)
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "megabytes": round(len(text) / 1e6, 1),
        "processor_seconds": {name: round(seconds, 3) for name, seconds in figures.items()},
        "megabytes_per_second": {name: round(len(text) / 1e6 / s, 1) for name, s in figures.items()},
        "times_the_floor": {name: round(seconds / floor, 1) for name, seconds in figures.items()},
        "machine": machine(),
    }


def _best(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)


def _recorded(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("recording*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from _texts(json.loads(line))


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from _texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from _texts(value)


if __name__ == "__main__":
    sys.exit(main())
