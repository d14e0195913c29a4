"""The two ports of the plugin."""

from __future__ import annotations

from hs_client import Client

TIMEOUT_S = 40


class PortPair:
    """A connection to each port; made anew for each table."""

    def __init__(self, port: int, port_wr: int) -> None:
        self._ports = (port, port_wr)
        self.reader = Client(port, TIMEOUT_S)
        self.writer = Client(port_wr, TIMEOUT_S)

    def reconnect(self) -> None:
        """Forgets what was opened."""
        self.reader.close()
        self.writer.close()
        self.reader, self.writer = (Client(port, TIMEOUT_S) for port in self._ports)
