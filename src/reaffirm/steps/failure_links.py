"""What a launch looks like: links from its report to the failure pages whose signatures fit its logs."""

from reaffirm.diagnose.match import Match, RankLog, Symptoms, match
from reaffirm.diagnose.rank import Reading, rank
from reaffirm.draw.lanes import duration
from reaffirm.model.report import Block, Outcome, Table
from reaffirm.steps.following import Follower
from reaffirm.store.failures import Failures, read_failures
from reaffirm.store.project import failure_folders, find_project

#: Lines shown for one page, and characters of each.
_MOST_LINES, _MOST_SIGNS = 4, 240
_GOOD = (Outcome.READY, Outcome.REACHED)


def failure_pages() -> Failures:
    """Read the failure pages at hand: those of the project, then those that come with the package."""
    project = find_project()
    own = (project.docs / "failures").resolve() if project else None
    # A page that comes with the package is named the same on every machine.
    named = [
        (folder, "docs/failures" if folder == own else "reaffirm:docs/failures")
        for folder in failure_folders(project)
    ]
    return read_failures(*named)


def read_launch(follower: Follower, failures: Failures) -> Reading:
    """Return which pages fit a launch that has ended.

    A launch that went well is held only against pages about what goes wrong while an engine serves.
    """
    serves = follower.outcome in _GOOD
    modes = [mode for mode in failures.modes if mode.serves or not serves]
    ranks = tuple(
        RankLog(
            one.name,
            [said.text for said in one.lines],
            one.death.exit if one.death is not None else None,
        )
        for one in follower.ranks
    )
    version = next((one.tracker.version for one in follower.ranks if one.tracker.version), "")
    symptoms = Symptoms(follower.plan.engine, version, ranks, follower.stage, follower.silent)
    return rank(match(modes, symptoms))


def failure_blocks(follower: Follower, reading: Reading, failures: Failures) -> list[Block]:
    """Return what the report shows of it. A page that fits is never called the cause."""
    blocks: list[Block] = []
    rows: list[tuple[str, ...]] = []
    if reading.pages:
        if not reading.matches:
            rows.append(("no page", "none fits what came before the lines below", "", ""))
        for one in reading.matches:
            rows += _rows(one, one.mode.title)
        for one in reading.later:
            rows += _rows(one, f"{one.mode.title}: follows from another error as a rule")
        title = "What this looks like (a page that fits is not yet a cause)"
        blocks.append(Table(title, ("page", "what it tells of", "seen on", "line"), tuple(rows)))
        blocks += _rivals(reading)
    elif follower.outcome not in _GOOD:
        told = f"no page fits what the ranks said within {duration(follower.ended)}"
        how = "docs/failures/README.md tells how to add a page: one Markdown file, its examples are its tests"
        blocks.append(Table("What this looks like", ("", ""), (("no page", told), ("next", how))))
    if failures.findings:
        rows = [(f"{f.path}:{f.line}", f.message, f.hint) for f in failures.findings]
        blocks.append(Table("Failure pages that were left out", ("place", "wrong", "next"), tuple(rows)))
    return blocks


def _rows(one: Match, what: str) -> list[tuple[str, ...]]:
    shown = one.evidence[:_MOST_LINES]
    rows: list[tuple[str, ...]] = [
        (one.mode.path if not number else "", what if not number else "", seen.node, _cut(seen.text))
        for number, seen in enumerate(shown)
    ]
    if len(one.evidence) > len(shown):
        rows.append(("", "", "", f"and {len(one.evidence) - len(shown)} more"))
    return rows


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SIGNS else f"{text[:_MOST_SIGNS]} […]"


def _rivals(reading: Reading) -> list[Block]:
    """Name the rival causes: those that fit as well, and those that this log speaks against."""
    rows: list[tuple[str, str]] = []
    for a, b in reading.contested:
        rows.append(
            ("not decided", f"{a.mode.id} and {b.mode.id} both fit: these logs cannot tell them apart")
        )
    fits = {one.mode.id for one in reading.matches}
    for one in reading.matches:
        others = [rival for rival in one.mode.rivals if rival not in fits]
        if others:
            named = ", ".join(others)
            rows.append(("rival", f"{one.mode.id}: {named} can look alike, but does not fit here"))
    for one in reading.matches:
        if one.mode.deciding_check:
            rows.append(("cheapest check", f"{one.mode.id}: {one.mode.deciding_check}"))
    return [Table("Which cause it is", ("", ""), tuple(rows))] if rows else []
