"""Does what a page of the documentation says: writes its files, runs its commands, looks for what it shows.

A block of a page is one of these, told by its language and its title:

* ``console``: each line that begins with ``$`` is run by a shell, and each line below it must be in what that prints,
  in this order. A line ``…`` stands for any lines, ``…`` inside of a line for any piece of it. The command must end with
  status 0, or with the one that the title names (``title="ends with status 1"``).
* ``title="in the notebook"``: each line must be in the output of the notebook that was run last;
  ``title="in the first notebook"``: of the first one.
* ``title="on the page URI"``: each line must be on that page of the site that was built last.
* any other title is the path of a file with this text.

Blocks without a title, other than ``console``, are only to be read.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_SITE = "build/site"


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    title: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    return [Block(*found) for found in _FENCE.findall(page.read_text(encoding="utf-8"))]


def copy_of_the_project(folder: Path) -> Path:
    """Return a throw-away copy of the files of this project: no history, no environment, no runs."""
    folder.mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.name.startswith(".") or path.name in ("runs", "build", "dist", "site"):
            continue
        if path.is_dir():
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(path, folder / path.name)
    return folder


@dataclass
class Reader:
    """Somebody who follows pages in a folder.

    Args:
        folder: where the commands run; ``.venv/bin`` there is the environment of the tests.
        instead: pieces of commands and what is run in their place.
    """

    folder: Path
    instead: Mapping[str, str] = field(default_factory=dict)
    notebooks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        scripts = sysconfig.get_path("scripts")
        (self.folder / ".venv").mkdir(parents=True)
        (self.folder / ".venv" / "bin").symlink_to(scripts)
        drop = ("VIRTUAL_ENV", "COLUMNS")
        self._env = {name: value for name, value in os.environ.items() if name not in drop}
        self._env |= {"PATH": f"{scripts}:{os.environ['PATH']}", "NO_MKDOCS_2_WARNING": "1"}

    def follow(self, page: Path) -> None:
        """Do what the page says; AssertionError names the command or the line that does not hold."""
        for block in blocks(page):
            if block.language == "console":
                self._type(block)
            elif block.title in ("in the notebook", "in the first notebook"):
                notebook = self.notebooks[0 if "first" in block.title else -1]
                self._look(block.text, self._output(notebook), f"{page.name}: {notebook}")
            elif block.title.startswith("on the page "):
                uri = block.title.removeprefix("on the page ")
                self._look(block.text, self._page(uri), f"{page.name}: {uri}")
            elif block.title:
                path = self.folder / block.title
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")

    def _type(self, block: Block) -> None:
        want = int(block.title.removeprefix("ends with status ")) if block.title else 0
        for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, *expected = part.rstrip("\n").split("\n")
            for piece, other in self.instead.items():
                command = command.replace(piece, other)
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=self.folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=900,
                check=False,
            )
            assert done.returncode == want, f"$ {command}\nended with {done.returncode}\n{done.stdout}"
            self.notebooks += re.findall(r"^notebook: (\S+\.ipynb)", done.stdout, re.MULTILINE)
            lines = iter(re.split(r"[\r\n]+", done.stdout))
            for line in expected:
                if line.strip() != "…":
                    assert any(_in(line, seen) for seen in lines), (
                        f"$ {command}\nno {line!r} in\n{done.stdout}"
                    )

    def _look(self, wanted: str, seen: str, where: str) -> None:
        for line in wanted.splitlines():
            assert _in(line, seen), f"{where}: no {line!r}"

    def _output(self, notebook: str) -> str:
        cells = json.loads((self.folder / notebook).read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", [])]
        return "\n".join("".join(output.get("data", {}).get("text/plain", "")) for output in outputs)

    def _page(self, uri: str) -> str:
        page = (self.folder / _SITE / uri / "index.html").read_text(encoding="utf-8")
        return html.unescape(re.sub(r"<[^>]+>", " ", page.partition("<article")[2]))


def _in(line: str, seen: str) -> bool:
    """Tell whether a line is somewhere in a text. Spaces and line ends are all the same; ``…`` fits anything."""
    pieces = [re.escape(" ".join(piece.split())) for piece in line.split("…")]
    return re.search(".*".join(pieces), " ".join(seen.split())) is not None
