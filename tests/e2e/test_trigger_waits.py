"""Triggers that wait: for locks, and for long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pymysql
import pytest
from hs_client import Client, line, sql_holds, wait_for_a_lock_wait
from private_server import PrivateServer
from trigger_twin import Twin


@pytest.fixture
def twin(server: PrivateServer, writer: Client, functions_may_write: None) -> Iterator[Twin]:
    with Twin(server, writer) as made:
        yield made


def test_a_trigger_waits_for_a_row_after_what_came_before_is_committed(
    server: PrivateServer, connect: Callable[[int], Client], twin: Twin
) -> None:
    server.sql("CREATE TABLE hs.free (id INT PRIMARY KEY)")
    twin.open("t", "n", "must", "name")
    other = connect(server.port_wr)
    other.open("hs.free", ["id"])
    twin.writer.open("hs.free", ["id"], id=2)
    with sql_holds(server, "UPDATE hs.sums SET total = 100 WHERE k = 1") as holder:
        twin.writer.send(line(2, "+", 1, 1) + line(1, "+", 3, 1, "m", "a") + line(2, "+", 1, 2))
        wait_for_a_lock_wait(server)
        wait_for(server, "SELECT COUNT(*) FROM hs.free")
        assert server.sql("SELECT id FROM hs.free") == [(1,)]
        assert other.request(1, "+", 1, 3) == b"0\t1"
        holder.commit()
        assert [twin.writer.read_line() for _ in range(3)] == [b"0\t1", b"0\t1\t1", b"0\t1"]
    assert server.sql("SELECT total FROM hs.sums WHERE k = 1") == [(101,)]
    assert server.sql("SELECT COUNT(*) FROM hs.log WHERE what LIKE 'i %'") == [(1,)]


def test_a_row_that_stays_locked_is_the_request_s_own_failure(
    server: PrivateServer, twin: Twin
) -> None:
    server.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    try:
        twin.open("t", "n", "must", "name")
        with sql_holds(server, "UPDATE hs.sums SET total = 100 WHERE k = 1"):
            # forgive() has a handler for errors, which must not take this one.
            assert twin.writer.request(1, "+", 3, 1, "m", "a") == b"1\t1\t146"
        assert server.sql("SELECT COUNT(*) FROM hs.t") == server.sql("SELECT COUNT(*) FROM hs.log") == [(0,)]
    finally:
        server.sql("SET GLOBAL innodb_lock_wait_timeout = DEFAULT")


def test_deadlocks_are_executed_again_and_count_once(
    server: PrivateServer, connect: Callable[[int], Client], database: str
) -> None:
    server.sql("CREATE TABLE hs.a (id INT PRIMARY KEY, n INT)")
    server.sql("CREATE TABLE hs.b (id INT PRIMARY KEY, n INT)")
    for table in "ab":
        server.sql(f"INSERT INTO hs.{table} SELECT seq, 0 FROM hs.seq_1_to_3")
    server.sql("CREATE TABLE hs.n (id INT AUTO_INCREMENT PRIMARY KEY)")
    server.sql(
        "CREATE TRIGGER hs.r AFTER UPDATE ON hs.a FOR EACH ROW BEGIN"
        " UPDATE hs.b SET n = n + 1 WHERE id = NEW.id; INSERT INTO hs.n VALUES (); END"
    )
    stop = threading.Event()

    def disturb() -> None:
        connection = server.connect()
        with connection.cursor() as sql:
            while not stop.is_set():
                try:
                    sql.execute("BEGIN")
                    sql.execute("SELECT * FROM hs.b WHERE id = 1 FOR UPDATE")
                    sql.execute("SELECT * FROM hs.a WHERE id = 1 FOR UPDATE")
                    sql.execute("COMMIT")
                except pymysql.Error as error:
                    assert error.args[0] == 1213
        connection.close()

    thread = threading.Thread(target=disturb)
    thread.start()
    done = 0
    try:
        clients = [connect(server.port_wr) for _ in range(3)]
        for client in clients:
            client.open("hs.a", ["n"])
        for _ in range(30):
            for client in clients:
                client.send(b"".join(line(1, "=", 1, key, 1, 0, "+", 1) for key in (1, 2, 3)))
            for client in clients:
                replies = [client.read_line() for _ in range(3)]
                assert set(replies) <= {b"0\t1\t1", b"1\t1\tsql_1213", b"1\t1\t149"}, replies
                done += replies.count(b"0\t1\t1")
    finally:
        stop.set()
        thread.join()
    for table in "ab":
        assert server.sql(f"SELECT CAST(SUM(n) AS SIGNED) FROM hs.{table}") == [(done,)]
    assert server.sql("SELECT COUNT(*) FROM hs.n") == [(done,)]


def test_finds_on_the_write_port_fire_nothing(server: PrivateServer, twin: Twin) -> None:
    twin.open("t", "n", "must", "name")
    twin.insert(1, "m", "a")
    with sql_holds(server, "UPDATE hs.sums SET total = 5"):
        assert len(twin.writer.find("=", [1])) == 1


@pytest.fixture(scope="module")
def single() -> Iterator[PrivateServer]:
    """A server of which only the tests of this file know."""
    with PrivateServer(variables={"handlersocket_authentication_wr": "account"}) as server:
        yield server
        assert server.running, server.error_log()[-3000:]


@pytest.fixture
def definers(single: PrivateServer) -> Iterator[PrivateServer]:
    single.make_database("hs")
    for user in ("ada@'%'", "low@localhost"):
        single.sql(f"CREATE OR REPLACE USER {user} IDENTIFIED BY 'p'")
    single.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    single.sql("CREATE TABLE hs.l (id INT, who VARCHAR(100), made VARCHAR(100))")
    single.sql("GRANT SELECT, INSERT, UPDATE ON hs.t TO ada@'%'")
    single.sql("GRANT TRIGGER, SELECT, UPDATE ON hs.t TO low@localhost")
    single.sql(
        "CREATE DEFINER=low@localhost TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW"
        " INSERT INTO hs.l VALUES (NEW.id, USER(), CURRENT_USER())"
    )
    yield single


def logged_in(server: PrivateServer, user: str = "ada") -> Client:
    client = Client(server.port_wr)
    assert client.log_in(user, "p") == b"0\t1"
    return client


def wait_for(server: PrivateServer, query: str, wanted: int = 1) -> None:
    until = time.monotonic() + 60
    while server.sql(query)[0][0] < wanted:
        assert time.monotonic() < until, query


def test_triggers_run_with_the_rights_of_their_definer(definers: PrivateServer) -> None:
    with logged_in(definers) as client:
        client.open("hs.t", ["id", "v"])
        assert client.request(1, "+", 2, 1, 1).startswith(b"1\t1\tsql_1142 ")
        definers.sql("GRANT INSERT ON hs.l TO low@localhost")
        assert client.request(1, "+", 2, 2, 2) == b"0\t1"
        definers.sql("REVOKE INSERT ON hs.l FROM low@localhost")
        assert client.request(1, "+", 2, 3, 3).startswith(b"1\t1\tsql_1142 ")
        definers.sql("DROP USER low@localhost")
        assert client.request(1, "+", 2, 4, 4).startswith(b"1\t1\tsql_1449 ")
    (row,) = definers.sql("SELECT * FROM hs.l")
    assert row[0] == 2 and row[1].startswith("ada@") and row[2] == "low@localhost"
    assert definers.sql("SELECT id FROM hs.t") == [(2,)]
    shown = definers.sql("SELECT DISTINCT user FROM information_schema.processlist WHERE state LIKE 'handlersocket%'")
    assert shown == [("handlersocket",)]


def test_a_trigger_that_takes_too_long_is_ended(definers: PrivateServer) -> None:
    definers.sql("DROP TRIGGER hs.r")
    definers.sql("ALTER USER ada@'%' WITH MAX_STATEMENT_TIME 0.3")
    definers.sql("CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW DO SLEEP(NEW.v)")
    with logged_in(definers) as slow:
        slow.open("hs.t", ["id", "v"])
        assert slow.request(1, "+", 2, 1, 30).startswith(b"1\t1\tsql_1969 ")
        assert slow.request(1, "+", 2, 2, 0) == b"0\t1"
    definers.sql("ALTER USER ada@'%' WITH MAX_STATEMENT_TIME 0")
    assert definers.sql("SELECT id FROM hs.t") == [(2,)]


def test_a_trigger_that_takes_long_holds_up_no_other_and_can_be_killed(
    definers: PrivateServer,
) -> None:
    definers.sql("DROP TRIGGER hs.r")
    definers.sql("CREATE TABLE hs.free (id INT PRIMARY KEY)")
    definers.sql("GRANT SELECT, INSERT ON hs.free TO ada@'%'")
    definers.sql("CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW DO SLEEP(NEW.v)")
    with logged_in(definers) as slow, logged_in(definers) as quick:
        slow.open("hs.t", ["id", "v"])
        quick.open("hs.free", ["id"])
        slow.send(line(1, "+", 2, 1, 1000))
        sleeping = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User sleep'"
        wait_for(definers, sleeping)
        for number in range(10):
            assert quick.request(1, "+", 1, number) == b"0\t1"
        ((thread,),) = definers.sql(
            "SELECT id FROM information_schema.processlist WHERE state = 'User sleep'"
        )
        definers.sql(f"KILL QUERY {thread}")
        assert slow.read_line() == b"1\t1\tinterrupted"
        assert slow.request(1, "+", 2, 2, 0) == b"0\t1"
    assert definers.sql("SELECT id FROM hs.t") == [(2,)]
