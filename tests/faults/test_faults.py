"""The table of faults: every specimen ends as it says, and the next run works."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fault_table import Fault, read_faults
from kill_moments import campaign
from lab_place import Lab, hit_on_the_lab, next_on_the_lab
from loopback_place import Loopback, Sshd, hit_over_ssh, next_over_ssh
from playing import ROOT, Played
from process_place import again, both_at_once, by_the_runner, hindered, stopped_in
from results_file import compare, keep_lab, steady
from simulated_place import Scene, check_recording, hit, next_run
from sshd import missing

from reaffirm.nodes import ssh_commands

FAULTS = read_faults()


def lab_is_missing() -> str:
    """Return why the lab cannot be used; empty when it is up."""
    script = ROOT / "scripts" / "lab"
    argv = [sys.executable, str(script), "status"]
    status = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    return "" if status.returncode == 0 else "`scripts/lab status` says it is not up"


#: Faults on the lab that take seconds. The others launch an engine: all of them take a quarter of an hour.
_QUICK = (
    "container-hangs-on-stop",
    "container-restarting",
    "log-binary",
    "ssh-answers-nothing",
    "ssh-refused",
)


def _of(place: str) -> list[object]:
    """Return the faults of one place as parameters; what is known to fail does so strictly."""
    return [pytest.param(fault, id=fault.id, marks=_marks(fault)) for fault in FAULTS if fault.place == place]


def _marks(fault: Fault) -> list[pytest.MarkDecorator]:
    found = []
    if fault.expected_to_fail:
        found.append(pytest.mark.xfail(strict=True, reason=fault.expected_to_fail))
    if fault.place == "lab" and fault.id not in _QUICK:
        found.append(pytest.mark.slow)
    return found


def ended_as_written(fault: Fault, played: Played) -> None:
    """Stop unless a run ended as its specimen says."""
    after = fault.after
    whole = " ".join(f"{played.said}\n{played.hint}".split())
    assert (played.exit, played.ends) == (after.exit, after.ends), whole
    for words in after.says:
        assert words in whole
    if played.exit:
        assert played.error is not None, played.said
        assert played.hint, f"no next action in: {played.said}"
    if after.outcome:
        assert played.outcome == after.outcome, whole
    for name, value in after.facts.items():
        assert name in played.facts, sorted(played.facts)
        assert played.facts[name] in ((value, None) if value == "unknown" else (value,)), name
    for name in after.files:
        assert (played.folder / name).is_file(), sorted(map(str, played.folder.rglob("*")))


@pytest.mark.parametrize("fault", _of("simulated"))
def test_on_simulated_nodes(fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault would end in other words, lose a file, touch what is not ours, or spoil the next run."""
    played, here = hit(fault, tmp_path, monkeypatch)
    ended_as_written(fault, played)
    _untouched(here)
    compare("simulated", fault.id, _kept(played, tmp_path) | {"left": here.left()})
    assert here.left() == sorted(fault.after.left) or "left" not in _given(fault), here.left()
    next_run(here, monkeypatch)


def _kept(played: Played, folder: Path) -> dict[str, object]:
    """What the results file keeps of a run."""
    words = {"said": steady(played.said, folder), "next": steady(played.hint, folder)}
    return {"exit": played.exit, "ends": played.ends, **words}


def _given(fault: Fault) -> set[str]:
    return {"left"} if fault.after.left or not fault.nodes else set()


def _untouched(here: Scene) -> None:
    now = here.of_others()
    for node, was in here.before.items():
        for what, value in was.items():
            if what == "images" and any(mishap["what"] == "image-gone" for mishap in here.fault.mishaps):
                continue
            assert now[node][what] == value, f"{what} on {node} was touched"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """One OpenSSH server for all faults."""
    if reason := missing():
        pytest.skip(f"loopback: {reason}")
    one = Sshd(tmp_path_factory.mktemp("sshd")).start()
    yield one
    one.stop()


@pytest.fixture
def loopback(server: Sshd, tmp_path: Path) -> Iterator[Loopback]:
    """The way to that server, with our proxy in it."""
    here = Loopback(server, tmp_path)
    yield here
    here.close()


@pytest.mark.parametrize("fault", _of("loopback"))
def test_over_ssh(fault: Fault, loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the real way to a machine would end in other words, or hang, or spoil the next run."""
    monkeypatch.setattr(ssh_commands, "ANSWER_SECONDS", 1.5)
    played = hit_over_ssh(fault, loopback, monkeypatch)
    ended_as_written(fault, played)
    if (played.folder / "recording.jsonl").exists():
        check_recording(played)
    compare("loopback", fault.id, _kept(played, loopback.folder))
    if fault.next:
        next_over_ssh(fault, loopback, monkeypatch)


#: Faults that are played once more by the runner itself: each chapter, and each exit status.
THROUGH = (
    "node-away-in-the-launch",
    "docker-daemon-down",
    "python-missing",
    "stream-cut",
    "node-locked",
    "log-flood",
)


@pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS if fault.place == "simulated" and fault.id in THROUGH],
    ids=lambda f: f.id,
)
def test_the_runner_says_the_same(fault: Fault, tmp_path: Path) -> None:
    """The notebook would not say where it ended, or the status of the command would be another one."""
    found = by_the_runner(fault, tmp_path)
    assert (found.exit, found.problems, found.left) == (fault.after.exit, [], []), found.said
    assert found.ended["how"] == ("failed" if fault.after.exit else "completed")
    assert found.ended["heading"] == fault.after.ends
    if fault.after.exit:
        assert f'at cell {found.ended["cell"]} "{fault.after.ends}"' in found.said
        assert "next: " in found.said


@pytest.mark.parametrize("fault", _of("process"))
def test_in_a_process_of_its_own(fault: Fault, tmp_path: Path) -> None:
    """A run that is stopped would leave a notebook that lies, a broken recording or a process behind."""
    if fault.steps:  # several at a time: mostly each waits
        with ThreadPoolExecutor(3) as pool:
            hits = list(pool.map(lambda step: stopped_in(fault, step, tmp_path / step), fault.steps))
    elif fault.how["what"] == "two":
        hits = list(both_at_once(fault, tmp_path))
    else:
        hits = [hindered(fault, tmp_path)]
    for found in hits:
        assert (found.exit, found.problems, found.left) == (fault.after.exit, [], []), (
            f"{found.step}: {found.said}"
        )
        assert "Traceback" not in found.said
        for words in fault.after.says:
            assert words in found.said, found.said
        if fault.after.how:
            assert found.ended["how"] == fault.after.how, found.ended
    last = hits[-1]
    lines = [line for line in last.said.splitlines() if " at cell " in line or line.startswith("reaffirm: ")]
    said = " ".join(lines) or str(last.ended.get("why", "")) or "the run completed"
    compare("process", fault.id, {"exit": last.exit, "ends": "", "said": steady(said, tmp_path), "next": ""})
    if fault.next:
        following = again(fault, tmp_path / "again")
        assert (following.exit, following.problems) == (0, []), following.said


def test_killed_at_random_moments(tmp_path: Path) -> None:
    """A run that dies would leave a notebook that lies, half a recording, a process, or a lost container."""
    result = campaign(8, nodes="simulated", seed=20261130, keep=tmp_path)
    assert [kill for kill in result["kills"] if kill["problems"]] == []


@pytest.fixture(scope="module")
def lab_hosts() -> None:
    """Both hosts, if they are up."""
    if reason := lab_is_missing():
        pytest.skip(f"lab: {reason}")


@pytest.mark.lab
@pytest.mark.usefixtures("lab_hosts")
@pytest.mark.parametrize("fault", _of("lab"))
def test_on_the_lab(fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On real hosts a fault would end in other words than on simulated ones, or leave something behind."""
    here = Lab(tmp_path)
    try:
        played, left = hit_on_the_lab(fault, here, monkeypatch)
        ended_as_written(fault, played)
        assert left == sorted(fault.after.left)
        next_on_the_lab(fault, here, monkeypatch)
    finally:
        here.close()
    keep_lab(fault.id, _kept(played, tmp_path) | {"left": left})
