"""History of records from git: what changed when, and when a status did."""

import os
import subprocess
from pathlib import Path

import pytest

from reaffirm.model.record import Status
from reaffirm.store.history import read_history

_MADR = "---\nstatus: {}\n---\n\n# A cache\n\nWe keep {} things.\n"
_NYGARD = "# 2. Queues\n\nDate: 2026-01-02\n\n## Status\n\n{}\n\n## Context\n\nStatus: of things.\n"


def _git(root: Path, *words: str, day: int = 1) -> None:
    when = f"2026-03-{day:02d}T12:00:00+00:00"
    who = {"NAME": "Somebody", "EMAIL": "somebody@example.test", "DATE": when}
    env = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, env=os.environ | env)


def _commit(root: Path, path: str, text: str, subject: str, day: int) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    _git(root, "add", ".")
    _git(root, "commit", "-m", subject, day=day)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two records in a folder of a repository, with some commits."""
    _git(tmp_path, "init", "-b", "main", ".")
    root = tmp_path / "team [a]"
    _commit(root, "adr/0001-çache.md", _MADR.format("proposed", "ten"), "A cache", 1)
    _commit(root, "adr/0002-queues.md", _NYGARD.format("Accepted"), "Queues", 2)
    _commit(root, "adr/0001-çache.md", _MADR.format("accepted", "ten"), "Yes to the cache", 3)
    _git(root, "mv", "adr/0001-çache.md", "adr/0001-the-çache.md")
    _commit(root, "adr/0001-the-çache.md", _MADR.format("accepted", "twenty"), "Twenty", 4)
    _commit(root, "adr/0002-queues.md", _NYGARD.format("Superseded by [3](0003-x.md)"), "No queues", 5)
    _commit(root, "other.md", "status: rejected\n", "Not a record", 6)
    return root


def test_changes_and_those_of_the_status_are_told_also_across_a_renaming(repository: Path) -> None:
    """The page of a record would show its last name's changes only, or a status that it never had."""
    history = read_history(repository, ["adr/0001-the-çache.md", "adr/0002-queues.md", "adr/0003-new.md"])
    assert history.missing == ""
    first = history.of("adr/0001-the-çache.md")
    assert [(one.when.day, one.subject, one.before, one.status, one.created) for one in first] == [
        (4, "Twenty", None, None, False),
        (3, "Yes to the cache", Status.PROPOSED, Status.ACCEPTED, False),
        (1, "A cache", None, Status.PROPOSED, True),
    ]
    assert first[0].moved_from == "adr/0001-çache.md"
    second = history.of("adr/0002-queues.md")
    assert [(one.before, one.status) for one in second] == [
        (Status.ACCEPTED, Status.SUPERSEDED),
        (None, Status.ACCEPTED),
    ]
    assert history.of("adr/0003-new.md") == ()


def test_nobodys_address_is_kept_and_secrets_in_a_subject_are_masked(repository: Path) -> None:
    """An address or a password from a commit would be published on every page."""
    secret = "ghp_" + "Ab3dEf6hIj9LmN2pQr5tUv8xYz1BcD4eFg7h"
    _commit(repository, "adr/0002-queues.md", _NYGARD.format("Rejected"), f"token {secret}", 7)
    told = repr(read_history(repository, ["adr/0001-the-çache.md", "adr/0002-queues.md"]))
    assert "example.test" not in told
    assert "Somebody" not in told
    assert secret not in told


def test_a_shallow_clone_and_a_folder_without_git_say_why_they_know_nothing(
    repository: Path, tmp_path: Path
) -> None:
    """A page made in CI would show the last commit as the day on which everything was decided."""
    shallow = tmp_path / "shallow"
    _git(tmp_path, "clone", "--depth", "1", f"file://{repository.parent}", str(shallow))
    history = read_history(shallow / "team [a]", ["adr/0002-queues.md"])
    assert history.changes == {}
    assert "shallow clone" in history.missing
    (tmp_path / "plain").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
        assert "no git repository" in read_history(tmp_path / "plain", ["a.md"]).missing
        patch.setenv("PATH", str(tmp_path))
        assert read_history(repository, ["adr/0002-queues.md"]).missing == "there is no git here"


def test_git_is_not_waited_for_for_ever(repository: Path) -> None:
    """A huge repository would keep a site from being built."""
    history = read_history(repository, ["adr/0002-queues.md"], seconds=0.000_001)
    assert history.changes == {}
    assert "took longer than" in history.missing
