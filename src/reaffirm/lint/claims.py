"""Claims that nothing supports, checks that can find nothing, hypotheses that nobody can decide."""

from collections.abc import Iterator

from reaffirm.claims.board import board
from reaffirm.claims.checks import Vocabulary
from reaffirm.lint.subject import Subject
from reaffirm.model.claim import Claim, ClaimKind
from reaffirm.model.finding import Finding
from reaffirm.model.record import Record
from reaffirm.store.changes import with_changes
from reaffirm.store.fact_names import documented_facts, runbook_words
from reaffirm.store.project import facts_pages, find_project, runbook_files
from reaffirm.store.published import read_published


def claims(subject: Subject) -> Iterator[Finding]:
    """Yield claims without check and source, and hypotheses without rivals or a deciding check."""
    for _, record in subject.records:
        for claim in record.claims:
            if claim.check is None and not claim.told_by:
                message = f"nothing supports the claim {claim.id!r}"
                hint = "add a check, or 'told-by:' with its source"
                yield Finding(claim.path, claim.line, "claim-unsupported", message, hint)
            if claim.kind is ClaimKind.HYPOTHESIS:
                yield from _hypothesis(record, claim)


def _hypothesis(record: Record, claim: Claim) -> Iterator[Finding]:
    rivals = [one for one in record.claims if one.id in claim.rivals or claim.id in one.rivals]
    if not rivals:
        message = f"the hypothesis {claim.id!r} has no rival"
        hint = "name the other explanation: rivals: [other-id]"
        yield Finding(claim.path, claim.line, "hypothesis-rivals", message, hint)
    if claim.check is None and not any(one.check for one in rivals):
        message = f"nothing decides between {claim.id!r} and its rivals"
        hint = "give one of them a check"
        yield Finding(claim.path, claim.line, "hypothesis-check", message, hint)


def checks(subject: Subject) -> Iterator[Finding]:
    """Yield checks that name no runbook or fact, and decisions that ask to be reopened."""
    wanted = [claim for _, record in subject.records for claim in (*record.claims, *record.reopen_when)]
    wanted = [claim for claim in wanted if claim.check is not None]
    if not wanted:
        return
    project = find_project(subject.here.resolve())
    if project is None:
        return
    documented = documented_facts(facts_pages(project.docs))
    books = {}
    for path in runbook_files(project.runbooks):
        try:
            books[path.stem] = runbook_words(path.read_text(encoding="utf-8"), documented)
        except (OSError, UnicodeDecodeError):
            continue
    images = [path.stem for path in (project.docs / "container-images").glob("*.md")]
    evidence = subject.evidence
    if evidence is None:
        evidence = with_changes(read_published(project.published), project).evidence()
    vocabulary = Vocabulary(books, documented, evidence, images)
    for claim in wanted:
        yield from vocabulary.findings(claim)
    for one in board([record for _, record in subject.records], evidence, subject.today).reopen:
        if one.asks:
            message = f"a run shows it: {one.claim.says} ({one.standing.reason})"
            hint = "look at the decision again: supersede it, or say why it stands and take the sentence out"
            yield Finding(one.claim.path, one.claim.line, "reopen-asked", message, hint)


def figures(subject: Subject) -> Iterator[Finding]:
    """Yield measured numbers with no link beside them, in records that no claim or source supports."""
    for document in subject.documents:
        supported = any(record.claims for record in document.records)
        if supported:
            continue
        for line, text in document.figures:
            message = f"the figure {text!r} stands on nothing"
            hint = "link the measurement, or make it a claim with a check"
            yield Finding(document.path, line, "figure-unsupported", message, hint)
