"""Makes plain data of a small YAML text; see :mod:`reaffirm.store.reading.yaml_text`, which keeps it.

Nothing is constructed: the text is composed into nodes, what a tag marks is left out and reported, and
what aliases stand for is counted. So a bomb stays small and a tag runs nothing.
"""

import re
from datetime import date, datetime
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from reaffirm.store.reading.yaml_text import Path, Yaml, YamlProblemError

MAX_DEPTH = 20
MAX_VALUES = 20_000
_TAG = "tag:yaml.org,2002:"
_KNOWN = {f"{_TAG}{name}" for name in ("str", "int", "float", "bool", "null", "timestamp", "map", "seq")}
# 0010 is an id, and text: as a number it would lose its zeros.
_INT = re.compile(r"[-+]?(?:0|[1-9]\d*)\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z")


def composed(text: str) -> Yaml:
    """Read ``key: value`` lines.

    Raises:
        YamlProblemError: not YAML, not a mapping, an alias, a key twice, or too much of it.
    """
    yaml = YAML(typ="safe", pure=True)
    try:
        node = yaml.compose(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        hint = "quote values that hold ': ' or begin with a special sign"
        msg = f"not YAML: {error.problem}"
        raise YamlProblemError(msg, line, hint) from error
    except (YAMLError, ValueError, RecursionError, AttributeError, IndexError, TypeError) as error:
        told = str(error).split("\n")[0] or type(error).__name__
        msg = f"not YAML: {told}"
        raise YamlProblemError(msg, 0, "compare with adrs/0000-template.md") from error
    found = Yaml()
    if node is None or (isinstance(node, ScalarNode) and not node.value.strip()):
        return found
    if not isinstance(node, MappingNode):
        what = {SequenceNode: "a list"}.get(type(node), "text")
        message = f"the front matter must be 'key: value' lines, got {what}"
        raise YamlProblemError(message, 1, "compare with adrs/0000-template.md")
    found.data = _Reader(found).mapping(node, ())
    for key, value in node.value:
        if isinstance(key, ScalarNode):
            found.raw[key.value] = _words(text, value)
            folded = getattr(value, "style", None) in ("|", ">")
            found.begins[key.value] = value.start_mark.line + 1 + folded
    return found


class _Reader:
    def __init__(self, found: Yaml) -> None:
        self.found = found
        self.values = 0

    def value(self, node: Node, path: Path) -> Any:
        line = node.start_mark.line + 1
        self.values += 1
        if len(path) > MAX_DEPTH or self.values > MAX_VALUES:
            message = f"more than {MAX_VALUES} values or {MAX_DEPTH} levels, aliases counted"
            hint = "write the values out, or put them into a file of their own"
            raise YamlProblemError(message, line, hint, bomb=True)
        tag = _tag(node)
        if tag not in _KNOWN:
            self.found.tagged.append((tag.removeprefix(_TAG), line))
            return None
        if isinstance(node, MappingNode):
            return self.mapping(node, path)
        if isinstance(node, SequenceNode):
            items = []
            for index, item in enumerate(node.value):
                self.found.marks[(*path, index)] = item.start_mark.line + 1
                items.append(self.value(item, (*path, index)))
            return items
        style = getattr(node, "style", None)
        return scalar(node.value, tag, quoted=style in ("'", '"', "|", ">"))

    def mapping(self, node: MappingNode, path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            # A key such as {[a]: b} is none that a reader of ours means.
            name = key.value if isinstance(key, ScalarNode) else _words_of(key)
            if name in result:
                first = self.found.marks[(*path, name)]
                message = f"the key {name!r} was used in line {{{first}}} already"
                raise YamlProblemError(message, line, "keep one of them")
            self.found.marks[(*path, name)] = line
            result[name] = self.value(value, (*path, name))
        return result


def scalar(text: str, tag: str, *, quoted: bool) -> Any:
    """Return a value by the rules of YAML 1.2; a day that does not exist stays text."""
    if quoted or tag == f"{_TAG}str":
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if _INT.match(text) and len(text) < 20:
        return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
    if tag == f"{_TAG}float":
        try:
            return float(text)
        except ValueError:
            return text
    if tag == f"{_TAG}timestamp" or _DAY.match(text):
        try:
            return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text)
        except ValueError:
            return text
    return text


def _tag(node: Node) -> str:
    tag = getattr(node, "tag", None)
    return str(tag) if tag else ""


def _words(text: str, node: Node) -> str:
    """The value as it is written; quotes are not part of it, braces and brackets are."""
    if isinstance(node, ScalarNode):
        return str(node.value).strip()
    start, end = node.start_mark, node.end_mark
    lines = text.split("\n")[start.line : end.line + 1]
    if not lines:
        return ""
    if start.line == end.line:
        return lines[0][start.column : end.column].strip()
    lines[0] = lines[0][start.column :]
    lines[-1] = lines[-1][: end.column]
    return "\n".join(lines).strip()


def _words_of(node: Node) -> str:
    if isinstance(node, ScalarNode):
        return str(node.value)
    if isinstance(node, SequenceNode):
        return ", ".join(_words_of(item) for item in node.value[:20])
    return "?"
