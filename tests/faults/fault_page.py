"""Writes docs/reference/faults.md: what happens, what you see, what to do; with what was run, and when."""

from collections.abc import Iterator, Mapping
from typing import Any

from fault_table import CHAPTERS, PLACES, Fault, read_faults
from results_file import read_results

_ABOUT = {
    "simulated": "on simulated nodes, in every run of the tests",
    "loopback": "over real SSH to an OpenSSH server on loopback, in every run of the tests",
    "process": "`reaffirm run` as a process of its own on simulated nodes, in every run of the tests",
    "lab": "on the two hosts of the lab",
}
_HEAD = """# Table of faults

What goes wrong, what a run then says, and what to do. Each row is a specimen under `tests/faults/specimens`
that is brought about on purpose; the words are those of that run. After each of them it is also checked, as
far as it applies there, that nothing of others was touched, that the recording can be read to its end or as
far as it got, that the next `cleanup` finds every container that was left, and that the same runbook then
passes (where several faults would make the same next run, one of them makes it).
"""


def page() -> str:
    """Return the text of the page."""
    faults = read_faults()
    results = {place: read_results(place) for place in PLACES}
    ids = list(dict.fromkeys(fault.id for fault in faults))
    lines = [_HEAD, *_counts(faults, results, len(ids))]
    for chapter in CHAPTERS:
        lines += [f"## {chapter}", ""]
        for one in ids:
            here = [fault for fault in faults if fault.id == one]
            if here[0].chapter == chapter:
                lines += _entry(here, results)
    return "\n".join(lines)


def _counts(faults: list[Fault], results: Mapping[str, Any], number: int) -> Iterator[str]:
    yield f"{number} faults, brought about in {len(faults)} ways.\n"
    yield "| place | faults | ended as written | known to fail | not run | |"
    yield "|---|---|---|---|---|---|"
    for place in PLACES:
        here = [fault for fault in faults if fault.place == place]
        kept = results[place].get("faults", {})
        failing = sum(bool(fault.expected_to_fail) for fault in here)
        run = sum(fault.id in kept and not fault.expected_to_fail for fault in here)
        when = results[place].get("measured", "")
        about = _ABOUT[place] + (f"; measured {when}" if when else "")
        yield f"| {place} | {len(here)} | {run} | {failing} | {len(here) - run - failing} | {about} |"
    yield ""


def _entry(here: list[Fault], results: Mapping[str, Any]) -> Iterator[str]:
    first = here[0]
    yield f"### {first.title}\n"
    for fault in here:
        kept = results[fault.place].get("faults", {}).get(fault.id)
        yield f"**{fault.place}** ({fault.runbook}, {fault.step}). {fault.done}\n"
        if fault.expected_to_fail:
            yield f"Known to fail: {fault.expected_to_fail}\n"
        elif kept is None:
            yield "Not run here yet.\n"
        else:
            gone = "goes through" if kept["exit"] == 0 else "ends"
            end = f"ends at *{kept['ends']}*" if kept["ends"] else gone
            yield f"The run {end}, exit status {kept['exit']}{_left(kept)}.\n"
            yield "```text"
            yield kept["said"].replace("```", "'''")
            if kept.get("next"):
                yield f"  next: {kept['next']}"
            yield "```\n"
    yield f"**What to do.** {first.do}\n"


def _left(kept: Mapping[str, Any]) -> str:
    left = kept.get("left")
    if left is None:
        return ""
    return (
        f"; left on the nodes: {', '.join(f'`{one}`' for one in left)}"
        if left
        else "; nothing of ours is left on the nodes"
    )
