"""Keys, the client's files, and the OpenSSH server of each host."""

from __future__ import annotations

import os
import shutil
import time

from commands import Answer, ask, must
from obstacles import CommandFailedError
from places import HEAD, HOSTS, SSH, STATE, Host

# Many channels run over one connection (a log followed per container, tunnels, commands): the defaults of
# ten sessions per connection and ten logins under way are too few.
SERVER = """Port 22
ListenAddress 0.0.0.0
HostKey /etc/ssh/ssh_host_ed25519_key
AuthorizedKeysFile /etc/ssh/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
MaxSessions 200
MaxStartups 200:30:400
AllowTcpForwarding yes
PrintMotd no
PrintLastLog no
PidFile none
Subsystem sftp internal-sftp
"""


def keys() -> str:
    """Make the client's key and each host's key once, and the client's config and known_hosts."""
    SSH.mkdir(parents=True, exist_ok=True, mode=0o700)
    made = 0
    for name in ("id_ed25519", *(f"host_{host.name}" for host in HOSTS)):
        if not (SSH / name).exists():
            comment = f"reaffirm-lab {name}"
            must(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", SSH / name])
            made += 1
    lines = []
    for host in HOSTS:
        kind, key, *_ = (SSH / f"host_{host.name}.pub").read_text().split()
        lines.append(f"{host.name},{host.address} {kind} {key}\n")
    (SSH / "known_hosts").write_text("".join(lines))
    (SSH / "config").write_text("\n".join(_entry(host) for host in HOSTS))
    said = f"{made} keys made" if made else "already there"
    user = caller()
    return said if user is None else f"{said}; the client's is given to user {give(user)}"


def caller() -> int | None:
    """The user who called `sudo`; None for root itself."""
    word = os.environ.get("SUDO_UID", "")
    return int(word) if word.isdecimal() and int(word) != 0 else None


def give(user: int) -> int:
    """Let a user be the client: papermill then needs no root. Returns the user.

    Theirs is the client's key and nothing else. The folder and the other files stay root's, since root writes
    them and starts servers from them; the keys of the hosts cannot be read.
    """
    for folder in (STATE, SSH):
        folder.chmod(0o755)
    for name in ("config", "known_hosts"):
        (SSH / name).chmod(0o644)
    os.chown(SSH / "id_ed25519", user, -1)
    (SSH / "id_ed25519").chmod(0o600)
    for host in HOSTS:
        (SSH / f"host_{host.name}").chmod(0o600)
    return user


def _entry(host: Host) -> str:
    lines = [
        f"Host {host.name}",
        f"    HostName {host.address}",
        "    User root",
        f"    IdentityFile {SSH}/id_ed25519",
        "    IdentitiesOnly yes",
        f"    UserKnownHostsFile {SSH}/known_hosts",
        "    GlobalKnownHostsFile /dev/null",
        "    StrictHostKeyChecking yes",
        "    ConnectTimeout 10",
    ]
    if host is not HEAD:
        lines.insert(2, f"    ProxyJump {HEAD.name}")
    return "\n".join(lines) + "\n"


def install(host: Host) -> None:
    """Put the server's files into the host's own /etc."""
    etc = host.folder / "etc" / "ssh"
    etc.mkdir()
    (etc / "sshd_config").write_text(SERVER)
    shutil.copy(SSH / f"host_{host.name}", etc / "ssh_host_ed25519_key")
    (etc / "ssh_host_ed25519_key").chmod(0o600)
    shutil.copy(SSH / "id_ed25519.pub", etc / "authorized_keys")


def on(host: Host, *argv: str, seconds: float = 30, given: str | None = None) -> Answer:
    """Run a command on a host by SSH, as everybody else reaches it. Words are joined with blanks."""
    return ask(
        ["ssh", "-F", SSH / "config", "-o", "BatchMode=yes", host.name, *argv], seconds=seconds, given=given
    )


def wait(host: Host, seconds: float = 20) -> None:
    """Wait until the host answers with its own name. Raises `CommandFailedError` with ssh's last words."""
    end = time.monotonic() + seconds
    while True:
        answer = on(host, "hostname", seconds=10)
        if answer.out.strip() == host.name:
            return
        if time.monotonic() > end:
            raise CommandFailedError(["ssh", host.name, "hostname"], answer.code, answer.out + answer.err)
        time.sleep(0.2)
