"""GTIDs of changes, on a server alone. tests/durability/test_gtid.py has the replica."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Callable, Iterator
from itertools import count

import gtids
import pytest
from hs_client import Client, line, readable
from private_server import PrivateServer
from pymysql.err import OperationalError


@pytest.fixture
def table(server: PrivateServer, database: str) -> Iterator[None]:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    server.sql("INSERT INTO hs.t SELECT seq, seq FROM hs.seq_1_to_5")
    yield


def last(client: Client) -> str:
    reply = client.request("G", "L").decode().split("\t")
    assert reply[:2] == ["0", "1"], reply
    return reply[2]


def test_the_last_gtid_is_that_of_the_connections_last_change(
    server: PrivateServer, table: None, connect: Callable[[int], Client]
) -> None:
    writer, other = connect(server.port_wr), connect(server.port_wr)
    for client in (writer, other):
        client.open("hs.t", ["id", "v"])
        assert last(client) == ""
    before = gtids.last(server)
    replies = writer.pipeline([line("G", "L"), line(1, "+", 2, 10, 1), line("G", "L"), line(1, "=", 1, 10)])
    assert replies[0] == b"0\t1\t" and replies[3] == b"0\t2\t10\t1"
    gtid = replies[2].decode().split("\t")[2]
    assert gtid == gtids.last(server) != before
    # What changes nothing has none, and SQL's changes are not the connection's.
    assert writer.request(1, "=", 1, 99, 1, 0, "D") == b"0\t1\t0"
    assert writer.request(1, "+", 2, 10, 1) == b"1\t1\t121"
    server.sql("UPDATE hs.t SET v = 7 WHERE id = 1")
    assert gtids.last(server) != gtid == last(writer)
    assert last(other) == ""
    assert last(connect(server.port)) == ""
    assert other.request(1, "=", 1, 10, 1, 0, "D") == b"0\t1\t1"
    assert last(other) == gtids.last(server) and last(writer) == gtid


def test_the_gtid_is_that_of_the_event_in_the_log(
    server: PrivateServer, table: None, connect: Callable[[int], Client]
) -> None:
    server.sql("FLUSH BINARY LOGS")
    writer = connect(server.port_wr)
    writer.open("hs.t", ["id", "v"])
    named = []
    for key in range(100, 110):
        writer.request(1, "+", 2, key, 1)
        named.append(last(writer))
    file = server.sql("SHOW MASTER STATUS")[0][0]
    events = server.sql(f"SHOW BINLOG EVENTS IN '{file}'")
    assert [event[5].split()[-1].strip("'") for event in events if event[2] == "Gtid"] == named


def test_a_table_without_transactions_has_gtids_too(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    server.sql("CREATE TABLE hs.m (id INT PRIMARY KEY) ENGINE = MyISAM")
    writer = connect(server.port_wr)
    writer.open("hs.m", ["id"])
    assert writer.request(1, "+", 1, 1) == b"0\t1"
    assert last(writer) == gtids.last(server)


def test_on_the_server_of_the_change_nothing_is_waited_for(
    server: PrivateServer, table: None, connect: Callable[[int], Client]
) -> None:
    writer, reader = connect(server.port_wr), connect(server.port)
    writer.open("hs.t", ["id", "v"])
    reader.open("hs.t", ["v"])
    for value in range(200):
        writer.request(1, "=", 1, 1, 1, 0, "U", 1, value)
        gtid = last(writer)
        replies = reader.pipeline([line(1, "=", 1, 1), line("G", "W", gtid, 0), line(1, "=", 1, 1)])
        assert replies[1:] == [b"0\t1\t1", b"0\t1\t%d" % value]
    assert writer.request("G", "W", gtid, 0) == b"0\t1\t1"
    # By SQL as well, once nothing is being written.
    server.sql("UPDATE hs.t SET v = -1 WHERE id = 1")
    assert reader.request("G", "W", gtids.last(server), 1000) == b"0\t1\t1"
    assert reader.request("G", "W", "", 0) == b"0\t1\t1"


def test_what_sql_commits_under_load_is_seen_behind_the_wait(
    server: PrivateServer, table: None, connect: Callable[[int], Client]
) -> None:
    reader = connect(server.port)
    reader.open("hs.t", ["v"])
    load = [Client(server.port_wr) for _ in range(4)]
    for client in load:
        client.open("hs.t", ["id", "v"])
    connection = server.connect()
    with connection, connection.cursor() as sql:
        for value in range(300):
            for number, client in enumerate(load):
                client.send(line(1, "=", 1, number + 2, 1, 0, "U", number + 2, value))
            sql.execute("UPDATE hs.t SET v = %s WHERE id = 1", [value])
            connection.commit()
            sql.execute("SELECT @@last_gtid")
            ((gtid,),) = sql.fetchall()
            replies = reader.pipeline([line("G", "W", gtid, 10000), line(1, "=", 1, 1)])
            assert replies == [b"0\t1\t1", b"0\t1\t%d" % value]
            for client in load:
                client.read_line()
    for client in load:
        client.close()


def test_a_wait_ends_when_its_time_is_over(server: PrivateServer, reader: Client) -> None:
    began = time.monotonic()
    assert reader.request("G", "W", gtids.NEVER, 50) == b"0\t1\t0"
    assert time.monotonic() - began >= 0.04
    assert reader.request("G", "W", gtids.NEVER, 0) == b"0\t1\t0"


def test_malformed_requests_are_refused_at_once(reader: Client) -> None:
    for gtid in (*gtids.MALFORMED, None):
        assert reader.request("G", "W", gtid, 600000) == b"2\t1\tgtid"
    assert reader.request("G", "W", gtids.SOME, 600001) == b"2\t1\tnumber"
    assert reader.request("G", "W", gtids.SOME, "x") == b"2\t1\tnumber"
    assert reader.request("G", "W", gtids.SOME) == b"2\t1\tmissing_value"
    assert reader.request("G", "W", gtids.SOME, 1, 1) == b"2\t1\tfldnum"
    assert reader.request("G", "L", 1) == b"2\t1\tfldnum"
    assert reader.request("G", "X") == b"2\t1\top"
    assert reader.request("G") == b"2\t1\top"


def test_a_waiting_connection_is_shown_and_killed(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    clients = [connect(port) for port in (server.port, server.port_wr)]
    for client in clients:
        client.send(line("G", "W", gtids.NEVER, 600000))
    awaiting = "SELECT ID FROM information_schema.HANDLERSOCKET_CONNECTIONS WHERE STATE = 'awaiting a GTID'"
    while len(found := server.sql(awaiting)) < len(clients):
        pass
    for (number,) in found:
        with contextlib.suppress(OperationalError):  # its client has gone meanwhile
            server.sql(f"SET GLOBAL handlersocket_kill = {number}")
    assert all(client.at_eof() for client in clients)


WAITING = "SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS WHERE STATE = 'awaiting a GTID'"
NEVER = line("G", "W", gtids.NEVER, 600000)


def await_waiting(server: PrivateServer, number: int) -> None:
    while server.sql(WAITING) != [(number,)]:
        pass


def kill_all(server: PrivateServer) -> None:
    for (number,) in server.sql("SELECT ID FROM information_schema.HANDLERSOCKET_CONNECTIONS"):
        with contextlib.suppress(OperationalError):  # its client has gone meanwhile
            server.sql(f"SET GLOBAL handlersocket_kill = {number}")


def test_clients_that_have_gone_leave_their_places_to_others(server: PrivateServer) -> None:
    refused = b"1\t1\ttoo_many_waits"
    clients = [Client(server.port) for _ in range(1024)]
    try:
        for client in clients:
            client.send(NEVER)
        await_waiting(server, 1024)
        # Those that reset their connections are noticed at once.
        for client in clients[:500]:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        await_waiting(server, 524)
        # Those that close them may still read, for all that can be known. They give way when their places
        # are needed.
        for client in clients[500:1000]:
            client.close()
        new = [Client(server.port) for _ in range(1000)]
        clients = clients[1000:] + new
        for client in new:
            client.send(NEVER)
        # It takes a moment until the ends are seen.
        while server.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS") != [(1024,)]:
            for client in readable(new):
                assert client.read_line() == refused
                client.send(NEVER)
        await_waiting(server, 1024)
        assert not readable(clients)
        with Client(server.port) as one_more:
            assert one_more.request("G", "W", gtids.NEVER, 1000) == refused
    finally:
        kill_all(server)
        for client in clients:
            client.close()
    await_waiting(server, 0)


def test_one_host_does_not_take_all_places(server: PrivateServer) -> None:
    clients = [Client(server.port) for _ in range(1024)]
    other = Client(server.port, source="127.0.0.2")
    try:
        for client in clients:
            client.send(NEVER)
        await_waiting(server, 1024)
        other.send(NEVER)
        while not (losers := readable(clients)):
            pass
        (loser,) = losers
        assert loser.read_line() == b"1\t1\ttoo_many_waits"
        assert loser.request("G", "W", "", 0) == b"0\t1\t1"
        await_waiting(server, 1024)
    finally:
        kill_all(server)
        for client in [*clients, other]:
            client.close()
    await_waiting(server, 0)


def test_only_so_many_wait(server: PrivateServer, connect: Callable[[int], Client]) -> None:
    waiting = [Client(server.port) for _ in range(1024)]
    try:
        for client in waiting:
            client.send(NEVER)
        await_waiting(server, 1024)
        reader = connect(server.port)
        assert reader.request("G", "W", gtids.NEVER, 1000) == b"1\t1\ttoo_many_waits"
        assert reader.request("G", "W", gtids.NEVER, 0) == b"0\t1\t0"
        assert connect(server.port_wr).request("G", "W", gtids.NEVER, 1) == b"0\t1\t0"
    finally:
        kill_all(server)
        for client in waiting:
            client.close()
    await_waiting(server, 0)


def test_without_a_binary_log_there_are_no_gtids() -> None:
    with PrivateServer(variables={"skip_log_bin": None}) as alone, Client(alone.port_wr) as writer:
        alone.sql("CREATE DATABASE hs")
        alone.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
        writer.open("hs.t", ["id"])
        assert writer.request(1, "+", 1, 1) == b"0\t1"
        assert writer.request("G", "L") == b"1\t1\tno_binary_log"
        assert writer.request("G", "W", gtids.SOME, 10) == b"0\t1\t0"


def test_the_server_stops_while_clients_wait() -> None:
    for port in count():
        with PrivateServer(variables={"log_bin": "log"}) as alone:
            client = Client((alone.port, alone.port_wr)[port])
            client.send(line("G", "W", gtids.NEVER, 600000))
            awaiting = "SELECT 1 FROM information_schema.HANDLERSOCKET_CONNECTIONS WHERE STATE = 'awaiting a GTID'"
            while not alone.sql(awaiting):
                pass
            alone.stop()
            assert client.at_eof()
            client.close()
        if port == 1:
            return
