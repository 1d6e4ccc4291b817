"""The command pages: the whole site as Markdown, and generators that know nothing of us."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort

from reaffirm.cli.main import main

_TESTS = Path(__file__).parents[1]
_PROJECT = _TESTS / "site/specimens/project"
_DAY = "1772000000"  # 2026-02-25


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the toy project, as the current folder."""
    shutil.copytree(_PROJECT, tmp_path / "toy")
    monkeypatch.chdir(tmp_path / "toy")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", _DAY)
    return tmp_path / "toy"


def _built(settings: Path, target: Path) -> dict[str, str]:
    """Build a site as ``mkdocs build --strict`` does, and return the text of its pages."""
    config = load_config(str(settings), site_dir=str(target), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    config.plugins.on_shutdown()
    # The plugin leaves out the blanks around the blocks of the theme's templates: no page looks different.
    # Only it sees 404.html, which the theme makes, and puts ways on into it.
    pages = {path.relative_to(target).as_posix(): path.read_text() for path in target.rglob("*.html")}
    assert pages.pop("404.html")
    return {name: re.sub(r"\s+", " ", re.sub(r">\s+<", "><", text)).strip() for name, text in pages.items()}


def test_it_says_what_it_did_and_what_a_generator_needs(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody with another generator would see pages without their looks, and not know why."""
    assert main(["pages", "build/pages"]) == 0
    said = capsys.readouterr().out
    assert "build/pages: " in said
    assert " written, 0 unchanged, 0 removed" in said
    assert "assets/reaffirm.css as style sheet" in said
    assert "pymdownx.superfences" in said
    assert (project / "build/pages/decisions/0001-keep-the-cache.md").is_file()
    (project / "adrs/0002-no-cache.md").unlink()
    text = (project / "adrs/0001-keep-the-cache.md").read_text()
    (project / "adrs/0001-keep-the-cache.md").write_text(text.replace("0002", "0001"))
    main(["pages", "build/pages"])
    assert " 1 removed" in capsys.readouterr().out
    assert not (project / "build/pages/decisions/0002-no-cache.md").exists()


def test_plain_mkdocs_makes_the_same_site_of_the_written_pages(project: Path, tmp_path: Path) -> None:
    """The pages would depend on a plugin that the next generator does not have."""
    own = project / "mkdocs.yml"
    own.write_text(own.read_text().replace("strict_records: true", "strict_records: true, csp: false"))
    assert main(["pages", "build/pages", "--settings", "mkdocs.pages.yml"]) == 0
    settings = (project / "mkdocs.pages.yml").read_text()
    assert "reaffirm" not in str(yaml.safe_load(settings)["plugins"])
    plain = _built(project / "mkdocs.pages.yml", tmp_path / "plain")
    assert plain == _built(project / "mkdocs.yml", tmp_path / "ours")
    for name in ("records.json", "claims.json", "feed.xml", "assets/reaffirm.css"):
        assert (tmp_path / "plain" / name).read_bytes() == (tmp_path / "ours" / name).read_bytes()
    assert not list((tmp_path / "plain").rglob(".reaffirm*"))


@pytest.mark.parametrize(("name", "docs"), [("quayside", "doc"), ("lumenfield", "docs")])
def test_repositories_of_others_in_plain_mkdocs(
    name: str, docs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A team without any settings of ours could not use the pages."""
    root = tmp_path / name
    shutil.copytree(_TESTS / "foreign" / name, root)
    shutil.copytree(_TESTS / "browser/specimens/beside-foreign", root, dirs_exist_ok=True)  # diagrams
    monkeypatch.chdir(root)
    assert main(["pages", "../pages", "--root", ".", "--docs", docs, "--settings", "../site.yml"]) == 0
    pages = _built(tmp_path / "site.yml", tmp_path / "site")
    plugin = "plugins: [search, reaffirm]"
    (root / "mkdocs.yml").write_text(f"site_name: {name}\ndocs_dir: {docs}\n{plugin}\nedit_uri: ''\n")
    assert pages == _built(root / "mkdocs.yml", tmp_path / "ours")
    assert len([one for one in pages if one.startswith("decisions/")]) > 80
    records = json.loads((tmp_path / "site/records.json").read_text())["records"]
    for record in records:
        assert f"{record['page']}index.html" in pages


def test_findings_are_told_and_the_pages_are_written(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One mistake would keep everybody from the other pages, or would pass unseen."""
    record = project / "adrs/0001-keep-the-cache.md"
    record.write_text(record.read_text().replace("needs: lab", "needs: laboratory"))
    assert main(["pages", "build/pages"]) == 1
    assert "adrs/0001-keep-the-cache.md:" in capsys.readouterr().out
    assert (project / "build/pages/decisions/index.md").is_file()


_TAKEN = [".", "..", "docs", "docs/pages", "adrs", "adrs/pages", "src", "src/pages", "src/new/deep"]


@pytest.mark.parametrize("folder", [*_TAKEN, "runbooks", "runbooks/pages", "mkdocs.yml"])
def test_no_folder_of_somebody_is_written_over(
    folder: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sources would be mixed with pages, or be lost."""
    before = sorted(project.rglob("*"))
    assert main(["pages", folder]) == 3
    assert "next: " in capsys.readouterr().err
    assert sorted(project.rglob("*")) == before


@pytest.mark.parametrize("folder", ["doc/adr/pages", "lib/tool/pages", "lib/pages"])
def test_records_and_code_that_nobody_named_are_found_first(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A team without settings would find pages among its records, or in its package."""
    root = tmp_path / "repo"
    shutil.copytree(_PROJECT / "adrs", root / "doc/adr")
    (root / "lib/tool").mkdir(parents=True)
    (root / "lib/tool/__init__.py").touch()
    monkeypatch.chdir(root)
    before = sorted(root.rglob("*"))
    assert main(["pages", folder, "--root", "."]) == 3
    where = "the records in doc/adr" if folder.startswith("doc") else "where the code is"
    assert where in capsys.readouterr().err
    assert sorted(root.rglob("*")) == before
    assert main(["pages", "website/pages", "--root", "."]) == 0


def test_pages_are_not_read_as_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second call would publish the pages of the first one as records."""
    root = tmp_path / "repo"
    shutil.copytree(_TESTS / "foreign/quayside", root)
    monkeypatch.chdir(root)
    assert main(["pages", "generated"]) == 0
    first = json.loads((root / "generated/records.json").read_text())["records"]
    assert main(["pages", "generated"]) == 0
    again = json.loads((root / "generated/records.json").read_text())["records"]
    assert [one["path"] for one in again] == [one["path"] for one in first]


def test_settings_that_somebody_wrote_stay(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The settings of the site would be replaced by ours."""
    before = (project / "mkdocs.yml").read_text()
    assert main(["pages", "build/pages", "--settings", "mkdocs.yml"]) == 3
    assert "was not written by reaffirm" in capsys.readouterr().err
    assert (project / "mkdocs.yml").read_text() == before


def test_settings_keep_what_only_the_generator_understands(project: Path) -> None:
    """A tag of MkDocs would be lost, or would run something here."""
    tag = "!!python/name:material.extensions.emoji.twemoji"
    extensions = f"markdown_extensions: [{{pymdownx.emoji: {{emoji_index: {tag} ''}}}}]"
    (project / "mkdocs.yml").write_text(f"site_name: toy\n{extensions}\n")
    assert main(["pages", "build/pages", "--settings", "mkdocs.pages.yml"]) == 0
    assert f"emoji_index: {tag}" in (project / "mkdocs.pages.yml").read_text()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("docs_dir: 3", "docs_dir is a text, got '3'"),
        ("site_name: 2026", "site_name is a text, got '2026'"),
        ("site_url: [a]", "site_url is a text, got"),
        ("repo_url: {a: b}", "repo_url is a text, got"),
        ("edit_uri: 7", "edit_uri is a text, got '7'"),
        ("exclude_docs: [a]", "exclude_docs is a text, got"),
        ("plugins: 7", "plugins is a list of names, got '7'"),
        ("plugins: [3]", "plugins is a list of names, each alone or with settings of its own, got '[3]'"),
        ("plugins: {reaffirm: 7}", "plugins is a list in which reaffirm has settings with a name each, got"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_named_with_its_line(
    project: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    """The value would be passed over, or end in a trace; and MkDocs refuses the same file."""
    name = "" if line.startswith("site_name") else "site_name: toy\n"
    (project / "mkdocs.yml").write_text(f"# Ours.\n{name}{line}\n")
    assert main(["pages", "build/pages"]) == 2
    told, then, *_ = capsys.readouterr().err.splitlines()
    assert f"mkdocs.yml:{3 if name else 2}: {said}" in told
    assert then.startswith("  next: mend it, for example `")
    with pytest.raises(Abort):
        load_config(str(project / "mkdocs.yml"))


def test_wrong_words(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A typing mistake would be taken for something else."""
    assert main(["pages", "build/pages", "--root", "nowhere"]) == 3
    assert main(["pages", "build/pages", "--records", "nowhere"]) == 3
    assert main(["pages"]) == 3
    (project / "mkdocs.yml").write_text("site_name: [")
    assert main(["pages", "build/pages"]) == 2
    assert "mkdocs.yml" in capsys.readouterr().err
    (project / "mkdocs.yml").write_text("plugins: [{reaffirm: {records: 7}}]\n")
    assert main(["pages", "build/pages"]) == 3
    assert (
        "records, of the plugin reaffirm, is a folder or a list of folders, got 7" in capsys.readouterr().err
    )
    (project / "mkdocs.yml").write_text("- site_name\n")
    assert main(["pages", "build/pages"]) == 2
    assert "mkdocs.yml:1: settings have a name and a value each, got" in capsys.readouterr().err
    (project / "mkdocs.yml").unlink()
    (project / "mkdocs.yml").mkdir()
    assert main(["pages", "build/pages"]) == 2
    assert "mkdocs.yml is no file" in capsys.readouterr().err


def test_it_is_a_command_of_the_installed_program(project: Path) -> None:
    """The help would be silent about it."""
    words = [sys.executable, "-m", "reaffirm", "pages", "--help"]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "any generator can build" in " ".join(shown.split())


def test_bad_folders_are_said_in_a_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each would end in a traceback, hang, or spoil what git keeps."""
    (project / "loop").symlink_to("loop")
    (project / "nowhere").symlink_to("gone")
    for words in (
        ["loop"],
        ["nowhere"],
        [".git/pages"],
        ["out", "--docs", "none"],
        ["out", "--settings", "no/x.yml"],
        ["out", "--settings", "docs"],
    ):
        assert main(["pages", *words]) == 3, words
        assert "next: " in capsys.readouterr().err
    assert not (project / "out").exists()


def test_pipes_and_links_in_a_circle_hold_nothing_up(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A documentation that holds itself twice would be read for ever, and a pipe waited for."""
    (project / "docs/one").symlink_to(".")
    (project / "docs/two").symlink_to("../docs")
    os.mkfifo(project / "docs/pipe.md")
    os.mkfifo(project / "docs/pipe.png")
    assert main(["pages", "out"]) == 1
    assert capsys.readouterr().out.count("no file, or a link to none") == 2
    assert not (project / "out/one").exists()
