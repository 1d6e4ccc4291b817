"""Reads machine files: TOML in, :class:`Machines` out, every mistake named with its line."""

import ipaddress
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reaffirm.errors import MachineFileError
from reaffirm.model.node import (
    ContainersHere,
    Engine,
    LaunchHere,
    Machines,
    ModelHere,
    Way,
)
from reaffirm.redact import redact
from reaffirm.store.machine_nodes import as_nodes, as_port
from reaffirm.store.machine_rules import as_patterns, as_read_only, rules_from
from reaffirm.store.machine_secrets import as_secrets
from reaffirm.store.toml_checks import (
    Check,
    TomlReader,
    as_anything,
    as_list,
    as_number,
    as_numbers,
    as_text,
    as_texts,
)
from reaffirm.store.toml_lines import KeyPath, TomlLines

#: A machine file is a page of text (bytes).
MAX_BYTES = 1_000_000


def read_machines(path: Path, *, shown: str = "", name: str = "") -> Machines:
    """Read one machine file.

    Args:
        path: the file.
        shown: how messages and :attr:`Machines.path` name it (default: ``path`` as given).
        name: the name of these machines (default: the file's name without ``.toml``).

    Raises:
        MachineFileError: it is missing or wrong. One line ``path:line: what, got …`` for each mistake.
    """
    shown = shown or str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        msg = f"{shown}: cannot be read: {error.strerror}"
        raise MachineFileError(msg, hint="check the name; machine files live in runbooks/nodes") from error
    if len(raw) > MAX_BYTES:
        msg = f"{shown}: a machine file has at most {MAX_BYTES} bytes, got {len(raw)}"
        raise MachineFileError(msg, hint="is it the right file?")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        msg = f"{shown}:{line}: a machine file is UTF-8, got byte {raw[error.start]:#04x}"
        raise MachineFileError(msg, hint="save the file as UTF-8") from error
    return parse_machines(text.replace("\r\n", "\n"), shown=shown, name=name or path.stem)


def parse_machines(text: str, *, shown: str, name: str) -> Machines:
    """Read the text of a machine file; see :func:`read_machines`."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # tomllib: "Expected '=' after a key in a key/value pair (at line 3, column 6)"
        found = re.search(r"\(at (?:line (\d+)|end of document)", str(error))
        line = int(found[1]) if found and found[1] else text.count("\n") + 1
        reason = re.sub(r" \(at .*\)", "", str(error))
        excerpt = redact((text.splitlines() or [""])[min(line, len(text.splitlines())) - 1].strip())
        msg = f"{shown}:{line}: not TOML: {reason}, got {excerpt!r}"
        raise MachineFileError(
            msg, hint='text needs quotes and tables brackets: name = "spark-1", [fabric]'
        ) from error
    except RecursionError as error:
        msg = f"{shown}: not a machine file: its brackets are nested too deeply"
        raise MachineFileError(msg, hint="is it the right file?") from error
    reader = TomlReader(shown, TomlLines(text), _TOP)
    machines = _machines(reader, data, name)
    if reader.mistakes:
        ordered = [mistake for _, mistake in sorted(reader.mistakes, key=lambda pair: pair[0])]
        hint = (
            reader.hints[0]
            if len(ordered) == 1
            else "correct these lines; runbooks/nodes/README.md has all keys"
        )
        raise MachineFileError("\n".join(ordered), hint=hint)
    return machines


def _machines(reader: TomlReader, data: dict[str, Any], name: str) -> Machines:
    values = reader.table((), data, _TOP)
    listed = values.pop("node", ())
    nodes = tuple(node for node, _ in listed)
    node_rules = {node.name: rules for node, rules in listed if rules}
    if "node" not in data:
        reader.wrong(
            (), "no [[node]], got an empty list of machines", "add [[node]] with name, role and address"
        )
    local = next((at for at, node in enumerate(nodes) if node.transport is Way.LOCAL), None)
    if "world" in data and local is not None:
        what = f"a simulated world holds no machine that is there, got the local node {nodes[local].name!r}"
        reader.wrong(("node", local, "transport"), what, "leave out transport, or the table [world]")
    if data.get("world") == {}:
        # without this, the machines that somebody wants to simulate would be looked for on the network
        reader.wrong(("world",), "[world] says nothing", "describe the world, or remove it for real machines")
    fabric = values.pop("fabric", {})
    rules = rules_from(values)
    machines = Machines(
        name,
        reader.shown,
        nodes,
        fabric_subnet=fabric.get("subnet", ""),
        rules=rules,
        node_rules=node_rules,
        lines=reader.lines.known,
    )
    return replace(machines, **values)


def _models(reader: TomlReader, path: KeyPath, value: Any) -> dict[str, ModelHere]:
    if not isinstance(value, dict):
        reader.table(path, value, {})
        return {}
    return {key: ModelHere(**reader.table((*path, key), item, _MODEL)) for key, item in value.items()}


def _launch(reader: TomlReader, path: KeyPath, value: Any) -> dict[str, LaunchHere]:
    return reader.table(path, value, {str(engine): _launch_of_one for engine in Engine})


def _launch_of_one(reader: TomlReader, path: KeyPath, value: Any) -> LaunchHere:
    launch = LaunchHere(**reader.table(path, value, _LAUNCH))
    if launch.program and not launch.note:
        what = f"a program in place of the server needs a note, got program = {launch.program!r} alone"
        reader.wrong((*path, "program"), what, 'add note = "…": which part of the engine runs, and which not')
    return launch


def _containers(reader: TomlReader, path: KeyPath, value: Any) -> ContainersHere:
    return ContainersHere(**reader.table(path, value, _CONTAINERS))


def _fabric(reader: TomlReader, path: KeyPath, value: Any) -> dict[str, str]:
    return reader.table(path, value, {"subnet": _subnet})


def _subnet(reader: TomlReader, path: KeyPath, value: Any) -> str | None:
    text = as_text(reader, path, value)
    if text is None:
        return None
    try:
        ipaddress.ip_network(text)
    except ValueError as error:
        reader.wrong(path, f"subnet must be a network, got {text!r}: {error}", "write it as 192.0.2.0/24")
        return None
    return text


_MODEL: Mapping[str, Check] = {
    "path": as_text,
    "stand-in": as_text,
    "prompt": as_text,
    "max-tokens": as_number(1, 1_000_000, whole=True),
    "extra-body": as_anything,
}
_LAUNCH: Mapping[str, Check] = {
    "port": as_port,
    "master-port": as_port,
    "dist-port": as_port,
    "program": as_text,
    "note": as_text,
    "env": as_texts,
    "arguments": as_list,
}
_CONTAINERS: Mapping[str, Check] = {
    "ipc": as_text,
    "shm-size": as_text,
    "ulimits": as_list,
    "extra": as_list,
}
_TOP: Mapping[str, Check] = {
    "node": as_nodes,
    "ssh-config": as_text,
    "hf-cache": as_text,
    "fabric": _fabric,
    "images": as_texts,
    "models": _models,
    "containers": _containers,
    "launch": _launch,
    "limits": as_numbers,
    "secrets": as_secrets,
    "world": as_anything,
    "protected": as_patterns,
    "names": as_patterns,
    "read-only": as_read_only,
}
