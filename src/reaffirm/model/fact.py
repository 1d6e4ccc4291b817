"""Facts: named, typed values that a step found."""

import re
from dataclasses import dataclass
from typing import Any

#: Facts travel in a notebook as display data of this one type.
FACTS_MIME = "application/vnd.reaffirm.facts+json"

FactValue = bool | int | float | str | None | list[str]

#: ``by`` of a fact whose value the notebook's own code worked out.
BY_NOTEBOOK = "notebook"

#: First words of the facts of the shipped steps. Nobody else records a fact that begins with one of them.
STEP_WORDS = frozenset(
    {"preflight", "cleanup", "probe", "launch", "experiment", "verify", "conclude", "copy_image"}
)

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)+\Z")


def is_fact_name(name: str) -> bool:
    """Whether a fact can have this name: dotted words."""
    return bool(_NAME.match(name))


@dataclass(frozen=True)
class Fact:
    """One fact. ``None`` means that the step looked and could not tell (``unknown``).

    Names are dotted: ``probe.vllm-node.supports_model``. ``unit`` is empty for what has none, ``by`` for
    what a step found; else it is :data:`BY_NOTEBOOK`.
    """

    name: str
    value: FactValue
    unit: str = ""
    by: str = ""

    def __post_init__(self) -> None:
        if not is_fact_name(self.name):
            msg = f"a fact's name is dotted words such as probe.vllm-node.vllm_version, got {self.name!r}"
            raise ValueError(msg)

    def as_json(self) -> dict[str, Any]:
        """Return ``{"value": 1.5, "unit": "s"}``; empty fields are left out."""
        said = {"unit": self.unit, "by": self.by}
        return {"value": self.value} | {key: text for key, text in said.items() if text}
