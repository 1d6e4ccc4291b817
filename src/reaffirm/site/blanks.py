"""Leaves out the blanks of a theme's templates that no reader sees: megabytes of 1,000 short pages."""

import re
from typing import Any

from jinja2 import Environment
from jinja2.ext import Extension

# A line that begins with a tag: its indentation is a blank between tags, one or none to a browser.
_INDENTED = re.compile(r"\n[ \t]+(?=<)")
# What keeps its blanks, or the end of a line with blanks after it.
_RUN = re.compile(r"<(pre|textarea|script|style|svg)\b.*?</\1\s*>|\n\s+", re.DOTALL)
_BEGIN, _END = "<article", "</article>"


class _NoIndentation(Extension):
    """Takes the indentation away from the lines of a template that begin with a tag."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _INDENTED.sub("\n", source)


def may_go(theme: Any) -> bool:
    """Return whether blanks of a theme mean nothing: those of Material as it comes.

    Another theme, and one with templates of somebody's own, stays as it is: there a blank may be meant.

    Args:
        theme: as MkDocs has it.
    """
    return theme.name == "material" and not theme.custom_dir


def without_blanks(env: Environment, theme: Any) -> None:
    """Let the templates of Material be read without blanks around blocks and before tags.

    Args:
        env: that of MkDocs, before any template is read.
        theme: the theme as MkDocs has it.
    """
    if may_go(theme):
        env.trim_blocks = env.lstrip_blocks = True
        env.add_extension(_NoIndentation)


def around_article(page: str) -> str:
    """Return a finished page in which a run of blanks around its article is one end of a line.

    What stands in the article is as somebody wrote it, and stays.
    """
    begin, end = page.find(_BEGIN), page.rfind(_END)
    if not 0 <= begin < end:
        return page
    return _collapsed(page[:begin]) + page[begin:end] + _collapsed(page[end:])


def _collapsed(html: str) -> str:
    return _RUN.sub(lambda found: found[0] if found[1] else "\n", html)
