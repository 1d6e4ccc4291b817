"""Asks Docker about containers and images."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from reaffirm.errors import NodeError
from reaffirm.images.plan import LABEL, RUN_LABEL
from reaffirm.model.exchange import Answer
from reaffirm.model.survey import ImageHere
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import NO_ANSWER, Asker, json_line, json_list, why_not
from reaffirm.steps.reading import image_here

# "Error: No such object: x" (docker), "Error: no such object: "x"" (podman), "No such image: x".
_ABSENT = re.compile(r"no such (object|container|image)|image not known|unable to find", re.IGNORECASE)
# A container that its restart policy is starting at that very moment, 2026-11-30, podman 4.3: "cannot remove
# container 80e9… as it could not be stopped: sending SIGKILL to container 80e9…: container state improper:
# stopped". Docker: "removal of container 80e9… is already in progress". Both are over a moment later.
_IN_TRANSIT = re.compile(r"container state improper|already in progress|is restarting", re.IGNORECASE)
#: How often a removal is tried that meets a container in transit, and the pause between (node seconds).
_TRIES, _PAUSE = 5, 1.0
_PORT_FLAGS = ("--port", "--master-port")
_ADDRESS_FLAGS = ("--dist-init-addr", "--init")


@dataclass(frozen=True)
class Container:
    """A container as ``docker inspect`` tells it. ``runbook`` is the value of our label, ``None`` without.

    ``id`` is what it keeps when its name changes hands; the name where Docker tells none. ``created`` is
    Docker's own word for when.
    """

    name: str
    status: str
    exit: int
    oom: bool
    image: str
    runbook: str | None
    command: tuple[str, ...]
    raw: str
    id: str = ""
    created: str = ""
    run: str | None = None

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self.status == "running"

    @property
    def ports(self) -> tuple[int, ...]:
        """The TCP ports that its command line names."""
        found = []
        for flag, value in zip(self.command, self.command[1:], strict=False):
            word = (
                value if flag in _PORT_FLAGS else value.rpartition(":")[2] if flag in _ADDRESS_FLAGS else ""
            )
            if word.isdigit():
                found.append(int(word))
        return tuple(dict.fromkeys(found))


def inspect(asker: Asker, node: Transport, name: str) -> Container | None:
    """Return a container of a node, or ``None`` when there is none of that name.

    Raises:
        NodeError: the node could not be asked, or Docker answered something that cannot be read.
    """
    return read_container(node, name, asker.ask(node, ["docker", "inspect", name]))


def read_container(node: Transport, name: str, answer: Answer) -> Container | None:
    """Read the answer to ``docker inspect``; raises NodeError when it is neither there nor absent."""
    if not answer.ok and _ABSENT.search(answer.stderr):
        return None
    entries = json_list(answer) if answer.ok else None
    if entries is None:
        msg = f"{node.node.name}: docker inspect {name}: {why_not(answer)}"
        raise NodeError(msg, node=node.node.name, hint="try the same command on that node by hand")
    # An image of that name answers too; only a container has a state.
    entry = next((e for e in entries if isinstance(e.get("State"), dict)), None)
    return None if entry is None else _container(name, entry, answer.stdout)


@dataclass(frozen=True)
class State:
    """Whether a container runs. ``exit`` counts once it has ended; ``oom``: killed for want of memory."""

    status: str
    exit: int
    oom: bool

    @property
    def ended(self) -> bool:
        """Whether it ended for good."""
        return self.status not in ("running", "created", "restarting", "paused")


def state(asker: Asker, node: Transport, name: str) -> State | None:
    """Return only the state of a container, or ``None`` when there is none: for asking every few seconds.

    Raises:
        NodeError: the node could not be asked, or Docker answered something that cannot be read.
    """
    answer = asker.ask(node, ["docker", "inspect", "--format", "{{json .State}}", name])
    if not answer.ok and _ABSENT.search(answer.stderr):
        return None
    entry = json_line(answer)
    if entry is None:
        msg = f"{node.node.name}: docker inspect {name}: {why_not(answer)}"
        raise NodeError(msg, node=node.node.name, hint="try the same command on that node by hand")
    return _state(entry)


def _state(entry: Mapping[str, Any]) -> State:
    status = str(entry.get("Status") or ("running" if entry.get("Running") else "exited"))
    return State(status, int(entry.get("ExitCode") or 0), bool(entry.get("OOMKilled")))


def _container(name: str, entry: Mapping[str, Any], raw: str) -> Container:
    now, config = _state(entry["State"]), entry.get("Config") or {}
    labels = config.get("Labels") or {}
    return Container(
        name=name,
        status=now.status,
        exit=now.exit,
        oom=now.oom,
        image=str(config.get("Image") or entry.get("ImageName") or ""),
        runbook=labels.get(LABEL),
        command=tuple(str(word) for word in (config.get("Cmd") or ())),
        raw=raw,
        id=str(entry.get("Id") or name),
        created=str(entry.get("Created") or ""),
        run=labels.get(RUN_LABEL),
    )


def remove(asker: Asker, node: Transport, name: str, *, timeout: float, look: bool = False) -> str:
    """Remove a container by force; return nothing when it is gone, otherwise Docker's reason.

    A container that is just being restarted refuses to go for a moment: that is tried again, a few times.

    Args:
        asker: remembers what is sent.
        node: where it is.
        name: its id, or its name.
        timeout: for each request, in seconds.
        look: a removal that was not answered may have been carried out all the same: look whether it was.

    Raises:
        NodeError: the node could not be asked.
    """
    send = asker.look if look else asker.ask
    for attempt in range(_TRIES):
        if attempt:
            node.clock.sleep(_PAUSE)
        answer = send(node, ["docker", "rm", "-f", name], timeout=timeout)
        if inspect(asker, node, name) is None:
            return ""
        if not _IN_TRANSIT.search(answer.stderr):
            break
    return why_not(answer)


def names_on(asker: Asker, node: Transport) -> tuple[str, ...]:
    """Return the names of all containers on a node, running or not.

    Raises:
        NodeError: the node does not tell.
    """
    answer = asker.ask(node, ["docker", "ps", "-a", "--format", "{{.Names}}"])
    if not answer.ok:
        msg = f"{node.node.name}: docker ps: {why_not(answer)}"
        raise NodeError(msg, node=node.node.name, hint="is Docker running there, and may this user use it?")
    return tuple(sorted(line.strip() for line in answer.stdout.splitlines() if line.strip()))


def pull_it(asker: Asker, node: Transport, reference: str) -> str:
    """Return what to do about an image that a node lacks: one of nearly this name there comes first."""
    answer = asker.look(node, ["docker", "images", "--format", "{{.Repository}}:{{.Tag}}"])
    there = {name.removeprefix("localhost/"): name for name in (answer.stdout.split() if answer.ok else ())}
    short = {name.rpartition(":")[0] or name: name for name in sorted(there)}
    near = get_close_matches(reference, [*there, *short], n=1, cutoff=0.8)
    pull = f"docker pull {reference} there"
    return f"did you mean {short.get(near[0], near[0])}, which is there? Else {pull}" if near else pull


def image_on(asker: Asker, node: Transport, reference: str) -> tuple[ImageHere | None, str]:
    """Return an image as a node has it, or ``None`` and the reason: ``absent``, or why it cannot be told."""
    answer = asker.look(node, ["docker", "image", "inspect", reference])
    if answer.ok and (entries := json_list(answer)):
        return image_here(reference, entries[0]), ""
    if answer.exit != NO_ANSWER and _ABSENT.search(answer.stderr):
        return None, "absent"
    return None, why_not(answer)
