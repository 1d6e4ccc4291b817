"""Days as people write them. Where a day could be two days, or is none, nothing is read."""

import re
from datetime import date, datetime

_MONTHS = (
    "january jan januar enero janvier janeiro gennaio",
    "february feb februar febrero février fevrier fevereiro febbraio",
    "march mar märz maerz marzo mars março marco",
    "april apr abril avril aprile",
    "may mai mayo maio maggio",
    "june jun juni junio juin junho giugno",
    "july jul juli julio juillet julho luglio",
    "august aug agosto août aout",
    "september sep sept septiembre septembre setembro settembre",
    "october oct oktober okt octubre octobre outubro ottobre",
    "november nov noviembre novembre novembro",
    "december dec dezember dez diciembre décembre decembre dezembro dicembre",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_WORD = r"[A-Za-zäçéûÀ-ÿ]{3,10}\.?"
_FORMS = (
    re.compile(r"(?<!\d)(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?:[T ]\d\d:?\d\d\S*|(?![\d-]))"),
    re.compile(r"(?<!\d)(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})(?![\d/])"),
    re.compile(r"(?<!\d)(?P<y>\d{4})\.(?P<m>\d{1,2})\.(?P<d>\d{1,2})(?![\d.])"),
    re.compile(r"(?<!\d)(?P<y>\d{4})年\s*(?P<m>\d{1,2})月\s*(?P<d>\d{1,2})日"),
    re.compile(r"(?<!\d)(?P<y>20\d\d|19\d\d)(?P<m>\d\d)(?P<d>\d\d)(?!\d)"),
    re.compile(rf"(?<!\d)(?P<y>\d{{4}})[ -](?P<w>{_WORD})[ -](?P<d>\d{{1,2}})(?!\d)"),
    re.compile(rf"(?P<w>{_WORD})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})(?!\d)"),
    re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th|\.|er)?[\s-]+(?:de\s+|of\s+)?(?P<w>{_WORD})"
        r"[,\s-]+(?:de\s+)?(?P<y>\d{4})(?!\d)"
    ),
    re.compile(r"(?<!\d)(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})(?!\d)"),
    re.compile(r"(?<!\d)(?P<a>\d{1,2})[/-](?P<b>\d{1,2})[/-](?P<y>\d{4})(?!\d)"),
)
_SIGN = re.compile(r"\d|[{}<>\[\]]")


def read_date(value: object) -> tuple[date | None, str]:
    """Return the day that a value says, and what is wrong when it says none.

    ``""`` as the second means that nothing is wrong: the value is empty, or it was read.
    """
    if isinstance(value, datetime):
        return value.date(), ""
    if isinstance(value, date):
        return value, ""
    text = str(value).strip() if value is not None else ""
    if not text:
        return None, ""
    days, wrong = dates_in(text)
    if days:
        return days[0], ""
    return None, wrong or (f"no day can be read from {text[:60]!r}" if _SIGN.search(text) else "no day")


def dates_in(text: str) -> tuple[list[date], str]:
    """Return the days that a text names, in its order, and what is wrong with the first that is none."""
    found: list[tuple[int, date]] = []
    taken: list[tuple[int, int]] = []
    wrong = ""
    for form in _FORMS:
        for match in form.finditer(text[:2000]):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            parts = match.groupdict()
            if "w" in parts:
                number = _MONTH.get(str(parts["w"]).rstrip(".").lower())
                if number is None:
                    continue
                month, day_of = number, int(parts["d"])
            elif "a" in parts:
                a, b = int(parts["a"]), int(parts["b"])
                if a <= 12 and b <= 12 and a != b:
                    taken.append(match.span())
                    wrong = wrong or f"{match[0]!r} can be two days: day and month look the same"
                    continue
                month, day_of = (b, a) if a > 12 or a == b else (a, b)
            else:
                month, day_of = int(parts["m"]), int(parts["d"])
            taken.append(match.span())
            try:
                found.append((match.start(), date(int(parts["y"]), month, day_of)))
            except ValueError:
                wrong = wrong or f"there is no day {match[0]!r}"
    return [day for _, day in sorted(found)], wrong
