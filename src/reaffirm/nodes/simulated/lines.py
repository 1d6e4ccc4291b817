"""The wording of log lines by engine and version, from ``lines.toml``, and how long things take."""

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version


@dataclass(frozen=True)
class Wording:
    """One entry of ``lines.toml``."""

    id: str
    engine: str
    text: str
    style: str
    known: str
    versions: SpecifierSet
    level: str = "INFO"
    where: str = ""
    process: str = ""

    def fits(self, engine: str, version: Version) -> bool:
        """Whether this engine in this version prints the line."""
        return self.engine in (engine, "both") and self.versions.contains(version, prereleases=True)


@cache
def wordings() -> tuple[Wording, ...]:
    """Return all entries, in the order of the file."""
    text = files(__package__).joinpath("lines.toml").read_text(encoding="utf-8")
    return tuple(
        Wording(**{**entry, "versions": SpecifierSet(entry.get("versions", ""))})
        for entry in tomllib.loads(text)["line"]
    )


@cache
def durations() -> dict[str, float]:
    """Return the figures of ``durations.toml`` (seconds, GiB)."""
    text = files(__package__).joinpath("durations.toml").read_text(encoding="utf-8")
    return {key: float(value) for key, value in tomllib.loads(text).items()}


@cache
def find(engine: str, version: str, line: str) -> Wording | None:
    """Return the wording of a line, or ``None`` where that version prints nothing.

    Raises:
        KeyError: no version of any engine has a line of that id: a slip in our own code.
    """
    fitting = [entry for entry in wordings() if entry.id == line]
    if not fitting:
        raise KeyError(line)
    number = Version(version)
    return next((entry for entry in fitting if entry.fits(engine, number)), None)


@dataclass(frozen=True)
class Speaker:
    """Who prints: what goes into the prefixes of its lines."""

    engine: str
    version: str
    host: str
    rank: int
    pid: int

    def say(self, line: str, at: float, values: dict[str, Any]) -> str | None:
        """Return the whole line as the log shows it at that time, or ``None`` where nothing is printed."""
        entry = find(self.engine, self.version, line)
        if entry is None:
            return None
        when = datetime.fromtimestamp(at, UTC)
        text = entry.text.format(**{"stamp": f"{when:%m%d %H:%M:%S}.{when.microsecond:06}000", **values})
        match entry.style:
            case "nccl":
                return f"{self.host}:{self.pid + 42}:{self.pid + 42} [0] {text}"
            case "log" if self.engine == "sglang":
                return f"[{when:%Y-%m-%d %H:%M:%S} TP{self.rank}] {text}"
            case "log":
                name, offset = {
                    "APIServer": ("APIServer", 0),
                    "EngineCore": ("EngineCore_DP0", 21),
                }.get(entry.process, (f"Worker_TP{self.rank}", 42))
                return (
                    f"({name} pid={self.pid + offset}) {entry.level} "
                    f"{when:%m-%d %H:%M:%S} [{entry.where}] {text}"
                )
            case _:
                return text
