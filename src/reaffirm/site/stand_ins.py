"""What stood for what in a run: the images as its machines know them, and what was not the thing itself.

A lab reads the registry of an image of its own and serves a model of its own. Evidence that does not say so
would pass for evidence about the image and the model of the record.
"""

from collections.abc import Iterable

from reaffirm.model.evidence import Kind
from reaffirm.model.fact import Fact
from reaffirm.site.report import fact_value
from reaffirm.site.text import code, inline
from reaffirm.store.published import PublishedRun

# Units of facts that say how fast something was.
_TIMES = frozenset({"ns", "us", "µs", "ms", "s", "min", "h"})
#: Where the page of a run tells what stood for what.
STOOD = "run-stood"

_DIGEST = 19  # 'sha256:' and twelve digits, as `docker images` shows them


def images(run: PublishedRun) -> tuple[tuple[str, str], ...]:
    """Return the name and the reference of each image that the run's machine file names."""
    return tuple(run.machines.images.items()) if run.machines else ()


def models(run: PublishedRun) -> tuple[tuple[str, str], ...]:
    """Return each model with the sentence about what stood in its place."""
    found = run.machines.models.items() if run.machines else ()
    return tuple((name, here.stand_in) for name, here in found if here.stand_in)


def notes(run: PublishedRun) -> tuple[tuple[str, str], ...]:
    """Return each engine of which not all ran, with the sentence that says what did."""
    found = run.machines.launch.items() if run.machines else ()
    return tuple((name, here.note) for name, here in found if here.note)


def box_lines(run: PublishedRun) -> tuple[str, ...]:
    """Return Markdown list items for the head of a run's page: of what the run used, and nothing else."""
    seen, stood, partly = _used(run)
    lines = [f"-   image {code(name)} was {code(reference)}" for name, reference in seen]
    lines += [f"-   model {code(name)} was replaced: {inline(text)}" for name, text in stood]
    lines += [f"-   engine {code(name)}, in part: {inline(text)}" for name, text in partly]
    return tuple(lines)


def stood_words(run: PublishedRun, page: str = "") -> str:
    """Return in a few words, with a link to the rest of it, that a run's kind is not all: else empty.

    ``page`` is that of the run, relative to where the words stand; empty: they stand on it.
    """
    seen, stood, partly = _used(run)
    words = [word for word, there in (("a stand-in model", stood), ("an engine in part", partly)) if there]
    if run.kind is not Kind.LAB or not (words or seen):
        return ""
    return f"with {' and '.join(words) or 'images of its own'}: see [what stood for what]({page}#{STOOD})"


_Pairs = tuple[tuple[str, str], ...]


def _used(run: PublishedRun) -> tuple[_Pairs, _Pairs, _Pairs]:
    """The images, the models that were replaced and the engines in part that a run used or looked at.

    Its machine file names more: what is there for other runbooks.
    """
    told = run.provenance
    by_node = told.get("node_images")
    shown = {
        str(one) for node in (by_node.values() if isinstance(by_node, dict) else ()) for one in node or ()
    }
    probed = {str(name) for name in told.get("images") or ()}
    probed |= {fact.name.split(".")[1] for fact in run.facts if fact.name.startswith("probe.")}
    engines = {str(fact.value) for fact in run.facts if fact.name.endswith(".engine")}
    heads = {fact.name.partition(".")[0] for fact in run.facts}
    # preflight looks whether the model is there
    asked = "preflight" in heads or any(_serves(run, head) for head in heads)
    return (
        tuple(one for one in images(run) if one[0] in probed or one[1] in shown),
        models(run) if asked else (),
        tuple(one for one in notes(run) if one[0] in engines),
    )


def behind(run: PublishedRun, facts: Iterable[str]) -> tuple[str, ...]:
    """Return, in Markdown, what the named facts of a run are about: which image, and what stood in.

    A fact of a probe is about one image. A fact of a launch is about the engine whose name the run found
    under the same first word, and about the model.
    """
    names = list(facts)
    known = {fact.name: fact.value for fact in run.facts}
    lines: list[str] = []
    for image in dict.fromkeys(name.split(".")[1] for name in names if name.startswith("probe.")):
        reference = dict(images(run)).get(image, "")
        digest = known.get(f"probe.{image}.digest")
        shown = [code(reference)] if reference else []
        shown += [fact_value(digest[:_DIGEST])] if isinstance(digest, str) else []
        if shown:
            lines.append(f"read in the image {', '.join(shown)}")
    heads = dict.fromkeys(name.partition(".")[0] for name in names)
    partly = dict(notes(run))
    engines = [str(known[f"{head}.engine"]) for head in heads if f"{head}.engine" in known]
    lines += [
        f"ran in part: {inline(partly[engine])}" for engine in dict.fromkeys(engines) if engine in partly
    ]
    if any(_serves(run, head) for head in heads):
        lines += [f"in place of {code(name)}: {inline(text)}" for name, text in models(run)]
    return tuple(lines)


def speed_remark(run: PublishedRun, fact: Fact) -> str:
    """Return what must stand beside a speed or a time that is not one of the model itself; else empty.

    It is the model's when it was asked of a model that served, or is that of a launch whose engine did.
    """
    if fact.value is None or not (fact.unit in _TIMES or fact.unit.endswith("/s")):
        return ""
    head = fact.name.partition(".")[0]
    if not models(run) or not _serves(run, head):
        return ""
    where = ", on CPU" if run.kind is Kind.LAB else ""  # hosts of the lab have no GPU
    return f"of the stand-in model{where}: not comparable"


def _serves(run: PublishedRun, head: str) -> bool:
    """Whether facts under this first word are about a model that served."""
    engine = next((str(fact.value) for fact in run.facts if fact.name == f"{head}.engine"), "")
    return head == "verify" or (bool(engine) and engine not in dict(notes(run)))
