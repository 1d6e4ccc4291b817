"""Reads the pages of ``docs/failures``. A bad page never hides another: what is wrong becomes a finding."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from reaffirm.errors import DocumentError
from reaffirm.model.failure import FailureMode
from reaffirm.model.finding import Finding
from reaffirm.store.failure_format import read_mode
from reaffirm.store.frontmatter import parse_page, read_text
from reaffirm.store.kept_failures import keep_mode, kept_mode

_LOCATED = re.compile(r"(?P<path>.+?):(?P<line>\d+): (?P<message>.*)", re.DOTALL)


@dataclass(frozen=True)
class Failures:
    """The failure modes of some folders by id, and what is wrong; a wrong page is not among them."""

    modes: tuple[FailureMode, ...] = ()
    findings: tuple[Finding, ...] = ()

    def get(self, mode_id: str) -> FailureMode | None:
        """Return the mode with that id."""
        return next((mode for mode in self.modes if mode.id == mode_id), None)


def read_failures(*folders: tuple[Path, str]) -> Failures:
    """Read every page of the folders but ``README.md`` and those whose name begins with ``_``.

    Args:
        folders: each with how messages name it, such as ``docs/failures``. Of two pages with one id in
            different folders the first one counts: a project's own page replaces ours.
    """
    modes: dict[str, FailureMode] = {}
    findings: list[Finding] = []
    for folder, shown in folders:
        for path in sorted(folder.glob("*.md")):
            if path.name in ("README.md", "index.md") or path.name.startswith("_"):
                continue
            state = path.stat()
            mode, wrong = _unchanged(path, f"{shown}/{path.name}", state.st_mtime_ns, state.st_size)
            findings += wrong
            if mode is not None:
                modes.setdefault(mode.id, mode)
    ordered = tuple(sorted(modes.values(), key=lambda mode: mode.id))
    return Failures(ordered, tuple(sorted([*findings, *_strangers(ordered)])))


def _strangers(modes: Iterable[FailureMode]) -> Iterable[Finding]:
    known = {mode.id: mode for mode in modes}
    for mode in known.values():
        for rival in mode.rivals:
            line = mode.lines.get("rivals", 1)
            if rival not in known:
                close = get_close_matches(rival, known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else "rivals are ids of other pages"
                yield Finding(mode.path, line, "failure-rival", f"there is no page {rival!r}", hint)
            elif mode.id not in known[rival].rivals:
                hint = f"add {mode.id!r} to the rivals there"
                yield Finding(
                    mode.path, line, "failure-rival", f"{known[rival].path} does not name it back", hint
                )


@lru_cache(maxsize=512)
def _unchanged(
    path: Path, shown: str, _mtime_ns: int, _size: int
) -> tuple[FailureMode | None, tuple[Finding, ...]]:
    """Read a page once for as long as it stays the same: every launch asks for all."""
    return read_failure(path, shown=shown)


def read_failure(path: Path, *, shown: str = "") -> tuple[FailureMode | None, tuple[Finding, ...]]:
    """Read one page: the mode and nothing, or nothing and everything that is wrong with it."""
    name = shown or str(path)
    try:
        text = read_text(path, shown=name)
        if (known := kept_mode(text, name, path.stem)) is not None:
            return known, ()
        page = parse_page(text, shown=name)
    except DocumentError as error:
        return None, (_unreadable(name, error),)
    mode, wrong = read_mode(page, path.stem)
    if wrong:
        return None, wrong
    keep_mode(text, name, path.stem, mode)
    return mode, ()


def _unreadable(shown: str, error: DocumentError) -> Finding:
    found = _LOCATED.match(error.message)
    line, message = (int(found["line"]), found["message"]) if found else (1, error.message)
    return Finding(shown, line, "failure-page", message, error.hint)
