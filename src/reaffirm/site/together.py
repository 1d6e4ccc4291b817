"""Makes many pages: on all processors where that pays, else one after the other. The pages are the same."""

import gc
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import TypeVar

from reaffirm.site.assets import Assets

T = TypeVar("T")

# What the forked processes work on: they have a copy of all that was read, and nothing is sent to them.
_work: tuple[Callable[[int], object], Assets | None] | None = None

#: What a page is and which pictures it asked for, by path, with the address that each got.
Made = tuple[object, dict[str, str]]


def together(
    make: Callable[[int], T], count: int, *, chunk: int, assets: Assets | None = None, processors: int = 0
) -> Iterator[T]:
    """Yield ``make(0)``, ``make(1)`` and so on.

    Args:
        make: makes one page; what it returns can be pickled. It changes nothing but ``assets``.
        count: how many.
        chunk: how many a process makes at a time; fewer than three times as many are not worth a process.
        assets: pictures that get their address when a page asks for it. Where another page was quicker to
            take an address, the page is made again.
        processors: how many processes; 0 for as many as there are processors.
    """
    if processors == 1 or not processes() or count < 3 * chunk:
        yield from map(make, range(count))
        return
    yield make(0)  # what is looked up once is looked up before the processes part
    done = 1
    try:
        for made, asked in in_processes(make, range(1, count), chunk, assets, processors):
            same = all(assets.get(path) == uri for path, uri in asked.items()) if assets else True
            yield made if same else make(done)  # type: ignore[misc]
            done += 1
    except (BrokenProcessPool, OSError):
        yield from map(make, range(done, count))


def in_processes(
    make: Callable[[int], object],
    numbers: range,
    chunk: int,
    assets: Assets | None = None,
    processors: int = 0,
) -> Iterator[Made]:
    """Yield what is made of each of the numbers, in their order, by processes that are forked for it.

    Raises:
        OSError: there is no process to be had, or one died (:class:`BrokenProcessPool`).
    """
    global _work
    _work = (make, assets)
    try:
        # Looking for cycles among what was read would only make each process copy it.
        context = get_context("fork")
        with ProcessPoolExecutor(
            processors or processes(), mp_context=context, initializer=gc.disable
        ) as pool:
            for part in pool.map(_chunk, [numbers[at : at + chunk] for at in range(0, len(numbers), chunk)]):
                yield from part
    finally:
        _work = None


def _chunk(numbers: Sequence[int]) -> list[Made]:
    if _work is None:
        return []
    make, assets = _work
    found: list[Made] = []
    for number in numbers:
        if assets:
            assets.asked.clear()
        found.append((make(number), dict(assets.asked) if assets else {}))
    return found


def processes() -> int:
    """How many processes may be forked: as many as there are processors; none where that is not safe."""
    # Forking is safe where no other thread runs.
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return 0
    try:
        found = len(os.sched_getaffinity(0))
    except AttributeError:
        found = os.cpu_count() or 1
    return found if found > 1 else 0
