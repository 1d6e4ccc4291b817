"""Makes HTML of the Markdown of many pages on all processors, before MkDocs does it page by page on one.

A page is made as MkDocs makes it, in a process that has all that this one has. What came of it is kept as it
is kept from one build of a preview to the next (``kept_pages.py``), and under the same conditions. A page
whose making said anything, or failed, is left to MkDocs, so that nothing is said twice or by nobody.
"""

import io
import logging
import sys
from typing import Any

from mkdocs.structure.pages import Page

from reaffirm.site.kept_pages import Ear, KeptPages
from reaffirm.site.together import in_processes, processes

#: Pages that a process makes in one go; fewer than three times as many are not worth a process.
_AT_A_TIME = 16


def render_ahead(kept: KeptPages, config: Any, files: Any) -> None:
    """Keep what Markdown makes of the pages that are to be built."""
    wanted = files.documentation_pages()
    if not kept.steady or not processes() or len(wanted) < 3 * _AT_A_TIME:
        return

    def make(at: int) -> object:
        for name in ("", "mkdocs"):
            logging.getLogger(name).handlers = [kept.ear]
        sys.stdout = sys.stderr = _Said(kept.ear)
        return _rendered(wanted[at], kept, config, files)

    try:
        for made, _ in in_processes(make, range(len(wanted)), _AT_A_TIME):
            kept.take(made)
    except Exception:  # no process to be had, one was killed, or what it made cannot be sent: MkDocs makes it
        return


class _Said(io.TextIOBase):
    """Where a process prints: MkDocs will make the page again, and then it is printed."""

    def __init__(self, ear: Ear) -> None:
        self._ear = ear

    def write(self, text: str) -> int:
        """Note that something was said."""
        self._ear.heard += 1
        return len(text)


def _rendered(file: Any, kept: KeptPages, config: Any, files: Any) -> object:
    """Make one page, in a process of its own; ``None`` where somebody has to hear of it."""
    page = file.page or Page(None, file, config)
    plugins = config.plugins
    try:
        page = plugins.on_pre_page(page, config=config, files=files)
        page.read_source(config)
        page.markdown = plugins.on_page_markdown(page.markdown, page=page, config=config, files=files)
        page.render(config, files)
        plugins.on_page_content(page.content, page=page, config=config, files=files)
    except Exception:  # MkDocs makes it again and tells
        return None
    return kept.given(page)
