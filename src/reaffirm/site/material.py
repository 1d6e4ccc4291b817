"""What a site is made of, read and held against each other; what is wrong becomes a finding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reaffirm.claims.checks import Vocabulary, without_mistakes
from reaffirm.model.finding import Finding
from reaffirm.model.vocabulary import RunbookWords
from reaffirm.store.changes import with_changes
from reaffirm.store.fact_names import documented_facts, runbook_words
from reaffirm.store.images import image_findings
from reaffirm.store.ledger_check import changed_runs
from reaffirm.store.project import Project, facts_pages, runbook_files
from reaffirm.store.published import PublishedRun, PublishedRuns, read_published
from reaffirm.store.records import Records, read_all, read_records


@dataclass(frozen=True)
class Material:
    """Records, runs and runbooks of a repository.

    ``books`` holds each runbook's source by its name. Claims with a mistake are left out of ``records``:
    a wrong check must not decide anything.
    """

    records: Records
    published: PublishedRuns
    books: Mapping[str, str]
    findings: tuple[Finding, ...]


def read_material(root: Path, *, docs: str, records: str | Sequence[str], runbooks: str) -> Material:
    """Read a repository; see :func:`reaffirm.site.assemble.assemble` for the arguments."""
    folders = [records] if isinstance(records, str) else list(records)
    if len(folders) == 1:
        found = read_records(root / folders[0], shown=folders[0])
    else:
        found = read_all([path for one in folders if (path := root / one).is_dir()] or [root], root)
    read = read_published(root / docs / "runs", shown=f"{docs}/runs")
    edited = _edited(read, root / docs / "runs", f"{docs}/runs")
    published = with_changes(read, Project(root))
    published = replace(published, runs=tuple(_not_as_published(run, edited) for run in published.runs))
    findings = [*found.findings, *published.findings, *edited.values()]
    books: dict[str, str] = {}
    for path in runbook_files(root / runbooks):
        try:
            books[path.stem] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            hint = "save the file as UTF-8"
            findings.append(Finding(f"{runbooks}/{path.name}", 1, "unreadable", "not UTF-8", hint))
    images = root / docs / "container-images"
    findings += image_findings(images, shown=f"{docs}/container-images")
    wrong = _checks(found, published, books, root / docs)
    kept = tuple(without_mistakes(record, wrong) for record in found.records)
    return Material(replace(found, records=kept), published, books, (*findings, *wrong))


def _edited(read: PublishedRuns, folder: Path, shown: str) -> Mapping[str, Finding]:
    """What the ledger says against runs that agree with themselves, by the path of each."""
    names = [f"{run.runbook}/{run.run}" for run in read.runs]
    return {one.path: one for one in changed_runs(folder, shown, names)}


def _not_as_published(run: PublishedRun, edited: Mapping[str, Finding]) -> PublishedRun:
    """Let what rests on an edited run be no more than stale."""
    if run.path not in edited:
        return run
    return replace(run, changed="; ".join(filter(None, (edited[run.path].message, run.changed))))


def _checks(found: Records, published: PublishedRuns, books: Mapping[str, str], docs: Path) -> list[Finding]:
    """What is wrong with the names in the checks of claims."""
    documented = documented_facts(facts_pages(docs))
    words: dict[str, RunbookWords] = {name: runbook_words(text, documented) for name, text in books.items()}
    names = [path.stem for path in (docs / "container-images").glob("*.md")]
    vocabulary = Vocabulary(words, documented, published.evidence(), names)
    claims = [claim for record in found.records for claim in record.claims]
    return [finding for claim in claims for finding in vocabulary.findings(claim)]
