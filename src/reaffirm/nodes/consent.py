"""Consent on real machines and the rules of the machine file: what a person agreed to, what is forbidden."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from reaffirm.errors import ForbiddenError, StepFailedError, UsageError
from reaffirm.model.node import Machines
from reaffirm.nodes.asking_runner import ask
from reaffirm.redact import redact

#: Writes one line about the run into its recording: what it is, and what it says.
Note = Callable[[str, Mapping[str, Any]], None]
#: What has to be typed at the prompt, letter by letter.
YES = "yes"
PAGE = "docs/how-to/keep-from-harm.md"


class Consent:
    """What a person agreed to on real machines, and what the machine file forbids whatever they say.

    ``given`` is the text of the parameter: ``node/container``, separated by commas. ``granted`` was agreed
    to before, in the run that is replayed.
    """

    def __init__(
        self,
        machines: Machines,
        is_real: Callable[[str], bool],
        *,
        given: str = "",
        granted: Iterable[str] = (),
        note: Note | None = None,
    ) -> None:
        self.given = frozenset(word.strip() for word in given.split(",") if word.strip())
        self._machines = machines
        self._is_real = is_real
        self._note = note
        self._granted = set(granted)
        self._noted: set[tuple[str, ...]] = set()
        self._own: dict[str, set[str]] = {}
        for word in sorted(self.given):
            self._check_word(word)

    def need(
        self,
        action: str,
        targets: Iterable[str],
        *,
        containers: bool = True,
        rows: Sequence[Sequence[str]] = (),
    ) -> None:
        """Stop unless the rules allow ``action`` on each target and, on real machines, a person agreed.

        ``rows`` describe the targets for the person who is asked. ``containers`` is false for targets that
        are no containers.

        Raises:
            ForbiddenError: the machine file forbids it.
            StepFailedError: consent is missing; nothing was done. The hint is the consent to give.
        """
        every = tuple(targets)
        self.allow(action, every, containers=containers)
        wanted = tuple(t for t in every if self._is_real(t.partition("/")[0]) and not self.has(t))
        if not wanted:
            return
        missing = tuple(target for target in wanted if target not in self.given)
        how = "parameter"
        if missing:
            answer = ask(_question(action, missing, rows))
            if answer is None or answer.strip() != YES:
                said = "" if answer is None else f" (asked, the answer was not {YES!r})"
                msg = (
                    f"no consent to {action} {', '.join(missing)} on real machines{said}; nothing was changed"
                )
                hint = f"look at them, then pass -p consent '{','.join(sorted({*wanted, *self.given}))}'"
                raise StepFailedError(msg, hint=hint, page=PAGE)
            how = "prompt"
        self._granted.update(wanted)
        if self._note is not None and (action, *wanted) not in self._noted:
            self._noted.add((action, *wanted))
            by = [t for t in wanted if t not in missing], list(missing)
            for way, agreed in zip(("parameter", how), by, strict=True):
                if agreed:
                    words = [redact(target) for target in agreed]
                    self._note("consent", {"action": redact(action), "targets": words, "how": way})

    def expire(self) -> None:
        """Let what was agreed to in an earlier run count no more."""
        self._granted.clear()

    def has(self, target: str) -> bool:
        """Whether a person agreed to this target in this run already, or the run made it itself."""
        node, _, name = target.partition("/")
        return target in self._granted or self.started(node, name)

    def started(self, node: str, container: str) -> bool:
        """Whether this run itself has started the container of that id."""
        return container in self._own.get(node, ())

    def owns(self, node: str, container: str) -> None:
        """Remember a container (its id) that this run itself has started: to remove it needs no more."""
        self._own.setdefault(node, set()).add(container)

    def allow(self, action: str, targets: Iterable[str], *, containers: bool = True) -> None:
        """Stop when a rule of the machine file forbids ``action`` on one of the targets.

        Raises:
            ForbiddenError: it does; the message names the rule's file and line. Nothing was done.
        """
        for target in targets:
            node, _, name = target.partition("/")
            rules = self._machines.rules_on(node)
            if rules.read_only:
                self._forbid(f"{action} {target}", f"{rules.read_only} says read-only = true")
            if not containers:
                continue
            for rule in rules.protected:
                if pattern := rule.match(name):
                    self._forbid(f"{action} {target}", f"{rule.at} protects {pattern!r}")
            for rule in rules.names:
                if not rule.match(name):
                    allowed = ", ".join(map(repr, rule.patterns))
                    self._forbid(f"{action} {target}", f"{rule.at} allows only the names {allowed}")

    def _forbid(self, what: str, why: str) -> None:
        msg = f"not allowed to {what}: {why}; nothing was changed"
        hint = "leave it alone; or change that line, if it is yours to change"
        raise ForbiddenError(msg, hint=hint, page=PAGE)

    def _check_word(self, word: str) -> None:
        node, slash, name = word.partition("/")
        known = [spec.name for spec in self._machines.nodes]
        if not slash or not name or any(sign in word for sign in "*?["):
            msg = f"consent names each container as node/container, got {word!r}; nothing was sent"
            raise UsageError(msg, hint="no patterns and no 'all': what is there tonight may be somebody's")
        if known and node not in known:
            msg = f"consent for {word!r}, but there is no node {node!r}; nothing was sent"
            raise UsageError(msg, hint=f"the nodes are {', '.join(known)}")


def _question(action: str, missing: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    described = {row[0]: " · ".join(filter(None, row[1:])) for row in rows if row}
    lines = [f"This is about real machines. The runbook wants to {action}:"]
    for target in missing:
        about = described.get(target, "")
        lines.append(f"  {target}" + (f"   {redact(about)}" if about else ""))
    lines.append(f"Type {YES} to agree to exactly these, anything else to stop: ")
    return "\n".join(lines)
