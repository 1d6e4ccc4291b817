"""The last words of a run on a terminal: short, and all that is needed to go on."""

from typing import Any

from reaffirm.model.evidence import Kind
from reaffirm.model.report import REPORT_MIME, STEP_ENDED, Outcome, Report
from reaffirm.run.closing import closing, outcome_of
from reaffirm.steps.check_rows import FAIL, PASS, WARNING, Checks


def _cell(*reports: Report) -> dict[str, Any]:
    return {"outputs": [{"data": {REPORT_MIME: r.as_json()}} for r in reports]}


def test_a_failed_check_says_what_to_do() -> None:
    """The report says it, but only in the notebook."""
    checks = Checks()
    checks.add("spark-1", "disk", FAIL, "3 GiB free", "free some space")
    checks.add("", "fabric", FAIL, "no subnet", "check the cable")
    checks.add("spark-2", "MTU", WARNING, "1500", "set it")
    checks.add("spark-2", "disk", PASS, "90 GiB free")
    report = Report("preflight", Kind.LAB, Outcome.FAIL, "2 failed", (checks.table(),))
    assert closing({"metadata": {}, "cells": [{}, _cell(report)]}) == [
        "preflight: fail: 2 failed",
        "FAIL disk on spark-1: 3 GiB free",
        "  next: free some space",
        "FAIL fabric: no subnet",
        "  next: check the cable",
    ]


def test_it_stays_short() -> None:
    """A run of a hundred steps, or one line of a log, would push the rest off the screen."""
    long = Report("launch", Kind.LAB, Outcome.STUCK, "a\nb\x1b[31m" + "x" * 1000)
    lines = closing({"metadata": {}, "cells": [_cell(*[long] * 100)]})
    assert len(lines) == 14
    assert lines[-1] == "… 87 more steps: see the notebook"
    assert max(map(len, lines)) == 160
    assert "\x1b" not in "".join(lines)
    assert outcome_of(_cell(long)) == "stuck"
    assert outcome_of({"outputs": [{"text": "x"}]}) == ""


def _unseen(report: Report) -> dict[str, Any]:
    told = {"step": report.step, "outcome": report.outcome, "summary": report.summary}
    return {"data": {}, "metadata": {STEP_ENDED: told}}


def test_a_failure_that_nobody_shows_is_told() -> None:
    """A failed step in the midst of a cell was ``ok`` in the progress, and missing at the end."""
    failed = Report("command", Kind.LAB, Outcome.FAIL, "status 1")
    passed = Report("http", Kind.LAB, Outcome.PASS, "status 200")
    cell = {"outputs": [_unseen(failed), _unseen(passed), *_cell(passed)["outputs"]]}
    assert outcome_of(cell) == "fail"
    assert closing({"metadata": {}, "cells": [cell]}) == ["command: fail: status 1", "http: pass: status 200"]
    both = {"outputs": [_unseen(failed), *_cell(failed)["outputs"]]}
    assert closing({"metadata": {}, "cells": [both]}) == ["command: fail: status 1"], "told twice"
