"""What probes of published runs read in an image, newest of each kind of evidence. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reaffirm.model.evidence import Kind
from reaffirm.model.fact import Fact
from reaffirm.site.report import fact_value
from reaffirm.site.stand_ins import behind
from reaffirm.site.text import code
from reaffirm.store.published import PublishedRun

_PROBE = "probe"
_DIGEST = 19  # 'sha256:' and twelve digits, as `docker images` shows them
#: What a probe finds, in the order in which it is shown: the fact's last word, and what readers see.
ROWS = (
    ("engine", "Engine"),
    ("vllm_version", "vLLM"),
    ("sglang_version", "SGLang"),
    ("transformers_version", "Transformers"),
    ("torch_version", "PyTorch"),
    ("architecture", "Processor"),
    ("supports_model", "Has the model’s class"),
    ("digest", "Digest"),
)


@dataclass(frozen=True)
class Probe:
    """What one run read in an image, by the last word of each fact."""

    run: PublishedRun
    facts: Mapping[str, Fact]

    def shown(self, word: str) -> str:
        """Return a value as Markdown; empty where the probe did not look for it."""
        fact = self.facts.get(word)
        if fact is None:
            return ""
        if word == "digest" and isinstance(fact.value, str):
            return code(fact.value[:_DIGEST])
        if word == "supports_model" and isinstance(fact.value, bool):
            return "**yes**" if fact.value else "**no**"
        return fact_value(fact.value, fact.unit, fact.by)

    @property
    def stood_in(self) -> tuple[str, ...]:
        """Which image was read, in Markdown."""
        return behind(self.run, [fact.name for fact in self.facts.values()])

    def why(self) -> str:
        """Return what the answer about the model's class rests on."""
        fact = self.facts.get("supports_model")
        value = fact.value if fact else None
        engine = next(
            (f"{name} {self.shown(key)}" for key, name in ROWS[1:3] if key in self.facts), "its engine"
        )
        if value is None:
            return f"the registry of {engine} could not be read to the end"
        return f"its class is {'' if value else 'not '}in the registry of {engine}"


def probes(runs: Iterable[PublishedRun], image: str) -> tuple[Probe, ...]:
    """Return the newest probe of an image for each kind of evidence, the best kind first."""
    newest: dict[Kind, Probe] = {}
    for run in sorted(runs, key=lambda one: (one.when, one.run), reverse=True):
        if run.kind in newest:
            continue
        facts = {
            fact.name.split(".")[2]: fact
            for fact in run.facts
            if fact.name.startswith(f"{_PROBE}.{image}.") and fact.name.count(".") == 2
        }
        if facts:
            newest[run.kind] = Probe(run, facts)
    return tuple(sorted(newest.values(), key=lambda one: one.run.kind.weight, reverse=True))


def names_in(facts: Sequence[str]) -> set[str]:
    """Return the images that facts of probes are about."""
    return {name.split(".")[1] for name in facts if name.startswith(f"{_PROBE}.") and name.count(".") == 2}
