"""What a command of a simulated node leaves behind."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Output:
    """Exit status, standard output and standard error."""

    exit: int
    stdout: str = ""
    stderr: str = ""


def not_found(program: str) -> Output:
    """Return what a shell says about a program that is not there."""
    return Output(127, "", f"bash: line 1: {program}: command not found\n")
