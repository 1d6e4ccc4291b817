"""What a repository needs before the commands work in it: files to add, lines for files that are there."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from reaffirm.store.atomic import write_new
from reaffirm.store.project import find_project
from reaffirm.store.reading.collection import Collection
from reaffirm.store.settings import SETTINGS_FILE, record_settings
from reaffirm.store.template import TEMPLATE, machine_template, template_file

_SITE = "mkdocs.yml"
_MACHINES = ("local.toml", "simulated.toml")
# Where repositories keep their pages, in the order in which they are looked for.
_DOCS = ("docs", "doc", "documentation")
_IGNORED = "runs/\nsite/\n"
_ATTRIBUTES = "docs/runs/ledger.jsonl merge=union\ndocs/runs/** -text\n"
_HOME = """\
# {name}

What we decided, and [whether it is still true](decisions/index.md).
"""


@dataclass(frozen=True)
class Addition:
    """A file to add, and what for."""

    path: str
    text: str
    why: str


@dataclass(frozen=True)
class Plan:
    """What would be added, and what whoever owns the files that are there has to write."""

    additions: tuple[Addition, ...]
    by_hand: tuple[str, ...] = ()


def plan(root: Path, found: Collection) -> Plan:
    """Return what a repository lacks; nothing is read but names and settings.

    Args:
        root: its folder.
        found: its records.
    """
    return _beside_records(root, found) if found.records else _from_nothing(root)


def carry_out(root: Path, additions: tuple[Addition, ...]) -> list[str]:
    """Write the files; return those that somebody else made meanwhile: they stay as they are."""
    kept = []
    for one in additions:
        path = root / one.path
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_new(path, one.text)
        except FileExistsError:
            kept.append(one.path)
    return kept


def folders_of(found: Collection) -> Counter[str]:
    """Return the folders of the records and how many are in each."""
    return Counter(record.path.rpartition("/")[0] or "." for record in found.records)


def _beside_records(root: Path, found: Collection) -> Plan:
    folders = list(folders_of(found))
    docs = next((name for name in _DOCS if (root / name).is_dir()), folders[0])
    additions, by_hand = _site(root, docs, "plugins: [search, reaffirm]", "reaffirm")
    settings, line = "", ""
    if folders != ["adrs"] and not record_settings(root):
        if len(folders) == 1:
            line = f"records = {json.dumps(folders[0])}"
            settings = (
                f"# Where the records are, and where `reaffirm new record` puts the next one.\n{line}\n"
            )
        elif find_project(root) is None:
            settings = '# Records are found, in every package. Where new ones go: records = ["docs/adr"]\n'
            line = "[tool.reaffirm]"
    if settings and _has_table(root):
        by_hand += (f"pyproject.toml, under [tool.reaffirm]: {line}",) if "=" in line else ()
    elif settings and not (root / SETTINGS_FILE).exists():
        additions += (Addition(SETTINGS_FILE, settings, "makes this folder a project for the commands"),)
    return Plan(additions, by_hand)


def _from_nothing(root: Path) -> Plan:
    named = record_settings(root)
    folder = named[0] if named else "adrs"
    wanted = [
        Addition(f"{folder}/{TEMPLATE}", template_file(root / folder).read_text(encoding="utf-8"),
                 "what `reaffirm new record` begins with"),
        *(
            Addition(f"runbooks/nodes/{name}", machine_template(name).read_text(encoding="utf-8"), why)
            for name, why in zip(_MACHINES, ("this machine", "two machines that do not exist"), strict=True)
        ),
        Addition("docs/index.md", _HOME.format(name=root.resolve().name), "the front page"),
        Addition(".gitattributes", _ATTRIBUTES, "keeps the ledger of runs whole where branches are merged"),
    ]  # fmt: skip
    site, by_hand = _site(
        root, "", "plugins: [search, reaffirm: {strict_records: true}]", "reaffirm: {strict_records: true}"
    )
    if (root / ".gitignore").exists():
        lines = (root / ".gitignore").read_text(encoding="utf-8", errors="replace").split()
        missing = [line for line in _IGNORED.split() if not {line, f"/{line}"} & set(lines)]
        by_hand += (f".gitignore: {' '.join(missing)}",) if missing else ()
    else:
        wanted.append(Addition(".gitignore", _IGNORED, "local runs and the built site"))
    kept = [one for one in wanted if not (root / one.path).exists()]
    if (root / ".gitattributes").exists():
        there = (root / ".gitattributes").read_text(encoding="utf-8", errors="replace").splitlines()
        by_hand += tuple(f".gitattributes: {one}" for one in _ATTRIBUTES.splitlines() if one not in there)
    return Plan((*kept, *site), by_hand)


def _site(root: Path, docs: str, plugins: str, plugin: str) -> tuple[tuple[Addition, ...], tuple[str, ...]]:
    """The three lines of a site; the one that is missing where there are settings already."""
    path = root / _SITE
    if not path.exists():
        second = f"docs_dir: {_yaml(docs)}" if docs else "strict: true"
        text = f"site_name: {_yaml(root.resolve().name)}\n{second}\n{plugins}\n"
        return (Addition(_SITE, text, "the site: mkdocs build, mkdocs serve"),), ()
    text = path.read_text(encoding="utf-8", errors="replace")
    if re.search(r"\breaffirm\b", "\n".join(line.split("#")[0] for line in text.splitlines())):
        return (), ()
    if re.search(r"(?m)^plugins:", text):
        return (), (f"{_SITE}, under plugins: - {plugin}",)
    return (), (f"{_SITE}: {plugins}",)


def _yaml(text: str) -> str:
    """A text as YAML has it: bare where that is safe."""
    return text if re.fullmatch(r"[A-Za-z][\w./ -]*\w", text) else json.dumps(text)


def _has_table(root: Path) -> bool:
    """Whether pyproject.toml has settings of ours, which a file of our own would hide."""
    try:
        return "[tool.reaffirm" in (root / "pyproject.toml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
