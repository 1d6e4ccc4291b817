"""`reaffirm scan`: secrets in files are found with their lines and never shown."""

import base64
import json
from pathlib import Path

import pytest

from reaffirm.cli.main import main

TOKEN = "hf_" + "q7RtYw2Zk9LpXv4BnHs8DgJf3McTe6UaQ5"
KEY = "\n".join(
    ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "-----END PRIVATE KEY-----"]
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _scan(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["scan", *words])
    out, err = capsys.readouterr()
    for told in (out, err):
        assert TOKEN[3:] not in told
        assert "s3cr3t" not in told
    return status, out


def test_a_finding_has_path_line_and_code(capsys: pytest.CaptureFixture[str]) -> None:
    """An editor opens the place, CI stops, and the secret is not in CI's log as well."""
    Path("logs").mkdir()
    Path("logs/a.log").write_text(f"fine\nlogin with {TOKEN}\nDB_PASSWORD=s3cr3t-Value9\n")
    status, out = _scan(capsys, "logs")
    assert status == 1
    first, second = out.splitlines()
    assert first.startswith(
        "logs/a.log:2: hf-token what looks like a hf token (34 characters, begins with 'q7R')"
    )
    assert second.startswith("logs/a.log:3: named-secret a value under a secret's name (13 characters")


def test_nothing_found_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    """A clean folder must not stop CI, and what is no secret is no finding."""
    Path("a.md").write_text("max_tokens=256\ncommit 9f3ac17e5b8d20469f3ac17e5b8d20469f3ac17e\n")
    assert _scan(capsys, "a.md") == (0, "")


def test_a_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    """A key over the lines of an output, and a token that colours cut up, are in no line as a whole."""
    coloured = f"\x1b[31m{TOKEN[:12]}\x1b[0m{TOKEN[12:]}\n"
    output = {
        "output_type": "stream",
        "name": "stdout",
        "text": [*KEY.splitlines(keepends=True), "\n", coloured],
    }
    cell = {"cell_type": "code", "source": ["x = 1\n"], "outputs": [output], "metadata": {}}
    Path("a.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}}, indent=1))
    status, out = _scan(capsys, "a.ipynb")
    assert status == 1
    lines = Path("a.ipynb").read_text().split("\n")
    numbers = [int(line.split(":")[1]) for line in out.splitlines()]
    assert any("BEGIN PRIVATE" in lines[n - 1] or "MIIEvQ" in lines[n - 1] for n in numbers)
    assert any(TOKEN[12:] in lines[n - 1] for n in numbers)


def test_what_is_not_looked_at_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A scan that passes over files in silence is believed more than it deserves."""
    Path("x").mkdir()
    Path("x/picture.png").write_bytes(b"\x89PNG\0\0" + TOKEN.encode())
    Path("x/coded.txt").write_text(base64.b64encode(TOKEN.encode()).decode())
    status = main(["scan", "x"])
    assert status == 0
    assert "no text, not looked at: x/picture.png" in capsys.readouterr().err


def test_hidden_and_ignored_files_count(capsys: pytest.CaptureFixture[str]) -> None:
    """Secrets lie in what git ignores: `.env`, local runs."""
    Path(".gitignore").write_text("runs/\n.env\n")
    Path(".env").write_text("HF_TOKEN=s3cr3t-Value9\n")
    Path("runs").mkdir()
    Path("runs/recording.jsonl").write_text(json.dumps({"op": "run", "argv": ["x", "--token", TOKEN]}) + "\n")
    status, out = _scan(capsys, ".")
    assert status == 1
    assert {line.split(":")[0] for line in out.splitlines()} == {".env", "runs/recording.jsonl"}


def test_a_comment_allows_a_made_up_secret(capsys: pytest.CaptureFixture[str]) -> None:
    """A page about secrets shows one; a comment in its line or above it says that it is made up."""
    Path("a.md").write_text(
        "<!-- reaffirm: not-a-secret: made up -->\nHF_TOKEN=s3cr3t-Value9\n"
        "HF_TOKEN=s3cr3t-Value9 # reaffirm: not-a-secret\nHF_TOKEN=s3cr3t-Value9\n"
    )
    status, out = _scan(capsys, "a.md")
    assert status == 1
    assert [line.split(" ")[0] for line in out.splitlines()] == ["a.md:4:"]


def test_a_file_of_allowances(capsys: pytest.CaptureFixture[str]) -> None:
    """So many and no more, with the reason; an allowance that nothing needs would hide the next secret."""
    Path("a.md").write_text("HF_TOKEN=s3cr3t-Value9\nHF_TOKEN=s3cr3t-Value9\n")
    entry = '[[allow]]\npath = "a.md"\ncode = "named-secret"\nwhy = "made up"\ncount = {}\n'
    for count, wanted in ((2, []), (1, ["named-secret"]), (3, ["allowance-unused"])):
        Path("allowed.toml").write_text(entry.format(count))
        status, out = _scan(capsys, "a.md", "--allowed", "allowed.toml")
        assert [line.split(" ")[1] for line in out.splitlines()] == wanted
        assert status == bool(wanted)
    Path("allowed.toml").write_text('[[allow]]\npath = "a.md"\ncode = "named-secret"\n')
    assert main(["scan", "a.md", "--allowed", "allowed.toml"]) != 0
    assert "allowed.toml:1: an allowance has path, code and why" in capsys.readouterr().err


def test_other_forms(capsys: pytest.CaptureFixture[str]) -> None:
    """CI of GitHub shows annotations, other programs read JSON."""
    Path("a.txt").write_text(f"{TOKEN}\n")
    _, out = _scan(capsys, "a.txt", "--format", "json")
    assert [(one["path"], one["line"], one["code"]) for one in json.loads(out)] == [("a.txt", 1, "hf-token")]
    _, out = _scan(capsys, "a.txt", "--format", "github")
    assert out.startswith("::error file=a.txt,line=1,title=hf-token::")


def test_a_path_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    """A typing error must not pass for a clean scan."""
    assert main(["scan", "no-such-folder"]) == 3
    assert "there is no such file or folder" in capsys.readouterr().err


def test_values_of_the_environment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has the secret in the environment finds it also where nothing else tells it."""
    monkeypatch.setenv("REGISTRY_PASSWORD", "plain-looking words 7")
    Path("a.txt").write_text("it said plain-looking words 7 and left\n")
    status, out = _scan(capsys, "a.txt")
    assert status == 1
    assert "a.txt:1: known-secret" in out


def test_an_empty_default_in_a_notebook(capsys: pytest.CaptureFixture[str]) -> None:
    """A parameter without a value would stop CI in the notebook, and not in the .py that it was made of."""
    line = 'api_key: str = ""  # named like one\n'
    Path("a.py").write_text(line)
    for source in ([line, "x = 1\n"], line + "x = 1\n", line):
        cell = {"cell_type": "code", "source": source, "outputs": [], "metadata": {}}
        Path("a.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}}, indent=1))
        assert _scan(capsys, "a.py", "a.ipynb") == (0, "")
    written = line.replace('""', '"s3cr3t-Value9"')
    cell = {"cell_type": "code", "source": [written], "outputs": [], "metadata": {}}
    Path("a.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}}, indent=1))
    assert _scan(capsys, "a.ipynb")[0] == 1


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"hook": "https://hooks.slack.com/services/T0123ABCD/B0123ABCD/" + TOKEN[3:27]}).replace(
            "/", "\\/"
        ),
        json.dumps({"query": "a=b&api_key=s3cr3t-Value9"}).replace("=", "\\u003d"),
        '{"source": [ "api_", "key=\'s3cr3t-Value9\'" ]}',
        '{"source": [\r\n  "api_",\r\n  "key=\'s3cr3t-Value9\'"\r\n]}',
    ],
)
def test_json_that_escapes_more_than_it_must(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """PHP writes `\\/`, Go and .NET `\\u003d`, and lists begin with a blank or the line end of Windows."""
    Path("a.json").write_bytes(text.encode())
    status, out = _scan(capsys, "a.json")
    assert (status, out.count("\n")) == (1, 1)
