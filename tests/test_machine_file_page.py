"""docs/reference/machine-file.md against the reader of machine files: every key, every default."""

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from reaffirm.model.node import ContainersHere, LaunchHere, Machines, ModelHere, NodeSpec, SecretsHere
from reaffirm.nodes.simulated import furnish
from reaffirm.store import machine_nodes, machine_rules, machines

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/reference/machine-file.md").read_text(encoding="utf-8")


def _section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _keys(heading: str) -> dict[str, str]:
    """The keys of a section's table with what stands in "without it"."""
    rows = re.findall(r"^\| (`[^|]+`) \|[^|]*\|([^|]*)\|", _section(heading), re.MULTILINE)
    return {key: without.strip() for cell, without in rows for key in re.findall(r"`([^`]+)`", cell)}


def _default(kind: Any, key: str) -> str:
    for field in fields(kind):
        if field.name == key.replace("-", "_"):
            value = field.default if field.default is not MISSING else None
            if value is None:
                value = field.default_factory() if field.default_factory is not MISSING else MISSING
            if isinstance(value, tuple):
                words = ", ".join(f'"{word}"' for word in value)
                return f"`[{words}]`"
            return f'`"{value}"`' if isinstance(value, str) else f"`{value!r}`"
    return ""


def test_page_has_every_key_and_no_other() -> None:
    """A key would be looked for in the source, or be written that the reader refuses."""
    assert set(_keys("Top of the file")) == set(machines._TOP)
    assert set(_keys("node")) == set(machine_nodes._NODE)
    assert set(_keys("models")) == set(machines._MODEL)
    assert set(_keys("launch")) == set(machines._LAUNCH)
    assert set(_keys("containers")) == set(machines._CONTAINERS)
    assert set(_keys("fabric")) == {"subnet"}
    assert set(_keys("secrets")) == {field.name for field in fields(SecretsHere)}
    assert set(_keys("Rules")) == set(machine_rules.RULE_KEYS)


def test_page_has_the_defaults_of_the_reader() -> None:
    """A colleague would rely on a default that is another one."""
    for heading, kind in (
        ("models", ModelHere),
        ("launch", LaunchHere),
        ("containers", ContainersHere),
        ("secrets", SecretsHere),
    ):
        for key, without in _keys(heading).items():
            assert without == _default(kind, key), f"{heading}: {key}"
    for key in ("ssh-config", "hf-cache", "images", "limits"):
        assert _keys("Top of the file")[key] == _default(Machines, key)
    for key in ("user", "port", "jump"):
        assert _keys("node")[key] == _default(NodeSpec, key)


def test_page_has_every_key_of_the_simulated_world() -> None:
    """A simulated world could be described only by those who read its source."""
    world = _section("world")
    for first, known in (
        ("key of `[world]`", furnish._WORLD),
        ("key of `[world.nodes.NAME]`", furnish._NODE),
        ("key of an interface", furnish._INTERFACE),
        ('key of `[world.weights."NAME"]`', furnish._WEIGHTS),
    ):
        table = world.partition(f"| {first} | meaning |\n|---|---|\n")[2].partition("\n\n")[0]
        cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
        assert {key for cell in cells for key in re.findall(r"`([^`]+)`", cell)} == set(known), first


def test_readme_beside_the_files_has_every_key() -> None:
    """Whoever looks beside the files would miss a key."""
    readme = (ROOT / "runbooks/nodes/README.md").read_text(encoding="utf-8")
    keys = {*machines._MODEL, *machines._LAUNCH, *machines._CONTAINERS, *machine_nodes._NODE}
    assert [key for key in sorted(keys) if f"`{key}`" not in readme] == []
