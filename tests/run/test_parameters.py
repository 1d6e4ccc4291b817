"""Typed parameters: what people write becomes the declared type, or a message; nothing is guessed."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from papermill.translators import PythonTranslator

from reaffirm.errors import ParameterError
from reaffirm.run.declarations import declared
from reaffirm.run.parameters import Text, check_complete, fit, read_yaml, typed

WRONG = object()
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)


def value_of(annotation: str, value: Any) -> Any:
    """What a parameter declared so becomes, or WRONG."""
    declarations = declared(f"x: {annotation} = None", file="r.py")
    try:
        return typed(declarations, [("x", value)])["x"]
    except ParameterError as error:
        told = f"r.py:1: x is declared {declarations.found['x'].annotation}, got "
        return WRONG if error.message.startswith(told) and error.hint else str(error)


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        # papermill itself makes of these: "false" (true), inf, 123, 1000, 3, 7, "null"
        ("bool", "false", False),
        ("bool", "True", True),
        ("bool", "no", False),
        ("bool", "2", WRONG),
        ("bool", "", WRONG),
        ("str", "0123", "0123"),
        ("str", "12e5678", "12e5678"),
        ("str", "", ""),
        ("str", "None", "None"),
        ("str", "a'b\"c;\n$(d)", "a'b\"c;\n$(d)"),
        ("int", "5", 5),
        ("int", "-5", -5),
        ("int", " 7 ", 7),
        ("int", "1_000", 1000),
        ("int", "0123", WRONG),
        ("int", "٣", WRONG),
        ("int", "1.0", WRONG),
        ("int", "true", WRONG),
        ("int", "9" * 5000, WRONG),
        ("float", "1e3", 1000.0),
        ("float", "5", 5.0),
        ("float", ".5", 0.5),
        ("float", "inf", math.inf),
        ("float", "12e5678", WRONG),
        ("float", "fast", WRONG),
        ("float | None", "none", None),
        ("float | None", "2", 2.0),
        ("Optional[int]", "null", None),
        ("str | None", "None", None),
        ("str | None", "text", "text"),
        ("None | int", "~", None),
        ("list[str]", "a, b", ["a", "b"]),
        ("list[str]", "", []),
        ("list[str]", '["a,b", no]', ["a,b", "no"]),
        ("list[int]", "1,2", [1, 2]),
        ("list[int]", "1,x", WRONG),
        ("list[str]", "[a", WRONG),
        ("dict[str, int]", "{a: 1}", {"a": 1}),
        ("dict[str, int]", "{a: b}", WRONG),
        ("dict", "a: 1", WRONG),
        ('Literal["real", "mock"]', "mock", "mock"),
        ('Literal["real", "mock"]', "Mock", WRONG),
        ("Literal[1, 2]", "2", 2),
        ("Literal[True, None]", "None", None),
        ('"int | None"', "none", None),
        ("typing.Literal['none', 'all'] | None", "none", "none"),
        ("Annotated[int, 'seconds']", "3", 3),
        ("Annotated[int, 'at least 1']", "1", 1),
        ("Annotated[int, 'at least 1']", "0", WRONG),
        ("typing.Annotated[int, 'at least 1', 'below 9']", "9", WRONG),
        ("Annotated[float | None, 'above 0']", "-5", WRONG),
        ("Annotated[float | None, 'above 0']", "nan", WRONG),
        ("Annotated[float | None, 'above 0']", "none", None),
        ("Annotated[float | None, 'above 0', 'seconds']", "0.5", 0.5),
        ("Path", "0123", "0123"),
        ("Path", "12", 12),
        ("Path", "1_", "1_"),
        ("float", "0123", WRONG),
        ("int | str", "no", "no"),
    ],
)
def test_text(annotation: str, text: str, value: Any) -> None:
    """An operator types text; the declared type says what it means."""
    found = value_of(annotation, Text(text))
    assert found is value or (found == value and type(found) is type(value))


@pytest.mark.parametrize(
    ("annotation", "value", "wanted"),
    [
        ("int", 5, 5),
        ("int", True, WRONG),
        ("int", 1.0, WRONG),
        ("float", 5, 5.0),
        ("float", 10**400, WRONG),
        ("bool", 1, WRONG),
        ("bool", "false", False),
        ("str", 5, WRONG),
        ("str", Path("a/b"), "a/b"),
        ("str", None, WRONG),
        ("str | None", None, None),
        ("list[str]", ("a", "b"), ["a", "b"]),
        ("list[str]", [1], WRONG),
        ("list", [1, "a", None], [1, "a", None]),
        ("dict[str, list[int]]", {"a": [1]}, {"a": [1]}),
        ("dict", {1: 2}, WRONG),
        ("Literal[1]", True, WRONG),
    ],
)
def test_python_values(annotation: str, value: Any, wanted: Any) -> None:
    """From Python a value must already have the type, or be text for it."""
    assert value_of(annotation, value) == wanted


@pytest.mark.parametrize(
    ("annotation", "yaml", "wanted"),
    [
        ("str", "x: no", "no"),
        ("str", "x: 0123", "0123"),
        ("str", "x: 1:30", "1:30"),
        ("str", "x: 2026-11-30", "2026-11-30"),
        ("bool", "x: off", False),
        ("int", "x: 017", WRONG),
        ("int", 'x: "5"', 5),
        ("str | None", 'x: "null"', "null"),
        ("str | None", "x:", None),
        ("str", "x:", WRONG),
        ("list[str]", "x: [on, 1.0]", ["on", "1.0"]),
        ("dict[str, bool]", "x: {1: yes}", {"1": True}),
    ],
)
def test_yaml(annotation: str, yaml: str, wanted: Any) -> None:
    """YAML has rules of its own for ``no``, ``017`` and ``1:30``; the declared type overrides them."""
    assert value_of(annotation, read_yaml(yaml)["x"]) == wanted


def test_a_name_given_twice_in_yaml_is_refused() -> None:
    """Which of the two somebody meant cannot be told; papermill's reader takes the last without a word."""
    with pytest.raises(ValueError, match="given twice: b, x"):
        read_yaml("{x: 1, b: 1, x: 2, b: 1, c: 3}")


def test_a_message_shows_what_was_written() -> None:
    """People would see the insides of this package instead of their own words."""
    told = value_of("str", read_yaml("x: [a, {b: c}]")["x"])
    assert told is WRONG
    with pytest.raises(ParameterError, match=r"got \['a', \{'b': 'c'\}\] \(list\)"):
        typed(declared("x: str = ''", file="r.py"), [("x", read_yaml("x: [a, {b: c}]")["x"])])


def test_declarations() -> None:
    """Help, lines and defaults come from the syntax, so a ``#`` or ``=`` in a default does no harm."""
    source = """import os
url: str = "http://h/#a=b"  # where # it is
mode: "Literal['real', 'mock']" = 'real'
many: list[str] = [
    "a",  # first
    "b",
]  # names
model: str  # must be there
plain = 5
os.x = 1
"""
    found = declared(source, file="r.py", first_line=10).found
    assert [(d.name, d.annotation, d.default, d.help, d.line, d.required) for d in found.values()] == [
        ("url", "str", '"http://h/#a=b"', "where # it is", 11, False),
        ("mode", "Literal['real', 'mock']", "'real'", "", 12, False),
        ("many", "list[str]", '[\n    "a",  # first\n    "b",\n]', "names", 13, False),
        ("model", "str", "must be given", "must be there", 17, True),
        ("plain", "", "5", "", 18, False),
    ]
    assert declared("x: int = (", file="r.py").found == {}


def test_unknown_name_is_an_error_only_where_types_are_declared() -> None:
    """A mistyped name would be injected and never read; without types papermill's own rule stays."""
    strict = declared("count: int = 1", file="r.py")
    with pytest.raises(
        ParameterError, match=r"there is no parameter 'cuont' \(did you mean count, r\.py:1\?\)"
    ):
        typed(strict, [("cuont", 1)])
    assert typed(strict, [("PAPERMILL_INPUT_PATH", "x")]) == {"PAPERMILL_INPUT_PATH": "x"}
    assert typed(declared("count = 1", file="r.py"), [("cuont", 1)]) == {"cuont": 1}


@pytest.mark.parametrize("name", ["x; import os", "class", "1x", "", "a.b", "a\nb", "x=1 #"])
@pytest.mark.parametrize("source", ["", "x: int = 1", "x = 1"])
def test_a_name_is_never_code(name: str, source: str) -> None:
    """papermill pastes the name into the cell as it is: any code would run."""
    with pytest.raises(ParameterError):
        typed(declared(source, file="r.py"), [(name, "1")])


def test_missing_ones_are_named() -> None:
    """All that is missing is said at once."""
    declarations = declared("a: int\nb: str  # the b\nc: int = 1", file="r.py")
    with pytest.raises(ParameterError, match=r"r\.py:2: b must be given") as caught:
        check_complete(declarations, ["a"])
    assert caught.value.hint == "pass -p b text (the b)"
    check_complete(declarations, ["a", "b"])


VALUES = {
    "bool": some.booleans(),
    "int": some.integers(),
    "float": some.floats(),
    "str": some.text(),
    "float | None": some.none() | some.floats(),
    "list[str]": some.lists(some.text()),
    "dict[str, float]": some.dictionaries(some.text(), some.floats()),
    "list[dict[str, bool | None]]": some.lists(some.dictionaries(some.text(), some.none() | some.booleans())),
}


@unhurried
@given(some.data())
def test_injected_code_is_the_value(data: some.DataObject) -> None:
    """What papermill injects is, when it runs, the value that was typed; typing it again changes nothing."""
    annotation = data.draw(some.sampled_from(sorted(VALUES)))
    value = data.draw(VALUES[annotation])
    declarations = declared(f"x: {annotation} = None", file="r.py")
    values = typed(declarations, [("x", value)])
    space: dict[str, Any] = {}
    exec(PythonTranslator.codify(values), space)
    assert repr(space["x"]) == repr(value)
    assert repr(typed(declarations, values.items())) == repr(values)


@unhurried
@given(some.text() | some.binary().map(lambda b: b.decode("latin-1")), some.sampled_from(sorted(VALUES)))
def test_any_text_is_a_value_or_a_message(text: str, annotation: str) -> None:
    """No text may end in a traceback."""
    shape = declared(f"x: {annotation} = None", file="r.py").found["x"].shape
    try:
        fit(shape, Text(text))
    except (ValueError, OverflowError):
        return


@unhurried
@given(some.integers() | some.floats(allow_nan=False, allow_infinity=False) | some.booleans())
def test_numbers_survive_as_text(value: float) -> None:
    """A number that is printed and typed again is the same number."""
    annotation = type(value).__name__
    assert value_of(annotation, Text(repr(value))) == value
