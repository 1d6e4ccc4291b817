"""What a rehearsal of a claim can show, and what it cannot, in a sentence that stands beside it."""

from reaffirm.model.claim import Claim, Standing, Verdict
from reaffirm.model.evidence import Kind

# Whose the figures are that evidence of a lower kind holds.
_OWN = {
    Kind.SIMULATED: "made up for the simulated nodes",
    Kind.LAB: "the lab host's",
}
# What a claim is about that needs evidence of a kind.
_ABOUT = {
    Kind.SIMULATED: "simulated nodes",
    Kind.LAB: "hosts of the lab",
    Kind.REAL: "the real machines",
}


def rehearsed_remark(claim: Claim, stands: Standing, *, alone: bool = False) -> str:
    """Return the sentence; empty for a claim that was not rehearsed.

    Args:
        claim: the claim.
        stands: where it stands.
        alone: whether nothing beside it says of what kind its evidence is, and what it needs; where that is
            said, the sentence is needed for figures alone.
    """
    if stands.verdict is not Verdict.REHEARSED or stands.deciding is None or claim.check is None:
        return ""
    whose = _OWN.get(stands.deciding.kind, "")
    if not whose:
        return ""
    measured = [one for one in stands.deciding.found if _is_number(one.value)]
    if measured:
        figures, those = ("the figure is", "that") if len(measured) == 1 else ("the figures are", "those")
        return f"rehearsed: the check runs; {figures} {whose}, not {those} of {_ABOUT[claim.needs]}"
    return f"rehearsed: the check runs; that says nothing yet of {_ABOUT[claim.needs]}" if alone else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
