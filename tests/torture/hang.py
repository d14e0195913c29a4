"""When it is certain that something hangs: nothing in these tests waits nearly as long."""

TIMEOUT_S = 60


class Hang(Exception):
    """No reply within that time."""
