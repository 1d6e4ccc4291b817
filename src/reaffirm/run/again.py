"""Executes a published notebook again in a process of its own, and returns it with the outputs of now."""

import json
import os
import re
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from reaffirm.errors import ReaffirmError
from reaffirm.store.project import RUNNER_VARIABLES

# What the runner writes in the place of output that is too long for a notebook.
_LEFT_OUT = re.compile(r"\n… ([\d,]+) characters of output are left out here; [^\n]* …\n")
#: How long one notebook may take (seconds).
PATIENCE = 600.0


class Again:
    """A worker that executes notebooks, one after the other. Use it as a context manager.

    Each notebook is executed in its own folder, as nbval does: in that of a published run no machine is
    reached. ``patience`` is how long the next one may take (seconds).
    """

    def __init__(self, *, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def __enter__(self) -> "Again":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        if (process := self._process) is not None:
            self._process = None
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()

    def execute(self, path: Path, notebook: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        """Return a copy of the notebook at ``path`` with the outputs of now.

        The number is how many recorded requests were not asked for again.

        Raises:
            ReaffirmError: it could not be executed to an end of any kind.
        """
        answer = self._ask({"notebook": str(path.resolve())}, path)
        if "error" in answer:
            msg = f"{path}: cannot be executed: {answer['error']}"
            raise ReaffirmError(msg, hint="execute it with Jupyter to see where")
        copy: dict[str, Any] = json.loads(json.dumps(notebook))
        outputs: Mapping[str, Any] = answer["outputs"]
        for index, cell in enumerate(copy["cells"]):
            if cell.get("cell_type") == "code":
                before, cell["outputs"] = cell.get("outputs", []), outputs.get(str(index), [])
                _cut_as(before, cell["outputs"])
        return copy, int(answer["left"])

    def _ask(self, order: Mapping[str, str], path: Path) -> dict[str, Any]:
        process = self._process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(order).encode() + b"\n")
            process.stdin.flush()
            line = self._line(process)
        except (BrokenPipeError, EOFError) as error:
            self.close()
            msg = f"{path}: cannot be executed: the worker died"
            raise ReaffirmError(msg, hint="see what it says: python -m reaffirm.run.again_worker") from error
        except TimeoutError as error:
            self.close()
            msg = f"{path}: did not end within {self.patience:g} s"
            raise ReaffirmError(msg, hint="a cell waits for something: execute it with Jupyter") from error
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _start(self) -> "subprocess.Popen[bytes]":
        environment = {k: v for k, v in os.environ.items() if k not in RUNNER_VARIABLES}
        self._rest = b""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "reaffirm.run.again_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        return self._process

    def _line(self, process: "subprocess.Popen[bytes]") -> bytes:
        assert process.stdout is not None
        while b"\n" not in self._rest:
            ready, _, _ = select.select([process.stdout], [], [], self.patience)
            if not ready:
                raise TimeoutError
            piece = os.read(process.stdout.fileno(), 1 << 16)
            if not piece:
                raise EOFError
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def _cut_as(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> None:
    """Leave out of long output what the runner left out of it, where the rest of it is the same."""
    for name in ("stdout", "stderr"):
        then = "".join("".join(one["text"]) for one in before if one.get("name") == name)
        if (cut := _LEFT_OUT.search(then)) is None:
            continue
        streams = [one for one in now if one.get("name") == name]
        text = "".join(one["text"] for one in streams)
        head, tail = then[: cut.start()], then[cut.end() :]
        same = text.startswith(head) and text.endswith(tail)
        if same and len(text) - len(head) - len(tail) == int(cut[1].replace(",", "")):
            streams[0]["text"] = then
            for one in streams[1:]:
                one["text"] = ""
