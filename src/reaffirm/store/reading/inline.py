"""One line of Markdown as a reader sees it: a value of front matter may hold links as well."""

from reaffirm.store.reading.markdown import read_markdown
from reaffirm.store.reading.outline import Line


def line_of(text: str, line: int) -> Line:
    """Return a text's words and links; ``line`` is where it stands in the file."""
    plain = " ".join(text.split())
    if "](" not in plain and "<" not in plain and "~~" not in plain:
        return Line(plain, line, plain)
    blocks = read_markdown(f"- {plain}").blocks
    if len(blocks) != 1 or len(blocks[0].lines) != 1:
        return Line(plain, line, plain)
    found = blocks[0].lines[0]
    links = tuple(type(link)(link.target, link.text, line, link.relation) for link in found.links)
    return Line(found.text, line, plain, links=links)
