"""Tell whether a TCP port of another machine can be reached from this one.

Opens one TCP connection and closes it at once; sends no data, writes no file, changes nothing.
A refused connection counts as reached: the other machine answered, only nobody listens on that port.

Usage: ``python3 - ADDRESS PORT SECONDS < reach.py``. The last line of its output is one JSON object::

    {"reached": true, "how": "connected", "ms": 0.4}

``how`` is ``connected``, ``refused``, ``timeout``, ``no route`` or the system's own words; ``ms`` is the
time that the answer took, in milliseconds.
Needs Python 3.9 or newer and nothing else.
"""

import errno
import json
import socket
import sys
import time

NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL)


def reach(address, port, seconds):
    """Return (reached, how) for one connection attempt of at most ``seconds``."""
    try:
        socket.create_connection((address, port), timeout=seconds).close()
    except ConnectionRefusedError:
        return True, "refused"
    except socket.timeout:
        return False, "timeout"
    except OSError as error:
        if error.errno == errno.ETIMEDOUT:
            return False, "timeout"
        if error.errno in NO_ROUTE:
            return False, "no route"
        return False, error.strerror or str(error)
    return True, "connected"


def main():
    """Read the three arguments, try once, print the answer."""
    address, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    begin = time.monotonic()
    reached, how = reach(address, port, seconds)
    print(json.dumps({"reached": reached, "how": how, "ms": round((time.monotonic() - begin) * 1000, 1)}))


main()
