"""What jupytext made of a text, kept from one run to the next: loading jupytext takes longer than most runs.

Kept in ``$XDG_CACHE_HOME/reaffirm`` (``~/.cache/reaffirm``), by the hash of the text and the version of
jupytext; whatever is wrong with a file there, the text is read again. The folder may be removed at any time.
"""

import hashlib
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from reaffirm.redact import redact
from reaffirm.run.evidence import version_of

_FORM = 1
_FILES = 200


def kept(text: str) -> dict[str, Any] | None:
    """Return the notebook that was made of this text, if it is known."""
    path = _path(text)
    if path is None:
        return None
    try:
        found = json.loads(path.read_bytes())
        notebook = found["notebook"]
        whole = found["hash"] == _hash(json.dumps(notebook, sort_keys=True))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return notebook if whole else None


def keep(text: str, notebook: dict[str, Any]) -> None:
    """Keep the notebook that was made of this text. A disk that is full or read-only is no reason to stop."""
    path = _path(text)
    if path is None or redact(text) != text:  # what holds a secret is in its own file and in no other
        return
    body = json.dumps({"hash": _hash(json.dumps(notebook, sort_keys=True)), "notebook": notebook})
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        older = sorted(path.parent.glob("*.json"), key=lambda p: p.stat().st_mtime)
        for old in older[: max(len(older) - _FILES, 0)]:
            old.unlink(missing_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(body)
        part.replace(path)


def _path(text: str) -> Path | None:
    """The file of a text; ``None`` where there is no place for it that is ours alone."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    if not os.path.isabs(base):  # noqa: PTH117
        return None
    reader = version_of("jupytext")
    folder = Path(base) / "reaffirm" / "notebooks"
    with suppress(OSError):
        state = folder.stat()
        if state.st_uid != os.getuid() or state.st_mode & 0o022:
            return None  # somebody else could have written what would be run
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return folder / f"{_hash(chr(0).join((str(_FORM), reader, python, text)))}.json"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
