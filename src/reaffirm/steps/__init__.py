"""The steps of runbooks, and those of one's own.

For two nodes with containers: preflight, copy_image, cleanup, probe_image(s), launch, experiment, verify,
conclude. For anything: command, http, file. A step of one's own, made with ``@reaffirm.step``, is found here
by name too.

Each sends its requests through the transports of a cluster and nothing else, returns a typed result that
shows itself in a notebook, and hands its facts to the run. No step asks which kind of node it has.
"""

from difflib import get_close_matches as _get_close_matches
from pkgutil import iter_modules
from typing import Any

from reaffirm.steps import discovery as _discovery
from reaffirm.steps.authored import AuthoredResult
from reaffirm.steps.cleanup import CleanupResult, cleanup
from reaffirm.steps.command import CommandResult, command
from reaffirm.steps.conclude import ConcludeResult, conclude
from reaffirm.steps.copy_image import CopyImageResult, copy_image
from reaffirm.steps.experiment import ExperimentResult, experiment
from reaffirm.steps.file import FileResult, file
from reaffirm.steps.http import HttpResult, http
from reaffirm.steps.launch import LaunchResult, launch
from reaffirm.steps.own import Step
from reaffirm.steps.preflight import PreflightResult, preflight
from reaffirm.steps.probe_image import ProbeResult, probe_image
from reaffirm.steps.probe_images import ProbeImagesResult, probe_images
from reaffirm.steps.result import StepResult
from reaffirm.steps.verify import VerifyResult, verify
from reaffirm.store.project import find_project as _find_project

__all__ = [
    "AuthoredResult",
    "CleanupResult",
    "CommandResult",
    "ConcludeResult",
    "CopyImageResult",
    "ExperimentResult",
    "FileResult",
    "HttpResult",
    "LaunchResult",
    "PreflightResult",
    "ProbeImagesResult",
    "ProbeResult",
    "Step",
    "StepResult",
    "VerifyResult",
    "cleanup",
    "command",
    "conclude",
    "copy_image",
    "experiment",
    "file",
    "http",
    "launch",
    "preflight",
    "probe_image",
    "probe_images",
    "verify",
]

#: Names that a step of one's own cannot have: they are found in this package before anybody looks further.
_SHIPPED = frozenset(__all__) | {module.name for module in iter_modules(__path__)}


def __getattr__(name: str) -> Any:
    """Return a step of one's own; raises AttributeError with the names there are."""
    if name.startswith("_"):
        msg = f"module 'reaffirm.steps' has no attribute {name!r}"
        raise AttributeError(msg)
    if (found := _discovery.find_step(name, _SHIPPED)) is not None:
        return found
    known = [one for one in __dir__() if one.islower()]
    near = _get_close_matches(name, known, n=1)
    meant = f"did you mean {near[0]!r}? There" if near else "there"
    hint = f"a step of one's own lives in runbooks/steps/{name}.py"
    msg = f"no step {name!r}; {meant} are {', '.join(known)}\n  next: {hint}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    own = _discovery.own_steps(_find_project(), _SHIPPED)
    return [*__all__, *own, *_discovery.offered_steps(_SHIPPED)]


# A step of the project that has a shipped step's name would never be found: say so at once.
_discovery.own_steps(_find_project(), _SHIPPED)
