"""What a run is taken away as: one archive beside its page, and the section of the page that tells of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reaffirm.site.plan import Plan
from reaffirm.site.run_archive import ARCHIVE, IN_ARCHIVE, Contents, archives, bytes_of
from reaffirm.site.run_files import files_section
from reaffirm.site.secrets_told import holds_none
from reaffirm.site.settings import SiteSettings
from reaffirm.store.published import PublishedRun


@dataclass(frozen=True)
class Downloads:
    """The archives of a site by their address, and the section of each run's page.

    ``inside`` are the addresses of the files that are in an archive, and so nowhere else on the site.
    """

    archives: Mapping[str, bytes]
    sections: Mapping[str, str]
    inside: frozenset[str]


def downloads(
    plan: Plan,
    settings: SiteSettings,
    pages: Mapping[str, object],
    files: Mapping[str, Path],
    texts: Mapping[str, str],
) -> Downloads:
    """Return what the runs of a site are taken away as.

    Args:
        plan: the site's.
        settings: what the site is told.
        pages: those that the site has, by address; a run without a page has no archive.
        files: what of the documentation may be published, by address.
        texts: what takes the place of a file in which a secret was found, by address.
    """
    of_run = {page.removesuffix(".md"): run for run, page in _pages(plan) if page in pages}
    held: dict[str, dict[str, Path | str]] = {folder: {} for folder in of_run}
    for uri in (*files, *texts):
        folder = "/".join(uri.split("/", 3)[:3])
        if folder in of_run and uri != folder and uri.endswith(IN_ARCHIVE):
            content = texts[uri] if uri in texts else files[uri]
            held[folder][uri.removeprefix(f"{folder}/")] = content
    full = [folder for folder in held if held[folder]]
    wanted = [Contents(f"{of_run[one].runbook}/{of_run[one].run}", held[one]) for one in full]
    made = dict(zip(full, archives(wanted, clean=holds_none), strict=True))
    sections = {
        f"{folder}.md": files_section(
            of_run[folder],
            dict(_sizes(held[folder])),
            len(made.get(folder, b"")),
            f"{folder}.md",
            _source(settings),
        )
        for folder in held
    }
    inside = frozenset(f"{folder}/{name}" for folder, names in held.items() for name in names)
    return Downloads({f"{folder}/{ARCHIVE}": one for folder, one in made.items()}, sections, inside)


def _pages(plan: Plan) -> Iterator[tuple[PublishedRun, str]]:
    for path, run in plan.published.items():
        yield run, plan.runs[path]


def _sizes(files: Mapping[str, Path | str]) -> Iterator[tuple[str, int]]:
    for name, content in files.items():
        yield name, content.stat().st_size if isinstance(content, Path) else len(bytes_of(content))


def _source(settings: SiteSettings) -> Callable[[str], str]:
    """Where a file can be read: on the forge, or where it would be edited."""
    return lambda path: f"{settings.forge}{path}" if settings.forge else settings.edit_address(path)
