"""The tiny model that stands in for Qwen3.5-122B: made from a seed inside the vLLM image."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import ssh
from obstacles import CommandFailedError
from places import HEAD, MODELS, RECIPES

import images

NAME = "tiny-qwen35"
PROGRAM = RECIPES / "build_model.py"


def _inputs() -> str:
    """Hash of the program and of the image that runs it."""
    image = next(image for image in images.IMAGES if image.reference.startswith("vllm-qwen35"))
    return hashlib.sha256(PROGRAM.read_bytes() + images.inputs(image).encode()).hexdigest()[:16]


def digest(folder: Path) -> str:
    """Hash over the names and the bytes of the model's files."""
    total = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def make() -> str:
    """Make the model unless it is there. Returns a sentence.

    Both hosts see one folder, so the bytes are the same on both.
    """
    folder, stamp = MODELS / NAME, MODELS / f".{NAME}.inputs"
    if folder.is_dir() and stamp.exists() and stamp.read_text() == _inputs():
        return f"already there, sha256 {digest(folder)}"
    # Hosts mount the models read-only: it is written to the head's /tmp and moved from outside.
    scratch = HEAD.folder / "tmp" / NAME
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    answer = ssh.on(
        HEAD,
        *("docker", "run", "--rm", "-i", "--network", "none", "-v", f"/tmp/{NAME}:/out"),
        *("-e", "HF_HUB_OFFLINE=1", "vllm-qwen35:lab", "python3", "-", "/out"),
        seconds=240,
        given=PROGRAM.read_text(),
    )
    if not answer.ok:
        raise CommandFailedError(["python3", "build_model.py"], answer.code, answer.out + answer.err)
    if folder.is_dir() and digest(folder) == digest(scratch):  # a container may be reading it
        shutil.rmtree(scratch)
    else:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(scratch, folder)
    stamp.write_text(_inputs())
    return f"{answer.out.strip().splitlines()[-1]}, sha256 {digest(folder)}"
