"""What a run's card says of a run that is not simply the whole runbook."""

from collections.abc import Mapping
from typing import Any

from reaffirm.site.text import code


def rows(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what the head of the page says of a run that is not simply the whole runbook."""
    found = []
    resumed, partial = provenance.get("resumed"), provenance.get("partial")
    if isinstance(resumed, dict):
        run, step = code(str(resumed.get("run"))), code(str(resumed.get("step")))
        found.append(("Taken up", f"from the run {run}, whose answers it shows up to the step {step}"))
    if isinstance(partial, dict):
        skipped = partial.get("skipped")
        names = ", ".join(code(str(one)) for one in skipped) if isinstance(skipped, list) else ""
        found.append(("A part", f"these steps were not run: {names or 'unknown'}"))
    return found
