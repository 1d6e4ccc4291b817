"""The nodes of one run, and the context that steps write to: facts shown, files saved."""

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reaffirm.draw.banner import node_names
from reaffirm.errors import UsageError
from reaffirm.model.evidence import Kind, Via, lowest
from reaffirm.model.fact import FACTS_MIME, Fact
from reaffirm.model.node import Machines, Role
from reaffirm.model.report import STEP_ENDED
from reaffirm.nodes.consent import Consent, Note
from reaffirm.nodes.guarding import guarded
from reaffirm.nodes.transport import Transport
from reaffirm.redact import redact, redact_data

Show = Callable[[dict[str, Any]], None]


class Shown(dict[str, Any]):
    """A MIME bundle. ``metadata`` stands beside it in the notebook and is no part of what is compared."""

    metadata: Mapping[str, Any] = MappingProxyType({})


def show_in_notebook(bundle: dict[str, Any]) -> None:
    """Display a MIME bundle in the notebook that runs us; outside of one, print its text."""
    if "IPython" in sys.modules:
        from IPython import get_ipython
        from IPython.display import display

        if get_ipython() is not None:
            metadata = dict(bundle.metadata) if isinstance(bundle, Shown) else None
            display(dict(bundle), raw=True, metadata=metadata)
            return
    if text := bundle.get("text/plain"):
        sys.stdout.write(f"{text}\n")


class RunContext:
    """Where a run's facts and files go.

    ``directory`` is the folder beside the notebook (``<stamp>.run``); without one, nothing is saved.
    """

    def __init__(self, directory: Path | None, *, show: Show = show_in_notebook) -> None:
        self.directory = directory
        self.facts: dict[str, Fact] = {}
        self.saved: dict[str, int] = {}
        self._show = show

    def emit(
        self, step: str, kind: Kind, facts: Iterable[Fact], *, outcome: str = "", summary: str = ""
    ) -> None:
        """Record the facts of a step and show them as display data of type ``FACTS_MIME``.

        A fact found again replaces the earlier one. ``outcome`` and ``summary`` go beside the facts: whoever
        follows the run knows how the step ended, also where nobody shows its report.
        """
        found = tuple(facts)
        self.facts.update({fact.name: fact for fact in found})
        lines = [f"{fact.name} = {_plain(fact)}" for fact in found]
        payload = {"step": step, "kind": str(kind), "facts": {f.name: f.as_json() for f in found}}
        bundle = Shown(redact_data({FACTS_MIME: payload, "text/plain": "\n".join(lines)}))
        if outcome:
            told = {"step": step, "outcome": outcome, "summary": summary}
            bundle.metadata = redact_data({STEP_ENDED: told})
        self._show(bundle)

    def display(self, bundle: dict[str, Any]) -> None:
        """Show a MIME bundle where the run is read, redacted."""
        self._show(redact_data(bundle))

    def save(self, name: str, text: str) -> str:
        """Write a file of the run, redacted and atomically, and return its name.

        ``name`` is relative to the run's folder, such as ``logs/spark-1/sglang-head.log``; it never
        leaves that folder. The number of characters is kept in :attr:`saved`.

        Raises:
            UsageError: the name would leave the folder of the run.
            OSError: the folder cannot be written; a step must then not go on to destroy anything.
        """
        clean = redact(text)
        if self.directory is not None:
            target = self.directory / name
            if not target.resolve().is_relative_to(self.directory.resolve()):
                msg = f"a saved file must stay in the folder of the run, got {name!r}"
                raise UsageError(msg, hint="use a name without '..' and without a leading '/'")
            target.parent.mkdir(parents=True, exist_ok=True)
            import tempfile  # 3 ms that a run without files does not need

            handle, part = tempfile.mkstemp(dir=target.parent, prefix=".part-")
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(clean)
                out.flush()
                os.fsync(out.fileno())
            Path(part).replace(target)
        self.saved[name] = len(clean)
        return name


class Cluster:
    """The nodes of a run and the run's context.

    Launches need a head and its workers. The general steps run on any node: :meth:`one`. Every node stands
    behind the guard (:mod:`reaffirm.nodes.guarding`), whoever asks it.

    ``run`` is the run's id, for the labels of what it starts; ``granted`` is what a person agreed to in the
    run that is replayed; ``note`` writes a line about the run into its recording.
    """

    def __init__(
        self,
        machines: Machines,
        transports: Mapping[str, Transport],
        context: RunContext,
        *,
        consent: str = "",
        runbook: str = "",
        run: str = "",
        granted: Iterable[str] = (),
        note: Note | None = None,
    ) -> None:
        self.machines = machines
        self.context = context
        self.runbook = runbook
        self.run = run
        self.agreed = Consent(machines, self._is_real, given=consent, granted=granted, note=note)
        self._transports: dict[str, Transport] = {
            name: guarded(transport, machines.rules_on(name), self.agreed)
            for name, transport in transports.items()
        }

    @property
    def nodes(self) -> tuple[Transport, ...]:
        """Every node, in the order of the machine file."""
        return tuple(self._transports.values())

    @property
    def all(self) -> tuple[Transport, ...]:
        """The nodes that take part in a launch, head first: the order of the ranks.

        Raises:
            UsageError: no node is the head.
        """
        return (self.head, *self.workers)

    @property
    def head(self) -> Transport:
        """The node with rank 0.

        Raises:
            UsageError: no node is the head.
        """
        for transport in self._transports.values():
            if transport.node.role is Role.HEAD:
                return transport
        where = self.machines.path or self.machines.name
        msg = f'this step needs a node with role = "head", got {", ".join(self._transports)} in {where}'
        hint = 'give one node that role, and the others role = "worker"; command, http and file need none'
        raise UsageError(msg, hint=hint)

    def one(self, name: str = "") -> Transport:
        """Return the node of that name; without a name the head, or the only node there is.

        Raises:
            UsageError: there is no such node, or several and none is the head.
        """
        if name:
            return self[name]
        heads = [t for t in self._transports.values() if t.node.role is Role.HEAD]
        found = heads or list(self._transports.values())
        if len(found) == 1:
            return found[0]
        msg = f"which node? {self.machines.path or self.machines.name} has {len(found)} and no head"
        raise UsageError(msg, hint=f"say it with node=, one of: {', '.join(self._transports)}")

    @property
    def workers(self) -> tuple[Transport, ...]:
        """The nodes with rank 1 and up, in the order of the machine file."""
        return tuple(t for t in self._transports.values() if t.node.role is Role.WORKER)

    @property
    def kind(self) -> Kind:
        """What evidence from these nodes is worth: the lowest of their kinds."""
        return lowest(transport.kind for transport in self.nodes)

    @property
    def via(self) -> Via:
        """Replay as soon as one node is replayed."""
        return Via.REPLAY if any(t.via is Via.REPLAY for t in self.nodes) else Via.LIVE

    def __getitem__(self, name: str) -> Transport:
        """Return the node of that name.

        Raises:
            UsageError: there is no such node; the message names those there are.
        """
        if name not in self._transports:
            msg = f"no node named {name!r} in {self.machines.path or self.machines.name}"
            raise UsageError(msg, hint=f"known nodes: {', '.join(self._transports)}")
        return self._transports[name]

    def __repr__(self) -> str:
        return f"<Cluster {self.machines.name!r}, {self.kind}: {node_names(self.machines.nodes)}>"

    def need_consent(
        self,
        action: str,
        targets: Iterable[str],
        *,
        containers: bool = True,
        rows: Sequence[Sequence[str]] = (),
    ) -> None:
        """Stop unless the person who runs this agreed to ``action`` on each of ``targets``.

        Targets are ``node/container``; ``containers=False`` where they name something else. Only machines of
        kind ``real`` need consent, also those that stand beside others; what the machine file forbids stops
        on every kind. Where somebody can be asked, they are shown ``rows``: a target, then words about it.

        Raises:
            ForbiddenError: the machine file forbids it; nothing was done.
            StepFailedError: consent is missing; nothing was done. The hint is the consent to give.
        """
        self.agreed.need(action, targets, containers=containers, rows=rows)

    def _is_real(self, node: str) -> bool:
        """Whether this node is a real machine; one that nobody knows is taken for one."""
        return node not in self._transports or self._transports[node].kind is Kind.REAL

    def close(self) -> None:
        """Let go of every node."""
        for transport in self._transports.values():
            transport.close()


def _plain(fact: Fact) -> str:
    by = f" (by {fact.by})" if fact.by else ""
    return (f"{fact.value} {fact.unit}".rstrip() if fact.value is not None else "unknown") + by
