"""One suite for every transport: what a step may rely on, whichever kind of node it has."""

from itertools import pairwise

import pytest
from conftest import Web

from reaffirm.errors import NodeTimeoutError
from reaffirm.model.exchange import HttpRequest, Line
from reaffirm.nodes.transport import LineStream, Transport

WORDS = (
    "two words",
    "it's",
    'say "x"',
    "a; echo b",
    "$(echo x) `echo y` $HOME",
    "one\ntwo",
    "grüße 漢字",
    "-n",
    "--help",
    "",
    "*",
    "a\\tb",
    "{{.Names}}",
)


def _all(stream: LineStream) -> list[Line]:
    """Read a stream to its end."""
    lines: list[Line] = []
    for _ in range(200):
        got = stream.read(5)
        lines += got
        if not got and stream.exit is not None:
            return lines
    msg = f"no end after {len(lines)} lines"
    raise AssertionError(msg)


def _runs(node: Transport, words: str) -> bool:
    """Whether a command with these words runs on the node."""
    return any(words in line for line in node.run(["ps", "-eo", "args"]).stdout.splitlines())


def _ends(node: Transport, words: str) -> bool:
    """Whether it is gone, at the latest after five seconds of the node's time."""
    for _ in range(50):
        if not _runs(node, words):
            return True
        node.clock.sleep(0.1)
    return False


def test_the_exit_status_is_the_commands_own(node: Transport) -> None:
    """A step decides by it; a wrong one turns a failure into a pass."""
    assert node.run(["true"]).exit == 0
    assert node.run(["false"]).exit == 1


def test_output_and_errors_come_apart(node: Transport) -> None:
    """A warning on standard error must not end up in the JSON that a step parses."""
    answer = node.run(["cat", "/no/such/file"])
    assert answer.exit != 0
    assert answer.stdout == ""
    assert "No such file" in answer.stderr
    assert node.run(["echo", "fine"]).stdout == "fine\n"


def test_standard_input_arrives_whole(node: Transport) -> None:
    """Programs for nodes go in on standard input; a lost byte breaks them all."""
    text = "first\n\ttabs 'quotes' \"double\" $x `y` ü 漢\n" * 2000
    assert node.run(["cat"], stdin=text).stdout == text
    assert node.run(["cat"], stdin="").stdout == ""
    assert node.run(["cat"]).stdout == "", "without input, a reader must see the end and not wait"


def test_an_unknown_command_is_127(node: Transport) -> None:
    """`ibdev2netdev` is absent on many machines: that is an answer, not an error."""
    answer = node.run(["no-such-command-of-ours", "--version"])
    assert answer.exit == 127
    assert answer.stdout == ""
    assert answer.stderr != ""


@pytest.mark.parametrize("word", WORDS, ids=repr)
def test_a_word_arrives_as_sent(node: Transport, word: str) -> None:
    """A container named with a quote or a semicolon must never become a second command."""
    assert node.run(["printf", "%s\\n", word, "end"]).stdout == f"{word}\nend\n"


def test_a_timeout_ends_the_command_there(node: Transport) -> None:
    """A command that we gave up on must not go on working behind our back."""
    with pytest.raises(NodeTimeoutError) as caught:
        node.run(["sleep", "3131.25"], timeout=1)
    assert "sleep 3131.25" in str(caught.value)
    assert caught.value.hint
    assert not _runs(node, "sleep 3131.25")


def test_times_are_the_nodes_and_move_forward(node: Transport) -> None:
    """Latencies are differences of these times; a negative one would be nonsense."""
    before = node.clock.now()
    answer = node.run(["sleep", "0.3"])
    node.clock.sleep(0.2)
    after = node.clock.now()
    assert before <= answer.started <= answer.ended <= after
    assert answer.ended - answer.started >= 0.29
    assert after - answer.ended >= 0.19
    assert before > 1_500_000_000, "seconds since 1970"


def test_lines_come_in_order_with_times_that_never_fall(node: Transport) -> None:
    """The stage a launch has reached is read from the order of its lines."""
    words = [f"line {number}" for number in range(50)]
    stream = node.follow(["printf", "%s\\n", *words])
    lines = _all(stream)
    assert [line.text for line in lines] == words
    assert all(a.at <= b.at for a, b in pairwise(lines))
    assert stream.exit == 0
    stream.close()


def test_the_exit_comes_after_all_lines(node: Transport) -> None:
    """Whoever stops at the exit status must have seen the last line, which is the error."""
    stream = node.follow(["cat", "/no/such/file"])
    seen: list[str] = []
    for _ in range(50):
        if stream.exit is not None:
            break
        seen += [line.text for line in stream.read(5)]
    assert stream.exit not in (None, 0)
    assert "No such file" in " ".join(seen), "standard error is followed too"
    assert stream.read(0) == []
    stream.close()


def test_read_of_no_seconds_never_waits(node: Transport) -> None:
    """Two logs are followed in turn: one that is silent must not hold up the other."""
    stream = node.follow(["sleep", "3077.5"])
    before = node.clock.now()
    for _ in range(20):
        assert stream.read(0) == []
    assert node.clock.now() - before < 30
    assert stream.exit is None
    stream.close()


def test_close_ends_the_command_there(node: Transport) -> None:
    """`docker logs -f` of every launch would pile up on the machine."""
    stream = node.follow(["sleep", "3099.75"])
    assert stream.exit is None
    stream.close()
    stream.close()
    assert _ends(node, "sleep 3099.75")


def test_following_ends_with_its_timeout(node: Transport) -> None:
    """A log that never ends must not be followed for ever."""
    stream = node.follow(["sleep", "3055.5"], timeout=1)
    with pytest.raises(NodeTimeoutError):
        _all(stream)
    assert _ends(node, "sleep 3055.5")
    stream.close()


def test_commands_run_beside_followed_ones(node: Transport) -> None:
    """Both logs are followed while health is asked."""
    first = node.follow(["sleep", "3033.25"])
    second = node.follow(["printf", "%s\\n", "x"])
    assert node.run(["echo", "beside"]).stdout == "beside\n"
    assert [line.text for line in _all(second)] == ["x"]
    assert first.read(0) == []
    first.close()
    second.close()


def test_a_large_answer_comes_whole(node: Transport) -> None:
    """Logs of a launch have megabytes."""
    lines = node.run(["seq", "200000"]).stdout.split("\n")
    assert (len(lines), lines[0], lines[-2]) == (200_001, "1", "200000")
    stream = node.follow(["seq", "50000"])
    assert [line.text for line in _all(stream)] == [str(n) for n in range(1, 50_001)]
    stream.close()


def test_bytes_that_are_no_text_do_not_stop_a_run(node: Transport) -> None:
    """A log with a broken character must still be read."""
    answer = node.run(["cat"], stdin="before \udcff\udcfe after\n")
    assert answer.stdout == "before \ufffd\ufffd after\n"


def test_nobody_listening_is_an_answer(node: Transport) -> None:
    """While a server starts, its port refuses: that is no error of the node."""
    answer = node.http(HttpRequest("GET", "http://127.0.0.1:9/health"), timeout=10)
    assert answer.status == 0
    assert "refused" in answer.error
    assert answer.chunks == ()


def test_http_answers_with_status_headers_and_body(node: Transport, web: Web) -> None:
    """/health and /v1/models are read this way."""
    found = node.http(HttpRequest("GET", web.found), timeout=20)
    assert (found.status, found.error) == (200, "")
    absent = node.http(HttpRequest("GET", web.absent), timeout=20)
    assert absent.status == 404
    assert "content-type" in absent.headers, "header names are in lower case"


def test_http_chunks_come_with_the_times_of_their_arrival(node: Transport, web: Web) -> None:
    """Time to first token and inter-token latency are computed from them."""
    answer = node.http(web.stream, timeout=30)
    assert (answer.status, answer.error) == (200, "")
    assert answer.body.startswith("data: ")
    times = [chunk.at for chunk in answer.chunks]
    assert len(times) >= 3
    assert answer.started <= times[0] < times[-1] <= answer.ended
    assert times == sorted(times)
