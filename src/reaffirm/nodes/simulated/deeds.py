"""The vocabulary of mishaps: what each does to a node of the world, and how it is undone."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reaffirm.nodes.simulated.lies import LIES
from reaffirm.nodes.simulated.output import Output
from reaffirm.nodes.simulated.troubles import NO_DAEMON, NO_PERMISSION, Troubles

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.machine import SimulatedNode
    from reaffirm.nodes.simulated.world import World

#: Makes it good again; doing it twice is harmless.
Mend = Callable[[], None]
Do = Callable[["World", "SimulatedNode", Mapping[str, Any], str], Mend | None]


@dataclass(frozen=True)
class Deed:
    """What a mishap does; ``keys`` are those it needs, ``may`` those it may have, with their types."""

    does: str
    do: Do
    keys: Mapping[str, type]
    may: Mapping[str, type]


def _sets(name: str, value: Any) -> Do:
    """Return a deed that sets one trouble to a value."""

    def do(_: "World", node: "SimulatedNode", __: Mapping[str, Any], ___: str) -> Mend:
        setattr(node.troubles, name, value)
        return lambda: setattr(node.troubles, name, getattr(Troubles(), name))

    return do


def _unreachable(_: "World", node: "SimulatedNode", __: Mapping[str, Any], ___: str) -> Mend:
    node.unreachable = True
    return lambda: setattr(node, "unreachable", False)


def _refuses_key(_: "World", node: "SimulatedNode", __: Mapping[str, Any], ___: str) -> Mend:
    node.refuses_key = True
    return lambda: setattr(node, "refuses_key", False)


def _reboots(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    """Every process is gone; Docker finds its containers exited with 255 when the machine is up again."""
    node.unreachable = True
    node.boots += 1
    for container in list(node.containers.values()):
        container.stop()
        container.exit(255)
    for pid, process in list(node.processes.items()):
        if process.name != "sshd":
            node.end(pid)
    return lambda: setattr(node, "unreachable", False)


def _clock(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    node.troubles.clock_ahead += float(given["by"])
    return lambda: setattr(node.troubles, "clock_ahead", 0.0)


def _warns(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    node.troubles.warning, node.troubles.warns_on = given["text"], given.get("stream", "stderr")
    return lambda: setattr(node.troubles, "warning", "")


def _missing(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    node.troubles.missing.add(given["program"])
    return lambda: node.troubles.missing.discard(given["program"])


def _answers(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    part = given["command"]
    node.troubles.says[part] = Output(
        int(given.get("exit", 0)), given.get("stdout", ""), given.get("stderr", "")
    )

    def mend() -> None:
        node.troubles.says.pop(part, None)

    return mend


def _silent(_: "World", node: "SimulatedNode", given: Mapping[str, Any], when: str) -> Mend:
    node.troubles.silent.append(given.get("command", when))
    return node.troubles.silent.clear


def _slow(_: "World", node: "SimulatedNode", given: Mapping[str, Any], when: str) -> Mend:
    part = given.get("command", when)
    node.troubles.slow[part] = float(given.get("by", 0.0))
    node.troubles.really[part] = float(given.get("really", 0.0))

    def mend() -> None:
        node.troubles.slow.pop(part, None)
        node.troubles.really.pop(part, None)

    return mend


def _drops(_: "World", node: "SimulatedNode", given: Mapping[str, Any], when: str) -> Mend:
    node.troubles.lost.append(given.get("command", when))
    return node.troubles.lost.clear


def _hostname(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    before = node.hostname
    node.hostname = given["name"]
    return lambda: setattr(node, "hostname", before)


def _lies(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    path = given["path"]
    node.troubles.lies[path] = given["lie"]

    def mend() -> None:
        node.troubles.lies.pop(path, None)

    return mend


def _locked(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    node.lock = {"token": "of another run", "run": given["run"]}
    return lambda: setattr(node, "lock", None)


def _takes_port(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    pid = node.occupy(int(given["port"]), process=given.get("process", "python3"))
    return lambda: node.end(pid)


def _image_gone(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    before = dict(node.images)
    node.remove_image(given["image"])

    def mend() -> None:
        node.images = before

    return mend


def _image_platform(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    before = dict(node.images)
    node.images = {
        reference: replace(image, platform=given["platform"]) if image.name == given["image"] else image
        for reference, image in before.items()
    }

    def mend() -> None:
        node.images = before

    return mend


def _container_ends(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> None:
    container = node.containers.get(given["container"])
    if container is not None and container.running:
        if given.get("text"):
            container.log(given["text"], "stderr")
        container.stop()
        container.exit(int(given.get("exit", 1)))


def _container_gone(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> None:
    container = node.containers.pop(given["container"], None)
    if container is not None:
        container.stop()
        container.kill()


def _container_prints(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> None:
    container = node.containers.get(given["container"])
    if container is not None:
        for number in range(int(given.get("times", 1))):
            container.log(given["text"].replace("{n}", str(number)), "stderr")


def _held(_: "World", node: "SimulatedNode", given: Mapping[str, Any], ___: str) -> Mend:
    node.troubles.held.add(given["container"])
    return lambda: node.troubles.held.discard(given["container"])


_ONE = {"container": str}
#: Every mishap that a machine file may name.
DEEDS: Mapping[str, Deed] = {
    "unreachable": Deed("the node is gone from the network; what runs there runs on", _unreachable, {}, {}),
    "refuses-key": Deed("its sshd does not take our key", _refuses_key, {}, {}),
    "reboots": Deed("the machine starts again: all processes end, it is away meanwhile", _reboots, {}, {}),
    "silent": Deed(
        "commands with these words never end (a half-open connection)", _silent, {}, {"command": str}
    ),
    "drops": Deed(
        "the command is carried out, but the connection drops before it answers", _drops, {}, {"command": str}
    ),
    "slow": Deed(
        "commands with these words take `by` seconds more, and `really` seconds of the wall clock",
        _slow,
        {},
        {"command": str, "by": float, "really": float},
    ),
    "answers": Deed(
        "commands with these words answer this instead",
        _answers,
        {"command": str},
        {"exit": int, "stdout": str, "stderr": str},
    ),
    "no-docker-daemon": Deed("the Docker daemon is down", _sets("docker", NO_DAEMON), {}, {}),
    "docker-denied": Deed("the user may not use Docker", _sets("docker", NO_PERMISSION), {}, {}),
    "docker-warns": Deed(
        "every docker command prints a warning first", _warns, {"text": str}, {"stream": str}
    ),
    "disk-full": Deed("no space is left: nothing can be started", _sets("disk_full", True), {}, {}),
    "clock-ahead": Deed("its clock is `by` seconds ahead (behind where negative)", _clock, {"by": float}, {}),
    "german": Deed("its commands speak German", _sets("german", True), {}, {}),
    "missing": Deed("a program is not installed", _missing, {"program": str}, {}),
    "named": Deed("it says that it is another host", _hostname, {"name": str}, {}),
    "takes-port": Deed(
        "a process of somebody else's takes a port", _takes_port, {"port": int}, {"process": str}
    ),
    "locked": Deed("another run holds the lock of the node", _locked, {"run": str}, {}),
    "image-gone": Deed("an image is removed", _image_gone, {"image": str}, {}),
    "image-platform": Deed(
        "an image is for another platform", _image_platform, {"image": str, "platform": str}, {}
    ),
    "container-ends": Deed("a container ends", _container_ends, _ONE, {"exit": int, "text": str}),
    "container-gone": Deed("somebody else removes a container", _container_gone, _ONE, {}),
    "container-prints": Deed(
        "a container prints text, `times` over", _container_prints, {**_ONE, "text": str}, {"times": int}
    ),
    "container-held": Deed("a container cannot be removed", _held, _ONE, {}),
    "lies": Deed(f"its HTTP server lies at a path: {', '.join(LIES)}", _lies, {"path": str, "lie": str}, {}),
}
