"""What a repository says about itself: ``.reaffirm.toml``, else ``[tool.reaffirm]`` in ``pyproject.toml``."""

from pathlib import Path
from typing import Any

#: For repositories that have no ``pyproject.toml``; its keys stand at the top, without ``tool.reaffirm``.
SETTINGS_FILE = ".reaffirm.toml"
#: A file of settings is small; nobody wants a larger one read.
_LIMIT = 200_000


def read_settings(root: Path) -> dict[str, Any]:
    """Return the settings of a repository; a file that is no TOML has none."""
    own = _table(root / SETTINGS_FILE)
    if own is not None:
        return own
    tool = (_table(root / "pyproject.toml", "[tool.reaffirm") or {}).get("tool")
    table = tool.get("reaffirm") if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else {}


def record_settings(root: Path) -> tuple[str, ...]:
    """Return the folders of records that the settings name: ``records``, a text or a list."""
    named = read_settings(root).get("records")
    if isinstance(named, str):
        return (named,)
    return tuple(one for one in named if isinstance(one, str)) if isinstance(named, list) else ()


def names_us(root: Path) -> bool:
    """Whether a repository has settings of ours, be they empty."""
    if (root / SETTINGS_FILE).is_file():
        return True
    tool = (_table(root / "pyproject.toml", "[tool.reaffirm") or {}).get("tool")
    return isinstance(tool, dict) and "reaffirm" in tool


def _table(path: Path, needed: str = "") -> dict[str, Any] | None:
    """The content of a TOML file; None without one, or where ``needed`` is not in its text."""
    try:
        if not path.is_file() or path.stat().st_size > _LIMIT:
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    if needed not in text:
        return None
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}
