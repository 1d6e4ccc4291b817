"""A TCP proxy that breaks connections on purpose, and an HTTP server that lies. Loopback only."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

_BLOCK = 32_768


class Proxy:
    """Stands between a client and a port of loopback. ``mode`` may change while connections are open.

    ``open`` passes everything on; ``slow`` waits before each piece; ``half-open`` takes everything and
    passes nothing on; ``cut`` resets every connection, and those that come.
    """

    def __init__(self, target: int, *, delay: float = 0.03) -> None:
        self.target = target
        self.delay = delay
        self.mode = "open"
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._over = False
        self._start(self._accept)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def set(self, mode: str) -> None:
        """Change what happens to what passes through."""
        self.mode = mode
        if mode == "cut":
            for pair in self._pairs:
                for one in pair:
                    _reset(one)

    def when_there(self, marker: Path, mode: str) -> None:
        """Change the mode as soon as a file is there (within 20 s)."""

        def wait() -> None:
            for _ in range(2000):
                if marker.exists():
                    self.set(mode)
                    return
                time.sleep(0.01)

        self._start(wait)

    def _accept(self) -> None:
        while not self._over:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.mode == "cut":
                client.recv(_BLOCK)  # its greeting
                _reset(client)
                continue
            server = socket.create_connection(("127.0.0.1", self.target), timeout=10)
            server.settimeout(None)
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._pairs.append((client, server))
            self._start(self._pass, client, server)
            self._start(self._pass, server, client)

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_BLOCK):
                if self.mode == "slow":
                    time.sleep(self.delay)
                if self.mode != "half-open":
                    sink.sendall(data)
        if self.mode != "half-open":
            with contextlib.suppress(OSError):
                sink.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close everything."""
        self._over = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in accept
        self._listener.close()
        for pair in self._pairs:
            for one in pair:
                one.close()


def _reset(one: socket.socket) -> None:
    """Close at once, as a firewall or a crash does: the other side sees a reset."""
    with contextlib.suppress(OSError):
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        one.shutdown(socket.SHUT_RDWR)
    one.close()


_OK = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
_STREAM = b"Content-Type: text/event-stream\r\n"
_PAGE = "<!doctype html><title>Sign in</title>Sign in to go on."


class LyingServer:
    """Answers like vLLM, except that ``lie`` is at work. Every connection serves one request."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.lie = ""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            asked = b""
            while b"\r\n\r\n" not in asked and (more := client.recv(_BLOCK)):
                asked += more
            head, _, body = asked.partition(b"\r\n\r\n")
            size = next(
                (int(line[15:]) for line in head.splitlines() if line.lower().startswith(b"content-length:")),
                0,
            )
            while len(body) < size and (more := client.recv(_BLOCK)):
                body += more  # what is not read resets the connection at its end
            path = head.split(b" ", 2)[1].decode()
            if path == "/health":
                client.sendall(_OK + b"Content-Length: 0\r\n\r\n")
            elif path == "/v1/models":
                self._models(client)
            else:
                self._chat(client)

    def _models(self, client: socket.socket) -> None:
        if self.lie == "html":
            _send(client, _PAGE, "text/html")
        elif self.lie == "other-model":
            _send(client, json.dumps({"object": "list", "data": [{"id": "somebody/else"}]}))
        elif self.lie == "short":
            client.sendall(_OK + b'Content-Type: application/json\r\nContent-Length: 999\r\n\r\n{"object":')
        elif self.lie == "no-http":
            client.sendall(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
        else:
            _send(client, json.dumps({"object": "list", "data": [{"id": self.model}]}))

    def _chat(self, client: socket.socket) -> None:
        if self.lie == "error":
            body = b'{"error":{"message":"EngineCore encountered an issue.","code":500}}'
            head = b"HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\n"
            client.sendall(head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            return
        client.sendall(_OK + _STREAM + b"Transfer-Encoding: chunked\r\n\r\n")
        words = ["Seventy", "-five ", "min", "utes", "."]
        _chunk(client, _event({"reasoning": "They ask how long it takes."}))
        for number, word in enumerate(words):
            time.sleep(0.005)
            if self.lie == "garbled" and number == 2:
                _chunk(client, 'data: {"choices": [{"delta": {"content": "mi\n\n')
            if self.lie == "cut" and number == 2:
                return
            _chunk(client, _event({"content": word}))
        while self.lie == "endless":
            time.sleep(0.01)
            _chunk(client, _event({"content": " and"}))
        _chunk(client, _event({}, finish="stop"))
        usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 6, "total_tokens": 15}}
        _chunk(client, f"data: {json.dumps(usage)}\n\ndata: [DONE]\n\n")
        client.sendall(b"0\r\n\r\n")

    def close(self) -> None:
        """Stop serving."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def _send(client: socket.socket, body: str, kind: str = "application/json") -> None:
    head = b"Content-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind.encode(), len(body.encode()))
    client.sendall(_OK + head + body.encode())


def _chunk(client: socket.socket, text: str) -> None:
    data = text.encode()
    client.sendall(b"%x\r\n%s\r\n" % (len(data), data))


def _event(delta: dict[str, str], finish: str | None = None) -> str:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]})}\n\n"
