"""Whose line a line of a log is, by what an engine puts before it. Pure.

The box on the site tells ranks apart in the same way, so what is changed here is changed in
``site/static/failures_ranks.js`` as well.
"""

import re
from collections.abc import Sequence

from reaffirm.diagnose.stages import searched

#: Of more ranks than this nobody pasted the log: the marks mean something else.
MOST_RANKS = 64

# "2026-11-30T09:55:06.12Z (EngineCore pid=21) [2026-11-30 09:55:06 TP0] [rank1]: ", as much as there is.
_LED = re.compile(
    r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}T[^ ]{1,40} )?"
    r"((?:(?:\([^()]{1,120}\)|\[[^\[\]]{1,120}\]:?) ?){1,5})"
)
# (Worker_TP0 pid=31), (Worker_DP0_TP1_EP1 pid=31), (VllmWorker TP1 pid=31), [2026-11-30 09:55:06 PP0 TP1]
_PARTS = re.compile(
    r"\((?:Vllm)?Worker((?:[_ ][A-Z]{2,4}[0-9]{1,5})+) pid=[0-9]"
    r"|\[[0-9]{4}-[0-9]{2}-[0-9]{2}[^\]A-Z]{0,40}((?: [A-Z_]{2,8}[0-9]{1,5})+)\]"
)
# TP0: text, [TP0] text, "TP0 text", PP0 TP1: text; as people shorten a line, or a log shipper does.
_BARE = re.compile(
    r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}T[^ ]{1,40} )?"
    r"\[?((?:(?:DP|PP|TP|EP|CP)[0-9]{1,5}[ _]){0,4}(?:DP|PP|TP|EP|CP)[0-9]{1,5})\]?:?(?: |$)"
)
# [rank1]: and [rank1]:[W1130 …], as PyTorch has it; (VllmWorker rank=1 pid=31)
_NUMBER = re.compile(r"\[rank([0-9]{1,5})\]:|\(VllmWorker rank=([0-9]{1,5}) pid=")
# (RayWorkerWrapper pid=471, ip=10.0.14.41); the node of the driver has no ip.
_RAY = re.compile(r"\(Ray[A-Za-z]{1,30} pid=([0-9]{1,9})(?:, ip=([0-9A-Fa-f.:]{2,45}))?\)")
_PLAIN = re.compile(r"^(?:TP|PP)(?=[0-9]+$)")


def whose(lines: Sequence[str]) -> list[str]:
    """Return the name of each line's rank; empty where nothing tells, everywhere unless it tells two apart.

    A number alone (``[rank1]:``) is one with ``TP1`` where no rank has more than one part in its name; where
    one has, nobody knows which it is. A worker of Ray is its process until a line says which rank that is.
    """
    marks = [_marks(searched(line)) for line in lines]
    parts = {name for name, _, _ in marks if name}
    ranks_of_ray = {ray: name for name, ray, _ in marks if name and ray}
    kinds = {found[0] if (found := _PLAIN.match(name)) else "" for name in parts}
    names = []
    for name, ray, number in marks:
        if name or ray:
            names.append(name or ranks_of_ray.get(ray, ray))
        elif not number or "" in kinds or len(kinds) > 1:
            names.append("")
        else:
            names.append(f"{next(iter(kinds), 'rank')}{number}")
    known = len({name for name in names if name})
    return names if 2 <= known <= MOST_RANKS else [""] * len(names)


def _marks(line: str) -> tuple[str, str, str]:
    """Return a rank's name of parts (``PP0 TP1``), the process of Ray, and the number; empty: not told."""
    if bare := _BARE.match(line):
        return " ".join(bare[1].replace("_", " ").split()), "", ""
    led = _LED.match(line)
    if led is None:
        return "", "", ""
    head = led[1]
    parts, ray, number = _PARTS.search(head), _RAY.search(head), _NUMBER.search(head)
    name = " ".join((parts[1] or parts[2]).replace("_", " ").split()) if parts else ""
    process = ray and (f"pid {ray[1]} at {ray[2]}" if ray[2] else f"pid {ray[1]}")
    return name, process or "", str(int(number[1] or number[2])) if number else ""
