"""While a site is served, a page that is what it was is not made again: ``mkdocs serve`` rebuilds every page.

What Markdown made of a page is kept by its text, the files that it may link to and the settings. The finished
page, and what the search knows of it, are kept by all that its template shows: its own content and names, its
neighbours and the whole navigation. A page whose making said anything is made again each time, so that no
warning is heard once only. Nothing outlives the server.
"""

import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, ChoiceLoader, DictLoader
from jinja2.bccache import Bucket

from reaffirm.site.steady import is_steady

#: The template of a page that is there already; it makes nothing.
_NOTHING = "reaffirm-kept-page.html"
#: Plugins that do nothing to a finished page, or to what a template is given, but by what is on the page.
_CALM = frozenset(("search", "material/search", "reaffirm"))


@dataclass(frozen=True)
class _Rendered:
    """What Markdown made of a page."""

    content: str
    toc: Any
    title: str | None
    anchors: set[str] | None
    links: Mapping[str, Mapping[str, str]] | None


@dataclass(frozen=True)
class _Finished:
    """A finished page, and its entries in the search index; None where that is not known."""

    output: str
    entries: tuple[Any, ...] | None


class Ear(logging.Handler):
    """Notes that something was said."""

    heard = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count it."""
        self.heard += 1


class _Templates(BytecodeCache):
    """Templates of the theme as they were compiled, by their names and what they hold."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take what is known; it counts only for the very same text."""
        if bucket.key in self._known:
            bucket.bytecode_from_string(self._known[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep it."""
        self._known[bucket.key] = bucket.bytecode_to_string()


class KeptPages:
    """The pages of one server, from one build to the next; or those of one build that were made ahead.

    ``steady`` is whether Markdown makes of one text always the same.
    """

    def __init__(self, *, finished: bool = True) -> None:
        """Begin with none; ``finished`` is whether finished pages are kept, too."""
        self.steady = False
        self.ear = Ear(logging.INFO)
        self._finishes = finished
        logging.getLogger("mkdocs").addHandler(self.ear)
        self._templates = _Templates()
        self._settings = ""
        self._rendered: dict[str, _Rendered] = {}
        self._finished: dict[str, _Finished] = {}
        self._begin()

    def _begin(self) -> None:
        self._used: set[str] = set()
        self._files = ""
        self._keys: dict[str, str] = {}
        self._page_keys: dict[str, str] = {}
        self._originals: dict[str, Any] = {}
        self._said: dict[str, int] = {}
        self._before: tuple[Any, int] | None = None

    def begin(self, config: Any) -> None:
        """Begin a build. Other settings than those of the last one: everything is made anew."""
        self._begin()
        settings = _settings_of(config)
        if settings != self._settings:
            self._settings = settings
            self._rendered, self._finished = {}, {}
        self.steady = is_steady(config)
        self._calm = self._finishes and self.steady and set(config.plugins) <= _CALM

    def end(self) -> None:
        """Forget the pages that the last build did not have."""
        if not self._finishes:
            logging.getLogger("mkdocs").removeHandler(self.ear)
        self._rendered = {key: one for key, one in self._rendered.items() if key in self._used}
        self._finished = {key: one for key, one in self._finished.items() if key in self._used}

    def markdown(self, markdown: str, page: Any, files: Any) -> str:
        """Take the text of a page; return what there is left to be done by Markdown."""
        if not self.steady:
            return markdown
        self._files = self._files or _hashed(sorted(f"{f.src_uri} {f.url} {f.inclusion}" for f in files))
        uri = page.file.src_uri
        key = self._keys[uri] = _hashed((uri, self._files, markdown))
        self._said[uri] = self.ear.heard
        if key not in self._rendered:
            return markdown
        self._originals[uri] = markdown
        return ""

    def content(self, html: str, page: Any, files: Any) -> str:
        """Return what Markdown made of a page, now or earlier."""
        uri = page.file.src_uri
        if uri not in self._keys:
            return html
        key = self._keys[uri]
        self._used.add(key)
        if uri not in self._originals:
            if self._said[uri] == self.ear.heard:
                self._rendered[key] = _rendered_of(html, page)
            return html
        kept = self._rendered[key]
        page.markdown = self._originals[uri]
        page.toc, page._title_from_render = kept.toc, kept.title
        page.present_anchor_ids = kept.anchors
        page.links_to_anchors = None
        if kept.links is not None:
            page.links_to_anchors = {files.get_file_from_path(to): dict(a) for to, a in kept.links.items()}
        return kept.content

    def given(self, page: Any) -> object:
        """Return what :meth:`take` takes in another process; ``None`` where nothing was kept."""
        key = self._keys.get(page.file.src_uri, "")
        made = self._rendered.get(key)
        return None if made is None else (key, made)

    def take(self, made: object) -> None:
        """Keep what another process made of a page."""
        match made:
            case (str(key), _Rendered() as one):
                self._rendered[key] = one

    def environment(self, env: Any, files: Any, config: Any) -> Any:
        """Give those pages an empty template that are there already. All pages have their content now."""
        if self._finishes:
            env.bytecode_cache = env.bytecode_cache or self._templates
        if not self._calm:
            return env
        env.loader = ChoiceLoader([DictLoader({_NOTHING: ""}), env.loader])
        around = _hashed((_nav_of(config, files), _theme_of(config)))
        for file in files.documentation_pages():
            page = file.page
            if page is None or file.src_uri not in self._keys or "template" in page.meta:
                continue
            key = _hashed((self._keys[file.src_uri], around, *_shown_of(page)))
            self._page_keys[file.src_uri] = key
            self._used.add(key)
            if key in self._finished:
                self._originals[f"meta {file.src_uri}"] = page.meta
                page.meta = {**page.meta, "template": _NOTHING}
        return env

    def before_context(self, page: Any, config: Any) -> None:
        """Let the search have nothing to read on a page that is there already."""
        entries = _entries_of(config)
        self._before = (entries, len(entries)) if entries is not None else None
        uri = page.file.src_uri
        if (meta := self._originals.pop(f"meta {uri}", None)) is not None:
            page.meta = meta
            kept = self._finished[self._page_keys[uri]]
            if kept.entries is not None and entries is not None:
                self._originals[f"content {uri}"] = page.content
                page.content = ""

    def after_context(self, page: Any) -> None:
        """Let the search know of it what it knew."""
        uri = page.file.src_uri
        if (content := self._originals.pop(f"content {uri}", None)) is not None and self._before:
            page.content = content
            entries, size = self._before
            entries[size:] = self._finished[self._page_keys[uri]].entries or ()

    def output(self, output: str, page: Any) -> str:
        """Return the finished page."""
        key = self._page_keys.get(page.file.src_uri)
        if key is None:
            return output
        if key in self._finished:
            return self._finished[key].output
        entries = tuple(self._before[0][self._before[1] :]) if self._before else None
        self._finished[key] = _Finished(output, entries)
        return output


def _rendered_of(html: str, page: Any) -> _Rendered:
    links = page.links_to_anchors
    told = None if links is None else {file.src_uri: dict(anchors) for file, anchors in links.items()}
    return _Rendered(html, page.toc, page._title_from_render, page.present_anchor_ids, told)


def _shown_of(page: Any) -> Iterable[object]:
    """What a template shows of a page itself and of its neighbours."""
    yield from (page.content, page.title, page.url, page.canonical_url, page.edit_url, page.meta)
    for other in (page.previous_page, page.next_page):
        yield (other.title, other.url) if other is not None else None
    yield [one.title for one in page.ancestors]


def _nav_of(config: Any, files: Any) -> list[object]:
    """What a template shows of the other pages: titles and addresses in their order."""
    found: list[object] = []
    for file in files.documentation_pages():
        page = file.page
        if page is not None and not file.inclusion.is_not_in_nav():
            found.append((page.title, page.url, [one.title for one in page.ancestors]))
    return [
        found,
        repr(config.nav),
        repr(config.theme.get("features")),
        sorted(config.extra_css),
        repr(config.extra_javascript),
    ]


def _theme_of(config: Any) -> list[object]:
    """Templates of one's own may be edited while the site is served."""
    custom = config.theme.custom_dir
    paths = sorted(Path(custom).rglob("*")) if custom else []
    return [(str(path), path.stat().st_mtime_ns) for path in paths if path.is_file()]


def _settings_of(config: Any) -> str:
    """All that the site is told, but for objects that are made anew for each build."""
    plugins = [(name, dict(plugin.config)) for name, plugin in config.plugins.items()]
    theme = [(name, config.theme[name]) for name in config.theme]
    others = [(name, value) for name, value in config.items() if name not in ("plugins", "theme")]
    return _hashed((plugins, config.theme.name, theme, others))


def _entries_of(config: Any) -> list[Any] | None:
    """The entries of the search index, where the search plugin has them in a list."""
    plugin = config.plugins.get("material/search") or config.plugins.get("search")
    entries = getattr(getattr(plugin, "search_index", None), "entries", None)
    return entries if isinstance(entries, list) else None


def _hashed(values: Iterable[object]) -> str:
    return hashlib.sha256("\0".join(map(repr, values)).encode("utf-8", "surrogatepass")).hexdigest()
