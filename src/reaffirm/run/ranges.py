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


def is_marked_secret(annotation: ast.expr) -> bool:
    """Whether an annotation says that the value is a secret: ``Annotated[str, "secret"]``."""
    match annotation:
        case ast.Constant(value=str(text)):  # an annotation in quotes
            try:
                return is_marked_secret(ast.parse(text, mode="eval").body)
            except SyntaxError:
                return False
        case ast.Subscript(
            value=ast.Name(id="Annotated") | ast.Attribute(attr="Annotated"), slice=ast.Tuple(elts=[_, *told])
        ):
            return any(isinstance(one, ast.Constant) and one.value == "secret" for one in told)
    return False


def ranges_of(annotation: ast.expr) -> tuple[ast.expr, tuple[Range, ...]]:
    """Return (the type alone, its ranges). Other words of an ``Annotated`` mean nothing here."""
    match annotation:
        case ast.Subscript(
            value=ast.Name(id="Annotated") | ast.Attribute(attr="Annotated"),
            slice=ast.Tuple(elts=[plain, *told]),
        ):
            words = [str(one.value) for one in told if isinstance(one, ast.Constant)]
            found = [match for word in words if (match := _RANGE.match(word.strip()))]
            if found or "secret" in words:
                return plain, tuple(Range(match[1], float(match[2])) for match in found)
    return annotation, ()
