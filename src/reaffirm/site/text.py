"""Text made harmless for a Markdown page: nothing that a log says becomes markup.

The pages are read by Python-Markdown with raw HTML on, because badges and pictures need it. So every
text of a notebook, a fact or a record goes through here.
"""

import html
import re
from collections.abc import Sequence

# CSI and OSC sequences, then what is left of escapes.
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]|\x1b")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_MARKUP = re.compile(r"([\\`*\[\]{}])")
_EDGE_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LINE_START = re.compile(r"^([ \t]*)([#>+\-!?=:~|]|/(?=/|$)|\d+(?=[.)]))", re.MULTILINE)
# An extension of Python-Markdown puts a file of the build machine in place of such a line, also in a fence.
_SNIPPET = re.compile(r"^[ \t]*;*-+8<-", re.MULTILINE)
_SIGNS = re.compile(r"[\\`*_{}\[\]()!|~^=$:@+]")
_LOOKALIKES = str.maketrans({"<": "‹", ">": "›", "&": "＆", '"': "”"})
_THEMES_ID = re.compile(r"\W*_")
_LANGUAGE = re.compile(r"[a-z0-9+#-]{1,20}\Z")


def plain(text: str) -> str:
    """Return what a terminal would show: no colours, no overwritten lines, no control characters."""
    text = _ANSI.sub("", text.replace("\r\n", "\n"))
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))
    return _CONTROL.sub("", text)


def inline(text: str) -> str:
    """Escape text for a place inside a line of Markdown; newlines become spaces."""
    return escape(" ".join(plain(text).split()))


def escape(text: str) -> str:
    """Escape text that may hold several lines."""
    text = _MARKUP.sub(r"\\\1", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _EDGE_UNDERSCORE.sub(r"\\_", text)
    return _LINE_START.sub(lambda m: m[1] + "".join(f"&#{ord(c)};" for c in m[2]), text)


def cell(text: str) -> str:
    """Escape text for a cell of a table."""
    return inline(text).replace("|", "&#124;")


def code(text: str) -> str:
    """Return a code span for one line of text, safe in tables too."""
    text = " ".join(plain(text).split())
    if not text:
        return ""
    if re.search(r"[<>&|`\\]", text):
        return f"<code>{_entities(text)}</code>"
    return f"`{text}`"


def attribute(text: str) -> str:
    """Escape text for a quoted HTML attribute or the inside of an HTML element."""
    return html.escape(" ".join(plain(text).split()), quote=True)


def raw(text: str) -> str:
    """Escape text for raw HTML in a line of Markdown: neither markup of HTML nor of Markdown is left in it.

    Markdown is read before HTML: a backtick in an attribute would join with one further down.
    """
    return _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", attribute(text))


def fence(text: str, language: str = "text", *, mark: str = "") -> str:
    """Return a code block whose fence is longer than any run of backticks or tildes inside.

    ``mark`` is a class of ours for the style sheet.
    """
    text = plain(text).rstrip("\n")
    if _SNIPPET.search(text):
        return f"<pre><code>{'&#10;'.join(map(_entities, text.split(chr(10))))}</code></pre>"
    longest = max((len(run) for run in re.findall(r"`+|~+", text)), default=0)
    ticks = "`" * max(3, longest + 1)
    language = language if _LANGUAGE.match(language) else "text"
    head = f"{ticks} {{ .{language} .{mark} }}" if mark else f"{ticks}{language}"
    return f"{head}\n{text}\n{ticks}"


def indent(markdown: str) -> str:
    """Indent a block by four spaces, as the inside of an admonition or a list item must be."""
    return "\n".join(f"    {line}" if line else "" for line in markdown.split("\n"))


def own_id(words: str) -> str:
    """Return an id for a heading whose own would be one of the theme's, such as ``__config``; else nothing.

    The theme finds its settings by such an id, and the first element that has it would be taken for them.
    """
    if not _THEMES_ID.match(words):
        return ""
    return " { #section-" + (re.sub(r"[\W_]+", "-", words).strip("-").lower() or "1") + " }"


def page_heading(title: str) -> str:
    """Return the heading of a page."""
    return f"# {inline(title)}{own_id(title)}"


def admonition(kind: str, title: str, body: str, *, folded: bool = False, searched: bool = True) -> str:
    """Return a box. The title is plain text, which search may pass over; the body is Markdown."""
    quoted = inline(title).replace('"', "&quot;")
    quoted = quoted if searched else unsearched(quoted)
    mark = "???" if folded else "!!!"
    return f'{mark} {kind} "{quoted}"\n\n{indent(body)}'


def table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table of cells that are Markdown already."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def named_table(what: str, name: str, rows: Sequence[tuple[str, ...]]) -> str:
    """Return a table about one thing, which its heads name; a row is the name of a property and its value."""
    return table((f'<span class="rf-names">{what}</span>', code(name) or "no name"), rows)


def title_text(text: str) -> str:
    """Return a text for the title of a page.

    Themes put it into the head and the navigation as it is, some after undoing entities. So the signs that
    could become markup are replaced by ones that look like them.
    """
    return " ".join(plain(text).split()).translate(_LOOKALIKES)


#: How much more a page counts in the search that answers a question than one that is looked up by its name.
ANSWERS, LOOKED_UP = 2, 0.002


#: What search passes over. It has a value, since Material's search takes such a sign out of the page again.
UNSEARCHED = 'data-search-exclude="1"'


def unsearched(words: str) -> str:
    """Return words of a line that search passes over.

    Args:
        words: Markdown.
    """
    return f"<span {UNSEARCHED}>{words}</span>"


def front_matter(title: str, *, boost: float | None = None) -> str:
    """Return the head of a generated page. mkdocs-macros must not evaluate what a log says.

    Args:
        title: plain text.
        boost: how much the page counts in Material's search; other searches pass over it.
    """
    quoted = title_text(title).replace("\\", "\\\\")
    search = f"search:\n  boost: {boost:g}\n" if boost else ""
    return f'---\ntitle: "{quoted}"\nrender_macros: false\n{search}---\n'


def _entities(text: str) -> str:
    special = set("<>&|`\\*_[]{}\"'!#")
    return "".join(f"&#{ord(c)};" if c in special else c for c in text)
