"""Whether Markdown makes of one text always the same: then a page may be kept, or made in another process."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from reaffirm.redact.names import word_set

#: Extensions of these families make of one text always the same; the others are not known to.
_FAMILIES = ("markdown.extensions.", "pymdownx.")
_PLAIN = word_set(
    """
    abbr admonition attr_list codehilite def_list extra fenced_code footnotes legacy_attrs legacy_em
    md_in_html meta nl2br sane_lists smarty tables toc wikilinks
    """
)
#: ... but for those that read other files.
_READS = ("pymdownx.snippets", "pymdownx.b64", "pymdownx.blocks")
#: Functions of these may stand in settings: a fence of one's own may count, or run what it holds.
_FUNCTIONS = ("markdown.", "pymdownx.", "material.")


def is_steady(config: Any) -> bool:
    """Whether nothing in a site's settings is known to make one text into this today and that tomorrow."""
    return (
        not config.hooks
        and all(map(_is_steady, config.markdown_extensions))
        and all(name.startswith(_FUNCTIONS) for name in _modules_in(config.mdx_configs))
    )


def _is_steady(extension: object) -> bool:
    name = str(extension)
    return (name in _PLAIN or name.startswith(_FAMILIES)) and not name.startswith(_READS)


def _modules_in(settings: object) -> Iterator[str]:
    """Where the functions come from that settings of extensions name, each with a full stop behind it."""
    if isinstance(settings, partial):
        settings = settings.func
    if isinstance(settings, Mapping):
        for one in settings.values():
            yield from _modules_in(one)
    elif isinstance(settings, list | tuple):
        for one in settings:
            yield from _modules_in(one)
    elif not isinstance(settings, str | int | float | None):
        yield f"{getattr(settings, '__module__', type(settings).__module__)}."
