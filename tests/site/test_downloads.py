"""What a run is taken away as: one archive, its files and no others, the same bytes each time."""

import io
import re
import shutil
import stat
import zipfile
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from test_tree import tree_of

from reaffirm.cli.main import main
from reaffirm.site import run_archive
from reaffirm.site.run_archive import Contents, archives, pack
from reaffirm.site.tree import make_tree

_PROJECT = Path(__file__).parent / "specimens/project"
_BOOK = "measure_latency"
_RUN = f"{_BOOK}/2026-02-01-lab"
_REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the toy project."""
    shutil.copytree(_PROJECT, tmp_path / "toy")
    return tmp_path / "toy"


def held(packed: bytes) -> dict[str, bytes]:
    """Return what an archive holds, by name."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_archive_of_a_run_holds_its_files_as_they_are(project: Path) -> None:
    """Who takes a run away would lack a log, or would have a file that is not the run's."""
    folder = project / "docs/runs" / _RUN
    (folder / "logs/spark-1").mkdir(parents=True)
    (folder / "logs/spark-1/a b.log").write_bytes(b"first\r\n\xff\n")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    tree = tree_of(project)
    here = {
        f"{_RUN}/{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".toml", ".png")
    }
    assert held(tree.archives[f"runs/{_RUN}/run.zip"]) == here
    assert f"runs/{_RUN}/picture.png" in tree.files, "a picture may be shown by a page"
    assert not [uri for uri in tree.files if uri.endswith((".ipynb", ".jsonl", ".log"))]


def test_an_archive_is_the_same_to_the_byte_whenever_it_is_made(project: Path, tmp_path: Path) -> None:
    """Each build of a site would be a new download for everybody."""
    first = tree_of(project).archives
    run_archive._MADE.clear()
    for path in project.rglob("*"):
        path.touch()
    assert tree_of(project).archives == first
    packed = first[f"runs/{_RUN}/run.zip"]
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for one in archive.infolist():
            assert one.date_time == (1980, 1, 1, 0, 0, 0)
            assert one.external_attr >> 16 == stat.S_IFREG | 0o644
        assert archive.namelist() == sorted(archive.namelist())


@pytest.mark.parametrize(
    "name",
    [
        "../up.log",
        "../../../etc/cron.d/x.log",
        "..\\..\\up.log",
        "/etc/x.log",
        "C:\\x.log",
        "logs/../../up.log",
        "logs/./.. /up.log",
        "a\nb.log",
        "nul\x00.log",
        "turned\u202egol.exe",
        "\udcff.log",
        "...",
        " ",
        "CON|a?.log",
    ],
)
def test_no_name_of_a_file_leads_out_of_the_folder(name: str, tmp_path: Path) -> None:
    """A node could choose the name of a file, and unpacking a run would write over somebody's own."""
    packed = pack("book/run", {name: b"x", "facts.json": b"{}"})
    for member in held(packed):
        parts = member.split("/")
        assert parts[:2] == ["book", "run"]
        assert all(part.strip(". ") for part in parts)
        assert not set('\\:*?"<>|\n\x00\u202e') & set(member)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(tmp_path / "there")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there/book/run/facts.json").read_bytes() == b"{}"


def test_two_names_that_become_one_are_two_files() -> None:
    """One log would take the place of another."""
    found = held(pack("b/r", {"a:.log": b"1", "a?.log": b"2", "A_.log": b"3"}))
    assert sorted(found.values()) == [b"1", b"2", b"3"]
    assert len({name.casefold() for name in found}) == 3


def test_an_archive_is_made_once_for_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each build, and each edit in a preview, would pack a hundred runs again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    log = tmp_path / "a.log"
    log.write_text("one\n")
    wanted = [Contents("b/r", {"a.log": log})]
    made: list[str] = []
    really = run_archive.pack
    monkeypatch.setattr(run_archive, "pack", lambda top, files: made.append(top) or really(top, files))
    [first] = archives(wanted, clean=lambda _: True)
    assert archives(wanted, clean=lambda _: True) == [first]
    run_archive._MADE.clear()
    assert archives(wanted, clean=lambda _: True) == [first], "another process knows it from disk"
    assert made == ["b/r"]
    log.write_text("another\n")
    [second] = archives(wanted, clean=lambda _: True)
    assert held(second) == {"b/r/a.log": b"another\n"}


def test_what_may_hold_a_secret_is_not_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in a log would lie in a folder that nobody thinks of."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    log = tmp_path / "a.log"
    log.write_text("one\n")
    archives([Contents("b/r", {"a.log": log}), Contents("b/s", {"a.log": "masked"})], clean=lambda _: False)
    assert not (tmp_path / "cache").exists()


def test_links_to_files_of_a_run_lead_to_where_they_are_told_of(project: Path, tmp_path: Path) -> None:
    """A page that somebody wrote, and a record, would link into nothing, and a strict build would fail."""
    run = f"runs/{_RUN}"
    (project / "docs" / run / "machines.toml").write_text("[[node]]\nname = 'a'\n")
    page = project / "docs/index.md"
    page.write_text(f"{page.read_text()}\n[rec]({run}/recording.jsonl#L3), [m]({run}/machines.toml)\n")
    record = project / "adrs/0002-no-cache.md"
    record.write_text(
        f"{record.read_text()}\n[facts](../docs/{run}/facts.json), [n](../docs/{run}/notebook.ipynb)\n"
    )
    readme = project / "docs/runs/README.md"
    readme.write_text(f"{readme.read_text()}\n[a fact]({_RUN}/facts.json)\n")
    config = load_config(str(project / "mkdocs.yml"), site_dir=str(tmp_path / "site"), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    site = tmp_path / "site"
    assert (site / "index.html").read_text().count(f'href="{run}/#run-files"') == 2
    shown = (site / "decisions/0002-no-cache/index.html").read_text()
    assert f'href="../../{run}/#run-files"' in shown
    assert f'href="../../{run}/"' in shown
    assert f'href="{_RUN}/#run-files"' in (site / "runs/index.html").read_text()
    assert 'id="run-files"' in (site / run / "index.html").read_text()


def test_the_page_names_the_files_and_links_those_that_the_forge_shows(project: Path) -> None:
    """A reader would have to unpack an archive to see one log of it."""
    section = tree_of(project).pages[f"runs/{_RUN}.md"].markdown.partition("## Downloads")[2]
    assert re.search(r'\[run\.zip\]\(2026-02-01-lab/run\.zip\)\{ download="[^"]+" \} \([0-9.]+ kB\)', section)
    assert f"reaffirm check docs/runs/{_RUN}" in section
    assert "`facts.json`" in section
    assert "](http" not in section
    linked = tree_of(project, repo="https://example.org/a/b").pages[f"runs/{_RUN}.md"].markdown
    assert f"[facts.json](https://example.org/a/b/blob/main/docs/runs/{_RUN}/facts.json)" in linked


def test_a_run_of_which_nothing_may_be_published_says_where_it_lies(project: Path) -> None:
    """The page would offer a download that is not there."""
    docs = project / "docs"
    files = {path.relative_to(docs).as_posix(): path for path in docs.rglob("*") if path.is_file()}
    shown = {uri: path for uri, path in files.items() if not uri.startswith("runs/")}
    tree = make_tree(tree_of(project).settings, shown)
    assert tree.archives == {}
    section = tree.pages[f"runs/{_RUN}.md"].markdown.partition("## Downloads")[2]
    assert f"In the repository they lie in `docs/runs/{_RUN}`" in section
    assert "run.zip" not in section


def test_reaffirm_pages_writes_the_same_archive(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers of another generator's site could not take a run away."""
    monkeypatch.chdir(project)
    main(["pages", "build/pages"])
    there = project / "build/pages/runs" / _RUN / "run.zip"
    assert there.read_bytes() == tree_of(project).archives[f"runs/{_RUN}/run.zip"]
    assert [path.name for path in there.parent.iterdir()] == ["run.zip"]


@pytest.mark.parametrize("book", ["preflight_nodes", "probe_image"])
def test_an_unpacked_run_can_be_checked_where_the_page_says(
    book: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line beside the download would not work for who follows it."""
    clone = tmp_path / "clone"
    for name in ("adrs", "runbooks", "docs/runs"):
        shutil.copytree(_REPOSITORY / name, clone / name)
    for folder in sorted((clone / "docs/runs" / book).iterdir()):
        files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        inside = {name: path for name, path in files.items() if name.endswith(run_archive.IN_ARCHIVE)}
        [packed] = archives([Contents(f"{book}/{folder.name}", inside)], clean=lambda _: False)
        for path in inside.values():
            path.unlink()
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            archive.extractall(clone / "docs/runs")
        assert main(["check", str(folder)]) == 0, capsys.readouterr().out
