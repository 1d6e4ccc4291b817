"""The program that looks into an image, run on small packages in the shape of the real ones."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = Path(__file__).parent / "packages"
MOE = "Qwen3_5MoeForConditionalGeneration"


def _probe(package: str, engine: str, wanted: str, cwd: Path) -> dict[str, Any]:
    text = (ROOT / "scripts/node/probe_image.py").read_text(encoding="utf-8")
    environment = {"PYTHONPATH": str(PACKAGES / package), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-s", "-", engine, wanted],
        input=text, capture_output=True, text=True, timeout=60, env=environment, cwd=cwd, check=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("package", "engine", "wanted", "registered"),
    [
        ("vllm-0.14", "vllm", "AlphaForCausalLM", True),
        ("vllm-0.14", "vllm", "LlamaForCausalLM", True),
        ("vllm-0.14", "vllm", MOE, False),
        # A substring of a registered name is not the name: "3_5" is in ColQwen3_5.
        ("vllm-0.14", "vllm", "Qwen3_5", False),
        ("vllm-0.14", "vllm", "GoneForCausalLM", False),
        ("vllm-computed", "vllm", "AlphaForCausalLM", True),
        ("vllm-computed", "vllm", "AddedForCausalLM", True),
        ("vllm-computed", "vllm", "BetaForCausalLM", None),
        ("vllm-plugin", "vllm", "BetaForCausalLM", True),
        ("vllm-plugin", "vllm", MOE, False),
        ("sglang-0.5.10", "sglang", MOE, True),
        ("sglang-0.5.10", "sglang", "OneForCausalLM", True),
        ("sglang-0.5.10", "sglang", "WithAMark", True),
        ("sglang-0.5.10", "sglang", "NotAnEntry", False),
        ("sglang-computed", "sglang", "LateForCausalLM", None),
        ("sglang-0.5.10", "vllm", MOE, None),
    ],
)
def test_registered(package: str, engine: str, wanted: str, registered: bool | None, tmp_path: Path) -> None:
    """An image would be said to serve a model that it cannot, or the other way round."""
    assert _probe(package, engine, wanted, tmp_path)["registered"] is registered


def test_versions_come_from_metadata_or_files_without_an_import(tmp_path: Path) -> None:
    """Importing an engine takes seconds, memory and often a GPU; here it would raise."""
    told = _probe("vllm-0.14", "vllm", MOE, tmp_path)
    assert told["engine_version"] == "0.14.1"
    assert told["torch_version"] == "2.9.1+cpu"
    assert told["names"] == 6
    assert told["unresolved"] == []
    assert _probe("vllm-computed", "vllm", MOE, tmp_path)["engine_version"] == "0.99.0"


def test_what_is_not_there_is_null(tmp_path: Path) -> None:
    """A version of the machine's own packages would pass for the image's."""
    told = _probe("sglang-computed", "vllm", MOE, tmp_path)
    assert told["engine_version"] is None
    assert told["registry"] is None
    assert told["notes"] == ["no package vllm in this image"]


def test_unread_parts_are_named(tmp_path: Path) -> None:
    """ "Not found" would be believed although a part was never read."""
    told = _probe("vllm-computed", "vllm", MOE, tmp_path)
    assert any("dict comprehension" in part for part in told["unresolved"])
    assert any("_VLLM_MODELS: changed" in part for part in told["unresolved"])


def test_plugins_of_others_are_told_and_the_engines_own_are_not(tmp_path: Path) -> None:
    """A model that a plugin adds would be called unsupported."""
    assert _probe("vllm-plugin", "vllm", MOE, tmp_path)["out_of_tree"] == [
        "vllm.general_plugins mine (my-models)"
    ]
    assert _probe("vllm-0.14", "vllm", MOE, tmp_path)["out_of_tree"] == []


def test_folder_named_like_the_engine_is_not_the_engine(tmp_path: Path) -> None:
    """SGLang's own image has a folder "sglang" in its working directory: a checkout, not the package."""
    (tmp_path / "sglang/srt/models").mkdir(parents=True)
    told = _probe("sglang-0.5.10", "sglang", MOE, tmp_path)
    assert told["engine_version"] == "0.5.10"
    assert str(PACKAGES) in told["registry"]
