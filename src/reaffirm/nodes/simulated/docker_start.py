"""``docker run`` on a simulated node: what the daemon refuses, what cannot start, and what then runs."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from reaffirm.model.image import ContainerImage
from reaffirm.nodes.simulated.container import Container, RunSpec
from reaffirm.nodes.simulated.docker_run import DockerError, parse_run, refuse, refused
from reaffirm.nodes.simulated.machine import SimulatedNode, with_tag
from reaffirm.nodes.simulated.node_programs import run_program
from reaffirm.nodes.simulated.output import Output
from reaffirm.nodes.simulated.plain_process import has_program

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World

#: Lets the time pass that a command takes.
Spend = Callable[[float], None]

_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]+\Z")
_DAEMON = "Error response from daemon:"


def run_container(
    world: "World", node: SimulatedNode, words: Sequence[str], stdin: str | None, spend: Spend
) -> Output:
    """Answer ``docker run WORDS…``.

    Raises:
        DockerError: Docker does not understand it, refuses it, or cannot start it.
    """
    spec = parse_run(words)
    image = node.find_image(spec.image)
    if image is None:
        spend(world.durations["docker-start"])
        raise _cannot_pull(spec.image)
    _check_name(node, spec)
    inside = [word for word in (spec.entrypoint, *spec.command) if word]
    runs_here = image.platform == node.platform
    if runs_here and not spec.detach and inside[:2] in (["python3", "-"], ["python", "-"]):
        program = next((name for name, text in world.programs.items() if text == stdin), "")
        spend(world.durations["probe"])
        return run_program(world, node, program, inside[2:], image)
    container = world.create(node, spec, image)
    spend(world.durations["docker-start"])
    problem, status = _obstacle(node, spec, image, inside)
    if problem:
        container.error, container.exit_code = problem, status
        if spec.remove:
            node.containers.pop(container.name, None)
        raise DockerError(refused(f"{_DAEMON} {problem}").text, status)
    container.start()
    if spec.detach:
        return Output(0, f"{container.id}\n")
    while container.running:
        spend(1.0)
    if spec.remove:
        node.containers.pop(container.name, None)
    return Output(container.exit_code, printed(container, "stdout"), printed(container, "stderr"))


def printed(container: Container, stream: str) -> str:
    """Return what a container printed on one stream."""
    return "".join(f"{line.text}\n" for line in container.logs if line.stream == stream)


def _cannot_pull(reference: str) -> DockerError:
    repository = reference.partition(":")[0]
    denied = (
        f"pull access denied for {repository}, repository does not exist or may require 'docker login': "
        "denied: requested access to the resource is denied"
    )
    looked = f"Unable to find image '{with_tag(reference)}' locally"
    return DockerError(f"{looked}\n{refused(f'{_DAEMON} {denied}').text}", 125)


def _check_name(node: SimulatedNode, spec: RunSpec) -> None:
    """Stop where the daemon refuses to create the container."""
    if spec.name and not _NAME.match(spec.name):
        refuse(f"{_DAEMON} Invalid container name ({spec.name}), only [a-zA-Z0-9][a-zA-Z0-9_.-] are allowed")
    if spec.name in node.containers:
        other = node.containers[spec.name]
        refuse(
            f'{_DAEMON} Conflict. The container name "/{spec.name}" is already in use by container '
            f'"{other.id}". '
            "You have to remove (or rename) that container to be able to reuse that name."
        )


def _obstacle(
    node: SimulatedNode, spec: RunSpec, image: ContainerImage, inside: Sequence[str]
) -> tuple[str, int]:
    """Return why the container cannot start, and the exit status; it stays behind, created and never run."""
    if spec.gpus and not node.gpu:
        return 'could not select device driver "" with capabilities: [[gpu]]', 125
    for device in spec.devices:
        has_rdma = any(interface.hca for interface in node.host.interfaces)
        if not (device.startswith("/dev/infiniband") and has_rdma) and not node.exists(device):
            what = f'error gathering device information while adding custom device "{device}"'
            return f"{what}: no such file or directory", 125
    if inside and image.platform == node.platform and not has_program(image, inside[0]):
        return (
            "failed to create task for container: failed to create shim task: OCI runtime create failed: "
            "runc create failed: unable to start container process: error during container init: exec: "
            f'"{inside[0]}": executable file not found in $PATH: unknown'
        ), 127
    return "", 0
