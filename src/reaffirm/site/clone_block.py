"""How a reader gets the repository that a site was built from: said where a page by hand asks for it."""

import re
import shlex

from reaffirm.site.text import admonition, fence

#: A line of a page in whose place it is said.
MARK = "<!-- reaffirm: clone -->"

_LINE = re.compile(rf"^{re.escape(MARK)}[ \t]*$", re.MULTILINE)
_NOT_KNOWN = (
    "Whoever published this copy of the site did not set it (`repo_url` in `mkdocs.yml`), and these pages "
    "need the repository: ask the one who sent you here for it. Who built the site has it already, in the "
    "folder with that file."
)


def with_clone_block(markdown: str, repo: str) -> str:
    """Return a page that says at each mark how to clone the repository.

    Args:
        markdown: the page; most have no mark and stay as they are.
        repo: the address of the repository; empty: nobody knows, and the page says that.
    """
    return _LINE.sub(lambda _: _block(repo), markdown) if MARK in markdown else markdown


def _block(repo: str) -> str:
    address = repo.strip().rstrip("/")
    if not address:
        return admonition("note", "This site does not know the address of its repository", _NOT_KNOWN)
    folder = address.rpartition("/")[2].removesuffix(".git")
    # An address is pasted into a shell.
    return fence(f"git clone {shlex.quote(address)}\ncd {shlex.quote(folder)}", "bash")
