"""A published lab run, made from a simulated one, and what people do to published runs."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from reaffirm.nodes.recording_lines import encode
from reaffirm.run.again import Again


def rewritten(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change lines of a recording and make its hashes new, as somebody who knows the format would."""
    lines, before = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = json.loads(line)
        del fields["h"]
        change(fields)
        text, before = encode(fields, before)
        lines.append(f"{text}\n")
    path.write_text("".join(lines), encoding="utf-8")


def edited(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change a JSON file."""
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")


def make_lab(folder: Path) -> None:
    """Turn a published simulated run into one of kind lab, which is checked by replay."""

    def lab(fields: dict[str, Any]) -> None:
        for node in fields.get("nodes", ()):
            node["kind"] = "lab"

    rewritten(folder / "recording.jsonl", lab)
    for name in ("facts.json", "provenance.json"):
        edited(folder / name, lambda data: data.update(kind="lab"))
    path = folder / "notebook.ipynb"
    edited(path, lambda data: data["metadata"]["reaffirm"].update(kind="lab"))
    with Again() as again:
        made, left = again.execute(path, json.loads(path.read_text(encoding="utf-8")))
    assert left == 0

    def outputs(data: dict[str, Any]) -> None:
        for cell, new in zip(data["cells"], made["cells"], strict=True):
            for one in new.get("outputs", ()):
                if one["output_type"] == "execute_result":
                    one["execution_count"] = cell["execution_count"]
            cell |= {"outputs": new["outputs"]} if "outputs" in new else {}

    edited(path, outputs)


def _cells(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Path], None]:
    return lambda run: edited(run / "notebook.ipynb", lambda data: change(data["cells"]))


def _text(old: str, new: str, name: str = "notebook.ipynb") -> Callable[[Path], None]:
    def change(run: Path) -> None:
        text = (run / name).read_text(encoding="utf-8")
        assert old in text
        (run / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


def _fact(data: dict[str, Any]) -> None:
    data["facts"]["cleanup.absent"]["value"] = ["spark-1/made-up"]


def _fact_shown(data: dict[str, Any]) -> None:
    for cell in data["cells"]:
        for output in cell.get("outputs", ()):
            payload = output.get("data", {}).get("application/vnd.reaffirm.facts+json")
            if payload and "cleanup.absent" in payload["facts"]:
                _fact(payload)


def _fact_everywhere(run: Path) -> None:
    edited(run / "facts.json", _fact)
    edited(run / "notebook.ipynb", _fact_shown)


def _answer(fields: dict[str, Any]) -> None:
    if fields.get("argv") == ["hostname"] and fields["node"] == "spark-1":
        fields["answer"]["stdout"] = "spark-9\n"


def _cut(words: str, characters: int) -> Callable[[Path], None]:
    """Cut the recording off in the last line with these words, after so many characters of it."""

    def cut(run: Path) -> None:
        path = run / "recording.jsonl"
        text = path.read_text(encoding="utf-8")
        at = text.rindex("\n", 0, text.rindex(words)) + 1
        path.write_text(text[: at + characters], encoding="utf-8")

    return cut


class Tampering(NamedTuple):
    """What was done, what the check must say of it beside what the ledger says, and what nbval sees."""

    do: Callable[[Path], object]
    said: tuple[str, ...]
    nbval: bool


TAMPERINGS: Mapping[str, Tampering] = {
    "nothing": Tampering(lambda _: None, (), False),
    "fact-in-facts-json": Tampering(
        lambda run: edited(run / "facts.json", _fact),
        ("facts.json:1: 'cleanup.absent' is {'value': ['spark-1/made-up']} here and {'value': [",),
        False,
    ),
    "fact-in-notebook": Tampering(
        lambda run: edited(run / "notebook.ipynb", _fact_shown),
        ('the fact cleanup.absent is ["spark-1/nobody", "spark-2/nobody"] now and was ["spark-1/made-up"]',),
        True,
    ),
    "fact-everywhere": Tampering(
        _fact_everywhere,
        ('the fact cleanup.absent is ["spark-1/nobody", "spark-2/nobody"] now and was ["spark-1/made-up"]',),
        True,
    ),
    "output-line": Tampering(
        _text("'spark-1\\\\n'", "'spark-2\\\\n'"),
        ('cell 6 "Look for what is not there": output differs now', "- 'spark-2\\n'", "+ 'spark-1\\n'"),
        True,
    ),
    "cell-source": Tampering(
        _text('steps.cleanup(cluster, \\"nobody\\")', 'steps.cleanup(cluster, \\"somebody\\")'),
        (
            'the code of the notebook is not what was run: cell 5 "Look for what is not there"',
            'cell 5 "Look for what is not there" stops when it is run again: RecordingError: ',
            "recorded: spark-1: run docker inspect nobody",
            "got:      spark-1: run docker inspect somebody",
            "1 cell(s) after it were not run",
        ),
        True,
    ),
    "cell-source-without-effect": Tampering(
        _text("if fail:", "if fail and True:"),
        ('the code of the notebook is not what was run: cell 7 "Look for what is not there"',),
        False,
    ),
    "cell-removed": Tampering(
        _cells(lambda cells: cells.pop(5)),
        ("the code of the notebook is not what was run: 4 cells of code, 5 were run", "1 request(s) that"),
        False,
    ),
    "recording-line": Tampering(
        _text('"stdout":"spark-1\\n"', '"stdout":"spark-9\\n"', "recording.jsonl"),
        ("recording.jsonl:", "this line or one before it was changed"),
        True,
    ),
    "recording-rewritten": Tampering(
        lambda run: rewritten(run / "recording.jsonl", _answer),
        ('cell 6 "Look for what is not there": output differs now', "+ 'spark-9\\n'"),
        True,
    ),
    "recording-cut": Tampering(
        _cut('"argv":["hostname"]', 30), ("recording.jsonl:", "not JSON, got …"), True
    ),
    "recording-cut-at-a-line": Tampering(
        _cut('"argv":["hostname"]', 0),
        (
            "recording.jsonl: breaks off after",
            'cell 6 "Look for what is not there" stops when it is run again: RecordingError: ',
            "the recording breaks off here, before spark-1: run hostname",
        ),
        True,
    ),
    "kind": Tampering(
        lambda run: edited(run / "provenance.json", lambda data: data.update(kind="real")),
        ("'kind' is 'lab' here and 'real' in provenance.json",),
        False,
    ),
    "file-added": Tampering(
        lambda run: (run / "logs.txt").write_text("x"), ("logs.txt: added: docs/runs/ledger.jsonl:",), False
    ),
    "file-removed": Tampering(
        lambda run: (run / "machines.toml").unlink(),
        ("machines.toml: removed: docs/runs/ledger.jsonl:",),
        False,
    ),
}


def tampered(published: Path, run: Path) -> None:
    """Make one copy of a run for each tampering, under its name, and enter all of them in the ledger."""
    from reaffirm.run.publication import adopt

    for name in TAMPERINGS:
        copy = run.with_name(name)
        shutil.copytree(run, copy)
        for file in ("facts.json", "provenance.json"):
            edited(copy / file, lambda data, name=name: data.update(run=name))  # type: ignore[misc]
        edited(copy / "notebook.ipynb", lambda data, name=name: data["metadata"]["reaffirm"].update(run=name))  # type: ignore[misc]
        assert adopt(published, f"{copy.parent.name}/{name}", "lab")
    shutil.rmtree(run)
    for name, tampering in TAMPERINGS.items():
        tampering.do(run.with_name(name))
