"""What the runner knows to be secret in a run: values of parameters, variables of its environment, marks."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from reaffirm.redact import mark, remember, remembering, secrets_in
from reaffirm.run.declarations import Declarations
from reaffirm.run.secrets import secret_values
from reaffirm.store.project import Project


@contextmanager
def knowing(
    declarations: Declarations, values: Mapping[str, Any], project: Project | None, *, forget: bool
) -> Iterator[None]:
    """Mask within the block what is secret in a run with these values.

    ``forget`` is for a process that goes on to do other things; a command may still print what went wrong.
    """
    if not forget:
        _learn(declarations, values, project)
        yield
        return
    with remembering():
        _learn(declarations, values, project)
        yield


def _learn(declarations: Declarations, values: Mapping[str, Any], project: Project | None) -> None:
    mark(declarations.secrets)
    remember(secret_values(values, declarations.secrets))
    nodes = values.get("nodes") or declarations.default("nodes")
    if isinstance(nodes, str) and (path := _machine_file(nodes, project)):
        learn_marks(path)
    remember(secrets_in(os.environ))


def _machine_file(nodes: str, project: Project | None) -> Path | None:
    places = [Path(nodes).expanduser()]
    if project is not None:
        places += [project.root / nodes, project.machine_files / f"{nodes}.toml"]
    return next((path for path in places if path.suffix == ".toml" and path.is_file()), None)


def learn_marks(path: Path) -> None:
    """Take over what a machine file marks as secret. A file that is wrong is told of where it is used."""
    with suppress(
        OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValueError, TypeError, AttributeError
    ):
        secrets = tomllib.loads(path.read_text(encoding="utf-8-sig")).get("secrets", {})
        mark(secrets.get("variables", ()))
        if patterns := secrets.get("patterns"):
            from reaffirm.store.patterns import read_pattern

            mark(patterns=[text for text in patterns if read_pattern(text)])
    remember(secrets_in(os.environ))
