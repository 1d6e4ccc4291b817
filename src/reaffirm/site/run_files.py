"""What a run rests on, and its files to take away."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from reaffirm.site.raw_table import code_cell, folded, raw_table, text_cell
from reaffirm.site.text import code, inline, table
from reaffirm.store.published import PublishedRun
from reaffirm.store.run_view import image_identity

_NAMES = {
    "notebook.ipynb": "the executed notebook",
    "facts.json": "the facts, for programs",
    "recording.jsonl": "every command, answer and time: a replay runs the runbook again from it",
    "provenance.json": "what the run rests on, for programs",
    "machines.toml": "the machine file, without what is secret",
}
#: What of a run's files is published with the site.
_ON_SITE = (".ipynb", ".jsonl", ".json", ".log", ".txt")
_MOST_SAVED = 40
_HASH = 16


def files_section(run: PublishedRun, sizes: Mapping[str, int], here: str) -> str:
    """Return the files of a run with their sizes.

    Args:
        run: the run.
        sizes: bytes of each file, by its path in the folder of the run.
        here: that folder, relative to the page.
    """
    main = [name for name in _NAMES if name in run.files]
    saved = [name for name in run.files if "/" in name]
    rows = [(_link(name, here), _NAMES[name], _size(sizes.get(name))) for name in main]
    rows += [(_link(name, here), "saved by the run", _size(sizes.get(name))) for name in saved[:_MOST_SAVED]]
    if len(saved) > _MOST_SAVED:
        rows.append((f"and {len(saved) - _MOST_SAVED} more", "in the folder of the run", " "))
    if not rows:
        return ""
    check = code(f"reaffirm check {run.path}")
    again = f"In the repository they lie in {code(run.path)}. {check} runs it again and says what differs."
    return "\n\n".join(["## Downloads { #run-files }", table(("File", "What it is", "Size"), rows), again])


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


def _link(name: str, here: str) -> str:
    if not name.endswith(_ON_SITE):
        return f"{code(name)} (in the repository only)"
    return f"[{inline(name)}]({here}/{quote(name)})"


def _size(count: int | None) -> str:
    """A size as people write it; of a file that nobody measured, nothing."""
    if count is None:
        return " "
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
