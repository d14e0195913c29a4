"""A request that must wait for somebody stops nobody else: not its worker's other connections, not
those whose requests came before it in the batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pymysql
import pytest
from hs_client import Client, line, wait_for_a_lock_wait
from private_server import PrivateServer


@pytest.fixture(scope="module")
def single() -> Iterator[PrivateServer]:
    """A server with one worker on each port: what stops the worker stops everybody."""
    with PrivateServer(
        variables={"handlersocket_threads": 1, "handlersocket_threads_wr": 1, "log_bin": "log"}
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        running.sql("CREATE TABLE hs.other (id INT PRIMARY KEY, v INT)")
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture(autouse=True)
def rows(single: PrivateServer) -> None:
    for table in ("t", "other"):
        single.sql(f"REPLACE INTO hs.{table} VALUES (1, 1), (2, 2), (3, 3)")
        single.sql(f"DELETE FROM hs.{table} WHERE id > 3")


def opened(port: int, table: str = "hs.t") -> Client:
    client = Client(port)
    client.open(table, ["id", "v"])
    return client


def update(key: int, value: int) -> bytes:
    return line(1, "=", 1, key, 1, 0, "U", key, value)


@contextmanager
def sql_holds(server: PrivateServer, statement: str) -> Iterator[pymysql.connections.Connection]:
    """An SQL connection that has executed `statement` in a transaction."""
    connection = server.connect()
    try:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(statement)
        yield connection
    finally:
        connection.close()


def handovers(server: PrivateServer) -> int:
    return int(server.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_handovers'")[0][1])


def test_while_one_waits_for_a_row_the_others_write(single: PrivateServer) -> None:
    before = handovers(single)
    with opened(single.port_wr) as waits, opened(single.port_wr) as other:
        with sql_holds(single, "UPDATE hs.t SET v = 10 WHERE id = 1") as holder:
            waits.send(update(1, 11))
            wait_for_a_lock_wait(single)
            for value in range(20, 30):
                other.send(update(2, value))
                assert other.read_line() == b"0\t1\t1"
            holder.commit()
        assert waits.read_line() == b"0\t1\t1"
    assert single.sql("SELECT v FROM hs.t ORDER BY id") == [(11,), (29,), (3,)]
    assert handovers(single) > before


def test_many_may_wait_for_the_same_row(single: PrivateServer) -> None:
    clients = [opened(single.port_wr) for _ in range(20)]
    with opened(single.port_wr) as other, sql_holds(single, "DELETE FROM hs.t WHERE id = 1") as sql:
        for client in clients:
            client.send(line(1, "=", 1, 1, 1, 0, "+", 0, 1))
        wait_for_a_lock_wait(single)
        other.send(update(2, 20))
        assert other.read_line() == b"0\t1\t1"
        sql.rollback()
    for client in clients:
        assert client.read_line() == b"0\t1\t1"
        client.close()
    assert single.sql("SELECT v FROM hs.t WHERE id = 1") == [(21,)]


def test_what_came_before_in_the_batch_is_committed_before_the_wait(single: PrivateServer) -> None:
    with opened(single.port_wr) as client:
        with sql_holds(single, "UPDATE hs.t SET v = 10 WHERE id = 1") as holder:
            client.send(line(1, "+", 2, 7, 7) + update(2, 22) + update(1, 11) + update(3, 33))
            wait_for_a_lock_wait(single)
            assert single.sql("SELECT * FROM hs.t WHERE id <> 1") == [(2, 22), (3, 3), (7, 7)]
            holder.commit()
        assert [client.read_line() for _ in range(4)] == [b"0\t1", *[b"0\t1\t1"] * 3]
    assert single.sql("SELECT v FROM hs.t ORDER BY id") == [(11,), (22,), (33,), (7,)]


def test_a_wait_that_is_too_long_fails_its_own_request_only(single: PrivateServer) -> None:
    single.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    single.sql("FLUSH TABLES hs.t")  # who opens it anew has the new settings
    try:
        with opened(single.port_wr) as client, opened(single.port_wr) as other:
            with sql_holds(single, "UPDATE hs.t SET v = 10 WHERE id = 1"):
                client.send(update(2, 22) + update(1, 11) + update(3, 33))
                wait_for_a_lock_wait(single)
                other.send(update(2, 23))
                assert other.read_line() == b"0\t1\t1"
                replies = [client.read_line() for _ in range(3)]
            assert replies == [b"0\t1\t1", b"1\t1\t146", b"0\t1\t1"]
    finally:
        single.sql("SET GLOBAL innodb_lock_wait_timeout = DEFAULT")
        single.sql("FLUSH TABLES hs.t")
    assert single.sql("SELECT v FROM hs.t ORDER BY id") == [(1,), (23,), (33,)]


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_while_one_waits_for_a_table_the_others_are_served(
    single: PrivateServer, port: str
) -> None:
    number = getattr(single, port)
    with opened(number) as waits, opened(number, "hs.other") as other:
        with sql_holds(single, "LOCK TABLES hs.t WRITE"):
            waits.send(line(1, "=", 1, 1))
            while not single.sql(
                "SELECT 1 FROM information_schema.PROCESSLIST WHERE USER = 'system user'"
                " AND STATE = 'Waiting for table metadata lock'"
            ):
                pass
            for _ in range(10):
                assert other.find("=", [2]) == [(b"2", b"2")]
        assert waits.read_line() == b"0\t2\t1\t1"


def test_a_client_that_goes_while_its_request_waits(single: PrivateServer) -> None:
    with opened(single.port_wr) as other:
        with sql_holds(single, "UPDATE hs.t SET v = 10 WHERE id = 1") as holder:
            with opened(single.port_wr) as waits:
                waits.send(update(1, 11))
                wait_for_a_lock_wait(single)
            other.send(update(2, 22))
            assert other.read_line() == b"0\t1\t1"
            holder.commit()
        # It was on its way and is done, as with a client that goes just after sending.
        while other.find("=", [1]) != [(b"1", b"11")]:
            pass
