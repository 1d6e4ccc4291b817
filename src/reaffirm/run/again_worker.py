"""The process that executes published notebooks again: ``python -m reaffirm.run.again_worker``.

It loads the steps once and forks for each notebook, so that one costs little and none sees what another did.
An order is one line of JSON, ``{"notebook": path}``; the answer is one line with the outputs of each cell of
code. What programs print that a cell starts is not caught.
"""

import asyncio
import gc
import io
import json
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any as AnyTrait
from traitlets import Type
from traitlets.config import Config

#: nbval's tag for a cell that is not executed again; publishing puts it on cells that did not run.
NOT_RUN = "nbval-skip"
_LOADED = ("reaffirm", "reaffirm.steps", "reaffirm.nodes.connect", "reaffirm.nodes.simulated")


class _Publisher(DisplayPublisher):  # type: ignore[misc]
    """``display(…)``."""

    found = AnyTrait()

    def publish(self, data: Any, metadata: Any = None, **_: Any) -> None:
        """Keep one display."""
        self.found.append({"output_type": "display_data", "data": data, "metadata": metadata or {}})

    def clear_output(self, wait: bool = False) -> None:
        """Forget what was shown."""
        self.found.clear()


class _Hook(DisplayHook):  # type: ignore[misc]
    """The value of the last expression."""

    found = AnyTrait()

    def write_output_prompt(self) -> None:
        """There is none."""

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        """Keep the forms of the value."""
        self.found.append({"output_type": "execute_result", "data": format_dict, "metadata": md_dict or {}})


class ZMQInteractiveShell(InteractiveShell):  # type: ignore[misc]
    """The shell, under the name by which libraries know that they are in a notebook."""

    found = AnyTrait()
    displayhook_class = Type(_Hook)
    display_pub_class = Type(_Publisher)

    def enable_gui(self, gui: Any = None) -> None:
        """There is no window here."""

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        try:
            value = str(evalue)
        except Exception as error:
            value = f"<{type(error).__name__} in __str__>"
        self.found.append(
            {"output_type": "error", "ename": etype.__name__, "evalue": value, "traceback": list(stb)}
        )


class _Stream(io.TextIOBase):
    """One of the two streams of a cell."""

    def __init__(self, name: str, found: list[dict[str, Any]]) -> None:
        self._name = name
        self._found = found

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Keep a piece of text, joined to the one before it."""
        if text:
            last = self._found[-1] if self._found else {}
            if last.get("output_type") == "stream" and last["name"] == self._name:
                last["text"] += text
            else:
                self._found.append({"output_type": "stream", "name": self._name, "text": text})
        return len(text)


def executed(notebook: dict[str, Any]) -> dict[int, list[dict[str, Any]]]:
    """Execute a notebook in this process and return the outputs of each cell that ran, by its index.

    Cells that the run skipped are skipped; after one that failed only cells tagged ``finally`` run.
    """
    found: list[dict[str, Any]] = []
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.automagic = False
    shell: Any = ZMQInteractiveShell.instance(config=config)
    shell.found = shell.display_pub.found = shell.displayhook.found = found
    sys.stdout, sys.stderr = _Stream("stdout", found), _Stream("stderr", found)
    asyncio.set_event_loop(asyncio.new_event_loop())
    made: dict[int, list[dict[str, Any]]] = {}
    failed = False
    for index, cell in enumerate(notebook["cells"]):
        tags = cell.get("metadata", {}).get("tags", ())
        source = "".join(cell["source"])
        over = not source.strip() or NOT_RUN in tags or (failed and "finally" not in tags)
        if cell["cell_type"] != "code" or over:
            continue
        result = shell.run_cell(source, store_history=True)
        made[index] = json.loads(json.dumps(found, default=str))
        found.clear()
        failed = failed or (not result.success and "raises-exception" not in tags)
    return made


def _answer(order: dict[str, Any]) -> dict[str, Any]:
    path = Path(order["notebook"])
    try:
        notebook = json.loads(path.read_bytes())
        os.chdir(path.parent)
        sys.path.insert(0, "")
        outputs = {str(index): outputs for index, outputs in executed(notebook).items()}
        return {"outputs": outputs, "left": _left()}
    except BaseException as error:  # told to whoever asked
        return {"error": "".join(traceback.format_exception_only(error)).strip()}


def _left() -> int:
    """How many recorded requests nobody asked for again."""
    from reaffirm.nodes.replay import Replay

    # whatever is wrapped around it
    return sum(one.left for one in gc.get_objects() if isinstance(one, Replay))


def serve(orders: TextIO, answers: TextIO) -> None:
    """Answer orders until there are no more."""
    for name in _LOADED:
        __import__(name)
    for line in orders:
        child = os.fork()
        if child == 0:
            answers.write(json.dumps(_answer(json.loads(line))) + "\n")
            answers.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            answers.write(json.dumps({"error": "the process of the notebook died"}) + "\n")
            answers.flush()


def main() -> None:
    """Take orders on standard input and answer on standard output; nothing else gets there."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    orders = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(null, 0)
    with suppress(BrokenPipeError, KeyboardInterrupt):
        serve(orders, answers)


if __name__ == "__main__":
    main()
