"""What hangs together in a graph, and its picture."""

from xml.etree import ElementTree

from reaffirm.draw.layers import components
from reaffirm.draw.proportion import proportion_svg
from reaffirm.draw.supersession import Box, fits, supersession_svg


def test_arrows_lead_down_and_what_is_alone_is_left_out() -> None:
    """A successor would stand above what it took the place of."""
    [one, two] = components([("a", "c"), ("b", "c"), ("c", "d"), ("a", "d"), ("x", "y"), ("z", "z")])
    assert one.layers == (("a", "b"), ("c",), ("d",))
    assert two.layers == (("x",), ("y",))
    assert one.size == 4


def test_a_circle_is_drawn_and_not_followed_for_ever() -> None:
    """Two records that supersede each other would hang the build."""
    [one] = components([("a", "b"), ("b", "c"), ("c", "a"), ("c", "b")])
    assert sorted(node for row in one.layers for node in row) == ["a", "b", "c"]
    svg = supersession_svg(one, {name: Box(name, name, "", "m") for name in "abc"}, "x")
    assert svg.count("rf-arrow") == 4


def test_long_chains_cost_no_depth_and_are_not_drawn() -> None:
    """A chain of a thousand records would break the recursion, or be a picture a mile long."""
    [one] = components([(f"{n}", f"{n + 1}") for n in range(5000)])
    assert len(one.layers) == 5001
    assert not fits(one)


def test_the_picture_is_well_formed_and_its_boxes_are_links() -> None:
    """A title with a sign of XML in it would break the page."""
    [one] = components([("a", "b")])
    boxes = {
        "a": Box(
            "0001",
            'A <title> & a "long" one that does not fit into two lines of a box, by far',
            "old",
            "m",
            "a.md",
        ),
        "b": Box(
            "0002",
            "長い題名は半分しか入らないので切られることになります、きっとそうなります",
            "new",
            "m",
            "b.md",
        ),
    }
    root = ElementTree.fromstring(supersession_svg(one, boxes, "Which & what"))
    space = "{http://www.w3.org/2000/svg}"
    assert [link.get("href") for link in root.iter(f"{space}a")] == ["a.md", "b.md"]
    assert (next(root.iter(f"{space}title")).text or "").startswith("0001 A <title> & a")
    lines = [text.text or "" for text in root.iter(f"{space}text") if text.get("class") == "rf-title"]
    assert len(lines) <= 4
    assert any(line.endswith("…") for line in lines)
    assert all(len(line) <= 31 for line in lines)


def test_no_part_of_a_whole_is_too_narrow_to_be_seen() -> None:
    """One refuted claim among a thousand would not be in the picture."""
    root = ElementTree.fromstring(proportion_svg([("bad", 1), ("good", 999), ("none", 0)]))
    widths = [float(part.get("width", "0")) for part in root]
    assert len(widths) == 2
    assert widths[0] >= 7
    assert sum(widths) <= 1000
    assert proportion_svg([]).endswith("</svg>")
