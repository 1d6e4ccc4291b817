"""Learns secrets from the variables of the notebook that runs us, so that nothing here writes them.

The runner gives the parameters to the notebook's process as code, never as variables of the environment:
there every child process would see them. So this process finds them where the notebook has them, by their
names and by their marks (``token: Annotated[str, "secret"]``), and looks again before each request: a cell
may have asked somebody for a password since.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from reaffirm.redact import is_secret, known, mark, remember, secrets_in

_MARKED = re.compile(r"Annotated\[.{0,200}[\"']secret[\"']")


#: Names that are known to be none of a secret, and the version of the marks by which that was judged.
_plain: set[str] = set()
#: The annotations of each namespace as they were when they were last looked at.
_annotated: dict[int, dict[str, Any]] = {}
_judged: list[frozenset[str]] = []
#: For each namespace of plain names only: how many there are, and the last of them.
_last: dict[int, tuple[int, str]] = {}
_shells: list[Any] = []


def learn(*, quick: bool = False) -> None:
    """Remember the values of the notebook's secret variables.

    ``quick`` looks only whether there is a name more, or another last one, where there was no secret one.
    """
    for variables in _namespaces():
        found = variables.get("__annotations__")
        if isinstance(found, dict) and not _same(found, _annotated.get(id(variables))):
            marks = [name for name, kind in found.items() if _is_marked(kind) and not is_secret(name)]
            _annotated[id(variables)] = dict(found)
            if marks:
                mark(marks)
        if _judged != [known().names]:
            _judged[:] = [known().names]
            _plain.clear()
            _last.clear()
        last = (len(variables), next(reversed(variables), ""))
        if quick and _last.get(id(variables)) == last:
            continue
        if _plain.issuperset(variables):
            _last[id(variables)] = last
            continue
        names = [name for name in variables.keys() - _plain if is_secret(name) and not name.startswith("__")]
        _plain.update(variables.keys() - set(names))
        if names:
            remember(_values(variables[name] for name in names))


def learn_environment(names: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
    """Remember the secrets in this process's environment: by name, and those that a machine file marks.

    Raises:
        re.error: a pattern is no regular expression.
    """
    mark(names, patterns)
    remember(secrets_in(os.environ))


def _namespaces() -> Iterator[dict[str, Any]]:
    main = sys.modules.get("__main__")
    if main is not None:
        yield vars(main)
    if not _shells:
        shell = sys.modules.get("IPython")
        found = shell.get_ipython() if shell is not None and hasattr(shell, "get_ipython") else None
        if found is not None:
            _shells.append(found)  # there is one in a process, and to ask for it takes longer than to look
    for found in _shells:
        if main is not None and found.user_ns is not vars(main):
            yield found.user_ns


def _values(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list | tuple):
            yield from (item for item in value if isinstance(item, str))
        elif isinstance(value, dict):
            yield from (item for item in value.values() if isinstance(item, str))


def _same(found: dict[str, Any], before: dict[str, Any] | None) -> bool:
    """Whether these are the very annotations of before; what they are is nobody's to compare."""
    if before is None or len(before) != len(found):
        return False
    return all(before.get(name) is kind for name, kind in found.items())


def _is_marked(kind: Any) -> bool:
    if isinstance(kind, str):
        return "secret" in kind and _MARKED.search(kind) is not None
    return "secret" in getattr(kind, "__metadata__", ())
