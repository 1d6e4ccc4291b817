"""What is wrong in a file, as a value: yielded, never raised."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Finding:
    """One thing wrong at one place. ``code`` is stable, ``hint`` says what to do next."""

    path: str
    line: int
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.path}:{self.line}: {self.code} {self.message}"
        return f"{text}; {self.hint}" if self.hint else text
