"""Takes facts from what a node answered. Pure; what cannot be told for sure is unknown, with the reason."""

import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from reaffirm.errors import UsageError
from reaffirm.model.extract import Extract, How, Line, Recipe
from reaffirm.model.fact import FactValue
from reaffirm.steps.foreign_json import foreign_json

#: A longer text is not searched, a longer value is no fact (characters).
MOST_TEXT, MOST_VALUE = 1_000_000, 2_000

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")
_NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.,]*\d)")
_UNIT = re.compile(r"\s?([A-Za-zµ%°/]+(?:\d|[A-Za-z/%])*)")
_KNOWN = (*(str(how) for how in How), "unit")
#: What an author may write for the value of each key.
_HINT = (
    '{"json": "a.b.0"}, {"regex": r"took (?P<seconds>[0-9.]+) s", "unit": "s"}, '
    '{"number": "last line", "unit": "ms"} or {"text": "whole"}'
)


def extracts(facts: Mapping[str, Recipe], taken: Sequence[str] = ()) -> tuple[Extract, ...]:
    """Read what an author wrote; ``taken`` are the names that the step itself uses.

    Raises:
        UsageError: a name or a recipe that cannot be used. Nothing was sent.
    """
    return tuple(_extract(key, recipe, taken) for key, recipe in facts.items())


def _extract(key: str, recipe: Recipe, taken: Sequence[str]) -> Extract:
    if not isinstance(key, str) or not _KEY.match(key):
        msg = f"a fact's own name is one word of letters, digits, _ and -, got {key!r}"
        raise UsageError(msg, hint="what stands before it is the name of the step")
    if key in taken:
        msg = f"the step itself finds {key!r}"
        raise UsageError(msg, hint=f"call it otherwise; taken are {', '.join(taken)}")
    if not isinstance(recipe, Mapping):
        msg = f"facts[{key!r}] says as data how to find the value, got {recipe!r}"
        raise UsageError(msg, hint=_HINT)
    for word in recipe:
        if word not in _KNOWN:
            near = get_close_matches(str(word), _KNOWN, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            msg = f"facts[{key!r}] knows no {word!r}{meant}"
            raise UsageError(msg, hint=_HINT)
    hows = [how for how in How if how in recipe]
    if len(hows) != 1:
        msg = f"facts[{key!r}] needs exactly one of json, regex, number and text, got {dict(recipe)!r}"
        raise UsageError(msg, hint=_HINT)
    unit = recipe.get("unit", "")
    if not isinstance(unit, str):
        msg = f"facts[{key!r}]: a unit is a text, got {unit!r}"
        raise UsageError(msg, hint='such as "unit": "ms"')
    return _of(key, hows[0], recipe[hows[0]], unit)


def _of(key: str, how: How, value: object, unit: str) -> Extract:
    match how:
        case How.JSON:
            return Extract(key, how, path=_path(key, value), unit=unit)
        case How.REGEX:
            return Extract(key, how, pattern=_pattern(key, value), unit=unit)
        case How.NUMBER:
            if value not in tuple(Line):
                msg = f"facts[{key!r}]: a number stands on a line, got {value!r}"
                raise UsageError(msg, hint=f"one of: {', '.join(Line)}")
            return Extract(key, how, line=Line(str(value)), unit=unit)
        case How.TEXT:
            if value != "whole" or unit:
                msg = f"facts[{key!r}]: a text is taken as a whole and has no unit, got {value!r} {unit}"
                raise UsageError(msg.rstrip(), hint='write {"text": "whole"}')
            return Extract(key, how)


def _path(key: str, value: object) -> tuple[str | int, ...]:
    if isinstance(value, str):
        return tuple(int(part) if part.isdecimal() else part for part in value.split(".") if part)
    if isinstance(value, Sequence) and all(isinstance(p, str | int) for p in value):
        return tuple(value)
    msg = f"facts[{key!r}]: a JSON field is named by its keys, got {value!r}"
    raise UsageError(msg, hint='write "timing.total", or ["a.key.with.dots", 0]')


def _pattern(key: str, value: object) -> str:
    try:
        groups = list(re.compile(str(value), re.MULTILINE).groupindex) if isinstance(value, str) else []
    except re.error as error:
        msg = f"facts[{key!r}]: not a regular expression: {error}, got {value!r}"
        raise UsageError(msg, hint="try it in Python's re module first") from error
    if len(groups) != 1:
        msg = f"facts[{key!r}]: a pattern has exactly one named group, got {value!r}"
        raise UsageError(msg, hint="write (?P<name>…) around the value, and (?:…) around other groups")
    return str(value)


def found(extract: Extract, text: str) -> tuple[FactValue, str]:
    """Return the value in ``text``, or ``None`` and why it cannot be told."""
    if len(text) > MOST_TEXT:
        return None, f"the text has {len(text)} characters, more than {MOST_TEXT}"
    match extract.how:
        case How.JSON:
            value, why = _json(extract, text)
        case How.REGEX:
            value, why = _regex(extract, text)
        case How.NUMBER:
            return _number(extract, text)
        case How.TEXT:
            value, why = text.strip(), ""
    if value is None or why:
        return None, why
    if extract.unit and (isinstance(value, bool) or not isinstance(value, int | float)):
        return None, f"no number of {extract.unit}: {_shown(value)}"
    return _bounded(value)


class _Several:
    """Stands for the values of a key that an object has more than once."""


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Make an object in which a key with different values has none of them."""
    made: dict[str, object] = {}
    for key, value in pairs:
        made[key] = _Several() if key in made and repr(made[key]) != repr(value) else value  # True is not 1
    return made


def _json(extract: Extract, text: str) -> tuple[FactValue, str]:
    data: object = None
    for candidate in (text, (text.strip().splitlines() or [""])[-1]):
        try:
            data = foreign_json(candidate, _object)
            break
        except ValueError:
            continue
    else:
        return None, "neither the text nor its last line is JSON"
    for number, part in enumerate(extract.path):
        where = ".".join(map(str, extract.path[:number])) or "the whole"
        if isinstance(data, dict) and str(part) in data:
            data = data[str(part)]
        elif isinstance(data, list) and isinstance(part, int) and -len(data) <= part < len(data):
            data = data[part]
        else:
            return None, f"{where} has no {part!r}"
        if isinstance(data, _Several):
            return None, f"{where} has different values for {part!r}"
    if data is None:
        return None, "the field is null"
    if isinstance(data, list) and all(isinstance(item, str) for item in data):
        return data, ""
    if isinstance(data, bool | int | float | str):
        return data, ""
    return None, "the field is neither a plain value nor a list of texts"


def _regex(extract: Extract, text: str) -> tuple[FactValue, str]:
    pattern = re.compile(extract.pattern, re.MULTILINE)
    [group] = pattern.groupindex
    values = list(dict.fromkeys(match[group] for match in pattern.finditer(text) if match[group] is not None))
    if len(values) != 1:
        return None, "nothing matches" if not values else f"{len(values)} different values match"
    if not extract.unit:
        return values[0], ""
    try:
        return _plain(values[0]), ""
    except ValueError:
        return None, f"not a number: {_shown(values[0])}"


def _number(extract: Extract, text: str) -> tuple[FactValue, str]:
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return None, "there is no line"
    if extract.line is Line.ONLY and len(lines) > 1:
        return None, f"there are {len(lines)} lines"
    line = lines[0 if extract.line is Line.FIRST else -1]
    numbers = list(_NUMBER.finditer(line))
    if len(numbers) != 1:
        return None, f"{len(numbers) or 'no'} numbers on the line: {_shown(line)}"
    unit = _UNIT.match(line, numbers[0].end())
    # Nothing is converted: seconds are not made into the milliseconds that were asked for.
    if extract.unit and unit and unit[1] != extract.unit:
        return None, f"expected the unit {extract.unit}, got: {_shown(line)}"
    return _bounded(_plain(numbers[0][0]))


def _plain(word: str) -> int | float:
    return int(word) if re.fullmatch(r"[-+]?\d{1,18}", word) else float(word)


def _bounded(value: FactValue) -> tuple[FactValue, str]:
    if isinstance(value, float) and not math.isfinite(value):
        return None, "not a finite number"
    size = sum(map(len, value)) if isinstance(value, list) else len(value) if isinstance(value, str) else 0
    if size > MOST_VALUE:
        return None, f"{size} characters are more than a fact holds ({MOST_VALUE})"
    return value, ""


def _shown(value: object) -> str:
    text = " ".join(str(value).split())
    return repr(text if len(text) <= 60 else f"{text[:57]}…")
