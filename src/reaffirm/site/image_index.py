"""The index of container images: which can serve the model, on what evidence, and how they differ. Pure."""

import posixpath
from collections.abc import Mapping, Sequence

from reaffirm.model.image import ContainerImage
from reaffirm.site.image_facts import Probe
from reaffirm.site.image_page import KNOWN
from reaffirm.site.page import SitePage, day, kind_badge
from reaffirm.site.text import cell, code, front_matter, inline, table

_SIGNS = {True: "**yes**", False: "**no**", None: "*unknown*"}
_NAMES = {"vllm": "vLLM", "sglang": "SGLang"}


def images_index(
    images: Sequence[ContainerImage],
    probes: Mapping[str, Sequence[Probe]],
    runs: Mapping[str, str],
    *,
    uri: str,
    heading: str,
    introduction: str,
    others: Sequence[tuple[str, str]] = (),
    source: str = "",
) -> SitePage:
    """Return the index of all images.

    Args:
        images: those whose page can be read.
        probes: what published runs read in each, the best kind first, by its name.
        runs: the page of each run by the path of its folder.
        uri: where the page will be.
        heading: its title.
        introduction: Markdown; its first section goes before the tables, the others after them.
        others: name and link of pages that could not be read as an image; they may be no pages at all.
        source: the file of the introduction, from the root of the repository.
    """
    folder = posixpath.dirname(uri)
    first, found, rest = introduction.partition("\n## ")
    rows = [(_told(one), _read(probes.get(one.name, ()), runs, folder)) for one in images]
    rows += [(f"[{inline(name)}]({link})" if link else inline(name), "-") for name, link in others]
    parts = [
        f"{front_matter(heading)}\n# {inline(heading)}",
        first,
        *([_serving(rows)] if rows else []),
        _classes(images),
        found.strip("\n") + rest if found else "",
    ]
    return SitePage(uri, heading, "\n\n".join(part for part in parts if part) + "\n", source=source)


def _serving(rows: Sequence[tuple[str, str]]) -> str:
    return "## Which can serve the model\n\n" + table(
        ("Image, as its page tells", "Has the model’s class, as probes read"), tuple(rows)
    )


def _told(image: ContainerImage) -> str:
    engine = _NAMES.get(str(image.engine), str(image.engine))
    known = _known(image, "engine-version")
    badge = f'<span class="rf-badge rf-known">{cell(str(known))}</span>'
    return (
        f"[{inline(image.name)}]({image.name}.md)<br>{cell(f'{engine} {image.engine_version}')} {badge}<br>"
        f'<span class="rf-quiet">{cell(image.platform)}</span>'
    )


def _known(image: ContainerImage, key: str) -> str:
    """How a key is known, in the words of the pages themselves."""
    word = str(image.known(key))
    return KNOWN.get(word, word)


def _read(found: Sequence[Probe], runs: Mapping[str, str], folder: str) -> str:
    """The answer of each kind's newest probe, and why."""
    if not found:
        return "not probed in a published run"
    lines = []
    for one in found:
        run = one.run
        link = (
            f"[run {cell(run.run)}]({posixpath.relpath(runs[run.path], folder)})"
            if run.path in runs
            else cell(run.run)
        )
        answer = one.shown("supports_model") or "*not asked*"
        lines.append(f"{kind_badge(run.kind, run.via)} {answer}: {one.why()} ({day(run.when)}, {link})")
        if one.stood_in:
            lines.append(f'<span class="rf-quiet">{"; ".join(one.stood_in)}</span>')
    return "<br>".join(lines)


def _classes(images: Sequence[ContainerImage]) -> str:
    """The classes in which the images differ, as their pages tell."""
    named = {name for one in images for name in (*one.registry.names, *one.registry.absent)}
    held = {name: [one.registry.has(name) for one in images] for name in named}
    differ = sorted(name for name, answers in held.items() if True in answers and False in answers)
    if len(images) < 2 or not differ:
        return ""
    rows = [(code(name), *(_SIGNS[answer] for answer in held[name])) for name in differ]
    links = [f"[{inline(one.name)}]({one.name}.md)" for one in images]
    known = ", ".join(f"{inline(one.name)}: {_known(one, 'registry')}" for one in images)
    return (
        "## Model classes in which they differ\n\n"
        f"As the pages tell, not as probes read. How that is known: {known}.\n\n"
        f"{table(('Class', *links), rows)}"
    )
