"""Where a run of the kind *real* was, when that was no other machine than the one that ran it."""

import re
from collections.abc import Mapping

from reaffirm.model.evidence import Kind
from reaffirm.store.published import PublishedRun

#: By the path of a run: where it was, in words.
Places = Mapping[str, str]
_LOCAL = "local"
_LOOPBACK = re.compile(r"https?://(?:localhost|127(?:\.\d+){3}|\[::1\])(?=[:/]|\Z)")


def at_home(run: PublishedRun) -> str:
    """Return where a real run was that asked only the machine that ran it; else nothing.

    It is evidence about that machine, and about no other that a decision speaks of.
    """
    nodes = run.machines.nodes if run.machines else ()
    if run.kind is not Kind.REAL or not nodes or any(str(one.transport) != _LOCAL for one in nodes):
        return ""
    asked = [fact.value for fact in run.facts if isinstance(fact.value, str)]
    loopback = any(_LOOPBACK.match(value) for value in asked)
    return "on the machine that ran it" + (", asking itself over loopback" if loopback else "")
