"""The words of a command line, before the library that reads them."""

from collections.abc import Sequence


def joined_pairs(argv: Sequence[str]) -> list[str]:
    """Turn papermill's ``-p name value`` into ``-p name=value``, the one form that options here can have."""
    words = list(argv)
    found: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            return [*found, word, *words]
        if word in ("-p", "--parameter") and words:
            found.append(word)
            word = words.pop(0)
            if "=" not in word and words:
                word = f"{word}={words.pop(0)}"
        found.append(word)
    return found
