"""Puts a run under ``docs/runs``, or takes one away: the folder and its line in the ledger together."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaffirm.errors import ReaffirmError, UsageError
from reaffirm.run import places
from reaffirm.store.ledger import LEDGER, Entry
from reaffirm.store.ledger_check import PRESENT, file_hashes
from reaffirm.store.ledger_writing import LedgerWriter, writing

#: A run that was put aside until the other one, or its withdrawal, is entered.
_OLD = ".old"


@dataclass(frozen=True)
class Publication:
    """What becomes public: text by file name, and where it will lie. ``about`` is the provenance."""

    folder: Path
    files: Mapping[str, str]
    about: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The run as the ledger names it: ``runbook/run``."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    def write(self, *, replace: bool = False) -> str:
        """Write all files into a folder beside the final one, rename it, and enter it in the ledger.

        The ledger is held meanwhile. Where its line cannot be written the folder is put back as it was.
        Returns what was entered: ``published``, ``replaced``, or ``adopted`` for a run that lay there
        already and had no line. Empty: nothing changed.

        Raises:
            UsageError: there is another run of this name, and ``replace`` is not set.
            ReaffirmError: it cannot be written.
        """
        published = self.folder.parents[1]
        try:
            with writing(published / LEDGER, shown=places.shown(published / LEDGER)) as ledger:
                _tidy(ledger, published)
                return self._write(ledger, replace)
        except OSError as error:
            msg = f"{places.shown(published)}: cannot be written: {error.strerror or error}"
            raise ReaffirmError(msg, hint="nothing was published; mend that and publish it again") from error

    def _write(self, ledger: LedgerWriter, replace: bool) -> str:
        current = ledger.ledger.runs.get(self.name, ())
        there = self.folder.exists()
        if there and _same(self.folder, self.files):
            if any(one.op in PRESENT and one.files == self._hashes() for one in current):
                return ""
            self._enter(ledger, "adopted", current)
            return "adopted"
        if there and not replace:
            msg = f"{places.shown(self.folder)} holds another run, or this one with other contents"
            raise UsageError(
                msg,
                hint="publish this one under another --name, or put it in that one's place with --replace",
            )
        op = "replaced" if there else "published"
        part = self._part()
        old = part.with_name(f".part-{self.folder.name}{_OLD}")
        try:
            if there:
                self.folder.rename(old)
            try:
                part.rename(self.folder)
                self._enter(ledger, op, current)
            except BaseException:
                if self.folder.exists():
                    self.folder.rename(part)
                if there:
                    old.rename(self.folder)
                raise
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        if there:
            shutil.rmtree(old)
        return op

    def _part(self) -> Path:
        """The files in a folder beside the final one."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=self.folder.parent, prefix=".part-"))
        try:
            for name, text in self.files.items():
                target = part / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(_bytes(text))
            part.chmod(0o755)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        return part

    def _hashes(self) -> dict[str, str]:
        return {name: hashlib.sha256(_bytes(text)).hexdigest() for name, text in self.files.items()}

    def _enter(self, ledger: LedgerWriter, op: str, current: tuple[Entry, ...]) -> None:
        enter(ledger, op, self.name, current, files=self._hashes(), kind=str(self.about["kind"]))


def enter(ledger: LedgerWriter, op: str, run: str, current: tuple[Entry, ...], **fields: Any) -> None:
    """Write one line about a published run that takes the place of those that counted about it."""
    ledger.append(op, run=run, supersedes=[entry.hash for entry in current], **fields)


def adopt(published: Path, run: str, kind: str) -> bool:
    """Enter a run that lies in ``docs/runs`` and has no line yet; return whether it had none.

    Raises:
        UsageError: the ledger tells of other files of this run, or says that it was withdrawn.
        ReaffirmError: the ledger cannot be written.
    """
    try:
        with writing(published / LEDGER, shown=places.shown(published / LEDGER)) as ledger:
            _tidy(ledger, published)
            files = file_hashes(published / run)
            current = ledger.ledger.runs.get(run, ())
            if any(one.op in PRESENT and one.files == files for one in current):
                return False
            if current:
                last = current[-1]
                msg = f"{run}: {ledger.ledger.path}:{last.line} says {last.op} with other files than lie here"
                hint = "reaffirm ledger verify names them; publish it again with --replace"
                raise UsageError(msg, hint=hint)
            enter(ledger, "adopted", run, current, files=files, kind=kind)
            return True
    except OSError as error:
        msg = f"{places.shown(published / LEDGER)}: cannot be written: {error.strerror or error}"
        raise ReaffirmError(msg, hint="mend that and adopt the run again") from error


def withdraw(published: Path, run: str, because: str) -> None:
    """Take a run away and enter why. Its earlier lines stay.

    Raises:
        UsageError: no such run was published, or it was withdrawn already.
        ReaffirmError: it cannot be removed, or the ledger cannot be written.
    """
    folder = published / run
    try:
        with writing(published / LEDGER, shown=places.shown(published / LEDGER)) as ledger:
            _tidy(ledger, published)
            current = ledger.ledger.runs.get(run, ())
            if not folder.is_dir() and not any(entry.op in PRESENT for entry in current):
                msg = f"no run {run!r} is published"
                raise UsageError(msg, hint="reaffirm runs lists them")
            aside = folder.with_name(f".part-{folder.name}{_OLD}")
            there = folder.is_dir()
            if there:
                folder.rename(aside)
            try:
                enter(ledger, "withdrawn", run, current, because=because)
            except BaseException:
                if there:
                    aside.rename(folder)
                raise
            if there:
                shutil.rmtree(aside)
                if not any(folder.parent.iterdir()):
                    folder.parent.rmdir()
    except OSError as error:
        msg = f"{places.shown(folder)}: cannot be withdrawn: {error.strerror or error}"
        raise ReaffirmError(msg, hint="mend that and withdraw it again") from error


def _tidy(ledger: LedgerWriter, published: Path) -> None:
    """Clear away what a process left that was killed while it published: nobody else is at it now.

    A run that it had put aside comes back, unless its withdrawal was entered or another has its place.
    """
    for left in sorted(published.glob("*/.part-*")):
        name = left.name.removeprefix(".part-").removesuffix(_OLD)
        current = ledger.ledger.runs.get(f"{left.parent.name}/{name}", ())
        gone = any(entry.op == "withdrawn" for entry in current)
        if left.name.endswith(_OLD) and not gone and not left.with_name(name).exists():
            left.rename(left.with_name(name))
        else:
            shutil.rmtree(left, ignore_errors=True)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8")


def _same(folder: Path, files: Mapping[str, str]) -> bool:
    there = {
        os.fspath(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    return there == {name: _bytes(text) for name, text in files.items()}
