"""Leaves out the blanks of a theme's templates that no reader sees: megabytes of 1,000 short pages."""

import re
from typing import Any

from jinja2 import Environment
from jinja2.ext import Extension

# A line that begins with a tag: its indentation is a blank between tags, one or none to a browser.
_INDENTED = re.compile(r"\n[ \t]+(?=<)")


class _NoIndentation(Extension):
    """Takes the indentation away from the lines of a template that begin with a tag."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _INDENTED.sub("\n", source)


def without_blanks(env: Environment, theme: Any) -> None:
    """Let the templates of Material be read without blanks around blocks and before tags.

    Another theme, and one with templates of somebody's own, stays as it is: there a blank may be meant.

    Args:
        env: that of MkDocs, before any template is read.
        theme: the theme as MkDocs has it.
    """
    if theme.name == "material" and not theme.custom_dir:
        env.trim_blocks = env.lstrip_blocks = True
        env.add_extension(_NoIndentation)
