"""The process that runs the cells of one run. It is started for one run and ends with it.

It takes orders over a socket pair and runs each cell in an IPython shell, inside of an event loop that runs,
as Jupyter's kernel does. What a cell writes goes straight into two pipes, byte for byte and unbuffered: what
was written is out, also when the process is killed a moment later, and in order with what programs write
that the cell starts.
"""

import gc
import io
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from reaffirm.run.channel import Message, WorkerEnd


def main(line: int, *, preload: bool) -> None:
    """Run the orders that come over the file descriptor ``line``; never returns."""
    gc.disable()  # what is loaded stays; looking for what does not takes longer than loading some of it
    end = WorkerEnd(socket.socket(fileno=line))
    os.set_inheritable(line, False)
    sys.argv = ["reaffirm"]
    _current_folder()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # between cells there is nothing to interrupt
    sys.stdout, sys.stderr = _streams(end)
    try:
        _serve(end, preload=preload)
    except (EOFError, ConnectionError):
        os._exit(1)  # the runner is gone
    finally:
        _leave()


def _serve(end: WorkerEnd, *, preload: bool) -> None:
    from reaffirm.run.worker_shell import Cells

    cells = Cells(end)
    end.send({"op": "ready"})
    speaks = False
    idle: Iterator[object] = iter(())
    if preload:
        idle = _preload(end)
    else:
        _forget_ourselves()
    gc.freeze()
    gc.enable()
    while True:
        order = end.order(idle)
        match order["do"]:
            case "begin":
                _begin(order)
            case "cell":
                if preload or "reaffirm" in order["source"]:
                    if not speaks:
                        speaks = True
                        _speak_through(end)
                    _mark(order)
                at_end = _end_mark if speaks else None
                done = cells.run(order["source"], silent=bool(order.get("silent")), at_end=at_end)
                if end.forked:  # the cell forked and its child came back here
                    _leave()
                if preload:
                    _learn()
                end.request({"op": "done", **done})
            case "finish":
                _exit_functions()
                end.send({"op": "finished"})
                return


def _current_folder() -> None:
    """Let the current folder be imported from: after the standard library, as Jupyter's kernel has it."""
    sys.path[:] = [folder for folder in sys.path if folder != ""]
    ends = ("site-packages", "dist-packages")
    after = [i for i, folder in enumerate(sys.path) if folder.rstrip("/").endswith(ends)]
    sys.path.insert(after[0] if after else 0, "")


def _forget_ourselves() -> None:
    """A cell that decides where modules come from gets the package ``reaffirm`` from there as well."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "reaffirm"]:
        del sys.modules[name]


def _begin(order: Message) -> None:
    os.chdir(order["cwd"])
    for name, value in order["environment"].items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _mark(order: Message) -> None:
    """Say in the recordings that are open which cell begins."""
    with suppress(ImportError):
        from reaffirm.nodes import marks  # type: ignore[attr-defined,unused-ignore]

        marks.cell_begins(order["number"], order["step"])


def _end_mark() -> None:
    """Say in them that the cell has ended: what it asked and heard is written down, or it has failed."""
    with suppress(ImportError):
        from reaffirm.nodes.marks import cell_ends

        cell_ends()


def _speak_through(end: WorkerEnd) -> None:
    """Let steps ask the person at the runner's terminal, and let the runner know what is secret."""
    try:
        from reaffirm.nodes import asking_runner, marks
        from reaffirm.redact import on_learning
    except ImportError:  # a package of that name that is not ours
        return

    def tell(now: Any) -> None:
        patterns = [pattern.pattern for pattern in now.patterns]
        message = {"values": list(now.values), "names": list(now.names), "patterns": patterns}
        end.request({"op": "secrets", **message})

    on_learning(tell)
    marks.tell_ends()
    end.meanwhile = marks.cell_waits
    asking_runner.answers_by(lambda question: end.ask({"op": "ask", "question": question}))


def _learn() -> None:
    """See whether the cell has left a secret in a variable: a later one may print it."""
    with suppress(ImportError):
        from reaffirm.nodes.secret_variables import learn

        learn()


def _preload(end: WorkerEnd) -> Iterator[object]:
    """Load the steps while nobody waits for us, one small part at a time; return what is left for later."""
    from reaffirm.redact import warming
    from reaffirm.run.warm import PARTS, load

    for part in PARTS:
        if select.select([end.line], [], [], 0)[0]:
            break
        load(part)
    return warming()


class _Pipe(io.RawIOBase):
    """One of the two pipes, as a raw stream.

    When output changes from one pipe to the other the runner is asked to read what is there, so that lines of
    both stay in order.
    """

    last: "_Pipe | None" = None

    def __init__(self, descriptor: int, end: WorkerEnd) -> None:
        self._descriptor = descriptor
        self._end = end

    def writable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """The descriptor, which programs inherit."""
        return self._descriptor

    def write(self, data: Any) -> int:
        """Write all of it."""
        if _Pipe.last is not self:
            if _Pipe.last is not None:
                self._end.request({"op": "sync"})
            _Pipe.last = self
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view):
            at += os.write(self._descriptor, view[at:])
        return at


def _streams(end: WorkerEnd) -> list[Any]:
    made = []
    for descriptor, name in ((1, "<stdout>"), (2, "<stderr>")):
        pipe = _Pipe(descriptor, end)
        pipe.name = name  # type: ignore[attr-defined]
        made.append(
            io.TextIOWrapper(  # type: ignore[type-var]
                pipe,
                encoding="utf-8",
                errors="backslashreplace",
                newline="\n",
                write_through=True,
            )
        )
    return made


def _exit_functions() -> None:
    """Do what the interpreter does when it ends, while somebody still listens."""
    import atexit
    import logging
    import threading

    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]
    with suppress(BaseException):
        atexit._run_exitfuncs()
    with suppress(BaseException):
        logging.shutdown()


def _leave() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(0)
