"""Whether the check of a claim can ever find what it names. Pure: vocabularies in, findings out.

A misspelt runbook or fact would leave its claim ``told`` for ever, another unit than the fact has
``unknown``, and nobody would notice.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches

from reaffirm.model.claim import Claim, Condition, Evidence
from reaffirm.model.finding import Finding
from reaffirm.model.record import Record
from reaffirm.model.vocabulary import DocumentedFact, RunbookWords


class Vocabulary:
    """Everything that a check may name."""

    def __init__(
        self,
        runbooks: Mapping[str, RunbookWords],
        documented: Iterable[DocumentedFact] = (),
        evidence: Iterable[Evidence] = (),
        images: Iterable[str] = (),
    ) -> None:
        """Take what was read.

        Args:
            runbooks: what the source of each runbook tells, by its name.
            documented: the facts of steps.
            evidence: the facts of published runs.
            images: names of container images.
        """
        self._runbooks = runbooks
        self._documented = tuple(documented)
        self._images = tuple(images)
        self._published: dict[str, set[str]] = {}
        self._now: dict[str, set[str]] = {}
        self._units: dict[tuple[str, str], set[str]] = {}
        self._units_now: dict[tuple[str, str], set[str]] = {}
        for one in evidence:
            self._published.setdefault(one.runbook, set()).add(one.fact)
            if one.value is not None:
                self._units.setdefault((one.runbook, one.fact), set()).add(one.unit)
                if not one.changed:
                    self._units_now.setdefault((one.runbook, one.fact), set()).add(one.unit)
            if one.whole and not one.changed:
                self._now.setdefault(one.runbook, set()).add(one.fact)

    def findings(self, claim: Claim) -> tuple[Finding, ...]:
        """Return what is wrong with the names in a claim's check; a claim without a check has no mistake."""
        if claim.check is None:
            return ()
        check = claim.check
        if check.runbook not in self._runbooks:
            near = get_close_matches(check.runbook, self._runbooks, n=1)
            known = ", ".join(self._runbooks) or "none yet"
            hint = f"did you mean {near[0]!r}?" if near else f"runbooks here: {known}"
            message = f"there is no runbook {check.runbook!r}"
            return (Finding(claim.path, check.line or claim.line, "check-runbook", message, hint),)
        found = []
        for condition in check.named:
            line = condition.line or claim.line
            problem = self._unknown(check.runbook, condition.fact)
            if problem is not None:
                message = f"no run of {check.runbook} finds the fact {condition.fact!r}"
                found.append(Finding(claim.path, line, "check-fact", message, problem))
            elif unit := self._other_unit(check.runbook, condition):
                wanted = condition.expect.unit
                message = (
                    f"{check.runbook} finds {condition.fact} in {unit}, and the check asks for {wanted!r}"
                )
                hint = "nothing is converted: give the number in the unit of the fact, and that unit"
                found.append(Finding(claim.path, line, "check-unit", message, hint))
        return tuple(found)

    def _other_unit(self, runbook: str, condition: Condition) -> str:
        """Return in which units a fact is found, where the one that is asked for is none of them."""
        wanted, fact, words = condition.expect.unit, condition.fact, self._runbooks[runbook]
        if not wanted:
            return ""
        known = set(self._units_now.get((runbook, fact), ()))
        if fact in words.units:
            known.add(words.units[fact])
        elif fact not in words.names:
            known |= {
                one.unit
                for one in self._documented
                if any(one.pattern(head).fullmatch(fact) for head in self._heads(one, words))
            }
        # Of a run before the runbook was changed nobody knows whether its unit still holds.
        if not known or wanted in known | self._units.get((runbook, fact), set()):
            return ""
        return " or ".join(repr(unit) if unit else "no unit" for unit in sorted(known))

    def _unknown(self, runbook: str, fact: str) -> str | None:
        """Return what to do about a fact that nothing tells of; None where it is known."""
        words = self._runbooks[runbook]
        published = self._published.get(runbook, set())
        if fact in published or fact in words.names or words.open:
            return None
        if any(re.fullmatch(p, fact) for p in words.patterns):
            return None
        head = fact.partition(".")[0]
        if head in words.heads:
            return self._own(runbook, fact, head)
        for one in self._documented:
            if any(one.pattern(head).fullmatch(fact) for head in self._heads(one, words)):
                return self._image(one, fact, words)
        near = get_close_matches(fact, [*self._names(words), *words.names, *published], n=1, cutoff=0.8)
        if near:
            return f"did you mean {near[0]!r}?"
        return "docs/reference/facts.md lists those of the steps; a runbook's own is noted with reaffirm.fact"

    def _own(self, runbook: str, fact: str, head: str) -> str | None:
        """Only running it tells the facts of a step of one's own: whole runs of the runbook as it is now."""
        found = sorted(name for name in self._now.get(runbook, ()) if name.partition(".")[0] == head)
        if not found:
            return None
        folded = {name.casefold(): name for name in found}
        near = get_close_matches(fact.casefold(), folded, n=1, cutoff=0.8)
        if near:
            return f"did you mean {folded[near[0]]!r}?"
        return f"its published runs find {', '.join(found)}; if the step is new to this fact, publish a run"

    def _image(self, one: DocumentedFact, fact: str, words: RunbookWords) -> str | None:
        """A name of an image may be anybody's; one that nearly is that of a known image is a slip."""
        if "<image>" not in one.name:
            return None
        image = re.fullmatch(re.escape(one.name).replace("<image>", "(.+)"), fact)
        known = self._known_images(words)
        if image is None or image[1] in known:
            return None
        near = get_close_matches(image[1], sorted(known), n=1, cutoff=0.85)
        if not near:
            return None
        meant = one.name.replace("<image>", near[0])
        return f"did you mean {meant!r}? An image of its own has a page in docs/container-images"

    @staticmethod
    def _heads(one: DocumentedFact, words: RunbookWords) -> set[str]:
        return {one.head, *words.prefixes.get(one.step, ())}

    def _known_images(self, words: RunbookWords) -> set[str]:
        texts = [text for text in words.texts if len(text) < 100 and " " not in text]
        return {re.sub(r"[^A-Za-z0-9_-]", "-", text) for text in (*self._images, *texts)}

    def _names(self, words: RunbookWords) -> list[str]:
        names = [f"{head}.{one.tail}" for one in self._documented for head in self._heads(one, words)]
        images = sorted(self._known_images(words))
        return [name.replace("<image>", image) for name in names for image in images or ["<image>"]]


def without_mistakes(record: Record, findings: Iterable[Finding]) -> Record:
    """Return the record without the claims that a finding is about: a wrong check must not decide."""
    wrong = {finding.line for finding in findings if finding.path == record.path}
    kept = tuple(claim for claim in record.claims if not _lines(claim) & wrong)
    return replace(record, claims=kept)


def _lines(claim: Claim) -> set[int]:
    if claim.check is None:
        return set()
    return {claim.check.line or claim.line, *(c.line or claim.line for c in claim.check.named)}
