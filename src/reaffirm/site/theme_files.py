"""Leaves out files of Material that no reader's browser asks for.

Maps of its scripts and style sheets are for who debugs the theme. Of the languages of its search the browser
loads those that the search is told of, as the theme's ``search`` worker does.
"""

from collections.abc import Iterator
from typing import Any

_SEARCH = ("material/search", "search")
_LUNR = "assets/javascripts/lunr/"
#: What the worker loads besides for a language that puts no blanks between words.
_SPLITS = {"ja": "tinyseg.js", "hi": "wordcut.js", "th": "wordcut.js"}


def without_unused(config: Any, files: Any) -> None:
    """Take out what Material brings and nobody asks for. Of another theme, and of the site's own, nothing.

    Args:
        config: the settings of MkDocs.
        files: those of the site, with the theme's; nobody may change the search's languages after this.
    """
    theme = config.theme
    if theme.name != "material":
        return
    folders = {str(folder) for folder in theme.dirs} - {str(theme.custom_dir)}
    wanted = None if theme.custom_dir else _languages(config)
    named = {str(one) for one in config.extra_javascript}
    for file in list(files):
        uri = file.src_uri
        if file.generated_by is not None or str(file.src_dir) not in folders or not uri.startswith("assets/"):
            continue
        language = wanted is not None and uri.startswith(_LUNR) and uri.removeprefix(_LUNR) not in wanted
        if uri not in named and (language or uri.endswith((".js.map", ".css.map"))):
            files.remove(file)


def _languages(config: Any) -> frozenset[str] | None:
    """The files of languages that the search worker loads; ``None`` where nobody knows."""
    plugin = next((config.plugins[name] for name in _SEARCH if name in config.plugins), None)
    languages = plugin.config.get("lang") if plugin is not None else None
    if not isinstance(languages, list):
        return None
    return frozenset(_loaded([str(one) for one in languages]))


def _loaded(languages: list[str]) -> Iterator[str]:
    others = [one for one in languages if one != "en"]
    if others or len(languages) > 1:
        yield "min/lunr.stemmer.support.min.js"
    if len(languages) > 1:
        yield "min/lunr.multi.min.js"
    for one in others:
        yield f"min/lunr.{one}.min.js"
        if one in _SPLITS:
            yield _SPLITS[one]
