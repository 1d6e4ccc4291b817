"""Finds the files of records in a repository that nobody has described to us.

Never followed: links to folders, ``.git``, what package managers and builds leave behind, and clones of
other repositories. A file is taken once, however many names it has.
"""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from reaffirm.model.finding import Finding
from reaffirm.model.record import Skipped
from reaffirm.store.reading.naming import SUFFIXES, name_of, neighbour
from reaffirm.store.settings import record_settings

#: Folders that are looked into, and files that are taken; more is a finding.
MAX_FOLDERS = 50_000
MAX_FILES = 50_000
MAX_DEPTH = 200

_FOLDERS = re.compile(
    r"(?:m?adrs?|adl|rfcs?|decisions?"
    r"|(?:architecture|architectural|technical|design)[-_ ]?(?:decisions?|decision[-_ ]?records?)"
    r"|decision[-_ ]?(?:records?|logs?)|arch[-_ ]?decisions?)\Z",
    re.IGNORECASE,
)
_ABOVE = frozenset(("docs", "doc", "architecture", "design"))
# Elsewhere than in those above, folders of these names are only taken with numbered files in them.
_WEAK = re.compile(r"(?:rfcs?|decisions?|adl)\Z", re.IGNORECASE)
_NEVER = frozenset(
    (
        *(
            ".git",
            ".hg",
            ".svn",
            ".bzr",
            "node_modules",
            "bower_components",
            "vendor",
            "third_party",
            "third-party",
        ),
        *(
            "thirdparty",
            "external",
            "site-packages",
            "__pycache__",
            "dist",
            "build",
            "_build",
            "target",
            "out",
        ),
        *(
            "coverage",
            "htmlcov",
            "venv",
            "env",
            "virtualenv",
            ".worktrees",
            "worktrees",
            "testdata",
            "fixtures",
        ),
        *("__fixtures__", "specimens", "snapshots", "tests", "test"),
    )
)
_CLONE = "a clone of another repository"
#: The file that tells of a folder that its pages are made from records elsewhere.
PAGES_MANIFEST = ".reaffirm-pages.json"
_HIDDEN_TAKEN = frozenset((".adr", ".adrs", ".decisions", ".github", ".docs", ".architecture"))
_OTHER_TEXT = frozenset((".txt", ".org", ".textile", ".html", ".htm", ".docx", ".pdf", ".odt", ".ipynb"))
_IMAGES = frozenset(
    (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".drawio", ".puml", ".plantuml", ".mmd", ".ico")
)


@dataclass
class Found:
    """Files to read, by the name that people see, in a stable order; what was passed over; what is wrong."""

    files: dict[str, Path] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[Finding] = field(default_factory=list)


def find_files(paths: list[Path], root: Path) -> Found:
    """Find the files of records below some paths.

    Args:
        paths: files, which are taken as they are, and folders.
        root: names are given from here.
    """
    return _Search(root).run(paths)


class _Search:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.found = Found()
        self.real: dict[str, str] = {}
        self.folders = 0

    def run(self, paths: list[Path]) -> Found:
        for path in paths:
            if _there(path, Path.is_dir):
                self.folder(path)
            else:
                self.take(path, asked=True)
        self.found.files = dict(sorted(self.found.files.items(), key=lambda item: order(item[0])))
        self.found.skipped.sort()
        return self.found

    def folder(self, path: Path) -> None:
        """Take what the folder's settings name, else the usual folders below it, else all that is in it."""
        named = [folder for folder in _configured(path, self.found) if _there(folder, Path.is_dir)]
        called = _FOLDERS.fullmatch(path.name) or _FOLDERS.fullmatch(path.resolve().name)
        # A clone may be called anything: ~/decisions with its adrs/, docs/ and src/ is no folder of records.
        if called and not _there(path / ".git"):
            self.all_of(path)
            return
        usual, others = self.usual(path, named)
        for folder in usual:
            self.all_of(folder)
        if not usual:
            self.all_of(path, strict=True)
        elif _numbered_files(path):
            self.all_of(path, deep=False, strict=True)
        if usual:
            self.leave(usual, others)

    def usual(self, path: Path, named: list[Path]) -> tuple[list[Path], dict[Path, list[str]]]:
        """Return the folders of records, and what else there is that could hold some, by folder."""
        found: list[Path] = []
        others: dict[Path, list[str]] = {}
        for folder, names in self.walk(path, looking=True):
            if any(folder.is_relative_to(other) for other in (*found, *named)):
                continue
            if folder != path and _FOLDERS.fullmatch(folder.name):
                weak = _WEAK.fullmatch(folder.name) and folder.parent.name.lower() not in _ABOVE
                if not weak or any(_is_numbered(name) for name in names) or _below(folder):
                    found.append(folder)
                    continue
            texts = [name for name in names if Path(name).suffix.lower() in SUFFIXES]
            if texts:
                others[folder] = texts
        return list(dict.fromkeys((*named, *found))), others

    def leave(self, usual: list[Path], others: dict[Path, list[str]]) -> None:
        """Name what is not looked at: files beside folders of records, else the folder they are in."""
        left: list[Path] = []
        for folder, names in others.items():
            if any(folder.is_relative_to(other) for other in left):
                continue
            if not any(one.is_relative_to(folder) for one in usual):
                left.append(folder)
                self.found.skipped.append(Skipped(self.shown(folder), "no folder of records"))
                continue
            for name in names:
                shown = self.shown(folder / name)
                if shown not in self.found.files:
                    why = neighbour(shown) or "not in a folder of records"
                    self.found.skipped.append(Skipped(shown, why))

    def walk(self, path: Path, depth: int = 0, *, looking: bool = False) -> Iterator[tuple[Path, list[str]]]:
        """Yield folders with the names of their files; deterministic, bounded, and never through a link.

        A folder that may not be read is a problem; one that nobody called a folder of records
        (``looking`` for those) is only passed over: the data of a database, say.
        """
        self.folders += 1
        if self.folders > MAX_FOLDERS or depth > MAX_DEPTH:
            if self.folders == MAX_FOLDERS + 1 or depth == MAX_DEPTH + 1:
                message = (
                    f"more than {MAX_FOLDERS} folders, or {MAX_DEPTH} levels of them, are not looked through"
                )
                self.problem(path, "too-many", message, "name the folder of the records")
            return
        try:
            with os.scandir(path) as entries:
                items = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            why = f"cannot be read: {error.strerror}"
            if looking and depth and not _FOLDERS.fullmatch(path.name):
                self.found.skipped.append(Skipped(self.shown(path), why))
            else:
                self.problem(path, "unreadable", why, "check its permissions")
            return
        names = [item.name for item in items if not _is_dir(item)]
        yield path, names
        for item in items:
            if item.is_symlink() or not item.is_dir(follow_symlinks=False):
                continue
            below = path / item.name
            if why := self.never(below, item.name):
                if item.name != ".git" and (why == _CLONE or _holds_records(below)):
                    self.found.skipped.append(Skipped(self.shown(below), why))
                continue
            yield from self.walk(below, depth + 1, looking=looking)

    def never(self, folder: Path, name: str) -> str:
        if name.lower() in _NEVER or name.endswith((".egg-info", ".dist-info")):
            return "a folder of tools or of other people's files"
        if name.startswith(".") and name.lower() not in _HIDDEN_TAKEN:
            return "a hidden folder"
        if _there(folder / ".git"):
            return _CLONE
        if _there(folder / PAGES_MANIFEST):
            return "pages that were made of records"
        return ""

    def all_of(self, path: Path, *, deep: bool = True, strict: bool = False) -> None:
        """Take the files of a folder of records; ``strict`` takes only those in a language of records."""
        for folder, names in self.walk(path):
            for name in names:
                self.take(folder / name, strict=strict)
            if not deep:
                return

    def take(self, path: Path, *, asked: bool = False, strict: bool = False) -> None:
        name = self.shown(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            if asked:
                self.problem(path, "unknown-language", f"{suffix or 'no ending'} is no language of records",
                             f"known: {' '.join(SUFFIXES)}")  # fmt: skip
            elif not strict and suffix in _IMAGES:
                self.found.skipped.append(Skipped(name, "a picture"))
            elif not strict and suffix in _OTHER_TEXT:
                self.found.skipped.append(Skipped(name, f"{suffix} is not read"))
            return
        if why := neighbour(name):
            self.found.skipped.append(Skipped(name, why))
            return
        if len(self.found.files) >= MAX_FILES:
            if not any(problem.code == "too-many" for problem in self.found.problems):
                self.problem(path, "too-many", f"more than {MAX_FILES} files are not read", "name a folder")
            return
        if _there(path, Path.is_symlink):
            try:
                target = path.resolve(strict=True)
            except (OSError, RuntimeError):
                self.problem(
                    path, "unreadable", "a link that leads nowhere", "remove it, or mend where it leads"
                )
                return
            if not asked and not target.is_relative_to(self.root.resolve()):
                self.found.skipped.append(Skipped(name, "a link to a file outside"))
                return
        real = os.path.realpath(path)
        if real in self.real and self.real[real] != name:
            self.found.skipped.append(Skipped(name, f"the same file as {self.real[real]}"))
            return
        self.real[real] = name
        self.found.files[name] = path

    def problem(self, path: Path, code: str, message: str, hint: str) -> None:
        self.found.problems.append(Finding(self.shown(path), 1, code, message, hint))

    def shown(self, path: Path) -> str:
        """The path from the root. Whoever prints it has to care for signs that are none of a line."""
        text = (
            os.path.relpath(path, self.root) if path.is_absolute() or self.root != Path() else os.fspath(path)
        )
        if text.startswith(".."):
            text = os.fspath(path)
        return Path(text).as_posix()


def order(name: str) -> tuple[str, int, str]:
    """Folders by name, in each the records by number: 1, 2, 10."""
    ident = name_of(name)
    folder = name.rpartition("/")[0]
    return folder, ident.number if ident.number is not None else 10**9, name


def _there(path: Path, question: Callable[[Path], bool] = Path.exists) -> bool:
    """Ask about a path; what is in a folder that may not be entered is not there."""
    try:
        return question(path)
    except OSError:
        return False


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # links in a circle
        return False


def _is_numbered(name: str) -> bool:
    return Path(name).suffix.lower() in SUFFIXES and name_of(name).number is not None


def _numbered_files(path: Path) -> bool:
    try:
        with os.scandir(path) as entries:
            return sum(_is_numbered(entry.name) for entry in entries if entry.is_file()) >= 2
    except OSError:
        return False


def _holds_records(folder: Path) -> bool:
    """Whether a folder that is passed over has a usual folder in it; only the nearest are looked at."""
    waiting = [folder]
    for _ in range(400):
        if not waiting:
            return False
        here = waiting.pop(0)
        if _FOLDERS.fullmatch(here.name):
            return True
        try:
            with os.scandir(here) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError:
            continue
        waiting += [here / name for name in names[:200]]
    return False


def _below(folder: Path) -> bool:
    """Whether a folder has folders with numbered files: a series per team."""
    try:
        with os.scandir(folder) as entries:
            return any(_numbered_files(folder / e.name) for e in entries if e.is_dir(follow_symlinks=False))
    except OSError:
        return False


def _configured(path: Path, found: Found) -> Iterator[Path]:
    """Folders that the settings of other tools, or of ours, name; nothing outside of the repository."""
    base = path.resolve()
    for name in (*_adr_dir(path), *_log4brains(path), *record_settings(path)):
        folder = (path / name).resolve()
        if folder.is_relative_to(base):
            yield path / os.path.relpath(folder, base)
        else:
            hint = "name it on the command line"
            found.problems.append(Finding(name, 1, "outside", "this folder of records is outside", hint))


def _adr_dir(path: Path) -> Iterator[str]:
    text = _small(path / ".adr-dir")
    if text.strip():
        yield text.strip().split("\n")[0].strip()


def _log4brains(path: Path) -> Iterator[str]:
    for name in (".log4brains.yml", ".log4brains.yaml"):
        text = _small(path / name)
        for match in re.finditer(
            r"^\s*(?:-\s*)?adrFolder:\s*['\"]?([^'\"#\n]+?)['\"]?\s*(?:#.*)?$", text, re.MULTILINE
        ):
            yield match[1]


def _small(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > 200_000:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
