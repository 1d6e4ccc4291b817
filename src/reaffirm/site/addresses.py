"""Where a page is once the site is built."""

import re

_HOME = re.compile(r"(^|/)(index|README)\.md\Z")


def address(page: str, *, directory_urls: bool = True) -> str:
    """Return the address of a page from the top of the site; empty for the front page.

    Args:
        page: as MkDocs names it, with an anchor or without: ``decisions/0001-x.md#claim-a``.
        directory_urls: whether ``a.md`` becomes ``a/`` and not ``a.html``.
    """
    path, mark, anchor = page.partition("#")
    if _HOME.search(path):
        shown = _HOME.sub(r"\1" if directory_urls else r"\1index.html", path)
    else:
        shown = re.sub(r"\.md\Z", "/" if directory_urls else ".html", path)
    return shown + mark + anchor
