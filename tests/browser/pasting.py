"""Both sides of a paste: what Python says of it, and what the script of the site says in a browser."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reaffirm.diagnose.match import Evidence, Match
from reaffirm.diagnose.paste import Paste, read_paste
from reaffirm.site.failure_data import failure_data
from reaffirm.store.failures import read_failures

ROOT = Path(__file__).resolve().parents[2]
MODES = read_failures((ROOT / "docs/failures", "docs/failures")).modes
SCRIPTS = [
    ROOT / f"src/reaffirm/site/static/failures_{name}.js"
    for name in ("versions", "match", "near", "ranks", "wrapped")
]

_READ = """paste => {
  const line = one => [one.node, one.number, one.text];
  const tell = one => ({page: one.page.id, parts: one.parts, evidence: one.evidence.map(line)});
  const {failures} = window.reaffirm;
  const seen = failures.atOnce(failures.read(window.compiled, paste));
  return {
    fits: seen.fits.map(tell), later: seen.later.map(tell),
    perhaps: [...seen.perhaps.fits, ...seen.perhaps.later].map(tell),
    before: [...seen.before.fits, ...seen.before.later].map(tell),
    foreign: seen.foreign.map(one => [one.engine, one.lines.map(line)]),
    joined: seen.joined,
    contested: [...seen.contested, ...seen.perhaps.contested, ...seen.before.contested]
      .map(([a, b]) => [a.page.id, b.page.id]),
    read: seen.readings.map(one => [one.engine, one.version, one.stage]),
    near: seen.near.map(one => ({page: one.page.id, close: one.close, evidence: one.evidence.map(line),
      wants: one.wants.map(want => [want.words, want.patterns.map(pattern => pattern.text), want.alike])})),
    stop: seen.stop && [seen.stop.stage, seen.stop.allRanks, seen.stop.lines.map(line),
      seen.stop.notes, seen.stop.wentOn],
    unknown: seen.unknown.map(line),
    leftOut: seen.leftOut,
  };
}"""


def ready(page: Any) -> None:
    """Give a blank page the script of the site and the signatures of all pages."""
    for script in SCRIPTS:
        page.add_script_tag(content=script.read_text(encoding="utf-8"))
    page.evaluate(
        "data => { window.compiled = window.reaffirm.failures.compile(data) }",
        json.loads(failure_data(MODES, {})),
    )


def as_json(paste: Paste) -> dict[str, Any]:
    """A paste as the script takes it."""
    engine = str(paste.engine) if paste.engine else None
    told = {"version": paste.version, "silent": paste.silent, "ended": paste.ended}
    return {"text": paste.text, "engine": engine, **told}


def in_the_browser(page: Any, paste: Paste) -> dict[str, Any]:
    """What the browser says."""
    found: dict[str, Any] = page.evaluate(_READ, as_json(paste))
    return found


def in_python(paste: Paste) -> dict[str, Any]:
    """What Python says, in the same words."""
    seen = read_paste(MODES, paste)
    return {
        "fits": [_told(one) for one in seen.fits.matches],
        "later": [_told(one) for one in seen.fits.later],
        "perhaps": [_told(one) for one in (*seen.perhaps.matches, *seen.perhaps.later)],
        "before": [_told(one) for one in (*seen.before.matches, *seen.before.later)],
        "foreign": [[str(one.engine), _lines(one.lines)] for one in seen.foreign],
        "joined": list(seen.joined),
        "contested": [[a.mode.id, b.mode.id] for a, b in seen.contested],
        "read": [[str(one.engine), one.version, one.stage] for one in seen.symptoms],
        "near": [
            {
                "page": one.mode.id,
                "close": one.close,
                "evidence": _lines(one.evidence),
                "wants": [[want.words, [p.text for p in want.patterns], want.alike] for want in one.wants],
            }
            for one in seen.near
        ],
        "stop": seen.stop
        and [
            seen.stop.stage,
            seen.stop.all_ranks,
            _lines(seen.stop.lines),
            list(seen.stop.notes),
            seen.stop.went_on,
        ],
        "unknown": _lines(seen.unknown),
        "leftOut": seen.left_out,
    }


def _told(one: Match) -> dict[str, Any]:
    return {"page": one.mode.id, "parts": one.parts, "evidence": _lines(one.evidence)}


def _lines(found: Iterable[Evidence]) -> list[list[Any]]:
    return [[line.node, line.number, line.text] for line in found]
