"""Secrets in what a site is made of: each is a finding, so that a strict build of it fails.

To look at all that a hundred runs have recorded takes longer than to build their pages. A file in which
nothing was found is known by its hash the next time, for as long as what looks for secrets stays the same.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path

from reaffirm.lint import secret_scan
from reaffirm.lint.secret_allowances import ALLOWED, not_allowed, read_allowances
from reaffirm.lint.secret_scan import Looked, scan
from reaffirm.model.finding import Finding
from reaffirm.redact import known
from reaffirm.site.file_hash import FileKey, file_hash, file_key
from reaffirm.site.together import together
from reaffirm.store.kept import keep, kept

#: What was found in this process: most files are the same at the next build of a preview.
_READ: dict[FileKey, tuple[Finding, ...]] = {}
_MOST_KEPT = 50_000
_NO_TEXT = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico")
_SORT = "without-secrets"
#: Files that a process looks at in one go.
_AT_A_TIME = 6


def secrets_told(root: Path, paths: Iterable[Path]) -> list[Finding]:
    """Return what looks like a secret in these files, and is not allowed by the repository's own list.

    Args:
        root: the folder of the repository.
        paths: files that are shown on pages, or are copied beside them.

    Raises:
        DocumentError: the list of allowances is damaged.
    """
    every = sorted(set(paths))
    clean = _Clean(root)
    _look(every, clean)
    found = [one for path in every for one in _of(root, path)]
    clean.keep()
    if not found:
        return []
    allowed = read_allowances(root / ALLOWED) if (root / ALLOWED).is_file() else ()
    return sorted(set(not_allowed(found, allowed, file=ALLOWED, whole=False)))


def holds_none(path: Path) -> bool:
    """Return whether a file was looked at in this process and nothing in it looks like a secret."""
    key = _key(path)
    return key is not None and _READ.get(key) == ()


class _Clean:
    """The hashes of a repository's files in which nothing was found."""

    def __init__(self, root: Path) -> None:
        self.root = str(root.absolute())
        before = kept(_SORT, self.root, self._maker())
        self.before = frozenset(before) if isinstance(before, (list, tuple)) else frozenset()
        self.now: set[str] = set()

    def has(self, digest: str) -> bool:
        """Whether a file of these bytes is known to hold no secret."""
        if digest in self.before:
            self.now.add(digest)
        return digest in self.now

    def keep(self) -> None:
        """Keep what this build knows, where it is something new."""
        if self.now - self.before:
            keep(_SORT, self.root, self._maker(), sorted(self.now))

    @staticmethod
    def _maker() -> str:
        """What looks: its code, and what this process knows to be secret."""
        about = known()
        own = [*sorted(about.values), *sorted(about.names), *sorted(one.pattern for one in about.patterns)]
        return sha256("\0".join([_code(), *own]).encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _code() -> str:
    package = resources.files("reaffirm.redact")
    texts = [one.read_text("utf-8") for one in sorted(package.iterdir(), key=str) if one.name.endswith(".py")]
    return "\0".join([Path(secret_scan.__file__).read_text(encoding="utf-8"), *texts])


def _look(paths: Iterable[Path], clean: _Clean) -> None:
    """Look at those files of which nothing is known, with all processors."""
    if len(_READ) >= _MOST_KEPT:
        _READ.clear()
    wanted: list[tuple[Path, FileKey, str]] = []
    for path in paths:
        if (key := _key(path)) is None or key in _READ:
            continue
        digest = file_hash(path)
        if digest and clean.has(digest):
            _READ[key] = ()
        else:
            wanted.append((path, key, digest))
    looked = together(lambda at: tuple(scan([wanted[at][0]], Looked())), len(wanted), chunk=_AT_A_TIME)
    for (_, key, digest), found in zip(wanted, looked, strict=True):
        _READ[key] = found
        if digest and not found:
            clean.now.add(digest)


def _of(root: Path, path: Path) -> Iterator[Finding]:
    key = _key(path)
    for one in _READ.get(key, ()) if key else ():
        yield Finding(shown_path(root, path), one.line, one.code, one.message, one.hint)


def _key(path: Path) -> FileKey | None:
    """What a file is known by in this process; ``None`` where there is nothing to read in it."""
    if path.suffix.lower() in _NO_TEXT:
        return None
    return file_key(path)


def shown_path(root: Path, path: Path) -> str:
    """Return a file as findings name it: from the root of the repository, a file elsewhere by its name."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
