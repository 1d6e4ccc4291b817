"""The steps of runbooks: preflight, cleanup, probe_image(s), launch, experiment, verify, conclude.

Each sends its requests through the transports of a cluster and nothing else, returns a typed result that
shows itself in a notebook, and hands its facts to the run. No step asks which kind of node it has.
"""

from reaffirm.steps.cleanup import CleanupResult, cleanup
from reaffirm.steps.conclude import ConcludeResult, conclude
from reaffirm.steps.experiment import ExperimentResult, experiment
from reaffirm.steps.launch import LaunchResult, launch
from reaffirm.steps.preflight import PreflightResult, preflight
from reaffirm.steps.probe_image import ProbeResult, probe_image
from reaffirm.steps.probe_images import ProbeImagesResult, probe_images
from reaffirm.steps.result import StepResult
from reaffirm.steps.verify import VerifyResult, verify

__all__ = [
    "CleanupResult",
    "ConcludeResult",
    "ExperimentResult",
    "LaunchResult",
    "PreflightResult",
    "ProbeImagesResult",
    "ProbeResult",
    "StepResult",
    "VerifyResult",
    "cleanup",
    "conclude",
    "experiment",
    "launch",
    "preflight",
    "probe_image",
    "probe_images",
    "verify",
]
