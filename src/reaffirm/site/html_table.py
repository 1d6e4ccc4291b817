"""Tables that a library drew as HTML, such as pandas: only the table survives the sanitiser.

No style, no class, no link and no picture stays. An output whose HTML is anything else than a table is shown
as its plain text.
"""

import re

#: An output of more characters is shown as text.
_MOST = 400_000
_TAGS = {
    "table",
    "caption",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "th",
    "td",
    "b",
    "strong",
    "em",
    "i",
    "br",
    "sup",
    "sub",
}
_ATTRIBUTES = {"th": {"colspan", "rowspan", "scope"}, "td": {"colspan", "rowspan"}}
_TABLE = re.compile(r"<table>.*</table>", re.DOTALL)
_HIDDEN = {"script", "style", "svg", "math", "iframe", "object", "template", "noscript", "title", "textarea"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def clean_table(html: str) -> str:
    """Return the table of an output as one line of HTML; empty where it is none."""
    if len(html) > _MOST or "<table" not in html:
        return ""
    import nh3  # a compiled library: loaded by the first page that needs it

    kept = nh3.clean(html, tags=_TAGS, clean_content_tags=_HIDDEN, attributes=_ATTRIBUTES, link_rel=None)
    found = _TABLE.search(re.sub(" {2,}", " ", _CONTROL.sub(" ", kept)))
    if found is None:
        return ""
    # A nested table would not close where this one does; nobody needs one.
    return "" if found[0].count("<table>") > 1 else f'<div class="rf-frame">{found[0]}</div>'
