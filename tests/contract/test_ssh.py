"""What goes wrong between us and a machine: each has its own error and its own advice."""

import errno
import io
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import asyncssh
import pytest
from conftest import close
from sshd import Sshd, children, free_port, kill, make_key, missing

import reaffirm
from reaffirm.errors import (
    AuthenticationError,
    MachineFileError,
    NetworkError,
    NodeError,
    NodeTimeoutError,
    RemoteCommandError,
)
from reaffirm.model.changes import Change, Declaration
from reaffirm.model.evidence import Kind
from reaffirm.model.exchange import HttpRequest
from reaffirm.model.node import Machines, NodeSpec, Role
from reaffirm.nodes import connect as connecting
from reaffirm.nodes import lab_marker, ssh_commands
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.declared import working
from reaffirm.nodes.ssh import open_nodes
from reaffirm.nodes.ssh_errors import Target, explain
from reaffirm.nodes.transport import LineStream, Transport

Start = Callable[..., Sshd]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start servers with options of their own; they are stopped after the test."""
    if reason := missing():
        pytest.skip(f"loopback: {reason}")
    servers: list[Sshd] = []

    def one(*options: str) -> Sshd:
        server = Sshd(tmp_path / f"sshd-{len(servers)}", options)
        servers.append(server)
        return server.start()

    yield one
    for server in servers:
        server.stop()


def _gone(words: str) -> bool:
    """Whether no process with these words is left, at the latest after ten seconds."""
    for _ in range(100):
        if not _running(words):
            return True
        time.sleep(0.1)
    return False


def _running(words: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode()
        except (OSError, UnicodeDecodeError):
            continue
        if line.startswith(words):
            found.append(int(path.parent.name))
    return found


def _end(words: str) -> None:
    """End what a lost connection left on this machine."""
    for pid in _running(words):
        kill(pid)


def _refused(machines: Machines) -> NodeError:
    with pytest.raises(NodeError) as caught:
        close(open_nodes(machines))
    return caught.value


def test_an_unknown_host_key_is_not_accepted(start: Start) -> None:
    """Accepting it silently would hand our commands to whoever answers."""
    server = start()
    (server.folder / "known_hosts").write_text("")
    error = _refused(server.machines("loopback"))
    assert isinstance(error, AuthenticationError)
    assert "unknown" in error.message
    assert f"'[127.0.0.1]:{server.port}'" in error.message
    assert str(server.folder / "known_hosts") in error.message
    assert "accept it once by hand: ssh -F" in error.hint


@pytest.mark.parametrize("name", ["config", "client_key", "known_hosts"])
def test_a_file_that_may_not_be_read(start: Start, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of root would end in a bare PermissionError, or in the advice to look at the network."""
    server = start()
    path = server.folder / name
    assert path.is_file()
    refused = PermissionError(13, "Permission denied", str(path))
    real = io.open

    def guarded(file: object, *args: object, **options: object) -> object:
        if str(file) == str(path):
            raise refused
        return real(file, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(io, "open", guarded)
    monkeypatch.setattr("builtins.open", guarded)
    with pytest.raises((MachineFileError, AuthenticationError)) as caught:
        close(open_nodes(server.machines("loopback")))
    assert f"{path} cannot be read: this user (" in caught.value.message
    assert "`sudo scripts/lab up`" in caught.value.hint


def test_a_changed_host_key_is_another_matter(start: Start) -> None:
    """It may be an attack; the advice must not be to accept it."""
    server = start()
    other = make_key(server.folder / "other").with_suffix(".pub").read_text().split()
    (server.folder / "known_hosts").write_text(f"[127.0.0.1]:{server.port} {other[0]} {other[1]}\n")
    error = _refused(server.machines("loopback"))
    assert isinstance(error, AuthenticationError)
    assert "CHANGED" in error.message
    assert "ssh-keygen -R" in error.hint
    assert "accept" not in error.hint


def test_a_host_key_of_another_type_has_changed_too(start: Start) -> None:
    """A server that offers none of the known key's algorithms is not the known one."""
    server = start()
    path = server.folder / "rsa"
    make_key(path, "rsa")
    kind, key, *_ = path.with_suffix(".pub").read_text().split()
    (server.folder / "known_hosts").write_text(f"[127.0.0.1]:{server.port} {kind} {key}\n")
    error = _refused(server.machines("loopback"))
    assert isinstance(error, AuthenticationError)
    assert "CHANGED" in error.message


@pytest.mark.parametrize("line", ["UserKnownHostsFile none", "StrictHostKeyChecking no"])
def test_no_ssh_config_switches_the_check_off(start: Start, line: str) -> None:
    """Such a line, copied from the web, must not make any host key good."""
    server = start()
    (server.folder / "known_hosts").write_text("")
    config = server.client_config(line)
    if "none" in line:
        config = config.replace(f"UserKnownHostsFile {server.folder}/known_hosts", "ConnectTimeout 10")
    (server.folder / "config").write_text(config)
    error = _refused(server.machines("loopback"))
    assert isinstance(error, AuthenticationError)
    assert "unknown" in error.message


def test_a_key_that_is_not_taken(start: Start) -> None:
    """The advice is about keys, not about the network."""
    server = start()
    make_key(server.folder / "wrong")
    config = server.client_config().replace(str(server.client_key), str(server.folder / "wrong"))
    (server.folder / "config").write_text(config)
    error = _refused(server.machines("loopback"))
    assert isinstance(error, AuthenticationError)
    assert "does not take our key" in error.message
    assert "ssh-add" in error.hint


def test_a_port_without_a_server(start: Start) -> None:
    """The machine is there, sshd is not."""
    server = start()
    (server.folder / "config").write_text(server.client_config(port=free_port()))
    error = _refused(server.machines("loopback"))
    assert isinstance(error, NetworkError)
    assert "refuses the connection" in error.message


def test_a_server_that_never_answers(start: Start) -> None:
    """A firewall that swallows everything, or a hung machine: the limit of the ssh config holds."""
    server = start()
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(5)
        port = silent.getsockname()[1]
        (server.folder / "config").write_text(server.client_config("ConnectTimeout 1", port=port))
        error = _refused(server.machines("loopback"))
    assert isinstance(error, NetworkError)
    assert "no answer" in error.message


def test_a_name_without_an_address(start: Start) -> None:
    """A typing error in the machine file."""
    server = start()
    (server.folder / "config").write_text(server.client_config().replace("127.0.0.1", "no-such-host.invalid"))
    error = _refused(server.machines("loopback"))
    assert isinstance(error, NetworkError)
    assert "no address is known for 'no-such-host.invalid'" in error.message


def test_a_lab_that_is_not_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newcomer would try ssh with the lab's config, where `scripts/lab up` is what is missing."""
    target = Target("spark-1", "spark-1", "192.0.2.12", 22, "root", config="/var/lib/reaffirm-lab/ssh/config")
    unreachable = OSError(errno.ENETUNREACH, "Network is unreachable")
    for error in (unreachable, ConnectionRefusedError(), TimeoutError(), asyncssh.ConnectionLost("gone")):
        assert explain(error, target).hint.startswith("is the lab up? `sudo scripts/lab status` tells")
        assert "the lab" not in explain(error, replace(target, config="/etc/ssh/mine")).hint
    assert explain(unreachable, target).hint.endswith(
        "if it is, try `ssh -F /var/lib/reaffirm-lab/ssh/config spark-1` from a terminal"
    )
    monkeypatch.setattr(lab_marker, "_LAB_FOLDER", f"{tmp_path}/")
    node = NodeSpec("spark-1", Role.HEAD, "spark-1")
    with pytest.raises(MachineFileError, match=r"is the lab up\?"):
        open_nodes(Machines("lab", "lab.toml", (node,), ssh_config=str(tmp_path / "none")))


def test_a_missing_ssh_config_names_the_machine_file(tmp_path: Path) -> None:
    """Otherwise the default config would be used and another machine reached."""
    machines = Machines("x", "x.toml", (NodeSpec("a", Role.HEAD, "a"),), ssh_config=str(tmp_path / "none"))
    with pytest.raises(MachineFileError, match=r"x\.toml: ssh-config names a file that is not there"):
        open_nodes(machines)


def test_two_nodes_behind_a_jump_share_its_connection(start: Start) -> None:
    """Each login costs a second and counts against MaxStartups."""
    server = start()
    nodes = open_nodes(server.machines("loopback", "behind"))
    assert nodes["behind"].run(["echo", "x"]).stdout == "x\n"
    assert len(server.sessions()) == 2, "one for the jump and loopback, one for behind"
    close(nodes)


def test_the_jump_of_the_machine_file_is_used(start: Start) -> None:
    """`jump` must work without any ProxyJump in the ssh config."""
    server = start()
    config = server.client_config().replace("ProxyJump loopback", "Compression no")
    (server.folder / "config").write_text(config)
    one = NodeSpec("one", Role.HEAD, "loopback")
    two = NodeSpec("two", Role.WORKER, "behind", jump="one")
    nodes = open_nodes(Machines("m", "m.toml", (one, two), ssh_config=str(server.folder / "config")))
    connection = nodes["two"].run(["sh", "-c", "echo $SSH_CONNECTION"]).stdout.split()
    assert connection[0] == "127.0.0.1"
    sshd_of_jump = {pid for session in server.sessions() for pid in [session, *children(session)]}
    assert sshd_of_jump
    close(nodes)


def test_a_jump_that_cannot_reach_its_target_says_which(start: Start) -> None:
    """Two machines are involved; the message must name the one that is in the way."""
    server = start()
    one = NodeSpec("one", Role.HEAD, "loopback")
    two = NodeSpec("two", Role.WORKER, "127.0.0.1", port=free_port(), jump="one")
    error = _refused(Machines("m", "m.toml", (one, two), ssh_config=str(server.folder / "config")))
    assert isinstance(error, NetworkError)
    assert "two (127.0.0.1 port" in error.message
    assert "through one" in error.message


def test_a_connection_that_drops_in_mid_command(start: Start) -> None:
    """The machine was rebooted: the answer is lost, and the next request connects again."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    for session in server.sessions():
        threading.Timer(0.5, lambda pid=session: os.kill(pid, signal.SIGKILL)).start()
    with pytest.raises(NetworkError) as caught:
        node.run(["sleep", "3211.5"], timeout=30)
    assert "dropped during sleep 3211.5" in caught.value.message
    assert node.run(["echo", "again"]).stdout == "again\n"
    assert _gone("sleep 3211.5"), "what the lost connection left running is ended after reconnecting"
    node.close()


def test_a_followed_log_reports_a_dropped_connection(start: Start) -> None:
    """Silence and a lost connection must not look alike; lines that came before are kept."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    stream = node.follow(["sh", "-c", "echo first; exec sleep 3212.5"])
    assert [line.text for line in stream.read(10)] == ["first"]
    for session in server.sessions():
        os.kill(session, signal.SIGKILL)
    with pytest.raises(NetworkError):
        _read_on(stream)
    assert stream.exit is None
    stream.close()
    node.close()
    _end("sleep 3212.5")


def _read_on(stream: LineStream) -> None:
    for _ in range(20):
        stream.read(1)


class _Cable:
    """A TCP relay to a server that can be frozen: packets vanish, nothing is closed."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.frozen = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets: list[socket.socket] = [self.listener]
        self.threads = [threading.Thread(target=self._accept, daemon=True)]
        self.threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            self.sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                thread = threading.Thread(target=self._relay, args=(source, sink), daemon=True)
                self.threads.append(thread)
                thread.start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        while True:
            try:
                data = source.recv(65536)
                if self.frozen.is_set():
                    continue
                sink.sendall(data)
            except OSError:
                return
            if not data:
                return

    def cut(self) -> None:
        for one in self.sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self.threads:
            thread.join(5)


def test_a_half_open_connection_is_noticed(start: Start) -> None:
    """A pulled cable closes nothing: only the keep-alive tells."""
    server = start()
    cable = _Cable(server.port)
    kind, key, *_ = server.host_key.with_suffix(".pub").read_text().split()
    (server.folder / "known_hosts").write_text(f"[127.0.0.1]:{cable.port} {kind} {key}\n")
    keep_alive = ("ServerAliveInterval 1", "ServerAliveCountMax 2")
    (server.folder / "config").write_text(server.client_config(*keep_alive, port=cable.port))
    node = open_nodes(server.machines("loopback"))["loopback"]
    threading.Timer(0.3, cable.frozen.set).start()
    with pytest.raises(NetworkError) as caught:
        node.run(["sleep", "3213.5"], timeout=60)
    assert "dropped" in caught.value.message
    node.close()
    cable.cut()
    _end("sleep 3213.5")


@pytest.fixture
def heard() -> Iterator[None]:
    """Take Ctrl-C as a terminal's programs do: a shell starts what it puts in the background deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_ctrl_c_gets_out_at_once_and_ends_the_command(start: Start) -> None:
    """A person who stops a run must not wait for the machine, and must not leave work behind."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    threading.Timer(1.0, lambda: signal.raise_signal(signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        node.run(["sleep", "3214.5"], timeout=60)
    assert node.run(["echo", "still there"]).stdout == "still there\n"
    assert _gone("sleep 3214.5")
    node.close()


def test_a_command_that_ignores_the_first_signal_is_killed(start: Start) -> None:
    """A stubborn program must not outlive its time limit."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    with pytest.raises(NodeTimeoutError):
        node.run(["sh", "-c", "trap '' TERM; sleep 3215.5; sleep 3215.6; sleep 3215.7"], timeout=1)
    assert _gone("sleep 3215")
    assert _gone("sh -c trap")
    node.close()


def test_what_a_command_started_is_ended_with_it(start: Start) -> None:
    """A shell that is killed alone would leave its children."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    with pytest.raises(NodeTimeoutError):
        node.run(["sh", "-c", "setsid sleep 3216.5 & sleep 3216.6"], timeout=1)
    assert _gone("sleep 3216")
    node.close()


def test_a_server_that_refuses_signals_is_worked_round(start: Start) -> None:
    """sshd passes no signal on to a forced command; it is ended all the same."""
    server = start('ForceCommand sh -c "$SSH_ORIGINAL_COMMAND"')
    node = open_nodes(server.machines("loopback"))["loopback"]
    with pytest.raises(NodeTimeoutError):
        node.run(["sleep", "3217.5"], timeout=1)
    assert _gone("sleep 3217.5")
    node.close()


def test_close_ends_what_still_runs(start: Start) -> None:
    """A run that fails half-way leaves followed logs open; closing the cluster ends them."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    node.follow(["sleep", "3218.5"])
    node.close()
    node.close()
    assert _gone("sleep 3218.5")
    with pytest.raises(NetworkError, match="was closed"):
        node.run(["true"])


def test_a_followed_log_ends_with_us_even_when_we_are_killed(start: Start) -> None:
    """Nobody clears up after SIGKILL: a silent log would be followed on the machine for ever."""
    server = start()
    program = (
        "import pickle, sys, time; from reaffirm.nodes.ssh import open_nodes\n"
        "node = open_nodes(pickle.load(sys.stdin.buffer))['loopback']\n"
        "stream = node.follow(['sleep', '3220.5']); print('follows', flush=True); time.sleep(60)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    with child.stdin, child.stdout:
        child.stdin.write(pickle.dumps(server.machines("loopback")))
        child.stdin.close()
        assert child.stdout.readline() == b"follows\n"
        for _ in range(100):
            if _running("sleep 3220.5"):
                break
            time.sleep(0.1)
        assert _running("sleep 3220.5")
        child.kill()
        child.wait(10)
    assert _gone("sleep 3220.5")


def test_a_machine_that_starts_no_more_commands(start: Start) -> None:
    """MaxSessions is a setting of sshd, not a fault of the network."""
    server = start("MaxSessions 1")
    node = open_nodes(server.machines("loopback"))["loopback"]
    stream = node.follow(["sleep", "3219.5"])
    with pytest.raises(RemoteCommandError) as caught:
        node.run(["true"])
    assert "MaxSessions" in caught.value.hint
    _end("sleep 3219.5")
    stream.close()
    node.close()


def test_a_machine_that_forbids_forwarding(start: Start) -> None:
    """HTTP needs it; the advice names the setting, and it does not look like a refused port."""
    server = start("AllowTcpForwarding no")
    node = open_nodes(server.machines("loopback"))["loopback"]
    with pytest.raises(RemoteCommandError) as caught:
        node.http(HttpRequest("GET", "http://127.0.0.1:9/"))
    assert "AllowTcpForwarding" in caught.value.hint
    node.close()


def test_an_answer_that_never_ends_is_cut_by_the_limit(start: Start) -> None:
    """A stream that hangs in the middle keeps what came, and says that it was cut."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def serve() -> None:
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart")
            connection.recv(1)
            connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        answer = node.http(HttpRequest("GET", f"http://127.0.0.1:{port}/"), timeout=1)
        node.close()
        thread.join(10)
    assert (answer.status, answer.body) == (200, "part")
    assert answer.error == "no end within 1 s"


def test_every_machine_that_fails_is_named(start: Start) -> None:
    """Whoever repairs one machine wants to know about the other at once."""
    server = start()
    down = free_port()
    one = NodeSpec("one", Role.HEAD, "127.0.0.1", port=down)
    two = NodeSpec("two", Role.WORKER, "no-such-host.invalid")
    error = _refused(Machines("m", "m.toml", (one, two), ssh_config=str(server.folder / "config")))
    assert "one (127.0.0.1" in error.message
    assert "no-such-host.invalid" in error.message


def test_output_without_end_is_cut_and_says_so(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that floods us must not fill the memory, nor pass for whole."""
    monkeypatch.setattr(ssh_commands, "MOST_OUTPUT", 1000)
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    said = node.run(["seq", "100000"]).stdout
    assert said.startswith("1\n2\n3\n")
    assert said.endswith("[cut: 588895 bytes came, 1000 are kept]\n")
    node.close()


def test_a_shell_of_ones_own_gets_the_same_words(start: Start) -> None:
    """A word list is quoted once, whatever sshd and the login shell make of it."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    words = ["echo", "A=b", "$(id)", "`id`", "\\", "!!", "~", "#x", "&", "|", "<", "a  b"]
    code = "import json,sys; print(json.dumps(sys.argv[1:]))"
    assert json.loads(node.run(["python3", "-c", code, *words]).stdout) == words
    node.close()


@pytest.mark.lab
def test_the_lab_says_that_it_is_one(lab: Mapping[str, Transport]) -> None:
    """Evidence from the lab must never pass for evidence from real machines."""
    assert [transport.kind for transport in lab.values()] == [Kind.LAB, Kind.LAB]
    assert [transport.run(["hostname"]).stdout for transport in lab.values()] == ["spark-1\n", "spark-2\n"]


def test_a_machine_without_the_labs_marker_is_real(start: Start) -> None:
    """Nothing in a machine file or a parameter says the kind."""
    server = start()
    node = open_nodes(server.machines("loopback"))["loopback"]
    assert node.kind is (Kind.LAB if Path("/etc/reaffirm-lab").exists() else Kind.REAL)
    node.close()


def test_connect_records_real_machines_and_replays_them(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole way: a machine file, SSH, a recording, and the published run without any machine."""
    server = start()
    nodes = tmp_path / "project" / "runbooks" / "nodes"
    nodes.mkdir(parents=True)
    (tmp_path / "project" / "adrs").mkdir()
    where = os.path.relpath(server.folder / "config", nodes)
    (nodes / "mine.toml").write_text(
        f'ssh-config = "{where}"\n[[node]]\nname = "one"\nrole = "head"\naddress = "loopback"\n'
        '[[node]]\nname = "two"\nrole = "worker"\naddress = "loopback"\njump = "one"\n'
    )
    published = tmp_path / "project" / "docs" / "runs" / "x" / "1"
    monkeypatch.setattr(connecting, "_process", connecting._Process())
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("REAFFIRM_RUN_DIR", str(published))

    def story(cluster: Cluster) -> list[object]:
        with working(Declaration("story", frozenset({Change.NOTHING}))):
            stream = cluster.workers[0].follow(["sh", "-c", "echo a; sleep 0.3; echo b"])
        seen: list[object] = [cluster.kind, cluster.head.run(["cat"], stdin="x"), cluster.head.clock.now()]
        while stream.exit is None:
            seen += stream.read(2)
        stream.close()
        cluster.close()
        return seen

    told = story(reaffirm.connect("mine"))
    server.stop()
    monkeypatch.delenv("REAFFIRM_RUN_DIR")
    (published / "provenance.json").write_text('{"kind": "real"}')
    monkeypatch.chdir(published)
    assert story(reaffirm.connect("mine")) == told


def test_an_account_that_answers_to_anything_is_no_lab_host(start: Start) -> None:
    """A real machine behind a forced command would count as the lab, where nothing needs consent."""
    server = start("ForceCommand echo welcome")
    node = open_nodes(server.machines("loopback"))["loopback"]
    assert node.kind is Kind.REAL
    node.close()
