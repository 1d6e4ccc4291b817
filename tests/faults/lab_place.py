"""Brings a fault about on the two hosts of the lab, with commands there, while a runbook runs."""

import json
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from aftermath import start
from fault_table import Fault
from playing import Played, closed, play
from simulated_place import BYSTANDER, check_recording

from reaffirm.images.plan import LABEL

CONFIG = "/var/lib/reaffirm-lab/ssh/config"
HOSTS = ("spark-1", "spark-2")
_IMAGE = "sglang:lab"


def on(host: str, words: Sequence[str], *, check: bool = True) -> str:
    """Run one command on a host, by OpenSSH and not by the engine that is tested."""
    argv = ["ssh", "-F", CONFIG, host, shlex.join(words)]
    if host.startswith("net:"):  # what no SSH shall carry: rules that cut it off
        argv = ["nsenter", f"--net=/run/netns/reaffirm-{host[4:]}", *words]
    made = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    if check and made.returncode != 0:
        msg = f"{host}: {' '.join(words)}: {made.stderr.strip()}"
        raise RuntimeError(msg)
    return made.stdout


class Lab:
    """Both hosts, with a container of somebody else's on each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.errors: list[str] = []
        for host in HOSTS:
            on(host, ["docker", "rm", "-f", BYSTANDER], check=False)
            on(
                host,
                ["docker", "run", "-d", "--name", BYSTANDER, "--network", "host", _IMAGE, "sleep", "9999"],
            )
        self.before = self.of_others()

    def of_others(self) -> dict[str, str]:
        """The bystanders and the images, as they are."""
        return {
            host: on(host, ["docker", "inspect", "--format", "{{.Id}} {{.State.Status}}", BYSTANDER])
            + on(host, ["docker", "images", "--format", "{{.Repository}}:{{.Tag}} {{.ID}}"])
            for host in HOSTS
        }

    def left(self) -> list[str]:
        """Our containers, by their label."""
        asked = ["docker", "ps", "-a", "--filter", f"label={LABEL}", "--format", "{{.Names}}"]
        return sorted(f"{host}/{name}" for host in HOSTS for name in on(host, asked).split())

    def bring_about(self, fault: Fault) -> Callable[[], None]:
        """Do what goes wrong: at once, or as soon as a container is there. Return what waits for its end."""
        how = fault.how
        for host, *words in how.get("before", ()):
            on(host, words)
        if "run" in how:
            return self._another(how["run"], *how["when"])
        if "during" not in how:
            return lambda: None
        thread = threading.Thread(target=self._when, args=(how,), daemon=True)
        thread.start()
        return lambda: thread.join(60)

    def _another(self, runbook: str, host: str, name: str) -> Callable[[], None]:
        """Start another run, and wait until a container of its is there; return what waits for its end."""
        process = start(f"runbooks/{runbook}.py", self.folder / "other.ipynb", "--nodes", "lab")
        asked = ["docker", "ps", "-q", "--filter", f"name=^{name}$"]
        for _ in range(300):
            if on(host, asked, check=False).strip() or process.poll() is not None:
                break
            time.sleep(0.1)

        def wait() -> None:
            said, _ = process.communicate(timeout=300)
            if process.returncode != 0:
                self.errors.append(f"the other run ended with {process.returncode}: {said[-500:]}")

        return wait

    def _when(self, how: Mapping[str, Any]) -> None:
        host, name = how["when"]
        try:
            for _ in range(300):
                if on(host, ["docker", "ps", "-q", "--filter", f"name=^{name}$"], check=False).strip():
                    break
                time.sleep(0.1)
            time.sleep(how.get("seconds", 0.0))
            for where, *words in how["during"]:
                on(where, words)
        except Exception as error:
            self.errors.append(str(error))

    def mend(self, fault: Fault) -> None:
        """Undo it."""
        for host, *words in fault.how.get("undo", ()):
            on(host, words, check=False)

    def close(self) -> None:
        """Leave nothing behind."""
        for host in HOSTS:
            on(host, ["docker", "rm", "-f", BYSTANDER], check=False)

    def play(self, name: str, run: str, patch: pytest.MonkeyPatch, **values: Any) -> Played:
        """Play a runbook on the lab."""
        with closed(play(name, {"nodes": "lab", **values}, self.folder / run, patch)) as played:
            return played


def hit_on_the_lab(fault: Fault, lab: Lab, patch: pytest.MonkeyPatch) -> tuple[Played, list[str]]:
    """Let the fault hit its runbook; return how it ended and what is left on the hosts."""
    wait = lab.bring_about(fault)
    try:
        played = lab.play(fault.runbook, "hit.run", patch, **fault.parameters)
        wait()
    finally:
        lab.mend(fault)
    assert lab.errors == [], lab.errors
    if (played.folder / "recording.jsonl").exists():
        check_recording(played)
    return played, lab.left()


def next_on_the_lab(fault: Fault, lab: Lab, patch: pytest.MonkeyPatch) -> None:
    """Clean up, look at the hosts, then make the same run again."""
    left = lab.left()
    names = [one.partition("/")[2] for one in left] + list(fault.how.get("names", ()))
    if names:
        cleaned = lab.play("cleanup_containers", "cleanup.run", patch, names=list(dict.fromkeys(names)))
        assert cleaned.exit == 0, cleaned.said
        assert set(left) <= set(cleaned.facts["cleanup.removed"])
    assert lab.left() == []
    again = lab.play(fault.runbook, "next.run", patch, **fault.how.get("next", {}))
    assert again.exit == 0, f"the next run ended at {again.ends!r}: {again.said}"
    names = [one.partition("/")[2] for one in lab.left()]
    if names:
        assert lab.play("cleanup_containers", "last.run", patch, names=list(dict.fromkeys(names))).exit == 0
    assert lab.left() == []
    assert lab.of_others() == lab.before, json.dumps([lab.before, lab.of_others()])
