"""Which images a check asks of the machines that it runs on, and for which of them no source is known."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reaffirm.model.claim import Claim
from reaffirm.run.declarations import Declaration
from reaffirm.site.part_runs import PartRun, names_in, part_run, text_of

_ENDING = "_image"
_NODES = "nodes"
#: How the machine files of simulated nodes are called.
SIMULATED = "simulated"


@dataclass(frozen=True)
class AskedImage:
    """An image by the name that runbooks use. ``page`` is its page; ``nowhere``: no source of it is known."""

    name: str
    page: str = ""
    nowhere: bool = False


@dataclass(frozen=True)
class Asked:
    """The parameters of each runbook, whose defaults ask for images, and the images that have a page.

    ``books`` are the texts of the runbooks.
    """

    parameters: Mapping[str, Sequence[Declaration]] = field(default_factory=dict)
    images: Mapping[str, AskedImage] = field(default_factory=dict)
    books: Mapping[str, str] = field(default_factory=dict)

    def of(self, claim: Claim) -> tuple[AskedImage, ...]:
        """Return the images that what decides a claim asks for, in the order of the parameters.

        ``sglang_image`` belongs to the choice ``sglang`` of another parameter, where there is one: it is
        passed over when that has another value.
        """
        if claim.check is None:
            return ()
        declared = self.parameters.get(claim.check.runbook, ())
        values = self._values(claim)
        passed = {
            f"{option}{_ENDING}"
            for one in declared
            for option in one.shape.options
            if option != values[one.name]
        }
        found: dict[str, None] = {}
        for name, value in values.items():
            if name not in passed:
                found |= dict.fromkeys(names_in(value))
        return tuple(self.images[name] for name in found if name in self.images)

    def part(self, claim: Claim) -> PartRun | None:
        """Return the part of the runbook that decides a claim with images whose source is known.

        None where the whole asks for no other image, where no part does without these, or where it cannot be
        told which steps find the facts of the check.
        """
        book = self.books.get(claim.check.runbook) if claim.check else None
        if book is None or not any(one.nowhere for one in self.of(claim)):
            return None
        part = part_run(claim, book, self._values(claim), self.images)
        return part if part and not any(self.images[name].nowhere for name in part.images) else None

    def _values(self, claim: Claim) -> dict[str, object]:
        """The values of the parameters of the runbook that decides a claim, as its check gives them."""
        given = dict(claim.check.parameters) if claim.check else {}
        declared = self.parameters.get(claim.check.runbook, ()) if claim.check else ()
        return {one.name: given.get(one.name, _value(one)) for one in declared}

    def simulated(self, claim: Claim) -> str:
        """Return the simulated nodes that a check is at home on; empty where it is at home elsewhere."""
        declared = self.parameters.get(claim.check.runbook, ()) if claim.check else ()
        value = next((_value(one) for one in declared if one.name == _NODES), None)
        return value if isinstance(value, str) and value.startswith(SIMULATED) else ""


def read_asked(books: Mapping[str, str], images: Iterable[AskedImage]) -> Asked:
    """Return what runbooks ask for.

    Args:
        books: the source of each runbook by its name.
        images: those that have a page.
    """
    parameters = {name: text_of(source).parameters for name, source in books.items()}
    return Asked(parameters, {one.name: one for one in images}, dict(books))


def _value(one: Declaration) -> object:
    """The default of a parameter; None where it is an expression."""
    try:
        return ast.literal_eval(one.default)
    except (ValueError, SyntaxError):
        return None
