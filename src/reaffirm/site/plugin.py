"""The MkDocs skin: hands the tree over, nothing more. What pages say is made by pure functions."""

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mkdocs.config import config_options as option
from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel

from reaffirm.site.ahead import render_ahead
from reaffirm.site.blanks import around_article, may_go, without_blanks
from reaffirm.site.diagrams.files import SCRIPT as DIAGRAMS
from reaffirm.site.kept_pages import KeptPages
from reaffirm.site.not_found import SCRIPT as NOT_FOUND
from reaffirm.site.not_found import with_ways_on
from reaffirm.site.policy import Policy
from reaffirm.site.settings import SiteSettings, today
from reaffirm.site.skin import dress, features, loaded_elsewhere, named, templates
from reaffirm.site.static_files import SCRIPT, STYLE, static_files
from reaffirm.site.theme_files import without_unused
from reaffirm.site.tree import Tree, make_tree

_LOG = logging.getLogger("mkdocs.plugins.reaffirm")
_NAME = "reaffirm"


class ReaffirmConfig(Config):  # type: ignore[misc]
    """The settings under ``plugins: - reaffirm`` in mkdocs.yml; paths from the folder of that file.

    ``records`` is a folder or a list of them; without it they are found, as ``reaffirm records`` finds them.
    """

    records = option.Optional(option.Type((str, list)))
    runbooks = option.Type(str, default="runbooks")
    repo = option.Optional(option.Type(str))
    branch = option.Type(str, default="main")
    strict_records = option.Type(bool, default=False)
    csp = option.Optional(option.Type(bool))


class ReaffirmPlugin(BasePlugin[ReaffirmConfig]):  # type: ignore[misc]
    """Publishes records, runbooks and runs."""

    tree: Tree
    policy: Policy | None = None
    serving = False
    kept: KeptPages | None = None

    def on_startup(self, *, command: str, dirty: bool) -> None:
        """Note whether this is a preview: its server puts a script of its own into each page."""
        self.serving = command == "serve"
        self.kept = None if dirty else KeptPages(finished=self.serving)

    @event_priority(100)  # type: ignore[untyped-decorator]
    def on_config(self, config: Any) -> Any:
        """Add the style sheet and the script. Refuse a site on which a log line could run code."""
        macros = config.plugins.get("macros")
        if macros is not None and macros.config.get("render_by_default", True):
            msg = (
                "mkdocs-macros would evaluate {{ }} in the output of runs while the site is built.\n"
                "  next: set 'render_by_default: false' under macros, "
                "and 'render_macros: true' in the pages that need it"
            )
            raise PluginError(msg)
        dress(config)
        made = static_files()
        if STYLE in made and STYLE not in config.extra_css:
            config.extra_css.insert(0, STYLE)
        if SCRIPT in made and SCRIPT not in config.extra_javascript:
            config.extra_javascript.insert(0, SCRIPT)
        self.policy = self._policy(config)
        if self.kept:
            self.kept.begin(config)
        return config

    def _policy(self, config: Any) -> Policy | None:
        """The policy of the pages; none where nobody asks for it."""
        wanted = self.config.csp
        if wanted is False or (wanted is None and not self.config.strict_records):
            return None
        blocked = loaded_elsewhere(config)
        if wanted is None and (blocked or config.theme.name != "material"):
            why = ", ".join(blocked) or f"the theme {config.theme.name!r} is not known to work with one"
            _LOG.info("pages get no Content-Security-Policy: %s; 'csp: true' asks for it all the same", why)
            return None
        for one in blocked:
            _LOG.warning("csp: %s is loaded from elsewhere and will be blocked; have it in docs/", one)
        inline = self.serving or "navigation.instant" in config.theme.get("features", [])
        return Policy([*templates(config.theme), f"<script>{NOT_FOUND}</script>"], inline=inline)

    def on_files(self, files: Files, *, config: Any) -> Files:
        """Let the files be those of the tree, and what other plugins and the theme add."""
        docs = Path(config.docs_dir)
        documentation = {
            file.src_uri: Path(file.abs_src_path)
            for file in files
            if file.generated_by is None and file.src_dir == config.docs_dir and file.inclusion.is_included()
        }
        with _uncollected():
            self.tree = make_tree(self._settings(config, docs), documentation)
        for finding in self.tree.findings:
            _LOG.warning("%s", finding)
        if self.tree.told:
            _LOG.info("%s findings about records are shown on their pages", self.tree.told)
        for uri in self.tree.left_out:
            if (file := files.get_file_from_path(uri)) is not None:
                files.remove(file)
        for uri, page in self.tree.pages.items():
            if not page.written:
                level = InclusionLevel.INCLUDED if page.in_nav else InclusionLevel.NOT_IN_NAV
                self._add(files, File.generated(config, uri, content=page.markdown, inclusion=level))
        for uri, path in self.tree.files.items():
            if documentation.get(uri) != path:
                self._add(files, File.generated(config, uri, abs_src_path=str(path)))
        for uri, made in (*self.tree.texts.items(), *self.tree.archives.items()):
            self._add(files, File.generated(config, uri, content=made))
        if DIAGRAMS in self.tree.texts and DIAGRAMS not in config.extra_javascript:
            config.extra_javascript.append(DIAGRAMS)
        theme, given = config.theme, config.theme.get("features") or ()
        many = features(theme.name, given, nav=config.nav, records=self.tree.records_outside)
        if many != list(given):
            theme["features"] = many
        if config.nav is None:
            config.nav = self.tree.nav([file.src_uri for file in files.documentation_pages()])
        else:
            config.nav = self.tree.moved(config.nav)
        return files

    @staticmethod
    def _add(files: Files, file: File) -> None:
        """Add a file of ours; it takes the place of one with its address."""
        if (known := files.get_file_from_path(file.src_uri)) is not None:
            files.remove(known)
        files.append(file)

    def _settings(self, config: Any, docs: Path) -> SiteSettings:
        root = _root(config)
        edit_uri = config.edit_uri_template or config.edit_uri or ""
        if not config.edit_uri_template and not named(config.config_file_path, "edit_uri"):
            edit_uri = ""  # MkDocs guessed: a branch "master" and a folder "docs"
        return SiteSettings(
            root,
            docs=docs.relative_to(root).as_posix() if docs.is_relative_to(root) else docs.name,
            records=tuple(self._folders(root)),
            runbooks=self.config.runbooks,
            strict=self.config.strict_records,
            repo=config.repo_url or self.config.repo or "",
            branch=self.config.branch,
            edit_uri=edit_uri,
            name=config.site_name,
            address=config.site_url or "",
            directory_urls=config.use_directory_urls,
            today=today(),
        )

    def _folders(self, root: Path) -> list[str]:
        """The folders of records that mkdocs.yml names; none: they are to be found, as ever."""
        named = self.config.records
        folders = [named] if isinstance(named, str) else [str(one) for one in named or ()]
        for folder in folders:
            if not (root / folder).is_dir():
                _LOG.warning("reaffirm: there is no folder %r for records", folder)
        if not folders and self.config.strict_records:
            return ["adrs"]
        return [Path(folder).as_posix() for folder in folders]

    @event_priority(-100)  # type: ignore[untyped-decorator]
    def on_nav(self, nav: Any, *, config: Any, files: Files) -> Any:
        """Make HTML of the pages on all processors; MkDocs uses one."""
        if self.kept:
            render_ahead(self.kept, config, files)
        return nav

    def on_pre_page(self, page: Any, *, config: Any, files: Files) -> Any:
        """Let a page be edited where its true source is."""
        known = self.tree.pages.get(page.file.src_uri)
        if known is not None and (page.file.generated_by == _NAME or page.file.generated_by is None):
            address = self.tree.settings.edit_address(known.source) if known.source else ""
            page.edit_url = address or (page.edit_url if known.written else None)
        return page

    def on_page_read_source(self, *, page: Any, config: Any) -> str | None:
        """Return a page that somebody wrote as the tree has it."""
        known = self.tree.pages.get(page.file.src_uri)
        return known.markdown if known is not None and page.file.generated_by is None else None

    def _rewrite(self, markdown: str, *, page: Any, config: Any, files: Files) -> str:
        """Rewrite links that another plugin put on a page after the tree was made."""
        known = self.tree.pages.get(page.file.src_uri)
        if known is None or not known.written or known.markdown.endswith(markdown):
            return markdown
        plan = self.tree.site.plan
        return plan.map.rewrite(markdown, source=known.source, page=known.uri)

    @event_priority(-100)  # type: ignore[untyped-decorator]
    def _keep(self, markdown: str, *, page: Any, config: Any, files: Files) -> str:
        """Leave nothing to do where a page is what it was."""
        return self.kept.markdown(markdown, page, files) if self.kept else markdown

    on_page_markdown = CombinedEvent(_rewrite, _keep)

    @event_priority(100)  # type: ignore[untyped-decorator]
    def on_page_content(self, html: str, *, page: Any, config: Any, files: Files) -> str:
        """Return what was made of such a page."""
        return self.kept.content(html, page, files) if self.kept else html

    @event_priority(-100)  # type: ignore[untyped-decorator]
    def on_env(self, env: Any, *, config: Any, files: Files) -> Any:
        """Leave out the blanks of Material's templates, and those of its files that nobody asks for.

        Blanks are more than a fifth of each short page. While the site is served, a template has nothing to
        do where the finished page would be what it was.
        """
        without_blanks(env, config.theme)
        without_unused(config, files)
        return self.kept.environment(env, files, config) if self.kept else env

    @event_priority(100)  # type: ignore[untyped-decorator]
    def _before(self, context: Any, *, page: Any, config: Any, nav: Any) -> Any:
        if self.kept:
            self.kept.before_context(page, config)
        return context

    @event_priority(-100)  # type: ignore[untyped-decorator]
    def _after(self, context: Any, *, page: Any, config: Any, nav: Any) -> Any:
        if self.kept:
            self.kept.after_context(page)
        return context

    on_page_context = CombinedEvent(_before, _after)

    @event_priority(-100)  # type: ignore[untyped-decorator]
    def on_post_page(self, output: str, *, page: Any, config: Any) -> str:
        """Leave out blanks and put the policy into a page, after all that others do to it."""
        if output and may_go(config.theme):
            output = around_article(output)
        if output and self.policy:
            output = self.policy.put(output)
        return self.kept.output(output, page) if self.kept else output

    def on_post_build(self, *, config: Any) -> None:
        """Forget the pages that are no more."""
        gc.unfreeze()
        if self.kept:
            self.kept.end()

    @event_priority(-100)  # type: ignore[untyped-decorator]
    def on_post_template(self, output_content: str, *, template_name: str, config: Any) -> str:
        """Put the policy into a page that is made of no Markdown, such as 404.html, and ways on into that."""
        if template_name == "404.html":
            output_content = with_ways_on(
                output_content,
                config.site_url or "",
                self.tree.pages,
                directory_urls=config.use_directory_urls,
            )
        return self.policy.put(output_content) if self.policy else output_content

    def on_serve(self, server: Any, *, config: Any, builder: Any) -> Any:
        """Rebuild when a record or a runbook is saved."""
        root = _root(config)
        for name in (*self.tree.folders, self.config.runbooks):
            if (root / name).is_dir():
                server.watch(str(root / name))
        return server


@contextmanager
def _uncollected() -> Iterator[None]:
    """What is made here stays until the site is built: do not look again and again whether it is garbage."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.freeze()
            gc.enable()


def _root(config: Any) -> Path:
    return Path(config.config_file_path or "mkdocs.yml").absolute().parent
