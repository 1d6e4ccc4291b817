"""How each engine is started on several nodes: its command, ports and variables. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from reaffirm.model.node import Engine


@dataclass(frozen=True)
class Job:
    """What one rank's command is made of. ``arguments`` are the machine file's and come last."""

    rank: int
    size: int
    model: str
    served_name: str
    head_address: str
    port: int
    meeting_port: int
    gpu: bool
    arguments: tuple[str, ...] = ()

    def has(self, flag: str) -> bool:
        """Whether the machine file sets ``flag`` itself."""
        return any(word == flag or word.startswith(f"{flag}=") for word in self.arguments)


@dataclass(frozen=True)
class Settings:
    """What is special about an engine.

    ``address_variable`` tells the engine which address of this host to advertise; without it both take
    the source address of the default route. ``meeting_port`` is where the ranks find each other.
    """

    command: Callable[[Job], tuple[str, ...]]
    port: int
    meeting_port: int
    address_variable: str
    environment: Mapping[str, str] = field(default_factory=dict)


def vllm_command(job: Job) -> tuple[str, ...]:
    """Return ``vllm serve …`` for one rank: several nodes without Ray, the worker headless."""
    words = ["vllm", "serve", job.model]
    words += [
        "--tensor-parallel-size",
        str(job.size),
        "--nnodes",
        str(job.size),
        "--node-rank",
        str(job.rank),
    ]
    words += ["--master-addr", job.head_address, "--master-port", str(job.meeting_port)]
    if job.rank:
        words.append("--headless")
    words += ["--host", "0.0.0.0", "--port", str(job.port)]  # noqa: S104 the head serves its owner's network
    words += _shared(job)
    # Free at boot is about 101 of 121.69 GiB on a GB10: the engine's own 0.9 would not start.
    if job.gpu and not job.has("--gpu-memory-utilization"):
        words += ["--gpu-memory-utilization", "0.7"]
    return (*words, *job.arguments)


def sglang_command(job: Job) -> tuple[str, ...]:
    """Return ``python3 -m sglang.launch_server …`` for one rank."""
    words = ["python3", "-m", "sglang.launch_server", "--model-path", job.model]
    words += ["--tp", str(job.size), "--nnodes", str(job.size), "--node-rank", str(job.rank)]
    words += ["--dist-init-addr", f"{job.head_address}:{job.meeting_port}"]
    words += ["--host", "0.0.0.0", "--port", str(job.port)]  # noqa: S104 the head serves its owner's network
    return (*words, *_shared(job), *job.arguments)


def program_command(job: Job, text: str) -> tuple[str, ...]:
    """Return the command that runs a node program in place of a server."""
    meeting = f"tcp://{job.head_address}:{job.meeting_port}"
    ranks = ("--rank", str(job.rank), "--world-size", str(job.size), "--init", meeting)
    return ("python3", "-c", text, *ranks, *job.arguments)


def _shared(job: Job) -> list[str]:
    words = ["--served-model-name", job.served_name] if job.served_name else []
    if "qwen3" in (job.served_name or job.model).lower() and not job.has("--reasoning-parser"):
        words += ["--reasoning-parser", "qwen3"]
    return words


SETTINGS: Mapping[Engine, Settings] = {
    Engine.VLLM: Settings(vllm_command, 8000, 29501, "VLLM_HOST_IP"),
    # NCCL's own lines are the only sign of life between the group's start and the next stage.
    Engine.SGLANG: Settings(sglang_command, 30000, 50000, "SGLANG_HOST_IP", {"NCCL_DEBUG": "INFO"}),
}
