"""Reads the command line of a serving engine: what the container was asked to run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from reaffirm.model.node import Engine


@dataclass(frozen=True)
class EngineCommand:
    """One rank as its command line describes it.

    ``program`` is set for a node program that forms SGLang's groups without a server. ``options`` holds
    every option as it was given, under its long name without the dashes.
    """

    engine: Engine
    model: str
    rank: int = 0
    nnodes: int = 1
    tensor_parallel_size: int = 1
    address: str = "127.0.0.1"
    meeting_port: int = 0
    host: str = "127.0.0.1"
    port: int = 0
    headless: bool = False
    program: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        """Whether one of the options was given."""
        return any(name in self.options for name in names)

    def number(self, *names: str, default: float) -> float:
        """Return the value of the first of these options that was given."""
        return next((float(self.options[name]) for name in names if name in self.options), default)

    @property
    def served_name(self) -> str:
        """The name under which the HTTP endpoint knows the model."""
        return self.options.get("served-model-name", self.model).split(" ")[0]


# What this simulator heeds. Names that are nearly one of them are no flags of the engines; what is short is
# left out, since there the next letter makes another flag (--tp-size, --pp-size).
_HEEDED = (
    "context-length",
    "disable-cuda-graph",
    "disable-custom-all-reduce",
    "dist-init-addr",
    "enforce-eager",
    "gpu-memory-utilization",
    "master-addr",
    "master-port",
    "max-model-len",
    "mem-fraction-static",
    "model-path",
    "nccl-init-addr",
    "node-rank",
    "reasoning-parser",
    "served-model-name",
    "tensor-parallel-size",
    "trust-remote-code",
)


class BadCommandError(Exception):
    """The engine does not understand its command line; the message is what it prints."""


def parse_engine(command: Sequence[str], programs: Mapping[str, str]) -> EngineCommand | None:
    """Return what an engine's command line asks for; ``None`` when it is not an engine's.

    Raises:
        BadCommandError: it is an engine's, and the engine would refuse it.
    """
    words = list(command)
    match words:
        case ["vllm", "serve", *rest]:
            return _vllm(rest)
        case ["python3" | "python", "-m", "vllm.entrypoints.cli.main", "serve", *rest]:
            return _vllm(rest)
        case ["python3" | "python", "-m", "sglang.launch_server", *rest]:
            return _sglang(rest)
        case ["python3" | "python", "-c", text, *rest]:
            name = next((name for name, known in programs.items() if known == text), "")
            return _program(name, rest) if name else None
        case _:
            return None


def _options(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Split into positional words and options; a switch has an empty value."""
    loose: list[str] = []
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            loose.append(word)
            continue
        name, given, value = word.partition("=")
        if not given and rest and not (rest[0].startswith("-") and not _is_number(rest[0])):
            value = rest.pop(0)
        options[name.lstrip("-").replace("_", "-")] = value
    return loose, options


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _refuse_misspelt(options: Mapping[str, str], program: str) -> None:
    """Refuse what argparse would: a name that is one letter away from a flag, and no beginning of one."""
    wrong = [
        f"--{name} {value}".rstrip()
        for name, value in options.items()
        if any(_one_away(name, known) and not known.startswith(name) for known in _HEEDED)
    ]
    if wrong:
        msg = f"{program}: error: unrecognized arguments: {' '.join(wrong)}"
        raise BadCommandError(msg)


def _one_away(name: str, known: str) -> bool:
    """Whether one letter was added, left out, changed, or two neighbours were swapped."""
    if name == known or abs(len(name) - len(known)) > 1:
        return False
    at = next(
        (i for i, (a, b) in enumerate(zip(name, known, strict=False)) if a != b), min(len(name), len(known))
    )
    rest, left = name[at:], known[at:]
    swapped = rest[:2] == left[1::-1] and len(left) > 1 and rest[2:] == left[2:]
    return swapped or rest[1:] == left[1:] or rest[1:] == left or rest == left[1:]


def _whole(options: Mapping[str, str], program: str, default: int, *names: str) -> int:
    for name in names:
        if name in options:
            try:
                return int(options[name])
            except ValueError as error:
                msg = f"{program}: error: argument --{name}: invalid int value: {options[name]!r}"
                raise BadCommandError(msg) from error
    return default


def _endpoint(text: str) -> tuple[str, int]:
    address, _, port = text.removeprefix("tcp://").rpartition(":")
    if not address or not port.isdigit():
        msg = f"ValueError: not an address and a port: {text!r}"
        raise BadCommandError(msg)
    return address.strip("[]"), int(port)


def _vllm(words: Sequence[str]) -> EngineCommand:
    loose, options = _options(words)
    _refuse_misspelt(options, "vllm serve")
    model = options.get("model", loose[0] if loose else "Qwen/Qwen3-0.6B")
    return EngineCommand(
        engine=Engine.VLLM,
        model=model,
        rank=_whole(options, "vllm serve", 0, "node-rank", "r"),
        nnodes=_whole(options, "vllm serve", 1, "nnodes", "n"),
        tensor_parallel_size=_whole(options, "vllm serve", 1, "tensor-parallel-size", "tp"),
        address=options.get("master-addr", "127.0.0.1"),
        meeting_port=_whole(options, "vllm serve", 29501, "master-port"),
        host=options.get("host", "0.0.0.0"),  # noqa: S104
        port=_whole(options, "vllm serve", 8000, "port"),
        headless="headless" in options,
        options=options,
    )


def _sglang(words: Sequence[str]) -> EngineCommand:
    _, options = _options(words)
    _refuse_misspelt(options, "launch_server.py")
    model = options.get("model-path", options.get("model", ""))
    if not model:
        msg = "launch_server.py: error: the following arguments are required: --model-path/--model"
        raise BadCommandError(msg)
    nnodes = _whole(options, "launch_server.py", 1, "nnodes")
    address, meeting_port = "127.0.0.1", 0
    if given := options.get("dist-init-addr", options.get("nccl-init-addr", "")):
        address, meeting_port = _endpoint(given)
    elif nnodes > 1:
        msg = "AssertionError: please set --dist-init-addr for a launch on several nodes"
        raise BadCommandError(msg)
    return EngineCommand(
        engine=Engine.SGLANG,
        model=model,
        rank=_whole(options, "launch_server.py", 0, "node-rank"),
        nnodes=nnodes,
        tensor_parallel_size=_whole(options, "launch_server.py", 1, "tp", "tp-size", "tensor-parallel-size"),
        address=address,
        meeting_port=meeting_port,
        host=options.get("host", "127.0.0.1"),
        port=_whole(options, "launch_server.py", 30000, "port"),
        options=options,
    )


def _program(name: str, words: Sequence[str]) -> EngineCommand:
    _, options = _options(words)
    if "rank" not in options or "init" not in options:
        msg = f"{name}: error: the following arguments are required: --rank, --init"
        raise BadCommandError(msg)
    address, meeting_port = _endpoint(options["init"])
    world = _whole(options, name, 2, "world-size")
    return EngineCommand(
        engine=Engine.SGLANG,
        model="",
        rank=_whole(options, name, 0, "rank"),
        nnodes=world,
        tensor_parallel_size=world,
        address=address,
        meeting_port=meeting_port,
        program=name,
        options=options,
    )
