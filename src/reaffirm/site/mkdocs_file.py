"""Reads mkdocs.yml without MkDocs: what a site is told there, and which files its documentation has.

Nothing that the file names is imported: a tag such as ``!!python/name:…`` stays a word.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pathspec
import yaml
from mkdocs.exceptions import ConfigurationError
from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from reaffirm.errors import DocumentError

# Settings that are a text, each with an example.
_TEXTS = {
    "docs_dir": "docs",
    "site_name": "Decisions",
    "site_url": "https://example.org/",
    "repo_url": "https://example.org/repository",
    "edit_uri": "edit/main/docs/",
    "edit_uri_template": "edit/main/docs/{path}",
    "exclude_docs": '"*.draft.md"',
    "draft_docs": '"*.draft.md"',
}
# What MkDocs leaves out of any documentation.
_EXCLUDED = (".*", "/templates/")


@dataclass(frozen=True)
class Tagged:
    """A value with a tag that only the generator understands."""

    tag: str
    value: Any


class Dumper(yaml.SafeDumper):
    """Writes tagged values as they were."""


def _tagged(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Tagged:
    match node:
        case yaml.MappingNode():
            return Tagged(suffix, loader.construct_mapping(node, deep=True))
        case yaml.SequenceNode():
            return Tagged(suffix, loader.construct_sequence(node, deep=True))
        case _:
            return Tagged(suffix, node.value)


def _represent(dumper: yaml.SafeDumper, value: Tagged) -> yaml.Node:
    match value.value:
        case dict():
            return dumper.represent_mapping(value.tag, value.value)
        case list():
            return dumper.represent_sequence(value.tag, value.value)
        case _:
            return dumper.represent_scalar(value.tag, str(value.value))


Dumper.add_representer(Tagged, _represent)


def read_mkdocs(path: Path) -> dict[str, Any]:
    """Return the settings of a file; nothing where there is none.

    Raises:
        DocumentError: it cannot be read, holds no settings, or one that no site can be made with.
    """
    if not path.exists():
        return {}
    if not path.is_file():
        msg = f"{path} is no file"
        raise DocumentError(msg, hint="take it away, or put the site's settings there")
    loader = get_yaml_loader(yaml.SafeLoader)
    loader.add_multi_constructor("", _tagged)
    try:
        with path.open("rb") as file:
            data = yaml_load(file, loader=loader)
    except (ConfigurationError, yaml.YAMLError, OSError, ValueError, TypeError) as error:
        msg = f"{path}: {error}"
        raise DocumentError(msg, hint="mend the file: mkdocs build says the same") from error
    if data is not None and not isinstance(data, dict):
        msg = f"{path}:1: settings have a name and a value each, got {str(data)[:60]!r}"
        raise DocumentError(msg, hint="mend the file: it begins with, for example, `site_name: ...`")
    data = data or {}
    if problem := next(_wrong(data), None):
        key, wanted, example = problem
        line = _line_of(path, key)
        msg = f"{path}{f':{line}' if line else ''}: {key} is {wanted}, got {str(data[key])[:60]!r}"
        raise DocumentError(
            msg, hint=f"mend it, for example `{key}: {example}`; mkdocs build refuses it as well"
        )
    return data


def _wrong(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield settings that no site can be made with: the name, what its value must be, an example."""
    for key, example in _TEXTS.items():
        if not isinstance(data.get(key), str | Tagged | None):
            yield key, "a text", example
    plugins = data.get("plugins")
    if not isinstance(plugins, list | dict | Tagged | None):
        yield "plugins", "a list of names", "[search, reaffirm]"
    for one in plugins if isinstance(plugins, list) else []:
        if not isinstance(one, str) and not (isinstance(one, dict) and len(one) == 1):
            yield "plugins", "a list of names, each alone or with settings of its own", "[search, reaffirm]"
    for named in plugins if isinstance(plugins, list) else [plugins]:
        for name, settings in named.items() if isinstance(named, dict) else ():
            if not isinstance(settings, dict | Tagged | None):
                yield "plugins", f"a list in which {name} has settings with a name each", "[search, reaffirm]"


def _line_of(path: Path, key: str) -> int:
    """Return the line on which a setting begins, from 1; 0 where a file that this one inherits has it."""
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, ValueError, yaml.YAMLError):
        return 0
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((name.start_mark.line + 1 for name, _ in pairs if name.value == key), 0)


def plugins_of(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings of each plugin by its name."""
    given = data.get("plugins", ["search"])
    pairs = [given] if isinstance(given, Mapping) else given if isinstance(given, list) else []
    found: dict[str, dict[str, Any]] = {}
    for one in pairs:
        for name, settings in (one if isinstance(one, Mapping) else {one: {}}).items():
            found[str(name)] = dict(settings) if isinstance(settings, Mapping) else {}
    return found


def documentation(docs: Path, data: Mapping[str, Any]) -> dict[str, Path]:
    """Return the files of a documentation that MkDocs would take, by their path from its folder.

    Args:
        docs: the folder.
        data: the settings; ``exclude_docs`` and ``draft_docs`` are looked at.
    """
    lines = [*_EXCLUDED]
    for key in ("exclude_docs", "draft_docs"):
        lines += str(data.get(key) or "").splitlines()
    left_out = pathspec.GitIgnoreSpec.from_lines(lines)
    found: dict[str, Path] = {}
    for above, folders, names in os.walk(docs, followlinks=True):
        # A link to a folder that it is in would be followed for ever.
        folders[:] = sorted(one for one in folders if not _leads_up(Path(above) / one, docs))
        for name in sorted(names):
            path = Path(above) / name
            uri = path.relative_to(docs).as_posix()
            if not left_out.match_file(uri):
                found[uri] = path
    return found


def _leads_up(folder: Path, docs: Path) -> bool:
    """Whether a folder is a link to one that it is in, by whatever way it was come to."""
    if not folder.is_symlink():
        return False
    target = Path(os.path.realpath(folder))
    inside = [one for one in folder.parents if one == docs or one.is_relative_to(docs)]
    return any(Path(os.path.realpath(one)).is_relative_to(target) for one in inside)
