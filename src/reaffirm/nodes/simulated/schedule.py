"""Virtual time: a clock that both nodes share, and the tasks that live in it."""

import heapq
from collections.abc import Callable, Generator
from dataclasses import dataclass

from reaffirm.clock import VirtualClock

#: No chain of immediate reactions in the world is longer; more means that two tasks wake each other for ever.
_MAX_ROUNDS = 10_000


@dataclass(frozen=True)
class Until:
    """What a task waits for: a condition of the world, for at most ``timeout`` seconds if given."""

    condition: Callable[[], bool]
    timeout: float | None = None


#: A task yields seconds to sleep or a condition to wait for, and is sent whether the condition came true.
Life = Generator[float | Until, bool, None]


class Task:
    """Something that goes on in the world: a process, the death of a peer noticed later."""

    def __init__(self, number: int, life: Life) -> None:
        self.number = number
        self.life = life
        self.waiting: Until | None = None
        self.turn = 0
        self.done = False

    def cancel(self) -> None:
        """End the task where it stands, as SIGKILL does."""
        self.done = True
        self.waiting = None
        self.turn += 1


class Schedule:
    """Runs tasks in virtual time. The same tasks in the same order always give the same history."""

    def __init__(self, start: float) -> None:
        self.clock = SharedClock(start, self)
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._tasks: list[Task] = []

    def now(self) -> float:
        """Return the virtual time (seconds since the epoch)."""
        return self.clock.now()

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Do something later."""
        self._count += 1
        heapq.heappush(self._events, (round(self.now() + max(seconds, 0.0), 6), self._count, action))

    def start(self, life: Life) -> Task:
        """Start a task; its first part runs when time next moves."""
        self._count += 1
        task = Task(self._count, life)
        self._tasks.append(task)
        self.after(0.0, lambda: self._resume(task, task.turn, True))
        return task

    def advance(self, seconds: float) -> None:
        """Let time pass and everything that falls into it happen."""
        end = round(self.now() + max(seconds, 0.0), 6)
        while self.step(end):
            pass
        self.clock.set(max(end, self.now()))

    def step(self, until: float) -> bool:
        """Go on to the next thing that happens up to that time; tell whether there was one."""
        if self._settle():
            return True
        if not self._events or self._events[0][0] > until:
            return False
        when, _, action = heapq.heappop(self._events)
        self.clock.set(max(when, self.now()))
        action()
        self._settle()
        return True

    def _settle(self) -> bool:
        """Wake the tasks whose condition has come true, until none has; oldest first."""
        moved = False
        for _ in range(_MAX_ROUNDS):
            ready = None
            for task in self._tasks:
                if task.waiting is not None and task.waiting.condition():
                    ready = task
                    break
            if ready is None:
                return moved
            moved = True
            self._resume(ready, ready.turn, True)
            self._tasks = [task for task in self._tasks if not task.done]
        msg = f"two tasks of the simulated world wake each other for ever at {self.now()}"
        raise RuntimeError(msg)

    def _resume(self, task: Task, turn: int, came_true: bool) -> None:
        if task.done or turn != task.turn:
            return
        task.turn += 1
        task.waiting = None
        turn = task.turn
        try:
            wanted = task.life.send(came_true) if task.turn > 1 else next(task.life)
        except StopIteration:
            task.done = True
            return
        if task.done:
            return
        if isinstance(wanted, Until):
            task.waiting = wanted
            if wanted.timeout is not None:
                self.after(wanted.timeout, lambda: self._resume(task, turn, False))
        else:
            self.after(wanted, lambda: self._resume(task, turn, True))


class SharedClock(VirtualClock):
    """The clock of every simulated node: when somebody sleeps on it, the world goes on."""

    def __init__(self, start: float, schedule: Schedule) -> None:
        super().__init__(start)
        self._schedule = schedule

    def sleep(self, seconds: float) -> None:
        """Let ``seconds`` pass on all nodes."""
        if seconds > 0:
            self._schedule.advance(seconds)
