"""Reads machine files: TOML in, :class:`Machines` out, every mistake named with its line."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from reaffirm.errors import MachineFileError
from reaffirm.model.node import (
    ContainersHere,
    Engine,
    LaunchHere,
    Machines,
    ModelHere,
    NodeSpec,
    Role,
)
from reaffirm.redact import redact
from reaffirm.store.toml_lines import KeyPath, TomlLines

#: A machine file is a page of text (bytes).
MAX_BYTES = 1_000_000

#: Keys that hold secrets wherever they are written.
_SECRET = re.compile(
    r"(?:^|[-_.])(?:passwords?|passwd|passphrase|secrets?|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)\Z",
    re.IGNORECASE,
)
# What a shell, an option list or a path of a run could trip over is not a name.
_NODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")


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
        raise MachineFileError(msg, hint='text needs quotes: name = "spark-1"') from error
    reader = _Reader(shown, TomlLines(text))
    machines = reader.machines(data, name)
    if reader.mistakes:
        ordered = [mistake for _, mistake in sorted(reader.mistakes, key=lambda pair: pair[0])]
        hint = (
            reader.hints[0]
            if len(ordered) == 1
            else "correct these lines; runbooks/nodes/README.md has all keys"
        )
        raise MachineFileError("\n".join(ordered), hint=hint)
    return machines


Check = Callable[["_Reader", KeyPath, Any], Any]


class _Reader:
    """Turns plain data into :class:`Machines` and collects every mistake on the way."""

    def __init__(self, shown: str, lines: TomlLines) -> None:
        self.shown = shown
        self.lines = lines
        self.mistakes: list[tuple[int, str]] = []
        self.hints: list[str] = []

    def wrong(self, path: KeyPath, what: str, hint: str) -> None:
        """Keep one mistake with its line."""
        line = self.lines.line(path)
        self.mistakes.append((line, f"{self.shown}:{line}: {what}"))
        self.hints.append(hint)

    def table(self, path: KeyPath, data: Any, known: Mapping[str, Check]) -> dict[str, Any]:
        """Check one table and return its values by the names that Python gives them."""
        if not isinstance(data, dict):
            self.wrong(
                path, f"{_dotted(path)} must be a table, got {_seen(data)}", f"write [{_dotted(path)}]"
            )
            return {}
        values: dict[str, Any] = {}
        for key, value in data.items():
            where = (*path, key)
            if key in known:
                checked = known[key](self, where, value)
                if checked is not None:
                    values[key.replace("-", "_")] = checked
            elif not self.secret(where, key, value):
                self.unknown(where, key, known)
        return values

    def unknown(self, path: KeyPath, key: str, known: Iterable[str]) -> None:
        """Say that a key is not one of ours, and which one it may be."""
        names = sorted(known)
        near = get_close_matches(key.replace("_", "-"), names, n=1, cutoff=0.6)
        if not near:
            near = [name for name in names if name.replace("-", "") == key.lower().replace("_", "")]
        inside = _dotted(path[:-1])
        place = f" in [{inside}]" if inside else ""
        meant = f"; did you mean {near[0]!r}?" if near else ""
        hint = f"rename it to {near[0]!r}" if near else f"known here: {', '.join(names)}"
        self.wrong(path, f"unknown key{place}, got {key!r}{meant}", hint)

    def secret(self, path: KeyPath, key: str, value: Any) -> bool:
        """Refuse a secret. Its value is never shown."""
        named = isinstance(value, str) and bool(_SECRET.search(key))
        if not named and not (isinstance(value, str) and redact(value) != value):
            return False
        what = f"a machine file never holds a secret, got one under {_dotted(path)!r}"
        hint = "use a key in the ssh agent, or set the variable on the machine; then change this secret"
        self.wrong(path, what, hint)
        return True

    def no_secrets(self, path: KeyPath, value: Any) -> None:
        """Refuse secrets anywhere below a table that may hold anything."""
        if isinstance(value, dict):
            for key, item in value.items():
                if not self.secret((*path, key), key, item):
                    self.no_secrets((*path, key), item)
        elif isinstance(value, list):
            for number, item in enumerate(value):
                self.no_secrets((*path, number), item)
        elif isinstance(value, str) and redact(value) != value:
            self.secret(path, str(path[-1]), value)

    def machines(self, data: dict[str, Any], name: str) -> Machines:
        values = self.table((), data, _TOP)
        nodes = tuple(values.pop("node", ()))
        if "node" not in data:
            self.wrong(
                (), "no [[node]], got an empty list of machines", "add [[node]] with name, role and address"
            )
        fabric = values.pop("fabric", {})
        machines = Machines(name, self.shown, nodes, fabric_subnet=fabric.get("subnet", ""))
        return replace(machines, **values)


def _nodes(reader: _Reader, path: KeyPath, value: Any) -> list[NodeSpec]:
    if not isinstance(value, list):
        reader.wrong(
            path, f"node must be a list of tables, got {_seen(value)}", "write [[node]], with two brackets"
        )
        return []
    nodes: list[tuple[KeyPath, NodeSpec]] = []
    whole = True
    for number, entry in enumerate(value):
        where = (*path, number)
        before = len(reader.mistakes)
        values = reader.table(where, entry, _NODE)
        for key, hint in (("name", 'name = "spark-1"'), ("role", 'role = "head" or role = "worker"')):
            if key not in values and isinstance(entry, dict) and key not in entry:
                reader.wrong(
                    where, f"a node needs {key!r}, got {', '.join(entry) or 'nothing'}", f"add {hint}"
                )
        if len(reader.mistakes) > before and not {"name", "role"} <= values.keys():
            whole = False
            continue
        values.setdefault("address", values["name"])
        nodes.append((where, NodeSpec(**values)))
    _check_nodes(reader, path, nodes, whole)
    return [node for _, node in nodes]


def _check_nodes(reader: _Reader, path: KeyPath, nodes: list[tuple[KeyPath, NodeSpec]], whole: bool) -> None:
    names: dict[str, NodeSpec] = {}
    heads: list[str] = []
    for where, node in nodes:
        if node.name in names:
            reader.wrong(
                (*where, "name"), f"every node has its own name, got {node.name!r} twice", "rename one"
            )
        names[node.name] = node
        if node.role is Role.HEAD:
            heads.append(node.name)
            if len(heads) > 1:
                what = f"exactly one node is the head, got {' and '.join(heads)}"
                reader.wrong((*where, "role"), what, 'give the others role = "worker"')
    if whole and nodes and not heads:
        what = f"exactly one node is the head, got none of {', '.join(names)}"
        reader.wrong(path, what, 'give one of them role = "head"')
    for where, node in nodes:
        if not node.jump:
            continue
        if node.jump not in names and whole:
            near = get_close_matches(node.jump, names, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            hint = (
                "name a node of this file; a jump host of another kind goes into the ssh config (ProxyJump)"
            )
            reader.wrong(
                (*where, "jump"), f"jump must name a node of this file, got {node.jump!r}{meant}", hint
            )
        elif way := _circle(node, names):
            reader.wrong(
                (*where, "jump"), f"a jump must not lead back, got {way}", "one node is reached directly"
            )


def _circle(node: NodeSpec, names: Mapping[str, NodeSpec]) -> str:
    way = [node.name]
    while node.jump in names:
        node = names[node.jump]
        way.append(node.name)
        if node.name in way[:-1]:
            return " → ".join(way)
    return ""


def _dotted(path: KeyPath) -> str:
    return ".".join(str(part) for part in path if not isinstance(part, int))


def _seen(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return redact(repr(value)) if not isinstance(value, bool) else str(value).lower()


def _text(reader: _Reader, path: KeyPath, value: Any) -> str | None:
    key = str(path[-1])
    if not isinstance(value, str):
        reader.wrong(path, f"{key} must be text, got {_seen(value)}", f'write {key} = "…"')
        return None
    if reader.secret(path, key, value):
        return None
    if any(ord(sign) < 32 and sign not in "\t\n" for sign in value):
        reader.wrong(path, f"{key} must be printable text, got {value!r}", "remove the control characters")
        return None
    return value


def _name(reader: _Reader, path: KeyPath, value: Any) -> str | None:
    text = _text(reader, path, value)
    if text is not None and not _NODE_NAME.match(text):
        hint = "use letters, digits, dots, dashes and underscores; begin with a letter or digit"
        reader.wrong(path, f"not a node's name, got {text!r}", hint)
        return None
    return text


def _address(reader: _Reader, path: KeyPath, value: Any) -> str | None:
    text = _text(reader, path, value)
    if text is not None and (not text or text.startswith("-") or re.search(r"[\s@/'\"]", text)):
        hint = "write a host name, an address or a Host of your ssh config; the user goes into 'user'"
        reader.wrong(path, f"not a host, got {text!r}", hint)
        return None
    return text


def _number(low: float, high: float, whole: bool, unit: str) -> Check:
    def check(reader: _Reader, path: KeyPath, value: Any) -> Any:
        right = isinstance(value, int) or (isinstance(value, float) and not whole)
        if not right or isinstance(value, bool) or not low <= value <= high:
            what = f"{path[-1]} must be {'a whole number' if whole else 'a number'}{unit}, got {_seen(value)}"
            reader.wrong(path, what, f"write {path[-1]} = … without quotes, from {low:g} to {high:g}")
            return None
        return value

    return check


def _role(reader: _Reader, path: KeyPath, value: Any) -> Role | None:
    if value in set(Role):
        return Role(value)
    near = get_close_matches(str(value), list(Role), n=1)
    meant = f"; did you mean {str(near[0])!r}?" if near else ""
    reader.wrong(path, f"role must be 'head' or 'worker', got {_seen(value)}{meant}", "the head has rank 0")
    return None


def _list_of_text(reader: _Reader, path: KeyPath, value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        reader.wrong(
            path, f"{path[-1]} must be a list of text, got {_seen(value)}", f'write {path[-1]} = ["…"]'
        )
        return None
    reader.no_secrets(path, value)
    return tuple(value)


def _texts(reader: _Reader, path: KeyPath, value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        reader.table(path, value, {})
        return {}
    return reader.table(path, value, dict.fromkeys(value, _text)) and {
        key: item for key, item in value.items() if isinstance(item, str)
    }


def _anything(reader: _Reader, path: KeyPath, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        reader.table(path, value, {})
        return {}
    reader.no_secrets(path, value)
    return value


def _numbers(reader: _Reader, path: KeyPath, value: Any) -> dict[str, float]:
    known = (
        {key: _number(0.001, 604_800, False, " of seconds") for key in value}
        if isinstance(value, dict)
        else {}
    )
    checked = reader.table(path, value, known)
    return {key: float(checked[key.replace("-", "_")]) for key in known if key.replace("-", "_") in checked}


def _models(reader: _Reader, path: KeyPath, value: Any) -> dict[str, ModelHere]:
    if not isinstance(value, dict):
        reader.table(path, value, {})
        return {}
    return {key: ModelHere(**reader.table((*path, key), item, _MODEL)) for key, item in value.items()}


def _launch(reader: _Reader, path: KeyPath, value: Any) -> dict[str, LaunchHere]:
    engines = {
        str(engine): lambda reader, where, item: LaunchHere(**reader.table(where, item, _LAUNCH))
        for engine in Engine
    }
    return reader.table(path, value, engines)


def _containers(reader: _Reader, path: KeyPath, value: Any) -> ContainersHere:
    return ContainersHere(**reader.table(path, value, _CONTAINERS))


def _fabric(reader: _Reader, path: KeyPath, value: Any) -> dict[str, str]:
    return reader.table(path, value, {"subnet": _text})


_port = _number(1, 65535, True, "")
_NODE: Mapping[str, Check] = {
    "name": _name,
    "role": _role,
    "address": _address,
    "user": _text,
    "port": _port,
    "jump": _text,
}
_MODEL: Mapping[str, Check] = {
    "path": _text,
    "stand-in": _text,
    "prompt": _text,
    "max-tokens": _number(1, 1_000_000, True, ""),
    "extra-body": _anything,
}
_LAUNCH: Mapping[str, Check] = {
    "port": _port,
    "master-port": _port,
    "dist-port": _port,
    "program": _text,
    "note": _text,
    "env": _texts,
    "arguments": _list_of_text,
}
_CONTAINERS: Mapping[str, Check] = {
    "ipc": _text,
    "shm-size": _text,
    "ulimits": _list_of_text,
    "extra": _list_of_text,
}
_TOP: Mapping[str, Check] = {
    "node": _nodes,
    "ssh-config": _text,
    "hf-cache": _text,
    "fabric": _fabric,
    "images": _texts,
    "models": _models,
    "containers": _containers,
    "launch": _launch,
    "limits": _numbers,
    "world": _anything,
}
