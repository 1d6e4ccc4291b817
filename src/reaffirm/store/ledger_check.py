"""Holds a ledger against the files that it tells of: what was added, changed or removed since."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding
from reaffirm.store.ledger import LEDGER, Entry, Ledger, read_ledger

#: Operations after which the files of a run lie in their folder.
PRESENT = ("published", "replaced", "adopted")
WITHDRAWN = "withdrawn"
_SHORT = 12
_NAMED = 4


def file_hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder, by its path; of a link what it leads to."""
    return {
        path.relative_to(folder).as_posix(): hash_of(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def hash_of(path: Path) -> str:
    """Return the SHA-256 (hex) of a file's bytes.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_folders(published: Path) -> dict[str, Path]:
    """Return the folders of published runs by name, ``runbook/run``."""
    found = (path for path in sorted(published.glob("*/*")) if path.is_dir())
    return {path.relative_to(published).as_posix(): path for path in found if path.name[0] != "."}


def published_findings(ledger: Ledger, published: Path, shown: str) -> Iterator[Finding]:
    """Name what in ``docs/runs`` is not as the ledger has it.

    Args:
        ledger: the ledger of published runs.
        published: the folder with a folder for each runbook.
        shown: how people name it.
    """
    yield from ledger.findings
    there = run_folders(published)
    for run, entries in ledger.runs.items():
        yield from run_findings(ledger, run, entries, there.get(run), f"{shown}/{run}")
    for run in there.keys() - ledger.runs.keys():
        msg = f"added: this run has no line in {ledger.path}"
        yield Finding(f"{shown}/{run}", 1, "run-added", msg, f"reaffirm ledger adopt {run}, or remove it")
    for path in sorted((*published.glob("*/*"), *published.glob("*"))):
        name = f"{shown}/{path.relative_to(published).as_posix()}"
        if path.name.startswith(".part-"):
            yield Finding(name, 1, "left-over", "a publish was cut off here", "remove it")
        elif path.is_file() and path.name != LEDGER and path.suffix != ".md":
            yield Finding(name, 1, "file-added", "added: it belongs to no run", "remove it")
    for path in sorted(published.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            name = f"{shown}/{path.relative_to(published).as_posix()}"
            msg = "a link, a pipe or the like: what it shows is kept elsewhere and can change"
            yield Finding(name, 1, "no-file", msg, "put the file itself in its place")


def run_findings(
    ledger: Ledger, run: str, entries: tuple[Entry, ...], folder: Path | None, shown: str
) -> Iterator[Finding]:
    """Hold one run against the lines that count about it; see :func:`published_findings`."""
    present = [entry for entry in entries if entry.op in PRESENT]
    withdrawn = [entry for entry in entries if entry.op == WITHDRAWN]
    if folder is None:
        if present and not withdrawn:
            last = present[-1]
            msg = f"removed: {_said(ledger, last)}, and it is gone"
            hint = f"take it from the version control, or say why: reaffirm withdraw {run} --because …"
            yield Finding(shown, 1, "run-removed", msg, hint)
        return
    if not present:
        if withdrawn:
            msg = f"added: {_said(ledger, withdrawn[-1])}, but it lies here"
            hint = "remove it, or publish it again"
            yield Finding(shown, 1, "run-returned", msg, hint)
        return
    here = file_hashes(folder)
    if any(here == entry.files for entry in present):
        return
    yield from file_findings(ledger, present[-1], here, shown)


def changed_runs(published: Path, shown: str, runs: Iterable[str]) -> Iterator[Finding]:
    """Name each of these runs (``runbook/run``) whose files are not those that the ledger tells of.

    Without a ledger nobody can tell. What else is wrong with one, ``reaffirm ledger verify`` says.
    """
    name = f"{shown}/{LEDGER}"
    try:
        ledger = read_ledger(published / LEDGER, shown=name)
    except DocumentError as error:
        yield Finding(name, 1, "ledger-unread", error.message.removeprefix(f"{name}: "), error.hint)
        return
    for run in runs:
        entries = ledger.runs.get(run, ())
        place = f"{shown}/{run}"
        try:
            found = list(run_findings(ledger, run, entries, published / run, place))
        except OSError as error:
            yield Finding(place, 1, "run-changed", f"a file cannot be read: {error.strerror}")
            continue
        found = [one for one in found if one.code != "file-added"]  # such as .ipynb_checkpoints
        if not found:
            continue
        present = [entry for entry in entries if entry.op in PRESENT]
        if not present:  # withdrawn
            yield found[0]
            continue
        files = [one.path.removeprefix(f"{place}/") for one in found]
        some = ", ".join(files[:_NAMED]) + (f" and {len(files) - _NAMED} more" if len(files) > _NAMED else "")
        what = f"{some} {'is' if len(files) == 1 else 'are'} not what was published"
        yield Finding(place, 1, "run-changed", f"{what} ({name}:{present[-1].line})", found[0].hint)


def file_findings(ledger: Ledger, entry: Entry, here: Mapping[str, str], shown: str) -> Iterator[Finding]:
    """Name each file that is not as a line has it."""
    then = entry.files
    where = f"{ledger.path}:{entry.line}"
    hint = "take it from the version control; a run that changed is published again with --replace"
    for name in sorted(then.keys() | here.keys()):
        was, is_now = then.get(name), here.get(name)
        if was == is_now:
            continue
        if was is None:
            change = f"added: {where} has no such file, here is {_short(is_now)}"
        elif is_now is None:
            change = f"removed: {where} has it with {_short(was)}"
        else:
            change = f"changed: {where} has {_short(was)}, here is {_short(is_now)}"
        code = "file-added" if was is None else "file-removed" if is_now is None else "file-changed"
        yield Finding(f"{shown}/{name}" if shown else name, 1, code, change, hint)


def gone_lines(ledger: Ledger, before: Ledger) -> list[Finding]:
    """Name each line that stood in the ledger before and does not now: nothing is ever taken out."""
    here = {entry.hash for entry in ledger.entries}
    hint = "a ledger only grows: take the file from that commit, and enter what came since again"
    return [
        Finding(ledger.path, entry.line, "ledger-cut", f"removed: {before.path} has {_what(entry)}", hint)
        for entry in before.entries
        if entry.hash not in here
    ]


def _what(entry: Entry) -> str:
    return f"{entry.op} of {entry.run} on {entry.at[:10]} in line {entry.line}"


def local_findings(ledger: Ledger, root: Path) -> Iterator[Finding]:
    """Name what of the runs of this checkout is not as ``runs/ledger.jsonl`` has it."""
    yield from ledger.findings
    for entries in ledger.runs.values():
        last = entries[-1]
        here = {name: hash_of(root / name) for name in last.files if (root / name).is_file()}
        yield from file_findings(ledger, last, here, "")


def _said(ledger: Ledger, entry: Entry) -> str:
    why = f" ({entry.fields['because']})" if entry.fields.get("because") else ""
    return f"{ledger.path}:{entry.line} says {entry.op} on {entry.at[:10]}{why}"


def _short(digest: str | None) -> str:
    return f"{(digest or '')[:_SHORT]}…"
