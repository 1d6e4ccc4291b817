"""Serve a few words over HTTP on a free port of loopback, for a limited time.

Usage: python3 - SECONDS. Prints {"port": 40123, "seconds": 60} and goes on serving behind that: every address
answers 200 with the same small JSON object, and GET /stop ends it early.
"""

import http.server
import json
import os
import signal
import sys
import time

BODY = json.dumps({"says": "hello", "words": 1}).encode() + b"\n"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every request with the same words."""

    timeout = 2  # seconds that a client may be silent

    def do_GET(self):
        """Answer, and note when somebody asks us to stop."""
        self.server.stopped = self.path == "/stop"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *words):
        """Say nothing: nobody reads it."""


def main():
    """Listen, say where, and serve in the background."""
    seconds = int(sys.argv[1])
    if not 1 <= seconds <= 600:
        sys.exit("SECONDS is from 1 to 600")
    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    server.stopped = False
    server.timeout = 0.5
    if os.fork():
        print(json.dumps({"port": server.server_port, "seconds": seconds}), flush=True)
        os._exit(0)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # or whoever waits for our output waits as long as we serve
        os.dup2(nothing, stream)
    signal.alarm(seconds + 5)  # whatever happens
    end = time.monotonic() + seconds
    while not server.stopped and time.monotonic() < end:
        server.handle_request()


main()
