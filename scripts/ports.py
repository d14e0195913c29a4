"""Finding free ports, and asking whether a server answers on one. Without fixed waits."""

from __future__ import annotations

import random
import socket
from pathlib import Path

from server_files import ServerError

# Below the range that the kernel gives to outgoing connections (32768 and up), so that no client's
# own port can stand in the way of a restart.
PORT_RANGE = range(20000, 32000)
TIMEOUT_S = 5

_claims: list[socket.socket] = []  # held until the process ends


def free_port() -> int:
    """A loopback TCP port without a listener, which no process on this machine gets from here again
    while this one lives. The claim comes before the probe, since a probe listens for a moment."""
    for _ in range(1000):
        port = random.SystemRandom().choice(PORT_RANGE)
        if _claimed(port) and port_is_free(port):
            return port
    raise ServerError("no free port found")


def _claimed(port: int) -> bool:
    """Claims the port among the processes that use this module. The claim is a name in the kernel's
    abstract socket space: it belongs to one socket at a time and goes with its process."""
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0handlersocket-port-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def port_is_free(port: int) -> bool:
    """Whether a server could listen on this port of 127.0.0.1 now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen(1)
        except OSError:
            return False
    return True


def greets(path: Path) -> bool:
    """Whether mariadbd says hello on the Unix socket (its first packet begins with a length)."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(TIMEOUT_S)
        try:
            probe.connect(str(path))
            return len(probe.recv(5)) == 5
        except OSError:
            return False


def accepts(address: str, port: int) -> bool:
    """Whether connections are accepted there."""
    try:
        socket.create_connection((address, port), timeout=TIMEOUT_S).close()
    except OSError:
        return False
    return True
