"""The command init: makes a repository ready for the others."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from reaffirm.cli.linting import repository
from reaffirm.cli.records import collect
from reaffirm.errors import UsageError
from reaffirm.lint.baseline import baseline_text
from reaffirm.lint.output import printable
from reaffirm.lint.run import lint
from reaffirm.lint.settings import read_lint_settings
from reaffirm.lint.subject import Subject
from reaffirm.model.finding import Finding
from reaffirm.store.reading.collection import Collection
from reaffirm.writing.setting_up import Addition, carry_out, folders_of, plan

_BASELINE = "lint-baseline.json"
# So many problems and neighbours are named.
_NAMED = 8


def init(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be added.")] = False,
) -> None:
    """Find the records of this repository, say what was understood, and add what the commands need."""
    here = Path()
    root = repository(here)
    if root.resolve() != here.resolve():
        msg = f"the repository's folder is {root}"
        raise UsageError(msg, hint=f"cd {root}")
    found = collect([])
    findings: tuple[Finding, ...] = ()
    if found.records:
        today = datetime.now(UTC).date()
        findings = lint(Subject(found, here, root, today, read_lint_settings(root)))
    _say(_understood(found, findings))
    wanted = plan(here, found)
    additions = wanted.additions
    if findings and not (here / _BASELINE).exists():
        why = f"{_count(findings, 'finding')} that `reaffirm lint --baseline {_BASELINE}` passes over"
        additions += (Addition(_BASELINE, baseline_text(findings), why),)
    if not additions and not wanted.by_hand:
        typer.echo("nothing is missing; nothing was written")
        return
    if additions:
        typer.echo("would add:" if dry_run else "adds:")
        wide = max(len(one.path) for one in additions)
        _say(f"  {one.path:<{wide}}  {one.why}" for one in additions)
    if wanted.by_hand:
        typer.echo("is for you to write, the file is there:")
        _say(f"  {line}" for line in wanted.by_hand)
    if dry_run:
        for one in additions:
            if one.path in ("mkdocs.yml", ".reaffirm.toml"):
                typer.echo(f"\n{one.path}:")
                _say(f"  {line}" for line in one.text.splitlines())
        return
    for path in carry_out(here, additions):
        typer.echo(f"{path} is there by now; it stays as it is")
    typer.echo("next: reaffirm lint --baseline lint-baseline.json; mkdocs serve" if found.records
               else 'next: reaffirm new record "…"; reaffirm new runbook "…"; mkdocs serve')  # fmt: skip


def _understood(found: Collection, findings: Sequence[Finding]) -> Iterator[str]:
    """What was found: records, their languages, folders and statuses, what was passed over."""
    if not found.records:
        yield "no records here yet"
        return
    folders = folders_of(found)
    languages = Counter(record.dialect.value for record in found.records)
    told = ", ".join(f"{count} {name}" for name, count in languages.most_common())
    yield f"{_count(found.records, 'record')} in {_count(folders, 'folder')} ({told})"
    yield from (f"  {count:>4}  {folder}" for folder, count in folders.items())
    statuses = Counter(record.status.value if record.status else "no status" for record in found.records)
    yield f"statuses: {', '.join(f'{count} {name}' for name, count in statuses.most_common())}"
    if found.problems:
        yield f"{_count(found.problems, 'problem')} in reading:"
        yield from _first([f"{one.path}:{one.line}: {one.code} {one.message}" for one in found.problems])
    if findings:
        codes = Counter(one.code for one in findings)
        shown = ", ".join(f"{count} {code}" for code, count in codes.most_common(_NAMED))
        yield f"{_count(findings, 'finding')} of lint: {shown}{', …' if len(codes) > _NAMED else ''}"
    if found.skipped:
        yield "passed over:"
        yield from _first([f"{one.path}: {one.why}" for one in found.skipped])


def _first(lines: Sequence[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines[:_NAMED])
    if len(lines) > _NAMED:
        yield f"  … and {len(lines) - _NAMED} more: reaffirm records"


def _count(things: Sequence[object] | Counter[str], word: str) -> str:
    return f"{len(things)} {word}{'' if len(things) == 1 else 's'}"


def _say(lines: Iterator[str]) -> None:
    for line in lines:
        typer.echo(printable(line))


#: In the order of the help.
commands: Sequence[Callable[..., None]] = (init,)
