"""Tell which address a serving engine on this machine would advertise if nobody told it one.

vLLM and SGLang find "the address of this host" by connecting a UDP socket to a public address and
reading the local end of it: the kernel then picks the source address of the *default route*. Connecting
a UDP socket sends nothing. On a machine with an office network and a private fabric between two nodes that
is the office address, which the other node may not be able to reach.

This program does the same and prints the address. It changes nothing on this machine, sends no packet,
writes no file. Usage: ``python3 - < advertised_address.py``. The last line of its output is one JSON object::

    {"address": "10.77.1.12", "how": "default route"}

``address`` is null, and ``how`` says why, where there is no default route.
Needs Python 3.9 or newer and nothing else.
"""

import json
import socket

# The address both engines use for this; nothing is sent to it.
TARGET = ("8.8.8.8", 80)


def advertised():
    """Return the source address that the kernel picks for the default route, and how it was found."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(TARGET)
        except OSError as error:
            return None, "no default route: %s" % (error.strerror or error)
        return sock.getsockname()[0], "default route"


def main():
    """Print the answer."""
    address, how = advertised()
    print(json.dumps({"address": address, "how": how}))


main()
