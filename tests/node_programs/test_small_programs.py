"""The programs that look at addresses, ports and weights of a node, run on this machine's loopback."""

import json
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NODE = Path(__file__).parents[2] / "scripts/node"


def _run(program: str, *arguments: str) -> dict[str, Any]:
    text = (NODE / program).read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-", *arguments], input=text, capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def _shard(path: Path, size: int, cut: int = 0) -> None:
    header = json.dumps({"w": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + b"\0" * (size - cut))


def _model(folder: Path, *, shards: int = 2) -> Path:
    folder.mkdir(parents=True)
    names = [f"model-{n}-of-{shards}.safetensors" for n in range(1, shards + 1)]
    for name in names:
        _shard(folder / name, 64)
    (folder / "config.json").write_text(json.dumps({"architectures": ["AlphaForCausalLM"]}))
    weight_map = {f"w{n}": name for n, name in enumerate(names)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    return folder


def test_advertised_address_is_an_address_or_null() -> None:
    """Preflight could not tell what an engine would advertise."""
    told = _run("advertised_address.py")
    assert told["address"] is None or socket.inet_aton(told["address"])
    assert told["how"]


def test_reach_tells_connected_from_refused() -> None:
    """A port where nobody listens would be called unreachable."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        told = _run("reach.py", "127.0.0.1", port, "2")
    assert (told["reached"], told["how"]) == (True, "connected")
    told = _run("reach.py", "127.0.0.1", port, "2")
    assert (told["reached"], told["how"]) == (True, "refused")


def test_complete_folder(tmp_path: Path) -> None:
    """A complete model would be downloaded again."""
    folder = _model(tmp_path / "model")
    told = _run("check_weights.py", str(folder), "/none")
    assert told["found"] is True
    assert told["files"] == 2
    assert told["missing"] == told["incomplete"] == []
    assert told["architectures"] == ["AlphaForCausalLM"]
    assert told["digest"] == _run("check_weights.py", str(folder), "/none")["digest"]


def test_cut_and_missing_shards_are_told(tmp_path: Path) -> None:
    """The engine would fail after minutes of loading."""
    folder = _model(tmp_path / "model", shards=3)
    whole = _run("check_weights.py", str(folder), "/none")["digest"]
    _shard(folder / "model-1-of-3.safetensors", 64, cut=1)
    (folder / "model-3-of-3.safetensors").unlink()
    told = _run("check_weights.py", str(folder), "/none")
    assert told["incomplete"] == ["model-1-of-3.safetensors"]
    assert told["missing"] == ["model-3-of-3.safetensors"]
    assert told["digest"] != whole


@pytest.mark.parametrize("content", [b"", b"\1", b"\xff" * 8, struct.pack("<Q", 3) + b"{}x", b"\0" * 8])
def test_broken_header_is_incomplete_and_no_crash(content: bytes, tmp_path: Path) -> None:
    """One broken file would end the whole check."""
    folder = _model(tmp_path / "model")
    (folder / "model-2-of-2.safetensors").write_bytes(content)
    assert _run("check_weights.py", str(folder), "/none")["incomplete"] == ["model-2-of-2.safetensors"]


def test_model_id_is_looked_up_in_the_cache(tmp_path: Path) -> None:
    """A model in the Hugging Face cache would not be found, or half of one would count as complete."""
    base = tmp_path / "hub/models--Owner--Name"
    _model(base / "snapshots/abc")
    (base / "refs").mkdir()
    (base / "refs/main").write_text("abc")
    told = _run("check_weights.py", "Owner/Name", str(tmp_path))
    assert told["path"] == str(base / "snapshots/abc")
    assert told["cache"] == str(tmp_path)
    (base / "blobs").mkdir()
    (base / "blobs/0a1b.incomplete").write_text("")
    assert _run("check_weights.py", "Owner/Name", str(tmp_path))["incomplete"] == ["0a1b.incomplete"]
    told = _run("check_weights.py", "Owner/Other", str(tmp_path))
    assert told["found"] is False
    assert told["cache"] == str(tmp_path)


def test_programs_say_that_they_change_nothing() -> None:
    """The owner of a machine could not tell what a program does there."""
    for name in ("advertised_address.py", "reach.py", "check_weights.py", "probe_image.py"):
        text = (NODE / name).read_text(encoding="utf-8")
        assert "changes nothing" in text.split('"""')[1].replace("\n", " ")
