"""file: what a file is, and what is unknown where a node does not tell."""

import hashlib
from typing import Any

import pytest
from alone import alone, values
from scripted_node import ScriptedNode

from reaffirm.errors import UsageError
from reaffirm.model.report import Outcome
from reaffirm.steps import file

TEXT = "listen 8080;\nworkers 4;\n"


def _holds(node: ScriptedNode, path: str, text: str = TEXT, mode: str = "81a4") -> None:
    node.script[f"stat -L -c %s %f {path}"] = f"{len(text)} {mode}\n"
    node.script[f"cat {path}"] = text
    node.script[f"sha256sum {path}"] = f"{hashlib.sha256(text.encode()).hexdigest()}  {path}\n"


def test_a_file_as_expected() -> None:
    """The settings of a service could not be a claim."""
    cluster, node = alone()
    _holds(node, "/etc/web.conf")
    digest = hashlib.sha256(TEXT.encode()).hexdigest()
    result = file(
        cluster,
        "/etc/web.conf",
        name="conf",
        contains="listen 8080",
        matches=r"^workers \d+;$",
        sha256=digest,
        mode="0644",
        facts={"workers": {"regex": r"^workers (?P<n>\d+);", "unit": "1"}},
    )
    assert result.outcome is Outcome.PASS
    assert values(result) == {
        "conf.passed": True,
        "conf.exists": True,
        "conf.size": len(TEXT),
        "conf.mode": "0644",
        "conf.contains": True,
        "conf.matches": True,
        "conf.sha256": digest,
        "conf.workers": 4,
    }


def test_each_expectation_can_fail() -> None:
    """A changed file would pass."""
    cluster, node = alone()
    _holds(node, "/f")
    wrong: list[dict[str, Any]] = [
        {"contains": "listen 80;"},
        {"matches": "^workers 5"},
        {"sha256": "0" * 64},
        {"mode": "0600"},
        {"exists": False},
    ]
    for more in wrong:
        result = file(cluster, "/f", **more)
        assert result.outcome is Outcome.FAIL, more
        assert result["passed"] is False


def test_a_file_that_is_not_there() -> None:
    """Absent and unknown would be the same."""
    cluster, node = alone()
    node.script["stat"] = (1, "", "stat: cannot statx '/f': No such file or directory\n")
    assert file(cluster, "/f").outcome is Outcome.FAIL
    assert file(cluster, "/f", exists=False).outcome is Outcome.PASS
    missing = file(cluster, "/f", contains="x")
    assert missing.outcome is Outcome.FAIL
    assert (missing["exists"], missing["contains"], missing["size"]) == (False, None, None)
    assert not any(line.startswith("cat") for line in node.asked)


def test_where_stat_is_missing_reading_tells() -> None:
    """On a simulated node nothing could be said of any file."""
    cluster, node = alone()
    node.script["cat /f"] = TEXT
    result = file(cluster, "/f", contains="workers")
    assert result.outcome is Outcome.PASS
    assert (result["exists"], result["size"], result["mode"]) == (True, None, None)
    assert file(cluster, "/f", mode="0644").outcome is Outcome.UNKNOWN
    node.script["cat /g"] = (1, "", "cat: /g: No such file or directory\n")
    assert file(cluster, "/g", exists=False).outcome is Outcome.PASS


def test_what_may_not_be_looked_into_is_unknown() -> None:
    """A file of root's would count as one without the line."""
    cluster, node = alone()
    node.script["stat"] = (1, "", "stat: cannot statx '/root/f': Permission denied\n")
    node.script["cat"] = (1, "", "cat: /root/f: Permission denied\n")
    result = file(cluster, "/root/f", contains="x")
    assert result.outcome is Outcome.UNKNOWN
    assert (result["exists"], result["contains"]) == (None, None)


@pytest.mark.parametrize(("size", "mode"), [(5_000_000_000, "81a4"), (0, "11a4"), (4096, "41ed")])
def test_large_files_pipes_and_folders_are_not_read(size: int, mode: str) -> None:
    """A log of five gigabytes would come over the wire, or a pipe hold the run for ever."""
    cluster, node = alone()
    node.script["stat"] = f"{size} {mode}\n"
    result = file(cluster, "/f", contains="x")
    assert result.outcome is Outcome.UNKNOWN
    assert result["contains"] is None
    assert [line.split()[0] for line in node.asked] == ["stat"]


@pytest.mark.parametrize(
    ("path", "more", "says"),
    [
        ("", {}, "a path"),
        ("~/x", {}, "a path"),
        ("/f", {"matches": "("}, "not a regular expression"),
        ("/f", {"sha256": "abc"}, "64 hexadecimal"),
        ("/f", {"mode": "rw"}, "octal"),
        ("/f", {"exists": False, "contains": "x"}, "should not be there"),
        ("/f", {"facts": {"size": {"text": "whole"}}}, "the step itself finds"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused(path: str, more: Any, says: str) -> None:
    """A typo would be found in the result, if at all."""
    cluster, node = alone()
    with pytest.raises(UsageError, match=says):
        file(cluster, path, **more)
    assert node.asked == []


def test_a_name_that_looks_like_an_option_is_a_name() -> None:
    """A file called --version would never be looked at."""
    cluster, node = alone()
    _holds(node, "./--version")
    assert file(cluster, "--version").outcome is Outcome.PASS
