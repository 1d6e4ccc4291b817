"""The commands records and lint, as people call them."""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

from reaffirm.cli.main import main
from reaffirm.store.reading.report import schema_text

_ROOT = Path(__file__).parents[2]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two records; the cache is in a folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "repository"
    write(root / "docs/adr/0001-queue.md", "# 1. Use a queue\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n")
    write(root / "docs/adr/0002-cache.md", "# 2. Use a cache\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n")
    monkeypatch.chdir(root)
    return root


def write(path: Path, text: str) -> None:
    """Write a file and the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def test_json_is_what_the_schema_says(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that reads it would break."""
    assert main(["records", str(_ROOT / "adrs"), "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, json.loads(schema_text()))
    assert len(answer["records"]) > 15
    assert any(record["claims"] for record in answer["records"])


def test_the_schema_on_the_site_is_the_one_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    """People would check against another format."""
    assert main(["records", "--schema"]) == 0
    assert capsys.readouterr().out == (_ROOT / "docs/reference/records.schema.json").read_text(
        encoding="utf-8"
    )


def test_an_unchanged_record_comes_from_the_cache(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second call would take as long as the first; and a change would go unnoticed."""
    path = repository / "docs/adr/0001-queue.md"
    for one in path.parent.glob("*.md"):
        os.utime(one, (1_700_000_000, 1_700_000_000))
    assert main(["records"]) == 0
    first = capsys.readouterr().out
    with monkeypatch.context() as patch:
        patch.setattr("reaffirm.store.reading.document.read_document", None)
        assert main(["records"]) == 0
    assert capsys.readouterr().out == first
    write(path, path.read_text(encoding="utf-8").replace("Accepted", "Rejected"))
    assert main(["records"]) == 0
    assert "rejected" in capsys.readouterr().out
    for broken in (b"", b"{", b'{"reader": 1}', b"\xff" * 100):
        next((repository.parent / "cache/reaffirm").iterdir()).write_bytes(broken)
        assert main(["records"]) == 0
        assert "rejected" in capsys.readouterr().out


def test_status_and_form_of_lint(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A build would not fail, or no program could read why."""
    assert main(["lint"]) == 0
    write(repository / "docs/adr/0003-odd,name.md", "# 3. Odd\n\nStatus: parked\n")
    assert main(["lint"]) == 1
    said = capsys.readouterr()
    assert "docs/adr/0003-odd,name.md:3: status-word unknown status 'parked'; known are draft" in said.out
    assert said.err.endswith("3 records, 2 findings\n")
    assert main(["lint", "--format", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert [one["code"] for one in answer["findings"]] == ["date-missing", "status-word"]
    assert main(["lint", "--format", "github", "--ignore", "date-missing"]) == 1
    line = capsys.readouterr().out.splitlines()[0]
    assert line.startswith(
        "::error file=docs/adr/0003-odd%2Cname.md,line=3,title=reaffirm status-word::unknown"
    )
    assert main(["lint", "docs/adr/0001-queue.md"]) == 0
    assert main(["lint", "docs/none"]) == 3
    assert main(["lint", "--baseline", "none.json"]) == 3
    assert main(["lint", "--today", "soon"]) == 3


def test_a_baseline_and_what_is_new(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Old findings would hide a new one, or fail for ever."""
    write(repository / "docs/adr/0003-a.md", "# 3. A\n\nStatus: parked\n")
    assert main(["lint", "--baseline", "b.json", "--write-baseline"]) == 0
    assert main(["lint", "--baseline", "b.json"]) == 0
    write(repository / "docs/adr/0003-a.md", "\n\n# 3. A\n\nStatus: parked\n\nSee [x](x.md).\n")
    capsys.readouterr()
    assert main(["lint", "--baseline", "b.json"]) == 1
    said = capsys.readouterr()
    assert [line.split(": ")[1].split()[0] for line in said.out.splitlines()] == ["link-dead"]
    assert "1 finding, 2 known" in said.err


def test_fix_changes_nothing_else(repository: Path) -> None:
    """Line ends, spaces or words beside the mistake would change."""
    path = repository / "docs/adr/0001-queue.md"
    before = (
        "\ufeff# 1. Use a queue\r\n\r\nDate:   20 September 2024  \r\n\r\n## Status\r\n\r\n"
        "Superceded by [2. Use a cache](0002-cache.html)\r\n\r\nSuperceded is a word.\r\n"
    )
    write(path, before)
    main(["lint", "--fix"])
    expected = before.replace("20 September 2024", "2024-09-20").replace("Superceded by", "Superseded by")
    assert path.read_bytes().decode() == expected.replace(".html", ".md")
    again = path.read_bytes()
    main(["lint", "--fix"])
    assert path.read_bytes() == again


def test_a_number_taken_on_the_other_branch(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two green branches would merge into two records of one number."""

    def git(*words: str) -> None:
        settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(
            ["git", *settings, *words], check=True, capture_output=True, cwd=repository, timeout=60
        )

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "records")
    git("checkout", "-q", "-b", "topic")
    write(repository / "docs/adr/0003-here.md", "# 3. Here\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n")
    git("add", "-A")
    git("commit", "-qm", "here")
    assert main(["lint", "--against", "main"]) == 0
    git("checkout", "-q", "main")
    write(repository / "docs/adr/0003-there.md", "# 3. There\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n")
    git("add", "-A")
    git("commit", "-qm", "there")
    git("checkout", "-q", "topic")
    capsys.readouterr()
    assert main(["lint"]) == 0
    assert main(["lint", "--against", "main"]) == 1
    assert capsys.readouterr().out == (
        "docs/adr/0003-here.md:1: number-collision the number 0003 was taken on main by 0003-there.md; "
        "take the next free number\n"
    )
    assert main(["lint", "--against", "no-such-branch"]) == 3
    assert main(["lint", "--against", "--output=x"]) == 3


def test_a_finding_is_silenced_where_it_stands(repository: Path) -> None:
    """One exception would need a setting for all records."""
    path = repository / "docs/adr/0003-a.md"
    text = "# 3. A\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n{}See [x](x.md).\n\nSee [y](y.md).\n"
    write(path, text.format("<!-- lint: ignore link-dead -->\n"))
    assert main(["lint", "--format", "json"]) == 1
    write(path, text.format("<!-- lint: ignore-file link-dead -->\n"))
    assert main(["lint"]) == 0


def test_settings_of_other_tools_are_followed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A team's records in an unusual folder would not be found."""
    write(repository / "notes/past/0007-x.md", "# 7. X\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n")
    write(repository / ".adr-dir", "notes/past\n")
    assert main(["records"]) == 0
    assert "notes/past/0007-x.md" in capsys.readouterr().out
    write(repository / ".adr-dir", "../elsewhere\n")
    (repository / "../elsewhere").mkdir()
    assert main(["lint"]) == 1
    assert ": outside " in capsys.readouterr().out


def test_no_control_sign_reaches_a_terminal(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file's name could write over what the terminal shows."""
    write(repository / "docs/adr/0003-\x1b[31mred.md", "# \x1b]0;title\x07Three\n\nStatus: \x1b[2J\n")
    for words in (["records"], ["lint"], ["lint", "--format", "github"]):
        main(words)
        said = capsys.readouterr()
        assert "\x1b" not in said.out + said.err
        assert "\x07" not in said.out + said.err


def test_text_of_the_template_is_found_and_never_accepted(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page of placeholders would become a decision, and lint and `reaffirm claims` would not agree."""
    text = "# 3. Logs\n\nDate: 2026-01-02\n\n## Status\n\nProposed\n\n## Considered Options\n\n* option 1\n"
    path = repository / "docs/adr/0003-logs.md"
    write(path, text)
    assert main(["lint"]) == 1
    assert "docs/adr/0003-logs.md:11: template-text still the template's words" in capsys.readouterr().out
    assert main(["status", "3", "accepted"]) == 3
    assert "docs/adr/0003-logs.md:11: still the template's words: '* option 1'" in capsys.readouterr().err
    assert path.read_text() == text
    template = "# 1. Title\n\nDate: 2026-01-02\n\n## Status\n\nProposed\n\n---\n\n## Context\n\nWhy?\n"
    write(path.with_name("0000-template.md"), template)
    write(path, text.replace("option 1", "To files") + "\n---\n")
    assert main(["lint", "--ignore", "proposed-long"]) == 0
    assert main(["status", "3", "accepted"]) == 0


def test_where_there_is_no_record_nothing_is_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A check in CI of a folder that was moved, or misspelt in its settings, would be green for ever."""
    folder = tmp_path / "elsewhere"
    write(folder / "notes/README.md", "Nothing here.\n")
    monkeypatch.chdir(folder)
    for words, where in (([], f"{folder} and below"), (["notes"], "notes")):
        assert main(["lint", *words]) == 2
        said = capfd.readouterr().err
        assert f"no record was found; looked at {where}" in said
        assert "next: give the folder of the records" in said


def test_a_project_may_have_no_record_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The first commit of a new project would be refused."""
    write(tmp_path / "pyproject.toml", '[tool.reaffirm]\nrecords = "docs/adr"\n')
    (tmp_path / "docs/adr").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert main(["lint"]) == 0
    assert "reaffirm new record TITLE writes the first one" in capfd.readouterr().err
