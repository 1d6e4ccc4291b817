"""An OpenSSH server on loopback for tests: own keys, own port, own configuration, no root needed."""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from reaffirm.model.node import Machines, NodeSpec, Role

SSHD = shutil.which("sshd") or next(
    (p for p in ("/usr/sbin/sshd", "/usr/local/sbin/sshd") if Path(p).exists()), ""
)


def missing() -> str:
    """Return why no server can be started here; empty when one can."""
    for tool in ("ssh-keygen", "python3"):
        if not shutil.which(tool):
            return f"{tool} is not installed"
    return "" if SSHD else "sshd is not installed (Debian: apt-get install openssh-server)"


def free_port() -> int:
    """Return a port of loopback on which nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def make_key(path: Path, kind: str = "ed25519") -> Path:
    """Make a key pair and return the private file."""
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", str(path)], check=True, timeout=20)
    return path


@dataclass
class Sshd:
    """One running server and the files of its clients. ``options`` are extra lines for sshd_config."""

    folder: Path
    options: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> "Sshd":
        """Make keys and configuration, start the server and wait until it listens."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd started by root wants it
        if not self.client_key.exists():
            make_key(self.client_key)
        if not self.host_key.exists():
            make_key(self.host_key)
        (self.folder / "authorized_keys").write_text(self.client_key.with_suffix(".pub").read_text())
        (self.folder / "sshd_config").write_text(self._config())
        self.trust()
        (self.folder / "config").write_text(self.client_config())
        return self._serve()

    def _serve(self) -> "Sshd":
        self.process = subprocess.Popen(
            [SSHD, "-D", "-f", str(self.folder / "sshd_config"), "-E", str(self.folder / "sshd.log")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 10
        while time.monotonic() < end:
            with socket.socket() as sock:
                if sock.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        log = (self.folder / "sshd.log").read_text() if (self.folder / "sshd.log").exists() else ""
        msg = f"sshd did not start: {log}"
        raise RuntimeError(msg)

    def stop(self) -> None:
        """End the server and its sessions."""
        if self.process is None:
            return
        for child in self.sessions():
            kill(child)
        self.process.terminate()
        self.process.wait(10)
        self.process = None

    def sessions(self) -> list[int]:
        """Return the processes that serve one connection each."""
        assert self.process is not None
        return children(self.process.pid)

    @property
    def client_key(self) -> Path:
        """The key that the server takes."""
        return self.folder / "client_key"

    @property
    def host_key(self) -> Path:
        """The key by which the server is known."""
        return self.folder / "host_key"

    def trust(self) -> None:
        """Write the server's key into the clients' known_hosts."""
        kind, key, *_ = self.host_key.with_suffix(".pub").read_text().split()
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {kind} {key}\n")

    def client_config(self, *extra: str, port: int = 0) -> str:
        """Return the text of an ssh config for the hosts ``loopback`` and ``behind``."""
        return "\n".join(
            (
                "Host loopback behind",
                "  HostName 127.0.0.1",
                f"  Port {port or self.port}",
                f"  IdentityFile {self.client_key}",
                "  IdentitiesOnly yes",
                "  IdentityAgent none",
                f"  UserKnownHostsFile {self.folder}/known_hosts",
                *(f"  {line}" for line in extra),
                "Host behind",
                "  ProxyJump loopback",
                "",
            )
        )

    def machines(self, *names: str, config: Path | None = None) -> Machines:
        """Return machines behind this server: one node per ssh Host, the first is the head."""
        roles = [Role.HEAD, *[Role.WORKER] * len(names)]
        nodes = tuple(
            NodeSpec(name, role, name) for name, role in zip(names or ("loopback",), roles, strict=False)
        )
        return Machines("loopback", "loopback.toml", nodes, ssh_config=str(config or self.folder / "config"))

    def _config(self) -> str:
        return "\n".join(
            (
                f"Port {self.port}",
                "ListenAddress 127.0.0.1",
                f"HostKey {self.host_key}",
                f"AuthorizedKeysFile {self.folder}/authorized_keys",
                f"AllowUsers {getpass.getuser()}",
                "StrictModes no",
                "UsePAM no",
                "PasswordAuthentication no",
                "KbdInteractiveAuthentication no",
                "PidFile none",
                *self.options,
                # Its "machine" is this one; the lock of a test is not that of a real run.
                f"SetEnv NODE_LOCK_FOLDER={os.environ.get('NODE_LOCK_FOLDER', '/tmp')}",
                "MaxSessions 100",  # the first line of a setting wins
                "",
            )
        )


def children(pid: int) -> list[int]:
    """Return the processes whose parent is ``pid``."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        if parent == pid:
            found.append(int(stat.parent.name))
    return found


def kill(pid: int) -> None:
    """End one process that a test started, and what it started."""
    for child in children(pid):
        kill(child)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
