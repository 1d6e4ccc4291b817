"""Commands about claims: claims, recheck."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime
from difflib import get_close_matches
from typing import Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text as Styled

from reaffirm.claims.board import Board, Row, board
from reaffirm.cli.here import project_here
from reaffirm.cli.mistaken import stop_on_mistakes
from reaffirm.cli.rechecking import Outcome, deciding_runbooks, rerun, wanted_facts
from reaffirm.cli.tables import table_console
from reaffirm.errors import UsageError
from reaffirm.model.claim import Evidence, Verdict, verdict_words
from reaffirm.model.finding import Finding
from reaffirm.nodes.finding import machine_file
from reaffirm.run.command import say
from reaffirm.site.material import Material, read_material
from reaffirm.store.machines import read_machines
from reaffirm.store.project import Project

_RecordOption = Annotated[str, typer.Option("--record", help="Only the claims of this record.")]
_DueOption = Annotated[bool, typer.Option("--due", help="Only what is stale or past its date.")]
_TodayOption = Annotated[str, typer.Option("--today", metavar="DATE", help="The day of the board.")]


def claims(
    record: _RecordOption = "",
    due: _DueOption = False,
    form: Annotated[Literal["table", "json"], typer.Option("--format")] = "table",
    today: _TodayOption = "",
) -> None:
    """Show every claim with its verdict, the run that decides it, and what is due."""
    project = project_here()
    material, shown = _board(project, _day(today))
    findings = material.findings
    if record:
        record = _known(record, shown, _ids_with_findings(material))
        paths = {one.path for one in material.records.records if one.id == record}
        findings = tuple(one for one in findings if one.path in paths)
    part = shown.only(record=record, due=due)
    if form == "json":
        data = part.as_json() | {"problems": [_problem(one) for one in findings]}
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _print(part, due=due)
        for problem in findings:
            say(str(problem))
    if findings:
        raise typer.Exit(1)


def recheck(
    record: Annotated[str, typer.Argument(help="The id of a record, such as 0003.")] = "",
    claim: Annotated[str, typer.Option("--claim", help="Only this claim.")] = "",
    nodes: Annotated[str, typer.Option("--nodes", help="The machines to run on.")] = "",
    due: _DueOption = False,
    publish: Annotated[
        bool, typer.Option("--publish/--no-publish", help="Put the new runs under docs/runs.")
    ] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which runbooks would run.")] = False,
    today: _TodayOption = "",
) -> None:
    """Run what decides claims, and nothing more; say which verdict changed."""
    if not (record or due or claim):
        msg = "recheck which claims?"
        raise UsageError(msg, hint="name a record, a claim with --claim, or take what is due with --due")
    project, day = project_here(), _day(today)
    material, before = _board(project, day)
    if claim and not any(row.claim.id == claim for row in before.rows):
        stop_on_mistakes(project.root, material, claim, record)
    if record:
        record = _known(record, before)
    rows = [row for row in before.only(record=record, claim=claim, due=due).rows if row.claim.check]
    if claim and not rows:
        ids = [row.claim.id for row in before.rows if record in ("", row.record.id) and row.claim.check]
        near = get_close_matches(claim, ids, n=1)
        msg = f"there is no claim {claim!r} with a check" + (f" in record {record}" if record else "")
        raise UsageError(msg, hint=f"did you mean {near[0]}?" if near else "reaffirm claims lists them")
    if not rows:
        typer.echo("nothing is due" if due else "no claim here has a check")
        return
    if nodes:  # each runbook would stop at the same mistake
        path = machine_file(nodes, project, project.root)
        read_machines(path, shown=project.relative(path))
    runbooks = deciding_runbooks(rows)
    for deciding, ids in runbooks.items():
        typer.echo(f"{deciding}: decides {', '.join(ids)}")
    if dry_run:
        return
    if publish:
        typer.echo(
            "what each run finds is published below docs/runs when it ends, also where it failed; "
            "--no-publish leaves it below runs/"
        )
    sys.stdout.flush()
    outcomes = [
        rerun(project, deciding, nodes=nodes, publish=publish, wanted=wanted_facts(rows, deciding))
        for deciding in runbooks
    ]
    evidence = [one for outcome in outcomes for one in outcome.evidence]
    now, after = _board(project, day, evidence)
    raise typer.Exit(_tell(rows, after, outcomes, now.findings))


def _board(project: Project, today: date, more: Sequence[Evidence] = ()) -> tuple[Material, Board]:
    docs = project.relative(project.docs)
    records = [project.relative(path) for path in project.record_folders if path.is_dir()]
    runbooks = project.runbooks.relative_to(project.root).as_posix()
    material = read_material(project.root, docs=docs, records=records, runbooks=runbooks)
    evidence = (*material.published.evidence(), *more)
    return material, board(material.records.records, evidence, today)


def _tell(rows: Sequence[Row], after: Board, outcomes: Sequence[Outcome], findings: Sequence[Finding]) -> int:
    """Print what became of each claim and return the exit status."""
    now = {(row.record.id, row.claim.id): row.standing for row in after.rows}
    silent = {one.runbook for one in outcomes if not one.judged}
    mistakes: dict[Finding, None] = {}
    turned = False
    for row in rows:
        was, new = row.standing, now.get((row.record.id, row.claim.id))
        if new is None:  # the run shows that its check names what nobody finds
            mistakes |= dict.fromkeys(one for one in findings if one.path == row.claim.path)
            typer.echo(f"{row.record.id} {row.claim.id}: not judged: it has a mistake")
            continue
        before, word = verdict_words(was, row.claim), verdict_words(new, row.claim)
        if row.claim.check and row.claim.check.runbook in silent:
            typer.echo(f"{row.record.id} {row.claim.id}: not judged; it was {before} before")
            continue
        change = f"still {word}" if before == word else f"was {before}, is now {word}"
        typer.echo(f"{row.record.id} {row.claim.id}: {change}: {new.reason}")
        turned |= new.against and was.verdict in (Verdict.AFFIRMED, Verdict.REFUTED) and not was.against
    for outcome in outcomes:
        if outcome.problem:
            say(f"reaffirm: {outcome.problem}")
    for mistake in mistakes:
        say(str(mistake))
    if turned:
        return 1
    if mistakes:
        return 2
    return 2 if any(outcome.problem for outcome in outcomes) else 0


def _print(shown: Board, *, due: bool) -> None:
    console = table_console()
    if shown.rows:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("record", "claim", "verdict", "last evidence", "needs", "due"):
            table.add_column(column, overflow="fold")
        for row in shown.rows:
            last = row.standing.deciding
            when = f"{last.kind} {last.started:%Y-%m-%d} {last.runbook}/{last.run}" if last else "-"
            needs = str(row.claim.needs) if row.claim.check else "-"
            words = verdict_words(row.standing, row.claim)
            cells = (row.record.id, row.claim.id, words, when, needs, row.due)
            table.add_row(*(Styled(text) for text in cells))
        console.print(table)
    elif due:
        typer.echo("nothing is due")
    for one in shown.reopen:
        if one.asks or not due:
            asks = "asks to be reopened" if one.asks else "would be reopened"
            typer.echo(f"{one.record.id} {asks}: {one.claim.says} ({verdict_words(one.standing, one.claim)})")
    for record in shown.overdue:
        typer.echo(f"{record.id} was to be reviewed by {record.review_by}")
    counts = Counter(row.standing.verdict for row in shown.rows)
    expected = sum(row.standing.as_expected for row in shown.rows)
    against = sum(row.standing.against and row.standing.verdict is Verdict.AFFIRMED for row in shown.rows)
    remarks = {
        Verdict.REFUTED: f" ({_of(expected, counts[Verdict.REFUTED])}as the decision expects)"
        * bool(expected),
        Verdict.AFFIRMED: f" ({against} against what the decision expects)" * bool(against),
    }
    words = ", ".join(
        f"{counts[verdict]} {verdict}{remarks.get(verdict, '')}" for verdict in Verdict if counts[verdict]
    )
    if words:
        typer.echo(f"{len(shown.rows)} claim{'' if len(shown.rows) == 1 else 's'}: {words}")


def _of(part: int, whole: int) -> str:
    return "" if part == whole else f"{part} of them "


def _ids_with_findings(material: Material) -> list[str]:
    """Records whose claims may be missing on the board because something is wrong with them."""
    wrong = {one.path for one in material.findings}
    return [one.id for one in material.records.records if one.path in wrong]


def _known(record: str, shown: Board, more: Sequence[str] = ()) -> str:
    """The id of a record that has claims, or is in ``more``; ``3`` is enough for ``0003``."""
    known = list(dict.fromkeys([*(row.record.id for row in shown.rows), *more]))
    short = [one for one in known if record.isdecimal() and one.isdecimal() and int(one) == int(record)]
    if record in known or len(short) == 1:
        return record if record in known else short[0]
    msg = f"there is no record {record!r} with claims"
    raise UsageError(msg, hint=f"records with claims: {', '.join(known) or 'none'}")


def _problem(one: Finding) -> dict[str, object]:
    return {"path": one.path, "line": one.line, "code": one.code, "message": one.message, "hint": one.hint}


def _day(word: str) -> date:
    if not word:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(word)
    except ValueError as error:
        msg = f"--today {word}: not a day"
        raise UsageError(msg, hint="write it as 2027-06-30") from error
