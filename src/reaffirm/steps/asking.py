"""How a step asks nodes: every request is remembered, so that the report can show what was sent where."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reaffirm.errors import NodeError
from reaffirm.images.plan import RUN_LABEL
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Sent
from reaffirm.nodes.transport import LineStream, Transport
from reaffirm.redact import redact_header
from reaffirm.steps.foreign_json import foreign_json
from reaffirm.store.node_programs import node_program

#: The exit status of an answer that stands for "the node did not answer".
NO_ANSWER = -1


class Asker:
    """Sends the requests of one step. ``sent`` is what went where, each request once, and how often."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []

    def ask(
        self,
        node: Transport,
        argv: Sequence[str],
        *,
        program: str = "",
        timeout: float = 60.0,
        inline: str = "",
    ) -> Answer:
        """Run one command on a node; ``program`` is the file of ``scripts/node`` for its standard input.

        ``inline`` names the program whose text is already in ``argv`` (``python3 -c TEXT``).

        Raises:
            NodeError: the node could not be asked.
            UsageError: there is no such program.
        """
        self._note(node, argv, program or inline)
        return node.run(list(argv), stdin=node_program(program) if program else None, timeout=timeout)

    def look(
        self, node: Transport, argv: Sequence[str], *, program: str = "", timeout: float = 60.0
    ) -> Answer:
        """Like :meth:`ask`, but a node that cannot be asked gives an answer with status ``NO_ANSWER``.

        Its standard error says why.
        """
        try:
            return self.ask(node, argv, program=program, timeout=timeout)
        except NodeError as error:
            now = node.clock.now()
            return Answer(NO_ANSWER, "", str(error), now, now)

    def follow(self, node: Transport, argv: Sequence[str], *, timeout: float) -> LineStream:
        """Follow a command's lines; raises NodeError when it cannot be started."""
        self._note(node, argv, "")
        return node.follow(list(argv), timeout=timeout)

    def http(self, node: Transport, request: HttpRequest, *, timeout: float) -> HttpAnswer:
        """Send one HTTP request from the node; shown as the ``curl`` that does the same."""
        how = ["-I"] if request.method == "HEAD" else ["-N", "-X", request.method]
        words = ["curl", "-sS", *how, request.url]
        for name, value in request.headers.items():
            words += ["-H", f"{name}: {redact_header(name, value)}"]
        if request.body is not None:
            words += ["-d", request.body]
        self._note(node, words, "")
        return node.http(request, timeout=timeout)

    def _note(self, node: Transport, argv: Sequence[str], program: str) -> None:
        sent = Sent(node.node.name, tuple(map(_same_in_every_run, argv)), program)
        if sent not in self.sent:
            self.sent.append(sent)
            return
        at = self.sent.index(sent)
        self.sent[at] = replace(sent, times=self.sent[at].times + 1)


def _same_in_every_run(word: str) -> str:
    """Show the id of the run as a word: the recording has it, and the same run gives the same bytes."""
    return f"{RUN_LABEL}=this-run" if word.startswith(f"{RUN_LABEL}=") else word


# Docker's last line: "Run 'docker run --help' for more information", older ones "See 'docker run --help'."
_LINE = 300
_EXCERPT = 80
_HELP = re.compile(r"\s*(Run|See) '[^']*--help'")


def json_line(answer: Answer) -> dict[str, Any] | None:
    """Return the JSON object on the last line of a node program's output, or ``None``."""
    lines = answer.stdout.strip().splitlines()
    if not answer.ok or not lines:
        return None
    try:
        data = foreign_json(lines[-1])
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def json_list(answer: Answer) -> list[dict[str, Any]] | None:
    """Return a command's output as a list of JSON objects, or ``None`` when it is none.

    Lines before the one that opens the list are not looked at: a login script prints where it likes.
    """
    try:
        data = foreign_json(_from_list(answer.stdout))
    except ValueError:
        return None
    if not isinstance(data, list) or not all(isinstance(entry, dict) for entry in data):
        return None
    return data


def _from_list(text: str) -> str:
    at = 0
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            return text[at:]
        at += len(line)
    return text


def _short(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[:_LINE]}… ({len(line)} characters)"


def why_not(answer: Answer) -> str:
    """Return in one line why an answer is of no use."""
    if answer.exit == NO_ANSWER:
        return answer.stderr.splitlines()[0] if answer.stderr else "no answer"
    words = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
    said = [line for line in words if line.strip() and not _HELP.match(line)]
    last = _short(said[-1]) if said else ""
    if answer.exit == 127:
        return last or "no such command there"
    if not answer.ok:
        return f"status {answer.exit}: {last or 'no words'}"
    return f"an answer that cannot be read: {last[:_EXCERPT]!r}" if said else "an empty answer"
