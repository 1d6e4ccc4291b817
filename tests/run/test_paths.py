"""Every spelling of a path, from the command line and from Python, leads to the same runbook."""

from collections.abc import Iterator
from pathlib import Path

import papermill
import papermill.cli
import pytest
from papermill.iorw import papermill_io

from reaffirm.errors import DocumentError, ParameterError, UsageError

from .conftest import SPECIMENS, notebooks, read


@pytest.fixture(autouse=True)
def spellings(project: Path) -> Iterator[None]:
    """The same runbook under names that trip papermill's handlers up."""
    small = project / "runbooks" / "small.py"
    (project / "with space").mkdir()
    (project / "with space" / "a {b} c.py").write_bytes(small.read_bytes())
    (project / "link.py").symlink_to(small)
    (project / "local_small.py").write_bytes(small.read_bytes())
    yield
    assert small.read_bytes() == (SPECIMENS / "small.py").read_bytes()


def prepare(path: str, *words: str) -> None:
    """Papermill's command, in this process, without a kernel."""
    papermill.cli.papermill.main([path, *words, "--prepare-only", "--no-progress-bar"], standalone_mode=False)


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("runbooks/small.py", "small"),
        ("./runbooks/small.py", "small"),
        ("runbooks/../runbooks/small.py", "small"),
        ("{cwd}/runbooks/small.py", "small"),
        ("with space/a {b} c.py", "a {b} c"),
        ("link.py", "small"),
        ("local_small.py", "local_small"),
    ],
)
def test_spellings(project: Path, path: str, stem: str) -> None:
    """papermill chooses how to read a file by the beginning of its path, and formats braces in it."""
    prepare(path.replace("{cwd}", str(project)), "-p", "sha", "0123")
    (notebook,) = notebooks(project)
    assert notebook.parent == project / "runs" / stem
    sources = "".join("".join(cell["source"]) for cell in read(notebook)["cells"])
    assert 'sha = "0123"' in sources
    assert "ended" not in read(notebook)["metadata"]["reaffirm"]


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (["out.ipynb"], "out.ipynb"),
        (["{cwd}/out.ipynb"], "out.ipynb"),
        (["out-{count}-{dry_run}.ipynb", "-p", "count", "7", "-p", "dry_run", "no"], "out-7-False.ipynb"),
        (["out.ipynb", "--cwd", "runbooks"], "out.ipynb"),
    ],
)
def test_outputs(project: Path, words: list[str], where: str) -> None:
    """An output path is taken as papermill takes it, templates with the typed values."""
    words = [word.replace("{cwd}", str(project)) for word in words]
    prepare("runbooks/small.py", *words)
    assert [path.relative_to(project).as_posix() for path in notebooks(project)] == [where]


def test_inputs_of_parameters(project: Path) -> None:
    """-b, -f, -y, -p and -r in papermill's order: the last one wins, each in the declared type."""
    (project / "values.yaml").write_text("sha: 0123\ncount: 4\ndry_run: yes\nlimit: ~\n")
    words = ["-f", "values.yaml", "-y", "{count: 5, images: [x, y: z]}"]
    with pytest.raises(SystemExit) as stopped:
        prepare("runbooks/small.py", "out.ipynb", *words)
    assert stopped.value.code == 3
    prepare("runbooks/small.py", "out.ipynb", "-f", "values.yaml", "-y", "count: 5", "-r", "images", "no,1")
    assert read(project / "out.ipynb")["metadata"]["papermill"]["parameters"] == {
        "sha": "0123",
        "count": 5,
        "dry_run": True,
        "limit": None,
        "images": ["no", "1"],
    }


def test_without_types_papermill_decides(project: Path) -> None:
    """A runbook that declares no types keeps papermill's rules; still no name is code."""
    prepare("runbooks/plain.py", "out.ipynb", "-p", "alpha", "0123", "-p", "gamma", "no")
    parameters = read(project / "out.ipynb")["metadata"]["papermill"]["parameters"]
    assert parameters == {"alpha": 123, "gamma": "no"}
    with pytest.raises(SystemExit) as stopped:
        prepare("runbooks/plain.py", "out.ipynb", "-p", "a=1;b", "2")
    assert stopped.value.code == 3


@pytest.mark.parametrize(
    "value", [{"count": True}, {"count": 1.5}, {"nodes": "moon"}, {"nope": 1}, {"sha": 5}]
)
def test_wrong_values_from_python(project: Path, value: dict[str, object]) -> None:
    """A wrong value from Python stops before a kernel starts."""
    with pytest.raises(ParameterError):
        papermill.execute_notebook("runbooks/small.py", "out.ipynb", parameters=value)
    assert notebooks(project) == []


def test_required(project: Path) -> None:
    """A parameter without a default must be given; the message says where it is declared."""
    with pytest.raises(ParameterError, match=r"runbooks/required\.py:2: model must be given"):
        papermill.execute_notebook("runbooks/required.py", "out.ipynb")
    assert notebooks(project) == []


@pytest.mark.parametrize(
    "target", ["runbooks/plain.py", "new.py", "NEW.PY", "link.ipynb", "no-ending", "dangling"]
)
def test_a_source_is_never_written(project: Path, target: str) -> None:
    """A slip of two paths, or a link, would replace a runbook by a notebook."""
    before = (project / "runbooks" / "plain.py").read_bytes()
    (project / "link.ipynb").symlink_to("runbooks/plain.py")
    (project / "no-ending").symlink_to(project / "link.ipynb")
    (project / "dangling").symlink_to("new.py")
    with pytest.raises(UsageError, match="never written"):
        papermill.execute_notebook("runbooks/small.py", target)
    with pytest.raises(UsageError, match="never written"):
        papermill_io.write("{}", str(project / target))
    assert not (project / "new.py").exists()
    assert (project / "runbooks" / "plain.py").read_bytes() == before


def test_a_hard_link_to_the_runbook_is_the_runbook(project: Path) -> None:
    """Another name of the source is no place for its notebook."""
    (project / "same.ipynb").hardlink_to(project / "runbooks" / "small.py")
    with pytest.raises(UsageError, match="never written"):
        papermill.execute_notebook("runbooks/small.py", "same.ipynb")


def test_what_cannot_be_read(project: Path) -> None:
    """A missing runbook, or one that is no text, is said in one sentence."""
    (project / "latin.py").write_bytes("# Zürich".encode("latin-1"))
    for path, words in (
        ("nowhere.py", "no runbook"),
        ("latin.py", "not UTF-8"),
        ("adrs.py", "cannot be read"),
    ):
        (project / "adrs.py").mkdir(exist_ok=True)
        with pytest.raises(DocumentError, match=words):
            papermill.execute_notebook(path, "out.ipynb")


def test_output_is_replaced_whole(project: Path) -> None:
    """A link stays a link, rights stay, and no half-written file is left."""
    real = project / "real.ipynb"
    real.write_text("{}")
    real.chmod(0o640)
    (project / "out.ipynb").symlink_to(real)
    prepare("runbooks/small.py", "out.ipynb")
    assert (project / "out.ipynb").is_symlink()
    assert read(real)["cells"]
    assert real.stat().st_mode & 0o777 == 0o640
    assert not list(project.glob(".part-*"))
