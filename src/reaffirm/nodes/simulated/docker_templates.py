"""How ``docker`` prints: templates after ``--format``, lines of logs, the words of ``docker ps``."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from reaffirm.nodes.simulated.container import Container, LogLine
from reaffirm.nodes.simulated.docker_json import rfc3339
from reaffirm.nodes.simulated.docker_run import DockerError, bad_usage

_FIELD = re.compile(r"\{\{\s*(json\s+)?\.?([A-Za-z0-9_.]*)\s*\}\}")


def log_text(line: LogLine, stamps: bool, ahead: float = 0.0) -> str:
    """Return a line of a log as ``docker logs`` shows it on a node whose clock is ``ahead`` (seconds)."""
    return f"{rfc3339(line.at + ahead)} {line.text}" if stamps else line.text


def take_format(words: Sequence[str], command: str) -> tuple[str, list[str]]:
    """Take ``--format TEMPLATE`` out of the words; return it and the rest.

    Raises:
        DockerError: the flag has no value.
    """
    template, rest = "", []
    waiting = False
    for word in words:
        if waiting:
            template, waiting = word, False
        elif word in ("--format", "-f"):
            waiting = True
        elif word.startswith("--format="):
            template = word.partition("=")[2]
        else:
            rest.append(word)
    if waiting:
        bad_usage("flag needs an argument: --format", command)
    return template, rest


def render(template: str, data: Mapping[str, Any]) -> str:
    """Fill in ``{{.A.B}}`` and ``{{json .A}}``; nothing else of Go's templates is needed.

    Raises:
        DockerError: the data have no such key.
    """

    def value(match: re.Match[str]) -> str:
        found: Any = data
        for part in filter(None, match[2].split(".")):
            if not isinstance(found, Mapping) or part not in found:
                text = f'template: :1:2: executing "" at <.{match[2]}>: map has no entry for key "{part}"'
                raise DockerError(text)
            found = found[part]
        if match[1]:
            return json.dumps(found, separators=(",", ":"))
        return str(found).lower() if isinstance(found, bool) else str(found)

    return _FIELD.sub(value, template)


def status(container: Container, now: float) -> str:
    """Return the word that ``docker ps`` shows for a container's state."""
    if container.running:
        return f"Up {_ago(now - container.started)}"
    if container.status == "created":
        return "Created"
    return f"Exited ({container.exit_code}) {_ago(now - container.finished)} ago"


def _ago(seconds: float) -> str:
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} seconds"
