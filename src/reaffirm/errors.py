"""The errors that people see: what is wrong, the value seen, what to do next.

::

    ReaffirmError                 exit code
    ├── UsageError                3   a wrong name, parameter or file of the user's
    │   ├── MachineFileError          a machine file that cannot be used
    │   └── ParameterError            a runbook parameter of the wrong name or type
    ├── NodeError                 2   a node could not be asked
    │   ├── NetworkError              no route, refused, dropped
    │   ├── AuthenticationError       the node does not take our key, or its host key changed
    │   ├── RemoteCommandError        the command could not be started there
    │   └── NodeTimeoutError               no answer within the limit
    ├── RecordingError            2   a damaged recording, or a request that differs from it
    ├── DocumentError             2   a record, page or published run that cannot be read
    ├── LockedError               2   another run holds the node, or the folder of the run
    └── StepFailedError                1   a step found that the run must not go on
        └── ForbiddenError            the machine file forbids it

They are caught once, in ``reaffirm.cli``.
"""


class ReaffirmError(Exception):
    """Base of all errors of this package.

    ``hint`` is the next action in words; ``page`` a path under ``docs/`` that tells more.
    """

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "", page: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.page = page

    def __str__(self) -> str:
        parts = [self.message]
        if self.hint:
            parts.append(f"  next: {self.hint}")
        if self.page:
            parts.append(f"  page: {self.page}")
        return "\n".join(parts)


class UsageError(ReaffirmError):
    """The caller's words are off: a name, a path, an option."""

    exit_code = 3


class MachineFileError(UsageError):
    """A machine file is missing or wrong; the message carries ``path:line``."""


class ParameterError(UsageError):
    """A runbook parameter has an unknown name or the wrong type."""


class NodeError(ReaffirmError):
    """A node could not be asked. Subclasses say which party failed."""

    def __init__(self, message: str, *, node: str = "", hint: str = "", page: str = "") -> None:
        super().__init__(message, hint=hint, page=page)
        self.node = node


class NetworkError(NodeError):
    """The way to the node is closed: no route, refused, dropped."""


class AuthenticationError(NodeError):
    """The node was reached but does not take our key, or its host key is not the known one."""


class RemoteCommandError(NodeError):
    """The node was reached but the command could not be started there."""


class NodeTimeoutError(NodeError):
    """The node gave no answer within the limit."""


class RecordingError(ReaffirmError):
    """A recording is damaged, or the request differs from the recorded one."""


class DocumentError(ReaffirmError):
    """A record, page or published run cannot be read; the message carries ``path:line``."""


class LockedError(ReaffirmError):
    """Another run holds the node or the folder of the run; the message says which."""


class StepFailedError(ReaffirmError):
    """A step found that the run must not go on."""

    exit_code = 1


class ForbiddenError(StepFailedError):
    """The machine file forbids it; the message carries the rule's ``path:line``. Nothing was sent."""
