"""No text may make redaction slow: the patterns are read, not timed."""

import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterator
from typing import Any

import pytest

from reaffirm.redact import StreamRedactor, redact, remembering
from reaffirm.redact.known import secrets_by_word
from reaffirm.redact.lazy import ALL

_ANY = frozenset(range(128))
_CLASSES = {
    "CATEGORY_DIGIT": frozenset(map(ord, "0123456789")),
    "CATEGORY_SPACE": frozenset(map(ord, " \t\n\r\f\v")),
    "CATEGORY_WORD": frozenset(c for c in range(128) if chr(c).isalnum() or c == 95),
}
#: A repeat of at most so many is not one that explodes.
_FEW = 4


def _signs(node: Any, argument: Any) -> frozenset[int]:
    """The ASCII characters that a node of one character matches."""
    name = str(node)
    if name == "LITERAL":
        return frozenset({argument})
    if name == "NOT_LITERAL":
        return _ANY - {argument}
    if name == "ANY":
        return _ANY - {10}
    if name == "CATEGORY":
        plain = _CLASSES[str(argument).replace("NOT_", "")]
        return _ANY - plain if "NOT_" in str(argument) else plain
    if name == "RANGE":
        return frozenset(range(argument[0], min(argument[1], 127) + 1))
    if name == "IN":
        inside: frozenset[int] = frozenset()
        for kind, value in argument:
            inside |= frozenset() if str(kind) == "NEGATE" else _signs(kind, value)
        return _ANY - inside if str(argument[0][0]) == "NEGATE" else inside
    return _ANY


def _first(items: list[Any]) -> tuple[frozenset[int], bool]:
    """The characters that a sequence may begin with, and whether it may be empty."""
    found: frozenset[int] = frozenset()
    for node, argument in items:
        name = str(node)
        if name in ("AT", "ASSERT", "ASSERT_NOT"):
            continue
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            signs, empty = _first(list(argument[2]))
            found |= signs
            if argument[0] and not empty:
                return found, False
        elif name == "SUBPATTERN":
            signs, empty = _first(list(argument[3]))
            found |= signs
            if not empty:
                return found, False
        elif name == "BRANCH":
            parts = [_first(list(branch)) for branch in argument[1]]
            found |= frozenset().union(*(signs for signs, _ in parts))
            if not any(empty for _, empty in parts):
                return found, False
        else:
            return found | _signs(node, argument), False
    return found, True


def _sequences(items: Any) -> Iterator[list[Any]]:
    """All sequences of a pattern, the outer ones first."""
    sequence = list(items)
    yield sequence
    for node, argument in sequence:
        name = str(node)
        if name.endswith("REPEAT"):
            yield from _sequences(argument[2])
        elif name == "SUBPATTERN":
            yield from _sequences(argument[3])
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _sequences(branch)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _sequences(argument[1])


def _repeats(body: list[Any], after: frozenset[int]) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
    """For each repeat inside of a repeat: its characters, and those that may come after it."""
    for at, (node, argument) in enumerate(body):
        rest, empty = _first(body[at + 1 :])
        then = rest | after if empty else rest
        name = str(node)
        if name.endswith("REPEAT"):
            low, high, inner = argument
            if high > _FEW and low != high:
                yield _first(list(inner))[0], then
            yield from _repeats(list(inner), then | _first(list(inner))[0])
        elif name == "SUBPATTERN":
            yield from _repeats(list(argument[3]), then)
        elif name == "BRANCH":
            for branch in argument[1]:
                yield from _repeats(list(branch), then)


def problems(text: str, flags: int = 0) -> list[str]:
    """What could make a pattern explode on some text."""
    found = []
    for sequence in _sequences(parser.parse(text, flags)):
        for node, argument in sequence:
            if str(node).endswith("REPEAT") and argument[1] > _FEW:
                body = list(argument[2])
                again, _ = _first(body)
                for signs, then in _repeats(body, again):
                    if both := signs & then:
                        found.append(f"a repeat in a repeat, both of {chr(min(both))!r}")
        wide = []
        for node, argument in sequence:
            name = str(node)
            if name in ("AT", "ASSERT", "ASSERT_NOT"):
                continue
            if name.endswith("REPEAT") and argument[1] > 10_000:
                signs = _first(list(argument[2]))[0]
                if wide and wide[-1] & signs:
                    found.append("two endless repeats of the same characters beside each other")
                wide.append(signs)
                continue
            wide = []
    return found


def test_the_reader_of_patterns_sees_what_explodes() -> None:
    """Otherwise the next test would say nothing."""
    for text in (r"(a+)+b", r"(?:a|b+)*c", r"(\w+\s?)*$", r"\w*\w*x", r"([a-z]+[a-z0-9]*)+"):
        assert problems(text), text
    for text in (r"(?:\\.|[^\"\\])*\"", r"(?:\s|\\{1,9}n){0,40}x", r"(?:\.\w{1,40}){0,20}", r"a+b*c+"):
        assert not problems(text), text


@pytest.mark.parametrize("pattern", ALL, ids=lambda one: one.pattern[:60])
def test_no_pattern_explodes(pattern: Any) -> None:
    """A log with one hostile line would keep a run busy for hours."""
    assert problems(pattern.pattern, pattern.flags) == []


def test_no_pattern_of_a_known_value_explodes() -> None:
    """Values are anything, and their patterns are made from them."""
    values = ("Zq\\\\'\"'\"<&>%  äß€\\\\''", "''''''''''", "\\\\\\\\\\\\\\\\a", "      a      ")
    for secret in secrets_by_word(values):
        assert problems(secret.pattern.pattern) == []


HOSTILE = [
    "a" * 50_000,
    "password=" * 8_000,
    "://a:" * 10_000,
    "://" + "a" * 50_000,
    "-----BEGIN PRIVATE KEY-----\n" * 2_000,
    "-----BEGIN PRIVATE KEY-----" + "A" * 50_000,
    "\\" * 50_000,
    "token" + " " * 50_000 + "=x",
    "token=" + "\\" * 50_000 + '"',
    "'" * 30_000,
    'password="' + '\\"' * 25_000,
    "hf_" * 15_000,
    "eyJ" + "a." * 20_000,
    "sk-" + "-" * 50_000,
    "\x1b[" * 20_000,
    "<span " * 10_000,
    "?token=" * 8_000,
    "mysql -p" * 5_000,
    "login a\npassword " * 4_000,
    "│ \n" * 15_000,
    "%3a%2f%2f" * 6_000,
    "Authorization: Digest " + '"' * 30_000,
    "'authorization', " * 4_000,
    '"name": "HF_TOKEN", ' * 3_000,
    "HF_TOKEN=a\n" * 4_000,
    "curl -u " * 30_000,
    "docker login -x " * 15_000,
    "docker -pat " * 20_000,
    "sshpass " * 30_000,
    "env " * 60_000,
    "token=" * 10_000,
    "--token x " * 20_000,
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_hostile_text_ends(number: int) -> None:
    """What a container prints is not chosen by us."""
    text = HOSTILE[number]
    with remembering(["Zq\\''\"<&>%  ß 9Kx7vW2p", "aaaaaaaaaaaaaaab"]):
        redact(text)
        stream = StreamRedactor()
        for at in range(0, len(text), 4096):
            stream.feed(text[at : at + 4096])
            assert stream.held < 40_000
        stream.close()
