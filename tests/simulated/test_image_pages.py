"""The pages of ``docs/container-images``: what ships is right, and what is wrong is named with its line."""

from pathlib import Path

import pytest
from launches import ARCHITECTURE, ROOT, SPECIMENS

from reaffirm.errors import DocumentError
from reaffirm.model.image import Registry, Support
from reaffirm.model.node import Engine
from reaffirm.store.images import image_findings, read_image, read_images

PAGES = SPECIMENS / "pages"


def test_the_pages_that_ship() -> None:
    """The story's images would hold something else than its sources and the released packages say."""
    images = read_images(ROOT / "docs/container-images")
    assert list(images) == ["sglang", "vllm-node", "vllm-qwen35"]
    assert images["sglang"].engine is Engine.SGLANG
    assert {name: image.engine_version for name, image in images.items()} == {
        "sglang": "0.5.10",
        "vllm-node": "0.14.0rc2",
        "vllm-qwen35": "0.17.0",
    }
    assert {name: image.registry.has(ARCHITECTURE) for name, image in images.items()} == {
        "sglang": True,
        "vllm-node": False,
        "vllm-qwen35": True,
    }


def test_pages_keep_apart_how_things_are_known() -> None:
    """A version that somebody filled in would pass for one that somebody saw."""
    images = read_images(ROOT / "docs/container-images")
    assert images["sglang"].known("engine-version") is Support.INFERRED
    assert images["vllm-node"].known("engine-version") is Support.REPORTED
    assert images["vllm-node"].known("registry") is Support.VERIFIED
    assert images["vllm-qwen35"].known("engine-version") is Support.MADE_UP
    assert all(image.digest is None for image in images.values())


def test_a_good_page() -> None:
    """What a user writes would be read as something else."""
    image = read_image(PAGES / "good.md")
    assert image.registry == Registry(names=("LlamaForCausalLM",), count=1)
    assert image.registry.has("Qwen3ForCausalLM") is False
    assert (image.reference, image.notes) == ("example.invalid/team/good:1.2", "Notes.")
    assert image.known("python") is Support.MADE_UP
    assert image.known("engine-version") is Support.SEEN


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("unknown-key", 5, "unknown key 'engine-verson'; did you mean 'engine-version'?"),
        ("wrong-engine", 4, "engine cannot be 'vlm'; did you mean 'vllm'?"),
        ("missing-key", 1, "the key 'status' is missing"),
        ("other-name", 2, "name 'another' must be that of the file, 'other-name'"),
        ("bare-version", 5, "engine-version must be text, got 0.17; put it in quotes"),
        ("no-version", 5, "engine-version must be a version such as 0.14.0rc2, got 'newest'"),
        ("registry-key", 9, "unknown key 'registry.nams'; did you mean 'names'?"),
        ("both-ways", 9, "A is listed both as a name and as absent"),
        ("few-names", 9, "registry.count is 1 but 2 names are listed"),
        ("short-digest", 7, "digest must be 'sha256:' and 64 hexadecimal digits, got 'sha256:123'"),
        ("wrong-status", 7, "status cannot be 'made up'; did you mean 'made-up'?"),
        ("wrong-support", 9, "unknown key 'support.pythn'; did you mean 'python'?"),
    ],
)
def test_a_bad_page_is_named_with_its_line(name: str, line: int, words: str) -> None:
    """A mistake on a page would be hard to find, or go unnoticed."""
    path = PAGES / f"{name}.md"
    with pytest.raises(DocumentError) as caught:
        read_image(path, shown=f"{name}.md")
    assert caught.value.message == f"{name}.md:{line}: {words}"


def test_every_bad_page_is_tested() -> None:
    """A specimen would lie there unused."""
    tested = {mark.args[1][n][0] for mark in _marks() for n in range(len(mark.args[1]))}
    assert {path.stem for path in PAGES.glob("*.md")} == tested | {"good"}


def _marks() -> list[pytest.Mark]:
    return [m for m in test_a_bad_page_is_named_with_its_line.pytestmark if m.name == "parametrize"]  # type: ignore[attr-defined]


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    """A missing page would be a traceback."""
    with pytest.raises(DocumentError, match=r"none\.md: cannot be read"):
        read_image(tmp_path / "none.md")


def test_all_mistakes_of_all_pages_are_told_at_once(tmp_path: Path) -> None:
    """The site would be built with pages that break every simulated run."""
    text = (PAGES / "good.md").read_text(encoding="utf-8")
    wrong = text.replace("engine: vllm", "engine: vlm").replace("\npython:", "\npyhton:")
    (tmp_path / "other.md").write_text(wrong, encoding="utf-8")
    (tmp_path / "broken.md").write_text("---\nname: [\n---\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("no page", encoding="utf-8")
    found = [str(finding) for finding in image_findings(tmp_path, shown="docs/container-images")]
    assert found[0].startswith("docs/container-images/broken.md:")
    words = [line.split(": image-page ")[1].split(";")[0] for line in found[1:]]
    assert sorted(words) == [
        "engine cannot be 'vlm'",
        "name 'good' must be that of the file, 'other'",
        "unknown key 'pyhton'",
    ]


def test_the_pages_that_ship_have_no_mistakes() -> None:
    """A page of ours would stop every simulated run."""
    assert image_findings(ROOT / "docs/container-images", shown="docs/container-images") == ()
