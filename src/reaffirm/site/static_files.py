"""The style sheet and the script of the site: one file for each area in ``static/``, joined."""

from collections.abc import Mapping
from importlib import resources

STYLE = "assets/reaffirm.css"
SCRIPT = "assets/reaffirm.js"
_FOLDER = "static"
# What all areas build on comes first, what takes away for paper last.
_FIRST, _LAST = "signs", "print"


def static_files() -> Mapping[str, str]:
    """Return the text of each joined file by its address; an address without any file is not among them."""
    folder = resources.files("reaffirm.site") / _FOLDER
    found: dict[str, str] = {}
    for uri in (STYLE, SCRIPT):
        ending = uri[uri.rindex(".") :]
        names = sorted((one.name for one in folder.iterdir() if one.name.endswith(ending)), key=_place)
        if names:
            texts = ((folder / name).read_text(encoding="utf-8").rstrip("\n") for name in names)
            found[uri] = "\n\n".join(texts) + "\n"
    return found


def _place(name: str) -> tuple[bool, bool, str]:
    stem = name.partition(".")[0]
    return stem != _FIRST, stem == _LAST, name
