"""Secrets in what a site is made of: each is a finding, so that a strict build of it fails."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from reaffirm.lint.secret_allowances import ALLOWED, not_allowed, read_allowances
from reaffirm.lint.secret_scan import Looked, scan
from reaffirm.model.finding import Finding

#: What was found in this process: most files are the same at the next build of a preview.
_READ: dict[tuple[str, int, int], tuple[Finding, ...]] = {}
_MOST_KEPT = 50_000
_NO_TEXT = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico")


def secrets_told(root: Path, paths: Iterable[Path]) -> list[Finding]:
    """Return what looks like a secret in these files, and is not allowed by the repository's own list.

    Args:
        root: the folder of the repository.
        paths: files that are shown on pages, or are copied beside them.

    Raises:
        DocumentError: the list of allowances is damaged.
    """
    found = [one for path in sorted(set(paths)) for one in _of(root, path)]
    if not found:
        return []
    allowed = read_allowances(root / ALLOWED) if (root / ALLOWED).is_file() else ()
    return sorted(set(not_allowed(found, allowed, file=ALLOWED, whole=False)))


def _of(root: Path, path: Path) -> Iterator[Finding]:
    if path.suffix.lower() in _NO_TEXT:
        return
    try:
        about = path.stat()
    except OSError:
        return
    key = (str(path), about.st_mtime_ns, about.st_size)
    if key not in _READ:
        if len(_READ) >= _MOST_KEPT:
            _READ.clear()
        _READ[key] = tuple(scan([path], Looked()))
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    for one in _READ[key]:
        yield Finding(shown, one.line, one.code, one.message, one.hint)
