"""What tells a host of the lab from a real machine."""

from reaffirm.model.evidence import Kind

#: The file that ``scripts/lab`` puts on its hosts. A machine without it is a real one.
LAB_MARKER = "/etc/reaffirm-lab"

#: The folder of its keys and its ssh config, which only ``scripts/lab up`` makes.
_LAB_FOLDER = "/var/lib/reaffirm-lab/"

#: How that file begins: ``reaffirm lab host spark-1``.
_BEGINS = "reaffirm lab host "


def is_lab_up(config: str, hint: str) -> str:
    """Return what to do where no way leads to a host, for the lab's own ssh config first: is the lab up?"""
    if not config.startswith(_LAB_FOLDER):
        return hint
    ask = "is the lab up? `sudo scripts/lab status` tells, and `sudo scripts/lab up` makes it"
    return f"{ask}; if it is, {hint}" if hint else ask


def kind_by_marker(text: str) -> Kind:
    """Return what evidence from a machine is worth whose marker file holds ``text`` (empty: there is none).

    The words count and not the mere answer: an account with a forced command answers to anything, and
    taken for a lab host it would need no consent.
    """
    return Kind.LAB if text.startswith(_BEGINS) else Kind.REAL
