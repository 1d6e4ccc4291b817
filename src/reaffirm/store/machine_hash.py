"""The hash of a machine file: of its bytes, and of what it says."""

import hashlib
import json
import tomllib
from pathlib import Path

from reaffirm.redact import redact


def settings_hash(text: str) -> str:
    """Return the SHA-256 (hex) of what a machine file says, redacted; comments and order do not count.

    Empty where it is no TOML.
    """
    return _settings(redact(text.removeprefix("\ufeff")))


def _settings(redacted: str) -> str:
    try:
        data = tomllib.loads(redacted)
    except tomllib.TOMLDecodeError:
        return ""
    said = json.dumps(data, sort_keys=True, default=str)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def machine_hashes(kept: Path, used: Path | None) -> dict[str, str]:
    """Return the hashes of the machine file of a run.

    Args:
        kept: the redacted copy in the folder of the run.
        used: the file itself. Its own hash is left out when it is not what was copied: it was changed since.

    ``sha256`` is of the file's bytes, ``redacted_sha256`` of the copy's, ``settings_sha256`` of what it says.
    """
    try:
        copy = kept.read_bytes()
    except OSError:
        return {}
    found = {"redacted_sha256": hashlib.sha256(copy).hexdigest()}
    if settings := _settings(copy.decode("utf-8", "replace")):
        found["settings_sha256"] = settings
    try:
        raw = used.read_bytes() if used else b""
        if used and (raw == copy or redact(raw.decode("utf-8-sig")).encode() == copy):
            found["sha256"] = hashlib.sha256(raw).hexdigest()
    except (OSError, UnicodeDecodeError):
        pass
    return found
