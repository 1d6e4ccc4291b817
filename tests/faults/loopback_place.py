"""Brings a fault about over real SSH: OpenSSH on loopback, our proxy in between, a server that lies."""

import sys
from pathlib import Path

import pytest
from fault_table import Fault
from playing import Played, closed, play
from wires import LyingServer, Proxy

sys.path.insert(0, str(Path(__file__).parents[1] / "contract"))

from sshd import Sshd, make_key

MODEL = "Qwen/Qwen3.5-122B-A10B-FP8"


class Loopback:
    """One server, one proxy before it, and the machine file that leads through both."""

    def __init__(self, server: Sshd, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.proxy = Proxy(server.port)
        self.lies = LyingServer(MODEL)
        self.marker = folder / "marker"
        self.known = folder / "known_hosts"
        self.key = server.client_key
        self.host = "127.0.0.1"
        self.port = self.proxy.port
        self.trust((server.folder / "host_key.pub").read_text())

    def trust(self, public: str) -> None:
        """Let that be the host key that is known."""
        kind, key, *_ = public.split()
        self.known.write_text(
            f"[127.0.0.1]:{self.port} {kind} {key}\n[127.0.0.1]:{self.server.port} {kind} {key}\n"
        )

    def machine_file(self, jump: bool) -> Path:
        """Write ssh config and machine file."""
        target = self.server.port if jump else self.port
        hosts = f"Host one\n  HostName {self.host}\n  Port {target}\n"
        hosts += f"Host way\n  HostName {self.host}\n  Port {self.port}\n"
        every = (
            f"Host *\n  IdentityFile {self.key}\n  IdentitiesOnly yes\n  IdentityAgent none\n"
            f"  UserKnownHostsFile {self.known}\n  ConnectTimeout 2\n"
        )
        (self.folder / "config").write_text(hosts + ("Host one\n  ProxyJump way\n" if jump else "") + every)
        path = self.folder / "loopback.toml"
        path.write_text(
            f'ssh-config = "{self.folder / "config"}"\n'
            '[[node]]\nname = "one"\nrole = "head"\naddress = "one"\n'
            f"[launch.vllm]\nport = {self.lies.port}\n"
        )
        return path

    def bring_about(self, fault: Fault) -> None:
        """Set up what goes wrong."""
        match fault.how.get("what"):
            case "refused":
                self.proxy.close()
            case "cut" | "half-open" as mode if fault.how.get("when") == "marker":
                self.proxy.when_there(self.marker, mode)
            case "cut" | "half-open" | "slow" as mode:
                self.proxy.set(mode)
            case "wrong-key":
                self.key = make_key(self.folder / "wrong")
            case "changed-host-key":
                other = make_key(self.folder / "other")
                self.trust(other.with_suffix(".pub").read_text())
            case "no-name":
                self.host = "no-such-host.invalid"
            case "lie":
                self.lies.lie = fault.how["lie"]

    def mend(self) -> None:
        """Let everything be well again."""
        if self.proxy._over:
            self.proxy = Proxy(self.server.port)
        self.proxy.set("open")
        self.port, self.key, self.host, self.lies.lie = (
            self.proxy.port,
            self.server.client_key,
            "127.0.0.1",
            "",
        )
        self.marker.unlink(missing_ok=True)
        self.trust((self.server.folder / "host_key.pub").read_text())

    def values(self, fault: Fault) -> dict[str, object]:
        """The parameters of a run."""
        found = {
            name: [str(word).replace("MARKER", str(self.marker)) for word in value]
            if isinstance(value, list)
            else value
            for name, value in fault.parameters.items()
        }
        return {"nodes": str(self.machine_file(bool(fault.how.get("jump")))), **found}

    def close(self) -> None:
        """Close proxy and server."""
        self.proxy.close()
        self.lies.close()


def hit_over_ssh(fault: Fault, here: Loopback, monkeypatch: pytest.MonkeyPatch) -> Played:
    """Let the fault hit its runbook over SSH."""
    here.bring_about(fault)
    with closed(play(fault.runbook, here.values(fault), here.folder / "hit.run", monkeypatch)) as played:
        return played


def next_over_ssh(fault: Fault, here: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same runbook again, with nothing in its way: it must pass."""
    here.mend()
    values = here.values(fault) | fault.how.get("next", {})
    with closed(play(fault.runbook, values, here.folder / "next.run", monkeypatch)) as again:
        assert again.exit == 0, f"the next run ended at {again.ends!r}: {again.said}"
