"""The steps of runbooks: preflight, copy_image, cleanup, probe_image, launch, verify, conclude.

Each sends its requests through the transports of a cluster and nothing else, returns a typed result that
shows itself in a notebook, and hands its facts to the run. No step asks which kind of node it has.
"""

from reaffirm.steps.cleanup import CleanupResult, cleanup
from reaffirm.steps.conclude import ConcludeResult, conclude
from reaffirm.steps.copy_image import CopyImageResult, copy_image
from reaffirm.steps.launch import LaunchResult, launch
from reaffirm.steps.preflight import PreflightResult, preflight
from reaffirm.steps.probe_image import ProbeResult, probe_image
from reaffirm.steps.result import StepResult
from reaffirm.steps.verify import VerifyResult, verify

__all__ = [
    "CleanupResult",
    "ConcludeResult",
    "CopyImageResult",
    "LaunchResult",
    "PreflightResult",
    "ProbeResult",
    "StepResult",
    "VerifyResult",
    "cleanup",
    "conclude",
    "copy_image",
    "launch",
    "preflight",
    "probe_image",
    "verify",
]
