"""Values that a process knows to be secret: in any form, over chunks, words and lines; and what is none."""

import base64
import html
import json
from urllib.parse import quote

import pytest

from reaffirm.redact import (
    MASK,
    is_secret_name,
    known,
    mark,
    redact,
    redact_chunks,
    redact_data,
    redact_words,
    remember,
    remembering,
    secrets_in,
)

VALUE = "Zq\"ü's<&>%\\ 9Kx7vW2p"


@pytest.mark.parametrize(
    "text",
    [
        VALUE,
        repr(VALUE),
        json.dumps(VALUE),
        json.dumps(json.dumps(json.dumps(repr(VALUE)))),
        html.escape(VALUE),
        quote(VALUE, safe=""),
        quote(quote(VALUE)),
        repr(VALUE.encode()),
        VALUE.encode().hex(),
        *(base64.b64encode(f"{pad}{VALUE}|".encode()).decode() for pad in ("", "x", "xy")),
        f"{VALUE[:8]}\n{VALUE[8:]}",
        f"\x1b[31m{VALUE[:8]}\x1b[0m\x1b[1m{VALUE[8:]}\x1b[0m",
        f"<b>{html.escape(VALUE[:8])}</b>{html.escape(VALUE[8:])}",
    ],
)
def test_a_known_value_in_any_form(text: str) -> None:
    """A password is printed by whatever a cell calls, and each library escapes it in its own way."""
    with remembering([VALUE]):
        masked = redact(f"before {text} after")
    assert MASK in masked
    assert "Kx7vW2" not in masked
    assert masked.startswith("before ")
    assert masked.endswith(" after") or "|" in text


def test_what_is_known_is_forgotten_after_the_block() -> None:
    """One run's password must not black out a word in another run of the same process."""
    before = known()
    with remembering(["kestrel-9"], ["ticket_of_mine"]):
        assert redact("a kestrel-9 b ticket_of_mine=abc") == f"a {MASK} b ticket_of_mine={MASK}"
    assert known() is before
    assert redact("a kestrel-9 b") == "a kestrel-9 b"


def test_short_values_are_not_hunted() -> None:
    """A password `no` would black out every `no`."""
    with remembering(["no", "12345", "     x", MASK[1:-1]]):
        assert redact("no 12345 redacted") == "no 12345 redacted"


def test_the_environment_has_secrets_under_names_that_say_so() -> None:
    """`DB_PASSWORD=postgres` must not black out the word postgres; of a marked variable any value counts."""
    variables = {
        "HF_TOKEN": "hf-like-1234",
        "DB_PASSWORD": "postgres",
        "PATH": "/usr/bin:/bin",
        "WEKA": "plainword",
    }
    assert list(secrets_in(variables)) == ["hf-like-1234"]
    with remembering():
        mark(["WEKA"])
        assert list(secrets_in(variables)) == ["hf-like-1234", "plainword"]


def test_patterns_that_are_marked() -> None:
    """A company's own tokens look like nothing that we know; with a group, only the group is secret."""
    with remembering():
        mark(patterns=["acme-[0-9a-f]{8}", "ticket ([0-9]{6})"])
        assert redact("x acme-0123abcd y ticket 123456 z") == f"x {MASK} y ticket {MASK} z"


@pytest.mark.parametrize(
    "name",
    [
        "HF_TOKEN", "password", "dbPassword", "DB_PASS", "api_key", "apiKey", "X-Api-Key", "OPENAI_API_KEY",
        "aws_secret_access_key", "SSHPASS", "MYSQL_PWD", "client_secret", "clientSecret", "PGPASSWORD",
        "hf-token", "github_pat", "SECRET_KEY_BASE", "authToken", "passphrase", "Authorization",
        "set-cookie", "password2", "api_key_prod",
    ],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    """Each is in use somewhere."""
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "eos_token", "max_tokens", "token_ids", "tokens_per_second", "time_to_first_token", "tokenizer",
        "num_tokens", "pad_token", "nextPageToken", "PWD", "OLDPWD", "SSH_AUTH_SOCK", "primary_key",
        "cache_key", "sort_key", "key", "keyboard", "forward_pass", "compass", "author", "monkey",
        "secret_name", "secretKeyRef", "tokenizer_path", "ms_per_token", "image_token", "password_file",
    ],
)  # fmt: skip
def test_names_of_no_secrets(name: str) -> None:
    """A figure that is masked is a figure that is lost."""
    assert not is_secret_name(name)


def test_a_model_that_says_a_secret_token_by_token() -> None:
    """Its events are JSON objects of their own; they stay that, and keep their times."""
    secret = "hf_" + "q7RtYw2Zk9LpXv4BnHs8DgJf3McTe6UaQ5"
    pieces = ["it is ", secret[:2], secret[2:9], secret[9:30], secret[30:], " there"]
    chunks = [f"data: {json.dumps({'choices': [{'delta': {'content': piece}}]})}\n\n" for piece in pieces]
    masked = redact_chunks(chunks)
    assert len(masked) == len(chunks)
    said = [json.loads(chunk[6:])["choices"][0]["delta"]["content"] for chunk in masked]
    assert "".join(said) == f"it is hf_{MASK} there"
    assert masked[0] == chunks[0]


def test_chunks_without_a_secret_are_as_they_were() -> None:
    """The times of arrival belong to chunks."""
    chunks = ["data: {", '"a": 1}', "\n\n", ""]
    assert redact_chunks(chunks) == chunks


def test_a_secret_over_several_words_of_a_command() -> None:
    """`printf '%s\\n' LINE LINE …` holds a key line by line."""
    lines = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "-----END PRIVATE KEY-----"]
    masked = redact_words(["printf", "%s\n", *lines, "end"])
    assert len(masked) == 6
    assert "MIIE" not in "".join(masked)
    assert masked[-1] == "end"


def test_data() -> None:
    """Name and value may be apart, headers may be pairs, and keys may be secrets themselves."""
    token = "hf_" + "q7RtYw2Zk9LpXv4BnHs8DgJf3McTe6UaQ5"
    data = {
        "env": [{"name": "HF_TOKEN", "value": "x1"}, {"name": "A", "value": "b"}],
        "headers": {"X-Session-Id": "abc", "Accept": "*/*"},
        "raw": [["Authorization", "Bearer x"], ["Host", "y"]],
        token: 1,
        "password": 123456,
        "max_tokens": 123456,
        "cmd": ["serve", "--api-key", "x2", "--port", "1"],
        "secrets": ["a", "b"],
    }
    masked = redact_data(data)
    assert masked["env"] == [{"name": "HF_TOKEN", "value": MASK}, {"name": "A", "value": "b"}]
    assert masked["headers"] == {"X-Session-Id": MASK, "Accept": "*/*"}
    assert masked["raw"] == [["Authorization", MASK], ["Host", "y"]]
    assert token not in masked
    assert (masked["password"], masked["max_tokens"]) == (MASK, 123456)
    assert masked["cmd"] == ["serve", "--api-key", MASK, "--port", "1"]
    assert masked["secrets"] == [MASK, MASK]


def test_the_mask_encoded_is_the_mask() -> None:
    """A replay has the mask where the run had the secret; both send the same then."""
    with remembering([VALUE]):
        live = redact(f"http://x/?q={quote(VALUE, safe='')}")
    assert redact(f"http://x/?q={quote(MASK, safe='')}") == live


def test_remembering_nothing_new_changes_nothing() -> None:
    """What was masked is kept as long as no more is known."""
    with remembering(["kestrel-9"]):
        version = known().version
        remember(["kestrel-9"])
        mark([])
        assert known().version == version


def test_words_that_were_masked_stay_as_they_are() -> None:
    """A recording whose requests change when they are masked once more cannot be published."""
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"
    for argv in (
        ["printf", "%s\n", key],
        ["echo", *key.split("\n")],
        ["x", "--token", "abc", f"\x1b[2m{key}\x1b[0m"],
    ):
        once = redact_words(argv)
        assert redact_words(once) == once
        assert redact_data(once) == once
        assert MASK in "".join(once)
