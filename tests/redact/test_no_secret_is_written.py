"""Secrets are planted in every place that a run writes, then looked for in every byte of what it wrote."""

import base64
import html
import json
import re
import shlex
import string
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, quote_plus, urlsplit

import pytest
from ahocorasick_rs import AhoCorasick
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from reaffirm.run.publish import prepare
from reaffirm.store.project import Project

RUNBOOK = Path(__file__).parent / "specimens/plants_secrets.py"
_WORD = string.ascii_letters + string.digits
#: So much of a secret in one piece is a leak (characters).
LEAK = 14


#: Signs that every format escapes in its own way.
_SIGNS = "\"'\\&<>%$#@!?=+/:;,.~^*()[]{}|` äß€"


def _word(random: Random, size: int) -> str:
    """Letters and digits, both of them."""
    text = "".join(random.choices(_WORD, k=size - 2))
    return f"{text[:4]}7{text[4:]}x"


def _password(random: Random) -> str:
    """As people and generators make them."""
    return f"Zq{''.join(random.choices(_WORD + _SIGNS * 2, k=20)).strip()}9Kx7vW2p"


SHAPED = {
    "hf_": 34, "ghp_": 36, "github_pat_": 60, "glpat-": 20, "sk-proj-": 48, "sk-ant-api03-": 60, "nvapi-": 64,
    "npm_": 36, "AIza": 35, "pypi-AgEIcHlwaS5vcmcC": 60, "dckr_pat_": 27, "xoxb-1234567890-": 24,
}  # fmt: skip


def planted_secrets(seed: int) -> dict[str, Any]:
    """Secrets by the place in which they are planted."""
    random = Random(seed)
    named = [
        "DB_PASSWORD",
        "password",
        "X-Api-Key",
        "authorization",
        "cookie",
        "sig",
        "netrc",
        "url",
        "option",
        "env",
    ]
    sources = ("in_prose", "in_source", "in_comment", "in_call")
    known = ("api_key", "ticket", "environment", "marked", "dynamic")
    jwt = f"eyJhbGciOiJIUzI1NiJ9.eyJ{_word(random, 30)}.{_word(random, 43)}"
    return {
        "tokens": [*(f"{sign}{_word(random, size)}" for sign, size in SHAPED.items()), jwt],
        "key": "\n".join(_word(random, 64) for _ in range(3)),
        "known": {place: _password(random) for place in known},
        "named": {place: _word(random, 24) for place in named},
        "source": {place: f"hf_{_word(random, 34)}" for place in sources},
        "cut": random.randint(5, 12),
    }


def _all(planted: dict[str, Any]) -> list[str]:
    secrets = [*planted["tokens"], *planted["known"].values(), *planted["named"].values()]
    return [*secrets, *planted["source"].values(), *planted["key"].split("\n")]


def _texts(planted: dict[str, Any]) -> dict[str, Any]:
    """What the runbook writes."""
    named, known, cut = planted["named"], planted["known"], planted["cut"]
    pem = f"-----BEGIN PRIVATE KEY-----\n{planted['key']}\n-----END PRIVATE KEY-----\n"
    given = [known[place] for place in ("api_key", "ticket", "environment", "marked")]
    whole = [*planted["tokens"], *given]
    texts = [f"before {secret} after" for secret in whole]
    texts += [f"x {secret[:cut]}\n{secret[cut:]} y" for secret in given]
    texts += [f"│ {secret[:cut]} │\n│ {secret[cut:]} │" for secret in given]
    texts += [f"\x1b[31m{secret[:cut]}\x1b[0m\x1b[1;32m{secret[cut:]}\x1b[0m" for secret in whole]
    texts += [
        f"<span class='a'>{html.escape(s[:cut])}</span><span>{html.escape(s[cut:])}</span>" for s in given
    ]
    for secret in given:
        coded = [
            json.dumps(secret),
            repr(secret),
            html.escape(secret),
            quote(secret, safe=""),
            quote_plus(secret),
        ]
        coded += [shlex.quote(secret), json.dumps(json.dumps(secret)), json.dumps(secret, ensure_ascii=False)]
        coded += [base64.b64encode(f"{pad}{secret}:x".encode()).decode() for pad in ("", "a", "ab")]
        texts += [" | ".join(coded), secret.encode().hex()]
    for secret in planted["tokens"][:4]:  # their length is fixed
        if secret.startswith(("hf_", "ghp_")):
            texts.append(f"wrapped {secret[: cut + 6]}\n{secret[cut + 6 :]} here")
    texts += [pem, json.dumps({"private_key": pem}), pem.replace("\n", "\\n"), f"\x1b[2m{pem}\x1b[0m"]
    texts += [
        f"DB_PASSWORD={named['DB_PASSWORD']}", f'{{"password": "{named["password"]}"}}',
        f"x-api-key: {named['X-Api-Key']}", f"Authorization: Bearer {named['authorization']}",
        f"{{'Cookie': 'a={named['cookie']}; b=c'}}", f"GET /x?a=1&sig={named['sig']} HTTP/1.1",
        f"machine a login b password {named['netrc']}", f"postgres://me:{named['url']}@db:5432/x",
        f"serve --api-key {named['option']} --port 1", f'"Env": ["HF_TOKEN={named["env"]}", "A=b"]',
    ]  # fmt: skip
    return {
        "any": texts,
        "commands": [["--api-key", named["option"]], ["--hf-token=" + named["env"], *whole[:3]]],
        "logs": [
            [f"line {whole[0]}", *pem.split("\n"), "end"],
            *([secret[:cut], secret[cut:]] for secret in given),
            *([f"\x1b[33m{secret[:cut]}", f"{secret[cut:]}\x1b[0m"] for secret in given),
            ["--api-key", named["option"], "next"],
        ],
        "paths": ["/stream", "/plain?token=" + named["sig"]],
        "headers": [["Authorization", f"Bearer {named['authorization']}"], ["X-Api-Key", named["X-Api-Key"]]],
    }


class _Server(BaseHTTPRequestHandler):
    """Answers with secrets: in headers, in the body, and cut up over the events of a stream."""

    planted: dict[str, Any]

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self._answer()

    def _answer(self) -> None:
        secrets = [
            *self.planted["tokens"],
            *(self.planted["known"][k] for k in ("api_key", "ticket", "environment")),
        ]
        self.send_response(200)
        self.send_header("Set-Cookie", f"id={self.planted['named']['cookie']}; HttpOnly")
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        if urlsplit(self.path).path != "/stream":
            self.wfile.write(
                json.dumps({"seen": secrets, "password": self.planted["named"]["password"]}).encode()
            )
            return
        for secret in secrets:
            data = f"{secret}\n".encode()
            for piece in (data[:9], data[9:]):  # raw chunks of bytes
                self.wfile.write(piece)
                self.wfile.flush()
        for secret in secrets:  # what a model says, token by token
            said = f"it is {secret} there "
            for at in range(0, len(said), 5):
                event = {"choices": [{"index": 0, "delta": {"content": said[at : at + 5]}}]}
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Be quiet."""


def _seen_as(text: str) -> Iterator[str]:
    """A text in all the ways in which somebody could read it."""
    yield text
    plain = re.sub(r"\x1b\[[0-9;]*m|\\u001b\[[0-9;]*m|\\x1b\[[0-9;]*m|</?(?:span|b|pre)[^>]*>", "", text)
    yield plain
    yield re.sub(r"[ │]*(?:\n|\\n)[ │]*", "", plain)
    yield re.sub(r'",?\n? *"', "", plain)


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from _strings(value)
    elif isinstance(data, list):
        yield from (text for item in data for text in _strings(item))
        if len(data) > 1 and all(isinstance(item, str) for item in data):
            yield "".join(data)
        if data and all(isinstance(item, list) and item and isinstance(item[0], str) for item in data):
            chunks = "".join(item[0] for item in data)  # the chunks of an answer, the lines of a log
            yield chunks
            yield "".join(
                json.loads(f'"{said}"') for said in re.findall(r'"content": "((?:[^"\\]|\\.)*)"', chunks)
            )


def _readings(name: str, text: str) -> Iterator[str]:
    yield from _seen_as(text)
    if name.endswith((".json", ".ipynb", ".jsonl")):
        parts = text.splitlines() if name.endswith(".jsonl") else [text]
        followed: dict[str, list[str]] = {}
        for part in parts:
            try:
                data = json.loads(part)
            except ValueError:
                pytest.fail(f"{name} is no JSON any more: {part[:2000]}")
            for one in _strings(data):
                yield from _seen_as(one)
            if isinstance(data, dict) and data.get("op") == "read":
                followed.setdefault(data["stream"], []).extend(line[0] for line in data["lines"])
        for lines in followed.values():
            yield from _seen_as("\n".join(lines))


def _windows(secret: str) -> Iterator[str]:
    """Pieces of a secret, and of what it is in other forms; the sign in front of a token may stay."""
    sign = next((sign for sign in sorted(SHAPED, key=len, reverse=True) if secret.startswith(sign)), "")
    body = secret[len(sign.split("AgE")[0]) :] if sign else secret
    forms = {body, json.dumps(body)[1:-1], repr(body)[1:-1], html.escape(body), quote(body, safe="")}
    forms |= {quote_plus(body), body.encode().hex(), json.dumps(body, ensure_ascii=False)[1:-1]}
    for shift in range(3):
        forms.add(base64.b64encode(b"x" * shift + body.encode()).decode()[4:-4])
    for form in forms:
        yield from (form[at : at + LEAK] for at in range(len(form) - LEAK + 1))


def leaks(files: dict[str, str], secrets: list[str]) -> list[str]:
    """Where any of these secrets is: file, secret, and what stands around it."""
    pieces = {piece: secret for secret in secrets for piece in _windows(secret)}
    known = list(pieces)
    search = AhoCorasick(known)  # thousands of pieces in one pass
    found = []
    seen = {text: name for name, text in files.items()}  # what is published is often the same
    for text, name in seen.items():
        for reading in dict.fromkeys(_readings(name, text)):
            if len(reading) < LEAK:
                continue
            whole = reading.encode("utf-8", "replace").decode()
            for number, at, _ in search.find_matches_as_indexes(whole, overlapping=True):
                piece, around = known[number], whole[max(0, at - 60) : at + 60]
                found.append(f"{name}: {pieces[piece]!r} as {piece!r} in …{around!r}…")
    return list(dict.fromkeys(found))


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a server that answers with secrets."""
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()
    thread.join(5)


def _run(root: Path, planted: dict[str, Any], server: str, *, stop: bool) -> dict[str, str]:
    """Run the runbook in a new project; return all files that the run wrote or would publish."""
    (root / "runbooks/nodes").mkdir(parents=True)
    (root / "adrs").mkdir()
    (root / "runs/plant").mkdir(parents=True)
    source = RUNBOOK.read_text(encoding="utf-8")
    for place, secret in planted["source"].items():
        source = source.replace(f"«{place}»", secret)
    (root / "runbooks/plant.py").write_text(source, encoding="utf-8")
    (root / "runbooks/nodes/local.toml").write_text(
        '[[node]]\nname = "here"\ntransport = "local"\n[secrets]\nvariables = ["WEKA_KEY_OF_MINE"]\n'
    )
    texts = root / "texts.json"
    dynamic = root / "dynamic.txt"
    dynamic.write_text(planted["known"]["dynamic"], encoding="utf-8")
    texts.write_text(json.dumps(_texts(planted) | {"dynamic": str(dynamic)}), encoding="utf-8")
    known = planted["known"]
    given = {"planted": str(texts), "server": server, "api_key": known["api_key"], "ticket": known["ticket"]}
    given |= {"stop": str(stop).lower()}
    words = [
        word for name, value in given.items() for word in ("-r" if name != "stop" else "-p", name, value)
    ]
    environment = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(root)}
    environment |= {"REGISTRY_PASSWORD": known["environment"], "WEKA_KEY_OF_MINE": known["marked"]}
    done = subprocess.run(
        [sys.executable, "-m", "papermill", "runbooks/plant.py", "runs/plant/one.ipynb", *words],
        cwd=root, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    notebook = root / "runs/plant/one.ipynb"
    assert done.returncode == (1 if stop else 0), done.stderr[-3000:]
    files = {
        str(path.relative_to(root)): path.read_bytes().decode("utf-8", "backslashreplace")
        for path in sorted((root / "runs").rglob("*"))
        if path.is_file()
    }
    published = prepare(notebook, Project(root), failed=True)
    files |= {f"published/{name}": text for name, text in published.files.items()}
    files["terminal.txt"] = done.stderr
    return files


@settings(
    max_examples=2,
    phases=[Phase.generate],  # each example is a whole run; a smaller one would not say more
    deadline=None,
    database=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
@given(seed=some.integers(0, 1 << 30), stop=some.booleans())
def test_no_secret_is_written(
    seed: int, stop: bool, server: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whoever runs a runbook would find a password in a notebook, a recording or a log that went public."""
    planted = _Server.planted = planted_secrets(seed)
    files = _run(tmp_path_factory.mktemp("planted"), planted, server, stop=stop)
    assert len(files) > 100
    assert any("[redacted]" in text for text in files.values())
    found = leaks(files, _all(planted))
    assert not found, f"{len(found)} leaks, such as:\n" + "\n".join(found[:12])


def test_the_search_finds_what_is_there() -> None:
    """A search that finds nothing proves nothing."""
    secret = "Zqp\"a's<s>w&rd9Kx7vW2p"
    for form in (
        secret,
        json.dumps(secret),
        quote(secret),
        html.escape(secret),
        repr(secret),
        secret.encode().hex(),
    ):
        assert leaks({"a.txt": f"x {form} y"}, [secret]), form
    assert leaks({"a.txt": base64.b64encode(f"me:{secret}".encode()).decode()}, [secret])
    assert leaks({"a.txt": f"{secret[:8]}\n{secret[8:]}"}, [secret])
    assert leaks({"a.txt": f"{secret[:8]}\x1b[31m{secret[8:]}"}, [secret])
    assert not leaks({"a.txt": "x [redacted] y"}, [secret])
