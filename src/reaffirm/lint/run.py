"""Runs all rules over a subject; takes out what was silenced."""

from collections.abc import Callable, Iterator

from reaffirm.lint import ages, claims, failures, links, numbers, reading, spelling, supersession
from reaffirm.lint.subject import Subject
from reaffirm.model.finding import Finding

#: All families of rules.
RULES: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    reading.problems,
    reading.template_text,
    reading.statuses,
    reading.dates,
    reading.headings,
    reading.index_pages,
    supersession.supersession,
    supersession.builds_on,
    numbers.numbers,
    numbers.names,
    numbers.collisions,
    links.links,
    links.code_places,
    ages.ages,
    claims.claims,
    claims.checks,
    claims.figures,
    spelling.spelling,
    failures.patterns,
)


def lint(subject: Subject) -> tuple[Finding, ...]:
    """Return what all rules find, in the order of files and lines, each once."""
    silenced = {
        (document.path, line, code) for document in subject.documents for line, code in document.silenced
    }
    found: set[Finding] = set()
    for rule in RULES:
        found |= set(rule(subject))
    kept = [one for one in found if not _is_silenced(one, silenced, subject.settings.ignore)]
    return tuple(sorted(kept))


def _is_silenced(finding: Finding, silenced: set[tuple[str, int, str]], ignored: tuple[str, ...]) -> bool:
    if finding.code in ignored:
        return True
    # A remark is for its own line, the line below it, or with 0 for the file.
    return any((finding.path, line, finding.code) in silenced for line in (0, finding.line, finding.line - 1))
