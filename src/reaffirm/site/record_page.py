"""A record as a page: its head, its claims at a glance, its text, their evidence, its history."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from reaffirm.model.claim import Claim
from reaffirm.model.history import History
from reaffirm.model.record import Dialect, Record
from reaffirm.site.links import Resolve
from reaffirm.site.page import SitePage, anchor
from reaffirm.site.path_line import path_of_record
from reaffirm.site.prose import rebuild
from reaffirm.site.record_claims import Standings, claims, still_true
from reaffirm.site.record_findings import Told, findings_of
from reaffirm.site.record_gist import gist
from reaffirm.site.record_head import Others, head
from reaffirm.site.record_history import history_box
from reaffirm.site.record_label import label
from reaffirm.site.text import ANSWERS, fence, front_matter, page_heading
from reaffirm.site.ways import Ways

_LANGUAGES = {Dialect.ASCIIDOC: "text", Dialect.RESTRUCTUREDTEXT: "rst", Dialect.TOML: "toml"}
# Ids of our own headings; those of claims and of hypotheses come on top.
_OWN = ("claims-and-their-evidence", "check-again", "rival-hypotheses")


@dataclass(frozen=True)
class Around:
    """What a record's page shows of other things.

    ``before`` and ``after`` are its neighbours in its folder, ``others`` say that they took its place or gave
    way to it, ``elsewhere`` are claims of others that its text names. ``commits`` is the address below which
    a commit can be read; empty: nobody knows.
    """

    before: Record | None = None
    after: Record | None = None
    others: Others = field(default_factory=Others)
    history: History | None = None
    commits: str = ""
    elsewhere: Sequence[tuple[Record, Claim]] = ()


def record_page(
    record: Record,
    standings: Standings,
    ways: Ways,
    *,
    resolve: Resolve,
    today: date,
    told: Told | None = None,
    around: Around | None = None,
) -> SitePage:
    """Return the page of a record.

    Args:
        record: the record.
        standings: where each claim stands, by ``(record key, claim id)``.
        ways: what can be reached from the page.
        resolve: where links in the record's text lead.
        today: the day of the board.
        told: what is wrong with the record; None where that is no page's affair.
        around: what is shown of other things.
    """
    title = label(record)
    around = around or Around()
    history = around.history
    changes = history.of(record.path) if history else ()
    parts = [
        front_matter(title, boost=ANSWERS) + f"\n{page_heading(title)}",
        path_of_record(ways.uri),
        head(record, standings, ways, resolve, told=told, others=around.others, changes=changes, today=today),
        findings_of(told, ways.uri) if told else "",
        gist(record, standings, resolve, told, ways.at_home),
        still_true(record, standings, ways, around.elsewhere),
        _body(record, resolve, told),
        claims(record, standings, ways),
        history_box(changes, history.missing, around.commits) if history else "",
        ways.around(around.before, around.after),
    ]
    return SitePage(ways.uri, title, "\n\n".join(part for part in parts if part) + "\n")


def reserved(record: Record) -> frozenset[str]:
    """Return the ids that no heading of a record's own text may have: those of its claims and of ours."""
    return frozenset(map(anchor, record.claims)) | frozenset(_OWN)


def _body(record: Record, resolve: Resolve, told: Told | None) -> str:
    if record.dialect is not Dialect.MARKDOWN:
        # In reStructuredText the title's own line is below it.
        body = re.sub(r"\A\s*([=\-~^#*+.:`'\"])\1+[ \t]*\n", "", record.body).strip("\n")
        return fence(body, _LANGUAGES[record.dialect]) if body.strip() else ""
    if told:
        return rebuild(record.body, resolve, gone=told.gone, reserved=reserved(record))
    return rebuild(record.body, resolve)
