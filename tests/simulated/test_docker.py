"""The simulated ``docker``: exit statuses and texts of the real one, where a step's mistakes show."""

import json

import pytest
from launches import CACHE, MODEL, launch, log, make_world, start, state

from reaffirm.errors import NodeTimeoutError
from reaffirm.nodes.simulated import World

RUN = ["docker", "run", "-d", "--name", "box", "--network", "host"]


@pytest.fixture
def world() -> World:
    """The world that ships."""
    return make_world()


@pytest.mark.parametrize(
    ("argv", "status", "text"),
    [
        (["docker", "run", "--no-such-flag", "sglang"], 125, "unknown flag: --no-such-flag"),
        (["docker", "run", "-d", "--name"], 125, "flag needs an argument: --name"),
        (["docker", "run", "-d"], 125, "requires at least 1 argument"),
        (["docker", "frobnicate"], 1, "docker: unknown command: docker frobnicate"),
        ([*RUN, "no-such-image", "true"], 125, "Unable to find image 'no-such-image:latest' locally"),
        ([*RUN, "no-such-image", "true"], 125, "pull access denied for no-such-image"),
        (
            [*RUN, "-v", "~/.cache:/cache", "sglang", "true"],
            125,
            "includes invalid characters for a local volume",
        ),
        ([*RUN, "--device=/dev/none", "sglang", "true"], 125, 'custom device "/dev/none": no such file'),
        ([*RUN, "sglang", "vllm", "serve", MODEL], 127, 'exec: "vllm": executable file not found in $PATH'),
        (["docker", "run", "-d", "--name", "a;b", "sglang", "true"], 125, "Invalid container name (a;b)"),
        (["docker", "inspect", "none"], 1, "no such object: none"),
        (["docker", "image", "inspect", "none"], 1, "No such image: none:latest"),
        (["docker", "logs", "none"], 1, "No such container: none"),
        (["docker", "stop", "none"], 1, "No such container: none"),
        (["docker", "rm", "none"], 1, "No such container: none"),
        (["docker", "rm", "-f", "none"], 0, "No such container: none"),
    ],
)
def test_what_docker_refuses(world: World, argv: list[str], status: int, text: str) -> None:
    """A wrong command line would pass here and fail on the first real machine."""
    answer = world.transport("spark-1").run(argv)
    assert answer.exit == status
    assert text in answer.stderr


def test_a_missing_gpu_stops_the_container(world: World) -> None:
    """A host without the NVIDIA toolkit would start engines all the same."""
    world.node("spark-1").gpu = ""
    answer = start(world, "sglang", 0)
    assert answer.exit == 125
    assert 'could not select device driver "" with capabilities: [[gpu]]' in answer.stderr
    assert state(world, "sglang", 0) == "created 125"


def test_a_name_is_taken_by_somebody_elses_container(world: World) -> None:
    """A foreign container under our name would be replaced."""
    transport = world.transport("spark-1")
    assert (
        transport.run(["docker", "run", "-d", "--name", "vllm-head", "sglang", "sleep", "infinity"]).exit == 0
    )
    answer = start(world, "vllm", 0)
    assert answer.exit == 125
    assert 'Conflict. The container name "/vllm-head" is already in use by container "' in answer.stderr
    found = json.loads(transport.run(["docker", "inspect", "vllm-head"]).stdout)
    assert found[0]["Config"]["Labels"] == {}


def test_inspect_has_dockers_shape(world: World) -> None:
    """A step that reads labels, state or mounts would read nothing."""
    start(
        world,
        "vllm",
        0,
        options=["--label", "org.reaffirm.runbook=x", "--gpus", "all", "--ulimit", "memlock=-1"],
    )
    (found,) = json.loads(world.transport("spark-1").run(["docker", "inspect", "vllm-head"]).stdout)
    assert found["Name"] == "/vllm-head"
    assert found["Config"]["Labels"] == {"org.reaffirm.runbook": "x"}
    assert "GLOO_SOCKET_IFNAME=enp1s0f1np1" in found["Config"]["Env"]
    assert found["Config"]["Image"] == "vllm-qwen35"
    assert found["HostConfig"]["RestartPolicy"] == {"Name": "no", "MaximumRetryCount": 0}
    assert found["HostConfig"]["NetworkMode"] == "host"
    assert found["HostConfig"]["Ulimits"] == [{"Name": "memlock", "Hard": -1, "Soft": -1}]
    assert found["Mounts"][0]["Source"] == CACHE
    assert found["State"]["Status"] == "running"
    assert found["State"]["StartedAt"] == "2026-04-10T09:00:00.600000000Z"


def test_images_are_those_of_the_pages_and_can_be_missing_on_one_node(world: World) -> None:
    """An image that was never copied to the worker would start there."""
    answer = world.transport("spark-2").run(["docker", "image", "inspect", "sglang"])
    (found,) = json.loads(answer.stdout)
    assert (found["Architecture"], found["Os"], found["RepoDigests"]) == ("arm64", "linux", [])
    same = json.loads(world.transport("spark-1").run(["docker", "image", "inspect", "sglang"]).stdout)
    assert same[0]["Id"] == found["Id"]
    world.node("spark-2").remove_image("sglang")
    assert world.transport("spark-2").run(["docker", "image", "inspect", "sglang"]).exit == 1
    assert start(world, "sglang", 1).exit == 125


def test_an_image_for_another_processor_does_not_run(world: World) -> None:
    """An amd64 image on a Spark would start."""
    world.node("spark-1").platform = "linux/amd64"
    start(world, "sglang", 0)
    world.advance(1)
    assert "exec format error" in log(world, "sglang", 0)
    assert state(world, "sglang", 0) == "exited 255"


@pytest.mark.parametrize(
    ("engine", "words", "refused"),
    [
        ("vllm", ["--gpu-memory-utilisation", "0.97"], "vllm serve: error: unrecognized arguments: {}"),
        ("vllm", ["--enforce-eagre"], "vllm serve: error: unrecognized arguments: {}"),
        ("sglang", ["--mem-fraction-statc", "0.5"], "launch_server.py: error: unrecognized arguments: {}"),
        ("vllm", ["--gpu-memory-util", "0.7"], ""),
        ("vllm", ["--gpu_memory_utilization=0.7", "--kv-cache-dtype", "fp8", "--pp", "1"], ""),
        ("sglang", ["--pp-size", "1", "--ep-size", "1", "--data-parallel-size", "1"], ""),
    ],
)
def test_a_misspelt_flag_is_refused(world: World, engine: str, words: list[str], refused: str) -> None:
    """What somebody changed would have no effect here, and end the launch on real machines."""
    start(world, engine, 0, arguments=words)
    world.advance(10)
    assert state(world, engine, 0) == ("exited 2" if refused else "running")
    if refused:
        assert refused.format(" ".join(words)) in log(world, engine, 0)


def test_a_running_container_is_not_removed_without_force(world: World) -> None:
    """``docker rm`` would end what it must not."""
    start(world, "sglang", 0)
    transport = world.transport("spark-1")
    answer = transport.run(["docker", "rm", "sglang-head"])
    assert answer.exit == 1
    assert "stop the container before removing or force remove" in answer.stderr
    assert transport.run(["docker", "kill", "sglang-head"]).exit == 0
    assert state(world, "sglang", 0) == "exited 137"
    assert transport.run(["docker", "rm", "sglang-head"]).stdout == "sglang-head\n"
    assert transport.run(["docker", "ps", "-a", "--format", "{{.Names}}"]).stdout == ""


@pytest.mark.parametrize(("host_address", "code"), [(True, ""), (False, "137")])
def test_stop_is_heeded_by_what_serves_and_not_by_what_hangs(
    world: World, host_address: bool, code: str
) -> None:
    """A hung engine would seem to end cleanly."""
    launch(world, "sglang", host_address=host_address)
    world.advance(3600)
    world.transport("spark-1").run(["docker", "stop", "sglang-head"])
    assert state(world, "sglang", 0) == f"exited {code}".strip()


def test_logs_follow_until_the_container_ends(world: World) -> None:
    """A follower would miss lines, repeat them, or never learn of the end."""
    launch(world, "vllm", host_address=True)
    stream = world.transport("spark-1").follow(["docker", "logs", "-f", "vllm-head"])
    lines = []
    while stream.exit is None and world.clock.now() < 1775811600 + 900:
        lines += stream.read(5.0)
    assert stream.exit is None
    assert lines[-1].text == "INFO:     Application startup complete."
    assert [line.at for line in lines] == sorted(line.at for line in lines)
    assert [f"{line.text}\n" for line in lines] == log(world, "vllm", 0).splitlines(keepends=True)
    world.transport("spark-1").run(["docker", "rm", "-f", "vllm-head"])
    stream.read(1.0)
    assert stream.exit == 0


def test_following_what_is_not_there_ends_at_once(world: World) -> None:
    """A wrong name would be followed for ever."""
    stream = world.transport("spark-1").follow(["docker", "logs", "-f", "none"])
    (line,) = stream.read(1.0)
    assert line.text == "Error response from daemon: No such container: none"
    assert stream.read(0.0) == []
    assert stream.exit == 1


def test_silence_takes_virtual_time_only(world: World) -> None:
    """A ten-minute wait would take ten minutes, or none."""
    launch(world, "sglang")
    stream = world.transport("spark-1").follow(["docker", "logs", "-f", "sglang-head"])
    while stream.read(60.0):
        pass
    before = world.clock.now()
    assert stream.read(600.0) == []
    assert world.clock.now() == before + 600
    assert stream.exit is None
    stream.close()


def test_a_command_that_does_not_end_meets_its_limit(world: World) -> None:
    """A hung command would hang the run."""
    launch(world, "sglang")
    before = world.clock.now()
    with pytest.raises(NodeTimeoutError, match="spark-1: no end of 'docker logs -f sglang-head'"):
        world.transport("spark-1").run(["docker", "logs", "-f", "sglang-head"], timeout=30)
    assert world.clock.now() == before + 30


def test_a_container_that_runs_once_gives_its_output(world: World) -> None:
    """The throw-away container of a probe would stay behind."""
    transport = world.transport("spark-1")
    answer = transport.run(["docker", "run", "--rm", "sglang", "echo", "hello"])
    assert (answer.exit, answer.stdout) == (0, "hello\n")
    assert transport.run(["docker", "ps", "-a", "--format", "{{.Names}}"]).stdout == ""
    module = ["docker", "run", "--rm", "vllm-node", "python3", "-m", "sglang.launch_server"]
    assert "No module named 'sglang'" in transport.run(module).stderr
