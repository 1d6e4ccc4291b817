"""A secret that was found in a text: where it stands, and what it is."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple


class Found(NamedTuple):
    """``text[start:end]`` is the secret; what tells its kind (``hf_``) may stand before and stays.

    ``code`` is stable: it is what ``reaffirm scan`` prints and what an allowance names.
    """

    start: int
    end: int
    code: str


def stands(places: Sequence[int], start: int, end: int) -> bool:
    """Whether one of these places, in their order, is from ``start`` on and before ``end``."""
    at = bisect_left(places, start)
    return at < len(places) and places[at] < end
