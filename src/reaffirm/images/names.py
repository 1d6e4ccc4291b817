"""Names that go into a command line: refused before anything is sent when they are not plain."""

import re

from reaffirm.errors import UsageError

_CONTAINER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,127}\Z")
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/@-]{0,254}\Z")
_MODEL = re.compile(r"[A-Za-z0-9_./~][A-Za-z0-9_./+@-]{0,254}\Z")
_SHOWN = 100
_CLASS = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")


def container_name(text: str) -> str:
    """Return ``text`` when it can name a container.

    Raises:
        UsageError: it holds a quote, a space, a semicolon, a leading dash or the like.
    """
    return _checked(text, _CONTAINER, "container name", "letters, digits, '_', '.' and '-'")


def image_reference(text: str) -> str:
    """Return ``text`` when it can be an image reference; raises UsageError otherwise."""
    return _checked(text, _IMAGE, "image reference", "a name such as registry/name:tag or name@sha256:…")


def model_name(text: str) -> str:
    """Return ``text`` when it can be a model id or a path; raises UsageError otherwise."""
    return _checked(text, _MODEL, "model", "an id such as Qwen/Qwen3.5-122B-A10B-FP8, or a path")


def class_name(text: str) -> str:
    """Return ``text`` when it can be the name of an architecture class; raises UsageError otherwise."""
    return _checked(
        text, _CLASS, "architecture class", "a Python name such as Qwen3_5MoeForConditionalGeneration"
    )


def _checked(text: str, pattern: re.Pattern[str], what: str, allowed: str) -> str:
    if pattern.match(text):
        return text
    seen = repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}… ({len(text)} characters)"
    msg = f"not a usable {what}: {seen}; nothing was sent"
    raise UsageError(msg, hint=f"use {allowed}")
