"""Which file of the repository is shown on which page, and which files a page may point at."""

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from reaffirm.site.links import OnDisk
from reaffirm.site.run_archive import FILES, IN_ARCHIVE
from reaffirm.store.records import Records
from reaffirm.store.template import TEMPLATE

#: Where the template of records can be read and copied.
TEMPLATE_URI = "decisions/template.md"
INDEX_URI = "decisions/index.md"
RUNS_INDEX = "runs/index.md"
# A generated index has their place.
_REPLACED = tuple(f"{folder}/README.md" for folder in ("decisions", "runs", "failures", "container-images"))
# A run's folder below that of the documentation: runs/RUNBOOK/RUN.
_DEPTH = 3
_MACHINES = "/machines.toml"
#: Where each claim stands.
STILL_TRUE_URI = "still-true.md"


def page_map(
    root: Path,
    docs: str,
    folders: Sequence[str],
    runbooks: str,
    found: Records,
    uris: Mapping[str, str],
    books: Mapping[str, str],
    runs: Mapping[str, str],
) -> dict[str, str]:
    """Return the pages by the path of the file that they show, some with the place where they tell of it.

    Args:
        root: the folder of the repository.
        docs: its documentation, from the root.
        folders: its folders of records.
        runbooks: its folder of runbooks.
        found: its records.
        uris: page of each record by key.
        books: page of each runbook by name.
        runs: page of each run by the path of its folder.
    """
    pages: dict[str, str] = {}
    for path in sorted((root / docs).rglob("*")):
        if path.is_file() and not path.name.startswith("_"):
            uri = path.relative_to(root / docs).as_posix()
            if path.name == "README.md" and (uri in _REPLACED or path.with_name("index.md").is_file()):
                uri = uri.removesuffix("README.md") + "index.md"
            pages[f"{docs}/{path.relative_to(root / docs).as_posix()}"] = uri
    pages |= {record.path: uris[record.key] for record in reversed(found.records)}
    for folder in folders:
        if folder not in (".", docs):
            pages |= {f"{folder}/README.md": INDEX_URI, folder: INDEX_URI}
        if len(folders) == 1 and (root / folder / TEMPLATE).is_file():
            pages[f"{folder}/{TEMPLATE}"] = TEMPLATE_URI
    pages |= {f"{runbooks}/{name}.py": uri for name, uri in books.items()}
    if (root / runbooks).is_dir() or runs:
        pages |= {runbooks: "runs/index.md", f"{docs}/runs/README.md": "runs/index.md"}
    if books:
        pages |= dict.fromkeys((runbooks, f"{runbooks}/README.md"), "runbooks/index.md")
    if docs != ".":
        pages["README.md"] = pages.get(f"{docs}/README.md", "index.md")
    pages |= dict(_downloads(pages, docs, runs))
    for folder, uri in runs.items():
        pages[folder] = uri
        pages[f"{folder}/notebook.ipynb"] = uri
    return pages


def _downloads(pages: Mapping[str, str], docs: str, runs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The files of runs that are on no page and no file of the site: a link leads to what tells of them."""
    depth = len(docs.split("/")) + _DEPTH
    for path in pages:
        folder = "/".join(path.split("/")[:depth])
        if folder in runs and path.endswith((*IN_ARCHIVE, _MACHINES)):
            yield path, f"{runs[folder]}#{FILES}"


def linked_files(root: Path, docs: str, *, strict: bool) -> Container[str]:
    """Return the files that a record may point at and that are no pages; without ``strict`` all there are."""
    if not strict:
        return OnDisk(root)
    names = {path.name for path in root.glob("*") if path.is_file()}
    names |= {path.relative_to(root).as_posix() for path in (root / docs).rglob("_*.md")}
    for folder in ("src", "scripts", "tests", "benchmarks", "adrs", "runbooks"):
        for path in (root / folder).rglob("*"):
            if "__pycache__" not in path.parts:
                names.add(path.relative_to(root).as_posix())
        if (root / folder).is_dir():
            names.add(folder)
    return frozenset(names)
