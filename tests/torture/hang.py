"""The time after which something certainly hangs: no wait in these tests takes nearly as long."""

TIMEOUT_S = 60


class Hang(Exception):
    """No reply within that time."""
