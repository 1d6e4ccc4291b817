"""Starts engines on simulated nodes through their transports alone, as a step would."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from reaffirm.model.exchange import Answer
from reaffirm.nodes.simulated import World
from reaffirm.store.images import read_images
from reaffirm.store.machines import read_machines
from reaffirm.store.node_programs import node_programs

ROOT = Path(__file__).resolve().parents[2]
SPECIMENS = Path(__file__).parent / "specimens"
MODEL = "Qwen/Qwen3.5-122B-A10B-FP8"
ARCHITECTURE = "Qwen3_5MoeForConditionalGeneration"
NODES = ("spark-1", "spark-2")
FABRIC = {"spark-1": "198.51.100.11", "spark-2": "198.51.100.12"}
CACHE = "/home/nvidia/.cache/huggingface"
VARIABLE = {"sglang": "SGLANG_HOST_IP", "vllm": "VLLM_HOST_IP"}
IMAGE = {"sglang": "sglang", "vllm": "vllm-qwen35"}


def make_world() -> World:
    """Return the world of the machine file that ships, with the images and programs that ship."""
    machines = read_machines(ROOT / "runbooks/nodes/simulated.toml")
    return World.from_machines(machines, read_images(ROOT / "docs/container-images"), node_programs())


def command(engine: str, rank: int, model: str = MODEL) -> list[str]:
    """Return the engine's command line for one rank."""
    if engine == "sglang":
        words = ["python3", "-m", "sglang.launch_server", "--model-path", model, "--tp", "2", "--nnodes", "2"]
        words += ["--node-rank", str(rank), "--dist-init-addr", f"{FABRIC['spark-1']}:50000"]
        return [*words, "--host", "0.0.0.0", "--port", "30000", "--reasoning-parser", "qwen3"]
    words = ["vllm", "serve", model, "--tensor-parallel-size", "2", "--nnodes", "2", "--node-rank", str(rank)]
    words += ["--master-addr", FABRIC["spark-1"], "--master-port", "29501", *(["--headless"] if rank else [])]
    words += ["--host", "0.0.0.0", "--port", "8000", "--reasoning-parser", "qwen3"]
    return [*words, "--gpu-memory-utilization", "0.7"]


def start(
    world: World,
    engine: str,
    rank: int,
    *,
    host_address: bool = False,
    env: Mapping[str, str] | None = None,
    options: Sequence[str] = ("--gpus", "all", "--device=/dev/infiniband"),
    arguments: Sequence[str] = (),
    image: str = "",
) -> Answer:
    """Start one rank and return what ``docker run`` answered."""
    node = NODES[rank]
    variables = {
        "GLOO_SOCKET_IFNAME": "enp1s0f1np1",
        "NCCL_SOCKET_IFNAME": "enp1s0f1np1",
        "NCCL_DEBUG": "INFO",
    }
    if host_address:
        variables[VARIABLE[engine]] = FABRIC[node]
    variables |= env or {}
    name = f"{engine}-{'worker' if rank else 'head'}"
    words = ["docker", "run", "-d", "--name", name, "--network", "host", "--ipc", "host", *options]
    words += ["-v", f"{CACHE}:/root/.cache/huggingface"]
    words += [word for key, value in variables.items() for word in ("-e", f"{key}={value}")]
    words += [image or IMAGE[engine], *command(engine, rank), *arguments]
    return world.transport(node).run(words)


def launch(world: World, engine: str, **how: object) -> None:
    """Start both ranks, head first."""
    for rank in (0, 1):
        answer = start(world, engine, rank, **how)  # type: ignore[arg-type]
        assert answer.exit == 0, answer.stderr


def log(world: World, engine: str, rank: int, *, stamps: bool = False) -> str:
    """Return the log of one rank: standard output and error, in the order of time."""
    name = f"{engine}-{'worker' if rank else 'head'}"
    answer = world.transport(NODES[rank]).run(["docker", "logs", "--timestamps", name])
    assert answer.exit == 0, answer.stderr
    lines = sorted((answer.stdout + answer.stderr).splitlines(), key=lambda line: line.partition(" ")[0])
    return "".join(f"{line if stamps else line.partition(' ')[2]}\n" for line in lines)


def state(world: World, engine: str, rank: int) -> str:
    """Return ``running`` or ``exited 1`` of one rank's container."""
    name = f"{engine}-{'worker' if rank else 'head'}"
    template = "{{.State.Status}} {{.State.ExitCode}}"
    answer = world.transport(NODES[rank]).run(["docker", "inspect", "--format", template, name])
    return answer.stdout.strip().removesuffix(" 0")


def ready(world: World, engine: str) -> bool:
    """Whether the head answers ``/health`` with 200."""
    from reaffirm.model.exchange import HttpRequest

    port = {"sglang": 30000, "vllm": 8000}[engine]
    return (
        world.transport("spark-1").http(HttpRequest("GET", f"http://127.0.0.1:{port}/health")).status == 200
    )
