"""The GTIDs of changes, and which changes are sent again."""

from __future__ import annotations

import asyncio
import socket
from typing import Any, Optional

import pytest
from fake import Server

import handlersocket2
from handlersocket2 import errors
from handlersocket2.gtids import Gtids
from handlersocket2.pool import Pool
from handlersocket2.transport import AsyncTransport, PlainTransport

READ = "&read_your_writes=on&replicas=other:1"


def told(*gtids: bytes) -> Server:
    """A server whose changes have these GTIDs, one after the other."""
    left = list(gtids)

    def answer(line: bytes) -> Optional[bytes]:
        if line == b"G\tL":
            return b"0\t1\t" + left.pop(0) + b"\n"
        return b"0\t1\t1\n" if line[:2] in (b"0\t", b"G\t") else None

    return Server(answer)


def waits(server: Server) -> list[bytes]:
    return [line.split(b"\t")[2] for line in server.lines if line.startswith(b"G\tW")]


def table(client: Any) -> Any:
    return client.table("t", ["a"], raw=True)


def test_a_read_waits_for_the_commit_of_a_transaction() -> None:
    server = told(b"0-1-7")
    client = server.client(READ)
    with client.transaction() as transaction:
        transaction.table(table(client)).update(1, {"a": 1})
    assert client.last_gtid() == "0-1-7"
    at = server.lines.index(b"T\tC")
    assert server.lines[at + 1] == b"G\tL", "in one piece"
    table(client).get(1)
    assert waits(server) == [b"0-1-7"]


def test_a_transaction_that_only_reads_or_is_rolled_back_has_no_gtid() -> None:
    server = told()
    client = server.client(READ)
    with client.transaction(read_only=True):
        pass
    transaction = client.transaction()
    transaction.begin()
    transaction.rollback()
    assert client.last_gtid() == "" and b"G\tL" not in server.lines


def test_a_read_waits_for_the_last_change_of_each_domain() -> None:
    server = told(b"0-1-7", b"3-1-2", b"0-1-6", b"")
    client = server.client(READ)
    for _ in range(4):
        table(client).update(1, {"a": 1})
    assert client.last_gtid() == "0-1-7,3-1-2"
    table(client).get(1)
    assert waits(server) == [b"0-1-7,3-1-2"]


def test_without_read_your_writes_the_last_change_is_asked_for_once() -> None:
    server = told(b"0-1-7")
    client = server.client()
    assert client.last_gtid() == ""
    with client.transaction() as transaction:
        transaction.table(table(client)).update(1, {"a": 1})
    assert client.last_gtid() == "0-1-7"


def test_a_transaction_begins_once() -> None:
    transaction = told().client("&pool_size=1").transaction()
    transaction.begin()
    with pytest.raises(errors.ValueError):
        transaction.begin()
    transaction.rollback()
    transaction.begin()


def test_a_change_beside_a_transaction_is_asked_for_too() -> None:
    server = told(b"0-1-7")
    client = server.client()
    transaction = client.transaction()
    transaction.begin()
    table(client).update(1, {"a": 1})
    transaction.rollback()
    assert client.last_gtid() == "0-1-7"
    assert client.last_gtid() == "0-1-7" and server.lines.count(b"G\tL") == 1


def test_a_gtid_that_is_told_late_takes_nothing_back() -> None:
    gtids = Gtids()
    for one in ("0-1-10", "0-1-9", "0-2-11", "", "1-1-1"):
        gtids.note(one)
    assert str(gtids) == "0-2-11,1-1-1"


def broken(client: handlersocket2.Client, sent: bool) -> None:
    """Breaks the connection that the next change takes, with so much of it sent."""
    (connection,) = client.inner.core.writer()._idle

    async def fail(data: bytes, sink: Any) -> None:
        raise errors.ConnectionError("broken pipe", sent=sent)

    connection._transport.send = fail


@pytest.mark.parametrize("sent", [False, True])
def test_a_change_is_sent_again_when_nothing_of_it_was_sent(sent: bool) -> None:
    server = told()
    client = server.client("&retries=1")
    assert table(client).update(1, {"a": 1}) == 1
    broken(client, sent)
    if sent:
        with pytest.raises(errors.ConnectionError):
            table(client).update(1, {"a": 2})
    else:
        assert table(client).update(1, {"a": 2}) == 1
    assert server.connections == (1 if sent else 2)


@pytest.mark.parametrize("size", [10, 100_000])
def test_a_closed_socket_tells_that_nothing_was_sent(size: int) -> None:
    one, other = socket.socketpair()
    other.close()
    transport = PlainTransport(one)
    with pytest.raises(errors.ConnectionError) as caught:
        transport.send(b"x" * size, lambda data: None).send(None)
    assert not caught.value.sent
    transport.close()


def test_a_closed_stream_tells_that_nothing_was_sent() -> None:
    async def work() -> None:
        one, other = socket.socketpair()
        transport = AsyncTransport(*await asyncio.open_unix_connection(sock=one))
        transport.close()
        with pytest.raises(errors.ConnectionError) as caught:
            await transport.send(b"x", lambda data: None)
        assert not caught.value.sent
        other.close()

    asyncio.run(work())


@pytest.mark.parametrize("line", ["P 0 t u PRIMARY a", "0 = 1 1", "T B", "A 1 x"])
def test_raw_takes_only_what_is_of_no_connection(line: str) -> None:
    client = handlersocket2.connect("hs://127.0.0.1:1")
    with client, pytest.raises(errors.ValueError, match="of one connection"):
        client.raw("write", line.split())


def test_an_interrupt_behind_the_taking_of_a_connection_takes_no_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = told().client("&pool_size=1&timeout=0.1")
    take = Pool.take

    async def interrupted(pool: Pool, changes: bool) -> None:
        await take(pool, changes)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Pool, "take", interrupted)
        for work in (lambda: table(client).get(1), lambda: table(client).update(1, {"a": 1})):
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt):
                    work()
    assert table(client).get(1) and table(client).update(1, {"a": 1}) == 1
