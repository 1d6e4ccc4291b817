"""Reads the ``claims`` of a record's front matter. What is wrong becomes a finding with its line.

The format is told in ``docs/reference/claims.md`` and shown in ``adrs/0000-template.md``.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from reaffirm.model.claim import Check, Claim, ClaimKind, Condition, Expectation, Expected, Operand, Operator
from reaffirm.model.evidence import Kind
from reaffirm.model.finding import Finding
from reaffirm.store.field_reader import FieldReader, Path, meant
from reaffirm.store.frontmatter import Page
from reaffirm.store.operands import operand_problem, type_of

_CLAIM_KEYS = (
    "id",
    "says",
    "kind",
    "rivals",
    "told-by",
    "needs",
    "check",
    "recheck-after",
    "decision-expects",
)
_CHECK_KEYS = ("runbook", "with", "given", "fact", "expect", "all")
_CONDITION_KEYS = ("fact", "expect")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_FACT = re.compile(r"[a-z][a-z0-9_]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)+\Z")
_AGE = re.compile(r"(\d+)\s*(day|week|month|year)s?\Z")
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


def read_claims(page: Page) -> tuple[tuple[Claim, ...], tuple[Finding, ...]]:
    """Return the claims of a record and what is wrong with them.

    A claim with a finding that changes its meaning is left out: a wrong check must not decide.
    """
    reader = ClaimReader(page)
    claims = tuple(reader.claims())
    return claims, tuple(sorted(reader.findings))


class ClaimReader(FieldReader):
    """Reads the claims of one page."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.ids: tuple[str, ...] = ()

    def claims(self) -> Iterable[Claim]:
        """Yield the claims without a mistake, in order."""
        data = self.page.data.get("claims")
        if data is None:
            return
        if not isinstance(data, list):
            self.wrong(
                ("claims",),
                "claims-shape",
                f"'claims' must be a list, got {type_of(data)}",
                "begin each claim with '- id:'",
            )
            return
        seen: dict[str, int] = {}
        self.ids = tuple(str(item["id"]) for item in data if isinstance(item, dict) and "id" in item)
        for index, item in enumerate(data):
            path: Path = ("claims", index)
            before = len(self.findings)
            claim = self.claim(item, path)
            if claim is None or len(self.findings) > before:
                continue
            if claim.id in seen:
                self.wrong(
                    (*path, "id"),
                    "claim-duplicate",
                    f"the id {claim.id!r} was used in line {seen[claim.id]}",
                    "give it an id of its own",
                )
                continue
            seen[claim.id] = claim.line
            yield claim

    def claim(self, item: Any, path: Path) -> Claim | None:
        """Read one claim; what is wrong with it is noted."""
        if not isinstance(item, dict):
            self.wrong(
                path,
                "claim-shape",
                f"a claim must be 'key: value' lines, got {type_of(item)}",
                "begin it with '- id:'",
            )
            return None
        self.keys(item, _CLAIM_KEYS, path, "claim-key", "a claim")
        claim_id = self.text(item, "id", path, required=True)
        if claim_id and not _ID.match(claim_id):
            self.wrong(
                (*path, "id"), "claim-id", f"an id is lower-case words joined by dashes, got {claim_id!r}"
            )
        says = self.text(item, "says", path, required=True)
        kind = self.word(item, "kind", path, ClaimKind, ClaimKind.CLAIM)
        rivals = self.texts(item, "rivals", path)
        if rivals and kind is not ClaimKind.HYPOTHESIS:
            self.wrong(
                (*path, "rivals"), "claim-rivals", "only a hypothesis has rivals", "add 'kind: hypothesis'"
            )
        for rival in rivals:
            if rival not in self.ids:
                message = f"there is no claim {rival!r} in this record"
                self.wrong((*path, "rivals"), "claim-rival", message, meant(rival, self.ids))
        return Claim(
            id=claim_id,
            says=says,
            kind=kind,
            rivals=rivals,
            told_by=self.text(item, "told-by", path),
            needs=self.word(item, "needs", path, Kind, Kind.REAL),
            check=self.check(item, path),
            recheck_after=self.age(item, path),
            path=self.page.path,
            line=self.page.at(*path),
            expected=self.word(item, "decision-expects", path, Expected, Expected.AFFIRMED),
        )

    def check(self, item: Mapping[str, Any], path: Path) -> Check | None:
        """Read the check of a claim; None where there is none or it has a mistake."""
        if "check" not in item:
            return None
        check, path = item["check"], (*path, "check")
        if not isinstance(check, dict):
            self.wrong(
                path,
                "check-shape",
                f"a check must be 'runbook', 'fact' and 'expect', got {type_of(check)}",
            )
            return None
        self.keys(check, _CHECK_KEYS, path, "check-key", "a check")
        runbook = self.text(check, "runbook", path, required=True)
        line = self.page.at(*path, "runbook")
        parameters = self.parameters(check, path)
        given = self.conditions(check, "given", path) if "given" in check else ()
        if ("all" in check) == ("fact" in check or "expect" in check):
            self.wrong(
                path, "check-shape", "a check has either 'fact' and 'expect', or 'all' with a list of them"
            )
            return None
        if "all" not in check:
            condition = self.condition(check, path)
            return Check(runbook, (condition,), line, parameters, given) if condition else None
        return Check(runbook, self.conditions(check, "all", path), line, parameters, given)

    def conditions(self, check: Mapping[str, Any], key: str, path: Path) -> tuple[Condition, ...]:
        """Read a list of facts and what each must be."""
        items, path = check[key], (*path, key)
        if not isinstance(items, list) or not items:
            got = type_of(items) if items else "nothing"
            self.wrong(path, "check-shape", f"{key!r} must be a list of 'fact' and 'expect', got {got}")
            return ()
        found = []
        for index, one in enumerate(items):
            here: Path = (*path, index)
            if not isinstance(one, dict):
                message = f"each item of {key!r} is 'fact' and 'expect', got {type_of(one)}"
                self.wrong(here, "check-shape", message)
                continue
            self.keys(one, _CONDITION_KEYS, here, "check-key", "a condition")
            found.append(self.condition(one, here))
        return tuple(condition for condition in found if condition)

    def parameters(
        self, check: Mapping[str, Any], path: Path
    ) -> tuple[tuple[str, bool | int | float | str], ...]:
        """Read with which parameters the runbook decides the claim."""
        given, here = check.get("with", {}), (*path, "with")
        hint = "write 'with: {boots: 3}'"
        if not isinstance(given, dict):
            self.wrong(
                here, "check-with", f"'with' must be names with a value each, got {type_of(given)}", hint
            )
            return ()
        for name, value in given.items():
            if not isinstance(name, str) or not (name.isascii() and name.isidentifier()):
                self.wrong(here, "check-with", f"no parameter is called {name!r}", hint)
            elif not isinstance(value, bool | int | float | str):
                told = (
                    f"the parameter {name!r} must be a text, a number, or true or false, got {type_of(value)}"
                )
                self.wrong((*here, name), "check-with", told, hint)
        return tuple(given.items())

    def condition(self, item: Mapping[str, Any], path: Path) -> Condition | None:
        """Read one fact and what it must be."""
        fact = self.text(item, "fact", path, required=True)
        if fact and not _FACT.match(fact):
            self.wrong(
                (*path, "fact"),
                "fact-name",
                f"a fact's name is dotted words, got {fact!r}",
                "names are listed in docs/reference/facts.md",
            )
        if "expect" not in item:
            self.wrong(
                path, "expect-missing", "the check does not say what to expect", "add 'expect: {equals: …}'"
            )
            return None
        expect = self.expectation(item["expect"], (*path, "expect"))
        return Condition(fact, expect, self.page.at(*path, "fact")) if expect else None

    def expectation(self, data: Any, path: Path) -> Expectation | None:
        """Read what a fact must be."""
        words = [str(operator) for operator in Operator]
        if not isinstance(data, dict):
            self.wrong(
                path,
                "expect-shape",
                f"an expectation is an operator and a value, got {type_of(data)}",
                "write 'expect: {equals: …}'",
            )
            return None
        terms: dict[Operator, Operand] = {}
        for key, value in data.items():
            if key == "unit":
                continue
            if key not in words:
                self.wrong((*path, key), "expect-operator", f"unknown operator {key!r}", meant(key, words))
                continue
            operator = Operator(key)
            if problem := operand_problem(operator, value):
                self.wrong((*path, key), "expect-value", problem)
                continue
            terms[operator] = tuple(value) if isinstance(value, list) else value
        unit = self.text(data, "unit", path)
        if not terms:
            if not any(f.line == self.page.at(*path) for f in self.findings):
                self.wrong(path, "expect-shape", "nothing is expected", f"use one of {', '.join(words)}")
            return None
        return Expectation(terms, unit)

    def age(self, item: Mapping[str, Any], path: Path) -> int | None:
        """Read ``recheck-after`` as days."""
        if "recheck-after" not in item:
            return None
        value = item["recheck-after"]
        match = _AGE.match(value.strip()) if isinstance(value, str) else None
        if not match or int(match[1]) < 1:
            self.wrong(
                (*path, "recheck-after"),
                "claim-age",
                f"'recheck-after' must be such as '90 days', got {value!r}",
                "days, weeks, months and years are understood",
            )
            return None
        return int(match[1]) * _DAYS[match[2]]
