"""What a container does that runs no engine: fails as its shell or Python would, or just waits."""

from collections.abc import Callable, Sequence

from reaffirm.model.image import ContainerImage
from reaffirm.model.node import Engine
from reaffirm.nodes.simulated.container import Container
from reaffirm.nodes.simulated.schedule import Life, Until

#: Programs that every image has.
_EVERYWHERE = ("sh", "bash", "python3", "python", "sleep", "tail", "cat", "echo", "true", "false", "env")


def has_program(image: ContainerImage, program: str) -> bool:
    """Whether an image has a program of that name."""
    name = program.rsplit("/", 1)[-1]
    return name in _EVERYWHERE or (name == "vllm" and image.engine is Engine.VLLM)


def has_engine(image: ContainerImage, words: Sequence[str]) -> bool:
    """Whether a command line asks for a package that the image has (or for no package by name)."""
    if len(words) > 2 and words[1] == "-m":
        return words[2].partition(".")[0] == image.engine
    return True


def plain_life(words: Sequence[str]) -> Callable[[Container], Life]:
    """Return the life of a process that is no engine of this image."""

    def life(container: Container) -> Life:
        yield 0.3
        match list(words):
            case ["python3" | "python", "-m", module, *_]:
                package = module.partition(".")[0]
                container.log(
                    f"/usr/bin/python3: Error while finding module specification for '{module}' "
                    f"(ModuleNotFoundError: No module named '{package}')",
                    "stderr",
                )
                container.exit(1)
            case ["echo", *rest]:
                container.log(" ".join(rest))
                container.exit(0)
            case ["sleep", seconds, *_] if seconds.replace(".", "", 1).isdigit():
                yield float(seconds)
                container.exit(0)
            case ["sleep" | "tail", *_]:
                yield Until(lambda: False)
            case ["false", *_]:
                container.exit(1)
            case ["python3" | "python", "-c", *_]:
                container.log("a simulated container runs no program but those of scripts/node", "stderr")
                container.exit(1)
            case _:
                container.exit(0)

    return life


def refusing_life(message: str) -> Callable[[Container], Life]:
    """Return the life of a program that does not understand its command line."""

    def life(container: Container) -> Life:
        yield 2.0
        container.log(message, "stderr")
        container.exit(2)

    return life


def foreign_life(words: Sequence[str]) -> Callable[[Container], Life]:
    """Return the life of a program for another processor."""

    def life(container: Container) -> Life:
        yield 0.1
        container.log(f"exec {words[0] if words else '/bin/sh'}: exec format error", "stderr")
        container.exit(255)

    return life
