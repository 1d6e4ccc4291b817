"""serve_image.py and fetch_image.py against each other on loopback, with a stand-in for docker."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

NODE = Path(__file__).parents[2] / "scripts/node"
HERE = "127.0.0.1"

# `docker save NAME` writes the file of that name, `docker load` keeps what it reads to the end.
DOCKER = """#!{python}
import os, pathlib, sys
folder = pathlib.Path(__file__).parent
if sys.argv[1] == "save":
    image = folder / sys.argv[2]
    if not image.exists():
        sys.exit("Error response from daemon: reference does not exist")
    sys.stdout.buffer.write(image.read_bytes())
else:
    data = sys.stdin.buffer.read()
    (folder / "loaded").write_bytes(data)
    print("Loaded image: tiny:latest")
"""


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with our docker in it."""
    tool = tmp_path / "docker"
    tool.write_text(DOCKER.format(python=sys.executable))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def _run(program: str, *arguments: object) -> dict[str, Any]:
    text = (NODE / program).read_text(encoding="utf-8")
    words = [sys.executable, "-", *map(str, arguments)]
    done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def _gone(pid: int, seconds: float = 20) -> bool:
    """Whether a process ends within that time; a zombie that nobody has waited for counts as ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        stat = Path(f"/proc/{pid}/stat")
        try:
            if stat.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def test_image_arrives_whole_and_nothing_is_left(docker: Path) -> None:
    """An image would arrive changed, or a process would go on listening."""
    (docker / "tiny").write_bytes(os.urandom(3_000_000))
    offer = _run("serve_image.py", "tiny", HERE, HERE, 30, 60)
    got = _run("fetch_image.py", HERE, offer["port"], offer["ticket"], 30)
    assert (got["loaded"], got["bytes"], got["why"]) == (True, 3_000_000, "")
    assert got["said"] == "Loaded image: tiny:latest"
    assert (docker / "loaded").read_bytes() == (docker / "tiny").read_bytes()
    assert _gone(offer["pid"])
    again = _run("fetch_image.py", HERE, offer["port"], offer["ticket"], 30)
    assert not again["loaded"]
    assert "refused" in again["why"].lower()


def test_wrong_ticket_gets_nothing_and_the_right_one_still_does(docker: Path) -> None:
    """Anybody on the cable could take the image, or keep the peer from it."""
    (docker / "tiny").write_bytes(b"x" * 1000)
    offer = _run("serve_image.py", "tiny", HERE, HERE, 30, 60)
    stranger = _run("fetch_image.py", HERE, offer["port"], "0" * 48, 20)
    assert not stranger["loaded"]
    assert not (docker / "loaded").exists()
    assert _run("fetch_image.py", HERE, offer["port"], offer["ticket"], 20)["loaded"]
    assert _gone(offer["pid"])


def test_another_address_is_not_let_in(docker: Path) -> None:
    """A third machine that learned the ticket could take the image."""
    (docker / "tiny").write_bytes(b"x")
    offer = _run("serve_image.py", "tiny", HERE, "127.0.0.9", 30, 60)
    got = _run("fetch_image.py", HERE, offer["port"], offer["ticket"], 20)
    assert "does not let this machine in" in got["why"]
    os.kill(offer["pid"], 15)
    assert _gone(offer["pid"])


def test_save_that_fails_is_told_and_nothing_is_loaded(docker: Path) -> None:
    """An empty archive would be loaded, and the reason would stay on the other machine."""
    offer = _run("serve_image.py", "absent", HERE, HERE, 30, 60)
    got = _run("fetch_image.py", HERE, offer["port"], offer["ticket"], 20)
    assert not got["loaded"]
    assert "reference does not exist" in got["why"]
    assert not (docker / "loaded").exists()


def test_nobody_comes(docker: Path) -> None:
    """A port would stay open after a run that was broken off."""
    offer = _run("serve_image.py", "tiny", HERE, HERE, 0.3, 60)
    assert _gone(offer["pid"])


def test_transfer_that_breaks_off_is_not_loaded(docker: Path) -> None:
    """Half an image would count as one."""
    with socket.create_server((HERE, 0)) as server:
        text = (NODE / "fetch_image.py").read_text(encoding="utf-8")
        words = [sys.executable, "-", HERE, str(server.getsockname()[1]), "ticket", "20"]
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert child.stdin is not None
        child.stdin.write(text)
        child.stdin.close()
        server.settimeout(20)
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"challenge\n")
            connection.recv(100)
            connection.sendall(b"\0\0\0\5he")
        child.wait(30)
        assert child.stdout is not None
        got = json.loads(child.stdout.read())
        child.stdout.close()
    assert not got["loaded"]
    assert got["why"] == "the other side broke off"
    assert not (docker / "loaded").exists()


def test_address_of_another_machine_cannot_be_listened_on() -> None:
    """The program would listen on every address instead."""
    told = _run("serve_image.py", "tiny", "192.0.2.1", HERE, 1, 2)
    assert told["serving"] is False
    assert "192.0.2.1" in told["why"]


def test_models_of_a_cache_are_listed_by_name_and_size(tmp_path: Path) -> None:
    """A machine file would be written without a word on what can be served."""
    blobs = tmp_path / "hub" / "models--Qwen--Qwen3.5-122B" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / "a").write_bytes(b"12345")
    (blobs / "b.incomplete").write_bytes(b"1")
    told = _run("list_models.py", tmp_path)
    assert told["models"] == [{"name": "Qwen/Qwen3.5-122B", "bytes": 5, "unfinished": 1}]
    assert _run("list_models.py", tmp_path / "none")["there"] is False
