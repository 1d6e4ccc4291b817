"""Values that stand under a secret's name: ``HF_TOKEN=…``, ``"password": "…"``, ``--api-key …``.

A word that such names end with is looked for, then the name is read backwards and the value forwards. So
no pattern here repeats what repeats, and a long text costs one pass for each word.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from reaffirm.redact.found import Found, stands
from reaffirm.redact.known import is_secret, known
from reaffirm.redact.lazy import lazily
from reaffirm.redact.names import is_weak_name, word_set
from reaffirm.redact.placeholders import is_code, is_placeholder, looks_secret
from reaffirm.redact.values import LONGEST, Value, line_end, read_value

#: Names of secrets end with one of these, but for what may follow (``SECRET_KEY_BASE``, ``token2``).
_WORDS = (
    "password", "passwd", "passphrase", "passcode", "secret", "token", "key", "authorization", "credential",
    "pass", "pwd", "pat", "cookie", "auth", "_sig", "signature",
)  # fmt: skip
#: What a text is searched for before anything here looks at it.
SIGNS = (*_WORDS, "name", "value")
# Between a name and its value. A quote may close after the name, and may be escaped or written for HTML.
_QUOTE = r"(?:\\{0,15}[\"']|&quot;|&#39;|&#x27;|&#34;)"
_AFTER = lazily(
    rf"(?P<tail>[\w]{{0,24}})(?P<close>{_QUOTE}?\]?)"
    r"(?:(?P<typed>[ \t]{0,8}:[ \t]{0,4}"
    r"(?:str|string|bytes|SecretStr|Annotated\[[^\n=]{1,80}\]|Optional\[str\]|[A-Z][A-Za-z]{1,40})"
    r"(?:[ \t]{0,2}\|[ \t]{0,2}None)?[ \t]{0,2}=(?!=)[ \t]{0,8})"
    r"|(?P<sep>[ \t]{0,20}(?:=>|:=|===?|!=|[=:]|%3[dDaA])[ \t]{0,20})"
    r"|(?P<cell></t[dh]>(?:\s|\\{1,15}[nrt]){0,20}<t[dh][^<>]{0,80}>|</(?:key|name)>(?:\s|\\{1,15}[nrt]){0,20}<(?:string|value)>|>(?=[^<>\n]{1,4096}</)"
    r"|[ \t]{1,40}[|│┃][ \t]{0,40})"
    r"|(?P<pair>[ \t]{0,4},(?:\s|\\{1,15}[nrt]){0,40}(?=[bru]{0,2}\\{0,15}[\"']))"
    r"|(?P<next>(?:,\s{0,40})?(?:[ \t\n]|\\\r?\n|\\{1,15}[nrt](?![a-z])){1,40}))"
)
# "tokens", "keyboard", "passed": the name does not end with the word, whatever follows.
_NO_NAME = frozenset("aefghijklmopqruxyz")
_NAME_BEFORE = lazily(r"[\w.-]{0,64}\Z", re.ASCII)
_QUOTE_BEFORE = lazily(rf"{_QUOTE}\Z")
_HEADERS = frozenset(("authorization", "proxy-authorization", "cookie", "set-cookie", "proxy_authorization"))
_SCHEME = lazily(
    r"(?:bearer|basic|token|negotiate|ntlm|apikey|api-key|bot|key|splunk|oauth|genericauth|sso-key|zoho-oauthtoken)"
    r"(?:[ \t]{1,4}|\\ |%20|\+)(?:token=)?",
    re.IGNORECASE,
)
# A scheme whose credentials are pairs with quotes, to the end of the line.
_SEVERAL = lazily(
    r"(?:digest|aws4-hmac-sha256|hawk|oauth|signature)[ \t](?:[^\"\n\r\\']|\"[^\"\n]{0,2048}\"){0,4096}",
    re.IGNORECASE,
)
# What stands before the name of a machine file in the first line of a run, as text and as HTML.
_BANNER = tuple(
    f"{kind} RUN{end} on "
    for kind in ("SIMULATED", "LAB", "REAL")
    for end in ("", "</strong>", "<\\/strong>")
)
_ENV_LINE = lazily(r"(?:^|\n)(?:export |declare -x )?\Z")
_PAIR_LINE = lazily(r"(?:export |declare -x )?[A-Za-z_]\w{0,64}=")
# Prose after an option: "use --password to log in".
_PROSE = word_set(
    """
    to is are and or with for in on option options flag from as of the a an if not can must should may
    when that which was were has have by at it this file files argument arguments value values
    parameter
    """
)
_PAIR = lazily(
    r"\b(?:name|key)\\{0,15}[\"']?[ ]{0,4}[:=][ ]{0,4}\\{0,15}[\"']?(?P<name>[\w.-]{3,64})\\{0,15}[\"']?"
    r",?(?:\s|\\{1,15}[nrt]){1,40}\\{0,15}[\"']?value\\{0,15}[\"']?[ ]{0,4}[:=][ ]{0,4}",
    re.IGNORECASE,
)
_LONGEST_PAIR = 1024
#: A plain value under a weak name that does not look secret in so many characters is none.
_WEAKLY = 512
_SENTENCE = lazily(r"[ \n]{1,4}[a-z]{1,12} [a-z]{2,16}[ .,\n]")
_SNAKE = lazily(r"[a-z]{1,40}(?:_[a-z]{1,40}){1,8}\Z")
_NUMBER = lazily(r"-?[0-9]{1,6}(?:\.[0-9]{0,12})?(?:e-?[0-9]{1,3})?\s*(?:ms|s|us|%)?\Z", re.IGNORECASE)


def find_assigned(text: str, low: str, there: Mapping[str, Sequence[int]]) -> Iterator[Found]:
    """Find values under secret names.

    ``low`` is the text in small letters, of the same length; ``there`` says where :data:`SIGNS` are in it.
    """
    if there:
        for word in _WORDS:
            if word in there:
                yield from _of_word(text, len(word), there[word])
    for word in known().names:
        if word in low:
            yield from _of_word(
                text, len(word), [match.start() for match in re.finditer(re.escape(word), low)]
            )
    for at in _names_of_pairs(there):
        if (match := _PAIR.match(text, at)) and is_secret(match["name"]):
            yield from _found(read_value(text, match.end(), ""), match["name"], "named-secret")


def _names_of_pairs(there: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """Where ``name: … value: …`` may begin."""
    if values := there.get("value"):
        for word in ("name", "key"):
            for at in there.get(word, ()):
                if stands(values, at, at + _LONGEST_PAIR):
                    yield at


def _of_word(text: str, size: int, places: Sequence[int]) -> Iterator[Found]:
    done = 0
    for at in places:
        end = at + size
        if at >= done and text[end : end + 1] not in _NO_NAME and (after := _AFTER.match(text, end)):
            for one in _at(text, at, end, after):
                done = max(done, one.end)  # within a secret there is nothing more to find
                yield one


def _at(text: str, at: int, end: int, after: re.Match[str]) -> Iterator[Found]:
    before = _NAME_BEFORE.search(text, max(0, at - 64), at)
    start = before.start() if before else at
    name = text[start:end] + after["tail"]
    plain = name.lstrip("-.")
    option = name.startswith("-")
    strong = is_secret(plain) or (option and plain.lower() in ("token", "pass", "pwd"))
    weak = not strong and is_weak_name(plain)
    if not strong and not weak:
        return
    if text.endswith(("://", "?", "&", "&amp;"), max(0, start - 5), start):
        return  # a part of an address
    if after["sep"] == ": " and text.endswith(_BANNER, max(0, start - 24), start):
        return  # "REAL RUN on local-secret: spark-1 (head)": the name of a machine file, then its nodes
    code = "named-secret"
    opened = _QUOTE_BEFORE.search(text, max(0, start - 6), start)
    quote = opened[0] if opened and not after["close"] else ""
    header = plain.lower() in _HEADERS or (plain.lower().endswith("authorization") and "_" not in plain)
    if after["next"] is not None:
        if not option or len(plain) < 4:
            return
        value = _next_word(text, after.end(), after["close"])
        code = "option-secret"
        if value is None or value.text.lower() in _PROSE or _is_its_name(value.text, plain):
            return
    elif after["pair"] is not None:
        value = read_value(text, after.end(), "")
        if option:
            code = "option-secret"
        elif not header and not (value and looks_secret(value.text) and after["close"]):
            return
    else:
        line = bool(
            after["sep"] and after["sep"].strip() == "=" and not quote and _env_line(text, start, plain)
        )
        most = _WEAKLY if weak else LONGEST
        value = read_value(text, after.end(), quote, whole_line=line, most=most)
        if weak and value and len(value.text) > _WEAKLY // 2 and looks_secret(value.text):
            value = read_value(text, after.end(), quote, whole_line=line)
    if value is None:
        return
    if after["sep"] and after["sep"].startswith("%"):  # in an encoded address the next pair begins with an &
        cut = value.text.find("%26")
        value = value if cut < 0 else value._replace(end=value.start + cut, text=value.text[:cut])
    if header:
        yield from _header(text, value)
        return
    if (weak or (after["cell"] and "|" in after["cell"].replace("│", "|"))) and not looks_secret(value.text):
        return
    if after["sep"] and after["sep"].strip() in ("==", "!=", "===") and not value.quoted:
        return
    if after["close"] and not value.quoted and _SNAKE.match(value.text):
        return  # {"secrets": read_secrets}
    if _is_count(plain, value) or (after["sep"] == ": " and not value.quoted and _is_prose(text, value)):
        return
    yield from _found(value, plain, code)


def _found(value: Value | None, name: str, code: str) -> Iterator[Found]:
    if value is None or is_placeholder(value.text) or (value.bare and is_code(value.text, name)):
        return
    yield Found(value.start, value.end, code)


def _header(text: str, value: Value) -> Iterator[Found]:
    """The value of a header that authorises: what comes after the scheme, else all of it."""
    scheme = _SCHEME.match(text, value.start)
    start, end = value.start, line_end(text, value)
    if not value.quoted and (parts := _SEVERAL.match(text, start)):
        end = parts.end()
    if scheme:
        start = scheme.end()
        end = value.end if value.quoted else min(end, _word_end(text, start))
    if end > start and not is_placeholder(text[start:end]):
        yield Found(start, end, "header")


_CREDENTIAL = lazily(r"(?:\\(?![nrt\"'])|[^\s\"'<>,;\\&]|,(?=\w))+")


def _word_end(text: str, at: int) -> int:
    match = _CREDENTIAL.match(text, at)
    return match.end() if match else at


def _next_word(text: str, at: int, close: str) -> Value | None:
    """The word after an option. In a list of words it is in quotes, too."""
    if text.startswith("-", at):
        return None
    value = read_value(text, at, "")
    if value is None or value.text.startswith("-") or (close and not value.quoted):
        return None
    return None if value.text.startswith(("id=", "type=", "file:")) else value


def _is_its_name(value: str, name: str) -> bool:
    """Whether a help text names the value: ``--api-key KEY``, ``--token TOKEN``."""
    plain = value.strip("[]()<>.,:`")
    return (
        plain.isupper()
        and plain.replace("_", "").replace("-", "").isalpha()
        and (
            plain.lower().replace("_", "-") in name.lower().replace("_", "-")
            or plain in ("STRING", "TEXT", "VALUE", "STR")
        )
    )


def _env_line(text: str, start: int, name: str) -> bool:
    """Whether this is a line of what ``env`` prints: other lines of the same kind stand around it."""
    if name.upper() != name or not _ENV_LINE.search(text, max(0, start - 24), start):
        return False
    end = text.find("\n", start, start + 16_384)
    begin = text.rfind("\n", 0, start)
    before = text.rfind("\n", max(0, begin - 4096), begin) + 1 if begin > 0 else -1
    return bool(
        (end >= 0 and _PAIR_LINE.match(text, end + 1)) or (before >= 0 and _PAIR_LINE.match(text, before))
    )


def _is_prose(text: str, value: Value) -> bool:
    """Whether a sentence goes on: "nothing asks for a password: put your key into the agent"."""
    return value.text.isalpha() and value.text.islower() and _SENTENCE.match(text, value.end) is not None


def _is_count(name: str, value: Value) -> bool:
    """Whether this is a figure of a model: ``ms_per_token: 12.5``, ``first_token=0.4``."""
    return name.lower().endswith("token") and name.upper() != name and _NUMBER.match(value.text) is not None
