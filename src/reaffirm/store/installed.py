"""The versions of installed packages, without loading what reads all of their metadata."""

import os
import sys
from functools import cache


@cache
def version_of(package: str) -> str:
    """The version of an installed package; ``unknown`` where it is not installed.

    It is read off the name of the folder that the installer made: :mod:`importlib.metadata` takes longer to
    load than the rest of a short run takes to begin.
    """
    for folder in sys.path:
        for name in _distributions(folder):
            named, _, rest = name.partition("-")
            if named.replace("_", "-").lower() == package and rest.endswith(".dist-info"):
                return rest.removesuffix(".dist-info")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return str(version(package))
    except PackageNotFoundError:
        return "unknown"


@cache
def _distributions(folder: str) -> tuple[str, ...]:
    try:
        return tuple(name for name in os.listdir(folder) if name.endswith(".dist-info"))  # noqa: PTH208
    except OSError:
        return ()
