"""A repository with many records and runs, made of this project's own specimens under new names.

Of the records most are copies of the two made-up companies' (``tests/foreign``), each copy in a folder of its
own, so that links and ids stay what they are; the others are copies of this project's own, among them those
whose claims are checked by runs. The runs are copies of the published ones under other names.
"""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPANIES = ("quayside", "lumenfield")
_TEXTS = (".ipynb", ".json", ".jsonl", ".toml", ".log", ".txt", ".html", ".svg")
_MKDOCS = """\
site_name: Many records
theme: { name: material, font: false }
plugins:
  - search
  - reaffirm: { records: [%s] }
"""
_INDEX = "# Many records\n\nEverything here is a copy, made to see how long a build takes.\n"


def make_corpus(root: Path, *, records: int = 1_000, claimed: int = 60, runs: int = 100) -> dict[str, int]:
    """Make a repository in an empty folder and return what is in it.

    Args:
        root: the folder.
        records: how many records in all.
        claimed: how many of them have claims, about: copies come by whole folders.
        runs: how many published runs.
    """
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "index.md").write_text(_INDEX, encoding="utf-8")
    shutil.copytree(ROOT / "runbooks", root / "runbooks", ignore=shutil.ignore_patterns("__pycache__"))
    made, with_claims, copy = 0, 0, 0
    folders: list[str] = []
    while with_claims < claimed:
        copy += 1
        folder = root / "decisions" / f"group-{copy:02d}"
        folder.mkdir(parents=True)
        folders.append(folder.relative_to(root).as_posix())
        for path in sorted((ROOT / "adrs").glob("[0-9]*.md")):
            shutil.copy(path, folder)
            made += 1
            with_claims += "\nclaims:\n" in path.read_text(encoding="utf-8")
    copy = 0
    while made < records:
        copy += 1
        name = COMPANIES[copy % len(COMPANIES)]
        company = root / f"company-{copy:02d}"
        shutil.copytree(
            ROOT / "tests" / "foreign" / name, company, ignore=shutil.ignore_patterns("node_modules")
        )
        for folder in sorted({path.parent for path in company.rglob("[0-9]*.*") if _is_record(path)}):
            found = sorted(path for path in folder.iterdir() if _is_record(path))
            for path in found[max(records - made, 0) :]:
                path.unlink()
            made += min(len(found), max(records - made, 0))
            if made_here := [path for path in found if path.exists()]:
                folders.append(made_here[0].parent.relative_to(root).as_posix())
    (root / "mkdocs.yml").write_text(_MKDOCS % ", ".join(dict.fromkeys(folders)), encoding="utf-8")
    return {"records": made, "with_claims": with_claims, "runs": _copy_runs(root / "docs" / "runs", runs)}


def _is_record(path: Path) -> bool:
    return path.is_file() and path.name[:4].isdigit() and path.suffix in (".md", ".rst", ".adoc")


def _copy_runs(target: Path, wanted: int) -> int:
    """Copy published runs under other names until there are enough."""
    sources = sorted(path.parent for path in (ROOT / "docs" / "runs").glob("*/*/notebook.ipynb"))
    for number in range(wanted):
        source = sources[number % len(sources)]
        old = source.name
        # the time of a run is in its name; each copy is a minute older
        new = f"20261129T{number // 60:02d}{number % 60:02d}00Z"
        folder = target / source.parent.name / new
        shutil.copytree(source, folder)
        for path in folder.rglob("*"):
            if path.is_file() and path.suffix in _TEXTS:
                text = path.read_text(encoding="utf-8")
                if old in text:
                    path.write_text(text.replace(old, new), encoding="utf-8")
    return wanted
