"""The small web server of `measure_latency` on a simulated node."""

import json
from collections.abc import Sequence

import pytest
from launches import make_world

from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest
from reaffirm.nodes.simulated import World


def start(world: World, words: Sequence[str] = ("60",)) -> Answer:
    """Send the program to the head."""
    return world.transport("spark-1").run(["python3", "-", *words], stdin=world.programs["example_server.py"])


def ask(world: World, port: int, path: str = "/", method: str = "GET", node: str = "spark-1") -> HttpAnswer:
    """Ask for a path on that node's loopback."""
    return world.transport(node).http(HttpRequest(method, f"http://127.0.0.1:{port}{path}"))


def test_serves_until_it_is_stopped() -> None:
    """A first run without any machine would show nothing of what a latency claim looks like."""
    world = make_world()
    port = json.loads(start(world).stdout)["port"]
    assert json.loads(ask(world, port, "/anything").body) == {"says": "hello", "words": 1}
    assert ask(world, port, "/stop").status == 200
    assert ask(world, port).error == "[Errno 111] Connection refused"


def test_ends_by_itself_and_only_serves_its_own_node() -> None:
    """A simulated server would go on where the real one is long gone, or answer where the real one cannot."""
    world = make_world()
    port = json.loads(start(world, ("5",)).stdout)["port"]
    assert ask(world, port, node="spark-2").error == "[Errno 111] Connection refused"
    assert ask(world, port).status == 200
    world.advance(5)
    assert ask(world, port).error == "[Errno 111] Connection refused"


def test_two_at_once_have_ports_of_their_own() -> None:
    """Stopping one would stop the other."""
    world = make_world()
    one, other = (json.loads(start(world).stdout)["port"] for _ in range(2))
    assert one != other
    ask(world, one, "/stop")
    assert ask(world, other).status == 200
    assert ask(world, other, method="POST").status == 501


@pytest.mark.parametrize("words", [("0",), ("601",), ("soon",), ()])
def test_a_wrong_time_is_refused(words: Sequence[str]) -> None:
    """The simulated program would take what the real one does not."""
    assert start(make_world(), words).exit == 1
