"""Makes HTML of the Markdown of many pages on all processors, before MkDocs does it page by page on one.

A page is made as MkDocs makes it, in a process that has all that this one has. What came of it is kept as it
is kept from one build of a preview to the next (``kept_pages.py``), and under the same conditions. A page
whose making said anything, or failed, is left to MkDocs, so that nothing is said twice or by nobody.
"""

import logging
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from mkdocs.structure.pages import Page

from reaffirm.site.kept_pages import KeptPages
from reaffirm.site.together import in_processes, processes

#: Pages that a process makes in one go; fewer than three times as many are not worth a process.
_AT_A_TIME = 16


def render_ahead(kept: KeptPages, config: Any, files: Any) -> None:
    """Keep what Markdown makes of the pages that are to be built."""
    wanted = files.documentation_pages()
    if not kept.steady or not processes() or len(wanted) < 3 * _AT_A_TIME:
        return

    def make(at: int) -> object:
        logging.getLogger("mkdocs").handlers = [kept.ear]
        return _rendered(wanted[at], kept, config, files)

    try:
        for made, _ in in_processes(make, range(len(wanted)), _AT_A_TIME):
            kept.take(made)
    except (BrokenProcessPool, OSError):
        return


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
