"""What tells a host of the lab from a real machine."""

from reaffirm.model.evidence import Kind

#: The file that ``scripts/lab`` puts on its hosts. A machine without it is a real one.
LAB_MARKER = "/etc/reaffirm-lab"

#: How that file begins: ``reaffirm lab host spark-1``.
_BEGINS = "reaffirm lab host "


def kind_by_marker(text: str) -> Kind:
    """Return what evidence from a machine is worth whose marker file holds ``text`` (empty: there is none).

    The words count and not the mere answer: an account with a forced command answers to anything, and
    taken for a lab host it would need no consent.
    """
    return Kind.LAB if text.startswith(_BEGINS) else Kind.REAL
