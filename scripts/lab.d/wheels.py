"""Python packages for the images: fetched once with pip, unpacked without resolving anything again."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path

from commands import ask, must
from obstacles import CannotRunError, CommandFailedError
from places import CACHE, RECIPES, WHEELS

# The images' Python, whatever Python runs this: Debian 12 has 3.11.
# It has glibc 2.36, and pip wants every tag by name
# ("Could not find a version that satisfies the requirement llguidance==1.7.6", 2026-11-30).
TARGET: list[str] = ["--python-version", "3.11", "--implementation", "cp", "--only-binary", ":all:"]
for _tag in (
    *(f"manylinux_2_{minor}" for minor in range(36, 4, -1)),
    "manylinux2014",
    "manylinux2010",
    "manylinux1",
):
    TARGET += ["--platform", f"{_tag}_x86_64"]


def listed(name: str) -> list[str]:
    """Requirements of images/NAME.txt, without comments."""
    lines = (RECIPES / "images" / f"{name}.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def pip() -> list[str]:
    """The command that is pip here. Raises `CannotRunError` when there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if ask([python, "-m", "pip", "--version"]).ok:
            return [python, "-m", "pip", "--disable-pip-version-check"]
    raise CannotRunError("pip", "no Python here has pip", "apt-get install python3-pip.")


def options() -> list[str]:
    """What the user adds for pip: an index, a folder with wheels (REAFFIRM_LAB_PIP_ARGS)."""
    return shlex.split(os.environ.get("REAFFIRM_LAB_PIP_ARGS", ""))


def torch_build() -> str:
    """Which torch pip would fetch, for example `2.13.0+cpu`, asked without fetching it.

    Raises `CannotRunError` `torch-cpu` when it is the CUDA build of several GB, which needs a dozen
    more packages and has not been seen to work here.
    """
    wanted = next(line for line in listed("torch") if line.startswith("torch=="))
    command = [*pip(), "install", "--dry-run", "--quiet", "--no-deps", "--ignore-installed", "--report", "-"]
    CACHE.mkdir(parents=True, exist_ok=True)
    answer = ask([*command, *TARGET, "--target", CACHE / "none", *options(), wanted], seconds=180)
    if not answer.ok:
        raise CannotRunError("registry", f"pip finds no {wanted}: {answer.err.strip()[-300:]}", _ADVICE)
    chosen = json.loads(answer.out[answer.out.index("{") :])["install"][0]
    version = str(chosen["metadata"]["version"])
    if not version.endswith("+cpu"):
        raise CannotRunError(
            "torch-cpu", f"pip would fetch torch {version}, a CUDA build of several GB", _ADVICE
        )
    return version


_ADVICE = (
    "Set REAFFIRM_LAB_PIP_ARGS to options for pip that lead to the CPU build of torch, "
    "for example '--find-links FOLDER' or '--extra-index-url URL': docs/how-to/lab.md, Torch."
)


def fetch(name: str) -> Path:
    """Folder with the wheels of images/NAME.txt, fetched when absent."""
    folder = WHEELS / name
    folder.mkdir(parents=True, exist_ok=True)
    command: list[str | Path] = [*pip(), "download", "--quiet", "--no-deps", *TARGET, "--dest", folder]
    try:
        must([*command, *options(), "-r", RECIPES / "images" / f"{name}.txt"], seconds=900)
    except CommandFailedError as error:
        raise CannotRunError("registry", f"pip could not fetch {name}.txt: {error}", _ADVICE) from error
    return folder


def unpack(name: str, stage: Path) -> None:
    """Install the wheels of images/NAME.txt under `stage`, a folder that becomes an image layer."""
    site = stage / "usr/local/lib/python3.11/dist-packages"
    site.mkdir(parents=True)
    wheels = sorted(str(path) for path in fetch(name).glob("*.whl") if _is_listed(path, name))
    scratch = CACHE / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    command = [*pip(), "install", "--quiet", "--no-deps", "--no-index", "--no-compile", *TARGET]
    must([*command, "--target", site, *wheels], seconds=600, extra={"TMPDIR": str(scratch)})
    _move_programs(site, stage / "usr/local/bin")


def _is_listed(path: Path, name: str) -> bool:
    """False for a wheel that an older list left in the folder."""
    project, version = path.name.split("-")[:2]
    return f"{project.lower().replace('_', '-')}=={version.split('+')[0]}" in {
        line.lower().replace("_", "-") for line in listed(name)
    }


def _move_programs(site: Path, programs: Path) -> None:
    """pip --target leaves console scripts in `bin`, beginning with the path of the Python that ran pip."""
    if not (site / "bin").is_dir():
        return
    programs.mkdir(parents=True)
    for path in (site / "bin").iterdir():
        first, _, rest = path.read_bytes().partition(b"\n")
        if first.startswith(b"#!") and b"python" in first:
            path.write_bytes(b"#!/usr/bin/python3\n" + rest)
        shutil.move(path, programs / path.name)
    (site / "bin").rmdir()
