"""What a run's page says of cells that were not run, or whose answers an earlier run was given."""

from collections.abc import Mapping
from typing import Any

from reaffirm.site.text import code, inline


def cell_note(metadata: Any) -> str:
    """Return the sentence that stands above such a cell; empty for any other."""
    about = metadata.get("reaffirm") if isinstance(metadata, dict) else None
    if not isinstance(about, dict):
        return ""
    if run := about.get("replayed_from"):
        return f"*Not run again: what this shows is what the run {code(str(run))} was answered.*"
    if why := about.get("skipped"):
        return f"*Not run: {inline(str(why))}.*"
    return ""


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
