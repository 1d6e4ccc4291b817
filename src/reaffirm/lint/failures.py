"""Patterns of failure pages that take too long, or that a browser would read in another way than Python."""

from collections.abc import Iterator
from pathlib import Path

from reaffirm.lint.subject import Subject
from reaffirm.model.finding import Finding
from reaffirm.store.failures import read_failures
from reaffirm.store.project import find_project
from reaffirm.store.reading.mentions import silenced

_CODE = "failure-pattern"


def patterns(subject: Subject) -> Iterator[Finding]:
    """Yield the patterns that cannot be used. What else is wrong with such a page, the site's build tells."""
    project = find_project(subject.here.resolve())
    folder = project.docs / "failures" if project else subject.root / "docs/failures"
    if not folder.is_dir():
        return
    where = folder.resolve()
    here = subject.here.resolve()
    shown = where.relative_to(here).as_posix() if where.is_relative_to(here) else str(folder)
    for one in read_failures((folder, shown)).findings:
        if one.code == _CODE and not _is_silenced(one, folder):
            hint = "write it with what Python and a browser share"
            yield Finding(one.path, one.line, "failure-pattern", one.message, hint)


def _is_silenced(finding: Finding, folder: Path) -> bool:
    text = (folder / finding.path.rsplit("/", 1)[-1]).read_text(encoding="utf-8")
    known = {line for line, code in silenced(text) if code == _CODE}
    return bool(known & {0, finding.line, finding.line - 1})
