"""docs/how-to/two-sparks.md: its Python runs, its commands exist, and each says where it was run."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from reaffirm.cli.main import app_for

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/how-to/two-sparks.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(bash|python)[^\n]*\n(.*?)^```\n\n([^\n]*)", re.MULTILINE | re.DOTALL)


def test_every_command_says_where_it_was_run() -> None:
    """Somebody would take a command for tried that nobody ever tried."""
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) >= 9
    silent = [code for _, code, after in blocks if not after.startswith("Run: ")]
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
    for runbook, nodes in re.findall(r"papermill (\S+) -p nodes (\S+)", commands):
        assert (ROOT / runbook).is_file()
        assert (ROOT / "runbooks/nodes" / f"{nodes}.toml").is_file()
    group = get_command(app_for([])).commands["nodes"]  # type: ignore[attr-defined]
    assert (
        set(re.findall(r"reaffirm nodes (\w+)", commands))
        == set(group.commands)
        == {"init", "check", "unlock"}
    )
    options = {name for parameter in group.commands["init"].params for name in parameter.opts}
    wanted = set(re.findall(r"--[a-z][a-z-]+", PAGE.partition("| option | |")[2].partition("\n\n")[0]))
    assert wanted <= options
