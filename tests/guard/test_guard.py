"""The guard in front of every node: what a machine file forbids is not sent, whoever sends it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "steps"))

from scripted_node import MODEL, ScriptedNode, pair

import reaffirm
from reaffirm import steps
from reaffirm.errors import ForbiddenError, StepFailedError, UsageError
from reaffirm.model.evidence import Kind
from reaffirm.model.exchange import HttpRequest
from reaffirm.model.report import Outcome
from reaffirm.model.rules import NameRule, Rules
from reaffirm.nodes import asking_runner
from reaffirm.nodes.cluster import Cluster

PROTECTED = Rules(protected=(NameRule("protected", ("database", "prod-*"), "two.toml:3"),))
NAMES = Rules(names=(NameRule("names", ("vllm-*", "exp-*"), "two.toml:4"),))
READ_ONLY = Rules(read_only="two.toml:5")
KINDS = (Kind.SIMULATED, Kind.LAB, Kind.REAL)


@pytest.fixture
def nobody_asks() -> Iterator[None]:
    """Leave no asker behind."""
    yield
    asking_runner.answers_by(None)


def _held(node: ScriptedNode, name: str, id_: str = "") -> None:
    node.containers[name] = {"began": 0.0, "label": None, "argv": [], **({"id": id_} if id_ else {})}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "argv",
    [
        ["docker", "rm", "-f", "database"],
        ["docker", "rm", "-f", "0123456789ab"],
        ["sudo", "docker", "stop", "-t", "1", "database"],
        ["docker", "rename", "scratch", "prod-web"],
        ["docker", "rename", "database", "x"],
        ["docker", "exec", "database", "kill", "1"],
        ["docker", "run", "-d", "--name", "prod-new", "img"],
        ["docker", "run", "-d", "img"],
        ["docker", "system", "prune", "-f"],
        ["docker", "compose", "down"],
        ["sh", "-c", "docker rm -f database"],
        ["python3", "-c", "import os; os.system('docker stop prod-db')"],
        ["curl", "--unix-socket", "/var/run/docker.sock", "-XDELETE", "http://x/containers/database"],
    ],
    ids=" ".join,
)
def test_a_protected_container_is_out_of_reach(kind: Kind, argv: list[str]) -> None:
    """The database beside the model would be gone because a runbook, or its author, named it."""
    cluster, head, _, _ = pair(kind=kind, consent="spark-1/database", rules=PROTECTED)
    _held(head, "database", "0123456789ab")
    _held(head, "scratch")
    with pytest.raises(ForbiddenError, match=r"two\.toml:3"):
        steps.command(cluster, argv, changes="removes containers", destructive=False)
    with pytest.raises(ForbiddenError, match=r"two\.toml:3"):
        cluster.head.run(argv)
    assert {"database", "scratch"} == set(head.containers)
    assert not [asked for asked in head.asked if "inspect" not in asked]


def test_cleanup_of_a_protected_container_stops_before_anything(tmp_path: Path) -> None:
    """Half of the containers would be removed before the protected one is met."""
    cluster, head, worker, _ = pair(tmp_path, rules=PROTECTED)
    _held(head, "vllm-head")
    _held(worker, "prod-db")
    with pytest.raises(ForbiddenError, match=r"two\.toml:3 protects 'prod-\*'"):
        steps.cleanup(cluster, "vllm-head", "prod-db")
    assert "vllm-head" in head.containers
    assert not [asked for asked in head.asked + worker.asked if "rm -f" in asked]


def test_a_rule_of_one_node_holds_there_only() -> None:
    """A database on one machine would forbid the name on all."""
    cluster, head, worker, _ = pair(node_rules={"spark-2": PROTECTED})
    _held(head, "database")
    _held(worker, "database")
    assert steps.command(cluster, ["docker", "rm", "-f", "database"]).outcome is Outcome.PASS
    with pytest.raises(ForbiddenError):
        steps.command(cluster, ["docker", "rm", "-f", "database"], node="spark-2")


def test_only_the_names_of_the_file_are_started_and_removed() -> None:
    """A runbook with another prefix would fill a shared machine with containers that nobody knows."""
    cluster, head, _, _ = pair(rules=NAMES)
    _held(head, "web")
    with pytest.raises(ForbiddenError, match=r"two\.toml:4 allows only the names 'vllm-\*', 'exp-\*'"):
        steps.cleanup(cluster, "web")
    with pytest.raises(ForbiddenError, match=r"two\.toml:4"):
        steps.launch(cluster, "sglang", image="img", model=MODEL)
    assert not any("docker run" in asked for asked in head.asked)
    with pytest.raises(ForbiddenError, match=r"two\.toml:4 has rules for names"):
        steps.command(cluster, ["sh", "-c", "docker rm -f exp-1"])
    _held(head, "exp-1")
    assert steps.cleanup(cluster, "exp-1").removed == ("spark-1/exp-1",)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_changes_anything_is_sent_to_a_read_only_node(kind: Kind) -> None:
    """Somebody who may only look would find that the runbook started a container."""
    cluster, head, worker, _ = pair(kind=kind, consent="spark-1/vllm-head", rules=READ_ONLY)
    _held(head, "vllm-head")
    for attempt in (
        lambda: steps.cleanup(cluster, "vllm-head"),
        lambda: steps.launch(cluster, "vllm", image="img", model=MODEL, name_prefix="x"),
        lambda: steps.command(cluster, ["touch", "/tmp/x"], changes="writes files"),
        lambda: steps.command(cluster, ["docker", "pull", "img"], changes="nothing"),
        lambda: steps.command(cluster, ["sh", "-c", "docker stop x"], changes="nothing"),
        lambda: steps.command(cluster, ["rm", "/tmp/x"], changes="nothing"),
        lambda: steps.http(cluster, "http://127.0.0.1:1/x", method="DELETE"),
        lambda: cluster.head.http(HttpRequest("POST", "http://127.0.0.1:1/x")),
        lambda: cluster.head.follow(["docker", "start", "-a", "x"]),
    ):
        with pytest.raises(ForbiddenError, match=r"two\.toml:5 says read-only = true"):
            attempt()
    sent = head.asked + worker.asked
    assert not [a for a in sent if a.startswith(("docker r", "docker s", "docker pu", "touch", "rm", "D"))]
    steps.probe_image(cluster, "img", model=MODEL)
    steps.command(cluster, ["df", "-h"])
    steps.command(cluster, ["our-reader", "--json"], changes="nothing")
    steps.file(cluster, "/etc/hosts")
    assert "our-reader --json" in head.asked


def test_an_unknown_command_says_what_it_changes_before_a_real_machine_gets_it() -> None:
    """Nobody would know what a runbook does to the machines before it did it."""
    cluster, head, _, _ = pair(kind=Kind.REAL)
    head.script["make install"] = ""
    with pytest.raises(UsageError, match=r"nobody said what `make install` changes.*nothing was sent"):
        steps.command(cluster, ["make", "install"])
    with pytest.raises(UsageError, match="nobody said"):
        cluster.head.run(["make", "install"])
    assert "make install" not in head.asked
    assert steps.command(cluster, ["make", "install"], changes="writes files").outcome is Outcome.PASS
    lab, _, _, _ = pair(kind=Kind.LAB)
    assert (
        steps.command(lab, ["make", "install"]).outcome is Outcome.UNKNOWN
    )  # sent: there is no such program


@pytest.mark.parametrize(
    ("argv", "target"),
    [
        (["docker", "rm", "-f", "web"], "spark-1/web"),
        (["docker", "rm", "-f", "abcdefabcdef"], "spark-1/web"),
        (["docker", "image", "prune", "-f"], "spark-1/docker image prune"),
        (["rm", "-rf", "/data"], "spark-1/tidy"),
        (["sh", "-c", "docker rm -f web"], "spark-1/tidy"),
        (["docker", "exec", "web", "rm", "-rf", "/data"], "spark-1/web"),
    ],
    ids=str,
)
def test_what_destroys_needs_consent_on_real_machines(argv: list[str], target: str) -> None:
    """The general step would be a way around the question."""
    for consent in ("", target):
        cluster, head, _, _ = pair(kind=Kind.REAL, consent=consent)
        _held(head, "web", "abcdefabcdef")
        head.script |= {"docker image prune": "", "rm -rf": "", "sh -c": "", "docker exec": ""}
        if consent:
            assert (
                steps.command(cluster, argv, name="tidy", changes="removes containers").outcome
                is Outcome.PASS
            )
            continue
        with pytest.raises(StepFailedError, match="no consent to") as caught:
            steps.command(cluster, argv, name="tidy", changes="removes containers")
        assert f"-p consent '{target}'" in caught.value.hint
        assert not [asked for asked in head.asked if "inspect" not in asked]


def test_a_step_that_calls_itself_destructive_asks_before_it_begins() -> None:
    """A step of one's own would have done half of its work before the question comes."""

    @reaffirm.step(changes="writes files", destructive=True)
    def wipe(step: reaffirm.Step) -> None:
        """Wipe the scratch disk."""
        step.run(["our-wiper"])
        step.judge(True, "wiped")

    cluster, head, _, _ = pair(kind=Kind.REAL)
    with pytest.raises(StepFailedError, match="no consent to run the step wipe spark-1/wipe"):
        wipe(cluster)
    assert head.asked == []
    agreed, head, _, _ = pair(kind=Kind.REAL, consent="spark-1/wipe")
    head.script["our-wiper"] = ""
    assert wipe(agreed).outcome is Outcome.PASS


@pytest.mark.parametrize(
    "words", ["all", "*", "spark-1/*", "spark-1/vllm-?", "vllm-head", "spark-9/x", "spark-1/"]
)
def test_patterns_are_no_consent(words: str) -> None:
    """What was started since somebody looked would be removed with a sweeping yes."""
    with pytest.raises(UsageError, match="consent"):
        pair(kind=Kind.REAL, consent=words)


@pytest.mark.parametrize("kind", [Kind.REAL, Kind.LAB])
@pytest.mark.parametrize("answer", ["yes", "y", "YES", "", None])
def test_the_runner_asks_and_only_yes_is_yes(nobody_asks: None, answer: str | None, kind: Kind) -> None:
    """A slip of the finger would remove containers, or nobody could say yes without typing names."""
    asked: list[str] = []

    def person(question: str) -> str | None:
        asked.append(question)
        return answer

    asking_runner.answers_by(person)
    cluster, head, _, _ = pair(kind=kind)
    notes: list[tuple[str, object]] = []
    cluster.agreed._note = lambda op, fields: notes.append((op, fields))
    _held(head, "vllm-head")
    if answer == "yes" or kind is Kind.LAB:
        assert steps.cleanup(cluster, "vllm-head").removed == ("spark-1/vllm-head",)
    else:
        with pytest.raises(StepFailedError, match="no consent"):
            steps.cleanup(cluster, "vllm-head")
        assert "vllm-head" in head.containers
    assert len(asked) == (kind is Kind.REAL)
    if asked:
        assert "spark-1/vllm-head" in asked[0]
        assert "an-image" in asked[0]
        assert "not started by us" in asked[0]
    agreed = {"action": "remove", "targets": ["spark-1/vllm-head"], "how": "prompt"}
    assert notes == ([("consent", agreed)] if answer == "yes" and kind is Kind.REAL else [])


def test_a_name_that_changed_hands_is_not_removed(tmp_path: Path) -> None:
    """Between the look and the removal somebody else's container got the name, and would be gone."""
    cluster, head, _, _ = pair(tmp_path, kind=Kind.REAL, consent="spark-1/vllm-head")
    _held(head, "vllm-head", "aaaaaaaaaaaa")

    def swap(node: ScriptedNode, argv: object) -> str:
        if "vllm-head" in node.containers and node.containers["vllm-head"]["id"] == "aaaaaaaaaaaa":
            node.containers["ours-renamed"] = node.containers.pop("vllm-head")
            _held(node, "vllm-head", "bbbbbbbbbbbb")
        return "a line\n"

    head.script["docker logs --timestamps"] = swap
    with pytest.raises(StepFailedError, match="no consent to docker rm spark-1/ours-renamed"):
        steps.cleanup(cluster, "vllm-head")
    assert set(head.containers) == {"vllm-head", "ours-renamed"}
    simulated, head, _, _ = pair(tmp_path / "2")
    _held(head, "vllm-head", "aaaaaaaaaaaa")
    head.script["docker logs --timestamps"] = swap
    steps.cleanup(simulated, "vllm-head")
    assert head.containers["vllm-head"]["id"] == "bbbbbbbbbbbb"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"changes": "removes container"}, "did you mean 'removes containers'"),
        ({"changes": "nothing", "destructive": True}, "changes nothing, or something"),
        ({"changes": ["nothing", "writes files"]}, "changes nothing, or something"),
        ({"changes": []}, "got no word"),
    ],
    ids=str,
)
def test_a_declaration_that_cannot_be_meant_is_refused(given: dict[str, object], says: str) -> None:
    """A typo would turn a declaration into none."""

    def named(step: reaffirm.Step) -> None:
        """Be a step."""

    cluster, head, _, _ = pair()
    with pytest.raises(UsageError, match=says):
        steps.command(cluster, ["true"], **given)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=says):
        reaffirm.step(**given)(named)  # type: ignore[call-overload]
    assert head.asked == []


def test_every_shipped_step_declares_what_it_changes() -> None:
    """The table of steps, and a dry run, would be silent about one."""
    from reaffirm.steps.declaring import declaration_of, declarations

    told = {name for name in steps.__all__ if name.islower()}
    assert {*declarations(), "command", "http"} == told
    for name, declaration in declarations().items():
        assert declaration_of(getattr(steps, name)) == declaration


def test_all_that_looks_works_on_read_only_simulated_nodes() -> None:
    """A preflight would be refused where it is needed most."""
    from dataclasses import replace

    from reaffirm.nodes.cluster import RunContext
    from reaffirm.nodes.connect import simulated_nodes
    from reaffirm.store.machines import read_machines

    root = Path(__file__).parents[2]
    machines = replace(read_machines(root / "runbooks/nodes/simulated-serving.toml"), rules=READ_ONLY)
    context = RunContext(None, show=lambda bundle: None)
    cluster = Cluster(machines, simulated_nodes(machines, None), context)
    steps.preflight(cluster, images=["vllm-qwen35"], model=MODEL, ports=[9], need_memory_gib=0)
    steps.probe_images(cluster, ["vllm-node", "vllm-qwen35"], model=MODEL)
    assert steps.verify(cluster, model=MODEL).outcome is Outcome.PASS
    with pytest.raises(ForbiddenError):
        steps.cleanup(cluster, "vllm-head")
