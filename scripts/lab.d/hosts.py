"""The two hosts: what is private to each, starting and stopping them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import network
import ssh
from commands import ask, environment
from obstacles import CommandFailedError
from places import HOSTS, MARKER, MODELS, RECIPES, STORE, Host

PRIVATE = ("root", "home", "tmp", "var", "bin")  # and etc, which begins as a copy

CONTAINERS = {
    # runc: crun refuses this kernel's hybrid cgroup layout (2026-11-30). Raising limits is not permitted.
    "containers.conf": """[containers]
netns = "host"
log_driver = "k8s-file"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
init_path = "/usr/bin/catatonit"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
pull_policy = "never"
""",
    "storage.conf": """[storage]
driver = "overlay"
graphroot = "/var/lib/containers/storage"
runroot = "/run/containers/storage"
[storage.options]
additionalimagestores = ["/srv/images"]
""",
    # No registry: a name that is not in the store fails at once, and nothing goes out.
    "registries.conf": 'unqualified-search-registries = []\nshort-name-mode = "permissive"\n',
    "policy.json": '{"default": [{"type": "insecureAcceptAnything"}]}\n',
}

DOCKER = """#!/bin/sh
# The Docker command line of this host is podman with the host's own storage.
# Docker's "rm -f" kills at once; podman's waits ten seconds and then says on standard error
# 'StopSignal SIGTERM failed to stop container x in 10 seconds, resorting to SIGKILL' (2026-11-30).
# And podman's "rm -f a b" removes nothing, silently, when b does not exist; Docker removes a.
if [ "${1-}" = rm ]; then
    for word in "$@"; do
        case $word in -f | --force) shift; exec /usr/bin/podman rm --time 0 --ignore "$@" ;; esac
    done
fi
exec /usr/bin/podman "$@"
"""


def running(host: Host) -> int | None:
    """Process id of the host's init, as the machine sees it, or None."""
    try:
        pid, name = (host.folder / "pid").read_text().split()
        command = Path("/proc", pid, "cmdline").read_bytes()
    except (OSError, ValueError):
        return None
    return int(pid) if name == host.name and b"catatonit\0" in command else None


def start(host: Host) -> bool:
    """Start the host unless it runs. Returns True when it was started now."""
    if running(host):
        return False
    _furnish(host)
    log = (host.folder / "init.log").open("w")
    child = subprocess.Popen(
        [
            *network.inside(host, "unshare", "--mount", "--uts", "--ipc", "--pid", "--fork"),
            *("/bin/sh", str(RECIPES / "host-init.sh"), host.name, str(host.folder), str(STORE), str(MODELS)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment(),
        cwd="/",
        start_new_session=True,
    )
    end = time.monotonic() + 20
    while time.monotonic() < end:
        children = ask(["ps", "-o", "pid=", "--ppid", str(child.pid)]).out.split()
        if children and b"catatonit\0" in _command(children[0]):
            (host.folder / "pid").write_text(f"{children[0]} {host.name}\n")
            return True
        if child.poll() is not None:
            break
        time.sleep(0.1)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    raise CommandFailedError(
        ["host-init.sh", host.name], child.poll(), (host.folder / "init.log").read_text()
    )


def _command(pid: str) -> bytes:
    try:
        return Path("/proc", pid, "cmdline").read_bytes()
    except OSError:
        return b""


def _furnish(host: Host) -> None:
    """Make the folders that only this host sees. Nothing survives from an earlier start."""
    shutil.rmtree(host.folder, ignore_errors=True)
    for name in ("view", *PRIVATE):
        (host.folder / name).mkdir(parents=True, exist_ok=True)
    for name in ("lib/containers", "log", "tmp", "cache", "lib/reaffirm-lab/models"):
        (host.folder / "var" / name).mkdir(parents=True, exist_ok=True)
    (host.folder / "root").chmod(0o700)
    MODELS.mkdir(parents=True, exist_ok=True)
    STORE.mkdir(parents=True, exist_ok=True)

    etc = host.folder / "etc"
    shutil.copytree("/etc", etc, symlinks=True, ignore_dangling_symlinks=True, ignore=_unwanted)
    (etc / MARKER).write_text(f"reaffirm lab host {host.name}\n")
    (etc / "hostname").write_text(host.name + "\n")
    others = "".join(f"{other.fabric} {other.name}\n" for other in HOSTS)
    (etc / "hosts").write_text(f"127.0.0.1 localhost\n{others}")
    # No name server: a look-up fails at once instead of waiting for one that cannot be reached.
    for name, text in (("resolv.conf", ""), ("motd", "")):
        (etc / name).unlink(missing_ok=True)
        (etc / name).write_text(text)
    # sshd without PAM refuses an account whose password field begins with "!".
    (etc / "shadow").write_text("root:*:20000:0:99999:7:::\nsshd:!:20000::::::\n")
    (etc / "shadow").chmod(0o600)

    shutil.rmtree(etc / "containers", ignore_errors=True)
    (etc / "containers").mkdir()
    for name, text in CONTAINERS.items():
        (etc / "containers" / name).write_text(text)
    # Debian's example 87-podman-bridge.conflist only brings warnings on standard error.
    shutil.rmtree(etc / "cni", ignore_errors=True)
    docker = host.folder / "bin" / "docker"
    docker.write_text(DOCKER)
    docker.chmod(0o755)
    ssh.install(host)


def _unwanted(folder: str, names: list[str]) -> set[str]:
    """Not copied from the machine's /etc: its keys, and what is neither file nor folder."""
    private = {"ssh", "ssl/private"} if folder == "/etc" else set()
    odd = {name for name in names if not (Path(folder, name).is_file() or Path(folder, name).is_dir())}
    return private | odd


def stop(host: Host) -> bool:
    """End the host: its init, and with it every process of its PID namespace. True when it ran."""
    pid = running(host)
    if pid:
        os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + 15
        while Path("/proc", str(pid)).exists() and time.monotonic() < end:
            time.sleep(0.1)
    (host.folder / "pid").unlink(missing_ok=True)
    return bool(pid)


def clear(host: Host) -> None:
    """Remove the host's folders and the control groups its containers left behind."""
    shutil.rmtree(host.folder, ignore_errors=True)


def sweep_cgroups() -> None:
    """Remove empty control groups of containers; groups in use refuse and stay."""
    for parent in {*Path("/sys/fs/cgroup").glob("*/libpod_parent"), Path("/sys/fs/cgroup/libpod_parent")}:
        for group in sorted(parent.glob("**/"), reverse=True) if parent.is_dir() else ():
            with contextlib.suppress(OSError):
                group.rmdir()
