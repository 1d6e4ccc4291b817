"""The range of a number, as a declaration says it: ``requests: Annotated[int, "at least 1"] = 3``."""

import ast
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_WORDS: dict[str, Callable[[float, float], bool]] = {
    "above": operator.gt,
    "at least": operator.ge,
    "at most": operator.le,
    "below": operator.lt,
}
_RANGE = re.compile(r"(above|at least|at most|below) (-?\d+(?:\.\d+)?)\Z")


@dataclass(frozen=True)
class Range:
    """One bound: ``word`` is ``above``, ``at least``, ``at most`` or ``below``."""

    word: str
    number: float

    def __str__(self) -> str:
        return f"{self.word} {self.number:g}"

    def holds(self, value: Any) -> bool:
        """Whether a number is within; what is no number has no range, and nan is in none."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        return _WORDS[self.word](value, self.number)


def ranges_of(annotation: ast.expr) -> tuple[ast.expr, tuple[Range, ...]]:
    """Return (the type alone, its ranges). Other words of an ``Annotated`` mean nothing here."""
    match annotation:
        case ast.Subscript(
            value=ast.Name(id="Annotated") | ast.Attribute(attr="Annotated"),
            slice=ast.Tuple(elts=[plain, *told]),
        ):
            words = [str(one.value) for one in told if isinstance(one, ast.Constant)]
            found = [match for word in words if (match := _RANGE.match(word.strip()))]
            if found:
                return plain, tuple(Range(match[1], float(match[2])) for match in found)
    return annotation, ()
