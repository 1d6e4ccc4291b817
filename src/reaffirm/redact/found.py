"""A secret that was found in a text: where it stands, and what it is."""

from typing import NamedTuple


class Found(NamedTuple):
    """``text[start:end]`` is the secret; what tells its kind (``hf_``) may stand before and stays.

    ``code`` is stable: it is what ``reaffirm scan`` prints and what an allowance names.
    """

    start: int
    end: int
    code: str
