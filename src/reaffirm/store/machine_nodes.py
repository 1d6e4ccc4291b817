"""The ``[[node]]`` tables of a machine file: who there is, how each is reached, and its part in a launch."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from reaffirm.model.node import NodeSpec, Role, Way
from reaffirm.model.rules import Rules
from reaffirm.store.machine_rules import as_patterns, as_read_only, rules_from
from reaffirm.store.toml_checks import Check, TomlReader, as_number, as_text, seen
from reaffirm.store.toml_lines import KeyPath

# What a shell, an option list or a path of a run could trip over is not a name.
_NODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")
#: Keys that say how to reach a machine. This one is not reached.
_REACHING = ("address", "user", "port", "jump")

_Words = TypeVar("_Words", Role, Way)


def as_nodes(reader: TomlReader, path: KeyPath, value: Any) -> list[tuple[NodeSpec, Rules]]:
    """Take the list of nodes with the rules of each; every mistake is kept with its line."""
    if not isinstance(value, list):
        reader.wrong(
            path, f"node must be a list of tables, got {seen(value)}", "write [[node]], with two brackets"
        )
        return []
    # Where one node has a part in launches, a node without a role is one whose role was forgotten.
    launches = any(isinstance(e, dict) and e.get("role") in (Role.HEAD, Role.WORKER) for e in value)
    nodes: list[tuple[KeyPath, NodeSpec]] = []
    rules: list[Rules] = []
    whole = True
    for index, entry in enumerate(value):
        where = (*path, index)
        before = len(reader.mistakes)
        values = reader.table(where, entry, _NODE)
        needed = ["name"]
        if launches and values.get("transport") is not Way.LOCAL:
            needed.append("role")
        for key in needed:
            if key not in values and isinstance(entry, dict) and key not in entry:
                reader.wrong(
                    where, f"a node needs {key!r}, got {', '.join(entry) or 'nothing'}", f"add {_ADD[key]}"
                )
        if len(reader.mistakes) > before and not set(needed) <= values.keys():
            whole = False
            continue
        _reached(reader, where, values)
        values.setdefault("address", values["name"])
        values.setdefault("role", Role.NONE)
        rules.append(rules_from(values))
        nodes.append((where, NodeSpec(**values)))
    _check_nodes(reader, path, nodes, whole)
    return [(node, rule) for (_, node), rule in zip(nodes, rules, strict=True)]


def _reached(reader: TomlReader, where: KeyPath, values: Mapping[str, Any]) -> None:
    if values.get("transport") is not Way.LOCAL:
        return
    for key in _REACHING:
        if key in values:
            what = f"a local node is the machine this runs on, got {key} = {seen(values[key])}"
            reader.wrong((*where, key), what, f"leave out {key}, or transport")


def _check_nodes(
    reader: TomlReader, path: KeyPath, nodes: Sequence[tuple[KeyPath, NodeSpec]], whole: bool
) -> None:
    names: dict[str, NodeSpec] = {}
    for where, node in nodes:
        if node.name in names:
            reader.wrong(
                (*where, "name"), f"every node has its own name, got {node.name!r} twice", "rename one"
            )
        names[node.name] = node
    _check_roles(reader, path, nodes, whole)
    local = [(where, node.name) for where, node in nodes if node.transport is Way.LOCAL]
    for where, _ in local[1:]:
        what = f"this machine is one node, got {' and '.join(name for _, name in local)}"
        reader.wrong((*where, "transport"), what, 'keep one node with transport = "local"')
    for where, node in nodes:
        _check_jump(reader, where, node, names, whole)


def _check_roles(
    reader: TomlReader, path: KeyPath, nodes: Sequence[tuple[KeyPath, NodeSpec]], whole: bool
) -> None:
    heads: list[str] = []
    for where, node in nodes:
        if node.role is Role.HEAD:
            heads.append(node.name)
            if len(heads) > 1:
                what = f"exactly one node is the head, got {' and '.join(heads)}"
                reader.wrong((*where, "role"), what, 'give the others role = "worker"')
    workers = any(node.role is Role.WORKER for _, node in nodes)
    if whole and workers and not heads:
        what = f"exactly one node is the head, got none of {', '.join(node.name for _, node in nodes)}"
        reader.wrong(path, what, 'give one of them role = "head"')


def _check_jump(
    reader: TomlReader, where: KeyPath, node: NodeSpec, names: Mapping[str, NodeSpec], whole: bool
) -> None:
    if not node.jump:
        return
    if node.jump not in names and whole:
        near = get_close_matches(node.jump, names, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        hint = "name a node of this file; a jump host of another kind goes into the ssh config (ProxyJump)"
        reader.wrong((*where, "jump"), f"jump must name a node of this file, got {node.jump!r}{meant}", hint)
    elif node.jump in names and names[node.jump].transport is Way.LOCAL:
        what = f"every way begins at this machine, got a jump through the local node {node.jump!r}"
        reader.wrong((*where, "jump"), what, "leave out jump")
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


def _name(reader: TomlReader, path: KeyPath, value: Any) -> str | None:
    text = as_text(reader, path, value)
    if text is not None and not _NODE_NAME.match(text):
        hint = "use letters, digits, dots, dashes and underscores; begin with a letter or digit"
        reader.wrong(path, f"not a node's name, got {text!r}", hint)
        return None
    return text


def _address(reader: TomlReader, path: KeyPath, value: Any) -> str | None:
    text = as_text(reader, path, value)
    if text is not None and (not text or text.startswith("-") or re.search(r"[\s@/'\"]", text)):
        hint = "write a host name, an address or a Host of your ssh config; the user goes into 'user'"
        reader.wrong(path, f"not a host, got {text!r}", hint)
        return None
    return text


def _role(reader: TomlReader, path: KeyPath, value: Any) -> Role | None:
    hint = "the head has rank 0"
    return _word(reader, path, value, Role, "role must be 'head', 'worker' or 'none'", hint)


def _transport(reader: TomlReader, path: KeyPath, value: Any) -> Way | None:
    hint = 'leave it out for a machine behind SSH; "local" is the machine this runs on'
    return _word(reader, path, value, Way, "transport must be 'ssh' or 'local'", hint)


def _word(
    reader: TomlReader, path: KeyPath, value: Any, words: type[_Words], must: str, hint: str
) -> _Words | None:
    if isinstance(value, str) and value in set(words):
        return words(value)
    near = get_close_matches(str(value), list(words), n=1)
    meant = f"; did you mean {str(near[0])!r}?" if near else ""
    reader.wrong(path, f"{must}, got {seen(value)}{meant}", hint)
    return None


#: A TCP port.
as_port = as_number(1, 65535, whole=True)
_ADD = {"name": 'name = "spark-1"', "role": 'role = "head", "worker" or "none"'}
_NODE: Mapping[str, Check] = {
    "name": _name,
    "role": _role,
    "address": _address,
    "user": as_text,
    "port": as_port,
    "jump": as_text,
    "transport": _transport,
    "protected": as_patterns,
    "names": as_patterns,
    "read-only": as_read_only,
}
