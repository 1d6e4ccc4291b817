"""What a record is called on pages."""

from functools import lru_cache

from reaffirm.model.record import Record
from reaffirm.site.prose_words import words

# An id of so many signs is a number or the like; a longer one is a name and tells what the title tells.
_SHORT = 12


def is_short(record: Record) -> bool:
    """Whether a record's id is shown beside its title."""
    return len(record.id) <= _SHORT


def label(record: Record) -> str:
    """Return what a record is called: id and title; a long id is left out."""
    title = _words(record.title)
    return f"{record.id} {title}" if is_short(record) else title


@lru_cache(maxsize=10_000)
def _words(title: str) -> str:
    """Each title stands on many pages."""
    return words(title)
