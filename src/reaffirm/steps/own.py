"""``@reaffirm.step``: makes a step of one's own from a function that asks nodes and says what it found."""

import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Concatenate, ParamSpec, overload

from reaffirm.errors import NodeError, UsageError
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest
from reaffirm.model.fact import FactValue
from reaffirm.model.report import Block, Log, Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.declared import working
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker
from reaffirm.steps.authored import AuthoredResult, checked_name, named_facts
from reaffirm.steps.command import checked_words
from reaffirm.steps.declaring import Changes, written
from reaffirm.steps.result import tell

_Given = ParamSpec("_Given")
#: What a command ends with that could not be started: it may not be, or it is not there.
_NOT_STARTED = (126, 127)
#: Parameters that every step of one's own has, beside those of its function.
_OURS = ("cluster", "node", "name")


class Step:
    """What the function of a step works with: one node to ask, and what it has to say in the end."""

    def __init__(self, cluster: Cluster, node: Transport, name: str) -> None:
        self.cluster = cluster
        self.node = node
        self.name = name
        self._asker = Asker()
        self._values: dict[str, tuple[FactValue, str]] = {}
        self._blocks: list[Block] = []
        self._not_started = ""
        self._passed: bool | None = None
        self._summary = "the step said nothing about what it found"

    def run(self, argv: Sequence[str], *, program: str = "", timeout: float = 60.0) -> Answer:
        """Run one command on the node, given as a list of words; no shell reads them.

        ``program`` is a file of ``scripts/node`` for its standard input: ``["python3", "-"]``.

        Raises:
            NodeError: the node could not be asked. A step that lets it pass ends *unknown*.
            UsageError: no words, or no such program.
        """
        words = checked_words(argv)
        answer = self._asker.ask(self.node, words, program=program, timeout=timeout)
        if answer.exit in _NOT_STARTED and not self._not_started:
            said = answer.stderr.strip().partition("\n")[0] or "it said nothing"
            self._not_started = f"{words[0]} could not be started (exit {answer.exit}): {said}"
        return answer

    def http(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: str | None = None,
        timeout: float = 30.0,
    ) -> HttpAnswer:
        """Send one HTTP request from the node. Nobody listening is an answer with status 0.

        Raises:
            NodeError: the node could not be asked.
        """
        request = HttpRequest(method, url, dict(headers or {}), body)
        return self._asker.http(self.node, request, timeout=timeout)

    def fact(self, key: str, value: FactValue, unit: str = "") -> None:
        """Note a fact; ``None`` is what the step looked for and could not tell."""
        if isinstance(value, float) and not math.isfinite(value):
            value = None
        self._values[key] = (value, unit)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Show a table."""
        self._blocks.append(Table(title, tuple(columns), tuple(tuple(map(str, row)) for row in rows)))

    def log(self, title: str, text: str) -> None:
        """Show lines as they came."""
        self._blocks.append(Log(title, tuple(text.splitlines())))

    def judge(self, passed: bool | None, summary: str) -> None:
        """Say how it ended: true, false, or ``None`` for what could not be judged, and one sentence."""
        self._passed, self._summary = passed, summary

    def result(self, lost: str = "") -> AuthoredResult:
        """Tell the run what was found; ``lost`` says why the node gave no answer."""
        passed = None if lost else self._passed
        outcome = {True: Outcome.PASS, False: Outcome.FAIL, None: Outcome.UNKNOWN}[passed]
        summary = lost or self._summary
        if self._not_started and outcome is not Outcome.PASS:
            summary = f"{summary}; {self._not_started}"
        report = tell(
            self.cluster,
            self._asker,
            self.name,
            outcome,
            summary,
            blocks=tuple(self._blocks),
            facts=named_facts(self.name, self._values),
        )
        return AuthoredResult(report, self.name, {key: value for key, (value, _) in self._values.items()})


_Function = Callable[Concatenate[Step, _Given], None]
_Made = Callable[..., AuthoredResult]


@overload
def step(function: _Function[_Given]) -> _Made: ...


@overload
def step(
    *, changes: Changes | None = None, destructive: bool = False
) -> Callable[[_Function[_Given]], _Made]: ...


def step(
    function: _Function[_Given] | None = None,
    *,
    changes: Changes | None = None,
    destructive: bool = False,
) -> _Made | Callable[[_Function[_Given]], _Made]:
    """Make a step from a function whose first parameter is a :class:`Step`.

    The step is called with a cluster in its place, and takes two more keywords: ``node``, the node's name
    (default: the head, or the only node), and ``name``, what stands before its facts (default: its own).

    ``@reaffirm.step(changes="writes files")`` declares what it changes, in the words of
    :class:`~reaffirm.model.changes.Change`, one or several; a machine behind SSH that is real is sent nothing
    unknown by a step that did not say. ``destructive=True`` needs consent there, ``node/name``.

    Raises:
        UsageError: its parameters, its name or its declaration cannot be those of a step.
    """

    def make(function: _Function[_Given]) -> _Made:
        return _made(function, changes, destructive=destructive)

    return make if function is None else make(function)


def _made(function: _Function[_Given], changes: Changes | None, *, destructive: bool) -> _Made:
    own = checked_name(function.__name__)
    declared = written(own, changes, destructive=destructive)
    parameters = list(inspect.signature(function).parameters.values())
    where = f"{function.__code__.co_filename.rpartition('/')[2]}:{function.__code__.co_firstlineno}"
    if not parameters or any(parameter.name in _OURS for parameter in parameters):
        seen = f"{own}{inspect.signature(function)}"
        msg = f"{where}: a step is a function of a Step and of parameters of its own, got {seen}"
        raise UsageError(msg, hint=f"def {own}(step, …): and no parameter called {', '.join(_OURS)}")

    @functools.wraps(function)
    def call(cluster: Cluster, *given: Any, node: str = "", name: str = own, **named: Any) -> AuthoredResult:
        if not isinstance(cluster, Cluster):
            msg = f"{own} is called with the nodes first, got {type(cluster).__name__}"
            raise UsageError(msg, hint=f"steps.{own}(cluster, …)")
        under_way = Step(cluster, cluster.one(node), checked_name(name))
        declaration = replace(declared, step=name)
        if declaration.destructive:
            where = f"{under_way.node.node.name}/{name}"
            cluster.need_consent(f"run the step {own}", [where], containers=False)
        try:
            with working(declaration):
                function(under_way, *given, **named)
        except NodeError as error:
            return under_way.result(error.message.splitlines()[0])
        return under_way.result()

    call.reaffirm_step = True  # type: ignore[attr-defined]
    call.reaffirm_declaration = declared  # type: ignore[attr-defined]
    return call
