"""Container images: which engine and versions one holds, and how well each of those is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from reaffirm.model.node import Engine

#: What a page says under ``get-from`` where nobody knows.
NOWHERE = "unknown"


class Support(StrEnum):
    """How a value on an image's page is known, from strongest to weakest."""

    SEEN = "seen"  # read in the image itself by one of our runs
    VERIFIED = "verified"  # read in the released package of that version, not in the image
    REPORTED = "reported"  # somebody says so in public
    INFERRED = "inferred"  # follows from something else that is known
    UNVERIFIED = "unverified"  # named somewhere, and nobody could look
    MADE_UP = "made-up"  # filled in so that a simulated node has a value


@dataclass(frozen=True)
class Registry:
    """The model classes that an image's engine knows.

    ``names`` may be an excerpt: ``count`` is then the length of the whole registry, or ``None`` where
    nobody counted. ``absent`` are classes that are known not to be in it.
    """

    names: tuple[str, ...] = ()
    count: int | None = None
    absent: tuple[str, ...] = ()

    def has(self, architecture: str) -> bool | None:
        """Whether the exact class is there; ``None`` where an excerpt cannot tell."""
        if architecture in self.names:
            return True
        if architecture in self.absent or self.count == len(self.names):
            return False
        return None


@dataclass(frozen=True)
class ContainerImage:
    """One image, as its page under ``docs/container-images`` tells it.

    ``status`` is how the page as a whole is known; ``support`` says it for single fields that differ.
    Empty text means that nobody knows. ``get_from`` is where to get the image; empty: the page does not say,
    :data:`NOWHERE`: nobody knows. ``digest`` is the registry's, ``None`` where it is not known.
    """

    name: str
    reference: str
    engine: Engine
    engine_version: str
    python: str = ""
    torch_version: str = ""
    transformers_version: str = ""
    platform: str = "linux/arm64"
    registry: Registry = field(default_factory=Registry)
    digest: str | None = None
    status: Support = Support.UNVERIFIED
    source: str = ""
    support: Mapping[str, Support] = field(default_factory=dict)
    notes: str = ""
    path: str = ""
    get_from: str = ""

    @property
    def nowhere(self) -> bool:
        """Whether the page says that nobody knows where to get the image."""
        return self.get_from == NOWHERE

    def known(self, key: str) -> Support:
        """Return how the field of that name on the page is known."""
        return self.support.get(key, self.status)
