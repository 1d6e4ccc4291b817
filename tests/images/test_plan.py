"""Launch plans: what docker run gets, from what a survey found."""

import pytest

from reaffirm.errors import UsageError
from reaffirm.images.names import container_name, image_reference, model_name
from reaffirm.images.plan import Place, RankPlan, container_names, launch_plan
from reaffirm.model.node import ContainersHere, Engine, LaunchHere, Machines, ModelHere
from reaffirm.model.survey import FabricEnd, NodeFacts

MODEL = "Qwen/Qwen3.5-122B-A10B-FP8"


def _places(*, gpu: bool = True, rdma: bool = True) -> list[Place]:
    return [
        Place(
            NodeFacts(name, gpus=("NVIDIA GB10",) if gpu else ()),
            FabricEnd(name, f"enp{n}", f"192.0.2.{n}", ("rocep1", "roceP2") if rdma else ()),
            "/home/me/.cache/huggingface",
        )
        for n, name in ((12, "spark-1"), (13, "spark-2"))
    ]


def _machines(**more: object) -> Machines:
    return Machines(name="m", path="m.toml", nodes=(), **more)  # type: ignore[arg-type]


def _environment(rank: RankPlan) -> dict[str, str]:
    pairs = [value for flag, value in zip(rank.argv, rank.argv[1:], strict=False) if flag == "-e"]
    return dict(pair.split("=", 1) for pair in pairs)


def test_vllm_on_sparks() -> None:
    """vLLM would start without its own address or RDMA, or with a restart that erases the first error."""
    plan = launch_plan(
        "vllm", image="img:1", model=MODEL, machines=_machines(), places=_places(), runbook="pivot"
    )
    head, worker = plan.ranks
    assert head.argv[:5] == ("docker", "run", "-d", "--name", "vllm-head")
    joined = " ".join(worker.argv)
    for words in (
        "--label org.reaffirm.runbook=pivot",
        "--restart no",
        "--network host",
        "--ipc host",
        "--ulimit memlock=-1",
        "--gpus all",
        "--device=/dev/infiniband",
        "-v /home/me/.cache/huggingface:/root/.cache/huggingface",
        f"img:1 vllm serve {MODEL} --tensor-parallel-size 2 --nnodes 2 --node-rank 1",
        "--master-addr 192.0.2.12 --master-port 29501 --headless",
        "--reasoning-parser qwen3",
        "--gpu-memory-utilization 0.7",
    ):
        assert words in joined
    assert "--headless" not in head.argv
    environment = _environment(worker)
    assert environment["VLLM_HOST_IP"] == "192.0.2.13"
    assert environment["GLOO_SOCKET_IFNAME"] == environment["TP_SOCKET_IFNAME"] == "enp13"
    assert environment["NCCL_IB_HCA"] == "rocep1,roceP2"
    assert (plan.port, plan.goal) == (8000, "ready")


def test_sglang_command() -> None:
    """SGLang would wait on another port, or say nothing of NCCL."""
    plan = launch_plan("sglang", image="img", model=MODEL, machines=_machines(), places=_places())
    joined = " ".join(plan.ranks[1].argv)
    assert f"python3 -m sglang.launch_server --model-path {MODEL} --tp 2 --nnodes 2 --node-rank 1" in joined
    assert "--dist-init-addr 192.0.2.12:50000 --host 0.0.0.0 --port 30000" in joined
    environment = _environment(plan.ranks[1])
    assert environment["NCCL_DEBUG"] == "INFO"
    assert environment["SGLANG_HOST_IP"] == "192.0.2.13"
    assert "TP_SOCKET_IFNAME" not in environment


def test_no_gpu_and_no_rdma_ask_for_none() -> None:
    """Docker would refuse to start on a host without them."""
    plan = launch_plan(
        "vllm", image="img", model=MODEL, machines=_machines(), places=_places(gpu=False, rdma=False)
    )
    joined = " ".join(plan.ranks[0].argv)
    for words in ("--gpus", "/dev/infiniband", "NCCL_IB", "--gpu-memory-utilization"):
        assert words not in joined


def test_machine_file_decides() -> None:
    """What a machine file says about these machines would be ignored."""
    machines = _machines(
        models={MODEL: ModelHere(path="/models/tiny", stand_in="random")},
        containers=ContainersHere(ipc="", shm_size="1g", ulimits=(), extra=("--memory", "9g")),
        launch={
            "vllm": LaunchHere(
                port=8001,
                master_port=29777,
                env={"OMP_NUM_THREADS": "1", "VLLM_HOST_IP": "198.51.100.1"},
                arguments=("--max-model-len", "512", "--gpu-memory-utilization=0.5"),
            )
        },
    )
    argv = launch_plan("vllm", image="img", model=MODEL, machines=machines, places=_places()).ranks[0].argv
    joined = " ".join(argv)
    assert "--ipc" not in argv
    assert "--ulimit" not in argv
    assert "--shm-size 1g" in joined
    assert "-v /models/tiny:/models/tiny:ro" in joined
    assert "--memory 9g img vllm serve /models/tiny" in joined
    assert f"--served-model-name {MODEL}" in joined
    assert "--master-port 29777" in joined
    assert joined.endswith("--max-model-len 512 --gpu-memory-utilization=0.5")
    assert "0.7" not in joined
    assert "-e VLLM_HOST_IP=192.0.2.12" in joined
    without = launch_plan(
        "vllm", image="img", model=MODEL, machines=machines, places=_places(), host_address=False
    )
    assert "VLLM_HOST_IP" not in " ".join(without.ranks[0].argv)


def test_size_and_engine_must_fit() -> None:
    """A launch of two nodes would wait for four."""
    with pytest.raises(UsageError, match="tensor parallel size 4"):
        launch_plan(
            "vllm", image="i", model="m", machines=_machines(), places=_places(), tensor_parallel_size=4
        )
    with pytest.raises(UsageError, match="unknown engine"):
        launch_plan("trt", image="i", model="m", machines=_machines(), places=_places())


def test_names_of_containers() -> None:
    """Two launches side by side would take each other's names."""
    assert container_names(Engine.VLLM, 3) == ("vllm-head", "vllm-worker", "vllm-worker-2")
    assert container_names(Engine.SGLANG, 2, "again") == ("again-head", "again-worker")
    with pytest.raises(UsageError):
        container_names(Engine.SGLANG, 2, "a;b")


@pytest.mark.parametrize("text", ["", "-x", "a b", "a;b", "a'b", 'a"b', "a$b", "a`b", "a\nb", "a|b", "é"])
def test_names_that_are_not_plain(text: str) -> None:
    """A name would be read as an option or as shell text on somebody's machine."""
    for check in (container_name, image_reference, model_name):
        with pytest.raises(UsageError, match="nothing was sent"):
            check(text)


@pytest.mark.parametrize(
    "text", ["img", "nvcr.io/nvidia/vllm:26.05-py3", "a/b@sha256:0af", "localhost:5000/x:y"]
)
def test_usual_references_are_taken(text: str) -> None:
    """A good image would be refused."""
    assert image_reference(text) == text
