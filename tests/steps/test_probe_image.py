"""probe_image: true, false or unknown, from what the image's files say."""

import json

import pytest
from scripted_node import MODEL, WANTED, pair

from reaffirm.errors import StepFailedError, UsageError
from reaffirm.model.report import Outcome
from reaffirm.steps import probe_image, probe_images

PROBE = "Tell which serving engine"


def _told(**more: object) -> str:
    answer = {
        "python": "3.12.3",
        "engine": "vllm",
        "engine_version": "0.14.1",
        "torch_version": "2.9.1",
        "transformers_version": "4.57.6",
        "registry": "/vllm/registry.py",
        "registered": False,
        "names": 262,
        "unresolved": [],
        "out_of_tree": [],
        "notes": [],
    }
    return "a line of the image's own\n" + json.dumps(answer | more) + "\n"


@pytest.mark.parametrize(
    ("more", "supports"),
    [
        ({"registered": True}, True),
        ({"registered": False}, False),
        ({"registered": None, "unresolved": ["_X: dict comprehension at line 9"]}, None),
        # A plugin of another package may add the class when the engine starts.
        ({"registered": False, "out_of_tree": ["vllm.general_plugins mine (my-models)"]}, None),
    ],
)
def test_supports_model(more: dict[str, object], supports: bool | None) -> None:
    """An image would be thrown away, or kept, for a reason that is not so."""
    cluster, head, _, _ = pair()
    head.script[PROBE] = _told(**more)
    result = probe_image(cluster, "img", model=MODEL)
    facts = {fact.name: fact.value for fact in result.facts}
    assert facts["probe.img.supports_model"] is supports
    assert facts["probe.img.vllm_version"] == "0.14.1"
    assert facts["probe.img.digest"] == "sha256:bb"
    assert (result.outcome is Outcome.UNKNOWN) == (supports is None)
    sent = next(asked for asked in head.asked if "--rm" in asked)
    assert sent == f"docker run --rm -i --network none --pull never --entrypoint python3 img - vllm {WANTED}"


def test_what_is_not_in_the_image_is_unknown() -> None:
    """A missing package would be given a version."""
    cluster, head, _, _ = pair()
    head.script[PROBE] = _told(torch_version=None, transformers_version=None)
    result = probe_image(cluster, "img", model=MODEL)
    facts = {fact.name: fact.value for fact in result.facts}
    assert facts["probe.img.torch_version"] is None
    assert facts["probe.img.transformers_version"] is None


def test_other_engine_is_tried_when_the_first_is_not_there() -> None:
    """An SGLang image without a telling name would be called empty."""
    cluster, head, _, _ = pair()
    head.script[f"- vllm {WANTED} … {PROBE}"] = _told(engine_version=None, registry=None, registered=None)
    head.script[f"- sglang {WANTED} … {PROBE}"] = _told(
        engine="sglang", engine_version="0.5.10", registered=True
    )
    result = probe_image(cluster, "my/image:tag", model=MODEL)
    assert {fact.name: fact.value for fact in result.facts}["probe.my-image-tag.sglang_version"] == "0.5.10"


def test_image_without_python_is_unknown_and_says_so() -> None:
    """The step would crash on an image of another kind."""
    cluster, head, _, _ = pair()
    head.script[PROBE] = (127, "", 'exec: "python3": executable file not found in $PATH')
    result = probe_image(cluster, "img", model=MODEL)
    assert result.outcome is Outcome.UNKNOWN
    assert "executable file not found" in result._repr_mimebundle_()["text/plain"]


def test_model_without_a_config_is_unknown() -> None:
    """The probe would look for a class that nobody named."""
    cluster, head, _, _ = pair()
    head.script["Tell whether the weights"] = json.dumps({"found": False, "architectures": []})
    head.script[PROBE] = _told()
    result = probe_image(cluster, "img", model=MODEL)
    assert result.supports_model is None


def test_missing_image_is_an_error_with_a_next_action() -> None:
    """docker run would try to pull it, for minutes and without being asked."""
    cluster, head, _, _ = pair()
    head.script["docker image inspect"] = (1, "[]", "Error: No such image: img")
    with pytest.raises(StepFailedError, match="absent") as caught:
        probe_image(cluster, "img", model=MODEL)
    assert caught.value.hint == "docker pull img there, or name another image"
    head.script["docker images"] = "localhost/vllm-qwen35:lab\nlocalhost/sglang:lab\n<none>:<none>\n"
    for typed in ("vllm-qwen53", "vllm-qwen35:la"):
        with pytest.raises(StepFailedError) as caught:
            probe_image(cluster, typed, model=MODEL)
        assert caught.value.hint == (
            f"did you mean vllm-qwen35:lab, which is there? Else docker pull {typed} there, "
            f"or name another image"
        )
    head.script["docker image inspect"] = (1, "", "Cannot connect to the Docker daemon")
    head.asked.clear()
    with pytest.raises(StepFailedError, match="Cannot connect"):
        probe_image(cluster, "img", model=MODEL)
    assert "docker images --format '{{.Repository}}:{{.Tag}}'" not in head.asked


def test_images_side_by_side() -> None:
    """One would have to open three reports to see which image to take, or an unknown would pass for a no."""
    cluster, head, _, shown = pair()
    answers = iter([_told(registered=True), _told(), _told(registered=None, unresolved=["_X: computed"])])
    head.script[PROBE] = lambda node, argv: next(answers)
    result = probe_images(cluster, ["one", "two", "one", "three"], model=MODEL)
    assert [probe.image for probe in result.probes] == ["one", "two", "three"]
    assert {fact.name: fact.value for fact in result.facts} == {"probe.images_with_class": ["one"]}
    assert result.outcome is Outcome.UNKNOWN
    assert "in the registry of one; it cannot be told of three" in result.report.summary
    assert "probe.three.supports_model" in cluster.context.facts
    assert sum("probe_image: " in str(bundle.get("text/plain")) for bundle in shown) == 3
    with pytest.raises(UsageError, match="at least one image"):
        probe_images(cluster, [], model=MODEL)
