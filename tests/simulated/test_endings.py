"""Change one thing and the ending follows: launches on simulated nodes, through the transport alone."""

from dataclasses import replace

import pytest
from launches import ARCHITECTURE, FABRIC, MODEL, NODES, launch, log, make_world, ready, start, state

from reaffirm.nodes.simulated import World

HOUR = 3600.0
FAST_PATH_OFF = {
    "sglang": "CustomAllreduce is disabled because this process group spans across nodes.",
    "vllm": "Custom allreduce is disabled because this process group spans across nodes.",
}


@pytest.fixture
def world() -> World:
    """The world that ships."""
    return make_world()


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_without_its_host_address_an_engine_falls_silent(world: World, engine: str) -> None:
    """The story's stall would not happen: both ranks end with the fast-path line and run on for ever."""
    launch(world, engine)
    world.advance(HOUR)
    first = [log(world, engine, rank) for rank in (0, 1)]
    for rank in (0, 1):
        assert FAST_PATH_OFF[engine] in first[rank].splitlines()[-1]
        assert state(world, engine, rank) == "running"
    world.advance(24 * HOUR)
    assert [log(world, engine, rank) for rank in (0, 1)] == first
    assert not ready(world, engine)


def test_a_stall_can_be_told_apart_on_the_live_nodes(world: World) -> None:
    """The two commands that find the cause without a restart would show nothing."""
    launch(world, "sglang")
    world.advance(300)
    listening = world.transport("spark-1").run(["ss", "-H", "-ltnp"]).stdout
    dialled = world.transport("spark-2").run(["ss", "-H", "-tn", "state", "syn-sent"]).stdout
    queue = next(line.split()[3] for line in listening.splitlines() if "192.0.2.21" in line)
    assert dialled.split()[-1] == queue


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_the_host_address_set_ends_in_ready(world: World, engine: str) -> None:
    """The one variable that tells the causes apart would make no difference."""
    launch(world, engine, host_address=True)
    world.advance(HOUR)
    assert ready(world, engine)
    assert [state(world, engine, rank) for rank in (0, 1)] == ["running", "running"]


def test_a_shared_office_network_ends_in_ready(world: World) -> None:
    """The stall would be a script and not follow from the network."""
    world.join_links("office-1", "office-2")
    launch(world, "sglang")
    world.advance(HOUR)
    assert ready(world, "sglang")


def test_both_nodes_on_one_office_lan_ends_in_ready(world: World) -> None:
    """A worker whose Wi-Fi is on the head's own LAN could not reach the head's LAN address."""
    wifi = world.node("spark-2").interface("wlP9s9")
    wifi.link, wifi.addresses, wifi.gateway = "office-1", ["192.0.2.22/24"], "192.0.2.1"
    launch(world, "sglang")
    world.advance(HOUR)
    assert ready(world, "sglang")


def test_a_network_repaired_later_lets_the_start_go_on(world: World) -> None:
    """ZeroMQ dials again and again; a stalled start must go on once the address can be reached."""
    launch(world, "sglang")
    world.advance(HOUR)
    world.join_links("office-1", "office-2")
    world.advance(HOUR)
    assert ready(world, "sglang")


def test_the_queue_switched_off_ends_in_ready(world: World) -> None:
    """The second experiment that tells the causes apart would make no difference."""
    launch(world, "sglang", env={"SGLANG_USE_MESSAGE_QUEUE_BROADCASTER": "false"})
    world.advance(HOUR)
    assert ready(world, "sglang")


def test_disabling_the_fast_path_removes_the_line_and_not_the_stall(world: World) -> None:
    """A reader would take the flag for a remedy."""
    launch(world, "sglang", arguments=["--disable-custom-all-reduce"])
    world.advance(HOUR)
    assert "ustomAllreduce" not in log(world, "sglang", 0)
    assert log(world, "sglang", 0).splitlines()[-1].endswith("NCCL INFO Connected all rings")
    assert not ready(world, "sglang")


def test_the_handle_shows_with_the_log_level_of_debug(world: World) -> None:
    """The cheapest more talkative log would show no address."""
    launch(world, "sglang", arguments=["--log-level", "debug"])
    world.advance(300)
    assert "Handle(connect_ip='192.0.2.21'" in log(world, "sglang", 0)
    assert "Connecting to tcp://192.0.2.21:" in log(world, "sglang", 1)


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_an_address_of_another_host_cannot_be_bound(world: World, engine: str) -> None:
    """The same host address copied to both nodes would seem to work."""
    variable = {"sglang": "SGLANG_HOST_IP", "vllm": "VLLM_HOST_IP"}[engine]
    launch(world, engine, env={variable: FABRIC["spark-2"]})
    world.advance(60)
    assert "zmq.error.ZMQError: Cannot assign requested address" in log(world, engine, 0)
    assert state(world, engine, 0) == "exited 1"


def test_a_rank_alone_waits_and_then_gives_up(world: World) -> None:
    """A head without a worker would become ready, or wait longer than PyTorch does."""
    start(world, "sglang", 0, host_address=True)
    world.advance(500)
    assert state(world, "sglang", 0) == "running"
    assert log(world, "sglang", 0).splitlines()[-1].endswith("Init torch distributed begin.")
    world.advance(200)
    assert "waiting for clients. 1/2 clients joined" in log(world, "sglang", 0)
    assert state(world, "sglang", 0) == "exited 1"


def test_a_worker_that_cannot_reach_the_head_says_so(world: World) -> None:
    """A cable pulled on the worker would look like the stall."""
    world.node("spark-2").interface("enp1s0f1np1").up = False
    launch(world, "sglang", host_address=True)
    world.advance(700)
    text = log(world, "sglang", 1)
    assert "timed out after 600000ms while trying to connect to (198.51.100.11, 50000)" in text
    assert state(world, "sglang", 1) == "exited 1"


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("GLOO_SOCKET_IFNAME", "enp9s9", "Unable to find address for: enp9s9"),
        ("GLOO_SOCKET_IFNAME", "enp1s0f0np0", "Unable to find address for: enp1s0f0np0"),
        ("GLOO_SOCKET_IFNAME", "", "Gloo connectFullMesh failed"),
        ("NCCL_SOCKET_IFNAME", "enp9s9", "NCCL WARN Bootstrap : no socket interface found"),
        ("NCCL_SOCKET_IFNAME", "", "NCCL error: internal error"),
    ],
)
def test_a_wrong_interface_ends_with_the_fitting_line(
    world: World, variable: str, value: str, line: str
) -> None:
    """A typing mistake in an interface name, or none at all, would go unnoticed."""
    launch(world, "sglang", host_address=True, env={variable: value})
    world.advance(120)
    assert line in log(world, "sglang", 1)
    assert [state(world, "sglang", rank) for rank in (0, 1)] == ["exited 1", "exited 1"]


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_the_killed_worker_is_the_first_error_of_both(world: World, engine: str) -> None:
    """The head's error would come first, and people would look on the wrong node."""
    launch(world, engine, host_address=True)
    world.advance(120)
    killed = world.clock.now()
    world.node("spark-2").kill(f"{engine}-worker")
    world.advance(30)
    assert state(world, engine, 1) == "exited 137"
    assert state(world, engine, 0) == "exited 1"
    text = log(world, engine, 0)
    assert "Connection closed by peer [198.51.100.12]" in text
    ends = {}
    for rank, node in enumerate(NODES):
        name = f"{engine}-{'worker' if rank else 'head'}"
        ends[rank] = world.node(node).containers[name].finished
    assert ends[1] == killed < ends[0]


def test_a_head_in_the_hand_shake_does_not_notice_that_its_worker_died(world: World) -> None:
    """A bare receive has no time-out: the head of the stall must stay silent and running."""
    launch(world, "sglang")
    world.advance(300)
    world.node("spark-2").kill("sglang-worker")
    world.advance(HOUR)
    assert state(world, "sglang", 1) == "exited 137"
    assert state(world, "sglang", 0) == "running"


@pytest.mark.parametrize(("engine", "after"), [("vllm", 15), ("sglang", HOUR)])
def test_a_taken_port_fails_when_that_engine_binds_it(world: World, engine: str, after: float) -> None:
    """vLLM binds its port first of all, SGLang when all weights are loaded."""
    world.node("spark-1").occupy({"vllm": 8000, "sglang": 30000}[engine])
    launch(world, engine, host_address=True)
    world.advance(15)
    assert (state(world, engine, 0) == "exited 1") is (engine == "vllm")
    world.advance(after)
    assert "address already in use" in log(world, engine, 0)
    assert state(world, engine, 0) == "exited 1"


def test_a_taken_meeting_port_fails_as_pytorch_does(world: World) -> None:
    """An old container that still holds the port would not be named."""
    world.node("spark-1").occupy(50000)
    launch(world, "sglang", host_address=True)
    world.advance(60)
    assert "port: 50000, useIpv6: false, code: -98, name: EADDRINUSE" in log(world, "sglang", 0)


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_weights_that_are_incomplete_on_one_node_fail_there(world: World, engine: str) -> None:
    """A half-finished download on the worker would load all the same."""
    weights = world.node("spark-2").weights[MODEL]
    weights.remove(weights.names[6])
    launch(world, engine, host_address=True)
    world.advance(HOUR)
    assert 'FileNotFoundError: No such file or directory: "' in log(world, engine, 1)
    assert weights.names[6] in log(world, engine, 1)
    assert "FileNotFoundError" not in log(world, engine, 0)
    assert state(world, engine, 0) == "exited 1"


def test_a_shard_cut_short_fails_while_it_is_read(world: World) -> None:
    """A file that is there but too short would load all the same."""
    weights = world.node("spark-1").weights[MODEL]
    weights.truncate(weights.names[0])
    launch(world, "vllm", host_address=True)
    world.advance(HOUR)
    assert "SafetensorError: Error while deserializing header" in log(world, "vllm", 0)


def test_no_weights_at_all_fail_before_any_group(world: World) -> None:
    """A node without the model would wait for its peer and look stuck."""
    del world.node("spark-2").weights[MODEL]
    launch(world, "vllm", host_address=True)
    world.advance(60)
    assert "LocalEntryNotFoundError" in log(world, "vllm", 1)
    assert state(world, "vllm", 1) == "exited 1"


def test_too_little_free_memory_is_named(world: World) -> None:
    """Another process's memory, or the page cache, would not count."""
    world.node("spark-2").occupy_memory(40.0)
    launch(world, "vllm", host_address=True)
    world.advance(HOUR)
    text = log(world, "vllm", 1)
    assert "ValueError: Free memory on device cuda:0 (" in text
    assert "is less than desired GPU memory utilization (0.7, 85.18 GiB)" in text


def test_the_default_share_of_memory_does_not_fit_a_spark(world: World) -> None:
    """Public reports: more than about 0.83 often fails, because the page cache is not free for the GPU."""
    launch(world, "vllm", host_address=True, arguments=["--gpu-memory-utilization", "0.9"])
    world.advance(HOUR)
    assert "(0.9, 109.52 GiB)" in log(world, "vllm", 0)


def test_an_image_without_the_class_fails_early(world: World) -> None:
    """Newer Transformers in the old image would seem to help."""
    launch(world, "vllm", host_address=True, image="vllm-node")
    world.advance(60)
    assert "model type `qwen3_5_moe` but Transformers does not recognize this architecture" in log(
        world, "vllm", 0
    )
    other = make_world()
    image = other.node("spark-1").images["vllm-node"]
    other.put_image(replace(image, transformers_version="5.2.0"))
    launch(other, "vllm", host_address=True, image="vllm-node")
    other.advance(60)
    line = f"Model architectures ['{ARCHITECTURE}'] are not supported for now. Supported architectures: dict"
    assert line in log(other, "vllm", 0)
    assert "Gloo" not in log(other, "vllm", 0)


def test_an_image_that_gains_the_class_serves(world: World) -> None:
    """Supporting a model would hang on the image's name instead of its registry."""
    image = world.node("spark-1").images["vllm-node"]
    registry = replace(image.registry, names=(*image.registry.names, ARCHITECTURE), absent=())
    world.put_image(replace(image, registry=registry))
    launch(world, "vllm", host_address=True, image="vllm-node")
    world.advance(HOUR)
    assert ready(world, "vllm")


@pytest.mark.parametrize(
    ("engine", "version", "line"),
    [
        ("sglang", "0.5.9", "Custom allreduce is disabled because"),
        ("sglang", "0.5.10", "CustomAllreduce is disabled because"),
        ("sglang", "0.5.23", "Init parallel ends. elapsed="),
        ("vllm", "0.25.1", "Custom allreduce is disabled because"),
        ("vllm", "0.30.0", "rank 0 in world size 2 is assigned as DP rank 0"),
    ],
)
def test_the_wording_follows_the_version(world: World, engine: str, version: str, line: str) -> None:
    """A signature with a version range would be tested against one wording only."""
    name = {"sglang": "sglang", "vllm": "vllm-qwen35"}[engine]
    world.put_image(replace(world.node("spark-1").images[name], engine_version=version))
    launch(world, engine, host_address=True)
    world.advance(HOUR)
    assert line in log(world, engine, 0)
    if version == "0.30.0":
        assert "llreduce is disabled" not in log(world, engine, 0)


def test_without_the_rdma_devices_nccl_falls_back_to_sockets(world: World) -> None:
    """A container without /dev/infiniband would be shown as if it used RDMA."""
    launch(world, "sglang", host_address=True, options=["--gpus", "all"])
    world.advance(60)
    assert "NCCL INFO NET/IB : No device found." in log(world, "sglang", 0)
    assert "NCCL INFO Using network Socket" in log(world, "sglang", 0)


def test_a_restart_policy_buries_the_first_error(world: World) -> None:
    """The reason to start containers with --restart no could not be shown."""
    weights = world.node("spark-2").weights[MODEL]
    weights.remove()
    options = ["--gpus", "all", "--restart", "on-failure:2"]
    start(world, "vllm", 1, host_address=True, options=options)
    world.advance(120)
    assert log(world, "vllm", 1).count("LocalEntryNotFoundError") == 3
    answer = world.transport("spark-2").run(
        ["docker", "inspect", "--format", "{{.RestartCount}}", "vllm-worker"]
    )
    assert answer.stdout == "2\n"


@pytest.mark.parametrize(("address", "joined"), [("", False), ("SGLANG_HOST_IP", True)])
def test_a_program_that_only_forms_groups_has_the_same_trap(world: World, address: str, joined: bool) -> None:
    """Where no server can run, the part of the engine that stalls could not be shown."""
    text = "# stands for a program that calls the engine's own group formation\n"
    world.programs["sglang_groups.py"] = text
    for rank, node in enumerate(NODES):
        env = ["-e", "GLOO_SOCKET_IFNAME=enp1s0f1np1"]
        env += ["-e", f"{address}={FABRIC[node]}"] if address else []
        words = ["docker", "run", "-d", "--name", "groups", "--network", "host", *env, "sglang"]
        words += ["python3", "-c", text, "--rank", str(rank), "--world-size", "2"]
        answer = world.transport(node).run([*words, "--init", f"tcp://{FABRIC['spark-1']}:50000"])
        assert answer.exit == 0
    world.advance(120)
    for node in NODES:
        lines = world.node(node).containers["groups"].logs
        assert ("reaffirm: all_reduce of ones gave 2.0" in [line.text for line in lines]) is joined
    world.advance(HOUR)
    containers = [world.node(node).containers["groups"] for node in NODES]
    assert [(c.status, c.exit_code) for c in containers] == [("exited" if joined else "running", 0)] * 2
