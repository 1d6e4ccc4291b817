"""Offer one container image of this machine, once, to one other machine on the cable between them.

Listens on ADDRESS only (a port that the kernel picks), takes a connection from PEER only, and only from
somebody who knows the ticket, which it makes itself and prints. Then it runs ``docker save`` and sends what
that writes. It stays in the background when this program returns, and ends by itself: after one transfer,
when nobody came within WAIT seconds, or after LIMIT seconds whatever happens. It changes nothing.

Usage: ``python3 - REFERENCE ADDRESS PEER WAIT LIMIT < serve_image.py``. The last line is one JSON object::

    {"serving": true, "port": 41873, "ticket": "6f0c…", "pid": 4711}

or ``{"serving": false, "why": "…"}``. The ticket is of no use after the transfer, and it never travels over
the cable: the peer answers a challenge with it. The image itself travels as it is, not encrypted. Each piece
has its length before it (4 bytes); after a piece of length 0 comes one line of JSON with how ``docker save``
ended, the number of bytes and their SHA-256, signed with the ticket. Needs Python 3.9 or newer and docker.
"""

import hashlib
import hmac
import json
import os
import secrets
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

PIECE = 1 << 20
# How long somebody who connects may take to answer the challenge (seconds), and how many may fail.
ANSWER_SECONDS = 10
MOST_STRANGERS = 20


def sign(ticket, *words):
    """Return the signature of some words."""
    return hmac.new(ticket.encode(), "\0".join(words).encode(), hashlib.sha256).hexdigest()


def line_of(connection):
    """Read one short line; empty when there is none."""
    got = b""
    while not got.endswith(b"\n") and len(got) < 200:
        part = connection.recv(200)
        if not part:
            return ""
        got += part
    return got.decode("ascii", "replace").strip()


def admitted(server, peer, ticket, until):
    """Return (connection, challenge) of the one who knows the ticket, or None when the time is over."""
    for _ in range(MOST_STRANGERS):
        left = until - time.monotonic()
        if left <= 0:
            return None
        server.settimeout(left)
        try:
            connection, (address, *_rest) = server.accept()
        except OSError:
            return None
        challenge = secrets.token_hex(16)
        try:
            if address == peer:
                connection.settimeout(ANSWER_SECONDS)
                connection.sendall(challenge.encode() + b"\n")
                if hmac.compare_digest(line_of(connection), sign(ticket, "fetch", challenge)):
                    return connection, challenge
        except OSError:
            pass
        connection.close()
    return None


def send(connection, reference, ticket, challenge):
    """Send the image, then how it ended."""
    digest, size = hashlib.sha256(), 0
    with tempfile.TemporaryFile() as complaints:
        save = subprocess.Popen(
            ["docker", "save", reference],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
        )
        signal.signal(signal.SIGALRM, lambda *_: (save.kill(), os._exit(1)))
        signal.signal(signal.SIGTERM, lambda *_: (save.kill(), os._exit(1)))
        try:
            while True:
                piece = save.stdout.read(PIECE)
                if not piece:
                    break
                digest.update(piece)
                size += len(piece)
                connection.sendall(struct.pack(">I", len(piece)) + piece)
            status = save.wait()
        finally:
            save.kill()
        complaints.seek(0)
        said = complaints.read(2000).decode("utf-8", "replace").strip()
    proof = sign(ticket, "sent", challenge, str(status), str(size), digest.hexdigest())
    told = {"exit": status, "bytes": size, "sha256": digest.hexdigest(), "said": said, "proof": proof}
    connection.sendall(struct.pack(">I", 0) + json.dumps(told).encode() + b"\n")


def serve(server, reference, peer, ticket, wait, limit):
    """Wait for the peer, send the image, end."""
    signal.alarm(max(1, int(limit)))
    found = admitted(server, peer, ticket, time.monotonic() + wait)
    server.close()
    if found:
        connection, challenge = found
        connection.settimeout(limit)
        with connection:
            send(connection, reference, ticket, challenge)


def main():
    """Listen, go on in the background, print where."""
    reference, address, peer = sys.argv[1:4]
    wait, limit = float(sys.argv[4]), float(sys.argv[5])
    try:
        server = socket.create_server((address, 0), backlog=2)
    except OSError as error:
        print(json.dumps({"serving": False, "why": f"cannot listen on {address}: {error.strerror}"}))
        return
    ticket = secrets.token_hex(24)
    child = os.fork()
    if child:
        port = server.getsockname()[1]
        print(json.dumps({"serving": True, "port": port, "ticket": ticket, "pid": child}))
        return
    status = 1
    try:
        os.setsid()
        # Nobody reads what it says any more; an open pipe would keep the SSH session waiting.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        serve(server, reference, peer, ticket, wait, limit)
        status = 0
    finally:
        os._exit(status)


main()
