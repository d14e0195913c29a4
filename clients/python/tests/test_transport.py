"""What a request asks of the system."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import socket
import threading
from typing import Any, Dict, List, Optional

import pytest
from fake import Listener

import handlersocket2
from handlersocket2 import errors
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


def test_a_limit_holds_while_a_timer_ticks() -> None:
    one, other = socket.socketpair()
    transport = PlainTransport(one)
    transport.limit(0.1)
    ticks = 0

    def tick(*ignored: object) -> None:
        nonlocal ticks
        ticks += 1
        if ticks > 500:
            raise AssertionError("the limit is long over")

    before = signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    try:
        with pytest.raises((BlockingIOError, socket.timeout)):
            run(transport.receive())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    other.close()
    transport.close()


def test_a_large_request_leaves_the_limit_as_it_was() -> None:
    one, other = socket.socketpair()
    transport = PlainTransport(one)
    transport.limit(30)

    def limits() -> tuple[object, ...]:
        option = one.getsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, 16)
        return one.gettimeout(), os.get_blocking(one.fileno()), option

    before = limits()
    size = 4_000_000  # more than the system keeps, so that sending waits
    thread = threading.Thread(target=other.recv, args=(size, socket.MSG_WAITALL), daemon=True)
    thread.start()
    run(transport.send(b"x" * size, lambda data: None))
    thread.join()
    assert limits() == before
    other.close()
    transport.close()


def test_a_process_may_have_any_number_of_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1200
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip("the process may not have so many")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    many = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        transport, _, other = pair()
        transport.limit(30)
        size = 4_000_000  # more than the system keeps, so that sending waits
        reader = threading.Thread(target=other.recv, args=(size, socket.MSG_WAITALL))
        reader.start()
        run(transport.send(b"x" * size, lambda data: None))
        reader.join()
        assert transport.alive(False)
        other.close()
        transport.close()
    finally:
        for one in many:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_each_address_of_a_host_has_its_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Listener(lambda line, number: None)
    full = socket.socket()  # its queue is full, so that it takes for ever to connect
    full.bind(("127.0.0.1", 0))
    full.listen(0)
    waiting = [socket.socket() for _ in range(4)]
    for one in waiting:
        one.setblocking(False)
        one.connect_ex(full.getsockname())
    two = [
        (socket.AF_INET, socket.SOCK_STREAM, 0, "", one)
        for one in (full.getsockname(), server.place)
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *place, **kind: two)
    with handlersocket2.connect("hs://two", connect_timeout=2, retries=0) as client:
        client.ping()
    server.close()
    for one in (full, *waiting):
        one.close()


@pytest.mark.parametrize("option", ["timeout", "connect_timeout", "max_idle"])
def test_the_longest_limit_waits(option: str) -> None:
    server = Listener(lambda line, number: None)
    limit: Dict[str, Any] = {option: 1_000_000}
    with handlersocket2.connect(server.url, retries=0, **limit) as client:
        client.ping()
        client.ping()
    server.close()


@pytest.mark.parametrize("connect", [handlersocket2.connect, handlersocket2.AsyncClient])
def test_the_port_of_another_program_is_told(connect: Any) -> None:
    async def ask(url: str) -> None:
        answer = connect(url).ping()
        if connect is handlersocket2.AsyncClient:
            await answer

    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            for _ in range(2):
                one, _ = server.accept()
                with one, contextlib.suppress(OSError):
                    one.sendall(b"J\0\0\0\n11.4.2-MariaDB\0")
                    while one.recv(4096):
                        pass

        thread = threading.Thread(target=greet, daemon=True)
        thread.start()
        place = "127.0.0.1:{}".format(server.getsockname()[1])
        with pytest.raises(errors.ProtocolError) as wrong:
            asyncio.run(ask(f"hs://{place}?retries=0"))
        told = f"no connection to {place}: this is no reply; "
        told += "is it HandlerSocket's port, or that of SQL?"
        assert str(wrong.value) == told
        assert not wrong.value.sent
        with pytest.raises(errors.ConnectionError, match=f"^no TLS with {place}: "):
            asyncio.run(ask(f"hs://{place}?retries=0&tls=require"))
        thread.join()


@pytest.mark.parametrize("host", ["a" * 70, "a..b"])
def test_a_host_that_cannot_be_is_an_error_of_the_connection(host: str) -> None:
    client = handlersocket2.connect(f"hs://{host}", retries=0)
    with pytest.raises(errors.ConnectionError):
        client.ping()
