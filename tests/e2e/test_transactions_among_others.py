"""Transactions of the port together with the rest of it: GTIDs, rows that expire, long replies, other
endpoints, requests of other clients."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator

import gtids
import pytest
from binlog import end_of_log, log_events
from hs_client import Client, line, rows, status, wait_for_a_lock_wait
from private_server import PrivateServer
from test_transactions import LOST, OK, await_status, begin, find, found, insert, table_rows, update

COMMIT = line("T", "C")
ROLLBACK = line("T", "R")


@pytest.fixture
def opened(
    server: PrivateServer, connect: Callable[[int], Client], database: str
) -> Callable[..., Client]:
    """Makes clients of a port that have a table of three rows open."""
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT, KEY(v))")
    server.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20), (3, 30)")

    def make(port: int | None = None) -> Client:
        client = connect(port or server.port_wr)
        client.open("hs.t", ["id", "v"])
        return client

    return make


def test_the_gtid_of_a_transaction_is_known_behind_its_commit(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    last = line("G", "L")
    wait = line("G", "W", gtids.SOME, 0)

    def position() -> bytes:
        return b"0\t1\t" + gtids.last(server).encode()

    assert client.pipeline([last]) == [b"0\t1\t"]
    refused = b"2\t1\tin_transaction"
    replies = client.pipeline([begin(), update(1, 11), last, wait, COMMIT, last])
    assert replies == [OK, b"0\t1\t1", b"0\t1\t", refused, OK, position()]
    before = position()
    server.sql("UPDATE hs.t SET v = 33 WHERE id = 3")
    # Neither what was only read, nor what was undone, has one.
    replies = client.pipeline(
        [begin(), find(1), COMMIT, last, begin(), update(1, 12), ROLLBACK, last]
        + [begin(), line("T", "S", "a"), update(1, 12), line("T", "U", "a"), COMMIT, last]
    )
    assert [replies[3], replies[7], replies[-1]] == [before] * 3
    assert position() != before
    replies = client.pipeline([begin(), update(1, 12), last, COMMIT, last, update(1, 13), last])
    assert replies[2] == before
    assert replies[-1] == position() != replies[4] != before


# The second is there without Galera, too, and counts for all sessions whatever theirs is.
@pytest.mark.parametrize("variable", ["binlog_format", "wsrep_forced_binlog_format"])
@pytest.mark.parametrize("log_format", ["STATEMENT", "MIXED", "ROW"])
def test_the_binary_log_has_rows_whatever_its_format(
    server: PrivateServer, opened: Callable[..., Client], variable: str, log_format: str
) -> None:
    server.sql(f"SET GLOBAL {variable} = {log_format}")
    try:
        client = opened()
        place = end_of_log(server)
        replies = client.pipeline([begin("RC"), update(1, 11), insert(4, 40), COMMIT])
        assert replies == [OK, b"0\t1\t1", OK, OK]
        events = log_events(server, place)
        assert events[0] == "Gtid" and events[-1] == "Xid"
        assert events.count("Update_rows") == events.count("Write_rows") == 1
        assert "Query" not in events
    finally:
        server.sql(f"SET GLOBAL {variable} = DEFAULT")


@pytest.fixture
def expiring(server: PrivateServer, database: str) -> Iterator[None]:
    """A table with a row that expires within a second or two."""
    server.sql("SET GLOBAL handlersocket_ttl_purge_rows = 0")
    server.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, v INT, e BIGINT NULL, KEY v (v)) COMMENT 'hs: ttl=e'"
    )
    server.sql("INSERT INTO hs.t VALUES (1, 10, UNIX_TIMESTAMP() + 1), (2, 20, NULL)")
    yield
    server.sql("SET GLOBAL handlersocket_ttl_purge_rows = DEFAULT")


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_a_row_expires_in_the_middle_of_a_view(
    server: PrivateServer, expiring: None, connect: Callable[[int], Client], port: str
) -> None:
    client = connect(getattr(server, port))
    client.open("hs.t", ["id", "v"])
    assert client.pipeline([begin("RR", "RO")]) == [OK]
    while client.find("=", [1]):
        pass
    count = line(1, ">=", 1, 0, 0, 0, "C")
    assert client.pipeline([line(1, ">=", 1, 0, 9, 0), count, COMMIT]) == [found((2, 20)), b"0\t1\t1", OK]


def test_a_row_that_has_expired_gives_way_inside_and_is_back_when_that_is_undone(
    server: PrivateServer, expiring: None, connect: Callable[[int], Client]
) -> None:
    client = connect(server.port_wr)
    client.open("hs.t", ["id", "v"])
    assert client.pipeline([begin(), line("T", "S", "first")]) == [OK, OK]
    while client.find("=", [1]):
        pass
    replies = client.pipeline(
        [
            update(1, 11),
            line(1, "=", 1, 1, 1, 0, "D"),
            insert(1, 12),
            find(1),
            line("T", "U", "first"),
            find(1),
            line(1, "+R!", 2, 1, 13),
            line("T", "U", "first"),
            line(1, "+U!", 2, 1, 14),
            line("T", "U", "first"),
            line(1, "+I!", 2, 1, 15),
            insert(1, 16),
            find(1),
        ]
    )
    assert replies == [
        b"0\t1\t0",
        b"0\t1\t0",
        OK,
        found((1, 12)),
        OK,
        b"0\t2",
        found((1, 13)),
        OK,
        found((1, 14)),
        OK,
        found((1, 15)),
        b"1\t1\t121",
        found((1, 15)),
    ]
    assert table_rows(server) == [(1, 10), (2, 20)]
    assert client.pipeline([COMMIT]) == [OK]
    assert table_rows(server) == [(1, 15), (2, 20)]


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_a_long_reply_inside_is_complete(
    server: PrivateServer, database: str, connect: Callable[[int], Client], port: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v LONGTEXT)")
    server.sql("INSERT INTO hs.t SELECT seq, REPEAT('x', 10000) FROM hs.seq_1_to_1000")
    client = connect(getattr(server, port))
    client.open("hs.t", ["id", "v"])
    scan = line(1, ">=", 1, 0, 2000, 0)
    client.send(begin("RR", "RO") + scan + find(7) + scan + COMMIT)
    assert client.read_line() == OK
    server.sql("UPDATE hs.t SET v = ''")
    whole = rows(client.read_line())
    assert len(whole) == 1000 and {len(row[1] or b"") for row in whole} == {10000}
    assert rows(client.read_line()) == [(b"7", b"x" * 10000)]
    assert rows(client.read_line()) == whole
    assert client.read_line() == OK
    assert client.find("=", [7]) == [(b"7", b"")]


@pytest.mark.parametrize("level", ["RU", "RC"])
def test_a_long_reply_has_each_row_once_while_others_come_and_go(
    server: PrivateServer, database: str, connect: Callable[[int], Client], level: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v LONGTEXT)")
    server.sql("INSERT INTO hs.t SELECT seq, REPEAT('x', 10000) FROM hs.seq_1001_to_1300")
    client = connect(server.port)
    client.open("hs.t", ["id", "v"])
    is_over = threading.Event()

    def come_and_go() -> None:
        with server.connect() as sql, sql.cursor() as cursor:
            while not is_over.is_set():
                cursor.execute("INSERT INTO hs.t SELECT seq, '' FROM hs.seq_1_to_9")
                cursor.execute("DELETE FROM hs.t WHERE id < 10")

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        assert client.request("T", "B", level, "RO") == OK
        for _ in range(10):
            found = [int(row[0] or 0) for row in rows(client.request(1, ">=", 1, 0, 2000, 0))]
            assert [number for number in found if number > 1000] == list(range(1001, 1301))
            assert len(set(found)) == len(found)
    finally:
        is_over.set()
        other.join()


def test_a_killed_connection_is_rolled_back_wherever_it_is(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    idle, waits, holder = opened(), opened(), opened()
    ids = [client.request("H", 2).split(b"\t")[-1].decode() for client in (idle, waits)]
    assert holder.pipeline([begin(), update(1, 11)]) == [OK, b"0\t1\t1"]
    assert idle.pipeline([begin(), update(2, 22)]) == [OK, b"0\t1\t1"]
    assert waits.pipeline([begin(), update(3, 33)]) == [OK, b"0\t1\t1"]
    waits.send(update(1, 12) + COMMIT)
    wait_for_a_lock_wait(server)
    for number in ids:
        server.sql(f"SET GLOBAL handlersocket_kill = {number}")
    assert idle.at_eof()
    await_status(server, "transactions_open", 1)
    server.sql("UPDATE hs.t SET v = v + 1 WHERE id >= 2")
    assert holder.pipeline([COMMIT]) == [OK]
    assert table_rows(server) == [(1, 11), (2, 21), (3, 31)]


def test_endpoints_of_a_port_share_the_bound_and_not_the_transactions(tmp_path: object) -> None:
    variables = {
        "handlersocket_address": "127.0.0.1,127.0.0.2",
        "handlersocket_socket_wr": f"{tmp_path}/wr",
        "handlersocket_max_transactions": 3,
    }
    with PrivateServer(variables=variables) as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        own.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20), (3, 30)")
        clients = [Client(own.port_wr), Client.local(f"{tmp_path}/wr"), Client(own.port_wr)]
        for number, client in enumerate(clients, 1):
            client.open("hs.t", ["id", "v"])
            assert client.pipeline([begin(), update(number, number)]) == [OK, b"0\t1\t1"]
        reader = Client(own.port)
        reader.open("hs.t", ["id", "v"])
        assert reader.pipeline([begin("RO")]) == [OK]
        fourth = Client.local(f"{tmp_path}/wr")
        assert fourth.pipeline([begin(), COMMIT]) == [b"1\t1\ttoo_many_transactions", LOST]
        assert clients[1].pipeline([COMMIT]) == [OK]
        assert clients[2].pipeline([ROLLBACK]) == [OK]
        assert fourth.pipeline([begin(), COMMIT]) == [OK, OK]
        assert reader.pipeline([find(2), COMMIT]) == [found((2, 2)), OK]
        clients[0].close()
        await_status(own, "transactions_open", 0)
        assert table_rows(own) == [(1, 10), (2, 2), (3, 30)]
        for client in (*clients, reader, fourth):
            client.close()


def test_requests_of_one_batch_are_in_their_own_transactions_or_in_none() -> None:
    """One thread serves all of them, so that what they send comes together."""
    with PrivateServer(variables={"handlersocket_threads_wr": 1, "log_bin": "log"}) as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        own.sql("INSERT INTO hs.t SELECT seq, 0 FROM hs.seq_1_to_6")
        done: list[dict[int, int]] = []
        wrong: list[object] = []

        def add(key: int, amount: int) -> bytes:
            return line(1, "=", 1, key, 1, 0, "+", 0, amount)

        def work(number: int) -> None:
            draw = random.Random(number)
            sums = dict.fromkeys(range(1, 7), 0)
            done.append(sums)
            try:
                with Client(own.port_wr) as client:
                    client.open("hs.t", ["id", "v"])
                    for _ in range(60):
                        plain = [draw.randint(1, 6) for _ in range(draw.randint(0, 3))]
                        # In one order, so that there are no deadlocks.
                        inside = sorted(draw.sample(range(1, 7), draw.randint(0, 3)))
                        ends = draw.choice([COMMIT, COMMIT, ROLLBACK])
                        requests = [add(key, 1) for key in plain]
                        if number % 2:
                            requests += [begin(), *(add(key, 100) for key in inside), ends]
                        requests += [add(key, 1) for key in plain]
                        for reply in client.pipeline(requests):
                            if reply not in (OK, b"0\t1\t1"):
                                wrong.append(reply)
                        for key in plain:
                            sums[key] += 2
                        for key in inside:
                            sums[key] += 100 * (number % 2) * (ends is COMMIT)
            except Exception as error:  # the thread's, so that the test sees it
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []
        total = [(key, sum(sums[key] for sums in done)) for key in range(1, 7)]
        assert table_rows(own) == total
        assert status(own, "transactions_committed") + status(own, "transactions_rolled_back") == 360
