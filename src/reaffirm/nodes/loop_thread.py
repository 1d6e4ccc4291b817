"""A background thread in which everything that waits for machines happens; steps stay synchronous."""

import asyncio
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

#: A wait is cut into pieces of this length: Python acts on a signal that the system gave to another thread
#: only when the main thread wakes up (seconds).
CTRL_C_SECONDS = 0.5

_T = TypeVar("_T")


class LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="reaffirm-nodes", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._loop.is_closed()

    def call(self, work: Coroutine[Any, Any, _T], seconds: float) -> _T:
        """Run ``work`` in the thread and wait for its result, at most ``seconds``.

        ``work`` has its own, shorter limit; this one only makes sure that nobody waits for ever. Ctrl-C
        gets out at once: the work is cancelled and clears up behind our back.

        Raises:
            TimeoutError: no result within ``seconds``; the work was cancelled.
        """
        future: Future[_T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        end = time.monotonic() + seconds
        try:
            while not wait((future,), CTRL_C_SECONDS).done:
                if time.monotonic() > end:
                    msg = f"no result within {seconds:g} s"
                    raise TimeoutError(msg)
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run ``work`` in the thread and do not wait for it."""
        self._loop.call_soon_threadsafe(self.background, work)

    def background(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run ``work`` beside what runs now; call it only from within the thread."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self, seconds: float) -> None:
        """Wait for the work in the background, at most ``seconds``."""
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=seconds)

    def close(self) -> None:
        """Cancel what still runs and end the thread. Closing twice is harmless."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._cancel_all(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        if not self._thread.is_alive():
            self._loop.close()

    async def _cancel_all(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.wait({asyncio.ensure_future(asyncio.sleep(0)), *tasks}, timeout=5)
        await self._loop.shutdown_asyncgens()
        await self._loop.shutdown_default_executor()
