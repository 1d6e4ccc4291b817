"""Parameters that are marked secret: never stored, never shown."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reaffirm.cli.main import main
from reaffirm.errors import MachineFileError
from reaffirm.run.declarations import declared
from reaffirm.store.machines import parse_machines

RUNBOOK = """# %% tags=["parameters"]
from typing import Annotated

ticket: Annotated[str, "secret"] = ""  # from the vault
pin: Annotated[int, "secret", "at least 1"] = 1
api_key: str = "k-default-1"
name: str = "x"

# %%
print("ticket", ticket, "pin", pin, name)

# %%
import reaffirm

db_password = "".join(["never", "-", "seen", "-", "before-7"])

# %%
print("it is", db_password)
"""


@pytest.fixture
def runbook(project: Path) -> Path:
    """A runbook with secret parameters."""
    path = project / "runbooks" / "secretive.py"
    path.write_text(RUNBOOK)
    return path


def test_a_marked_parameter_is_nowhere(
    project: Path, runbook: Path, papermill: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Its name does not say that it is one; also a value that is too short to be hunted is not stored."""
    done = papermill(
        "runbooks/secretive.py", "out.ipynb", "-p", "ticket", "kestrel-nest", "-p", "pin", "4711"
    )
    assert done.returncode == 0, done.stderr
    written = {p.name: p.read_text() for p in project.rglob("*") if p.is_file() and "runbooks" not in p.parts}
    assert "out.ipynb" in written
    for text in (*written.values(), done.stderr, done.stdout):
        assert "kestrel" not in text
    injected = next(c for c in json.loads(written["out.ipynb"])["cells"] if c["id"] == "injected")
    assert "4711" not in "".join(injected["source"])
    assert "4711" not in json.dumps(json.loads(written["out.ipynb"])["metadata"])


def test_a_variable_with_a_secret_name_is_known_from_the_next_cell_on(
    project: Path, runbook: Path, papermill: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A runbook reads a password where it is kept; what a later cell prints of it is masked."""
    assert papermill("runbooks/secretive.py", "out.ipynb").returncode == 0
    cells = json.loads((project / "out.ipynb").read_text())["cells"]
    shown = json.dumps([cell.get("outputs") for cell in cells])
    assert "it is [redacted]" in shown
    assert "seen-before" not in shown


def test_parameters_shows_no_default_that_is_secret(
    project: Path, runbook: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asks for the parameters looks over somebody's shoulder."""
    assert main(["parameters", "secretive"]) == 0
    out = capsys.readouterr().out
    assert "k-default-1" not in out
    assert "•••" in out
    assert "secret" in next(line for line in out.splitlines() if line.startswith("ticket"))


def test_a_wrong_value_is_not_shown(
    project: Path, runbook: Path, papermill: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """An error goes into the log of CI."""
    done = papermill("runbooks/secretive.py", "out.ipynb", "-p", "pin", "hunter2x")
    assert done.returncode == 3
    assert "hunter2x" not in done.stderr
    assert "pin is declared int, at least 1, secret, got •••" in done.stderr


def test_marks_of_a_declaration() -> None:
    """By mark or by name; an annotation in quotes counts as well."""
    source = 'a: Annotated[str, "secret"] = ""\nb: "Annotated[str, \'secret\']" = ""\nc: str = ""\n'
    source += 'hf_token: str = ""\n'
    found: dict[str, Any] = dict(declared(source, file="x.py").found)
    assert [name for name, one in found.items() if one.secret] == ["a", "b", "hf_token"]
    assert found["a"].shape.name == "str"


_NODE = '[[node]]\nname = "here"\ntransport = "local"\n'


def test_marks_of_a_machine_file() -> None:
    """Names and patterns, never a value."""
    text = f'{_NODE}[secrets]\nvariables = ["WEKA_KEY"]\npatterns = ["acme-[0-9a-f]{{8}}"]\n'
    machines = parse_machines(text, shown="x.toml", name="x")
    assert machines.secrets.variables == ("WEKA_KEY",)
    assert machines.secrets.patterns == ("acme-[0-9a-f]{8}",)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('variables = ["WEKA_KEY=abc def"]', "variables are names"),
        ('patterns = ["(a+)+x"]', "a repeat inside of a repeat"),
        ('patterns = [""]', "must not be empty"),
        ('values = ["x"]', "unknown key"),
    ],
)
def test_marks_that_are_refused(line: str, said: str) -> None:
    """A value in a machine file is published with it, and a slow pattern stops a run."""
    with pytest.raises(MachineFileError) as error:
        parse_machines(f"{_NODE}[secrets]\n{line}\n", shown="x.toml", name="x")
    assert said in str(error.value)
    assert "x.toml:5:" in str(error.value)
    assert "abc def" not in str(error.value)
