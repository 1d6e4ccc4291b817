"""From the folder of an earlier run to the nodes of one that takes it up again.

What these nodes do then is in :mod:`reaffirm.nodes.resuming`.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from reaffirm.errors import RecordingError, UsageError
from reaffirm.model.node import Machines
from reaffirm.nodes.earlier import Earlier
from reaffirm.nodes.preconditions import check, left_by
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.recording_start import read_start
from reaffirm.nodes.resuming import Resuming
from reaffirm.nodes.transport import Transport
from reaffirm.store.project import RESUME_VARIABLE


def earlier_run(folder: Path | None) -> Earlier | None:
    """Return the run that this one takes up again, if its finished steps are not behind us yet.

    Raises:
        UsageError: there is one, and this run has no folder for its recording.
    """
    text = os.environ.get(RESUME_VARIABLE, "")
    if not text:
        return None
    if folder is None:
        msg = f"{RESUME_VARIABLE} is set, but this run has no folder to record into"
        raise UsageError(msg, hint="use `reaffirm run --resume RUN`")
    earlier = Earlier.from_text(text)
    return None if earlier.is_over else earlier


def take_up(
    earlier: Earlier,
    tape: Path,
    machines: Machines,
    text: str,
    runbook: str,
    open_nodes: Callable[[], Mapping[str, Transport]],
) -> Resuming:
    """Return the nodes: recorded answers first, then live. Nothing is asked that could change anything.

    The recording has the name of the earlier run: that is how finished steps have labelled what they started.

    Args:
        earlier: the run that is taken up.
        tape: the recording to write.
        machines: the machine file as it is now.
        text: its text, as it would be kept.
        runbook: the name of the runbook.
        open_nodes: opens the nodes; called when the recording is found fit.

    Raises:
        RecordingError: the recording is damaged, or the machines are not as they were left.
        NodeError: a machine does not answer.
        UsageError: it is another machine file than then.
    """
    number = tape.stem.partition("-")[2]
    start = read_start(earlier.path / tape.name, earlier.cell, shown=f"{earlier.run}: {tape.name}")
    header = start.tape.header
    _same_file(earlier, machines, text)
    live = opened = open_nodes()
    try:
        kinds = {name: node.kind for name, node in live.items()}
        if kinds != dict(header.kinds):
            then, now = (", ".join(f"{n}: {k}" for n, k in one.items()) for one in (header.kinds, kinds))
            msg = f"{earlier.run} ran on other machines: {then} then, {now} now; nothing was changed"
            raise RecordingError(msg, hint="run it from the beginning on these machines")
        about = earlier.header(start, int(number or 1))
        recorder = Recorder(
            tape,
            machines=machines.name,
            machines_path=machines.path,
            runbook=runbook,
            run=header.run,
            started=header.started,
            resumed=about,
        )
        recorder.clock = next(iter(live.values())).clock
        resuming = Resuming(earlier, start, live, recorder, again=bool(machines.world))
        opened = resuming.transports
        recorder.begin()
        for note in start.tape.notes:
            if note.op == "consent":  # of the finished steps; a replay of this run needs it as well
                recorder.write(
                    "consent", {k: v for k, v in note.fields.items() if k not in ("seq", "op", "h")}
                )
        if not machines.world:
            check(earlier.run, earlier.step, left_by(start.tape, machines), live, recorder)
    except BaseException:
        for node in opened.values():
            node.close()
        raise
    return resuming


def _same_file(earlier: Earlier, machines: Machines, text: str) -> None:
    try:
        then = (earlier.path / "machines.toml").read_text(encoding="utf-8")
    except OSError as error:
        msg = f"{earlier.run}: machines.toml, the machine file of then, cannot be read: {error.strerror}"
        raise UsageError(msg, hint="run it from the beginning") from error
    if then != text:
        was, now = then.splitlines(), text.splitlines()
        line = next(
            (n for n, (a, b) in enumerate(zip(was, now, strict=False), 1) if a != b),
            min(len(was), len(now)) + 1,
        )
        seen = [one[line - 1].strip() if line <= len(one) else "(no such line)" for one in (was, now)]
        said = f"{seen[0]!r} then, {seen[1]!r} now"
        msg = f"{machines.path}:{line}: the machine file changed since {earlier.run}: {said}"
        raise UsageError(msg, hint="put it back, or run it from the beginning")
