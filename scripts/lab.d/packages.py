"""Debian packages that the lab needs, and what the machine must allow."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

from commands import ask, found, must
from obstacles import CannotRunError, CommandFailedError
from places import CACHE, STATE

# program that must be found -> Debian package that brings it
NEEDED = {
    "/usr/bin/podman": "podman",
    "/usr/sbin/runc": "runc",
    "/usr/bin/catatonit": "catatonit",
    "/usr/sbin/debootstrap": "debootstrap",
    "/usr/share/keyrings/debian-archive-keyring.gpg": "debian-archive-keyring",
    "/usr/sbin/sshd": "openssh-server",
    "/usr/bin/ssh": "openssh-client",
    "ip": "iproute2",
    "iptables": "iptables",
    "nc": "netcat-openbsd",
    "nsenter": "util-linux",
    "ps": "procps",
    "/usr/bin/python3": "python3",
    "tar": "tar",
}


def missing() -> list[str]:
    """Debian packages whose program is not there."""
    absent = {
        package
        for program, package in NEEDED.items()
        if not (Path(program).exists() if program.startswith("/") else found(program))
    }
    if not any(ask([python, "-m", "pip", "--version"]).ok for python in (sys.executable, "/usr/bin/python3")):
        absent.add("python3-pip")
    return sorted(absent)


def install() -> str:
    """Install what is missing with apt-get. Returns a sentence; raises `CannotRunError` where it cannot."""
    wanted = missing()
    if not wanted:
        return "all there"
    if not found("apt-get"):
        seen = f"missing {', '.join(wanted)} and no apt-get"
        raise CannotRunError("packages", seen, "Use a Debian 12 machine, or install them.")
    # Services must not start on the machine itself: Debian starts an sshd on every address otherwise.
    policy = Path("/usr/sbin/policy-rc.d")
    ours = not policy.exists()
    if ours:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "install", "-y", "--no-install-recommends", *wanted]
    try:
        if not ask(command, seconds=300, extra=quiet).ok:  # the lists may be old or absent
            ask(["dpkg", "--configure", "-a"], seconds=300, extra=quiet)  # what Ctrl-C cut short
            must(["apt-get", "update"], seconds=180, extra=quiet)
            must(command, seconds=300, extra=quiet)
    except CommandFailedError as error:
        seen = f"apt-get could not install {', '.join(wanted)}: {error}"
        raise CannotRunError("registry", seen, "Is the Debian registry reachable?") from error
    finally:
        if ours:
            policy.unlink(missing_ok=True)
    still = missing()
    if still:
        raise CannotRunError("packages", f"still missing after apt-get: {', '.join(still)}", "Use Debian 12.")
    return f"installed {', '.join(wanted)}"


def root() -> None:
    """Raise `CannotRunError` `root` for anybody else."""
    if os.geteuid() != 0:
        raise CannotRunError("root", f"this is user {os.geteuid()}", "Run it as root, for example with sudo.")


def room(folder: Path, gigabytes: int = 15) -> None:
    """Raise `CannotRunError` `disk` when the images would not fit; building needs twice what stays."""
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free / 1e9
    if free < gigabytes:
        seen = f"{free:.0f} GB free for {folder}, {gigabytes} GB needed to build the images"
        raise CannotRunError("disk", seen, "Make room, or name another folder with REAFFIRM_LAB_CACHE.")


def permitted() -> None:
    """Check platform, namespaces, mounts and cgroups by trying them. Raises `CannotRunError` by name."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        seen = f"{platform.system()} {platform.machine()}"
        raise CannotRunError("platform", seen, "The images are built from x86-64 wheels for Linux.")
    own = ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork"]
    trial = ask([*own, "mount", "-t", "tmpfs", "lab", "/mnt"])
    if not trial.ok:
        raise CannotRunError(
            "namespaces",
            f"unshare says {trial.err.strip()!r}",
            "In a container give it --privileged; a kernel without namespaces cannot run the lab.",
        )
    if "\toverlay\n" not in Path("/proc/filesystems").read_text() and not ask(["modprobe", "overlay"]).ok:
        raise CannotRunError("overlay", "this kernel has no overlay file system", "Containers need it.")
    groups = Path("/sys/fs/cgroup")
    if not groups.is_dir() or not any(groups.iterdir()):
        raise CannotRunError("cgroups", "/sys/fs/cgroup is empty", "Mount the cgroup hierarchies first.")
    for folder in (CACHE, STATE):
        _overlays(folder)


def _overlays(folder: Path) -> None:
    """Try an overlay in the cache: on a file system that is one itself (a container's root) it is refused."""
    layers = [folder / "trial" / name for name in ("lower", "upper", "work", "merged")]
    for layer in layers:
        layer.mkdir(parents=True, exist_ok=True)
    options = f"lowerdir={layers[0]},upperdir={layers[1]},workdir={layers[2]}"
    trial = ask(["unshare", "--mount", "mount", "-t", "overlay", "overlay", "-o", options, layers[3]])
    shutil.rmtree(folder / "trial", ignore_errors=True)
    if not trial.ok:
        seen = f"no overlay can be mounted in {folder}: {trial.err.strip()[-200:]}"
        raise CannotRunError("overlay", seen, "It has to lie on a disk or a volume.")
