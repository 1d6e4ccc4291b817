"""reaffirm: decision records whose claims are checked by runbooks that anyone can run again."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str

    from reaffirm.nodes.connect import connect as connect
    from reaffirm.nodes.notebook_fact import fact as fact
    from reaffirm.steps.own import Step as Step
    from reaffirm.steps.own import step as step

# Name → module, imported at first use: `import reaffirm` stays cheap.
_LAZY = {
    "connect": "reaffirm.nodes.connect",
    "fact": "reaffirm.nodes.notebook_fact",
    "step": "reaffirm.steps.own",
    "Step": "reaffirm.steps.own",
}

__all__ = ["Step", "__version__", "connect", "fact", "step"]


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
