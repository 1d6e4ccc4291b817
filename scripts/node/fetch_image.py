"""Take a container image from ``serve_image.py`` on another machine and give it to ``docker load``.

The image is passed on as it arrives: nothing is written but what ``docker load`` itself writes. When the
transfer breaks off, or its length, digest or signature is not as the other side says, ``docker load`` is
ended before it has seen the end of the archive.

Usage: ``python3 - ADDRESS PORT TICKET LIMIT < fetch_image.py``. The last line is one JSON object::

    {"loaded": true, "bytes": 23622320128, "seconds": 41.3, "sha256": "…", "said": "Loaded image: …",
     "why": ""}

``seconds`` is from the connection to the end of ``docker load``. It ends after LIMIT seconds at the latest.
Needs Python 3.9 or newer and docker.
"""

import hashlib
import hmac
import json
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

CONNECT_SECONDS = 15
# No piece is longer; a bigger number is not from the other program (bytes).
MOST_PIECE = 1 << 24


class BrokenError(Exception):
    """The transfer did not come to its end; the text says why."""


def sign(ticket, *words):
    """Return the signature of some words."""
    return hmac.new(ticket.encode(), "\0".join(words).encode(), hashlib.sha256).hexdigest()


def whole(stream, size):
    """Read exactly that many bytes."""
    got = stream.read(size)
    if len(got) < size:
        raise BrokenError("the other side broke off")
    return got


def receive(stream, sink, ticket, challenge):
    """Pass on what comes; return (bytes, sha256) once the other side has vouched for it."""
    digest, size = hashlib.sha256(), 0
    while True:
        (length,) = struct.unpack(">I", whole(stream, 4))
        if length > MOST_PIECE:
            raise BrokenError(f"a piece of {length} bytes is not from serve_image.py")
        if not length:
            break
        piece = whole(stream, length)
        digest.update(piece)
        size += length
        try:
            sink.write(piece)
        except BrokenPipeError:
            raise BrokenError("docker load ended before the image did") from None
    told = json.loads(stream.readline(100_000))
    words = ("sent", challenge, str(told["exit"]), str(told["bytes"]), told["sha256"])
    if not hmac.compare_digest(told["proof"], sign(ticket, *words)):
        raise BrokenError("the end of the transfer is not signed by the other side")
    if told["exit"] != 0:
        raise BrokenError(f"docker save ended with status {told['exit']}: {told['said'] or 'no words'}")
    if (told["bytes"], told["sha256"]) != (size, digest.hexdigest()):
        raise BrokenError(f"{size} bytes came, {told['bytes']} were sent")
    return size, digest.hexdigest()


def fetch(address, port, ticket, said):
    """Fetch and load; return what to print."""
    with socket.create_connection((address, port), CONNECT_SECONDS) as connection:
        began = time.monotonic()
        connection.settimeout(None)  # the alarm bounds it
        stream = connection.makefile("rb")
        challenge = stream.readline(200).decode("ascii", "replace").strip()
        if not challenge:
            raise BrokenError("the other side does not let this machine in")
        connection.sendall(sign(ticket, "fetch", challenge).encode() + b"\n")
        load = subprocess.Popen(["docker", "load"], stdin=subprocess.PIPE, stdout=said, stderr=said)
        try:
            size, digest = receive(stream, load.stdin, ticket, challenge)
            load.stdin.close()
            status = load.wait()
        finally:
            load.kill()
            load.wait()
    if status != 0:
        raise BrokenError(f"docker load ended with status {status}")
    return {"bytes": size, "sha256": digest, "seconds": round(time.monotonic() - began, 3)}


def over(*_):
    """Stop at the limit, or when told to."""
    raise BrokenError("it took longer than its limit, or was stopped")


def main():
    """Fetch within the limit and print the answer."""
    address, port, ticket, limit = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    signal.signal(signal.SIGALRM, over)
    signal.signal(signal.SIGTERM, over)
    signal.alarm(max(1, int(limit)))
    answer = {"loaded": False, "bytes": 0, "seconds": 0.0, "sha256": None, "said": "", "why": ""}
    with tempfile.TemporaryFile() as said:
        try:
            answer.update(fetch(address, port, ticket, said), loaded=True)
        except (BrokenError, OSError, ValueError, KeyError, TypeError, struct.error) as error:
            answer["why"] = str(error) or type(error).__name__
        said.seek(0)
        lines = said.read(20_000).decode("utf-8", "replace").strip().splitlines()
    answer["said"] = next((line for line in lines if line.startswith("Loaded image")), " ".join(lines[-2:]))
    print(json.dumps(answer))


main()
