"""Redaction: no secret stays, nothing else goes, and JSON stays JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaffirm.redact import MASK, LineRedactor, redact, redact_header, redact_words

KEYS = st.sampled_from(["HF_TOKEN", "password", "api_key", "name", "eos_token", "max_tokens"])
VALUES = st.one_of(st.none(), st.booleans(), st.text(max_size=20), st.lists(st.text(max_size=8), max_size=3))


@given(st.text(max_size=200))
def test_redacting_twice_changes_nothing(text: str) -> None:
    """Requests are compared after redaction: a second pass must not make them differ."""
    assert redact(redact(text)) == redact(text)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_json_stays_json(data: dict[str, object]) -> None:
    """`docker inspect` is parsed after redaction."""
    json.loads(redact(json.dumps(data)))


@given(st.lists(st.text(alphabet="ab\"\\'= ", max_size=12), max_size=3))
def test_a_secret_with_quotes_in_json_does_not_break_it(words: list[str]) -> None:
    """An environment variable may hold any sign."""
    json.loads(redact(json.dumps({"Env": [f"HF_TOKEN={word}" for word in words]})))


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens=256 prompt_tokens: 12",
        "tokens per second: 31.5",
        '{"eos_token": null, "add_bos_token": false}',
        "https://example.org/path:with@sign",
        "NCCL_SOCKET_IFNAME=enp1s0f1np1",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    """A log that is masked where it matters is worth nothing."""
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "HF_TOKEN=s3cr3t",
        'HF_TOKEN="s3cr3t"',
        "-e 'HF_TOKEN=s3cr3t'",
        "-e 'HF_TOKEN=\"s3cr3t\"'",
        '"Env": ["HF_TOKEN=s3cr3t"]',
        '{"password": "s3cr3t"}',
        "{'api_key': 's3cr3t'}",
        "password: s3cr3t",
        "Authorization: Bearer s3cr3t",
        "curl -H 'Authorization: Basic s3cr3t'",
        "https://me:s3cr3t@example.org/x",
        'docker exec x "/usr/bin/curl" -u me:s3cr3t https://host',
        "docker exec x 'mysql' -ps3cr3t",
        'curl -X POST "--github-pat-prod" s3cr3t',
    ],
)
def test_a_secret_goes(text: str) -> None:
    """However it is written down."""
    assert "s3cr3t" not in redact(text)
    assert MASK in redact(text)


def test_a_secret_that_is_a_word_of_its_own() -> None:
    """`--api-key X` has no sign between name and value."""
    assert redact_words(["serve", "--api-key", "abc", "--max-tokens", "5"]) == [
        "serve",
        "--api-key",
        MASK,
        "--max-tokens",
        "5",
    ]
    assert redact_words(["x", "--token", "--verbose"]) == ["x", "--token", "--verbose"]


def test_a_header_that_carries_a_secret() -> None:
    """Its value alone does not look like one."""
    assert redact_header("Authorization", "Bearer abc") == MASK
    assert redact_header("X-Api-Key", "abc") == MASK
    assert redact_header("Content-Type", "text/plain") == "text/plain"


def test_a_private_key_over_many_lines() -> None:
    """A log is redacted line by line; the middle of a key looks like nothing."""
    clean = LineRedactor()
    lines = ["before", "-----BEGIN RSA PRIVATE KEY-----", "MIIE", "-----END RSA PRIVATE KEY-----", "after"]
    assert [clean(line) for line in lines][2] == MASK
    assert [clean(line) for line in lines][4] == "after"
