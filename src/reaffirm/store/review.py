"""Reads when a decision wants to be looked at again: ``review-by`` and ``reopen-when`` of its front matter.

``date-of`` says what its date is of, where that is not the decision.

::

    review-by: 2027-05-05
    reopen-when:
      - says: The image at hand has the class.
        needs: lab
        check: {runbook: probe_image, fact: probe.vllm-node.supports_model, expect: {equals: true}}
"""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from reaffirm.model.claim import Claim
from reaffirm.model.evidence import Kind
from reaffirm.model.finding import Finding
from reaffirm.model.record import DateOf
from reaffirm.store.claim_format import ClaimReader
from reaffirm.store.field_reader import FieldReader
from reaffirm.store.frontmatter import Page
from reaffirm.store.operands import type_of

_KEYS = ("says", "needs", "check")
_REOPEN = "reopen-when"
_DATE_OF = "date-of"


def read_review(page: Page) -> tuple[date | None, tuple[Claim, ...], tuple[Finding, ...]]:
    """Return the day of the next review, what would reopen the decision, and what is wrong with both.

    Each sentence of ``reopen-when`` is a claim with the id ``reopen-when-1`` and so on; one with a mistake
    is left out.
    """
    reader = ClaimReader(page)
    day = _day(page.data.get("review-by"), reader)
    return day, tuple(_sentences(page.data.get(_REOPEN), reader)), tuple(sorted(reader.findings))


def read_date_of(page: Page) -> tuple[DateOf, tuple[Finding, ...]]:
    """Return what the date of a record is of, and what is wrong with the key that says so."""
    reader = FieldReader(page)
    value = page.data.get(_DATE_OF, str(DateOf.DECISION))
    words = [str(one) for one in DateOf]
    if value in words:
        return DateOf(value), ()
    message = f"{_DATE_OF!r} must be one of {', '.join(words)}, got {value!r}"
    reader.wrong(
        (_DATE_OF,), "date-of", message, "writing: the date tells when it was written down, not decided"
    )
    return DateOf.DECISION, tuple(reader.findings)


def _day(value: Any, reader: ClaimReader) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value).strip())
    except ValueError:
        message = f"'review-by' must be YYYY-MM-DD and a real day, got {value!r}"
        reader.wrong(("review-by",), "review-form", message)
        return None


def _sentences(data: Any, reader: ClaimReader) -> Iterator[Claim]:
    if data is None:
        return
    many = data if isinstance(data, list) else [data]
    for index, item in enumerate(many):
        path: tuple[str | int, ...] = (_REOPEN, index) if isinstance(data, list) else (_REOPEN,)
        if not isinstance(item, dict):
            hint = "begin it with 'says:' and 'check:'"
            reader.wrong(path, "reopen-shape", f"it must be 'says' and 'check', got {type_of(item)}", hint)
            continue
        before = len(reader.findings)
        reader.keys(item, _KEYS, path, "reopen-key", "'reopen-when'")
        says = reader.text(item, "says", path, required=True)
        needs = reader.word(item, "needs", path, Kind, Kind.REAL)
        check = reader.check(item, path)
        if check is None and len(reader.findings) == before:
            hint = "add 'check:' with a runbook, a fact and what to expect"
            reader.wrong(path, "reopen-check", "there is nothing that could ever show it", hint)
        if len(reader.findings) == before:
            yield Claim(
                id=f"{_REOPEN}-{index + 1}",
                says=says,
                needs=needs,
                check=check,
                path=reader.page.path,
                line=reader.page.at(*path),
            )
