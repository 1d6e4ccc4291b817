"""The package as a wheel holds it, away from the repository: all that it reads at run time is in it."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

_ROOT = Path(__file__).parents[2]
_WHEEL = tomllib.loads((_ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the settings of the build put into a wheel, laid out; nothing of the checkout is above it."""
    folder = tmp_path_factory.mktemp("installed")
    [package] = _WHEEL["packages"]
    shutil.copytree(_ROOT / package, folder / "reaffirm", ignore=shutil.ignore_patterns("__pycache__"))
    for source, target in _WHEEL["force-include"].items():
        here, there = _ROOT / source, folder / target
        there.parent.mkdir(parents=True, exist_ok=True)
        if here.is_dir():
            shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(here, there)
    return folder


def _python(installed: Path, project: Path, *words: str) -> str:
    """Run a module of that package in a project; what it said, when it ended well."""
    settings = {"PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(project / ".cache"), "NO_COLOR": "1"}
    quiet = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=project,
        env={**os.environ, **settings, **quiet},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_build_leaves_no_file_of_the_package_out() -> None:
    """A style sheet, a schema or `py.typed` would be missing for everybody who installs the package."""
    assert _WHEEL.keys() == {"packages", "force-include"}  # nothing narrows what is taken
    ignored = GitIgnoreSpec.from_lines((_ROOT / ".gitignore").read_text().splitlines())
    files = [path for path in (_ROOT / "src/reaffirm").rglob("*") if "__pycache__" not in path.parts]
    names = [path.relative_to(_ROOT).as_posix() for path in files if path.is_file()]
    assert "src/reaffirm/py.typed" in names
    # The build passes over what git ignores.
    assert [name for name in names if ignored.match_file(name)] == []


def test_a_project_begins_runs_and_is_published_without_the_repository(
    installed: Path, tmp_path: Path
) -> None:
    """Who installs the package would have no template, no simulated nodes, no failure pages, or no looks."""
    where = "import reaffirm; print(reaffirm.__file__)"
    (tmp_path / "where.py").write_text(where)
    assert _python(installed, tmp_path, "where").strip() == str(installed / "reaffirm/__init__.py")
    _python(installed, tmp_path, "reaffirm", "init")
    for what in ("record", "runbook", "failure", "image"):
        _python(installed, tmp_path, "reaffirm", "new", what, f"a-first-{what}")
    assert "simulated run" in _python(installed, tmp_path, "reaffirm", "run", "a_first_runbook")
    (tmp_path / "head.log").write_text("Gloo connectFullMesh failed\n")
    assert "wrong-interface" in _python(installed, tmp_path, "reaffirm", "diagnose", "head.log")
    assert '"$schema"' in _python(installed, tmp_path, "reaffirm", "records", "--schema")
    (tmp_path / "docs/index.md").write_text("# Home\n\n```mermaid\ngraph TD; A-->B\n```\n")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nplugins: [search, reaffirm]\n")
    _python(installed, tmp_path, "mkdocs", "build", "--strict")
    assets = {path.name for path in (tmp_path / "site/assets").iterdir()}
    assert {"reaffirm.css", "reaffirm.js", "diagrams.js", "mermaid", "failures.json"} <= assets
