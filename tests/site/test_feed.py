"""The Atom feed and the board as data, of the specimens' small projects."""

import json
from datetime import UTC, date, datetime
from pathlib import Path
from xml.etree import ElementTree

from reaffirm.site.assemble import assemble
from reaffirm.site.feed import Entry, feed

_TESTS = Path(__file__).parents[1]
_A = "{http://www.w3.org/2005/Atom}"
_DAY = date(2026, 11, 30)


def test_a_feed_tells_what_changed_newest_first() -> None:
    """A team that follows the feed would miss that a claim was refuted, or hear the same change every day."""
    project = _TESTS / "site/specimens/project"
    site = assemble(project, docs="docs", records="adrs", runbooks="runbooks", forge="", today=_DAY)
    text = feed("Toy", site.changes, site="https://example.org/adr/", today=_DAY)
    root = ElementTree.fromstring(text)
    found = [(e.findtext(f"{_A}title"), e.findtext(f"{_A}updated")) for e in root.findall(f"{_A}entry")]
    assert [when for _, when in found] == sorted((when for _, when in found), reverse=True)
    titles = " / ".join(str(title) for title, _ in found)
    assert "lab run of measure_latency" in titles
    assert "0001 Keep the cache: accepted" in titles
    again = assemble(project, docs="docs", records="adrs", runbooks="runbooks", forge="", today=_DAY)
    assert feed("Toy", again.changes, site="https://example.org/adr/", today=_DAY) == text
    ids = [e.findtext(f"{_A}id") for e in root.findall(f"{_A}entry")]
    assert len(set(ids)) == len(ids)
    links = [link.get("href") for link in root.iter(f"{_A}link")]
    assert "https://example.org/adr/decisions/0001-keep-the-cache/" in links


def test_hostile_words_stay_words() -> None:
    """A log line in a claim would break the feed for all who read it."""
    one = Entry("k", datetime(2026, 1, 1, tzinfo=UTC), "<script>\x00\x1b ]]> &", "decisions/a.md#b")
    root = ElementTree.fromstring(feed("T", [one], site="", today=_DAY))
    assert root.findtext(f"{_A}entry/{_A}title") == "<script>\ufffd\ufffd ]]> &"
    assert root.find(f"{_A}entry/{_A}link").get("href") == "decisions/a/#b"  # type: ignore[union-attr]


def test_an_empty_feed_is_one() -> None:
    """The feed of a new project would be refused by every reader."""
    root = ElementTree.fromstring(feed("T", [], site="", today=_DAY))
    assert root.findtext(f"{_A}updated") == "2026-11-30T12:00:00Z"


def test_what_asks_to_be_looked_at_is_in_the_feed() -> None:
    """A review would pass by unseen."""
    project = _TESTS / "cli/specimens/claims"
    site = assemble(
        project, docs="docs", records="adrs", runbooks="runbooks", forge="", today=date(2027, 5, 6)
    )
    assert site.changes[0].title == "0001 was to be reviewed by 2027-05-05"
    assert site.board
    assert json.loads(json.dumps(site.board.as_json()))["overdue"][0]["record"] == "0001"
