"""The lock of a node, on every transport: two runs that change it keep apart."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from reaffirm.errors import LockedError, NodeError
from reaffirm.model.changes import Change, Declaration
from reaffirm.nodes.declared import working
from reaffirm.nodes.lock_holder import here
from reaffirm.nodes.locks import NodeLocks, ask_lock
from reaffirm.nodes.transport import Transport

CHANGES = ["touch-nothing-but-count-as-a-change"]


@pytest.fixture(params=["simulated", "local", "loopback", pytest.param("lab", marks=pytest.mark.lab)])
def place(request: pytest.FixtureRequest) -> Transport:
    """One node of each transport, its lock free."""
    found = request.getfixturevalue(request.param)
    transport: Transport = list(found.values())[-1] if isinstance(found, Mapping) else found
    holder = ask_lock(transport, ["show"])["holder"]
    if holder:
        ask_lock(transport, ["break", str(holder["run"]), "a test"])
    return transport


def _other(**more: Any) -> dict[str, Any]:
    """A run on another machine."""
    return {**here("other-run", "a_runbook", "its token"), "host": "elsewhere", "machine": "another", **more}


def _take(place: Transport, holder: Mapping[str, Any], seconds: float = 1800) -> Mapping[str, Any]:
    return ask_lock(place, ["take", json.dumps(holder), str(seconds)])


def test_a_lock_is_taken_with_the_first_change_and_given_back(place: Transport) -> None:
    """A look would keep others out, or a lock would stay when its run has ended."""
    notes: list[tuple[str, Mapping[str, Any]]] = []
    locks = NodeLocks("this-run", "a_runbook", lambda op, fields: notes.append((op, fields)))
    node = locks.locked(place)
    node.run(["hostname"])
    node.run(["docker", "ps"])
    with working(Declaration("a_step", frozenset({Change.NOTHING}))):
        node.run(CHANGES)
    assert ask_lock(place, ["show"])["holder"] is None
    node.run(CHANGES)
    node.run(CHANGES)
    holder = ask_lock(place, ["show"])["holder"]
    assert (holder["run"], holder["runbook"], holder["pid"]) == ("this-run", "a_runbook", os.getpid())
    assert "until" not in holder
    assert notes == [("lock", {"node": place.node.name, "what": "taken"})]
    locks.free(place.node.name)
    assert ask_lock(place, ["show"])["holder"] is None


def test_a_first_change_that_takes_longer_than_a_lock_keeps_it(place: Transport) -> None:
    """Another run would take the node while the first one still copies an image to it."""
    locks = NodeLocks("this-run", "a_runbook")
    locks.before(place.node.name, changing=False, timeout=7200)
    locks.locked(place)
    locks.before(place.node.name, changing=True, timeout=7200)
    assert locks._held[place.node.name].since > place.clock.now() + 7000
    locks.free(place.node.name)


def test_another_run_is_kept_out_and_told_by_whom(place: Transport) -> None:
    """Two runs would remove each other's containers."""
    _take(place, _other())
    node = NodeLocks("this-run", "").locked(place)
    node.run(["hostname"])
    with pytest.raises(
        LockedError, match=r"held by run other-run of a_runbook, process \d+ on elsewhere, since"
    ) as it:
        node.run(CHANGES)
    assert f"unlock FILE --node {place.node.name} --run other-run" in it.value.hint
    assert it.value.exit_code == 2
    ask_lock(place, ["free", "its token"])
    node.run(CHANGES)
    ask_lock(place, ["break", "this-run", "a test"])


def test_a_run_that_died_on_this_machine_does_not_keep_its_lock(place: Transport) -> None:
    """After a crash nobody could go on for half an hour."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(20)
    _take(place, {**here("dead-run", "", "dead"), "pid": ended.pid, "born": "1"})
    notes: list[Mapping[str, Any]] = []
    locks = NodeLocks("this-run", "", lambda op, fields: notes.append(fields))
    locks.locked(place).run(CHANGES)
    assert notes[0]["after"] == {"run": "dead-run", "void": "its run is dead"}
    locks.free(place.node.name)
    # A process of that number that began later is another one.
    _take(place, {**here("dead-run", "", "dead"), "born": "1"})
    locks.locked(place).run(CHANGES)
    locks.free(place.node.name)


def test_a_lock_whose_run_is_not_heard_of_is_void(place: Transport) -> None:
    """A run that died on another machine would hold the node for ever."""
    _take(place, _other(), 0.05)
    place.clock.sleep(0.2)
    locks = NodeLocks("this-run", "")
    locks.locked(place).run(CHANGES)
    locks.free(place.node.name)


def test_a_lock_can_be_broken_and_its_run_learns_from_where(place: Transport) -> None:
    """A lock that somebody broke would be believed to be there."""
    locks = NodeLocks("this-run", "")
    node = locks.locked(place)
    node.run(CHANGES)
    assert ask_lock(place, ["break", "another-run", "x"])["broken"] is None
    assert ask_lock(place, ["break", "this-run", "a desk"])["broken"]["run"] == "this-run"
    locks._held[place.node.name].since -= 120
    with pytest.raises(LockedError, match="was broken from a desk"):
        node.run(CHANGES)


def test_one_process_may_connect_twice(place: Transport) -> None:
    """A runbook that connects to two machine files with one node would lock itself out."""
    first, second = NodeLocks("this-run", ""), NodeLocks("this-run", "")
    first.locked(place).run(CHANGES)
    second.locked(place).run(CHANGES)
    second.free(place.node.name)
    assert ask_lock(place, ["show"])["holder"]["run"] == "this-run"
    second.locked(place).run(CHANGES)
    first.free(place.node.name)
    second._held[place.node.name].since -= 120
    second.locked(place).run(CHANGES)
    assert ask_lock(place, ["show"])["holder"]["run"] == "this-run"
    second.free(place.node.name)
    assert ask_lock(place, ["show"])["holder"] is None


def test_an_order_that_cannot_be_read_takes_nothing(place: Transport) -> None:
    """A lock that could not be taken would look like one that is ours."""
    with pytest.raises(NodeError, match="its lock cannot be used"):
        ask_lock(place, ["take", "{", "1"])
    assert ask_lock(place, ["show"]) == {"holder": None}
