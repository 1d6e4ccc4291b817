"""reaffirm nodes init and nodes check: on loopback, simulated nodes and the lab; bad words and files."""

import json
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from sshd import Sshd, free_port, missing

from reaffirm.cli.main import main
from reaffirm.errors import UsageError
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.hosts import specs
from reaffirm.nodes.simulated import World
from reaffirm.steps.describe import describe, refuse_one_machine
from reaffirm.steps.machine_text import machine_text
from reaffirm.store.images import read_images
from reaffirm.store.machines import parse_machines, read_machines
from reaffirm.store.node_programs import node_programs

ROOT = Path(__file__).parents[2]
LAB_CONFIG = Path("/var/lib/reaffirm-lab/ssh/config")


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def sshd(tmp_path: Path) -> Iterator[Sshd]:
    """One OpenSSH server on loopback."""
    if reason := missing():
        pytest.skip(f"loopback: {reason}")
    server = Sshd(tmp_path / "sshd").start()
    yield server
    server.stop()


def _world(*, twin_subnets: bool = True) -> tuple[World, Cluster]:
    machines = read_machines(ROOT / "runbooks/nodes/simulated.toml")
    world = World.from_machines(machines, read_images(ROOT / "docs/container-images"), node_programs())
    if not twin_subnets:
        world.node("spark-1").interface("enP2p1s0f1np1").addresses = ["198.51.100.13/25"]
    nodes = {node.name: world.transport(node.name) for node in machines.nodes}
    return world, Cluster(machines, nodes, RunContext(None, show=lambda _: None))


REFERENCES = {"vllm-node": "vllm-node", "vllm-qwen35": "hellohal2064/vllm-qwen3.5-gb10"}


def _text(cluster: Cluster) -> str:
    return machine_text(describe(cluster), cluster.machines, command="a test", references=REFERENCES)


def test_file_from_two_sparks_says_what_was_seen_and_can_be_read() -> None:
    """The first file of a new colleague would not parse, or would leave out what the machines said."""
    world, cluster = _world()
    text = _text(cluster)
    machines = parse_machines(text, shown="it.toml", name="it")
    assert [(n.name, n.role, n.address, n.jump) for n in machines.nodes] == [
        ("spark-1", "head", "192.0.2.21", ""),
        ("spark-2", "worker", "198.51.100.12", "spark-1"),
    ]
    assert machines.fabric_subnet == "198.51.100.0/25"
    assert machines.hf_cache == "/home/nvidia/.cache/huggingface"
    for words in (
        "2026-04-10 09:00 UTC",
        "kind at that time: simulated",
        "NVIDIA GB10 (driver 580.95.05)",
        "enp1s0f1np1 up: 198.51.100.11/25, RDMA device rocep1s0f1",
        "enp1s0f1np1 and enP2p1s0f1np1 are the two halves of one socket",
        "advertises 203.0.113.22 (default route)",
        "NOT REACHED from spark-1: timeout",
        "Qwen/Qwen3.5-122B-A10B-FP8, 118.4 GiB",
        "# protected = [",
        "# read-only = true",
    ):
        assert words in text
    assert not any(request.argv[:2] == ("docker", "run") for request in world.requests)


def test_what_is_missing_is_to_be_filled_in() -> None:
    """A gap would be filled with a guess."""
    world, cluster = _world()
    world.node("spark-2").interface("enp1s0f1np1").up = False
    world.node("spark-2").interface("enP2p1s0f1np1").up = False
    world.node("spark-2").remove_image("vllm-node")
    world.node("spark-2").gpu = ""
    text = _text(cluster)
    assert "FILL IN: no network was found" in text
    assert "not on every machine: vllm-node:latest" in text
    assert "no GPU seen" in text
    assert parse_machines(text, shown="it.toml", name="it").fabric_subnet == ""


def test_twins_on_one_subnet_are_a_risk_in_the_file() -> None:
    """Traffic would take now one half of the socket, now the other."""
    _, cluster = _world(twin_subnets=False)
    assert "RISK: spark-1: enp1s0f1np1 and enP2p1s0f1np1 are both on" in _text(cluster)


def test_hostile_words_of_a_machine_stay_words() -> None:
    """A host name or an image's name with a quote or a line break would write keys of its own."""
    world, cluster = _world()
    node = world.node("spark-1")
    node.hostname = 'x"\n[world]\nstart = 1\n#'
    node.images['vllm"\nuser = "root'] = node.images["vllm-node"]
    machines = parse_machines(_text(cluster), shown="it.toml", name="it")
    assert machines.world == {}
    assert [n.name for n in machines.nodes] == ["spark-1", "spark-2"]
    assert {n.user for n in machines.nodes} == {"nvidia"}


@pytest.mark.parametrize(
    ("words", "options", "said"),
    [
        (["-oProxyCommand=x"], {}, "not a host"),
        (["a b"], {}, "not a host"),
        (["a", "a"], {}, "named once"),
        (["a:99999"], {}, "not a host"),
        (["a", "b"], {"jump": "c"}, "--jump names one of the machines (a, b), got 'c'"),
    ],
)
def test_words_that_are_no_hosts(words: list[str], options: dict[str, str], said: str) -> None:
    """An option of ssh in place of a host would be obeyed."""
    with pytest.raises(UsageError) as caught:
        specs(words, **options)
    assert said in caught.value.message


def test_hosts_with_user_port_and_jump() -> None:
    """What people are used to type would not be understood."""
    head, worker = specs(["me@spark-1:2222", "spark-2"], user="you", jump="spark-1")
    assert (head.user, head.address, head.port, head.jump) == ("me", "spark-1", 2222, "")
    assert (worker.user, worker.port, worker.jump) == ("you", 0, "spark-1")


def test_one_machine_under_two_names_is_refused() -> None:
    """Both ranks would be started on one machine, and wait for its memory."""
    refuse_one_machine([("a", "spark", "1"), ("b", "spark", "2"), ("c", "", ""), ("d", "", "")])
    with pytest.raises(UsageError, match="a and b are one machine"):
        refuse_one_machine([("a", "spark", "1"), ("b", "spark", "1")])


def test_init_of_one_host_over_ssh(sshd: Sshd, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing would be written for a real machine, or a file of ours would be overwritten."""
    config, file = sshd.folder / "config", tmp_path / "mine.toml"
    words = ["nodes", "init", "loopback", "--ssh-config", str(config), "--output", str(file)]
    assert main(words) == 0
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    assert data["ssh-config"].endswith("config")
    assert data["node"][0]["address"] == "loopback"
    assert "reaffirm nodes check" in capsys.readouterr().out
    file.write_text("mine")
    assert main(words) == 3
    assert "is there already; nothing was asked" in capsys.readouterr().err
    assert file.read_text() == "mine"
    assert main([*words, "--force"]) == 0
    assert file.read_text() != "mine"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".part")] == []


def test_one_machine_twice_over_ssh(sshd: Sshd, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two aliases of one machine would be taken for two machines."""
    words = ["nodes", "init", "loopback", "behind", "--ssh-config", str(sshd.folder / "config")]
    assert main([*words, "--output", str(tmp_path / "two.toml")]) == 3
    assert "are one machine" in capsys.readouterr().err
    assert not (tmp_path / "two.toml").exists()


def test_worker_that_is_not_reached_is_tried_through_the_head(
    sshd: Sshd, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worker on the cable alone would need an ssh config before anything can be asked."""
    port = free_port()
    text = (sshd.folder / "config").read_text()
    config = tmp_path / "config"
    config.write_text(f"Host dead\n  HostName 127.0.0.1\n  Port {port}\n{text}")
    words = ["nodes", "init", "loopback", "dead", "--ssh-config", str(config)]
    assert main([*words, "--output", str(tmp_path / "two.toml")]) == 2
    said = capsys.readouterr().err
    assert "through loopback" in said
    assert "directly: dead" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--output", "no/such/folder/x.toml"], "the folder of no/such/folder/x.toml is not there"),
        (["--output", "README.md"], "ends in .toml"),
        (["--output", "runbooks/nodes/lab.toml"], "is there already"),
        (["--output", "build.toml", "--ssh-config", "no-such-config"], "no ssh config at no-such-config"),
    ],
)
def test_init_stops_before_it_asks(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Machines would be asked for minutes before a wrong path is told."""
    assert main(["nodes", "init", "host-that-is-not.invalid", *words]) == 3
    assert said in capsys.readouterr().err


def test_check_of_simulated_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    """The check would fail where a run succeeds, or say nothing of the address trap."""
    assert main(["nodes", "check", "simulated"]) == 0
    said = capsys.readouterr().out
    assert "SIMULATED" in said
    assert "not reached by spark-2" in said
    assert "0 failed, 2 warned, 0 unknown" in said


def test_check_of_a_file_names_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A typo would have to be searched for."""
    file = tmp_path / "mine.toml"
    file.write_text('[[node]]\nname = "a"\nroel = "head"\n')
    assert main(["nodes", "check", str(file)]) == 3
    assert f"{file}:3: unknown key in [node], got 'roel'; did you mean 'role'?" in capsys.readouterr().err


def test_check_of_machines_with_a_fault_is_1_and_of_silent_ones_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script could not tell a fault from a machine that is switched off."""
    text = (ROOT / "runbooks/nodes/simulated.toml").read_text(encoding="utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text.replace('"198.51.100.12/25", link = "cable"', '"192.0.2.99/25", link = "cable"'))
    file.write_text(file.read_text().replace('subnet = "198.51.100.0/25"', 'subnet = "10.9.9.0/24"'))
    assert main(["nodes", "check", str(file)]) == 1
    assert "no subnet within 10.9.9.0/24" in capsys.readouterr().out
    silent = tmp_path / "silent.toml"
    silent.write_text(f'[[node]]\nname = "a"\nrole = "head"\naddress = "127.0.0.1"\nport = {free_port()}\n')
    assert main(["nodes", "check", str(silent)]) == 2
    assert "refuses the connection" in capsys.readouterr().err


def _lab() -> None:
    done = subprocess.run(
        [ROOT / "scripts/lab", "status", "--json"], capture_output=True, timeout=60, check=False
    )
    if done.returncode != 0 or not LAB_CONFIG.is_file():
        pytest.skip("lab: `scripts/lab status` says it is not up")


@pytest.mark.lab
def test_init_and_check_on_the_lab(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Real hosts, a real jump, real interfaces would give another file than simulated ones."""
    _lab()
    file = tmp_path / "two.toml"
    words = ["nodes", "init", "spark-1", "spark-2", "--ssh-config", str(LAB_CONFIG), "--output", str(file)]
    assert main(words) == 0
    text = file.read_text(encoding="utf-8")
    machines = read_machines(file)
    assert [node.name for node in machines.nodes] == ["spark-1", "spark-2"]
    assert machines.fabric_subnet == "192.168.200.0/24"
    assert machines.images["sglang"] == "sglang:lab"
    assert machines.containers.ipc == ""  # the hosts share one kernel
    assert "kind at that time: lab" in text
    assert "NOT REACHED from spark-2" in text
    capsys.readouterr()
    assert main(["nodes", "check", str(file)]) in (0, 1)  # 1: somebody serves on a port there
    said = capsys.readouterr().out
    assert "lab run" in said
    assert "spark-1 enp1s0f1np1 192.168.200.12" in said


@pytest.mark.lab
def test_copy_image_on_the_lab(tmp_path: Path) -> None:
    """docker save, the cable and docker load would not work together outside of the simulator."""
    _lab()
    from reaffirm.nodes.ssh import open_nodes
    from reaffirm.steps import copy_image

    name = "reaffirm-test-tiny:lab"
    machines = read_machines(ROOT / "runbooks/nodes/lab.toml")
    cluster = Cluster(machines, open_nodes(machines), RunContext(tmp_path, show=lambda _: None))
    tar = "import io, sys, tarfile; t = tarfile.open(sys.argv[1], 'w'); t.addfile(tarfile.TarInfo('empty'))"
    try:
        assert cluster.head.run(["python3", "-c", f"{tar}; t.close()", "/tmp/reaffirm-tiny.tar"]).ok
        assert cluster.head.run(["docker", "import", "/tmp/reaffirm-tiny.tar", name]).ok
        first = copy_image(cluster, name, timeout=120)
        assert first.copied_to == ("spark-2",)
        ids = {
            json.loads(node.run(["docker", "image", "inspect", name]).stdout)[0]["Id"] for node in cluster.all
        }
        assert len(ids) == 1
        assert copy_image(cluster, name, timeout=120).copied_to == ()
        listening = cluster.head.run(["ss", "-Hltnp"]).stdout
        assert "python3" not in listening
    finally:
        for node in cluster.all:
            node.run(["docker", "rmi", name])
        cluster.head.run(["rm", "-f", "/tmp/reaffirm-tiny.tar"])
        cluster.close()
