"""What the recordings of a run say about what it ran on: images and versions by node, programs, consent.

Only the lines that tell of these are read as JSON: a recording has thousands of others.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reaffirm.redact import redact
from reaffirm.store.node_programs import digest

_WANTED = (
    '"op":"consent"',
    '"op":"text"',
    '"docker","image","inspect"',
    '"docker","version"',
    '"docker","run"',
    '"nvidia-smi"',
)
#: Fields of a line of consent that are told on.
_CONSENT = ("action", "targets", "how", "at")
_VERSION = re.compile(r"[0-9][\w.+~-]*\Z")


@dataclass
class Seen:
    """What recordings tell.

    ``images``: node → reference → ``{"id": …, "digests": […]}``; ``versions``: node → program → version;
    ``texts``: the texts that were sent, on standard input or as one word of a command, by their hash;
    ``consent``: who agreed to what, in order.
    """

    images: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    consent: list[dict[str, Any]] = field(default_factory=list)

    def programs(self, known: Mapping[str, str]) -> dict[str, str]:
        """Return the programs of ``scripts/node`` that were sent, by name, with the hash of all text."""
        rest = dict(known)
        found = {name: sha for name, text in known.items() if (sha := digest(text)) in self.texts}
        for name in found:
            del rest[name]
        if self.texts.keys() - found.values():  # a text that was redacted before it was written down
            redacted = {name: digest(redact(text)) for name, text in rest.items()}
            found |= {name: sha for name, sha in redacted.items() if sha in self.texts}
        return dict(sorted(found.items()))


def seen_in(recordings: Iterable[Path]) -> Seen:
    """Read the recordings of a run; what cannot be read tells nothing."""
    seen = Seen()
    for path in recordings:
        try:
            with path.open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    if any(word in line for word in _WANTED):
                        _read(line, seen)
        except OSError:
            continue
    return seen


def _read(line: str, seen: Seen) -> None:
    try:
        event = json.loads(line)
        op = event["op"]
        if op == "text":
            seen.texts[str(event["sha256"])] = str(event["text"])
        elif op == "consent":
            seen.consent.append({key: event[key] for key in _CONSENT if key in event})
        elif op == "run":
            argv = event["argv"]
            seen.texts |= {digest(word): word for word in argv if "\n" in word}  # a program passed with -c
            if (answer := event.get("answer")) and answer["exit"] == 0:
                _answered(argv, str(event["node"]), str(answer["stdout"]), seen)
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def _answered(argv: list[str], node: str, said: str, seen: Seen) -> None:
    if argv[:3] == ["docker", "image", "inspect"]:
        image = json.loads(said)[0]
        digests = sorted(str(one) for one in image.get("RepoDigests") or ())
        found = {"id": str(image["Id"]).removeprefix("sha256:"), "digests": digests}
        seen.images.setdefault(node, {})[argv[3]] = found
    elif argv[:2] == ["docker", "version"]:
        _version(seen, node, "docker", said.strip())
    elif argv[0] == "nvidia-smi" and any("driver_version" in word for word in argv):
        _version(seen, node, "nvidia-driver", said.strip().splitlines()[0].rpartition(",")[2].strip())


def _version(seen: Seen, node: str, name: str, version: str) -> None:
    if _VERSION.match(version):
        seen.versions.setdefault(node, {})[name] = version


def engine_versions(facts: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return what images of engines hold, as this run's probes found it: image → program → version."""
    found: dict[str, dict[str, str]] = {}
    for name, fact in facts.items():
        first, _, rest = name.partition(".")
        image, _, what = rest.rpartition(".")
        value = fact.get("value") if isinstance(fact, dict) else None
        if first == "probe" and image and what.endswith("_version") and isinstance(value, str):
            found.setdefault(image, {})[what.removesuffix("_version")] = value
    return found
