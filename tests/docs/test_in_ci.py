"""docs/how-to/in-ci.md and the hooks: valid YAML that names commands and options which exist."""

import re
import shlex
from pathlib import Path

import pytest
import typer
import yaml

from reaffirm.cli.main import COMMANDS, GROUPS, app_for

_ROOT = Path(__file__).parents[2]
_PAGE = (_ROOT / "docs/how-to/in-ci.md").read_text(encoding="utf-8")
_FILES = dict(re.findall(r'^```yaml title="([^"]+)"\n(.*?)^```$', _PAGE, re.MULTILINE | re.DOTALL))
_HOOKS = yaml.safe_load((_ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def _lines() -> list[str]:
    """All lines of ours that somebody's CI would run."""
    workflow = yaml.safe_load(_FILES[".github/workflows/reaffirm.yml"])
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    lines = [step["run"] for step in steps if step.get("run", "").startswith("reaffirm ")]
    [own] = yaml.safe_load(_FILES[".pre-commit-config.yaml"])["repos"]
    entries = {hook["id"]: hook["entry"] for hook in _HOOKS}
    lines += [" ".join((entries[hook["id"]], *hook.get("args", ()))) for hook in own["hooks"]]
    return lines


def test_the_workflow_lints_checks_and_rechecks_each_week() -> None:
    """A team would copy a workflow that leaves out half of it."""
    workflow = yaml.safe_load(_FILES[".github/workflows/reaffirm.yml"])
    assert set(workflow) == {"name", True, "jobs"}  # YAML 1.1 takes `on` for true; the forge does not
    assert workflow[True]["schedule"] == [{"cron": "0 5 * * 1"}]
    words = " ".join(_lines())
    for wanted in ("lint --format github --against origin/main", "reaffirm check", "recheck --due"):
        assert wanted in words


@pytest.mark.parametrize("line", _lines())
def test_each_command_and_option_exists(line: str) -> None:
    """The first run of somebody's CI would end with a usage error."""
    _, name, *words = shlex.split(line)
    assert name in COMMANDS or name in GROUPS
    command = typer.main.get_command(app_for([name]))
    for one in (name, *(words[:1] if name in GROUPS else ())):
        command = (
            command.commands[one] if hasattr(command, "commands") and one in command.commands else command
        )
    known = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    assert {word for word in words if word.startswith("--")} <= known


def test_the_hooks_are_what_pre_commit_wants() -> None:
    """pre-commit would refuse the repository."""
    assert [hook["id"] for hook in _HOOKS] == ["reaffirm-lint", "reaffirm-scan"]
    for hook in _HOOKS:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "python"
    assert re.search(_HOOKS[0]["files"], "docs/adr/0001-x.adoc")
