"""The hash of what code does: without comments, docstrings, prose and blank lines.

It is taken from the text and not from a syntax tree, so that it is the same under every Python.
"""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable


def code_hash(sources: Iterable[str]) -> str:
    """Return the SHA-256 (hex) over the code of several cells. Cells without code do not count."""
    digest = hashlib.sha256()
    for source in sources:
        if bare := bare_code(source):
            digest.update(bare.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def text_hash(text: str) -> str:
    """Return the SHA-256 (hex) of a whole text, whatever its line endings."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")).hexdigest()


def file_hash(source: str) -> str:
    """Return the SHA-256 (hex) over the code of a module: its own docstring does not count either."""
    return hashlib.sha256(bare_code(source, module=True).encode("utf-8", "surrogatepass")).hexdigest()


def bare_code(source: str, *, module: bool = False) -> str:
    """Return the source without comments, docstrings and blank lines.

    What is not Python (a magic, a shell line) is kept as it is. In a cell a text that stands first is
    shown, so it counts; in a ``module`` it is a docstring.
    """
    try:
        tree = ast.parse(source)
        comments = [
            token.start
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT
        ]
    except (SyntaxError, ValueError, tokenize.TokenError):
        return _dense(source.split("\n"))
    lines = source.split("\n")
    for row, column in comments:
        lines[row - 1] = lines[row - 1][:column]
    for first, last in _docstrings(tree, module):
        lines[first - 1 : last] = [""] * (last - first + 1)
    return _dense(lines)


def _docstrings(tree: ast.Module, module: bool) -> Iterable[tuple[int, int]]:
    """The lines of docstrings that stand alone on their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module):
            if module and ast.get_docstring(node, clean=False) is not None:
                alone = len(node.body) == 1 or node.body[1].lineno > (node.body[0].end_lineno or 0)
                if alone:
                    yield node.body[0].lineno, node.body[0].end_lineno or node.body[0].lineno
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        first = node.body[0]
        alone = len(node.body) == 1 or node.body[1].lineno > (first.end_lineno or 0)
        if ast.get_docstring(node, clean=False) is not None and alone and first.lineno > node.lineno:
            yield first.lineno, first.end_lineno or first.lineno


def _dense(lines: Iterable[str]) -> str:
    return "\n".join(line.rstrip() for line in lines if line.strip())
