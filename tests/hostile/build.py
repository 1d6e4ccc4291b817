"""Builds what git or an archive would not carry: names, links, pipes, clones inside of the tree, huge files.

`python tests/hostile/build.py FOLDER` makes `FOLDER/tree` and `FOLDER/expected.json` (same shape as the other
folders here, see README.md). A thing that the file system refuses is left out of both.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEGABYTE = 1_000_000
RECORD = "# {title}\n\nStatus: {status}\n\n{text}\n"
VALUES = {"title": "Title", "status": "accepted", "text": "Two switches fail on the same day."}


class Tree:
    """A folder that is being filled, and what a reader has to say about it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.expected: dict[str, Any] = {
            "schema": 1, "records": [], "skipped": [], "problems": [], "refused": [], "may": [],
        }  # fmt: skip

    def write(self, path: str, data: bytes | str) -> bool:
        """Write a file; False when the file system refuses its name or its size."""
        file = self.root / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.exists():
                return False
            file.write_bytes(data.encode() if isinstance(data, str) else data)
        except (OSError, ValueError):
            return False
        return True

    def record(self, path: str, identity: str, **values: str) -> None:
        """A record that has to be read."""
        text = VALUES | values
        if self.write(path, RECORD.format(**text)):
            self.expected["records"].append({
                "path": path, "id": identity, "title": text["title"], "status": text["status"],
                "status_raw": text["status"], "date": None, "deciders": [],
                "supersedes": [], "superseded_by": [], "links": [],
                "lines": {"title": 1, "status": 3, "date": None, "deciders": None, "supersedes": None,
                          "superseded_by": None},
            })  # fmt: skip

    def may(self, path: str, data: bytes | str, **values: Any) -> None:
        """A file that may be read or refused, but not read wrongly."""
        if self.write(path, data):
            self.expected["may"].append({"path": path, **values})

    def refused(self, path: str, why: str, make: Callable[[Path], object]) -> None:
        """Something that must be named and must not become a record."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            make(file)
        except (OSError, NotImplementedError):
            return
        self.expected["refused"].append({"path": path, "why": why})


def names(tree: Tree) -> None:
    """File names that break tables, terminals, shells and reports of one line per finding."""
    folder = "docs/adr"
    tree.record(f"{folder}/0001-good.md", "0001")
    tree.record(f"{folder}/0002 with spaces and  two.md", "0002")
    tree.record(f"{folder}/0003-new\nline.md", "0003")
    tree.record(f"{folder}/0004-tab\there.md", "0004")
    tree.record(f"{folder}/0005-gr\u00f6\u00dfe.md", "0005", title="One letter")
    tree.record(f"{folder}/0005-gro\u0308\u00dfe.md", "0005", title="The same letter in two parts")
    tree.record(f"{folder}/0006-🔥.md", "0006")
    tree.record(f'{folder}/0007-it\'s "quoted" `and` $(worse).md', "0007")
    tree.record(f"{folder}/0008-[brackets](and)|pipes|.md", "0008")
    tree.record(f"{folder}/0009-%2e%2e%2f#anchor?query.md", "0009")
    tree.record(f"{folder}/0010-Case.md", "0010", title="Large")
    tree.record(f"{folder}/0010-case.md", "0010", title="Small")
    tree.record(f"{folder}/0011-{'x' * 240}.md", "0011")
    tree.record(f"{folder}/0012-\x1b[31mred.md", "0012")
    tree.record(f"{folder}/0013-\u202egnp.md", "0013")
    tree.record(f"{folder}/0014-trailing .md", "0014")
    tree.may(f"{folder}/-0015-leading-dash.md", RECORD.format(**VALUES), title="Title", status="accepted")
    tree.may(
        f"{folder}/{os.fsdecode(b'0016-no-utf8-' + bytes([0xFF, 0xE9]) + b'.md')}",
        RECORD.format(**VALUES), id="0016", title="Title", status="accepted",
    )  # fmt: skip
    tree.may(
        f"{'/'.join(['deep'] * 120)}/adr/0017-deep.md",
        RECORD.format(**VALUES), id="0017", title="Title", status="accepted",
    )  # fmt: skip
    (tree.root / folder / "0018-a-folder.md").mkdir()


def links(tree: Tree) -> None:
    """Links in circles, into nothing, out of the tree, and to a record that is read anyway."""
    tree.record("docs/adr/0001-good.md", "0001")
    outside = tree.root.parent.resolve() / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "0099-outside.md").write_text(
        RECORD.format(**VALUES | {"title": "CANARY-9183"}), encoding="utf-8"
    )

    def to(target: str | Path) -> Callable[[Path], object]:
        return lambda file: file.symlink_to(target)

    tree.refused("docs/adr/0002-loop.md", "a link to itself", to("0002-loop.md"))
    tree.refused("docs/adr/0003-ping.md", "two links to each other", to("0004-pong.md"))
    tree.refused("docs/adr/0004-pong.md", "two links to each other", to("0003-ping.md"))
    tree.refused("docs/adr/0005-dangling.md", "a link into nothing", to("no-such-file.md"))
    tree.refused("docs/adr/0006-twin.md", "a link to a record of the same tree", to("0001-good.md"))
    tree.refused("docs/adr/0007-outside.md", "a link out of the tree", to(outside / "0099-outside.md"))
    for path, target in (("docs/adr/up", ".."), ("docs/adr/here", "."), ("docs/outside", str(outside))):
        file = tree.root / path
        file.symlink_to(target, target_is_directory=True)


def clones(tree: Tree) -> None:
    """Repositories of other people and other branches inside of the tree; none of their records is ours."""
    tree.record("docs/adr/0001-ours.md", "0001")
    tree.write(".git/HEAD", "ref: refs/heads/main\n")
    tree.write(".git/config", "[core]\n\tbare = false\n")
    for path, marker, text in (
        ("worktrees/topic", ".git", "gitdir: ../../.git/worktrees/topic\n"),
        ("scratch/other-branch", ".git", "gitdir: ../../.git/worktrees/other-branch\n"),
        ("libs/module", ".git", "gitdir: ../../.git/modules/module\n"),
        ("external/clone", ".git/HEAD", "ref: refs/heads/master\n"),
        (".venv/lib/python3.11/site-packages/pkg", "METADATA", "Name: pkg\n"),
        ("node_modules/pkg", "package.json", "{}\n"),
        ("vendor/pkg", "LICENSE", "\n"),
    ):
        tree.write(f"{path}/{marker}", text)
        for number in ("0001", "0002"):
            theirs = f"{path}/docs/adr/{number}-theirs.md"
            if tree.write(theirs, RECORD.format(**VALUES | {"title": "Theirs"})):
                tree.expected["skipped"].append({"path": theirs, "why": "vendored"})
    tree.write(".git/worktrees/topic/docs/adr/0003-inside-git.md", RECORD.format(**VALUES))
    tree.expected["records"].sort(key=lambda record: record["path"])


def special(tree: Tree) -> None:
    """Things that are named like files and are none, and one that may not be read."""
    tree.record("docs/adr/0001-good.md", "0001")
    tree.refused("docs/adr/0002-pipe.md", "a named pipe: whoever opens it waits for ever", os.mkfifo)
    locked = "docs/adr/0003-locked.md"
    tree.write(locked, RECORD.format(**VALUES))
    (tree.root / locked).chmod(0)
    if os.geteuid() == 0:
        tree.expected["may"].append({"path": locked, "id": "0003", "title": "Title", "status": "accepted"})
    else:
        tree.expected["refused"].append({"path": locked, "why": "no permission to read it"})
    (tree.root / "docs/closed").mkdir()
    (tree.root / "docs/closed/0004-behind.md").write_text(RECORD.format(**VALUES), encoding="utf-8")
    tree.record("docs/adr/closed/0005-behind.md", "0005")
    if os.geteuid() != 0:
        tree.expected["records"].pop()
        for folder, said in (("docs/closed", "skipped"), ("docs/adr/closed", "problems")):
            (tree.root / folder).chmod(0)
            tree.expected[said].append({"path": folder, "line": None, "what": "closed", "why": "closed"})


def huge(tree: Tree) -> None:
    """Files that are too large, and lines that are long but fine."""
    tree.record("docs/adr/0001-good.md", "0001")
    tree.record("docs/adr/0002-long-line.md", "0002", text="All of it on one line. " * 10_000)
    values = {"title": "Title", "status": "accepted"}
    lines = b"The same sentence again and again, until the disk is full of it.\n"
    top = RECORD.format(**VALUES).encode()
    front = b"---\nstatus: accepted\nlist:\n" + b"- entry\n" * (5 * MEGABYTE // 8) + b"---\n# Title\n"
    for name, data in (
        ("0003-fifty-megabytes", top + lines * (50 * MEGABYTE // len(lines))),
        ("0004-one-line", top + b"x" * (50 * MEGABYTE)),
        ("0005-front-matter", front),
        ("0006-nothing-but-dashes", b"---\n" + b"-" * (50 * MEGABYTE)),
    ):
        path = f"docs/adr/{name}.md"
        if tree.write(path, data):
            tree.expected["problems"].append({"path": path, "line": None, "what": "too large to be a record"})
            may = {"path": path, "id": name[:4]}
            tree.expected["may"].append(may if name.startswith("0006") else may | values)


PARTS = {"names": names, "links": links, "clones": clones, "special": special, "huge": huge}


def build(part: str, folder: Path) -> dict[str, Any]:
    """Make one part as `folder/tree` (`folder` exists and is empty); the expectation, also beside it."""
    tree = Tree(folder / "tree")
    tree.root.mkdir()
    PARTS[part](tree)
    (folder / "expected.json").write_text(json.dumps(tree.expected, indent=2) + "\n", encoding="utf-8")
    return tree.expected


def main(arguments: list[str]) -> int:
    """Make all parts, each in a folder of its own below the one that is named."""
    if len(arguments) != 1:
        print(__doc__)
        return 3
    for part in PARTS:
        folder = Path(arguments[0]) / part
        folder.mkdir(parents=True)
        build(part, folder)
        print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
