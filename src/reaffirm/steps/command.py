"""command: one command on one node, and the facts that its answer holds."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from reaffirm.errors import UsageError
from reaffirm.model.exchange import Answer
from reaffirm.model.extract import Recipe
from reaffirm.model.fact import FactValue
from reaffirm.model.report import Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.declared import working
from reaffirm.nodes.effects import effect_of
from reaffirm.redact import redact_words
from reaffirm.steps.asking import NO_ANSWER, Asker, why_not
from reaffirm.steps.authored import AuthoredResult, Taken, checked_name, excerpt, named_facts, take
from reaffirm.steps.declaring import Changes, written
from reaffirm.steps.extracting import extracts
from reaffirm.steps.result import tell

_OWN = ("passed", "exit", "seconds")
#: The longest that one command may take (seconds).
_LONGEST = 86_400.0


@dataclass(frozen=True)
class CommandResult(AuthoredResult):
    """What a command answered. ``exit`` is ``None`` where the node did not tell how it ended."""

    exit: int | None = None
    stdout: str = ""
    stderr: str = ""


def command(
    cluster: Cluster,
    argv: Sequence[str],
    *,
    node: str = "",
    name: str = "command",
    expect_exit: int | Collection[int] | None = 0,
    timeout: float = 60.0,
    facts: Mapping[str, Recipe] | None = None,
    changes: Changes | None = None,
    destructive: bool = False,
) -> CommandResult:
    """Run one command, given as a list of words, on one node.

    It does what you write. On real machines say what that changes: unless the command is one that is known
    to look only, it is not sent to a machine behind SSH before you did. What is known to destroy something
    (``docker rm``, ``rm``, ``kill`` …) and what you call destructive needs consent there.

    Args:
        cluster: the nodes of the run.
        argv: the program and its words. No shell reads them.
        node: the node's name (default: the head, or the only node).
        name: what stands before the facts: ``<name>.passed``, ``<name>.exit``, ``<name>.seconds``.
        expect_exit: the exit status, or several, with which it passes; ``None``: any.
        timeout: seconds after which the command is ended there; how it would have ended is then unknown.
        facts: more facts and how each is found in standard output: ``{"json": "a.b"}``,
            ``{"regex": "(?P<x>…)"}``, ``{"number": "last line", "unit": "ms"}`` or ``{"text": "whole"}``.
        changes: ``"nothing"``, or one or several of ``"starts containers"``, ``"removes containers"``,
            ``"writes files"``, ``"copies images"``, ``"runs a command"``.
        destructive: whether it may destroy what somebody needs: real machines then need consent
            (``-p consent node/name``).

    It *passes* with an expected exit status and *fails* with another. It is *unknown* when the node gave no
    answer or has no such program, and when a fact cannot be told. A command that did not pass gives no
    facts of its output.

    Raises:
        UsageError: words, a name or a recipe that cannot be used, or it was not said what the command changes
            on a real machine. Nothing was sent.
        StepFailedError: consent is missing, or the machine file forbids it. Nothing was sent.
    """
    words = checked_words(argv)
    checked_name(name)
    wanted = _wanted(expect_exit)
    limit = checked_seconds(timeout, _LONGEST)
    recipes = extracts(facts or {}, _OWN)
    where = cluster.one(node)
    asker = Asker()
    declaration = written(name, changes, destructive=destructive)
    if destructive and not effect_of(words).known:  # of what is known the guard names the containers
        cluster.need_consent(f"run {_shown(words)}", [f"{where.node.name}/{name}"], containers=False)
    with working(declaration):
        answer = asker.look(where, words, timeout=limit)
    passed, reason = _judge(answer, wanted)
    taken = take(recipes, answer.stdout, "" if passed else f"the command did not pass: {reason}")
    exit_status = None if answer.exit == NO_ANSWER else answer.exit
    seconds = None if answer.exit == NO_ANSWER else round(max(answer.ended - answer.started, 0.0), 3)
    values: dict[str, tuple[FactValue, str]] = {
        "passed": (passed, ""),
        "exit": (exit_status, ""),
        "seconds": (seconds, "s"),
        **taken.facts,
    }
    report = tell(
        cluster,
        asker,
        name,
        _outcome(passed, taken),
        f"{_shown(words)} on {where.node.name}: {reason}{_missing(taken)}",
        blocks=(
            _table(answer, wanted, seconds),
            *taken.tables,
            *excerpt("Standard output", answer.stdout),
            *(excerpt("Standard error", answer.stderr) if answer.exit != NO_ANSWER else ()),
        ),
        facts=named_facts(name, values),
    )
    plain = {key: value for key, (value, _) in values.items()}
    stderr = "" if answer.exit == NO_ANSWER else answer.stderr
    return CommandResult(report, name, plain, exit_status, answer.stdout, stderr)


def _shown(words: Sequence[str]) -> str:
    return shlex.join(redact_words(words))


def checked_words(argv: Sequence[str]) -> list[str]:
    """Return a command's words.

    Raises:
        UsageError: it is a text, or a word is none.
    """
    if isinstance(argv, str):
        msg = f"a command is a list of words, got the text {argv!r}"
        raise UsageError(msg, hint=f"write {_split(argv)}: no shell reads it")
    words = list(argv)
    wrong = [word for word in words if not isinstance(word, str) or "\0" in word]
    if not words or not words[0] or wrong:
        msg = f"a command is a list of texts, got {wrong[0] if wrong else words!r}"
        raise UsageError(msg, hint='such as ["df", "-h", "/"]; make a number a text with str()')
    return words


def checked_seconds(timeout: float, most: float) -> float:
    """Return a time limit in seconds; raises UsageError for one that is none or too long."""
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= most:
        msg = f"timeout is a number of seconds, more than 0 and at most {most:g}, got {timeout!r}"
        raise UsageError(msg, hint="give it the time that it may take at worst")
    return float(timeout)


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text) or ["true"]
    except ValueError:
        return text.split()


def _wanted(expect_exit: int | Collection[int] | None) -> frozenset[int] | None:
    if expect_exit is None:
        return None
    several = (expect_exit,) if isinstance(expect_exit, int) else tuple(expect_exit)
    if not several or any(isinstance(s, bool) or not isinstance(s, int) or not 0 <= s < 256 for s in several):
        msg = f"an exit status is a number from 0 to 255, got {expect_exit!r}"
        raise UsageError(msg, hint="expect_exit=0, expect_exit=(0, 1), or None for any")
    return frozenset(several)


def _judge(answer: Answer, wanted: frozenset[int] | None) -> tuple[bool | None, str]:
    if answer.exit == NO_ANSWER:
        return None, why_not(answer)
    # 127 is also what a program itself may answer; either way nobody saw what was asked for.
    if answer.exit == 127 and 127 not in (wanted or ()):
        return None, f"there is no such program: {why_not(answer)}"
    if wanted is None or answer.exit in wanted:
        return True, f"ended with status {answer.exit}"
    return False, why_not(answer) if answer.exit else "ended with status 0"


def _outcome(passed: bool | None, taken: Taken) -> Outcome:
    if passed is None or (passed and taken.unknown):
        return Outcome.UNKNOWN
    return Outcome.PASS if passed else Outcome.FAIL


def _missing(taken: Taken) -> str:
    return f"; unknown: {taken.unknown[0]}" if taken.unknown and taken.facts else ""


def _table(answer: Answer, wanted: frozenset[int] | None, seconds: float | None) -> Table:
    expected = "any" if wanted is None else " or ".join(map(str, sorted(wanted)))
    row = (
        "none" if answer.exit == NO_ANSWER else str(answer.exit),
        expected,
        "unknown" if seconds is None else f"{seconds:g} s",
    )
    return Table("Answer", ("exit status", "expected", "took"), (row,))
