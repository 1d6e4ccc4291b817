"""The command pages: the whole site as Markdown, for any generator."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from reaffirm.errors import UsageError

_ELSEWHERE = "name a folder of its own, such as build/pages"


def pages(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where the pages go; best one that git ignores.")
    ],
    root: Annotated[
        Path | None,
        typer.Option("--root", help="The repository (default: the nearest with a mkdocs.yml or .git)."),
    ] = None,
    docs: Annotated[
        str, typer.Option("--docs", help="Its documentation (default: as mkdocs.yml has it).")
    ] = "",
    records: Annotated[
        list[str] | None, typer.Option("--records", help="A folder of records; may be given again.")
    ] = None,
    settings: Annotated[
        Path | None,
        typer.Option("--settings", metavar="FILE", help="Also write settings for MkDocs or Zensical."),
    ] = None,
) -> None:
    """Write the whole site as plain Markdown that any generator can build."""
    from reaffirm.site.generator import extensions, settings_text, write_settings
    from reaffirm.site.mkdocs_file import documentation, read_mkdocs
    from reaffirm.site.told import told_settings
    from reaffirm.site.tree import make_tree
    from reaffirm.site.writer import Content, write

    here = _repository(root)
    data = read_mkdocs(here / "mkdocs.yml")
    told = told_settings(here, data, docs=docs, records=tuple(records or ()))
    if docs and not (here / docs).is_dir():
        msg = f"there is no folder {docs!r} for the documentation"
        raise UsageError(msg, hint="--docs names it, from the root of the repository")
    if settings is not None and not settings.absolute().parent.is_dir():
        msg = f"there is no folder {str(settings.parent)!r} for {settings.name}"
        raise UsageError(msg, hint="make the folder, or name another for --settings")
    if settings is not None and settings.is_dir():
        msg = f"{settings} is a folder"
        raise UsageError(msg, hint="name a file for --settings, such as mkdocs.pages.yml")
    _refuse(folder, here, _sources(told.docs, told.records, told.runbooks))
    tree = make_tree(told, documentation(here / told.docs, data))
    _refuse(folder, here, _sources(told.docs, tree.folders, told.runbooks))  # records that were looked for
    texts = {uri: page.markdown for uri, page in tree.pages.items()} | dict(tree.texts)
    files: dict[str, Content] = {**texts, **tree.archives, **tree.files}
    done = write(folder, files)
    for finding in tree.findings:
        typer.echo(str(finding))
    typer.echo(
        f"{folder}: {len(tree.pages)} pages, {len(files) - len(tree.pages)} other files; "
        f"{len(done.written)} written, {len(done.unchanged)} unchanged, {len(done.removed)} removed"
    )
    if tree.told:
        typer.echo(f"{tree.told} findings about records are shown on their pages")
    if settings is not None:
        write_settings(settings, settings_text(tree, folder, settings, data))
        typer.echo(f"to build it: mkdocs build -f {settings}, or zensical build -f {settings}")
    else:
        names = ", ".join(next(iter(one)) if isinstance(one, dict) else str(one) for one in extensions({}))
        added = [
            *(f"{uri} as style sheet" for uri in tree.styles),
            *(f"{uri} as script" for uri in tree.scripts),
        ]
        typer.echo(f"a generator takes {folder} as its documentation, with {', '.join(added)}")
        typer.echo(
            f"and these extensions of Python-Markdown: {names} (--settings FILE writes it down for MkDocs)"
        )
    if tree.findings:
        raise typer.Exit(1)


def _repository(root: Path | None) -> Path:
    """The folder that is named, else the nearest above with settings of a site, else with a history."""
    if root is not None:
        if not root.is_dir():
            msg = f"there is no folder {str(root)!r}"
            raise UsageError(msg, hint="--root names the folder of the repository")
        return root.absolute()
    cwd = Path.cwd()
    for mark in ("mkdocs.yml", ".git"):
        for above in (cwd, *cwd.parents):
            if (above / mark).exists():
                return above
    return cwd


def _sources(docs: str, records: Iterable[str], runbooks: str) -> list[tuple[str, str]]:
    """What is in each folder that a site is made of, with its path from the root of the repository."""
    folders = [("the documentation", docs), *((f"the records in {one}", one) for one in records)]
    return [*folders, (f"the runbooks in {runbooks}", runbooks)]


def _refuse(folder: Path, root: Path, sources: Iterable[tuple[str, str]]) -> None:
    """Pages must not become their own source, nor lie among what people write."""
    try:
        target = folder.resolve()
    except (RuntimeError, OSError, ValueError) as error:  # a link that leads to itself
        msg = f"{folder} is no folder: {error}"
        raise UsageError(msg, hint=_ELSEWHERE) from error
    if ".git" in target.parts:
        msg = f"{folder} is in a folder of git's own"
        raise UsageError(msg, hint=_ELSEWHERE)
    root = root.resolve()
    for name, path in sources:
        one = (root / path).resolve()
        if one == root:
            continue
        if target == one or one in target.parents:
            msg = f"{folder} is in {name}: pages made of it would be read again"
            raise UsageError(msg, hint=_ELSEWHERE)
        if target in one.parents and target != root:
            msg = f"{folder} holds {name}"
            raise UsageError(msg, hint=_ELSEWHERE)
    if target == root or target in root.parents:
        msg = f"{folder} is the repository itself, or holds it"
        raise UsageError(msg, hint=_ELSEWHERE)
    for one in (target, *target.parents):
        if root in one.parents and _is_code(one):
            msg = f"{folder} is in {one.relative_to(root)}, where the code is"
            raise UsageError(msg, hint=_ELSEWHERE)


def _is_code(folder: Path) -> bool:
    """Whether a folder is a Python package, or holds packages, or is a `src` with modules."""
    patterns = ("__init__.py", "*/__init__.py", *(["*.py"] if folder.name == "src" else []))
    return any(next(folder.glob(pattern), None) for pattern in patterns)
