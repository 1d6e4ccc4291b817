"""The clock of live nodes."""

import time

import pytest

from reaffirm.clock import WallClock


def test_a_clock_that_is_set_changes_no_duration(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait of thirty seconds would last two hours, or a launch take less than no time."""
    clock = WallClock(offset=5.0)
    before = clock.now()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 7200.0)
    assert 0 <= clock.now() - before < 60
    assert abs(before - 5.0 - real()) < 60
