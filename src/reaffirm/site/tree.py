"""The whole site as data: every page with its source, every file beside them. Nothing is written here."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reaffirm.model.finding import Finding
from reaffirm.site.assemble import Site, assemble
from reaffirm.site.clone_block import with_clone_block
from reaffirm.site.diagrams.files import SCRIPT as DIAGRAMS
from reaffirm.site.diagrams.files import diagram_files
from reaffirm.site.downloads import downloads
from reaffirm.site.hand_written import DATA, ENDINGS, HOME, read_written, shown
from reaffirm.site.navigation import moved, navigation
from reaffirm.site.programs import for_programs
from reaffirm.site.run_archive import IN_ARCHIVE
from reaffirm.site.secrets_masked import Masks
from reaffirm.site.secrets_told import secrets_told
from reaffirm.site.settings import SiteSettings
from reaffirm.site.static_files import SCRIPT, STYLE, static_files
from reaffirm.site.text import front_matter, inline, title_text

_BESIDE = (".schema.json", *ENDINGS, ".css", ".js", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico")


@dataclass(frozen=True)
class TreePage:
    """One page. ``markdown`` has the front matter.

    ``source`` is the file that it shows, from the root of the repository; empty: it is made of many.
    ``written`` is whether that file is this very page, below the folder of the documentation.
    """

    uri: str
    markdown: str
    source: str = ""
    in_nav: bool = True
    written: bool = False


@dataclass(frozen=True)
class Tree:
    """A site: its pages, files that are copied, texts and archives that are made, all by their address.

    ``left_out`` are files of the documentation that are not on the site. ``findings`` are what is wrong;
    ``told`` is the number of those that are shown on pages instead.
    """

    settings: SiteSettings
    site: Site
    pages: Mapping[str, TreePage]
    files: Mapping[str, Path]
    texts: Mapping[str, str]
    archives: Mapping[str, bytes] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()
    told: int = 0
    folders: tuple[str, ...] = field(default=())

    @property
    def styles(self) -> list[str]:
        """The style sheets that each page needs."""
        return [uri for uri in (STYLE,) if uri in self.texts]

    @property
    def scripts(self) -> list[str]:
        """The scripts that each page needs."""
        return [uri for uri in (SCRIPT, DIAGRAMS) if uri in self.texts]

    @property
    def hidden(self) -> frozenset[str]:
        """The pages that are found from others and not from the navigation."""
        return frozenset(uri for uri, page in self.pages.items() if not page.in_nav)

    @property
    def records_outside(self) -> int:
        """How many pages of records are in no navigation."""
        return sum(uri.startswith("decisions/") for uri in self.hidden)

    def nav(self, uris: list[str] | None = None) -> list[Any]:
        """Return a navigation; records are found from their index, runs likewise.

        Args:
            uris: the pages of the site; default: those of this tree.
        """

        def text(uri: str) -> str:
            return self.pages[uri].markdown if uri in self.pages else ""

        return navigation(self.pages if uris is None else uris, self.hidden, text)

    def moved(self, nav: Any) -> Any:
        """Return somebody's navigation in which a record's or a run's file is the page that shows it."""
        plan = self.site.plan
        docs = f"{plan.docs}/"
        again = {
            path.removeprefix(docs): uri.partition("#")[0]
            for path, uri in plan.map.pages.items()
            if (path in plan.not_again or "#" in uri) and path.startswith(docs)
        }
        return moved(nav, again)


def make_tree(settings: SiteSettings, documentation: Mapping[str, Path]) -> Tree:
    """Return the site of a repository.

    Args:
        settings: what it is told.
        documentation: the files below the folder of the documentation that may be published, by their path
            from there.
    """
    site = assemble(
        settings.root,
        docs=settings.docs,
        records=settings.records,
        runbooks=settings.runbooks,
        forge=settings.forge,
        today=settings.today,
        strict=settings.strict,
    )
    pages = {page.uri: TreePage(page.uri, page.markdown, page.source, page.in_nav) for page in site.pages}
    left_out = frozenset(_left_out(site, documentation, pages))
    findings = [*site.findings]
    files: dict[str, Path] = {}
    for uri, path in documentation.items():
        if uri in left_out:
            continue
        if not path.is_file():
            findings.append(
                Finding(f"{settings.docs}/{uri}", 1, "unreadable", "no file, or a link to none", "remove it")
            )
            continue
        if not uri.endswith(ENDINGS):
            files[uri] = path
            continue
        source = f"{settings.docs}/{uri}"
        try:
            text = with_clone_block(shown(site.plan, uri, read_written(path)), settings.repo)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
            findings.append(Finding(source, 1, "unreadable", str(reason), "save the file as UTF-8"))
        else:
            pages[uri] = TreePage(uri, text, source, written=True)
    sources = [settings.root / page.source for page in pages.values() if page.source]
    secrets = secrets_told(settings.root, [*files.values(), *filter(Path.is_file, sources)])
    findings += secrets
    if not settings.strict and not any(uri in pages for uri in HOME):
        head = front_matter(title_text(settings.name))
        pages["index.md"] = TreePage("index.md", f"{head}\n# {inline(settings.name)}\n\n{site.home}\n")
    texts = {**for_programs(site, settings), **diagram_files(page.markdown for page in pages.values())}
    masks = Masks(settings.root, secrets) if secrets else None
    copies = masks.copies(settings.root, files) if masks else {}
    files = {uri: path for uri, path in files.items() if uri not in copies}
    packed = downloads(site.plan, settings, pages, files, copies)
    for uri, section in packed.sections.items():
        pages[uri] = replace(pages[uri], markdown=f"{pages[uri].markdown}\n{section}\n")
    if masks:
        pages, texts = masks.pages(pages), masks.texts(texts) | copies
    files = {uri: path for uri, path in files.items() if uri not in packed.inside}
    texts = {uri: text for uri, text in texts.items() if uri not in packed.inside}
    return Tree(
        settings,
        site,
        pages,
        files | dict(site.assets),
        {**texts, **static_files()},
        packed.archives,
        left_out | copies.keys() | packed.inside,
        tuple(findings),
        site.told,
        site.plan.folders,
    )


def _left_out(site: Site, documentation: Mapping[str, Path], pages: Mapping[str, TreePage]) -> Iterator[str]:
    """What is shown on a generated page, and what is neither page nor download."""
    plan = site.plan
    shown = plan.not_again | {path for path, uri in plan.map.pages.items() if uri.startswith("decisions/")}
    for uri in documentation:
        folder, _, name = uri.rpartition("/")
        index = f"{folder}/index.md" if folder else "index.md"
        replaced = uri in pages or (name == "README.md" and index in pages)
        download = uri.startswith("runs/") and uri.endswith(IN_ARCHIVE)
        # A page to copy, such as failures/_template.md, is none to read.
        template = name.startswith("_") and uri.endswith(".md")
        stray = template or (not download and not uri.endswith(_BESIDE))
        ours = plan.strict or uri.startswith(("runs/", *DATA))
        if replaced or f"{plan.docs}/{uri}" in shown or (ours and stray):
            yield uri
