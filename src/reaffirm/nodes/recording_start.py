"""The part of a recording that belongs to finished cells: all that was written before a cell began.

A run that was killed leaves a recording that breaks off, maybe in the middle of a line. What stands before
the cell that it died in is as good as before, as long as the chain of hashes is whole up to there.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from reaffirm.errors import RecordingError
from reaffirm.nodes.marks import Mark
from reaffirm.nodes.recording_format import Event, Tape, read_events, tape_of


@dataclass(frozen=True)
class Start:
    """The beginning of a recording. ``whole`` is false where the recording breaks off or is damaged later on.

    ``sha256`` is the hash of the whole file as it lies there. ``marks`` are all cells that are known to have
    begun, also later ones.
    """

    tape: Tape
    sha256: str
    marks: tuple[Mark, ...]
    whole: bool

    def step_of(self, seq: int) -> str:
        """Return the id of the step that the line with this number belongs to; empty where none is known."""
        found = ""
        for at, mark in self.tape.marks:
            if at < len(self.tape.events) and self.tape.events[at].seq > seq:
                break
            found = mark.step
        return found


def read_start(path: Path, cell: int, *, shown: str = "") -> Start:
    """Read what was recorded before the cell with this number (from 1) began.

    Raises:
        RecordingError: unreadable; damaged before that cell began; or nothing in it says which cell a
            request belongs to.
    """
    shown = shown or path.name
    events: list[Event] = []
    damage: RecordingError | None = None
    try:
        for event in read_events(path, shown):
            events.append(event)
    except RecordingError as error:
        damage = error
    marks = tuple(Mark(int(e.fields["cell"]), str(e.fields["step"])) for e in events if _is_mark(e))
    at = next((n for n, e in enumerate(events) if _is_mark(e) and int(e.fields["cell"]) >= cell), None)
    if at is None and damage is not None and not _torn(path, len(events)):
        damage.hint = (
            "the recording is damaged before that step began, so nobody can tell what was answered; "
            "run it from the beginning, or with --from"
        )
        raise damage
    if not marks and len(events) > 1:
        msg = f"{shown}: does not say which request belongs to which cell"
        hint = "it was not written by `reaffirm run`, or by an older version; run it from the beginning"
        raise RecordingError(msg, hint=hint)
    kept = events if at is None else events[:at]
    if kept and kept[-1].op == "end":
        kept = kept[:-1]  # the run ended; one that is taken up goes on
    whole = damage is None and bool(events) and events[-1].op == "end"
    return Start(tape_of(kept, shown), _file_hash(path), marks, whole)


def _is_mark(event: Event) -> bool:
    return event.op == "cell" and {"cell", "step"} <= event.fields.keys()


def _torn(path: Path, lines: int) -> bool:
    """Whether all that is damaged is a last line that was cut while it was written."""
    raw = path.read_bytes()
    return not raw.endswith(b"\n") and raw.count(b"\n") == lines


def _file_hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
