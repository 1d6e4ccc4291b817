"""Takes secrets out of a whole notebook before any of it is written.

Text is masked by what it looks like, and values of parameters with a secret's name by what they are,
wherever they appear. The code of a cell stays code: only text inside its literals is masked.
"""

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from reaffirm.redact import MASK, SHORTEST, is_secret, known, redact, redact_data, remembering


def secret_values(parameters: Mapping[str, Any], marked: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the values of parameters with a secret's name or mark, longest first, also inside of lists."""
    secret = set(marked)
    found = {text for k, v in parameters.items() if k in secret or is_secret(k) for text in _texts(v)}
    return tuple(
        sorted((text for text in found if len(text) >= SHORTEST), key=lambda text: (-len(text), text))
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


class _Texts(dict[str, str]):
    """Texts as they are masked; what is not there yet is masked when somebody asks for it."""

    def __missing__(self, text: str) -> str:
        done = self[text] = redact(text)
        return done


class Redactor:
    """Masks the strings of one run's notebook; remembers them, since a notebook is written many times."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values = tuple(values)
        self._version = -1
        self._all: tuple[str, ...] | None = None
        self._texts = _Texts()
        self._codes: dict[str, str] = {}

    def notebook(self, notebook: dict[str, Any]) -> None:
        """Mask every string of a notebook's JSON, in place."""
        notebook["metadata"] = self.data(notebook["metadata"])
        notebook["cells"] = [self.cell(cell) for cell in notebook["cells"]]

    def cell(self, cell: Mapping[str, Any]) -> dict[str, Any]:
        """Return a masked copy of one cell."""
        masked = {k: v if k in ("cell_type", "id", "source") else self.data(v) for k, v in cell.items()}
        masked["source"] = _through(cell["source"], self.code if cell["cell_type"] == "code" else self.text)
        return masked

    def data(self, value: Any, name: str = "") -> Any:
        """Mask the strings inside of JSON data. A value under a secret's name is masked as a whole."""
        with self.knowing():
            self._refresh()
            return redact_data(value, name, text=self._texts.__getitem__)

    def text(self, text: str) -> str:
        """Mask one text."""
        with self.knowing():
            self._refresh()
            return self._texts[text]

    def code(self, source: str) -> str:
        """Mask the source of a cell so that it stays the same code."""
        with self.knowing():
            self._refresh()
            done = self._codes.get(source)
            if done is None:
                done = self._codes[source] = self._code(source)
            return done

    def knowing(self) -> AbstractContextManager[None]:
        """Have the process know our values for a while; what was masked with them stays remembered."""
        if known().values is self._all or set(self._values) <= set(known().values):
            self._all = known().values
            return nullcontext()
        return remembering(self._values)

    def _refresh(self) -> None:
        """Forget what was masked before more became known."""
        if self._version != known().version:
            self._version = known().version
            self._texts, self._codes = _Texts(), {}

    def _code(self, source: str) -> str:
        if redact(source) == source:
            return source
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            return redact(source)
        lines = source.encode().split(b"\n")
        for node in sorted(_literals(tree), key=lambda n: (n.lineno, n.col_offset), reverse=True):
            text = ast.get_source_segment(source, node) or ""
            if text and (masked := _literal_masked(node, text)) != text:
                _replace(lines, node, masked.encode())
        return _words_masked(b"\n".join(lines).decode())


def _literal_masked(node: ast.expr, text: str) -> str:
    """The source of a text literal without secrets; unchanged where it holds none."""
    if getattr(node, "secret", False):
        return repr(MASK)
    if isinstance(node, ast.Constant) and isinstance(node.value, bytes):
        plain = node.value.decode("latin-1")
        return text if redact(plain) == plain else repr(redact(plain).encode("latin-1"))
    if isinstance(node, ast.Constant):
        plain = str(node.value)
        return text if redact(plain) == plain else repr(redact(plain))
    masked = redact(text)  # an f-string
    try:
        ast.parse(masked)
    except SyntaxError:
        return repr(MASK)
    return masked


def _through(value: str | list[str], mask: Any) -> str | list[str]:
    """Apply a mask to a text that may be split into lines, as notebooks on disk have it."""
    if isinstance(value, str):
        return str(mask(value))
    whole = "".join(value)
    masked = mask(whole)
    return value if masked == whole else masked.splitlines(keepends=True)


def _literals(tree: ast.Module) -> list[ast.Constant | ast.JoinedStr]:
    """All literals of text, outermost first; those bound to a secret's name are marked."""
    for node in ast.walk(tree):
        pairs: list[tuple[ast.expr | None, str]] = []
        match node:
            case ast.Assign(targets=targets, value=value):
                pairs = [(value, t.id) for t in targets if isinstance(t, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                pairs = [(value, name)]
            case ast.keyword(arg=str(name), value=value):
                pairs = [(value, name)]
            case ast.Dict(keys=keys, values=values):
                pairs = [
                    (v, str(k.value))
                    for k, v in zip(keys, values, strict=True)
                    if isinstance(k, ast.Constant)
                ]
        for value, name in pairs:
            if isinstance(value, ast.Constant) and value.value and is_secret(name):
                value.secret = True  # type: ignore[attr-defined]
    inner: set[int] = set()
    found: list[ast.Constant | ast.JoinedStr] = []
    for node in ast.walk(tree):  # breadth first: what is outside comes first
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            inner.update(id(part) for part in ast.walk(node))
            found.append(node)
        elif (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)) or (
            isinstance(node, ast.Constant) and getattr(node, "secret", False) and _is_number(node.value)
        ):
            found.append(node)
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _replace(lines: list[bytes], node: ast.expr, text: bytes) -> None:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head, tail = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
    lines[first : last + 1] = [head + text + tail]


def _words_masked(source: str) -> str:
    """Mask comments, and names that are tokens: better no code than a secret."""
    lines = source.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for token in reversed(tokens):
        if token.type in (tokenize.COMMENT, tokenize.NAME) and redact(token.string) != token.string:
            (row, column), (_, end) = token.start, token.end
            line = lines[row - 1]
            lines[row - 1] = line[:column] + redact(token.string) + line[end:]
    return "\n".join(lines)
