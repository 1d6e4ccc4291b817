"""Tables that are written as HTML in Markdown: their rows and cells."""

from html.parser import HTMLParser

from reaffirm.model.record import Link
from reaffirm.store.reading.outline import Block, Kind, Line


def table_rows(html: str, first: int, table: int) -> list[Block]:
    """Return the rows of the tables in a piece of HTML; ``first`` is its line in the file."""
    reader = _Reader(first, table)
    reader.feed(html)
    return [row for row in reader.rows if row.lines]


class _Reader(HTMLParser):
    def __init__(self, first: int, table: int) -> None:
        super().__init__(convert_charrefs=True)
        self.first = first
        self.table = table
        self.rows: list[Block] = []
        self.cell: Line | None = None
        self.href = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.first + self.getpos()[0] - 1
        if tag == "tr":
            self.rows.append(Block(Kind.ROW, line, [], head=not self.rows, table=self.table))
        elif tag in ("td", "th") and self.rows:
            self.cell = Line("", line)
            self.rows[-1].lines.append(self.cell)
        elif tag == "a":
            self.href = dict(attrs).get("href") or ""
        elif tag == "br" and self.cell is not None:
            self.cell.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self.cell is not None:
            self.cell.text = self.cell.source = self.cell.text.strip()
            self.cell = None
        elif tag == "a":
            self.href = ""

    def handle_data(self, data: str) -> None:
        if self.cell is None:
            return
        if not self.cell.text.strip() and data.strip():
            self.cell.line = self.first + self.getpos()[0] - 1
        self.cell.text += " ".join(data.split()) if data.strip() else " "
        if self.href and data.strip():
            line = self.first + self.getpos()[0] - 1
            self.cell.links = (*self.cell.links, Link(self.href, data.strip(), line))
