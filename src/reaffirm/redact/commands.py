"""Secrets in commands: as a word of their own, glued to an option, or where a known program takes them."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from reaffirm.redact.found import Found, stands
from reaffirm.redact.known import is_secret, known
from reaffirm.redact.lazy import lazily
from reaffirm.redact.names import word_set
from reaffirm.redact.placeholders import is_placeholder

# A short option that takes a password, by program. For mysql the word after a lone -p is the name of a
# database, but who types a password there has typed it all the same.
_SHORT: dict[str, tuple[str, ...]] = {
    "mysql": ("-p",), "mysqldump": ("-p",), "mysqladmin": ("-p",), "mysqlimport": ("-p",), "mariadb": ("-p",),
    "mariadb-dump": ("-p",), "sshpass": ("-p",), "redis-cli": ("-a",), "ldapsearch": ("-w",),
    "ldapadd": ("-w",), "ldapmodify": ("-w",), "mongo": ("-p",), "mongosh": ("-p",), "mongodump": ("-p",),
    "sqlcmd": ("-P",), "zip": ("-P",), "unrar": ("-p",), "7z": ("-p",), "influx": ("-t",),
    "mosquitto_pub": ("-P",), "mosquitto_sub": ("-P",), "xfreerdp": ("/p:",), "ipmitool": ("-P",),
    "snmpget": ("-A", "-X"), "snmpwalk": ("-A", "-X"), "redis-benchmark": ("-a",),
    "keytool": ("-storepass", "-keypass"),
}  # fmt: skip
# The same where the first words together name what is done.
_LOGIN = word_set("docker podman nerdctl buildah skopeo helm oras crane az oc huggingface-cli hf cf")
# user:password in one word
_PAIRED: dict[str, tuple[str, ...]] = {
    "curl": ("-u", "--user", "-U", "--proxy-user"), "http": ("-a", "--auth"), "https": ("-a", "--auth"),
    "httpie": ("-a", "--auth"), "wget": (), "skopeo": ("--creds", "--src-creds", "--dest-creds"),
    "podman": ("--creds",), "buildah": ("--creds",), "smbclient": ("-U", "--user"), "rpcclient": ("-U",),
}  # fmt: skip
_WRAPPERS = word_set("sudo env nohup time exec docker podman kubectl ssh timeout nice ionice watch xargs")
_PASS_WORD = lazily(r"(pass(?:in|out)?:|--pass(?:in|out)=pass:)", re.IGNORECASE)
_PASS_BEGINS = frozenset("pP-")
_PROGRAMS = {*_SHORT, *_PAIRED, "docker", "nerdctl", "helm", "oras", "crane", "openssl"}
#: What stands in a line whose words hold a secret, unless it is in one of the program's own options.
_SAYS_SO = word_set("login pass key token secret auth credential pwd pat cookie")
_PAT = lazily(r"pat(?!h)", re.IGNORECASE)
#: What takes a secret in a word of its own.
_TAKERS = frozenset((*_SHORT, *_PAIRED, *_LOGIN))


@cache
def _command(name: str) -> re.Pattern[str]:
    """A program's name where a command begins, also with its folder."""
    plain = re.escape(name)
    return re.compile(rf"(?P<name>{plain})(?<![\w.-]{plain})[ \t]+(?=[-\w./])")


# In JSON the quotes of a word are escaped, within a text of JSON twice: "mysql -p\"two words\"".
_WORDS_IN_TEXT = lazily(
    r"(?:'[^'\n]{0,4096}'|\"(?:\\.|[^\"\\\n]){0,4096}\"|\\\"[^\"\n]{0,4096}\"|\\\\\\\"[^\"\n]{0,4096}\""
    r"|\\.|[^\s'\"|;&\\`]){1,4096}"
)
# A string of JSON, also within another one, that begins with a command or with what may stand before one.
_OPENED = lazily(r"(?:\A|[:,\[{( \t\n])(?P<mark>\\{0,15}\")[\w./ -]{0,60}\Z")
# What follows a word that was found, from the word's end on.
_NETRC_VALUE = lazily(r"[ \t]{1,8}[\"']?(?P<secret>(?:\\[^nrtu\"'\n]|[^\s\"'\\]){1,1024})")
_NETRC_BEFORE = lazily(
    r"\blogin(?:[ \t]|\\t){1,8}\S{1,256}(?:\s|\\n){1,40}\Z|\b(?:machine|default)\b[^\n]{0,300}\Z"
)
_BASIC = lazily(r"[ \t]{1,8}(?P<secret>[A-Za-z0-9+/_-]{8,4096}={0,2})")
_AUTH = lazily(r"\\{0,15}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,15}[\"']?(?P<secret>[A-Za-z0-9+/_.=-]{8,8192})")
_SET = lazily(
    r"[ \t]{1,4}(?P<name>\w{3,64})[ \t]{1,4}(?P<secret>[^\s=\"'\\](?:[^\n\"\\]|\\[^nr\"\n\\]){0,4096})"
)
_SET_BEFORE = lazily(r"(?:^|[\n\"']|\\n)[ \t]{0,8}\Z")
_OPTION_WORD = lazily(r"--?[A-Za-z0-9][\w.-]{0,60}\Z")
_OTHERS = (
    "password", "basic", "auth", "itytoken", "rytoken", "env ", "arg ", "setenv", "setx", "akia", "asia",
)  # fmt: skip
_SETTERS = ("env ", "arg ", "setenv ", "setx ")
_CALLS = {f"{name}{blank}": name for name in sorted(_PROGRAMS) for blank in " \t"}
_ENDED = {f"{name}{end}": name for name in sorted({*_SHORT, *_PAIRED}) for end in " \t\"'"}
#: What a text is searched for before anything here looks at it.
SIGNS = (*_CALLS, *_ENDED, *_SAYS_SO, *_OTHERS)
_GLUED_TO_KEY = lazily(r"[A-Z2-7]{16}[\s,:;|\"']{1,8}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")


def secret_words(argv: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Which words of a command are secret: the index of the word, and where in it the secret stands."""
    found: dict[int, tuple[int, int]] = {}
    for at in range(1, len(argv)):
        word, before = argv[at], argv[at - 1]
        if (
            before[:1] == "-"
            and _is_option(before)
            and not word.startswith("-")
            and not word.startswith(("id=", "type="))
        ):
            found[at] = (0, len(word))
    for at, word in enumerate(argv):
        program = word.rpartition("/")[2]
        if program in _TAKERS:
            if at and not _may_stand_before(argv[:at]):
                continue
            found |= _of_program(program, argv, at)
        if (
            word[:1] in _PASS_BEGINS
            and _PASS_WORD.match(word)
            and (at == 0 or argv[at - 1].startswith("-pass"))
        ):
            found[at] = (word.index(":") + 1, len(word))
    return {at: span for at, span in found.items() if not is_placeholder(argv[at][span[0] : span[1]])}


def _is_option(word: str) -> bool:
    if not _OPTION_WORD.match(word):
        return False
    name = word.lstrip("-")
    return len(name) > 3 and (is_secret(name) or name.lower() in ("token", "pass"))


def _may_stand_before(words: Sequence[str]) -> bool:
    return words[0].rpartition("/")[2] in _WRAPPERS or "sshpass" in words[0]


def _of_program(program: str, argv: Sequence[str], at: int) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    rest = argv[at + 1 :]
    short = _SHORT.get(program, ())
    if program in _LOGIN and "login" in rest[:4]:
        short = (*short, "-p", "-P")
    paired = _PAIRED.get(program, ())
    for number, word in enumerate(rest, at + 1):
        following = argv[number + 1] if number + 1 < len(argv) else ""
        if program == "sshpass" and not word.startswith("-") and number not in found:
            break  # from here on it is the command that sshpass runs
        for option in short:
            if word == option and following and not following.startswith("-"):
                found[number + 1] = (0, len(following))
            elif word.startswith(option) and len(word) > len(option) and not word.startswith("--"):
                if len(option) > 2 and not option.endswith(":"):
                    continue
                found[number] = (len(option), len(word))
        for option in paired:
            if word == option and (cut := _after_user(following)):
                found[number + 1] = (cut, len(following))
            elif (word.startswith(f"{option}=") and (cut := _after_user(word))) or (
                len(option) == 2 and word.startswith(option) and len(word) > 2 and (cut := _after_user(word))
            ):
                found[number] = (cut, len(word))
    return found


def _after_user(word: str) -> int:
    """Where the password begins in ``user:password`` or ``user%password``; 0 where there is none."""
    for sign in (":", "%"):
        user, found, secret = word.partition(sign)
        if found and secret:
            return len(user) + 1
    return 0


def find_in_commands(text: str, low: str, there: Mapping[str, Sequence[int]]) -> Iterator[Found]:
    """Find secrets in commands and files of known programs.

    ``low`` is the text in small letters; ``there`` says where :data:`SIGNS` are in it.
    """
    for call, places in there.items():
        if (name := _CALLS.get(call)) is not None:
            yield from _of_calls(name, text, places, there)
    if there.keys().isdisjoint(_OTHERS):
        return
    for at, match in _after(text, low, "password", _NETRC_VALUE):
        if not is_placeholder(match["secret"]) and _NETRC_BEFORE.search(text, max(0, at - 320), at):
            yield Found(match.start("secret"), match.end("secret"), "netrc")
    for at, match in _after(text, low, "basic", _BASIC):
        if not text[at - 1 : at].isalnum() and _is_user_and_password(match["secret"]):
            yield Found(match.start("secret"), match.end("secret"), "header")
    for word in ("auth", "identitytoken", "registrytoken"):
        for at, match in _after(text, low, word, _AUTH):
            sure = word != "auth" or _is_user_and_password(match["secret"])
            if sure and not text[at - 1 : at].isalnum():
                yield Found(match.start("secret"), match.end("secret"), "docker-auth")
    for word in _SETTERS:
        for _, match in _after(text, low, word.rstrip(), _SET, _SET_BEFORE):
            if is_secret(match["name"]) and not is_placeholder(match["secret"]):
                yield Found(match.start("secret"), match.end("secret"), "named-secret")
    for word in ("AKIA", "ASIA"):
        for _, match in _after(text, text, word, _GLUED_TO_KEY):
            yield Found(match.start("secret"), match.end("secret"), "aws-secret")


def _of_calls(
    name: str, text: str, places: Sequence[int], there: Mapping[str, Sequence[int]]
) -> Iterator[Found]:
    """Find secrets in the lines of one program.

    Where it is named again as a word of a line that was read, it takes nothing that the first one did not.
    """
    covers = name not in _LOGIN or name in _WRAPPERS
    words: set[int] = set()
    for at in places:
        match = None if at in words else _command(name).match(text, at)
        if match and _may_take(name, text, match, there):
            line = _words_of(text, match)
            yield from _in_line(text, line)
            if covers:
                words = {start for start, _ in line}


def _may_take(name: str, text: str, match: re.Match[str], there: Mapping[str, Sequence[int]]) -> bool:
    """Whether a secret may stand in the line of a program: reports are full of lines such as ``docker …``."""
    if known().names:
        return True
    start, end = match.end(), _line_end(text, match.start())
    if any(text.find(option, start, end) >= 0 for option in (*_SHORT.get(name, ()), *_PAIRED.get(name, ()))):
        return True
    return any(
        (word in _SAYS_SO or _ENDED.get(word, name) != name)
        and stands(places, start, end)
        and (word != "pat" or _PAT.search(text, start, end) is not None)
        for word, places in there.items()
    )


def _line_end(text: str, start: int) -> int:
    """Where the words of a command end that begins there."""
    end = text.find("\n", start)
    return min(len(text) if end < 0 else end, start + 4096)


def _after(
    text: str, where: str, word: str, pattern: re.Pattern[str], before: re.Pattern[str] | None = None
) -> Iterator[tuple[int, re.Match[str]]]:
    """Where a word stands, behind ``before`` (up to 12 characters) if given, and what matches behind it."""
    at = where.find(word)
    while at >= 0:
        behind = before is None or before.search(text, max(0, at - 12), at)
        if behind and (match := pattern.match(text, at + len(word))):
            yield at, match
        at = where.find(word, at + len(word))


def _words_of(text: str, match: re.Match[str]) -> list[tuple[int, int]]:
    """Read the words of a shell line from a program's name on, as far as the text that holds the line."""
    end = _end_of_quoted(text, match, _line_end(text, match.start()))
    places: list[tuple[int, int]] = [(match.start("name"), match.end("name"))]
    at = match.end("name")
    while at < end and len(places) < 200:
        while at < end and text[at] in " \t":
            at += 1
        word = _WORDS_IN_TEXT.match(text, at, end)
        if word is None:
            break
        start, at = word.span()
        places.append((start, at))
    return places


def _end_of_quoted(text: str, match: re.Match[str], end: int) -> int:
    """Where the string ends that a command is the text of, as in JSON: ``{"run": "mysql -pX", "x": 1}``."""
    at = match.start("name")
    opened = _OPENED.search(text, max(0, at - 80), at)
    if opened is None or text[match.end("name") : match.end("name") + 1] not in (" ", "\t"):
        return end
    mark = opened["mark"]
    closed = text.find(mark, match.end("name"), end)
    while closed > 0 and text[closed - 1] == "\\":  # escaped once more: a quote within the command
        closed = text.find(mark, closed + 1, end)
    return closed if closed > 0 else end


def _in_line(text: str, places: Sequence[tuple[int, int]]) -> Iterator[Found]:
    words = [text[start:end] for start, end in places]
    for index, (start, stop) in secret_words([_bare(word) for word in words]).items():
        quote = 1 if words[index][:1] in "\"'" else 0
        begin = places[index][0] + start + quote
        yield Found(
            begin, max(begin, min(places[index][0] + stop + quote, places[index][1] - quote)), "option-secret"
        )


def _bare(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] in "\"'" and word[-1] == word[0] else word


def _is_user_and_password(coded: str) -> bool:
    plain = coded.rstrip("=")
    try:
        text = base64.b64decode(
            plain.replace("-", "+").replace("_", "/") + "=" * (-len(plain) % 4), validate=True
        ).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return False
    user, colon, password = text.partition(":")
    return bool(colon and password) and text.isprintable() and " " not in user
