"""reaffirm: decision records whose claims are checked by runbooks that anyone can run again."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("reaffirm")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

__all__ = ["__version__"]


def __dir__() -> list[str]:
    return __all__
