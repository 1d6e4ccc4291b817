"""Records as they are read, and every mistake with its line."""

from datetime import date
from pathlib import Path

from reaffirm.model.claim import ClaimKind, Operator
from reaffirm.model.evidence import Kind
from reaffirm.model.record import Status
from reaffirm.store.reading.files import find_files
from reaffirm.store.records import read_records

_SPECIMENS = Path(__file__).parent / "specimens"
_ADRS = Path(__file__).parents[2] / "adrs"


def test_every_mistake_is_one_line() -> None:
    """A newcomer's typo would go unnoticed, or take the board down."""
    found = read_records(_SPECIMENS / "bad")
    expected = (_SPECIMENS / "bad.txt").read_text(encoding="utf-8").splitlines()
    assert [str(finding) for finding in found.findings] == expected


def test_one_bad_file_hides_no_other_and_neighbours_are_named() -> None:
    """An unreadable record would make the others disappear, and one that is half broken itself."""
    found = read_records(_SPECIMENS / "bad")
    assert [record.id for record in found.records] == [
        *("0001", "0002", "0003", "0004", "0005", "0007", "0007", "0008", "0008")
    ]
    assert found.skipped == ("bad/0000-template.md", "bad/README.md")


def test_a_claim_with_a_mistake_is_left_out() -> None:
    """A wrong check would decide something."""
    record = read_records(_SPECIMENS / "bad").records[0]
    assert [claim.id for claim in record.claims] == ["one"]


def test_all_fields_are_read() -> None:
    """A field would be lost on the way to the page."""
    record = read_records(_SPECIMENS / "good").records[0]
    assert (record.id, record.title, record.status) == ("0010", "All fields", Status.ACCEPTED)
    assert (record.date, record.deciders, record.consulted) == (
        date(2026, 1, 2),
        ("Ada", "Grace"),
        ("Alan", "Edsger"),
    )
    assert (record.informed, record.supersedes, record.tags) == ((), ("0007",), ("a", "b"))
    assert (record.body.strip(), record.body_line) == ("Body.", 31)
    plain, full = record.claims
    assert (plain.says, plain.line, plain.needs, plain.kind) == (
        "A sentence over two lines.",
        12,
        Kind.REAL,
        ClaimKind.CLAIM,
    )
    assert (full.kind, full.rivals, full.told_by) == (ClaimKind.HYPOTHESIS, ("plain",), "somebody")
    assert (full.needs, full.recheck_after, full.line) == (Kind.LAB, 42, 16)
    assert full.check
    assert full.check.runbook == "book"
    assert [one.fact for one in full.check.conditions] == ["probe.vllm-node.supports_model", "a.rate"]
    assert full.check.conditions[1].expect.terms == {Operator.BETWEEN: (20, 35)}
    assert full.check.conditions[1].expect.unit == "1/s"


def test_other_writings_are_read() -> None:
    """Records from another editor, or another version of MADR, would lose status or date."""
    found = read_records(_SPECIMENS / "good")
    assert [finding.code for finding in found.findings] == ["status-shape"]
    _, windows, none, mapping, house = found.records
    assert (windows.title, windows.status, windows.superseded_by) == ("Windows", Status.SUPERSEDED, ("0010",))
    assert (windows.date, windows.deciders) == (date(2025, 12, 31), ("Ada",))
    assert (none.title, none.status, none.status_raw) == ("2026 in numbers", None, "")
    assert (mapping.status, mapping.superseded_by) == (Status.ACCEPTED, ("0010", "0011"))
    assert (house.status, house.superseded_by) == (Status.OTHER, ("0010",))


def test_our_own_records_have_no_mistakes() -> None:
    """The records that teach the format would teach it wrongly."""
    found = read_records(_ADRS)
    assert found.findings == ()
    assert len(found.records) >= 7
    for record in found.records:
        names = {claim.id for claim in record.claims}
        assert all(rival in names for claim in record.claims for rival in claim.rivals)
        assert all(claim.told_by or claim.check for claim in record.claims)


def test_the_template_passes_once_its_comments_are_taken_away(tmp_path: Path) -> None:
    """The documented schema would drift from the one that is read."""
    lines = (_ADRS / "0000-template.md").read_text(encoding="utf-8").split("\n")
    start = lines.index("# claims:")
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("#     # several"))
    filled = lines[:start] + [line.removeprefix("# ") for line in lines[start:end]] + lines[end:]
    (tmp_path / "0001-x.md").write_text("\n".join(filled), encoding="utf-8")
    found = read_records(tmp_path)
    problems = {finding.code for finding in found.findings if finding.line < 30}
    # the template shows 'rivals' under 'kind: claim', and says so
    assert problems == {"claim-rivals", "claim-rival"}


def test_a_template_that_was_only_copied_is_no_record(tmp_path: Path) -> None:
    """A page of placeholders would stand among the decisions."""
    text = (_ADRS / "0000-template.md").read_text(encoding="utf-8")
    (tmp_path / "0001-x.md").write_text(text, encoding="utf-8")
    found = [str(finding) for finding in read_records(tmp_path).findings]
    first = next(n for n, line in enumerate(text.split("\n"), 1) if line.startswith("# A short title"))
    assert found[0].startswith(
        f"{tmp_path.name}/0001-x.md:{first}: template-text still the template's words: '# A short"
    )
    assert found[0].endswith("; write what holds for this decision, or remove the line")
    assert len(found) > 8


def test_a_comment_that_the_template_brought_along_may_stay(tmp_path: Path) -> None:
    """MADR 4 marks its optional headings by comments that nobody sees: no such record could be accepted."""
    comment = "<!-- This is an optional element. Feel free to remove. -->"
    form = f"# A title\n\n## Context\n\nDescribe it here.\n\n{comment}\n## Decision Drivers\n"
    (tmp_path / "0000-template.md").write_text(form, encoding="utf-8")
    record = form.replace("A title", "Use it").replace("Describe it here.", "We have it.")
    (tmp_path / "0001-use-it.md").write_text(record, encoding="utf-8")
    assert "template-text" not in {one.code for one in read_records(tmp_path).findings}


def test_a_folder_that_does_not_exist_has_no_records(tmp_path: Path) -> None:
    """A new repository would not build."""
    assert read_records(tmp_path / "adrs").records == ()


def test_a_clone_may_be_called_like_a_folder_of_records(tmp_path: Path) -> None:
    """In ~/decisions every Markdown file of the repository would be read as a record."""
    root = tmp_path / "decisions"
    for name in ("adrs/0001-a.md", "docs/guide.md", "README.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("# A title\n\n## Status\n\nAccepted\n", encoding="utf-8")
    assert len(find_files([root], root).files) > 1, "a folder of records that nobody cloned"
    (root / ".git").mkdir()
    assert list(find_files([root], root).files) == ["adrs/0001-a.md"]
