"""INFORMATION_SCHEMA.HANDLERSOCKET_CONNECTIONS, and SET GLOBAL handlersocket_kill."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator

import pymysql
import pytest
from hs_client import Client, line, wait_for_a_lock_wait
from private_server import PrivateServer

TABLE = "information_schema.HANDLERSOCKET_CONNECTIONS"


def id_of(server: PrivateServer, client: Client) -> int:
    """The id of a client that came through TCP."""
    host = "127.0.0.1:" + str(client.socket.getsockname()[1])
    while not (found := server.sql(f"SELECT ID FROM {TABLE} WHERE HOST = %s", [host])):
        pass
    return int(found[0][0])


def state_of(server: PrivateServer, client: Client) -> str:
    """What the client's connection does now."""
    return str(server.sql(f"SELECT STATE FROM {TABLE} WHERE ID = {id_of(server, client)}")[0][0])


def await_state(server: PrivateServer, client: Client, *states: str) -> None:
    """Returns once the connection is in one of the states."""
    while state_of(server, client) not in states:
        pass


def kill(server: PrivateServer, client: Client) -> None:
    """Kills the client's connection; returns once it is gone."""
    number = id_of(server, client)
    server.sql(f"SET GLOBAL handlersocket_kill = {number}")
    while server.sql(f"SELECT 1 FROM {TABLE} WHERE ID = {number}"):
        pass


def ends(client: Client) -> bool:
    """Whether the connection ends, whatever replies came before."""
    with contextlib.suppress(EOFError, ConnectionResetError):
        for _ in range(1_000_000):
            client.read_line()
        return False
    return True


@contextlib.contextmanager
def row_lock(server: PrivateServer) -> Iterator[None]:
    """Another session holds the row with id 1."""
    blocker = server.connect(database="hs")
    blocker.begin()
    with blocker.cursor() as cursor:
        cursor.execute("SELECT * FROM t WHERE id = 1 FOR UPDATE")
    try:
        yield
    finally:
        blocker.rollback()
        blocker.close()


@pytest.fixture
def table(server: PrivateServer, database: str) -> None:
    """A table of two rows."""
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL)")
    server.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2)")


@pytest.mark.usefixtures("table")
def test_a_row_says_what_a_connection_is_and_has_done(
    server: PrivateServer, writer: Client
) -> None:
    writer.open("hs.t", ["id", "v"])
    writer.open("hs.t", ["v"], id=2)
    assert writer.find("=", [1]) == [(b"1", b"1")]
    assert writer.request(9, "=", 1, 1) == b"2\t1\tstmtnum"
    number = id_of(server, writer)
    columns = (
        "ENDPOINT, MODE, USER, CLIENT, TLS_VERSION, TLS_CIPHER, STATE, OPEN_INDEXES, REQUESTS, ERRORS"
    )
    assert server.sql(f"SELECT {columns} FROM {TABLE} WHERE ID = {number}") == [
        (f"127.0.0.1:{server.port_wr}", "write", None, None, None, None, "idle", 2, 4, 1)
    ]
    sent = 0
    # A reply is counted when it is sent, and the client may be faster.
    while sent != len(b"0\t1\n0\t1\n0\t2\t1\t1\n2\t1\tstmtnum\n"):
        ((received, sent, age, idle),) = server.sql(
            f"SELECT BYTES_RECEIVED, BYTES_SENT, AGE_MS, IDLE_MS FROM {TABLE} WHERE ID = {number}"
        )
    assert received > 40
    assert age >= idle >= 0


def test_without_process_an_account_sees_no_row_of_others(
    server: PrivateServer, reader: Client
) -> None:
    assert reader.raw(b"X") == b"2\t1\tcmd"
    server.sql("CREATE OR REPLACE USER plain@localhost, watcher@localhost")
    server.sql("GRANT PROCESS ON *.* TO watcher@localhost")
    seen = {}
    for user in ("plain", "watcher"):
        connection = server.connect(user=user)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT COUNT(*) FROM {TABLE}")
            seen[user] = cursor.fetchone()[0]
            with pytest.raises(pymysql.MySQLError):
                cursor.execute(f"SET GLOBAL handlersocket_kill = {id_of(server, reader)}")
        connection.close()
    assert seen["plain"] == 0 and seen["watcher"] >= 1
    assert reader.raw(b"X") == b"2\t1\tcmd"
    server.sql("DROP USER plain@localhost, watcher@localhost")


def test_an_unknown_id_cannot_be_killed(server: PrivateServer, reader: Client) -> None:
    unknown = id_of(server, reader) + 1_000_000
    for number in (0, unknown, -1, 18446744073709551615):
        with pytest.raises(pymysql.MySQLError) as raised:
            server.sql(f"SET GLOBAL handlersocket_kill = {number}")
        assert raised.value.args[0] in (1094, 1231), raised.value
    assert server.sql("SELECT @@GLOBAL.handlersocket_kill") == [(0,)]
    assert reader.raw(b"X") == b"2\t1\tcmd"


@pytest.mark.usefixtures("table")
def test_an_idle_connection_is_killed_and_the_others_stay(
    server: PrivateServer, connect: Callable[[int], Client]
) -> None:
    for port in (server.port, server.port_wr):
        stays, goes = connect(port), connect(port)
        stays.open("hs.t", ["v"])
        goes.open("hs.t", ["v"])
        kill(server, goes)
        assert goes.at_eof()
        assert stays.find("=", [1]) == [(b"1",)]


@pytest.mark.usefixtures("table")
def test_a_connection_that_waits_for_a_row_is_killed_and_changes_nothing(
    server: PrivateServer, connect: Callable[[int], Client]
) -> None:
    waits, other = connect(server.port_wr), connect(server.port_wr)
    waits.open("hs.t", ["v"])
    other.open("hs.t", ["v"])
    with row_lock(server):
        waits.send(line(1, "=", 1, 1, 1, 0, "U", 7) + line(1, "=", 1, 2, 1, 0, "U", 7))
        wait_for_a_lock_wait(server)
        await_state(server, waits, "waiting for a lock")
        kill(server, waits)
        assert ends(waits)
        assert other.request(1, "=", 1, 2, 1, 0, "U", 3) == b"0\t1\t1"
    assert server.sql("SELECT v FROM hs.t ORDER BY id") == [(1,), (3,)]


@pytest.mark.usefixtures("table")
def test_no_request_of_another_connection_fails_for_one_that_is_killed(
    server: PrivateServer, connect: Callable[[int], Client]
) -> None:
    changes = b"".join(line(1, "=", 1, 2, 1, 0, "+", 1) for _ in range(20))
    other = connect(server.port_wr)
    other.open("hs.t", ["v"])
    for _ in range(100):
        waits = connect(server.port_wr)
        waits.open("hs.t", ["v"])
        number = id_of(server, waits)
        with row_lock(server):
            waits.send(line(1, "=", 1, 1, 1, 0, "+", 1))
            other.send(changes)
            server.sql(f"SET GLOBAL handlersocket_kill = {number}")
            assert [other.read_line() for _ in range(20)] == [b"0\t1\t1"] * 20
        assert ends(waits)


@pytest.mark.usefixtures("table")
def test_a_parked_connection_is_killed(
    server: PrivateServer, connect: Callable[[int], Client]
) -> None:
    clients = [connect(server.port_wr) for _ in range(300)]
    for client in clients:
        client.open("hs.t", ["v"])
    with row_lock(server):
        for client in clients:
            client.send(line(1, "=", 1, 1, 1, 0, "U", 7))
        parked = f"SELECT ID FROM {TABLE} WHERE STATE = 'parked for a lock' LIMIT 1"
        while not (found := server.sql(parked)):
            pass
        ((number,),) = found
        server.sql(f"SET GLOBAL handlersocket_kill = {number}")
        while server.sql(f"SELECT 1 FROM {TABLE} WHERE ID = {number}"):
            pass
    answered = [client for client in clients if not ends_without_answer(client)]
    assert len(answered) == len(clients) - 1


def ends_without_answer(client: Client) -> bool:
    """Whether the connection ends instead of answering."""
    try:
        return client.read_line() != b"0\t1\t1"
    except (EOFError, ConnectionResetError):
        return True


def test_a_connection_that_sends_to_a_slow_reader_is_killed(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    server.sql("CREATE TABLE hs.wide (id INT PRIMARY KEY, v LONGTEXT NOT NULL)")
    server.sql("INSERT INTO hs.wide SELECT seq, REPEAT('x', 100000) FROM hs.seq_1_to_300")
    client = connect(server.port)
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.open("hs.wide", ["v"])
    client.send(line(1, ">=", 1, 0, 300, 0))
    await_state(server, client, "executing", "sending")
    kill(server, client)
    assert ends(client)


@pytest.mark.usefixtures("table")
def test_a_connection_whose_request_works_for_long_is_killed(
    server: PrivateServer, connect: Callable[[int], Client]
) -> None:
    server.sql("CREATE TABLE hs.many (id INT PRIMARY KEY, v INT NOT NULL)")
    server.sql("INSERT INTO hs.many SELECT seq, 0 FROM hs.seq_1_to_200000")
    client = connect(server.port)
    client.open("hs.many", ["id"], filters=["v"])
    client.send(line(1, ">=", 1, 0, 1, 0, *(["F", "=", 0, 1] * 1)) * 20)
    await_state(server, client, "executing")
    kill(server, client)
    assert ends(client)
