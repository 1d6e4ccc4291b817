"""The lock of each node: two runs that change it keep apart, also when they start on two machines."""

import json
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from reaffirm.errors import LockedError, NodeError
from reaffirm.model.changes import Change
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest
from reaffirm.model.node import Role
from reaffirm.nodes.consent import PAGE, Note
from reaffirm.nodes.declared import at_work
from reaffirm.nodes.effects import effect_of
from reaffirm.nodes.lock_holder import described, here, is_dead_here
from reaffirm.nodes.transport import LineStream, Transport
from reaffirm.nodes.wrapping import Wrapping
from reaffirm.store.node_programs import node_program

PROGRAM = "node_lock.py"
#: How long a lock counts after its run was last heard of (seconds of the node's time).
LEASE = 1800.0
# Heard of again before a change when this old, and before anything else when half of the lease is over.
_FRESH, _KEEP = 60.0, LEASE / 2
_TIMEOUT, _FREE_TIMEOUT = 30.0, 10.0


@dataclass
class _Held:
    """A lock that this run holds, and when the node last confirmed it (the node's time).

    ``token`` is that of another cluster of this process where that one took it first; it gives it back then.
    """

    since: float
    token: str
    owner: bool = True


@dataclass
class NodeLocks:
    """The locks of one cluster. ``run`` and ``runbook`` are what another run gets to read; ``file`` is the
    machine file, for hints.

    A lock is taken before the first request that may change something. Head and workers are taken together,
    so that no launch is started half-way; a node without a role is taken alone. They are given back when the
    node is let go.
    """

    run: str
    runbook: str
    note: Note | None = None
    file: str = "FILE"
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    _nodes: dict[str, Transport] = field(default_factory=dict)
    _held: dict[str, _Held] = field(default_factory=dict)

    def locked(self, transport: Transport) -> Transport:
        """Return ``transport`` with its lock taken when it is first needed."""
        self._nodes[transport.node.name] = transport
        return _Locked(transport, self)

    def before(self, node: str, *, changing: bool, timeout: float) -> None:
        """Take the locks before a first change, and let the node hear of this run from time to time.

        Raises:
            LockedError: another run holds one of the nodes, or this run's lock was broken. Nothing was sent.
            NodeError: the lock cannot be used.
        """
        held = self._held.get(node)
        if held is None:
            if not changing:
                return
            self._take_all(node)
            held = self._held[node]
        old = self._nodes[node].clock.now() - held.since
        if old > (_FRESH if changing else _KEEP) or old + timeout > LEASE - _FRESH:
            self._keep(node, held, timeout)

    def free(self, node: str) -> None:
        """Give a lock back. Whatever goes wrong: a lock that stays becomes void by itself."""
        held = self._held.pop(node, None)
        if held is not None and held.owner:
            with suppress(NodeError):
                self._ask(node, ["free", self.token], timeout=_FREE_TIMEOUT)

    def _take_all(self, node: str) -> None:
        together = [node]
        if self._nodes[node].node.role is not Role.NONE:
            together = [name for name, one in self._nodes.items() if one.node.role is not Role.NONE]
        taken: list[str] = []
        try:
            for name in together:
                if name not in self._held:
                    taken.append(name)
                    self._take(name)
        except BaseException:
            for name in taken:
                self.free(name)
            raise

    def _take(self, node: str) -> None:
        holder = here(self.run, self.runbook, self.token)
        words = ["take", json.dumps(holder), f"{LEASE:g}"]
        # Were the answer lost, it is given back all the same.
        held = self._held[node] = _Held(self._nodes[node].clock.now(), self.token)
        told = self._ask(node, words)
        if told.get("taken") is not True and is_dead_here(told.get("holder")):
            told = self._ask(node, [*words, str(told["holder"]["token"])])
        if told.get("taken") is not True:
            del self._held[node]
            whose = told.get("holder")
            msg = f"{node} is {described(whose)}; nothing was changed there"
            run = whose.get("run") if isinstance(whose, dict) else "ID"
            order = f"reaffirm nodes unlock {self.file} --node {node} --run {run}"
            hint = f"wait for it; or, when it is surely dead: {order}"
            raise LockedError(msg, hint=hint, page=PAGE)
        held.token = str(told.get("token") or self.token)
        held.owner = held.token == self.token
        if self.note is not None and held.owner:
            after = told.get("after")
            why = {"after": {k: after.get(k) for k in ("run", "void")}} if isinstance(after, dict) else {}
            self.note("lock", {"node": node, "what": "taken", **why})

    def _keep(self, node: str, held: _Held, timeout: float) -> None:
        told = self._ask(node, ["keep", held.token, f"{LEASE + timeout:g}"])
        if told.get("kept") is True:
            held.since = self._nodes[node].clock.now() + timeout
            return
        del self._held[node]
        if not held.owner:
            self._take(node)
            return
        if self.note is not None:
            self.note("lock", {"node": node, "what": "lost"})
        by = f"was broken from {told['broken']}" if told.get("broken") else "is gone"
        held_by = f"; it is now {described(told['holder'])}" if told.get("holder") else ""
        msg = f"the lock of {node} {by}{held_by}; this run changes nothing more there"
        raise LockedError(msg, hint="look what is on that node before you go on", page=PAGE)

    def _ask(self, node: str, words: Sequence[str], *, timeout: float = _TIMEOUT) -> Mapping[str, Any]:
        return ask_lock(self._nodes[node], words, timeout=timeout)


def ask_lock(transport: Transport, words: Sequence[str], *, timeout: float = _TIMEOUT) -> Mapping[str, Any]:
    """Give one order to the lock program of a node and return what it told.

    Raises:
        NodeError: the node cannot be asked, or its lock cannot be used.
    """
    answer = transport.run(["python3", "-", *words], stdin=node_program(PROGRAM), timeout=timeout)
    lines = answer.stdout.strip().splitlines()
    with suppress(ValueError):
        told = json.loads(lines[-1]) if answer.ok and lines else None
        if isinstance(told, dict):
            return told
    said = (answer.stderr.strip().splitlines() or ["no words"])[-1][:200]
    name = transport.node.name
    msg = f"{name}: its lock cannot be used (status {answer.exit}: {said})"
    hint = "a run that changes something needs python3 on the node, and /run/lock or /tmp to write to"
    raise NodeError(msg, node=name, hint=hint, page=PAGE)


class _Locked(Wrapping):
    """One node whose lock is taken before the first change."""

    def __init__(self, inner: Transport, locks: NodeLocks) -> None:
        super().__init__(inner)
        self._locks = locks

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        self._before(_changes(argv, stdin), timeout)
        return super().run(argv, stdin=stdin, timeout=timeout)

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        self._before(_changes(argv, None), 0)
        return super().follow(argv, timeout=timeout)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        step = at_work()
        looks = request.method in ("GET", "HEAD", "OPTIONS") or (step is not None and step.harmless)
        self._before(not looks, timeout)
        return super().http(request, timeout=timeout)

    def close(self) -> None:
        self._locks.free(self.node.name)
        super().close()

    def _before(self, changing: bool, timeout: float) -> None:
        self._locks.before(self.node.name, changing=changing, timeout=timeout)


def _changes(argv: Sequence[str], stdin: str | None) -> bool:
    """Whether a request may change something: by its words, else by what its step declares."""
    effect = effect_of(argv, stdin)
    if effect.change is Change.NOTHING:
        return False
    step = at_work()
    return effect.known or effect.destructive or step is None or not step.harmless
