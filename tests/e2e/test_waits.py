"""A request that waits stops no other request: not those of the thread's other connections, and not
those that came before it in the batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import threading

import pymysql
import pytest
from hs_client import Client, line, sql_holds, wait_for_a_lock_wait
from private_server import PrivateServer


@pytest.fixture(scope="module")
def single() -> Iterator[PrivateServer]:
    """A server with one thread on each port: a thread that stopped would stop all connections."""
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
    single.sql("FLUSH TABLES hs.t")  # a thread that opens it anew has the new settings
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
                "SELECT 1 FROM information_schema.PROCESSLIST WHERE USER = 'handlersocket'"
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
        # It was on its way and is done, as with a client that closes just after sending.
        while other.find("=", [1]) != [(b"1", b"11")]:
            pass


def wait_for_state(server: PrivateServer, state: str) -> int:
    """Waits until a thread is in that state and returns its id."""
    query = f"SELECT ID FROM information_schema.PROCESSLIST WHERE STATE = '{state}'"
    while not (found := server.sql(query)):
        pass
    return int(found[0][0])


@contextmanager
def sql_sleeps_in(server: PrivateServer, statement: str) -> Iterator[threading.Thread]:
    """A thread that executes a statement which sleeps; at the end it is killed, if it still does."""

    def execute(connection: pymysql.connections.Connection) -> None:
        with suppress(pymysql.MySQLError), connection.cursor() as cursor:
            cursor.execute(statement)

    with server.connect() as connection:
        thread = threading.Thread(target=execute, args=(connection,))
        thread.start()
        wait_for_state(server, "User sleep")
        try:
            yield thread
        finally:
            if thread.is_alive():
                server.sql(f"KILL QUERY {connection.thread_id()}")
            thread.join()


def test_ddl_on_another_table_gets_through_while_a_request_waits_for_a_row(
    single: PrivateServer,
) -> None:
    with opened(single.port_wr) as waits, opened(single.port_wr, "hs.other") as other:
        with sql_holds(single, "UPDATE hs.t SET v = 10 WHERE id = 1") as holder:
            # One batch: the table `other` is open when the wait begins.
            waits.open("hs.other", ["id", "v"], id=2)
            waits.send(line(2, "=", 1, 2, 1, 0, "U", 2, 22) + update(1, 11))
            wait_for_a_lock_wait(single)
            single.sql("SET STATEMENT lock_wait_timeout = 5 FOR ALTER TABLE hs.other FORCE")
            assert other.find("=", [2]) == [(b"2", b"22")]
            holder.commit()
        assert [waits.read_line(), waits.read_line()] == [b"0\t1\t1"] * 2


def test_a_hot_row_leaves_threads_for_the_others(single: PrivateServer) -> None:
    clients = [opened(single.port_wr) for _ in range(400)]
    with opened(single.port_wr) as other:
        with sql_holds(single, "UPDATE hs.t SET v = 0 WHERE id = 1") as holder:
            for client in clients:
                client.send(line(1, "=", 1, 1, 1, 0, "+", 0, 1))
            wait_for_a_lock_wait(single)
            for value in range(50):
                other.send(update(2, value))
                assert other.read_line() == b"0\t1\t1"
            # Those waits do not take all threads: another row can be waited for.
            with sql_holds(single, "UPDATE hs.t SET v = 0 WHERE id = 3") as second:
                other.send(update(3, 33))
                wait_for_a_lock_wait(single)
                second.commit()
                assert other.read_line() == b"0\t1\t1"
            holder.commit()
        for client in clients:
            assert client.read_line() == b"0\t1\t1"
            client.close()
    assert single.sql("SELECT v FROM hs.t WHERE id = 1") == [(400,)]


def test_a_find_that_waits_for_a_table_holds_no_rows(single: PrivateServer) -> None:
    single.sql("CREATE OR REPLACE TABLE hs.m (id INT PRIMARY KEY, v INT) ENGINE=MyISAM")
    single.sql("INSERT INTO hs.m VALUES (1, 1)")
    with opened(single.port_wr) as client:
        client.open("hs.m", ["id", "v"], id=2)
        with sql_sleeps_in(single, "UPDATE hs.m SET v = 2 + SLEEP(60)"):
            client.send(update(2, 22) + line(2, "=", 1, 1))
            patience = "innodb_lock_wait_timeout = 1"
            wait_for_state(single, "Waiting for table level lock")
            single.sql(f"SET STATEMENT {patience} FOR DELETE FROM hs.t WHERE id = 2")
        assert client.read_line() == b"0\t1\t1"
        assert client.read_line() in (b"0\t2\t1\t1", b"0\t2\t1\t3")


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_kill_ends_a_wait_for_a_table_lock(single: PrivateServer, port: str) -> None:
    single.sql("CREATE OR REPLACE TABLE hs.m (id INT PRIMARY KEY, v INT) ENGINE=MyISAM")
    single.sql("INSERT INTO hs.m VALUES (1, 1)")
    with opened(getattr(single, port), "hs.m") as client:
        with sql_sleeps_in(single, "UPDATE hs.m SET v = 2 + SLEEP(60)") as sleeps:
            client.send(line(1, "=", 1, 1))
            single.sql(f"KILL QUERY {wait_for_state(single, 'Waiting for table level lock')}")
            assert client.read_line() == b"1\t1\tinterrupted"
            assert sleeps.is_alive()


def test_an_auto_increment_that_must_wait_waits(single: PrivateServer) -> None:
    single.sql("CREATE OR REPLACE TABLE hs.a (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
    with opened(single.port_wr, "hs.a") as client:
        client.open("hs.t", ["id", "v"], id=2)
        # INSERT ... SELECT keeps the AUTO-INC lock until its end.
        insert = "INSERT INTO hs.a (v) SELECT seq + SLEEP(0.02) FROM hs.seq_1_to_50"
        with sql_sleeps_in(single, insert) as sleeps:
            client.send(line(2, "=", 1, 2, 1, 0, "U", 2, 22) + line(1, "+", 2, 0, 7))
            assert client.read_line() == b"0\t1\t1"
            reply = client.read_line()
            sleeps.join()
    assert reply.startswith(b"0\t1\t"), reply
    assert single.sql(f"SELECT v FROM hs.a WHERE id = {int(reply.split()[2])}") == [(7,)]


def test_an_auto_increment_that_is_waited_for_in_vain_is_a_lock_wait_timeout(
    single: PrivateServer,
) -> None:
    single.sql("CREATE OR REPLACE TABLE hs.a (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
    single.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    single.sql("FLUSH TABLES hs.a")  # a thread that opens it anew has the new settings
    try:
        insert = "INSERT INTO hs.a (v) SELECT IF(seq = 1, 1, SLEEP(60)) FROM hs.seq_1_to_2"
        with opened(single.port_wr, "hs.a") as client, sql_sleeps_in(single, insert):
            assert client.request(1, "+", 2, 0, 7) == b"1\t1\t146"
    finally:
        single.sql("SET GLOBAL innodb_lock_wait_timeout = DEFAULT")
        single.sql("FLUSH TABLES hs.a")


@contextmanager
def becomes_read_only(server: PrivateServer) -> Iterator[None]:
    """What is sent inside waits for a global lock until the server is read-only."""
    waiting = (
        "SELECT 1 FROM information_schema.PROCESSLIST WHERE USER = 'handlersocket'"
        " AND STATE IN ('Waiting for global read lock', 'Waiting for commit lock', 'Waiting for backup lock')"
    )
    with server.connect() as holder, holder.cursor() as sql:
        sql.execute("FLUSH TABLES WITH READ LOCK")
        yield
        while not server.sql(waiting):
            pass
        sql.execute("SET GLOBAL read_only = 1")
        sql.execute("UNLOCK TABLES")


@pytest.mark.parametrize("last", [update(1, 11), line("T", "C")], ids=["change", "commit"])
def test_what_waits_until_the_server_is_read_only_is_told_so(single: PrivateServer, last: bytes) -> None:
    with opened(single.port_wr) as client:
        if last == line("T", "C"):
            assert client.pipeline([line("T", "B"), update(1, 11)]) == [b"0\t1", b"0\t1\t1"]
        try:
            with becomes_read_only(single):
                client.send(last)
            assert client.read_line() == b"1\t1\tlock_tables"
        finally:
            single.sql("SET GLOBAL read_only = 0")
    assert single.sql("SELECT v FROM hs.t WHERE id = 1") == [(1,)]
