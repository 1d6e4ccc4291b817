"""Grows a repository in which every field of everything holds every attempt to run something."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

_TOY = Path(__file__).parent.parent / "site/specimens/project"
_SETTINGS = """site_name: hostile
theme: {name: material, font: false, language: en, palette: {scheme: default}}
plugins: [search, reaffirm: {records: adrs}]
"""
_NAMES = (
    "0090-<img src=x onerror=window.__pwned=1>.md",
    '0091-"><script>window.__pwned=1<script>.md',
    "0092-](javascript:window.__pwned=1).md",
    "0093-' onmouseover='window.__pwned=1.md",
)


def attempts(folder: Path) -> dict[str, str]:
    """Return each attempt by its name."""
    found = {one.stem: one.read_text(encoding="utf-8") for one in sorted((folder / "payloads").glob("*.txt"))}
    assert len(found) > 25
    return found


def grown(folder: Path, project: Path) -> Path:
    """Make the repository and return its folder.

    Args:
        folder: the specimens.
        project: where it will be.
    """
    shutil.copytree(_TOY, project)
    (project / "mkdocs.yml").write_text(_SETTINGS, encoding="utf-8")
    fields = folder / "fields"
    (project / "docs/failures").mkdir()
    (project / "docs/failures/README.md").write_text("# Failures\n", encoding="utf-8")
    _git(project, "init", "-q", "-b", "main")
    for number, (name, text) in enumerate(attempts(folder).items(), 100):
        for at, made in (
            (f"adrs/{number:04}-{name}.md", "record.md"),
            (f"adrs/{number + 200:04}-all-{name}.md", "record-every-field.md"),
            (f"docs/failures/{name}.md", "failure.md"),
            (f"docs/container-images/{name}.md", "image.md"),
        ):
            (project / at).write_text(_filled((fields / made).read_text(), text, name), encoding="utf-8")
        for run, facts in ((name, "facts.json"), (f"damaged-{name}", "facts-damaged.json")):
            folder_of_run = project / "docs/runs/measure_latency" / run
            folder_of_run.mkdir()
            for made, at in (
                ("notebook.json", "notebook.ipynb"),
                (facts, "facts.json"),
                ("provenance.json",) * 2,
            ):
                data = _replaced(json.loads((fields / made).read_text(encoding="utf-8")), text, run)
                (folder_of_run / at).write_text(json.dumps(data), encoding="utf-8")
        _git(project, "add", "-A")
        _git(project, "commit", "-q", "--cleanup=verbatim", "-m", text.replace("\0", "") or "x")
    for at in _NAMES:
        (project / "adrs" / at).write_text(f"# {at}\n\n## Status\n\nAccepted\n", encoding="utf-8")
    logs = project / "docs/runs/measure_latency/script/saved"
    logs.mkdir()
    for at in _NAMES:
        (logs / at.replace(".md", ".log")).write_text("<script>window.__pwned=1</script>\n", encoding="utf-8")
    return project


def _filled(template: str, text: str, name: str) -> str:
    quoted = json.dumps(text, ensure_ascii=True)
    line = " ".join(text.split()).replace("`", "'")
    for mark, value in (("@q@", quoted), ("@line@", line), ("@id@", name), ("@@", text)):
        template = template.replace(mark, value)
    return template


def _replaced(data: Any, text: str, name: str) -> Any:
    """The same data with the attempt in each of its texts and names."""
    if isinstance(data, dict):
        return {_replaced(key, text, name): _replaced(value, text, name) for key, value in data.items()}
    if isinstance(data, list):
        return [_replaced(one, text, name) for one in data]
    return data.replace("@@", text).replace("@id@", name) if isinstance(data, str) else data


def _git(project: Path, *arguments: str) -> None:
    who = {"GIT_AUTHOR_NAME": "<script>window.__pwned=1</script>", "GIT_AUTHOR_EMAIL": "a@example.invalid"}
    committer = {"GIT_COMMITTER_NAME": "c", "GIT_COMMITTER_EMAIL": "c@example.invalid"}
    subprocess.run(
        ["git", "-c", "core.hooksPath=/dev/null", *arguments],
        cwd=project, env={"PATH": "/usr/bin:/bin", "HOME": str(project), **who, **committer},
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
