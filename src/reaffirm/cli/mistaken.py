"""Claims that are on no board because something is wrong with them."""

import re
from collections.abc import Iterator
from pathlib import Path

from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding
from reaffirm.site.material import Material


def stop_on_mistakes(root: Path, material: Material, claim: str, record: str = "") -> None:
    """Stop when a claim of this id stands in a record and a finding is about it.

    Args:
        root: the folder of the repository.
        material: what was read there.
        claim: the id of the claim.
        record: the id of the only record that is meant.

    Raises:
        DocumentError: naming what is wrong with the claim.
    """
    if found := list(_about(root, material, claim, record)):
        lines = "\n".join(str(one) for one in found)
        msg = f"the claim {claim!r} has a mistake, so nothing decides it:\n{lines}"
        raise DocumentError(msg, hint="correct the record, then check the claim")


def _about(root: Path, material: Material, claim: str, record: str) -> Iterator[Finding]:
    paths = {one.path for one in material.records.records if record in (one.id, one.id.lstrip("0"), "")}
    texts: dict[str, list[str]] = {}
    for finding in material.findings:
        if finding.path not in paths:
            continue
        if finding.path not in texts:
            texts[finding.path] = _lines(root / finding.path)
        if any(finding.line in block for block in _blocks(texts[finding.path], claim)):
            yield finding


def _blocks(lines: list[str], claim: str) -> Iterator[range]:
    """The lines (from 1) of each item of a YAML list that has this id."""
    for at, text in enumerate(lines):
        found = _ID.search(text)
        if found is None or found[1] != claim:
            continue
        first = at
        while first > 0 and not (
            lines[first].lstrip().startswith("-") and _deep(lines[first]) <= found.start()
        ):
            first -= 1
        last = at + 1
        while last < len(lines) and (not lines[last].strip() or _deep(lines[last]) > _deep(lines[first])):
            last += 1
        yield range(first + 1, last + 1)


def _deep(text: str) -> int:
    return len(text) - len(text.lstrip())


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


_ID = re.compile(r"""(?:^|[\s{,-])["']?id["']?\s*:\s*["']?([a-z0-9][a-z0-9-]*)""")
