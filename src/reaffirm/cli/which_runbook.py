"""The runbook that a word of the command line means."""

from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.store.project import find_project, runbook_files


def runbook_path(word: str) -> Path:
    """Find a runbook by path or by name.

    Raises:
        UsageError: there is none; the message names those there are.
    """
    path = Path(word)
    if path.suffix == ".py" and path.is_file():
        return path
    project = find_project()
    known = {one.stem: one for one in runbook_files(project.runbooks)} if project else {}
    if word in known:
        return known[word]
    from difflib import get_close_matches

    from reaffirm.run.runbook import elsewhere

    near = get_close_matches(path.stem, known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    msg = f"there is no runbook {word!r}{meant}"
    hint = f"runbooks here: {', '.join(known) or 'none'}; or give the path of a .py file"
    raise UsageError(msg, hint=hint if known else elsewhere() or hint)


def read_local(path: str, _extensions: object = None) -> str:
    """Read a file of this machine."""
    return Path(path).read_text(encoding="utf-8")
