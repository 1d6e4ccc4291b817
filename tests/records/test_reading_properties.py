"""Whatever is in a file: reading it ends, says something, and never raises."""

import string

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reaffirm.model.record import Dialect, Document
from reaffirm.store.reading.codec import from_plain, to_plain
from reaffirm.store.reading.document import parse_document
from reaffirm.store.reading.naming import name_of, neighbour
from reaffirm.store.reading.report import record_json

_PIECES = st.sampled_from(
    (
        *("---\n", "+++\n", "# ", "## ", "Status", ": ", "accepted", "Superseded by ", "[1](0001-x.md)"),
        *("| ", "|---|---|\n", "**", "*", "- ", "  ", "> ", "```\n", "<!--", "-->", "date: ", "2026-02-30"),
        *("&a ", "*a", "!!x ", "== ", ":status: ", "|===\n", "----\n", "====\n", ".. ", "::\n", "`", "_"),
        *("\t", "\r", "\x00", "\ufeff", "é", "承認", "🟡", "1" * 30, "title = ", '"', "[[a]]\n", "&amp;"),
        *("\n", "\n\n", "{", "}", "[x]", "[ ]", "<a id='b'>"),
    )
)
_TEXTS = st.lists(_PIECES, max_size=60).map("".join) | st.text(max_size=200)
_BOUNDED = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@_BOUNDED
@given(_TEXTS, st.sampled_from(list(Dialect)))
def test_any_text_is_read_without_a_crash(text: str, dialect: Dialect) -> None:
    """One odd file would hide all others."""
    document = parse_document(text, "docs/adr/0001-x.md", dialect)
    lines = text.count("\n") + text.count("\r") + 2
    for record in document.records:
        assert isinstance(record.id, str)
        assert all(1 <= line <= lines for line in record.lines.values())
        assert record.status is None or record.status_raw
        record_json(record)
    assert all(1 <= problem.line <= lines for problem in document.problems)
    assert from_plain(Document, to_plain(document)) == document


@_BOUNDED
@given(st.text(alphabet=string.printable + "é承\x1b\u202e", max_size=120))
def test_any_name_is_read_without_a_crash(name: str) -> None:
    """A file with an odd name would stop the walk."""
    assert isinstance(name_of(f"adr/{name}.md").id, str)
    assert isinstance(neighbour(f"adr/{name}.md"), str)
