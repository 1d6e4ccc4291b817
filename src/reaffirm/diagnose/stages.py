"""From lines of a log to the stages that a rank has reached. Pure: lines in, stages out."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from packaging.version import InvalidVersion, Version

from reaffirm.model.failure import LINE_LIMIT
from reaffirm.model.node import Engine

# "(EngineCore pid=12) INFO 03-06 10:00:00 [core.py:1] " and "[2026-03-06 10:00:00 TP0] " before the text.
_PREFIX = re.compile(
    r"^(?:\([^)]*\) ?|\[\d{4}-\d\d-\d\d[^\]]*\] ?)*"
    r"(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\s+\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\s+\[[^\]]*\]\s?)?"
)
# Colours, titles of windows, whatever else is said to a terminal, and control characters alone.
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]|[\x00-\x08\x0b-\x1f\x7f]"
)


def plain(text: str) -> str:
    """Return a line without what is meant for a terminal."""
    return text if text.isprintable() else _CONTROL.sub("", text)


def searched(text: str) -> str:
    """Return what is searched of a line: its first characters, without what is meant for a terminal."""
    # Colours are taken off what is kept, not off a megabyte.
    return plain(text[: 2 * LINE_LIMIT])[:LINE_LIMIT]


def message(text: str) -> str:
    """Return a line without the process, level, time and place that engines put before it."""
    return _PREFIX.sub("", plain(text), count=1)


@dataclass(frozen=True)
class Pattern:
    """A line of one engine (``*``: of all) that exists from ``since`` until before ``until``.

    ``note`` tells somebody who stops at this line what to make of it.
    """

    engine: str
    pattern: re.Pattern[str]
    since: Version | None = None
    until: Version | None = None
    note: str = ""

    def matches(self, engine: Engine, version: Version | None, text: str) -> bool:
        """Whether ``text`` is this line, in that version of the engine (``None``: not known)."""
        if self.engine not in ("*", engine.value) or not self.pattern.search(text):
            return False
        if version is None or version.is_devrelease or version.is_prerelease:
            return True
        return not (self.since and version < self.since) and not (self.until and version >= self.until)


@dataclass(frozen=True)
class Stage:
    """One stage of a start. ``silence`` is in seconds.

    ``known`` and ``open`` are sentences: what follows from having reached it, and what does not.
    """

    id: str
    title: str
    silence: float
    lines: tuple[Pattern, ...] = ()
    known: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


@dataclass(frozen=True)
class StageBook:
    """All that ``stages.toml`` says."""

    stages: tuple[Stage, ...]
    versions: tuple[Pattern, ...]
    noise: tuple[re.Pattern[str], ...]
    benign: tuple[re.Pattern[str], ...]
    errors: tuple[re.Pattern[str], ...]
    secondary: tuple[re.Pattern[str], ...]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The stages' ids in order."""
        return tuple(stage.id for stage in self.stages)

    def stage(self, stage_id: str) -> Stage:
        """Return one stage; raises KeyError where there is none of that id."""
        return next((s for s in self.stages if s.id == stage_id), None) or _no_stage(stage_id)

    def limits(self, *overrides: Mapping[str, float]) -> dict[str, float]:
        """Return the silence limit of each stage in seconds; later ``overrides`` win.

        Raises:
            KeyError: an override names a stage that does not exist, or is no number above 0.
        """
        limits = {stage.id: stage.silence for stage in self.stages}
        for override in overrides:
            for name, seconds in override.items():
                if not seconds > 0:  # also where it is no number at all (nan)
                    msg = f"the limit of stage {name!r} is a number of seconds above 0, got {seconds!r}"
                    raise KeyError(msg)
                limits[self.stage(name).id] = float(seconds)
        return limits


def _no_stage(stage_id: str) -> Stage:
    msg = f"no stage {stage_id!r}; the stages are {', '.join(stage_book().ids)}"
    raise KeyError(msg)


@cache
def stage_book() -> StageBook:
    """Return the stages, read once from the package's own ``stages.toml``."""
    data = tomllib.loads(files("reaffirm.diagnose").joinpath("stages.toml").read_text(encoding="utf-8"))
    stages = tuple(
        Stage(
            entry["id"],
            entry["title"],
            float(entry["silence"]),
            tuple(_pattern(line) for line in entry.get("line", ())),
            tuple(entry.get("known", ())),
            tuple(entry.get("open", ())),
        )
        for entry in data["stage"]
    )
    return StageBook(
        stages,
        tuple(_pattern(entry) for entry in data["version"]),
        _bare(data["noise"]),
        _bare(data["benign"]),
        _bare(data["error"]),
        _bare(data["secondary"]),
    )


def _pattern(entry: Mapping[str, Any]) -> Pattern:
    since, until = entry.get("since"), entry.get("until")
    return Pattern(
        entry["engine"],
        re.compile(entry["pattern"], re.ASCII),
        Version(since) if since else None,
        Version(until) if until else None,
        entry.get("note", ""),
    )


def _bare(entries: Iterable[Mapping[str, Any]]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(entry["pattern"], re.ASCII) for entry in entries)


@dataclass
class StageTracker:
    """Follows the log of one rank. Times are seconds, in whatever zero the caller uses.

    ``reached`` has the first time of each stage that showed itself; a later stage implies the earlier ones,
    whose time then stays unknown. ``last_sign`` is the time of the last line that was news.
    """

    engine: Engine
    version: str = ""
    reached: dict[str, float] = field(default_factory=dict)
    last_sign: float = 0.0
    last_line: str = ""
    _book: StageBook = field(default_factory=stage_book, repr=False)
    _version: Version | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self._version = _parsed(self.version)

    def start(self, at: float) -> None:
        """Note that the container was started."""
        self.reached.setdefault("container", at)
        self.last_sign = max(self.last_sign, at)

    def feed(self, text: str, at: float) -> str | None:
        """Take one line; return the id of the stage that it shows for the first time, if any."""
        said, text = plain(text), searched(text)
        if not text.strip():
            return None
        if any(pattern.search(text) for pattern in self._book.noise):
            return None
        self.last_sign, self.last_line = max(self.last_sign, at), said
        if self._version is None:
            self._learn(text)
        for stage in self._book.stages:
            if any(line.matches(self.engine, self._version, text) for line in stage.lines):
                if stage.id in self.reached:
                    return None
                self.reached[stage.id] = at
                return stage.id
        return None

    @property
    def stage(self) -> str:
        """The furthest stage reached, in the order of the stages; empty before the first."""
        return self._book.ids[self.position] if self.reached else ""

    @property
    def position(self) -> int:
        """The furthest stage's place in the order; -1 before the first."""
        ids = self._book.ids
        for place in range(len(ids) - 1, -1, -1):  # asked several times in each second of a launch
            if ids[place] in self.reached:
                return place
        return -1

    def has(self, stage_id: str) -> bool:
        """Whether that stage, or a later one, was reached."""
        return self.position >= self._book.ids.index(stage_id)

    def _learn(self, text: str) -> None:
        for pattern in self._book.versions:
            if pattern.engine == self.engine.value and (found := pattern.pattern.search(text)):
                word = next(group for group in found.groups() if group).rstrip(",.")
                if (version := _parsed(word)) is not None:
                    self.version, self._version = word, version
                return


def _parsed(text: str) -> Version | None:
    try:
        return Version(text) if text else None
    except InvalidVersion:
        return None
