"""How a runbook is run, as lines to paste."""

import re
from collections.abc import Iterator, Sequence

from reaffirm.site.links import Resolve, lab_page
from reaffirm.site.prose import rebuild
from reaffirm.site.runbook_text import RunbookText
from reaffirm.site.text import code, fence

# Options of a command line as a piece of code.
_OPTIONS = re.compile(r"`(--?[a-z][^`]*)`")
_OWN = "on your own machines"


def commands(book: RunbookText, machines: Sequence[str], resolve: Resolve) -> Iterator[str]:
    """Yield the commands to paste: as it is, in the lab, on machines of one's own.

    Args:
        book: the runbook.
        machines: the names of the machine files that the project has.
        resolve: where links of its prose lead.
    """
    nodes = next((one for one in book.parameters if one.name == "nodes"), None)
    default = nodes.default.strip("\"'") if nodes else ""
    where = {"local": "On this machine", "": "As it is"}.get(default, f"On {default} nodes")
    if default.startswith("simulated"):
        where = "On simulated nodes"
    below = code(f"runs/{book.name}/")
    yield f"<strong>{where}</strong>, with the one tool or the other; the notebook goes below {below}:"
    yield fence(f"papermill {book.path}\nreaffirm run {book.name}", "bash")
    if nodes is None:
        return
    if default == "local" and "simulated" in machines:
        yield "<strong>On simulated nodes</strong>:"
        yield fence(f"reaffirm run {book.name} -p nodes simulated", "bash")
    if "lab" in machines:
        page = lab_page(resolve)
        lab = f"[lab]({page})" if page else "lab"
        hosts = "hosts made of namespaces on one Linux machine, without a GPU"
        yield f"<strong>In the {lab}</strong>, {hosts}:"
        yield fence(f"reaffirm run {book.name} -p nodes lab", "bash")
    # Said at the top too; who jumps here by the table of contents does not read that.
    needs = rebuild(book.label(_OWN), resolve)
    what = "Write down which machines they are, look at what would be sent, then run it:"
    yield " ".join(("<strong>On your own machines</strong>.", *filter(None, (needs,)), what))
    yield fence("reaffirm nodes init HEAD WORKER -o runbooks/nodes/mine.toml", "bash")
    command = " ".join([f"reaffirm run {book.name} -p nodes mine", *_own_words(book)])
    # A block is copied as a whole, and nobody is to start what was not looked at.
    yield fence(f"{command} --dry-run", "bash")
    yield "That sends nothing. When what it shows is what you want:"
    yield fence(command, "bash")
    if any(one.name == "consent" for one in book.parameters):
        told = (
            "On real machines what removes something needs consent: it is asked for on a terminal, or given "
        )
        yield f"{told}with {code('-p consent NODE/CONTAINER,…')}."


def _own_words(book: RunbookText) -> tuple[str, ...]:
    """The options that the paragraph *On your own machines* of a runbook begins with or names first."""
    found = _OPTIONS.search(book.label(_OWN))
    return (found[1],) if found else ()
