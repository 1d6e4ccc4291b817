"""Sites for the browser: built once by ``mkdocs build``, served on loopback."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: Seconds that a build may take on a slow machine.
_BUILD = 240


def build(project: Path, out: Path) -> Path:
    """Build a project as ``mkdocs build`` does; what it said is in the error when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(out)],
        cwd=project,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"},
        capture_output=True,
        text=True,
        timeout=_BUILD,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return out


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *args: object) -> None:
        """Say nothing: a browser that goes on to the next page hangs up."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of loopback; yields its address with a slash."""
    with _Server(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join(10)
