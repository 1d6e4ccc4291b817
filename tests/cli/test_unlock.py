"""reaffirm nodes unlock: who holds which node, and breaking it on purpose."""

from pathlib import Path

import pytest

from reaffirm.cli.main import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A machine file of simulated nodes, one of which another run holds."""
    monkeypatch.chdir(ROOT)
    text = (ROOT / "runbooks/nodes/simulated.toml").read_text(encoding="utf-8")
    text = text.replace("[world.nodes.spark-2]\n", '[world.nodes.spark-2]\nlocked-by = "night-run"\n')
    path = tmp_path / "held.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_shows_who_holds_what(held: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody could tell whom to wait for."""
    assert main(["nodes", "unlock", held]) == 0
    out = capsys.readouterr().out
    assert "spark-1: free" in out
    assert "spark-2: held by run night-run" in out


def test_breaks_the_lock_of_that_run_only(held: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A typing error would let two runs at one machine."""
    assert main(["nodes", "unlock", held, "--run", "night"]) == 3
    assert "no node of" in capsys.readouterr().err
    assert main(["nodes", "unlock", held, "--run", "night-run", "--node", "spark-2"]) == 0
    assert "spark-2: was held by run night-run" in capsys.readouterr().out
    assert main(["nodes", "unlock", held, "--node", "spark-9"]) == 3


def test_a_launch_on_held_nodes_starts_nothing(
    held: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The head would be started, and only then the worker found to be another run's."""
    monkeypatch.setenv("REAFFIRM_RUN_DIR", str(tmp_path / "it.run"))
    import reaffirm
    from reaffirm import steps
    from reaffirm.errors import LockedError

    cluster = reaffirm.connect(held)
    with pytest.raises(LockedError, match="spark-2 is held by run night-run"):
        steps.launch(cluster, "vllm", image="vllm-qwen35", model="Qwen/Qwen3.5-122B-A10B-FP8")
    assert cluster.head.run(["docker", "ps", "-aq"]).stdout == ""
    cluster.close()
