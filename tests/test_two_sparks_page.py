"""docs/how-to/two-sparks.md: its Python runs, its commands exist, and each says where it was run."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from reaffirm.cli.main import app_for
from reaffirm.store.machines import parse_machines

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/how-to/two-sparks.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(bash|python)[^\n]*\n(.*?)^```\n\n([^\n]*)", re.MULTILINE | re.DOTALL)


def test_every_command_says_where_it_was_run() -> None:
    """Somebody would take a command for tried that nobody ever tried."""
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) >= 9
    silent = [code for _, code, after in blocks if not after.startswith("Was run: ")]
    assert silent == []


def test_the_python_of_the_page_runs_on_simulated_nodes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The page's own example would end in an error."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("REAFFIRM_RUN_DIR", str(tmp_path))
    [code] = [code for language, code, _ in BLOCK.findall(PAGE) if language == "python"]
    names: dict[str, object] = {}
    exec(compile(code, "two-sparks.md", "exec"), names)
    names["cluster"].close()  # type: ignore[attr-defined]


def test_commands_of_the_page_exist() -> None:
    """A runbook or an option would have been renamed, and the page not."""
    commands = "\n".join(code for language, code, _ in BLOCK.findall(PAGE) if language == "bash")
    runs = re.findall(r"reaffirm run (\S+) -p nodes (\S+)", commands)
    assert {nodes for _, nodes in runs} == {"simulated", "simulated-serving", "mine"}
    for runbook, nodes in runs:
        assert (ROOT / "runbooks" / f"{runbook}.py").is_file()
        assert nodes == "mine" or (ROOT / "runbooks/nodes" / f"{nodes}.toml").is_file()
    for runbook in re.findall(r"papermill (\S+)", PAGE):
        assert (ROOT / runbook).is_file()
    group = get_command(app_for([])).commands["nodes"]  # type: ignore[attr-defined]
    assert (
        set(re.findall(r"reaffirm nodes (\w+)", commands))
        == set(group.commands)
        == {"init", "check", "unlock"}
    )
    options = {name for parameter in group.commands["init"].params for name in parameter.opts}
    wanted = set(re.findall(r"--[a-z][a-z-]+", PAGE.partition("| option | |")[2].partition("\n\n")[0]))
    assert wanted <= options


def test_the_line_about_the_image_makes_a_launch_use_it() -> None:
    """Somebody would pull an image, and the launch would look for another."""
    found = {}
    for page in ("docs/how-to/two-sparks.md", "docs/container-images/vllm-qwen35.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        tables = re.findall(r"^```toml[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        nodes = '[[node]]\nname = "spark-1"\n\n'
        read = [parse_machines(nodes + table, shown="mine.toml", name="mine") for table in tables]
        found[page] = [dict(machines.images) for machines in read]
    playbook = {"vllm-qwen35": "nvcr.io/nvidia/vllm:26.05-py3"}
    built, recipe, last = found["docs/how-to/two-sparks.md"]
    assert (built, recipe, last) == ({"vllm-qwen35": "my-vllm:1"}, {"vllm-qwen35": "vllm-node"}, playbook)
    assert found["docs/container-images/vllm-qwen35.md"] == [playbook]


def test_a_block_rehearses_or_is_live_and_never_both() -> None:
    """Who pastes a block for the rehearsal would start something on real machines."""
    for _, code, _ in BLOCK.findall(PAGE):
        kinds = {name.partition("-")[0] for name in re.findall(r"-p nodes (\S+)", code)}
        assert len(kinds) < 2, code
    for before, nodes in re.findall(r"([^\n]*)\n\n```bash\nreaffirm run [^\n]* -p nodes (\w+)", PAGE):
        if "cleanup" not in before and nodes == "simulated":
            assert "Rehearsal" in before
