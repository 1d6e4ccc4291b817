"""What an HTTP request from a node may be. Imports nothing that a simulated run does not need."""

from urllib.parse import urlsplit

from reaffirm.errors import UsageError
from reaffirm.model.exchange import HttpRequest


def check_request(request: HttpRequest) -> None:
    """Stop before something that is not plain HTTP is sent.

    Raises:
        UsageError: not an ``http://`` address.
    """
    try:
        parts = urlsplit(request.url)
        known = parts.scheme == "http" and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number
        known = False
    if not known:
        msg = f"a request from a node goes to http://HOST:PORT/…, got {request.url!r}"
        raise UsageError(msg, hint="the engines serve plain HTTP; name the node as 127.0.0.1")
