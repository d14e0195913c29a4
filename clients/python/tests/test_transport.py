"""What a request asks of the system."""

from __future__ import annotations

import socket
import threading
from typing import List, Optional

import pytest

from handlersocket2.transport import KERNEL_TIMEOUTS, PlainTransport, run


class Counting(socket.socket):
    """A socket that notes the limits that it is set."""

    limits: List[Optional[float]] = []

    def settimeout(self, value: Optional[float]) -> None:
        self.limits.append(value)
        super().settimeout(value)


def pair() -> tuple[PlainTransport, Counting, socket.socket]:
    one, other = socket.socketpair()
    counting = Counting(one.family, one.type, fileno=one.detach())
    counting.limits = []
    return PlainTransport(counting), counting, other


def test_requests_with_one_limit_set_it_once() -> None:
    transport, counting, other = pair()
    for _ in range(3):
        transport.limit(30)
        run(transport.send(b"x", lambda data: None))
        other.sendall(b"y")
        assert run(transport.receive()) == b"y"
        transport.limit(0)
    assert counting.limits == [30]
    other.close()
    transport.close()


def test_a_request_without_a_limit_has_not_that_of_the_one_before() -> None:
    transport, counting, other = pair()
    for seconds, limit in ((30, 30), (0, None), (20, 20), (0, None)):
        transport.limit(seconds)
        run(transport.send(b"x", lambda data: None))
        assert counting.gettimeout() == limit
        transport.limit(0)
    other.close()
    transport.close()


def test_replies_in_pieces_have_one_limit_together() -> None:
    transport, counting, other = pair()
    transport.limit(30)
    transport._deadline -= 20  # type: ignore[operator]
    other.sendall(b"y")
    assert run(transport.receive()) == b"y"
    left = counting.gettimeout()
    assert left is not None and left <= 10
    transport._deadline -= 10  # type: ignore[operator]
    with pytest.raises(socket.timeout):
        run(transport.receive())
    other.close()
    transport.close()


def test_a_socket_waits_by_itself_and_ends_in_time() -> None:
    one, other = socket.socketpair()
    transport = PlainTransport(one)
    transport.limit(0.05)
    run(transport.send(b"x", lambda data: None))
    assert one.gettimeout() is None or not KERNEL_TIMEOUTS
    with pytest.raises((BlockingIOError, socket.timeout)):
        run(transport.receive())
    other.close()
    transport.close()


def test_a_large_request_leaves_the_limit_as_it_was() -> None:
    one, other = socket.socketpair()
    transport = PlainTransport(one)
    transport.limit(0.05)
    thread = threading.Thread(target=lambda: other.recv(1 << 20, socket.MSG_WAITALL))
    thread.start()
    run(transport.send(b"x" * (1 << 20), lambda data: None))
    thread.join()
    transport.limit(0.05)
    with pytest.raises((BlockingIOError, socket.timeout)):
        run(transport.receive())
    other.close()
    transport.close()
