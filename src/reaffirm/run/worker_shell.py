"""The IPython shell of a worker: what a cell shows goes to the runner as Jupyter's kernel would send it."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any

from IPython.core.autocall import ExitAutocall
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from traitlets import Any as AnyTrait
from traitlets import CBool, Instance, Type, default
from traitlets.config import Config

from reaffirm.run.channel import WorkerEnd


class _Publisher(DisplayPublisher):  # type: ignore[misc]
    """``display(…)`` and ``clear_output()``."""

    end = AnyTrait()

    def publish(
        self, data: Any, metadata: Any = None, *, transient: Any = None, update: bool = False, **_: Any
    ) -> None:
        """Send one display."""
        message = {"op": "update" if update else "display", "data": data, "metadata": metadata or {}}
        if shown_as := (transient or {}).get("display_id"):
            message["display_id"] = shown_as
        self.end.show(message)

    def clear_output(self, wait: bool = False) -> None:
        """Send that what was shown is cleared."""
        self.end.request({"op": "clear", "wait": wait})


class _Hook(DisplayHook):  # type: ignore[misc]
    """The value of the last expression."""

    end = AnyTrait()
    _data: Any = None
    _metadata: Any = None

    def start_displayhook(self) -> None:
        """Begin with nothing."""
        self._data = None

    def write_output_prompt(self) -> None:
        """The count is sent with the value."""

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        """Keep the forms of the value."""
        self._data, self._metadata = format_dict, md_dict

    def finish_displayhook(self) -> None:
        """Send it."""
        data, self._data = self._data, None
        if data:
            count = self.prompt_count
            self.end.show({"op": "result", "data": data, "metadata": self._metadata or {}, "count": count})


class ZMQInteractiveShell(InteractiveShell):  # type: ignore[misc]
    """The shell.

    It has the name of the one in Jupyter's kernel: libraries ask for that name to know that they are in a
    notebook and may show pictures and tables.
    """

    end = AnyTrait()
    interrupted = False
    displayhook_class = Type(_Hook)
    display_pub_class = Type(_Publisher)
    autoindent = CBool(False)
    colors_force = CBool(True)
    exiter = Instance(ExitAutocall)

    @default("exiter")
    def _default_exiter(self) -> ExitAutocall:
        return ExitAutocall(self)

    @default("banner1")
    def _default_banner1(self) -> str:
        return ""

    def init_environment(self) -> None:
        """What programs see that a cell starts: as under Jupyter's kernel."""
        os.environ |= {
            "TERM": "xterm-color",
            "CLICOLOR": "1",
            "FORCE_COLOR": "1",
            "CLICOLOR_FORCE": "1",
            "PAGER": "cat",
            "GIT_PAGER": "cat",
        }
        os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")

    def init_hooks(self) -> None:
        """Show no help, as papermill with Jupyter's kernel shows none: there is no pager."""
        super().init_hooks()
        self.set_hook("show_in_pager", _page, 99)

    def enable_gui(self, gui: Any = None) -> None:
        """There is no window here."""

    def ask_exit(self) -> None:
        """``exit`` in a cell ends the run, like ``sys.exit()``."""
        raise SystemExit(0)

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        name = etype.__name__
        if self.interrupted and issubclass(etype, asyncio.CancelledError):
            name, evalue = "KeyboardInterrupt", ""  # that is how a cell that awaits is interrupted
        try:
            value = str(evalue)
        except Exception as error:
            value = f"<{type(error).__name__} in __str__>"
        self.end.request({"op": "error", "ename": name, "evalue": value, "traceback": list(stb)})


def _page(*_: object, **__: object) -> None:
    """Help (``len?``) is for a person at a prompt."""


class Cells:
    """Runs cells one after the other, in one namespace and one event loop."""

    def __init__(self, end: WorkerEnd) -> None:
        self._end = end
        config = Config()
        config.HistoryManager.enabled = False  # a run leaves no traces in anybody's history
        config.InteractiveShell.automagic = False  # the line `who: str = "x"` is a parameter, not a magic
        # nothing of the user's own configuration is read: a run is the same for everybody
        self.shell: Any = ZMQInteractiveShell.instance(config=config)
        self.shell.end = self.shell.display_pub.end = self.shell.displayhook.end = end
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        _refuse_input()

    def run(
        self, source: str, *, silent: bool = False, at_end: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        """Run one cell; return ``ok``, ``count``, ``seconds`` and, where it failed, ``error``.

        ``at_end`` is called whatever its end; where that fails, the cell has failed.
        """
        count = self.shell.execution_count
        began = time.monotonic()
        error: BaseException | None
        try:
            signal.signal(signal.SIGINT, self._end.interrupt)
            try:
                self._end.send({"op": "began"})
                plain, wrong = self._transformed(source)
                result = self._finished(
                    self.shell.run_cell_async(
                        source,
                        store_history=not silent,
                        silent=silent,
                        transformed_cell=plain,
                        preprocessing_exc_tuple=wrong,
                    )
                )
            finally:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            error = result.error_before_exec or result.error_in_exec
        except KeyboardInterrupt as caught:  # at the very end of the cell, or while it awaited
            error = caught
            self.shell._showtraceback(KeyboardInterrupt, caught, ["KeyboardInterrupt"])
        except BaseException as caught:  # IPython itself
            error = caught
            self.shell.showtraceback()
        if at_end is not None and not self._end.forked:
            try:
                at_end()
            except Exception as caught:
                error = error or caught
                self.shell.showtraceback()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        seconds = round(time.monotonic() - began, 6)
        name = type(error).__name__ if error else None
        return {"ok": error is None, "count": count, "error": name, "seconds": seconds}

    def _transformed(self, source: str) -> tuple[str, Any]:
        """The cell as plain Python, and what is wrong with it where that cannot be made."""
        try:
            return self.shell.transform_cell(source), None
        except Exception:
            return source, sys.exc_info()

    def _finished(self, cell: Coroutine[Any, Any, ExecutionResult]) -> Any:
        """Drive a cell to its end inside of the loop, also when it is interrupted while it awaits."""
        task = self._loop.create_task(cell)
        try:
            return self._with_events(task)
        except KeyboardInterrupt:
            if not task.done():
                self.shell.interrupted = True
                task.cancel()
                try:
                    return self._with_events(task)
                finally:
                    self.shell.interrupted = False
            raise

    def _with_events(self, task: "asyncio.Task[Any]") -> Any:
        """As ``run_cell`` of IPython does it: hooks after the cell run whatever its end."""
        try:
            return self._loop.run_until_complete(task)
        finally:
            if task.done():
                self.shell.events.trigger("post_execute")
                if not task.cancelled() and task.exception() is None:
                    self.shell.events.trigger("post_run_cell", task.result())


def _refuse_input() -> None:
    import builtins
    import getpass

    def refuse(*_: object, **__: object) -> str:
        msg = "raw_input was called, but this frontend does not support input requests."
        raise StdinNotImplementedError(msg)

    builtins.input = refuse
    getpass.getpass = refuse
