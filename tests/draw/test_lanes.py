"""The picture of a start, and reports as text and HTML."""

from xml.etree import ElementTree as ET

import pytest

from reaffirm.draw.lanes import Ending, Lane, duration, lanes_alt, lanes_svg
from reaffirm.draw.report_html import report_html
from reaffirm.draw.report_text import report_text
from reaffirm.model.evidence import Kind
from reaffirm.model.exchange import Sent
from reaffirm.model.fact import Fact
from reaffirm.model.report import Log, Outcome, Picture, Report, Table

STAGES = [("a", "Container started"), ("b", "Ranks <meet>"), ("c", "Serves")]
EVIL = '<script>alert("x")</script>'
SVG = "{http://www.w3.org/2000/svg}"


def _svg(*lanes: Lane) -> ET.Element:
    return ET.fromstring(lanes_svg(STAGES, lanes, label="what it shows", kind=Kind.SIMULATED))


def test_svg_is_well_formed_and_escaped() -> None:
    """A node's name could run a script in the reader's page."""
    lane = Lane(EVIL, EVIL, {"a": 1.0}, Ending.FAILED, EVIL)
    root = _svg(lane)
    assert root.attrib["aria-label"] == "what it shows"
    assert not list(root.iter(f"{SVG}script"))
    svg = lanes_svg(STAGES, [lane], label="x", kind=Kind.LAB)
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("kind", list(Kind))
def test_picture_says_its_kind(kind: Kind) -> None:
    """A picture that is copied out of its page would pass for one of a real run."""
    root = ET.fromstring(lanes_svg(STAGES, [Lane("r", "n")], label="x", kind=kind))
    assert f"{kind} run" in [element.text for element in root.iter(f"{SVG}text")]


def test_times_and_marks() -> None:
    """Who stopped where could not be seen."""
    root = _svg(
        Lane("rank 0", "n1", {"a": 0.5, "c": 75.0}, Ending.READY, "serves"),
        Lane("rank 1", "n2", {"a": 0.6}, Ending.SILENT, "silent for 5 min"),
    )
    text = [element.text for element in root.iter(f"{SVG}text")]
    assert {"0.5 s", "1 min 15 s", "serves", "silent for 5 min", "Ranks <meet>"} <= set(text)
    kinds = [element.attrib.get("class") for element in root.iter(f"{SVG}circle")]
    assert kinds.count("good") == 1
    assert kinds.count("hold") == 1
    # The stage that did not show itself is drawn hollow, not as seen.
    assert kinds.count("p") == 1


def test_lane_without_a_stage_is_drawn() -> None:
    """A rank that never started would break the picture."""
    root = _svg(Lane("rank 0", "n1", {}, Ending.STOPPED, "not started"))
    assert len(list(root.iter(f"{SVG}rect"))) == 1
    assert "reached no stage" in lanes_alt(STAGES, [Lane("rank 0", "n1")])


def test_alt_says_the_same() -> None:
    """Those who cannot see the picture would not know where it stopped."""
    alt = lanes_alt(STAGES, [Lane("rank 0", "n1", {"a": 0.5}, Ending.SILENT, "silent for 5 min")])
    assert alt == "rank 0 (n1) reached “Container started” after 0.5 s, then: silent for 5 min."


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"),
        (9.96, "10.0 s"),
        (12.2, "12 s"),
        (59.7, "1 min"),
        (300, "5 min"),
        (3600, "1 h"),
        (3780, "1 h 3 min"),
    ],
)
def test_duration(seconds: float, words: str) -> None:
    """Times would be misread."""
    assert duration(seconds) == words


def _report(kind: Kind) -> Report:
    return Report(
        "launch",
        kind,
        Outcome.STUCK,
        f"stuck {EVIL}",
        (
            Table("T", ("a", "b"), ((EVIL, "x" * 200),)),
            Log("L", (EVIL, "\x1b[31mred")),
            Picture("P", lanes_svg(STAGES, [Lane("r", "n")], label="p", kind=kind), "the picture in words"),
        ),
        (Sent("spark-1", ("docker", "rm", EVIL)),),
        (Fact("launch.ready", None), Fact("launch.seconds_to_ready", 1.5, "s")),
    )


def test_html_escapes_everything() -> None:
    """A line of a log could run a script in the notebook."""
    html = report_html(_report(Kind.LAB))
    assert "<script" not in html
    assert "unknown" in html
    assert "1.5 s" in html


@pytest.mark.parametrize(
    ("kind", "words"), [(Kind.SIMULATED, "SIMULATED run"), (Kind.LAB, "lab run"), (Kind.REAL, "real run")]
)
def test_kind_is_always_visible(kind: Kind, words: str) -> None:
    """A simulated figure would be taken for a measured one."""
    assert words in report_html(_report(kind))
    assert words in report_text(_report(kind)).splitlines()[0]


def test_text_has_no_steering_characters_and_keeps_long_cells() -> None:
    """A log could steer the reader's terminal, or the end of a sentence would be lost."""
    text = report_text(_report(Kind.LAB))
    assert "\x1b" not in text
    assert text.count("x") >= 200
    assert "spark-1$ docker rm" in text
