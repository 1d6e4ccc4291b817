"""The guard in front of every node: nothing that the machine file forbids, or nobody agreed to, gets past."""

import re
import shlex
from collections.abc import Sequence

from reaffirm.errors import ForbiddenError, NodeError, UsageError
from reaffirm.model.changes import Change
from reaffirm.model.evidence import Kind
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest
from reaffirm.model.node import Way
from reaffirm.model.rules import Rules
from reaffirm.nodes.consent import PAGE, Consent
from reaffirm.nodes.declared import at_work
from reaffirm.nodes.docker_effects import ENGINES
from reaffirm.nodes.effects import EVERY, Effect, effect_of, hides_docker, mentions
from reaffirm.nodes.transport import LineStream, Transport
from reaffirm.nodes.wrapping import Wrapping
from reaffirm.redact import redact_words

_ABSENT = re.compile(r"no such (object|container|image)|image not known|unable to find", re.IGNORECASE)
#: HTTP methods that only look.
_LOOKS = ("GET", "HEAD", "OPTIONS")
_SHOWN = 120


class Guarded(Wrapping):
    """One node behind the guard; see :class:`reaffirm.nodes.transport.Transport`.

    Every request is judged before it is sent: by Docker's verbs and the words of known programs, and where
    those tell nothing by what the step at work declares. Rules hold on nodes of every kind; consent is
    asked for on real ones.
    """

    def __init__(self, inner: Transport, rules: Rules, consent: Consent) -> None:
        super().__init__(inner)
        self._rules = rules
        self._consent = consent

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        """Run one command, if nothing is against it; see the Protocol.

        Raises:
            ForbiddenError: the machine file forbids it; nothing was sent.
            StepFailedError: it would destroy something on a real machine, and nobody agreed.
            UsageError: nobody said what it changes on a real machine; nothing was sent.
        """
        self._judge(argv, stdin)
        return super().run(argv, stdin=stdin, timeout=timeout)

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        """Start a command and read its lines as they come; raises like :meth:`run`."""
        self._judge(argv, None)
        return super().follow(argv, timeout=timeout)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        """Send one HTTP request from the node; what may change something only where that is allowed.

        Raises:
            ForbiddenError: the node is read-only, and the step did not say that this changes nothing.
        """
        step = at_work()
        if self._rules.read_only and request.method not in _LOOKS and not (step and step.harmless):
            self._forbid(f"{request.method} {request.url}", f"{self._rules.read_only} says read-only = true")
        return super().http(request, timeout=timeout)

    def _judge(self, argv: Sequence[str], stdin: str | None) -> None:
        effect = effect_of(argv, stdin)
        if effect.change is Change.NOTHING:
            return
        shown = _shown(argv)
        step = at_work()
        hidden = hides_docker(effect)
        if not effect.known and step is not None and step.harmless and not hidden and not effect.destructive:
            return  # its author says that it only looks, and nothing in it speaks against that
        if self._rules.read_only:
            self._forbid(shown, f"{self._rules.read_only} says read-only = true")
        if effect.known:
            self._judge_containers(effect, shown)
            return
        self._judge_words(argv, stdin, shown, hidden=hidden)
        if self._real and effect.destructive and (step is not None or self.node.transport is Way.LOCAL):
            target = f"{self.node.name}/{step.step if step is not None else effect.what}"
            self._consent.need(f"run `{shown}`", [target], containers=False)
        elif self._real and self.node.transport is not Way.LOCAL and (step is None or step.changes is None):
            msg = f"{self.node.name}: nobody said what `{shown}` changes on a real machine; nothing was sent"
            hint = 'say it: steps.command(…, changes="nothing"), or @reaffirm.step(changes="writes files")'
            raise UsageError(msg, hint=hint, page=PAGE)

    def _judge_containers(self, effect: Effect, shown: str) -> None:
        """Judge a command of Docker by the containers that it names."""
        name = self.node.name
        for started in effect.starts:
            if not started and (self._rules.names or self._rules.protected):
                at = (*self._rules.names, *self._rules.protected)[0].at
                self._forbid(shown, f"a container without a name, and {at} has rules for names")
            if started:
                self._consent.allow(effect.what, [f"{name}/{started}"])
        if EVERY in effect.touches and (self._rules.names or self._rules.protected):
            at = (*self._rules.protected, *self._rules.names)[0].at
            self._forbid(shown, f"it does not say which containers, and {at} has rules for them")
        named: dict[str, str] = {}
        if self._rules.names or self._rules.protected or (self._real and effect.destructive):
            named = {word: self._name_of(word) for word in effect.touches if word != EVERY}
        self._consent.allow(effect.what, [f"{name}/{held}" for held in named.values()])
        if effect.destructive and self._real:
            # What this run started itself is known by its id; anything else by the name that it has now.
            asked = [f"{name}/{held}" for word, held in named.items() if not self._own(word)]
            if not effect.touches or EVERY in effect.touches:
                self._consent.need(effect.what, [f"{name}/{effect.what}"], containers=False)
            elif asked:
                self._consent.need(effect.what, asked)

    def _own(self, word: str) -> bool:
        return self._consent.started(self.node.name, word)

    def _judge_words(self, argv: Sequence[str], stdin: str | None, shown: str, *, hidden: bool) -> None:
        """Refuse a shell's or a program's text that holds Docker's verbs and a protected name."""
        words = mentions(argv, stdin)
        if not hidden and not any(engine in word for word in words for engine in ENGINES):
            return
        if hidden and self._rules.names:
            why = f"it hides which containers it means, and {self._rules.names[0].at} has rules for names"
            self._forbid(shown, why)
        for rule in self._rules.protected:
            for word in sorted(words):
                if pattern := rule.match(word):
                    self._forbid(shown, f"it names {word!r}, and {rule.at} protects {pattern!r}")

    def _name_of(self, word: str) -> str:
        """Return the name that a container has at this moment; the word itself where there is none."""
        if self._own(word) and not (self._rules.protected or self._rules.names):
            return word
        answer = self._inner.run(["docker", "inspect", "--format", "{{.Name}}", word])
        if answer.ok and (name := answer.stdout.strip().lstrip("/")):
            return name
        if _ABSENT.search(answer.stderr):
            return word
        node = self.node.name
        msg = f"{node}: whose container {word} is cannot be told: {answer.stderr.strip()[:_SHOWN]}"
        raise NodeError(msg, node=node, hint="nothing was sent; try docker inspect on that node by hand")

    @property
    def _real(self) -> bool:
        return self._inner.kind is Kind.REAL

    def _forbid(self, what: str, why: str) -> None:
        msg = f"{self.node.name}: not allowed: `{what}`: {why}; nothing was sent"
        hint = "leave it alone; or change that line, if it is yours to change"
        raise ForbiddenError(msg, hint=hint, page=PAGE)


def guarded(transport: Transport, rules: Rules, consent: Consent) -> Transport:
    """Return ``transport`` with the guard in front of it."""
    return Guarded(transport, rules, consent)


def _shown(argv: Sequence[str]) -> str:
    text = shlex.join(redact_words(argv)).replace("\n", " ")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
