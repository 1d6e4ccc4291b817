"""Machines as a machine file names them, and what is special about starting things on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reaffirm.model.rules import Rules


class Role(StrEnum):
    """What a node does in a launch: the head has rank 0 and serves HTTP, ``none`` takes no part."""

    HEAD = "head"
    WORKER = "worker"
    NONE = "none"


class Way(StrEnum):
    """How a node is reached: over SSH, or not at all because it is the machine we run on."""

    SSH = "ssh"
    LOCAL = "local"


class Engine(StrEnum):
    """The serving engines that we know how to start on two nodes."""

    VLLM = "vllm"
    SGLANG = "sglang"


@dataclass(frozen=True)
class NodeSpec:
    """One machine: how to reach it and what it does. ``address`` may be an ssh ``Host`` alias.

    ``transport`` says nothing about a simulated node: there the table ``[world]`` decides.
    """

    name: str
    role: Role
    address: str
    user: str = ""
    port: int = 0
    jump: str = ""
    transport: Way = Way.SSH


@dataclass(frozen=True)
class ModelHere:
    """What stands for a model on these machines.

    ``path`` is a folder on every node (empty: the Hugging Face cache). ``stand_in`` is the sentence
    that says what it really is when it is not the model itself; it is printed wherever it matters.
    """

    path: str = ""
    stand_in: str = ""
    prompt: str = ""
    max_tokens: int = 0
    extra_body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LaunchHere:
    """What a launch of one engine starts on these machines.

    ``program`` is a file of ``scripts/node`` that runs in place of the server where no server can;
    ``note`` then says which part of the engine runs and which does not.
    """

    port: int = 0
    master_port: int = 0
    dist_port: int = 0
    program: str = ""
    note: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContainersHere:
    """How containers are started on these machines."""

    ipc: str = "host"
    shm_size: str = ""
    ulimits: tuple[str, ...] = ("memlock=-1", "stack=67108864")
    extra: tuple[str, ...] = ()


@dataclass(frozen=True)
class SecretsHere:
    """What is secret on these machines beside what looks like it.

    ``variables`` are names of environment variables, never their values; ``patterns`` match secrets in text.
    """

    variables: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Machines:
    """A machine file. ``world`` is the table of a simulated one; empty for machines behind SSH.

    ``lines`` are the lines of its keys, for messages about what is in ``world``.
    """

    name: str
    path: str
    nodes: tuple[NodeSpec, ...]
    ssh_config: str = ""
    fabric_subnet: str = ""
    hf_cache: str = "~/.cache/huggingface"
    images: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, ModelHere] = field(default_factory=dict)
    containers: ContainersHere = field(default_factory=ContainersHere)
    launch: Mapping[str, LaunchHere] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    secrets: SecretsHere = field(default_factory=SecretsHere)
    world: Mapping[str, Any] = field(default_factory=dict)
    rules: Rules = field(default_factory=Rules)
    node_rules: Mapping[str, Rules] = field(default_factory=dict)
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict, repr=False, compare=False)

    def rules_on(self, node: str) -> Rules:
        """Return what is forbidden on a node: by the file, and by the node's own table."""
        return self.rules | self.node_rules.get(node, Rules())
