"""Markdown in, Markdown out: only what is on the list of known elements survives.

Prose of a notebook or a record is parsed with CommonMark (markdown-it-py) and written again for
Python-Markdown. So raw HTML, attribute lists, admonitions, tabs and whatever else the site's Markdown
understands and the forge does not can never be smuggled in, lists nested by two spaces come out
right, and each link passes the resolver.
"""

import re
from collections.abc import Callable, Collection, Sequence
from urllib.parse import urlsplit

from markdown_it.tree import SyntaxTreeNode

from reaffirm.site.html_pieces import fold_parts, folds_in, partners_in
from reaffirm.site.links import Resolve
from reaffirm.site.prose_words import PARSER, HeadingIds, words_in
from reaffirm.site.raw_html import SIMPLE, HtmlWriter, fold, is_known, tag_of, tree_of
from reaffirm.site.text import attribute, code, escape, fence, indent, own_id, plain

_SUMMARY = re.compile(r"<summary\b[^<>]*>(.*?)</summary\s*>", re.IGNORECASE | re.DOTALL)
# Elements of HTML in each other beyond which tags are words.
_DEEPEST = 30


def rebuild(
    markdown: str,
    resolve: Resolve,
    *,
    deeper: int = 0,
    gone: Callable[[str], str] | None = None,
    reserved: Collection[str] | None = None,
) -> str:
    """Return the same prose, made of nothing but headings, paragraphs, lists, tables and the like.

    Args:
        markdown: CommonMark with tables.
        resolve: what links lead to; a link to nothing becomes its text.
        deeper: by how many levels headings are lowered.
        gone: what of a link is not there, in words that are shown beside it; empty where nothing is.
        reserved: ids that headings must not have. None: headings get theirs from the site's generator.
    """
    tree = SyntaxTreeNode(PARSER.parse(plain(markdown)))
    return _Writer(resolve, deeper, gone, reserved).blocks(tree.children)


class _Writer:
    """Writes a syntax tree as Markdown for Python-Markdown."""

    def __init__(
        self,
        resolve: Resolve,
        deeper: int,
        gone: Callable[[str], str] | None = None,
        reserved: Collection[str] | None = None,
    ) -> None:
        self.resolve = resolve
        self.deeper = deeper
        self.gone = gone
        self.ids = None if reserved is None else HeadingIds(reserved)
        self.html = HtmlWriter(self.link, self.image)
        self.inside = 0

    def blocks(self, nodes: Sequence[SyntaxTreeNode]) -> str:
        parts: list[str] = []
        ends = folds_in(nodes) if self.inside < _DEEPEST else {}
        at = 0
        while at < len(nodes):
            if end := ends.get(at, 0):
                head, tail = fold_parts(nodes[at].content, nodes[end].content)
                self.inside += 1
                parts.append(self.fold(head, nodes[at + 1 : end], tail))
                self.inside -= 1
                at = end
            else:
                parts.append(self.block(nodes[at]))
            at += 1
        return "\n\n".join(part for part in parts if part)

    def fold(self, head: str, inside: Sequence[SyntaxTreeNode], tail: str) -> str:
        """A box of HTML that opens in one block and closes in another, with prose between them."""
        summary = _SUMMARY.search(head)
        title = " ".join(tree_of(summary[1]).text().split()) if summary else ""
        parts = [
            self.raw(_SUMMARY.sub("", head, count=1)),
            self.blocks(inside),
            self.raw(tail),
        ]
        body = "\n\n".join(part for part in parts if part)
        return fold(title, body)

    def raw(self, html: str) -> str:
        """HTML of known elements, written anew; any other is shown as text."""
        if html.startswith("<!--") and "-->" not in html:
            return ""
        return self.html.blocks(tree_of(html).children) if is_known(html) else escape(html.strip())

    def block(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "heading":
                level = min(6, int(node.tag[1:]) + self.deeper)
                mark = f" {{ #{self.ids.next(node)} }}" if self.ids else own_id("".join(words_in(node)))
                return f"{'#' * level} {self.inlines(node).replace(chr(10), ' ')}{mark}"
            case "paragraph":
                return self.inlines(node)
            case "fence" | "code_block":
                language = (
                    node.info.split()[0].lower() if node.type == "fence" and node.info.split() else "text"
                )
                # By this class the script that draws knows a diagram; superfences drops the language.
                return fence(node.content, language, mark="rf-mermaid" if language == "mermaid" else "")
            case "bullet_list" | "ordered_list":
                return self.list(node)
            case "blockquote":
                return "\n".join(f"> {line}".rstrip() for line in self.blocks(node.children).split("\n"))
            case "table":
                return self.table(node)
            case "hr":
                return "---"
            case "html_block":
                return self.raw(node.content.strip())
            case _:
                return self.blocks(node.children) if node.children else escape(node.content)

    def list(self, node: SyntaxTreeNode) -> str:
        start = int(node.attrs.get("start", 1))
        tight = all(
            child.hidden for item in node.children for child in item.children if child.type == "paragraph"
        )
        items = []
        for number, item in enumerate(node.children, start):
            mark = "-   " if node.type == "bullet_list" else f"{number}.".ljust(4)
            parts = [self.block(child) for child in item.children]
            simple = tight and all(
                c.type in ("paragraph", "bullet_list", "ordered_list") for c in item.children
            )
            body = ("\n" if simple else "\n\n").join(part for part in parts if part)
            items.append(mark + indent(body).lstrip(" "))
        return ("\n" if tight else "\n\n").join(items)

    def table(self, node: SyntaxTreeNode) -> str:
        rows = [
            [self.inlines(cell).replace("\n", " ").replace("|", "&#124;") for cell in row.children]
            for part in node.children
            for row in part.children
        ]
        if not rows:
            return ""
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])

    def inlines(self, node: SyntaxTreeNode) -> str:
        content = next((child for child in node.children if child.type == "inline"), None)
        text = self.line(content.children) if content else ""
        # Escaping sees each piece alone; a sign at the start of a line may be a piece's first.
        return "\n".join(line.strip() for line in text.split("\n"))

    def line(self, nodes: Sequence[SyntaxTreeNode]) -> str:
        """Pieces of a paragraph; elements of HTML are pairs of pieces, with others between them."""
        parts: list[str] = []
        ends = partners_in(nodes) if self.inside < _DEEPEST else {}
        at = 0
        while at < len(nodes):
            node = nodes[at]
            end = ends.get(at, 0)
            if end:
                self.inside += 1
                parts.append(self.element(node.content, self.line(nodes[at + 1 : end])))
                self.inside -= 1
                at = end
            else:
                parts.append(self.inline(node))
            at += 1
        return "".join(parts)

    def element(self, token: str, inside: str) -> str:
        """An element of HTML in a line, of which :func:`partners_in` knew both ends."""
        name, attributes, _ = tag_of(token) or ("", {}, False)
        if name == "a" and (href := attributes.get("href", "")):
            return self.link(inside, href)
        if name == "code" and inside.strip():
            return f"<code>{inside}</code>"
        return f"<{SIMPLE[name]}>{inside}</{SIMPLE[name]}>" if name in SIMPLE and inside.strip() else inside

    def link(self, inside: str, href: str) -> str:
        target = self.resolve(href)
        return (f"[{inside}]({target})" if target and inside else inside) + self.mark(href)

    def image(self, words: str, source: str, *, linked: bool = False) -> str:
        """A picture of the repository. One that is elsewhere is not loaded: its address is shown."""
        target = self.resolve(source)
        alt = escape(" ".join(plain(words).split()))
        if not target or target.startswith("mailto:") or (linked and "://" in target):
            return alt + self.mark(source)
        if "://" in target:
            elsewhere = f"<small>(a picture at {escape(urlsplit(target).netloc)})</small>"
            return f"[{alt or escape(target)}]({target}) {elsewhere}"
        return f"![{alt}]({target})" + self.mark(source)

    def inline(self, node: SyntaxTreeNode) -> str:
        inside = self.line(node.children)
        match node.type:
            case "text":
                return escape(node.content)
            case "code_inline":
                return code(node.content)
            case "softbreak":
                return "\n"
            case "hardbreak":
                return "<br>\n"
            case "strong" | "em" | "s":
                return f"<{node.tag}>{inside}</{node.tag}>" if inside else ""
            case "link":
                return self.link(inside, str(node.attrs.get("href", "")))
            case "image":
                linked = node.parent is not None and node.parent.type == "link"
                return self.image(" ".join(words_in(node)), str(node.attrs.get("src", "")), linked=linked)
            case "html_inline":
                return self.alone(node.content)
            case _:
                return inside or escape(node.content)

    def alone(self, token: str) -> str:
        """A tag without a partner. One that needs one is no element but a word: ``<title>``."""
        if token.startswith("<!--"):
            return ""
        name, attributes, _ = tag_of(token) or ("", {}, False)
        if name == "br":
            return "<br>\n"
        if name == "img" and attributes.get("src"):
            return self.image(attributes.get("alt", ""), attributes["src"])
        return "" if name == "wbr" else escape(token)

    def mark(self, target: str) -> str:
        """What is missing behind a link, as a small sign."""
        missing = self.gone(target) if self.gone else ""
        return not_there(target, missing) if missing else ""


def not_there(target: str, missing: str) -> str:
    """Return the sign beside words that were a link: what is missing; its hint names the target."""
    hint = attribute(target).replace("`", "&#96;").replace("*", "&#42;").replace("_", "&#95;")
    hint = hint.replace("[", "&#91;").replace("]", "&#93;").replace("|", "&#124;").replace("\\", "&#92;")
    return f' <span class="rf-gone" title="{hint}">{missing}</span>'
