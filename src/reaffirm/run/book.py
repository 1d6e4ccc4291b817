"""The notebook of a run, made of the events of its journal: the same while it runs and years later.

The journal is the truth, and the notebook is what it looks like. So there is one way to make it: each
event changes the notebook a little.
"""

import re
from collections.abc import Mapping
from typing import Any

Event = Mapping[str, Any]

#: How a cell ended → papermill's word, and whether papermill calls that an exception.
_PAPERMILL = {
    "completed": ("completed", False),
    "failed": ("failed", True),
    "timed out": ("failed", True),
    "killed": ("failed", True),
    "interrupted": ("interrupted", True),
}
_BANNER = "papermill-error-cell-tag"
_STYLE = 'style="color:red; font-family:Helvetica Neue, Helvetica, Arial, sans-serif; font-size:2em;"'
# papermill's own words and links: what finds failed notebooks by them finds ours
_BANNER_TOP = (
    f"<span {_STYLE}>An Exception was encountered at '<a href=\"#papermill-error-cell\">In [%s]</a>'.</span>"
)
_BANNER_HERE = (
    f'<span id="papermill-error-cell" {_STYLE}>'
    "Execution using papermill encountered an exception here and stopped:"
    "</span>"
)
_RETURN = re.compile(r".*\r(?=[^\n])")


class Book:
    """A notebook that events are applied to."""

    def __init__(self) -> None:
        self.notebook: dict[str, Any] = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        self._clear_next: set[int] = set()
        self._shown: dict[str, list[dict[str, Any]]] = {}
        self.failed: int | None = None
        self._left = False  # a cell has ended the run without failing
        self.ended: Event | None = None

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The cells."""
        found: list[dict[str, Any]] = self.notebook["cells"]
        return found

    def apply(self, event: Event) -> None:
        """Change the notebook as an event says; one that is not known changes nothing."""
        change = getattr(self, f"_{str(event.get('op')).replace(' ', '_')}", None)
        if change is not None and event.get("op") in _EVENTS:
            change(event)

    def _begin(self, event: Event) -> None:
        self.notebook = dict(event["notebook"])
        papermill = self.notebook["metadata"].setdefault("papermill", {})
        papermill |= {"start_time": event["at"], "end_time": None, "duration": None, "exception": None}
        for cell in self.cells:
            cell["metadata"]["papermill"] = {
                "exception": None,
                "start_time": None,
                "end_time": None,
                "duration": None,
                "status": "pending",
            }
            if cell["cell_type"] == "code":
                cell["execution_count"], cell["outputs"] = None, []

    def _cell(self, event: Event) -> None:
        index = event["cell"]
        if self.failed is None and not self._left:
            self._pass_prose(index, event["at"])
        self._state(index).update(start_time=event["at"], status="running", exception=False)

    def _pass_prose(self, before: int, at: str) -> None:
        """What is no code, and code without a word of it, is done when a cell after it begins."""
        for cell in self.cells[:before]:
            state = cell["metadata"]["papermill"]
            if state["status"] == "pending" and not (cell["cell_type"] == "code" and cell["source"].strip()):
                state.update(start_time=at, end_time=at, duration=0.0, status="completed", exception=False)

    def _text(self, event: Event) -> None:
        outputs = self._outputs(event["cell"])
        # between two displays there is one text of each stream; of what is written at the same time the
        # order cannot be known
        for output in reversed(outputs):
            if output["output_type"] != "stream":
                break
            if output["name"] == event["stream"]:
                output["text"] += event["text"]
                return
        outputs.append({"output_type": "stream", "name": event["stream"], "text": event["text"]})

    def _display(self, event: Event) -> None:
        output = {"output_type": "display_data", "data": event["data"], "metadata": event["metadata"]}
        self._add(event, output)

    def _result(self, event: Event) -> None:
        output = {"output_type": "execute_result", "data": event["data"], "metadata": event["metadata"]}
        self._add(event, output | {"execution_count": event["count"]})

    def _add(self, event: Event, output: dict[str, Any]) -> None:
        self._outputs(event["cell"]).append(output)
        if named := event.get("display_id"):
            self._update(event)
            self._shown.setdefault(named, []).append(output)

    def _update(self, event: Event) -> None:
        for output in self._shown.get(event.get("display_id", ""), ()):
            output["data"], output["metadata"] = event["data"], event["metadata"]

    def _error(self, event: Event) -> None:
        error = {key: event[key] for key in ("ename", "evalue", "traceback")}
        self._outputs(event["cell"]).append({"output_type": "error"} | error)

    def _clear(self, event: Event) -> None:
        if event.get("wait"):
            self._clear_next.add(event["cell"])
        else:
            self.cells[event["cell"]]["outputs"].clear()

    def _done(self, event: Event) -> None:
        index = event["cell"]
        status, exception = _PAPERMILL[event["status"]]
        self._state(index).update(
            end_time=event["at"], duration=event["seconds"], status=status, exception=exception
        )
        cell = self.cells[index]
        if event.get("count") is not None:
            cell["execution_count"] = event["count"]
        if event["status"] in ("timed out", "killed", "interrupted"):
            note = cell["metadata"].setdefault("reaffirm", {})
            note |= {"status": event["status"], "why": event["why"]}
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                output["text"] = _overwritten(output["text"])
        self._left = self._left or bool(event.get("early"))
        if exception:
            self.notebook["metadata"]["papermill"]["exception"] = True
            if self.failed is None:
                self.failed = index

    def _end(self, event: Event) -> None:
        if event["how"] == "completed" and event.get("cell") is None:
            self._pass_prose(len(self.cells), event["at"])
        self.notebook["metadata"]["papermill"] |= {"end_time": event["at"], "duration": event["seconds"]}
        if "language_info" in event:
            self.notebook["metadata"]["language_info"] = event["language_info"]
        self.ended = event

    def _state(self, index: int) -> dict[str, Any]:
        state: dict[str, Any] = self.cells[index]["metadata"]["papermill"]
        return state

    def _outputs(self, index: int) -> list[dict[str, Any]]:
        outputs: list[dict[str, Any]] = self.cells[index]["outputs"]
        if index in self._clear_next:
            self._clear_next.discard(index)
            outputs.clear()
        return outputs

    def finished(self) -> dict[str, Any]:
        """Return the notebook with papermill's two banners where a cell failed."""
        made = dict(self.notebook)
        cells = list(self.cells)
        if self.failed is not None:
            count = cells[self.failed]["execution_count"]
            cells.insert(self.failed, _banner(_BANNER_HERE))
            cells.insert(0, _banner(_BANNER_TOP % count))
        made["cells"] = cells
        return made


_EVENTS = ("begin", "cell", "text", "display", "result", "update", "error", "clear", "done", "end")


def _banner(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": "banner", "metadata": {"tags": [_BANNER]}, "source": source}


def _overwritten(text: str) -> str:
    """What a terminal would still show: a line that was overwritten is gone."""
    return _RETURN.sub("", text) if "\r" in text else text
