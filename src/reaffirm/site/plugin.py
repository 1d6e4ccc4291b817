"""The MkDocs skin: adds the generated pages, nothing more. What they say is made by pure functions."""

import json
import logging
import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from mkdocs.config import config_options as option
from mkdocs.config.base import Config
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel

from reaffirm.site.assemble import Site, assemble
from reaffirm.site.feed import feed
from reaffirm.site.make_failures import FAILURES, with_failure_head
from reaffirm.site.make_images import IMAGES, with_image_head
from reaffirm.site.make_records import front
from reaffirm.site.skin import dress
from reaffirm.site.static_files import SCRIPT, STYLE, static_files
from reaffirm.site.text import front_matter, inline, title_text

_LOG = logging.getLogger("mkdocs.plugins.reaffirm")
_PUBLISHED = (".ipynb", ".jsonl", ".json", ".log", ".txt")
_DATA = (IMAGES, FAILURES)
_PAGE_FILES = (".schema.json", ".md", ".css", ".js", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico")


class ReaffirmConfig(Config):  # type: ignore[misc]
    """The settings under ``plugins: - reaffirm`` in mkdocs.yml; paths from the folder of that file.

    ``records`` is a folder or a list of them; without it they are found, as ``reaffirm records`` finds them.
    """

    records = option.Optional(option.Type((str, list)))
    runbooks = option.Type(str, default="runbooks")
    branch = option.Type(str, default="main")
    strict_records = option.Type(bool, default=False)


class ReaffirmPlugin(BasePlugin[ReaffirmConfig]):  # type: ignore[misc]
    """Publishes records, runbooks and runs."""

    site: Site
    folders: list[str]

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
        return config

    def on_files(self, files: Files, *, config: Any) -> Files:
        """Add generated pages; leave out of the site what is neither page nor download."""
        root = Path(config.config_file_path or "mkdocs.yml").absolute().parent
        docs = Path(config.docs_dir)
        docs_name = docs.relative_to(root).as_posix() if docs.is_relative_to(root) else docs.name
        forge = f"{config.repo_url.rstrip('/')}/blob/{self.config.branch}/" if config.repo_url else ""
        strict = self.config.strict_records
        self.folders = self._folders(root)
        self.site = assemble(
            root,
            docs=docs_name,
            records=self.folders,
            runbooks=self.config.runbooks,
            forge=forge,
            today=today(),
            strict=strict,
        )
        for finding in self.site.findings:
            _LOG.warning("%s", finding)
        if self.site.told:
            _LOG.info("%s findings about records are shown on their pages", self.site.told)
        self._leave_out(files, docs_name, strict=strict)
        for page in self.site.pages:
            for old in (page.uri, page.uri.removesuffix("index.md") + "README.md"):
                if (known := files.get_file_from_path(old)) is not None:
                    files.remove(known)
            level = InclusionLevel.INCLUDED if page.in_nav else InclusionLevel.NOT_IN_NAV
            files.append(File.generated(config, page.uri, content=page.markdown, inclusion=level))
        if not (files.get_file_from_path("index.md") or files.get_file_from_path("README.md")) and not strict:
            title = title_text(config.site_name)
            text = f"{front_matter(title)}\n# {inline(config.site_name)}\n\n{self.site.home}\n"
            files.append(File.generated(config, "index.md", content=text))
        for uri, path in self.site.assets:
            files.append(File.generated(config, uri, abs_src_path=str(path)))
        for uri, text in self._for_programs(config).items():
            files.append(File.generated(config, uri, content=text))
        for uri, text in static_files().items():
            files.append(File.generated(config, uri, content=text))
        if config.nav is None:
            config.nav = self.site.nav([f.src_uri for f in files.documentation_pages()])
        else:
            shown = {
                path.removeprefix(f"{docs_name}/"): uri
                for path, uri in self.site.plan.map.pages.items()
                if path in self.site.plan.not_again and path.startswith(f"{docs_name}/")
            }
            config.nav = _moved(config.nav, shown)
        return files

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

    def _leave_out(self, files: Files, docs: str, *, strict: bool) -> None:
        """Take out of the site what is shown on a generated page, and what is neither page nor download."""
        shown = self.site.plan.not_again | {
            path for path, uri in self.site.plan.map.pages.items() if uri.startswith("decisions/")
        }
        for file in list(files):
            uri = file.src_uri
            download = uri.startswith("runs/") and uri.endswith(_PUBLISHED)
            # A page to copy, such as failures/_template.md, is none to read.
            template = uri.rsplit("/", 1)[-1].startswith("_") and uri.endswith(".md")
            stray = template or (not download and not uri.endswith(_PAGE_FILES))
            ours = strict or uri.startswith(("runs/", *_DATA))
            if f"{docs}/{uri}" in shown or (ours and stray):
                files.remove(file)

    def _for_programs(self, config: Any) -> dict[str, str]:
        """What other programs read: the board, and the feed of changes."""
        state = self.site.board
        made = {"claims.json": json.dumps(state.as_json(), ensure_ascii=False, indent=1) + "\n"}
        if config.use_directory_urls:
            site = f"{config.site_url.rstrip('/')}/" if config.site_url else ""
            made["feed.xml"] = feed(config.site_name, self.site.changes, site=site, today=state.today)
        return made

    def on_page_markdown(self, markdown: str, *, page: Any, config: Any, files: Files) -> str:
        """Give pages of facts their head, and rewrite links that lead out of the documentation."""
        if page.file.generated_by is not None:
            return markdown
        uri = page.file.src_uri
        text = markdown
        if uri.startswith(IMAGES):
            text = with_image_head(markdown, page.meta)
        elif uri.startswith(FAILURES):
            text = with_failure_head(self.site.plan, uri, markdown, page.meta)
        text = self.site.plan.map.rewrite(text, source=f"{self.site.plan.map.docs}/{uri}", page=uri)
        return front(self.site.plan, text) if page.is_homepage else text

    def on_serve(self, server: Any, *, config: Any, builder: Any) -> Any:
        """Rebuild when a record or a runbook is saved."""
        root = Path(config.config_file_path or "mkdocs.yml").absolute().parent
        for name in (*(self.folders or self.site.plan.folders), self.config.runbooks):
            if (root / name).is_dir():
                server.watch(str(root / name))
        return server


def _moved(nav: Any, shown: Mapping[str, str]) -> Any:
    """A navigation in which each record's file is the page that shows it, and none comes twice."""
    if isinstance(nav, str):
        return shown.get(nav, nav)
    if isinstance(nav, dict):
        return {name: _moved(one, shown) for name, one in nav.items()}
    if isinstance(nav, list):
        moved = [_moved(one, shown) for one in nav]
        return [one for n, one in enumerate(moved) if not isinstance(one, str) or one not in moved[:n]]
    return nav


def today() -> date:
    """Return the day of the board: that of ``SOURCE_DATE_EPOCH`` when set, so that builds can be repeated."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return moment.date()
