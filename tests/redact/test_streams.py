"""Streams are redacted as they come: nothing leaks at a border, nothing is kept back for long."""

from hypothesis import given, settings
from hypothesis import strategies as some

from reaffirm.redact import MASK, LineRedactor, StreamRedactor, remembering

TOKEN = "hf_" + "q7RtYw2Zk9LpXv4BnHs8DgJf3McTe6UaQ5"
VALUE = "Zq7-kestrel-9Kx7vW2p"
KEY = [
    "-----BEGIN PRIVATE KEY-----",
    *["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCAAAA"] * 40,
    "-----END PRIVATE KEY-----",
]
_PIECES = some.lists(
    some.sampled_from(
        [TOKEN, VALUE, "\n", "\n\n", " ", "plain words ", "x" * 300, "\x1b[31m", "50%|##\r", "é"]
    ),
    max_size=12,
)


@settings(deadline=None, database=None)
@given(_PIECES, some.lists(some.integers(1, 40), min_size=1, max_size=8), some.booleans())
def test_any_chunks(pieces: list[str], sizes: list[int], flushes: bool) -> None:
    """Pipes cut where they like, and a stream that pauses is flushed."""
    text = " ".join(pieces)
    stream = StreamRedactor()
    written = ""
    with remembering([VALUE]):
        at = number = 0
        while at < len(text):
            size = sizes[number % len(sizes)]
            written += stream.feed(text[at : at + size])
            if flushes and number % 3 == 0:
                written += stream.flush()
            at, number = at + size, number + 1
        written += stream.close()
    assert TOKEN[3:] not in written
    assert VALUE not in written
    if TOKEN not in text and VALUE not in text:
        assert written == text


def test_an_unfinished_line_is_shown_when_the_stream_pauses() -> None:
    """A progress bar has no line end; who looks at the run wants to see it."""
    stream = StreamRedactor()
    assert stream.feed("loading 50%") == ""
    assert stream.flush() == "loading 50%"
    assert stream.feed(" 60%\n") == " 60%\n"


def test_a_secret_under_way_is_kept_back() -> None:
    """Half a token that is written cannot be taken back."""
    for begin in (TOKEN[:20], "password=", "password", "hf", VALUE[:6], "Authorization: Bearer "):
        stream = StreamRedactor()
        with remembering([VALUE]):
            stream.feed(f"x {begin}")
            assert begin not in stream.flush(), begin


def test_no_more_is_kept_back_than_promised() -> None:
    """A program that never ends its line must not fill the memory of the runner."""
    stream = StreamRedactor(most=8192)
    written = ""
    for _ in range(200):
        written += stream.feed("0123456789 " * 50)
        assert stream.held <= 8192 + 550
    assert len(written) > 100_000


def test_a_secret_in_a_line_without_end() -> None:
    """Where such a line is cut, no secret may lie."""
    text = "".join(f"{number} {TOKEN} " for number in range(2000))
    stream = StreamRedactor(most=8192)
    written = "".join(stream.feed(text[at : at + 777]) for at in range(0, len(text), 777)) + stream.close()
    assert TOKEN[10:] not in written
    assert written.count(MASK) == 2000


def test_a_private_key_in_a_stream() -> None:
    """Its lines look like nothing; after its end everything is shown again."""
    text = "\n".join(["before", *KEY, "after"]) + "\n"
    stream = StreamRedactor()
    written = "".join(stream.feed(text[at : at + 100]) for at in range(0, len(text), 100)) + stream.close()
    assert "MIIE" not in written
    assert written.startswith("before\n")
    assert written.endswith("after\n")


def test_a_log_that_only_speaks_of_keys() -> None:
    """It is not masked to its end."""
    clean = LineRedactor()
    lines = ["no -----BEGIN PRIVATE KEY----- in key.pem", "trying the next file", "ready"]
    assert [clean(line) for line in lines] == lines


def test_a_value_that_is_wrapped_over_two_lines() -> None:
    """The first line is written before the second one comes."""
    with remembering([VALUE]):
        for cut in range(4, len(VALUE) - 1):
            clean = LineRedactor()
            one, other = clean(f"it is {VALUE[:cut]}"), clean(f"{VALUE[cut:]} then")
            assert (one, other.endswith(" then")) == (f"it is {MASK}", True)
            assert VALUE[cut:] not in other
