"""The file format of a recording: JSON lines in one order over all nodes, each with a chained hash.

::

    {"seq":0,"op":"begin","schema":1,"machines":"lab","nodes":[…],"started":…,"versions":{…},"h":"…"}
    {"seq":1,"op":"cell","cell":7,"step":"before-anything-is-started","h":"…"}
    {"seq":2,"op":"text","sha256":"…","text":"import json…","h":"…"}
    {"seq":3,"op":"run","node":"spark-1","argv":["hostname"],"stdin":null,…,"answer":{…},"h":"…"}
    {"seq":4,"op":"now","node":"spark-1","at":1780000000.5,"h":"…"}
    {"seq":5,"op":"consent","action":"remove","targets":["spark-1/vllm"],"how":"prompt","at":…,"h":"…"}
    {"seq":6,"op":"end","streams":{},"h":"…"}

``h`` is over the line's other fields and the ``h`` of the line before, so a changed, missing or
reordered line is noticed. A run that died has no last line ``end``, and may have half a line in its place.
A line ``cell`` says that a cell of the runbook begins; older recordings have none. In the recording of a
resumed run, lines ``checked`` hold what was asked before it went on, and a line ``live`` stands before the
first request that was sent by itself.
"""

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reaffirm.errors import RecordingError
from reaffirm.model.evidence import Kind
from reaffirm.model.node import NodeSpec, Role, Way
from reaffirm.nodes.marks import Mark
from reaffirm.nodes.recording_lines import chained

SCHEMA = 1
# What each line says of the request, and what of its answer. A request that failed or was stopped has
# "error" or "interrupted" in place of an answer.
_FIELDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "text": (("sha256", "text"), ()),
    "run": (("node", "argv", "stdin"), ("answer",)),
    "http": (("node", "method", "url", "headers", "body"), ("answer",)),
    "follow": (("node", "argv"), ("stream",)),
    "read": (("node", "stream", "call"), ("lines", "exit")),
    "close": (("node", "stream", "call"), ()),
    "now": (("node",), ("at",)),
    "sleep": (("node", "seconds"), ()),
    "cell": (("cell", "step"), ()),
    "checked": (("node", "argv"), ("answer",)),
    "live": (("cell", "step"), ()),
    "consent": (("action", "targets", "how"), ()),
    "lock": (("node", "what"), ()),
}
# Lines about the run itself. No request made them, so no replay asks for them.
_NOTES = ("text", "cell", "checked", "live", "consent", "lock")
#: Name of a recording in the folder of its run.
RECORDING = "recording.jsonl"


@dataclass(frozen=True)
class Header:
    """What a recording says about the run it is of. ``started`` is the head's time (seconds).

    ``resumed`` is empty, or says that the answers before a cell were taken from an earlier run: ``run``,
    ``cell`` and ``step`` (the first that was run for itself), ``recording`` (SHA-256 of that run's file).
    """

    machines: str
    machines_path: str
    runbook: str
    started: float
    versions: Mapping[str, str]
    nodes: tuple[NodeSpec, ...]
    kinds: Mapping[str, Kind]
    run: str = ""
    resumed: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the header's fields as they are written."""
        return {
            "schema": SCHEMA,
            "machines": self.machines,
            "machines_path": self.machines_path,
            "runbook": self.runbook,
            **({"run": self.run} if self.run else {}),
            "started": self.started,
            "versions": dict(self.versions),
            "nodes": [
                {
                    "name": node.name,
                    "role": str(node.role),
                    "address": node.address,
                    "user": node.user,
                    "port": node.port,
                    "jump": node.jump,
                    "kind": str(self.kinds[node.name]),
                    **({"transport": str(node.transport)} if node.transport is not Way.SSH else {}),
                }
                for node in self.nodes
            ],
            **({"resumed": dict(self.resumed)} if self.resumed else {}),
        }


def header_from_json(fields: Mapping[str, Any]) -> Header:
    """Read a header back.

    Raises:
        KeyError, TypeError, ValueError: a field is missing or of another kind.
    """
    nodes = tuple(
        NodeSpec(
            n["name"],
            Role(n["role"]),
            n["address"],
            n["user"],
            n["port"],
            n["jump"],
            Way(n.get("transport", Way.SSH)),
        )
        for n in fields["nodes"]
    )
    if not nodes:
        msg = "no nodes"
        raise ValueError(msg)
    kinds = {n["name"]: Kind(n["kind"]) for n in fields["nodes"]}
    versions = {str(k): str(v) for k, v in fields["versions"].items()}
    return Header(
        str(fields["machines"]),
        str(fields["machines_path"]),
        str(fields["runbook"]),
        float(fields["started"]),
        versions,
        nodes,
        kinds,
        str(fields.get("run", "")),
        dict(fields.get("resumed") or {}),
    )


@dataclass(frozen=True)
class Event:
    """One line of a recording and where it stands."""

    seq: int
    line: int
    op: str
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Tape:
    """A whole recording that was read and found undamaged. ``ended`` is false for a run that died.

    ``consented`` is what a person agreed to in that run, as ``node/container``. ``marks`` are the cells that
    began, each with the number of the first event that came after it; ``notes`` are other lines about the
    run.
    """

    path: str
    header: Header
    events: tuple[Event, ...]
    texts: Mapping[str, str]
    ended: bool
    streams: Mapping[str, int]
    consented: tuple[str, ...] = ()
    marks: tuple[tuple[int, Mark], ...] = ()
    notes: tuple[Event, ...] = ()


def read_tape(path: Path, *, shown: str = "", torn: bool = False) -> Tape:
    """Read a recording and check it from end to end.

    ``torn``: of a run that was killed or ran out of disk, half a line at the end is left out: it was being
    written and is no part of what was recorded. Evidence is never read like that.

    Raises:
        RecordingError: unreadable, damaged, or of another schema; the message carries ``path:line``.
    """
    shown = shown or path.name
    return tape_of(list(read_events(path, shown, torn=torn)), shown)


def tape_of(events: Sequence[Event], shown: str) -> Tape:
    """Make a tape of lines that were read with :func:`read_events`; see :func:`read_tape`."""
    if not events:
        msg = f"{shown}:1: an empty recording"
        raise RecordingError(msg, hint="the run wrote nothing; run it again")
    first = events[0]
    if first.op != "begin":
        msg = f"{shown}:1: no header, got {first.op!r}"
        raise RecordingError(msg, hint="the beginning of the file is lost; take it from the version control")
    if first.fields.get("schema") != SCHEMA:
        msg = f"{shown}:1: schema {SCHEMA} is what this version reads, got {first.fields.get('schema')!r}"
        raise RecordingError(msg, hint="use the version of reaffirm that wrote it, or run it again")
    try:
        header = header_from_json(first.fields)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        msg = f"{shown}:1: a header that is not whole: {type(error).__name__}: {error}"
        raise RecordingError(msg, hint="take the file from the version control") from error
    ended = events[-1].op == "end" and len(events) > 1
    for event in events[1 : -1 if ended else None]:
        _check(event, header, shown)
    texts = {e.fields["sha256"]: e.fields["text"] for e in events if e.op == "text"}
    streams = {str(k): int(v) for k, v in events[-1].fields["streams"].items()} if ended else {}
    asked = tuple(e for e in events[1 : -1 if ended else None] if e.op not in _NOTES)
    agreed = tuple(str(target) for e in events if e.op == "consent" for target in e.fields["targets"])
    order = [event.seq for event in asked]
    marks = tuple(
        (bisect_left(order, e.seq), Mark(int(e.fields["cell"]), str(e.fields["step"])))
        for e in events
        if e.op == "cell"
    )
    notes = tuple(e for e in events if e.op in ("consent", "lock", "checked", "live"))
    return Tape(shown, header, asked, texts, ended, streams, agreed, marks, notes)


def _check(event: Event, header: Header, shown: str) -> None:
    known = event.op in _FIELDS and event.fields.get("node", header.nodes[0].name) in header.kinds
    asked, answered = _FIELDS.get(event.op, ((), ()))
    failed = bool(event.fields.get("error") or event.fields.get("interrupted"))
    missing = [key for key in (*asked, *(() if failed else answered)) if key not in event.fields]
    if missing or not known:
        what = f"without {', '.join(missing)}" if missing else f"of {event.fields.get('node')!r}"
        msg = f"{shown}:{event.line}: not a line of this recording, got {event.op!r} {what}"
        raise RecordingError(msg, hint="take the file from the version control, or run it again")


def read_events(path: Path, shown: str, *, torn: bool = False) -> Iterator[Event]:
    """Read the lines of a recording one by one, as far as their chain is whole.

    Raises:
        RecordingError: at the first line that is damaged.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        msg = f"{shown}: cannot be read: {error.strerror}"
        raise RecordingError(
            msg, hint="a published run needs its recording.jsonl beside its notebook"
        ) from error
    before, ended = "", False
    whole = raw[: raw.rfind(b"\n") + 1] if torn else raw
    for number, line in enumerate(whole.removesuffix(b"\n").split(b"\n") if whole else (), 1):
        fields, before = _line(line, before, number, shown)
        if ended:
            msg = f"{shown}:{number}: a line after the end of the recording, got {fields['op']!r}"
            raise RecordingError(
                msg, hint="two recordings were joined; take the file from the version control"
            )
        if fields["seq"] != number - 1:
            msg = f"{shown}:{number}: a gap: sequence number {number - 1} expected, got {fields['seq']}"
            raise RecordingError(msg, hint="lines are missing; take the file from the version control")
        ended = fields["op"] == "end"
        yield Event(number - 1, number, fields["op"], fields)


def _line(line: bytes, before: str, number: int, shown: str) -> tuple[dict[str, Any], str]:
    hint = "the file is cut or was changed; take it from the version control, or run it again"
    try:
        fields = json.loads(line)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        excerpt = line[-40:].decode("utf-8", "replace")
        msg = f"{shown}:{number}: not JSON, got … {excerpt!r}"
        raise RecordingError(msg, hint=hint) from error
    if not isinstance(fields, dict) or not isinstance(fields.get("op"), str) or "seq" not in fields:
        msg = f"{shown}:{number}: not a line of a recording, got {str(fields)[:60]!r}"
        raise RecordingError(msg, hint=hint)
    said = fields.pop("h", None)
    as_written, digest = chained(json.dumps(fields, separators=(",", ":")), before)
    if said != digest and fields["seq"] == number - 1:
        msg = f"{shown}:{number}: this line or one before it was changed: hash {digest} expected, got {said}"
        raise RecordingError(msg, hint=hint)
    if said == digest and line != as_written.encode():
        # JSON reads {"exit":1,"exit":0} as 0, and a person the 1
        odd = _odd(line.decode("utf-8", "replace"), as_written)
        msg = f"{shown}:{number}: this line was changed: a recording does not write {odd!r}"
        raise RecordingError(msg, hint=hint)
    return fields, digest


def _odd(line: str, as_written: str) -> str:
    """What stands where a line begins to differ from what a recording would have there."""
    pairs = enumerate(zip(line, as_written, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), len(as_written))
    return line[same : same + 40]
