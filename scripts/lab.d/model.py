"""The tiny model that stands in for Qwen3.5-122B: made from a seed inside the vLLM image."""

from __future__ import annotations


def make() -> str:
    """Make it unless it is there."""
    return "todo"
