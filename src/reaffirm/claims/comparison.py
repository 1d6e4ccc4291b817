"""In what two runs differ, in words: facts, steps, outputs, code, parameters, what they rest on. Pure."""

import json
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from reaffirm.model.fact import Fact
from reaffirm.model.run_view import CellView, Difference, Output, RunView
from reaffirm.model.varying import without_varying

#: Lines of one output that are told, and how long a line or a value may be (characters).
_LINES, _WIDTH = 24, 160


def compare(old: RunView, new: RunView, *, strict: bool = False) -> tuple[Difference, ...]:
    """Return in what ``new`` differs from ``old``.

    Args:
        old: what is compared with.
        new: what is compared.
        strict: whether outputs must be the same to the last byte, as those of one run that was done again.
            Else what varies from run to run by nature is passed over, step by step.
    """
    pairs = aligned(old.cells, new.cells)
    facts = list(_facts(old, new))
    told = {difference.cell for difference in facts}
    outputs = [
        one for one in _outputs(pairs, strict) if one.cell not in told or not one.what.startswith("facts of")
    ]
    found = [*facts, *_steps(pairs), *_code(pairs), *outputs]
    found += _mapping("parameters", _texts(old.parameters), _texts(new.parameters))
    if old.ended != new.ended:
        found.append(Difference("ending", "how it ended", "changed", old.ended, new.ended))
    for group in sorted(old.rests.keys() | new.rests.keys()):
        found += _mapping(group, old.rests.get(group, {}), new.rests.get(group, {}))
    return tuple(found)


def fact_text(fact: Fact | None) -> str:
    """A fact's value as JSON has it, with its unit; ``unknown`` for what could not be told."""
    if fact is None:
        return ""
    value = "unknown" if fact.value is None else json.dumps(fact.value, ensure_ascii=False)
    by = f" (by {fact.by})" if fact.by else ""
    unit = fact.unit if fact.value is not None else ""
    return _short(f"{value} {unit}".rstrip() + by)


def _facts(old: RunView, new: RunView) -> Iterator[Difference]:
    for name in dict.fromkeys((*old.facts, *new.facts)):
        was, now = old.facts.get(name), new.facts.get(name)
        if was == now:
            continue
        cell = (new if now else old).cell_of(name)
        change = "changed" if was and now else "gone" if was else "added"
        yield Difference(
            "facts",
            name,
            change,
            fact_text(was),
            fact_text(now),
            cell.number if cell else None,
            cell.heading if cell else "",
        )


_Pair = tuple[CellView | None, CellView | None]


def aligned(old: tuple[CellView, ...], new: tuple[CellView, ...]) -> list[_Pair]:
    """Cells that are the same code stand beside each other; of others as many as there are on both sides."""
    pairs: list[_Pair] = []
    matcher = SequenceMatcher(a=[c.source for c in old], b=[c.source for c in new], autojunk=False)
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        left, right = old[i1:i2], new[j1:j2]
        both = min(len(left), len(right))
        pairs += list(zip(left[:both], right[:both], strict=True))
        pairs += [(cell, None) for cell in left[both:]]
        pairs += [(None, cell) for cell in right[both:]]
    return pairs


def _steps(pairs: list[_Pair]) -> Iterator[Difference]:
    for old, new in pairs:
        cell = new or old
        assert cell is not None
        was, now = (old.steps if old else ()), (new.steps if new else ())
        for index in range(max(len(was), len(now))):
            one = was[index] if index < len(was) else None
            other = now[index] if index < len(now) else None
            if one and other and (one.step, one.outcome) == (other.step, other.outcome):
                continue
            change = "changed" if one and other else "gone" if one else "added"
            said = [_short(f"{s.outcome}: {s.summary}") if s else "" for s in (one, other)]
            step = (other or one).step  # type: ignore[union-attr]
            yield Difference("steps", step, change, said[0], said[1], cell.number, cell.heading)


def _code(pairs: list[_Pair]) -> Iterator[Difference]:
    for old, new in pairs:
        cell = new or old
        assert cell is not None
        was, now = (old.source if old else ""), (new.source if new else "")
        if was != now:
            change = "changed" if old and new else "gone" if old else "added"
            lines = _diff(was, now)
            yield Difference("code", "the code", change, "", "", cell.number, cell.heading, lines)


def _outputs(pairs: list[_Pair], strict: bool) -> Iterator[Difference]:
    for old, new in pairs:
        if old is None or new is None:
            continue  # told as code already
        for index in range(max(len(old.outputs), len(new.outputs))):
            was = old.outputs[index] if index < len(old.outputs) else None
            now = new.outputs[index] if index < len(new.outputs) else None
            if (found := _output(was, now, strict)) is not None:
                what, change, lines = found
                yield Difference("outputs", what, change, "", "", new.number, new.heading, lines)


def _output(was: Output | None, now: Output | None, strict: bool) -> tuple[str, str, tuple[str, ...]] | None:
    if was is None or now is None:
        one = was or now
        assert one is not None
        lines = _diff(was.text if was else "", now.text if now else "")
        return one.what, "gone" if was else "added", lines
    if was.what != now.what:
        return f"{was.what}, now {now.what}", "changed", _diff(was.text, now.text)
    left, right = (was.text, now.text) if strict else (_plain(was), _plain(now))
    if left != right:
        return was.what, "changed", _diff(was.text, now.text, "" if strict else was.step)
    if strict and was.rest != now.rest:
        at = next((i for i, (a, b) in enumerate(zip(was.rest, now.rest, strict=False)) if a != b), -1)
        here = (was.rest[max(0, at - 40) : at + 60], now.rest[max(0, at - 40) : at + 60])
        return f"{was.what} (its text is the same)", "changed", (f"- …{here[0]}", f"+ …{here[1]}")
    return None


def _plain(output: Output) -> str:
    return without_varying(output.text, output.step)


def _diff(was: str, now: str, step: str = "") -> tuple[str, ...]:
    """The lines that differ. What varies by nature in a step's text does not count, and is shown as it is."""
    left, right = was.splitlines(), now.splitlines()
    keys = [without_varying(line, step) for line in left]
    others = [without_varying(line, step) for line in right]
    lines: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(a=keys, b=others, autojunk=False).get_opcodes():
        if tag != "equal":
            gone, came = left[i1:i2], right[j1:j2]
            begins = [_begin(a, b) for a, b in zip_longest(gone, came, fillvalue="")]
            lines += [f"- {_window(line, begin)}" for line, begin in zip(gone, begins, strict=False)]
            lines += [f"+ {_window(line, begin)}" for line, begin in zip(came, begins, strict=False)]
    told = lines[:_LINES]
    if len(lines) > _LINES:
        told.append(f"… {len(lines) - _LINES} more lines")
    return tuple(told)


def _begin(was: str, now: str) -> int:
    """Where a line that is too long is shown from, so that what differs can be seen."""
    at = next((i for i, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    return max(0, at - _WIDTH // 2) if at >= _WIDTH - 20 else 0


def _window(line: str, begin: int) -> str:
    return _short(f"…{line[begin:]}") if begin else _short(line)


def _mapping(area: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Difference]:
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if was != now:
            change = (
                "changed" if was is not None and now is not None else "gone" if was is not None else "added"
            )
            yield Difference(area, name, change, _short(was or ""), _short(now or ""))


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {key: json.dumps(value, ensure_ascii=False, sort_keys=True) for key, value in values.items()}


def _short(text: str) -> str:
    line = "".join(c if c.isprintable() else " " for c in text)
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
