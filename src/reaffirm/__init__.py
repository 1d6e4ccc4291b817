"""reaffirm: decision records whose claims are checked by runbooks that anyone can run again."""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reaffirm.nodes.connect import connect as connect

try:
    __version__ = version("reaffirm")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

# Name → module, imported at first use: `import reaffirm` stays cheap.
_LAZY = {"connect": "reaffirm.nodes.connect"}

__all__ = ["__version__", "connect"]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        msg = f"module 'reaffirm' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return __all__
