"""A request that has much to do holds up no other: the other connections are answered while it runs,
on both ports, whatever its work consists of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hs_client import Client, line, readable
from private_server import PrivateServer

ROWS = 200_000
ATTEMPTS = 20


@pytest.fixture(scope="module")
def single() -> Iterator[PrivateServer]:
    """A server with one thread on each port: a thread that stopped would stop all connections."""
    with PrivateServer(
        variables={"handlersocket_threads": 1, "handlersocket_threads_wr": 1, "log_bin": "log"}
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        running.sql("INSERT INTO hs.t SELECT seq, seq FROM hs.seq_1_to_3000")
        running.sql("CREATE TABLE hs.many (id INT PRIMARY KEY, v INT)")
        running.sql(f"INSERT INTO hs.many SELECT seq, seq FROM hs.seq_1_to_{ROWS}")
        running.sql("CREATE TABLE hs.other (id INT PRIMARY KEY, v INT)")
        running.sql("INSERT INTO hs.other VALUES (1, 1)")
        running.sql("CREATE TABLE hs.cut (id INT PRIMARY KEY, s VARCHAR(20), KEY s (s(1)))")
        running.sql(f"INSERT INTO hs.cut SELECT seq, CONCAT('a', seq) FROM hs.seq_1_to_{ROWS}")
        running.sql("CREATE TABLE hs.past (id INT PRIMARY KEY, v INT) WITH SYSTEM VERSIONING")
        running.sql(f"INSERT INTO hs.past (id, v) SELECT seq, seq FROM hs.seq_1_to_{ROWS}")
        running.sql("DELETE FROM hs.past")
        yield running
        assert running.running, running.error_log()[-3000:]


def others_are_answered_meanwhile(port: int, works: Client, request: bytes, reply: bytes) -> bool:
    """Whether requests that were sent after `request`, one after the other, were answered before it.
    A busy machine may need more than one try."""
    with Client(port) as other:
        other.open("hs.other", ["id", "v"])
        for _ in range(ATTEMPTS):
            works.send(request)
            for _ in range(4):
                assert other.find("=", [1]) == [(b"1", b"1")]
            meanwhile = not readable([works])
            assert works.read_line() == reply
            if meanwhile:
                return True
    return False


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_keys_of_in_that_find_nothing(single: PrivateServer, port: str) -> None:
    keys = range(10_000_000, 10_300_000)
    with Client(getattr(single, port)) as works:
        works.open("hs.t", ["id", "v"])
        request = line(1, "=", 1, 0, 10, 0, "@", 0, len(keys), *keys)
        assert others_are_answered_meanwhile(getattr(single, port), works, request, b"0\t2")


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_filters_that_are_many(single: PrivateServer, port: str) -> None:
    with Client(getattr(single, port)) as works:
        works.open("hs.t", ["id", "v"], filters=["v"])
        request = line(1, ">", 1, 0, 1, 2999, *(["F", ">", 0, 0] * 5000))
        assert others_are_answered_meanwhile(
            getattr(single, port), works, request, b"0\t2\t3000\t3000"
        )


def test_rows_of_the_past(single: PrivateServer) -> None:
    with Client(single.port) as works:
        works.open("hs.past", ["id", "v"])
        request = line(1, ">", 1, 0, 1, 0)
        assert others_are_answered_meanwhile(single.port, works, request, b"0\t2")


def test_rows_that_only_begin_like_the_key(single: PrivateServer) -> None:
    with Client(single.port) as works:
        works.open("hs.cut", ["id", "s"], index="s")
        request = line(1, "=", 1, "ab", 1, 0)
        assert others_are_answered_meanwhile(single.port, works, request, b"0\t2")


def test_an_update_of_many_rows(single: PrivateServer) -> None:
    with Client(single.port_wr) as works:
        works.open("hs.many", ["v"])
        request = line(1, ">", 1, 0, ROWS, 0, "+", 1)
        assert others_are_answered_meanwhile(single.port_wr, works, request, b"0\t1\t%d" % ROWS)


def test_many_updates_of_many_rows_are_no_single_batch(single: PrivateServer) -> None:
    updates = 300
    value = "SELECT v FROM hs.t WHERE id = 1"
    ((before,),) = single.sql(value)
    with Client(single.port_wr) as works, Client(single.port_wr) as other:
        works.open("hs.t", ["v"])
        other.open("hs.other", ["id", "v"])
        works.send(line(1, ">", 1, 0, 1000, 0, "+", 1) * updates)
        assert works.read_line() == b"0\t1\t1000"
        assert other.request(1, "+", 2, 2, 2) == b"0\t1"
        ((meanwhile,),) = single.sql(value)
        assert before < meanwhile < before + updates  # some are committed, some are to come
        assert [works.read_line() for _ in range(updates - 1)] == [b"0\t1\t1000"] * (updates - 1)
    single.sql("DELETE FROM hs.other WHERE id = 2")
