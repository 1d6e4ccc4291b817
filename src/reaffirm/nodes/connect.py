"""``connect()``: from the name of a machine file to the nodes of a run."""

import atexit
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from reaffirm.draw.banner import banner_html, banner_text
from reaffirm.errors import DocumentError, RecordingError
from reaffirm.model.evidence import Kind
from reaffirm.model.node import Machines, Way
from reaffirm.nodes.cluster import Cluster, RunContext, Show, show_in_notebook
from reaffirm.nodes.finding import machine_file
from reaffirm.nodes.locks import NodeLocks
from reaffirm.nodes.notebook_fact import joined
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.recording import recording
from reaffirm.nodes.recording_format import RECORDING, Header, header_from_json, read_events
from reaffirm.nodes.replay import Replay
from reaffirm.nodes.secret_variables import learn, learn_environment
from reaffirm.nodes.taking_up import earlier_run, take_up
from reaffirm.nodes.transport import Transport
from reaffirm.redact import redact
from reaffirm.store.machines import read_machines
from reaffirm.store.project import (
    DRY_RUN_VARIABLE,
    RUN_DIR_VARIABLE,
    RUNBOOK_VARIABLE,
    Project,
    enter_project,
    find_project,
    image_folders,
)

#: The machine file that was used, as it is kept in the folder of a run.
MACHINES = "machines.toml"
PROVENANCE = "provenance.json"


@dataclass
class _Process:
    """What one process remembers between two calls of :func:`connect`."""

    published: Path | None = None  # the published run in whose folder the process began
    recordings: dict[Path, int] = field(default_factory=dict)

    def recording(self, folder: Path) -> str:
        """Return the name of the next recording of a run: a run may connect more than once."""
        number = self.recordings[folder] = self.recordings.get(folder, 0) + 1
        return RECORDING if number == 1 else f"recording-{number}.jsonl"


_process = _Process()


def connect(nodes: str | Path = "simulated", *, consent: str = "", runbook: str = "") -> Cluster:
    """Return the nodes of a machine file, ready for steps.

    Args:
        nodes: the name of a machine file under ``runbooks/nodes`` (``simulated``), or a path to one.
            A relative path begins where the run was called, else in the working directory, else at the
            project's root.
        consent: what may be destroyed on real machines: ``node/container``, separated by commas.
        runbook: the name that containers are labelled with (default: the runbook that is being run).

    *Which nodes.* A machine file with a table ``[world]`` gives simulated nodes, any other one real
    machines: over SSH, or this one where a node says ``transport = "local"``. Every request is recorded
    into the folder of the run.

    *The folder of the run* is the one the runner names (beside the notebook); in a notebook opened by
    hand a new one, ``runs/interactive/<time>.run``; outside of a project there is none.

    *In the folder of a published run* (it holds ``recording.jsonl`` and ``provenance.json``) no
    machine is ever touched: a run of kind ``simulated`` is simulated again, any other is replayed from
    its recording, and a request that differs from the recorded one is an error. Copy the notebook
    elsewhere to run it live.

    *Working directory.* From here on it is the root of the project, under papermill, nbval and Jupyter
    alike, and the runbook's folder can be imported from.

    Raises:
        MachineFileError: no such machine file, or it is wrong.
        NetworkError, AuthenticationError: a machine does not answer or does not let us in.
        RecordingError: a replay was asked for and the recording is damaged or is of other machines.
    """
    called_from = Path.cwd()
    dry = bool(os.environ.get(DRY_RUN_VARIABLE))
    given = os.environ.get(RUN_DIR_VARIABLE, "")
    directory = Path(given).resolve() if given else None
    published = None if directory or dry else _published_run(called_from)
    project = enter_project()
    if published is not None and _provenance(published, project)["kind"] != Kind.SIMULATED:
        return _finish(_replayed(published, project, str(nodes), consent, runbook), _resumed(published))
    recorded = _recorded_header(published) if published else None
    runbook = runbook or _runbook_name() or (recorded.runbook if recorded else "")
    path = machine_file(nodes, project, called_from)
    machines = read_machines(path, shown=project.relative(path) if project else str(path))
    if published is not None and not machines.world:
        # its provenance says simulated; whoever edits that must not send a published run to machines
        msg = f"this published run says that it was simulated, but {machines.path} names real machines"
        raise RecordingError(msg, hint="nothing was asked; copy the notebook elsewhere to run it live")
    if directory is None and published is None and project is not None and not dry:
        directory = _interactive(project)
    learn_environment(machines.secrets.variables, machines.secrets.patterns)
    learn()
    if dry:
        from reaffirm.nodes.dry_run import dry_cluster  # loads the simulator

        return dry_cluster(machines, project, consent=consent, runbook=runbook)
    run = recorded.run if recorded else directory.name.removesuffix(".run") if directory else ""
    earlier = earlier_run(directory)
    tape = Path(os.devnull)  # answers are redacted all the same: a run is the same with and without a folder
    kept = redact(path.read_text(encoding="utf-8-sig"))
    if directory is not None:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / MACHINES).write_text(kept, encoding="utf-8")
        tape = directory / _process.recording(directory)
    locks = NodeLocks(run, runbook, None, machines.path)

    def open_nodes() -> Mapping[str, Transport]:
        return {name: locks.locked(node) for name, node in _live(machines, project).items()}

    granted: tuple[str, ...] = ()
    if earlier:
        resuming = take_up(earlier, tape, machines, kept, runbook, open_nodes)
        transports, recorder = resuming.transports, resuming.recorder
        run, granted = recorder.run, resuming.consented
    else:
        recorder = Recorder(
            tape,
            machines=machines.name,
            machines_path=machines.path,
            runbook=runbook,
            run=run,
            resumed=recorded.resumed if recorded else {},
        )
        transports = {name: recording(node, recorder) for name, node in open_nodes().items()}
        recorder.begin()
    locks.note = recorder.note
    cluster = Cluster(
        machines,
        transports,
        RunContext(directory),
        consent=consent,
        runbook=runbook,
        run=run,
        granted=granted,
        note=recorder.note,
    )
    if earlier:
        resuming.when_live = cluster.agreed.expire
    return _finish(cluster, recorder.resumed)


def open_cluster(nodes: str | Path, *, show: Show = show_in_notebook) -> Cluster:
    """Return the nodes of a machine file for a look: nothing is recorded and no folder is made.

    The caller closes it. The working directory becomes the root of the project, as with :func:`connect`.

    Raises:
        MachineFileError: no such machine file, or it is wrong.
        NetworkError, AuthenticationError: a machine does not answer or does not let us in.
    """
    called_from = Path.cwd()
    project = enter_project()
    path = machine_file(nodes, project, called_from)
    machines = read_machines(path, shown=project.relative(path) if project else str(path))
    learn_environment(machines.secrets.variables, machines.secrets.patterns)
    return Cluster(machines, _live(machines, project), RunContext(None, show=show))


def simulated_nodes(machines: Machines, project: Project | None) -> Mapping[str, Transport]:
    """Return the nodes of a simulated world, made anew."""
    from reaffirm.nodes.simulated import World
    from reaffirm.store.images import read_images
    from reaffirm.store.node_programs import node_programs

    images = {}
    for folder in reversed(image_folders(project)):  # the project's own pages win
        images.update(read_images(folder))
    world = World.from_machines(machines, images, node_programs(project))
    return {node.name: world.transport(node.name) for node in machines.nodes}


def _live(machines: Machines, project: Project | None) -> Mapping[str, Transport]:
    if machines.world:
        return simulated_nodes(machines, project)
    opened: dict[str, Transport] = {}
    if distant := tuple(node for node in machines.nodes if node.transport is Way.SSH):
        from reaffirm.nodes.ssh import open_nodes

        opened |= open_nodes(replace(machines, nodes=distant))
    for node in machines.nodes:
        if node.transport is Way.LOCAL:
            from reaffirm.nodes.local import LocalTransport

            opened[node.name] = LocalTransport(node)
    return {node.name: opened[node.name] for node in machines.nodes}


def _replayed(folder: Path, project: Project | None, nodes: str, consent: str, runbook: str) -> Cluster:
    name = _process.recording(folder)
    path = folder / name if (folder / name).is_file() else folder / RECORDING
    replay = Replay(path, shown=project.relative(path) if project else str(path))
    header = replay.header
    asked = Path(nodes).stem
    if asked != header.machines:
        msg = f"{path.name} is a run on {header.machines!r}, got nodes = {nodes!r}"
        raise RecordingError(
            msg, hint="a published run is replayed; copy the notebook elsewhere to run it live"
        )
    kept = folder / MACHINES
    if kept.is_file():
        machines = read_machines(kept, shown=header.machines_path, name=header.machines)
    else:
        machines = Machines(header.machines, header.machines_path, header.nodes)
    machines = replace(machines, nodes=header.nodes)
    label = runbook or _runbook_name() or header.runbook
    return Cluster(
        machines,
        replay.transports,
        RunContext(None),
        consent=consent,
        runbook=label,
        run=header.run,
        granted=replay.consented,
    )


def _finish(cluster: Cluster, resumed: Mapping[str, Any]) -> Cluster:
    atexit.register(cluster.close)
    joined(cluster)
    about = (cluster.kind, cluster.machines.name, cluster.machines.nodes, resumed)
    cluster.context.display({"text/plain": banner_text(*about), "text/html": banner_html(*about)})
    return cluster


def _published_run(here: Path) -> Path | None:
    """Return the published run this process began in, if any; it is remembered after the first call."""
    # one of the two is enough: a file that was lost must not turn a replay into a live run
    if (here / RECORDING).is_file() or (here / PROVENANCE).is_file():
        _process.published = here
        _process.recordings.pop(here, None)
    elif _process.published is not None:
        project = find_project(_process.published)
        if project is None or here.resolve() != project.root:
            _process.published = None
    return _process.published


def _provenance(folder: Path, project: Project | None) -> Mapping[str, Any]:
    path = folder / PROVENANCE
    shown = project.relative(path) if project else str(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        Kind(data["kind"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{shown}:1: a published run says its kind, got {type(error).__name__}: {error}"
        raise DocumentError(
            msg, hint="take the file from the version control, or publish the run again"
        ) from error
    return data  # type: ignore[no-any-return]


def _recorded_header(folder: Path) -> Header | None:
    """What the first recording of a published run says about its run."""
    with suppress(RecordingError, KeyError, TypeError, ValueError, AttributeError):
        return header_from_json(next(read_events(folder / RECORDING, RECORDING)).fields)
    return None


def _resumed(folder: Path) -> Mapping[str, Any]:
    """What a published run says of the run that it took up; the same every time."""
    header = _recorded_header(folder)
    return header.resumed if header else {}


def _runbook_name() -> str:
    return Path(os.environ.get(RUNBOOK_VARIABLE, "")).stem


def _interactive(project: Project) -> Path:
    """Return a new folder for a notebook that no runner started."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    folder = project.runs / "interactive"
    for number in count(1):
        name = f"{stamp}.run" if number == 1 else f"{stamp}-{number}.run"
        try:
            (folder / name).mkdir(parents=True)
        except FileExistsError:
            continue
        return folder / name
    raise AssertionError  # pragma: no cover
