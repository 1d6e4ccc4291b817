"""Which earlier run is taken up again, and at which cell, as the runner tells the process with the cells."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reaffirm.errors import RecordingError
from reaffirm.nodes import marks
from reaffirm.nodes.recording_start import Start


@dataclass(frozen=True)
class Earlier:
    """The run that is taken up again.

    ``run`` is its name and ``folder`` the folder beside its notebook. ``cell`` is the number of its first
    unfinished cell, ``here`` that of the same cell in the runbook as it is now, ``step`` its id.
    """

    run: str
    folder: str
    cell: int
    here: int
    step: str

    def as_text(self) -> str:
        """Return the value of ``REAFFIRM_RESUME``."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> "Earlier":
        """Read the value of ``REAFFIRM_RESUME``.

        Raises:
            RecordingError: it is none.
        """
        try:
            said = json.loads(text)
            return cls(
                str(said["run"]), str(said["folder"]), int(said["cell"]), int(said["here"]), str(said["step"])
            )
        except (ValueError, KeyError, TypeError) as error:
            msg = f"REAFFIRM_RESUME holds no earlier run, got {text[:60]!r}"
            raise RecordingError(msg, hint="use `reaffirm run --resume RUN`") from error

    @property
    def is_over(self) -> bool:
        """Whether the finished steps lie behind us: a cell that was unfinished then has begun."""
        now = marks.current()
        return now is not None and now.cell >= self.here

    def header(self, start: Start, number: int) -> dict[str, Any]:
        """Return what the header of the new recording says about this."""
        name = {"file": number} if number > 1 else {}
        return {"run": self.run, "cell": self.here, "step": self.step, "recording": start.sha256, **name}

    @property
    def path(self) -> Path:
        """The folder of the earlier run."""
        return Path(self.folder)
