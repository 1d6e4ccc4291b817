"""reaffirm: decision records whose claims are checked by runbooks that anyone can run again."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str

    from reaffirm.nodes.connect import connect as connect

# Name → module, imported at first use: `import reaffirm` stays cheap.
_LAZY = {"connect": "reaffirm.nodes.connect"}

__all__ = ["__version__", "connect"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name not in _LAZY:
        msg = f"module 'reaffirm' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_LAZY[name]), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # 40 ms that no kernel needs

    try:
        return version("reaffirm")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    return __all__
