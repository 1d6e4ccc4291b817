"""Are the nodes as the finished steps of a run left them? Asked before a run is taken up again.

What is expected is read from the recording: containers that were started and not removed, containers that
were removed, images that were looked at, ports of a server that were free. Only reading commands are sent.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reaffirm.errors import NodeError, RecordingError
from reaffirm.model.exchange import Answer
from reaffirm.model.node import Machines
from reaffirm.nodes.exchange_json import answer_to_json
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.recording import clean_answer
from reaffirm.nodes.recording_format import Tape
from reaffirm.nodes.transport import Transport
from reaffirm.redact import redact_words

_LISTENERS = ("ss", "-H", "-ltnp")
# What engines listen on where a machine file says nothing.
_PORTS = (8000, 29501, 30000, 50000)
# After these an image may be another one than before.
_NEW_IMAGES = ("pull", "load", "tag", "rmi", "build", "import", "commit")


@dataclass
class Left:
    """How the finished steps left one node, as far as it can be told from what was asked and answered.

    ``containers`` maps a name to its id and whether it ran (``None``: nobody looked); ``names`` maps the ids
    of all containers that were seen to their names.
    """

    containers: dict[str, tuple[str, bool | None]] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    images: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    free: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.containers or self.removed or self.images or self.free)


def left_by(tape: Tape, machines: Machines) -> Mapping[str, Left]:
    """Return how a recorded beginning of a run left each node."""
    nodes = {node.name: Left() for node in tape.header.nodes}
    interesting = {*_PORTS, *_launch_ports(machines)}
    for event in tape.events:
        if event.op != "run" or "answer" not in event.fields:
            continue
        argv, answer = [str(word) for word in event.fields["argv"]], event.fields["answer"]
        left = nodes[event.fields["node"]]
        if tuple(argv) == _LISTENERS and answer["exit"] == 0:
            left.free = frozenset(interesting - set(_listening(answer["stdout"])))
        elif argv[:1] == ["docker"]:
            _note(left, argv[1:], answer)
    return nodes


def _note(left: Left, words: Sequence[str], answer: Mapping[str, Any]) -> None:
    done, said = answer["exit"] == 0, str(answer["stdout"])
    match list(words):
        case ["run", *options] if done and "-d" in options and "--name" in options:
            name = options[options.index("--name") + 1]
            shown = said.strip().splitlines()[-1] if said.strip() else ""
            left.containers[name] = (shown, None)
            left.names[shown] = name
            left.removed.discard(name)
            left.free = frozenset()  # what was started listens by now, or will
        case ["rm", *rest] if done:
            for name in (_name(left, word) for word in rest if not word.startswith("-")):
                left.containers.pop(name, None)
                left.removed.add(name)
        case ["stop" | "kill", *rest] if done:
            _running(left, _name(left, rest[-1]), runs=False)
        case ["start" | "restart", *rest] if done:
            _running(left, _name(left, rest[-1]), runs=True)
        case ["image", "inspect", reference] if done:
            if objects := _objects(said):
                left.images[reference] = str(objects[0].get("Id", ""))
        case ["inspect", name] if done:
            found = next((one for one in _objects(said) if isinstance(one.get("State"), dict)), None)
            if found is not None:
                name = str(found.get("Name") or name).removeprefix("/")
                left.names[str(found.get("Id", ""))] = name
                _running(left, name, runs=found["State"].get("Status") == "running")
        case ["inspect", "--format", "{{json .State}}", name] if done:
            if objects := _objects(said):
                _running(left, _name(left, name), runs=objects[0].get("Status") == "running")
        case [word, *_] if word in _NEW_IMAGES:
            left.images.clear()
        case _:
            return


def _running(left: Left, name: str, *, runs: bool) -> None:
    if name in left.containers:
        left.containers[name] = (left.containers[name][0], runs)


def _name(left: Left, word: str) -> str:
    """The name of a container that a command names by its name or its id."""
    return next((name for known, name in left.names.items() if _same_id(known, word)), word)


def differences(left: Mapping[str, Left], nodes: Mapping[str, Transport], recorder: Recorder) -> list[str]:
    """Ask the nodes and return what is not as it was left, one sentence each.

    What is asked and answered goes into the recording, in lines that a replay passes over.

    Raises:
        NodeError: a node could not be asked.
    """
    found: list[str] = []
    for name, expected in left.items():
        if expected:
            asker = _Asker(nodes[name], recorder)
            found += (f"{name}: {told}" for told in _of_one(expected, asker))
    return found


def check(
    run: str, step: str, left: Mapping[str, Left], nodes: Mapping[str, Transport], recorder: Recorder
) -> None:
    """Stop unless the nodes are as the finished steps of ``run`` left them.

    Raises:
        RecordingError: they are not; the message has one line for each difference.
        NodeError: a node could not be asked.
    """
    if found := differences(left, nodes, recorder):
        lines = "\n".join(f"  {told}" for told in found)
        msg = f"the machines are not as the finished steps of {run} left them; nothing was changed\n{lines}"
        again = sorted(
            {name for one in left.values() for name in one.removed if any(name in t for t in found)}
        )
        tidy = (
            f"look at {', '.join(again)} and remove them (cleanup_containers saves their logs), "
            if again
            else ""
        )
        hint = f"{tidy}put back what changed and resume at {step} again, or run it from the beginning"
        raise RecordingError(msg, hint=hint)


class _Asker:
    def __init__(self, node: Transport, recorder: Recorder) -> None:
        self._node = node
        self._recorder = recorder

    def __call__(self, *argv: str) -> Answer:
        answer = clean_answer(self._node.run(argv, timeout=60))
        said = {"node": self._node.node.name, "argv": redact_words(argv), "answer": answer_to_json(answer)}
        self._recorder.write("checked", said)
        return answer


def _of_one(left: Left, ask: _Asker) -> Iterator[str]:
    for name, (then, ran) in left.containers.items():
        entry = _container(ask, name)
        if entry is None:
            yield f"the container {name} was started ({then[:12]}) and is not there any more"
            continue
        now = str(entry.get("Id", ""))
        if then and not _same_id(now, then):
            yield f"the container {name} is another one: {then[:12]} was started, {now[:12]} is there"
        status = str(entry["State"].get("Status", "?"))
        if ran is not None and ran != (status == "running"):
            was = "ran" if ran else "did not run"
            yield f"the container {name} {was} and is {status} now"
    for name in sorted(left.removed):
        if (entry := _container(ask, name)) is not None:
            yield f"the container {name} was removed and is there again ({str(entry.get('Id', ''))[:12]})"
    for reference, then in left.images.items():
        answer = ask("docker", "image", "inspect", reference)
        objects = _objects(answer.stdout) if answer.ok else []
        now = str(objects[0].get("Id", "")) if objects else ""
        if now != then:
            got = f"is {now} now" if now else "is not there any more"
            yield f"the image {reference} was {then} and {got}"
    if left.free:
        answer = ask(*_LISTENERS)
        for port in sorted(left.free & set(_listening(answer.stdout))):
            yield f"port {port} was free, and somebody listens there now"


def _container(ask: _Asker, name: str) -> dict[str, Any] | None:
    answer = ask("docker", "inspect", name)
    if not answer.ok:
        if "no such" in answer.stderr.lower():
            return None
        msg = f"docker inspect {name}: {answer.stderr.strip() or answer.exit}"
        raise NodeError(msg, hint="is Docker running there, and may this user use it?")
    return next((o for o in _objects(answer.stdout) if isinstance(o.get("State"), dict)), None)


def _same_id(one: str, other: str) -> bool:
    """Whether two ids are of one container; Docker prints it whole or its first twelve digits."""
    if min(len(one), len(other)) < 12:
        return False
    return one.startswith(other) or other.startswith(one)


def _objects(text: str) -> list[dict[str, Any]]:
    try:
        data = json.loads(text)
    except ValueError:
        return []
    return [one for one in (data if isinstance(data, list) else [data]) if isinstance(one, dict)]


def _listening(text: str) -> Iterator[int]:
    """The ports in what ``ss -H -ltnp`` prints: the local address is its fourth word."""
    for line in text.splitlines():
        words = line.split()
        if len(words) > 3 and words[3].rpartition(":")[2].isdigit():
            yield int(words[3].rpartition(":")[2])


def _launch_ports(machines: Machines) -> Iterator[int]:
    for launch in machines.launch.values():
        yield from (port for port in (launch.port, launch.master_port, launch.dist_port) if port)
