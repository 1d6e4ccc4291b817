"""What a run rests on, and its files to take away."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from reaffirm.site.raw_table import code_cell, folded, raw_table, text_cell
from reaffirm.site.run_archive import ARCHIVE, FILES
from reaffirm.site.text import UNSEARCHED, code, inline, table
from reaffirm.store.published import PublishedRun
from reaffirm.store.run_view import image_identity

_NAMES = {
    "notebook.ipynb": "the executed notebook",
    "facts.json": "the facts, for programs",
    "recording.jsonl": "every command, answer and time: a replay runs the runbook again from it",
    "provenance.json": "what the run rests on, for programs",
    "machines.toml": "the machine file, without what is secret",
}
_MOST_SAVED = 40
_MOST_NAMED = 4
_HASH = 16
_SAFE = "/:?&=%@+,;~.-_!$*"


def files_section(
    run: PublishedRun, sizes: Mapping[str, int], archive: int, page: str, source: Callable[[str], str]
) -> str:
    """Return the archive of a run and what is in it.

    Args:
        run: the run.
        sizes: bytes of each file that is in the archive, by its path in the folder of the run.
        archive: bytes of the archive; 0: there is none.
        page: the page of the run.
        source: where a file of the repository can be read, by its path; empty where nobody knows.
    """
    main = [name for name in _NAMES if name in run.files or name in sizes]
    saved = [name for name in run.files if "/" in name]
    told = [(name, _NAMES[name]) for name in main]
    told += [(name, "saved by the run") for name in saved[:_MOST_SAVED]]
    rows = [(_file(name, run, sizes, source), what, size_words(sizes.get(name))) for name, what in told]
    if len(saved) > _MOST_SAVED:
        rows.append((f"and {len(saved) - _MOST_SAVED} more", "saved by the run", " "))
    known = any(size.strip() for _, _, size in rows)
    shown = table(("File", "What it is", "Size")[: 2 + known], [row[: 2 + known] for row in rows])
    head = f"## Downloads {{ #{FILES} {UNSEARCHED} }}"
    if not archive:
        return "\n\n".join([head, f"In the repository they lie in {code(run.path)}.", shown])
    here = quote(page.rsplit("/", 1)[-1].removesuffix(".md"))
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{run.runbook}-{run.run}.zip")
    link = f'[{ARCHIVE}]({here}/{ARCHIVE}){{ download="{name}" }}'
    runs, check = code(posixpath.dirname(posixpath.dirname(run.path))), code(f"reaffirm check {run.path}")
    use = f"Unpack it in {runs} of a clone: there {check} runs it again and says what differs."
    but = ", but for what is in the repository only" if set(run.files) - sizes.keys() else ""
    told_of = f"{link} ({size_words(archive)}) holds these files{but}. {use}{_logs(run, saved)}"
    return "\n\n".join([head, told_of, shown])


def _logs(run: PublishedRun, saved: Sequence[str]) -> str:
    """Which logs are among the files of a run that started or removed containers: nobody looks for others."""
    names_of = [fact.name for fact in run.facts]
    launched = any(name.endswith(".engine") and not name.startswith("probe.") for name in names_of)
    if not launched and not any(name.startswith("cleanup.") for name in names_of):
        return ""
    logs = [name for name in saved if name.endswith((".log", ".txt"))]
    names = dict.fromkeys(posixpath.basename(name) for name in logs)
    shown = ", ".join(map(code, list(names)[:_MOST_NAMED])) + (", …" if len(names) > _MOST_NAMED else "")
    here = f"Logs in it: {shown}" if logs else "No log is in it"
    return (
        f" {here}. A run saves those of containers that it removes and of a launch that does not end well; "
        f"what it read of others is in {code('recording.jsonl')}."
    )


def provenance_section(run: PublishedRun) -> str:
    """Return what a run rests on: hashes, machine file, images, versions on the nodes."""
    rows = [(name, value) for name, value in _rests(run.provenance) if value]
    if not rows:
        return ""
    title = f"{len(rows)} thing{'' if len(rows) == 1 else 's'} that this run rests on"
    shown = folded(title, raw_table(("What", "Which"), rows))
    return f"## Provenance {{ #run-provenance }}\n\n{shown}"


def _rests(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    code_of = _mapping(told.get("code"))
    if runbook := told.get("runbook_path") or told.get("runbook"):
        digest = code_of.get("runbook") or told.get("runbook_sha256")
        yield "runbook", f"{code_cell(str(runbook))} {_digest(digest)}"
    for name, digest in sorted(_mapping(code_of.get("own")).items()):
        yield "a file of its own", f"{code_cell(str(name))} {_digest(digest)}"
    for name, digest in sorted(_mapping(told.get("node_programs")).items()):
        yield "program sent to nodes", f"{code_cell(str(name))} {_digest(digest)}"
    engine = _mapping(code_of.get("engine"))
    if engine:
        yield (
            "engine",
            ", ".join(f"{code_cell(str(name))} {_digest(digest)}" for name, digest in sorted(engine.items())),
        )
    file = _mapping(told.get("machine_file"))
    if file:
        yield (
            "machine file",
            f"{code_cell(str(file.get('path') or file.get('name')))} {_digest(file.get('sha256'))}",
        )
    for name, digest in sorted(_mapping(told.get("images")).items()):
        # of an image that is on no registry the probe told the id: then no node told this as a digest
        yield "image that was probed", f"{code_cell(str(name))} {_named(told, str(digest))}"
    for node, images in sorted(_mapping(told.get("node_images")).items()):
        for reference, one in sorted(_mapping(images).items()):
            yield (
                f"image on {text_cell(str(node))}",
                f"{code_cell(str(reference))} {text_cell(image_identity(_mapping(one)))}",
            )
    for key, words in (("node_versions", "versions on"), ("image_versions", "versions in")):
        for where, versions in sorted(_mapping(told.get(key)).items()):
            listed = ", ".join(
                code_cell(f"{name} {value}") for name, value in sorted(_mapping(versions).items())
            )
            yield f"{words} {text_cell(str(where))}", listed
    git = _mapping(told.get("git"))
    if git.get("commit"):
        yield (
            "git commit",
            code_cell(str(git["commit"]))
            + (" with changes that are in no commit" if git.get("dirty") else ""),
        )


def _named(told: Mapping[str, Any], digest: str) -> str:
    """What a probe told of an image, with the word for what it is where a node told both."""
    by_node = _mapping(told.get("node_images"))
    known = [_mapping(one) for images in by_node.values() for one in _mapping(images).values()]
    digests = {str(name).rpartition("@")[2] for one in known for name in one.get("digests") or ()}
    ids = {str(one.get("id", "")).removeprefix("sha256:") for one in known}
    if digest in digests:
        word = "registry digest "
    else:
        word = "image id " if digest.removeprefix("sha256:") in ids else ""
    return f"{word}{code_cell(digest)}"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _digest(value: object) -> str:
    """The beginning of a hash; who needs all of it has the file."""
    return code_cell(f"{str(value)[:_HASH]}…") if value else ""


def _file(name: str, run: PublishedRun, sizes: Mapping[str, int], source: Callable[[str], str]) -> str:
    """The name of a file, as a link where it can be read elsewhere."""
    address = source(f"{run.path}/{name}")
    shown = f"[{inline(name)}]({quote(address, safe=_SAFE)})" if address else code(name)
    return shown if name in sizes else f"{shown} (in the repository only)"


def size_words(count: int | None) -> str:
    """Return a size as people write it; of a file that nobody measured, nothing."""
    if count is None:
        return " "
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
