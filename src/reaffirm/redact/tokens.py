"""Tokens that say by their form what they are: ``hf_…``, ``ghp_…``, ``AKIA…``, ``eyJ….eyJ….…``.

Every pattern begins with the sign it looks for, so that a search of it is one pass over the text, and
repeats nothing that repeats: no text can make it slow.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from reaffirm.redact.found import Found
from reaffirm.redact.lazy import lazily

_DIGIT = lazily(r"[0-9]")
_LETTER = lazily(r"[A-Za-z]")
_LAST_WORD = lazily(r"[^\s\"']{1,4096}\Z")


@dataclass(frozen=True)
class Shape:
    """A kind of token. ``sign`` must stand in the text; ``kept`` of its characters stay.

    ``fixed`` is the length of the rest where all tokens have the same: only those are known again when
    a line end cuts them up. ``mixed`` says that the rest holds a digit and a letter.
    """

    code: str
    sign: str
    pattern: re.Pattern[str]
    kept: int = 0
    fixed: int = 0
    mixed: bool = False


def _shape(
    code: str, sign: str, rest: str, *, kept: int | None = None, before: str = r"[A-Za-z0-9]", fixed: int = 0,
    mixed: bool = False,
) -> Shape:  # fmt: skip
    """``sign`` is plain text. It must not follow a character of the class ``before``."""
    plain = re.escape(sign)
    text = f"{plain}(?<!{before}{plain}){rest}" if before else f"{plain}{rest}"
    return Shape(code, sign, lazily(text, re.ASCII), len(sign) if kept is None else kept, fixed, mixed)


_WORD = "[A-Za-z0-9_-]"
_END = "(?![A-Za-z0-9])"

SHAPES: tuple[Shape, ...] = (
    _shape("hf-token", "hf_", "[A-Za-z0-9]{16,}", fixed=34),
    _shape("hf-token", "api_org_", "[A-Za-z0-9]{16,}", fixed=34),
    *(_shape("github-token", f"gh{x}_", "[A-Za-z0-9]{16,}", fixed=36) for x in "pousr"),
    _shape("github-token", "github_pat_", "[A-Za-z0-9_]{20,}", fixed=82),
    *(
        _shape("gitlab-token", f"gl{x}-", f"{_WORD}{{16,}}", mixed=True)
        for x in ["pat", "dt", "rt", "cbt", "ptt", "ft", "soat", "agent", "oas", "ffct", "imt"]
    ),
    *(_shape("slack-token", f"xox{x}-", "[A-Za-z0-9-]{14,}") for x in "abeoprs"),
    _shape("slack-token", "xapp-", "[A-Za-z0-9-]{16,}", mixed=True),
    _shape("webhook", "hooks.slack.com/", "(?:services|workflows|triggers)/[A-Za-z0-9/_-]{16,}", before=""),
    _shape("webhook", "discord.com/api/webhooks/", "[0-9]{5,25}/[A-Za-z0-9_-]{20,}", before=""),
    *(
        _shape("aws-key-id", x, f"[A-Z2-7]{{16}}{_END}", kept=4, fixed=16)
        for x in ("AKIA", "ASIA", "ABIA", "ACCA")
    ),
    _shape("google-key", "AIza", f"{_WORD}{{30,}}", fixed=35),
    _shape("google-token", "ya29.", f"{_WORD}{{20,}}"),
    _shape("google-secret", "GOCSPX-", f"{_WORD}{{20,}}"),
    # OpenAI, Anthropic and many who serve their interface; "sk-learn-contrib-something" has no digit
    _shape("sk-key", "sk-", f"{_WORD}{{16,}}", before=r"[A-Za-z0-9_]", mixed=True),
    _shape("stripe-key", "sk_", "(?:live|test)_[A-Za-z0-9]{10,}"),
    _shape("stripe-key", "rk_", "(?:live|test)_[A-Za-z0-9]{10,}"),
    _shape("sk-key", "sk_", "[A-Za-z0-9]{20,}", mixed=True),
    _shape("npm-token", "npm_", f"[A-Za-z0-9]{{30,}}{_END}", fixed=36),
    _shape("pypi-token", "pypi-", f"AgE{_WORD}{{16,}}"),
    _shape(
        "jwt", "eyJ", rf"{_WORD}{{8,}}\.{_WORD}{{8,}}\.{_WORD}{{8,}}(?:\.{_WORD}{{1,400}}){{0,2}}", kept=3
    ),
    _shape("ngc-key", "nvapi-", f"{_WORD}{{20,}}"),
    _shape("wandb-key", "wandb_v", "[0-9]_[A-Za-z0-9_]{20,}"),
    _shape("wandb-key", "wandb login ", "(?:--relogin )?[0-9a-f]{40}", before=""),
    _shape("docker-token", "dckr_pat_", f"{_WORD}{{20,}}", fixed=27),
    _shape("docker-token", "dckr_oat_", f"{_WORD}{{20,}}"),
    _shape("azure-secret", "8Q~", r"[A-Za-z0-9_~.-]{31,34}", before="", kept=3),
    _shape("digitalocean-token", "dop_v1_", "[a-f0-9]{64}", fixed=64),
    _shape("digitalocean-token", "doo_v1_", "[a-f0-9]{64}", fixed=64),
    _shape("sendgrid-key", "SG.", rf"{_WORD}{{16,32}}\.{_WORD}{{16,64}}"),
    _shape("groq-key", "gsk_", "[A-Za-z0-9]{20,}", mixed=True),
    _shape("xai-key", "xai-", "[A-Za-z0-9]{20,}", mixed=True),
    _shape("replicate-token", "r8_", "[A-Za-z0-9]{30,}", fixed=37),
    _shape("perplexity-key", "pplx-", "[A-Za-z0-9]{32,}"),
    _shape("tavily-key", "tvly-", f"{_WORD}{{16,}}", mixed=True),
    _shape("langsmith-key", "lsv2_", "(?:pt|sk)_[A-Za-z0-9_]{20,}"),
    _shape("databricks-token", "dapi", f"[a-f0-9]{{32}}{_END}", fixed=32),
    _shape("vault-token", "hvs.", f"{_WORD}{{20,}}"),
    _shape("vault-token", "hvb.", f"{_WORD}{{20,}}"),
    _shape("terraform-token", ".atlasv1.", f"{_WORD}{{40,}}", before=""),
    _shape("tailscale-key", "tskey-", f"{_WORD}{{16,}}"),
    _shape("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,}", before=""),
    _shape("grafana-token", "glsa_", "[A-Za-z0-9_]{20,}"),
    _shape("grafana-token", "glc_", "[A-Za-z0-9+/=]{32,}"),
    _shape("runpod-key", "rpa_", "[A-Z0-9]{30,}"),
    _shape("notion-token", "ntn_", "[A-Za-z0-9]{40,}"),
    _shape("linear-key", "lin_api_", "[A-Za-z0-9]{32,}"),
    _shape("pulumi-token", "pul-", f"[a-f0-9]{{40}}{_END}", fixed=40),
    _shape("rubygems-key", "rubygems_", "[a-f0-9]{48}", fixed=48),
    _shape("sentry-token", "sntrys_", f"{_WORD}{{20,}}"),
    _shape("shopify-token", "shpat_", "[a-fA-F0-9]{32}", fixed=32),
    _shape("newrelic-key", "NRAK-", "[A-Z0-9]{27}"),
    _shape("figma-token", "figd_", f"{_WORD}{{20,}}"),
    _shape(
        "telegram-token", ":AA", f"{_WORD}{{33}}(?!{_WORD})(?<=[0-9]{{8}}:AA{_WORD}{{33}})", before="", kept=1
    ),
)

#: What a text is searched for before anything here looks at it: the signs, in small letters.
SIGNS = tuple(dict.fromkeys(shape.sign.lower() for shape in SHAPES))
_BY_SIGN = {sign: [shape for shape in SHAPES if shape.sign.lower() == sign] for sign in SIGNS}


def find_tokens(text: str, there: Iterable[str]) -> Iterator[Found]:
    """Find tokens by their form. ``there`` are those of :data:`SIGNS` in the text in small letters."""
    for sign in there:
        for shape in _BY_SIGN.get(sign, ()):
            if shape.sign in text:
                yield from _of_shape(text, shape)


def _of_shape(text: str, shape: Shape) -> Iterator[Found]:
    for match in shape.pattern.finditer(text):
        start, end = match.start() + shape.kept, match.end()
        if shape.mixed and not _is_mixed(text[start:end]):
            continue
        yield Found(start, end, shape.code)


def find_wrapped_tokens(joined: str) -> Iterator[Found]:
    """Find tokens of a fixed length in text whose lines were joined; longer ones may be two words."""
    for shape in SHAPES:
        if shape.fixed and shape.sign in joined:
            for match in shape.pattern.finditer(joined):
                start = match.start() + shape.kept
                rest = joined[start : start + shape.fixed]
                if match.end() >= start + shape.fixed and _is_mixed(rest):
                    yield Found(start, start + shape.fixed, shape.code)


def _is_mixed(text: str) -> bool:
    return _DIGIT.search(text) is not None and _LETTER.search(text) is not None


def is_unfinished(text: str) -> bool:
    """Whether what stands at the end of a text may be the beginning of a token."""
    word = _LAST_WORD.search(text, max(0, len(text) - 4096))
    last = word[0] if word else ""
    return any(shape.sign in last or last.endswith(_beginnings(shape.sign)) for shape in SHAPES)


@cache
def _beginnings(sign: str) -> tuple[str, ...]:
    return tuple(sign[:size] for size in range(2, len(sign)))


_CUT = r"(?:[ \t\r│┃|\\]{0,8}\n(?=[ \t│┃|>]{0,40}[A-Za-z0-9])|[ │┃|]{0,3}\\{1,16}(?:n|u2502))"
#: A line end that may cut up a token: after the run of letters that begins behind its sign. Each begins with
#: one character, which is looked for much faster than a choice of two.
WRAPPABLE = (
    lazily(rf"_[A-Za-z0-9]{{0,82}}{_CUT}"),
    lazily(r"A[KSI][IzE]a?[A-Za-z0-9_-]{0,34}(?:[ \t\r│┃|\\]{0,8}\n|[ │┃|]{0,3}\\{1,16}(?:n|u2502))"),
)
