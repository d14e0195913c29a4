"""Transactions that clients begin and end (`T`), beside those of SQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pymysql
import pytest
from binlog import end_of_log, log_events
from hs_client import Client, line, wait_for_a_lock_wait
from private_server import PrivateServer

OK = b"0\t1"
LOST = b"1\t1\ttransaction_lost"
LEVELS = {
    "RU": "READ UNCOMMITTED",
    "RC": "READ COMMITTED",
    "RR": "REPEATABLE READ",
    "SR": "SERIALIZABLE",
}


@pytest.fixture
def table(server: PrivateServer, database: str) -> str:
    """A table with three rows."""
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT, KEY(v))")
    server.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20), (3, 30)")
    return "hs.t"


@pytest.fixture
def opened(
    server: PrivateServer, connect: Callable[[int], Client], table: str
) -> Callable[..., Client]:
    """Makes clients of a port that have the table open."""

    def make(port: int | None = None) -> Client:
        client = connect(port or server.port_wr)
        client.open(table, ["id", "v"])
        return client

    return make


def begin(*options: str) -> bytes:
    return line("T", "B", *options)


def find(key: int) -> bytes:
    return line(1, "=", 1, key)


def scan() -> bytes:
    return line(1, ">=", 1, 0, 100, 0)


def update(key: int, value: int) -> bytes:
    return line(1, "=", 1, key, 1, 0, "U", key, value)


def insert(key: int, value: int) -> bytes:
    return line(1, "+", 2, key, value)


def found(*rows: tuple[int, int]) -> bytes:
    return b"0\t2" + b"".join(b"\t%d\t%d" % row for row in rows)


def status(server: PrivateServer, name: str) -> int:
    """One of the plugin's status variables."""
    return int(server.sql(f"SHOW GLOBAL STATUS LIKE 'Handlersocket_{name}'")[0][1])


def table_rows(server: PrivateServer) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in server.sql("SELECT id, v FROM hs.t ORDER BY id")]


def await_status(server: PrivateServer, name: str, value: int) -> None:
    while status(server, name) != value:
        pass


def sql_sees(connection: pymysql.connections.Connection) -> list[tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, v FROM hs.t ORDER BY id")
        return [(int(a), int(b)) for a, b in cursor.fetchall()]


def sees(client: Client) -> list[tuple[int, int]]:
    tokens = client.pipeline([scan()])[0].split(b"\t")
    assert tokens[:2] == [b"0", b"2"], tokens
    numbers = [int(token) for token in tokens[2:]]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_a_whole_transaction_is_one_round_trip(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    replies = client.pipeline(
        [begin(), find(1), find(2), update(1, 11), insert(4, 40), find(4), line("T", "C")]
    )
    assert replies == [OK, found((1, 10)), found((2, 20)), b"0\t1\t1", OK, found((4, 40)), OK]
    assert table_rows(server) == [(1, 11), (2, 20), (3, 30), (4, 40)]


def test_nothing_is_seen_or_kept_before_the_commit(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    assert client.pipeline([begin(), update(1, 11), insert(4, 40)]) == [OK, b"0\t1\t1", OK]
    assert table_rows(server) == [(1, 10), (2, 20), (3, 30)]
    assert client.request("T", "R") == OK
    assert table_rows(server) == [(1, 10), (2, 20), (3, 30)]
    assert client.pipeline([begin(), insert(4, 40), line("T", "C")]) == [OK, OK, OK]
    assert table_rows(server) == [(1, 10), (2, 20), (3, 30), (4, 40)]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_a_view_is_that_of_sql_at_each_level(
    server: PrivateServer, opened: Callable[..., Client], level: str, port: str
) -> None:
    client = opened(getattr(server, port))
    beside = server.connect()
    other = server.connect()
    try:
        with beside.cursor() as cursor:
            cursor.execute(f"SET SESSION TRANSACTION ISOLATION LEVEL {LEVELS[level]}")
            cursor.execute("START TRANSACTION READ ONLY")
        assert client.pipeline([begin(level, "RO")]) == [OK]
        with other.cursor() as cursor:
            if level != "SR":  # else the reads lock the rows
                assert sees(client) == sql_sees(beside)
            cursor.execute("BEGIN")
            cursor.execute("UPDATE hs.t SET v = 11 WHERE id = 1")
            if level != "SR":
                assert sees(client) == sql_sees(beside)  # a dirty read
            cursor.execute("COMMIT")
            if level != "SR":
                assert sees(client) == sql_sees(beside)  # one that cannot be repeated
            cursor.execute("INSERT INTO hs.t VALUES (9, 90)")
            assert sees(client) == sql_sees(beside)  # a phantom
        beside.rollback()
        assert client.request("T", "C") == OK
        assert sees(client) == table_rows(server)
    finally:
        beside.close()
        other.close()


def test_reads_on_the_write_port_lock_nothing_but_under_serializable(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    for level in ("RC", "RR"):
        assert client.pipeline([begin(level), find(1)]) == [OK, found((1, 10))]
        server.sql("UPDATE hs.t SET v = v WHERE id = 1")
        server.sql("UPDATE hs.t SET v = 12 WHERE id = 1")
        expected = found((1, 12)) if level == "RC" else found((1, 10))
        assert client.pipeline([find(1)]) == [expected]
        assert client.request("T", "C") == OK
        server.sql("UPDATE hs.t SET v = 10 WHERE id = 1")
    assert client.pipeline([begin("SR"), find(1)]) == [OK, found((1, 10))]
    with pytest.raises(pymysql.err.OperationalError):
        server.sql("SET STATEMENT innodb_lock_wait_timeout = 0 FOR UPDATE hs.t SET v = 5 WHERE id = 1")
    assert client.request("T", "R") == OK
    server.sql("UPDATE hs.t SET v = 5 WHERE id = 1")


def test_write_skew_ends_in_a_deadlock_under_serializable(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    one, two = opened(), opened()
    for client in (one, two):
        assert client.pipeline([begin("SR"), find(1), find(2)]) == [OK, found((1, 10)), found((2, 20))]
    one.send(update(1, 0))
    wait_for_a_lock_wait(server)
    two.send(update(2, 0))
    replies = {one.read_line(), two.read_line()}
    assert b"1\t1\t149" in replies and b"0\t1\t1" in replies
    commits = {one.request("T", "C"), two.request("T", "C")}
    assert commits == {OK, LOST}
    assert sorted(v for _, v in table_rows(server)) in ([0, 20, 30], [0, 10, 30])


def test_one_requests_failure_is_undone_alone(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    replies = client.pipeline(
        [
            begin(),
            insert(4, 40),
            insert(1, 1),
            line(1, ">=", 1, 0, 100, 0, "U", 7, 70),  # a duplicate at its second row
            update(2, 22),
            line("T", "C"),
        ]
    )
    assert replies == [OK, OK, b"1\t1\t121", b"1\t1\t121", b"0\t1\t1", OK]
    assert table_rows(server) == [(1, 10), (2, 22), (3, 30), (4, 40)]


def test_savepoints_are_those_of_sql(server: PrivateServer, opened: Callable[..., Client]) -> None:
    client = opened()
    replies = client.pipeline(
        [
            begin(),
            insert(4, 40),
            line("T", "S", "Ä one"),
            insert(5, 50),
            line("T", "S", "two"),
            update(1, 11),
            line("T", "U", "ä ONE"),
            line("T", "U", "two"),
            insert(6, 60),
            line("T", "C"),
        ]
    )
    assert replies[:7] == [OK, OK, OK, OK, OK, b"0\t1\t1", OK]
    assert replies[7] == b"1\t1\tsql_1305 SAVEPOINT two does not exist"
    assert replies[8:] == [OK, OK]
    assert table_rows(server) == [(1, 10), (2, 20), (3, 30), (4, 40), (6, 60)]


def test_tables_that_were_first_used_behind_a_savepoint_stay_locked(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    server.sql("CREATE TABLE hs.later (id INT PRIMARY KEY, v INT)")
    client = opened()
    client.open("hs.later", ["id", "v"], id=2)
    with server.connect() as connection, connection.cursor() as cursor:
        assert client.pipeline([begin(), insert(4, 4), line("T", "S", "a")]) == [OK, OK, OK]
        assert client.pipeline([line(2, "+", 2, 1, 1), line("T", "U", "a")]) == [OK, OK]
        cursor.execute("SET lock_wait_timeout = 0")
        with pytest.raises(pymysql.err.OperationalError):
            cursor.execute("ALTER TABLE hs.later ADD x INT")
        assert client.pipeline([line(2, "+", 2, 1, 1), line("T", "C")]) == [OK, OK]
        cursor.execute("SET lock_wait_timeout = 60")
        cursor.execute("ALTER TABLE hs.later ADD x INT")
    assert server.sql("SELECT id, v FROM hs.later") == [(1, 1)]


def test_the_binary_log_has_one_transaction(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    place = end_of_log(server)
    replies = client.pipeline(
        [
            begin(),
            insert(4, 40),
            line("T", "S", "a"),
            insert(4, 4),  # fails: only this is undone, and not the savepoint
            insert(5, 50),
            line("T", "U", "a"),
            insert(4, 4),
            update(1, 11),
            insert(2, 2),
            line("T", "C"),
        ]
    )
    duplicate = b"1\t1\t121"
    assert replies == [OK, OK, OK, duplicate, OK, OK, duplicate, b"0\t1\t1", duplicate, OK]
    events = log_events(server, place)
    assert events.count("Gtid") == 1
    assert events.count("Write_rows") == 1 and events.count("Update_rows") == 1
    assert events[-1] == "Xid"
    assert events.count("Query") == 1  # the savepoint
    assert log_events(server)  # it can be read


def test_a_table_without_rollback_is_read_and_not_changed(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    server.sql("CREATE TABLE hs.m (id INT PRIMARY KEY, v INT) ENGINE = MyISAM")
    server.sql("INSERT INTO hs.m VALUES (1, 1)")
    client = opened()
    client.open("hs.m", ["id", "v"], id=2)
    replies = client.pipeline(
        [begin(), line(2, "=", 1, 1), line(2, "+", 2, 2, 2), insert(4, 4), line("T", "C")]
    )
    assert replies == [OK, found((1, 1)), b"1\t1\tunsupported_table", OK, OK]
    assert client.pipeline([line(2, "+", 2, 2, 2)]) == [OK]


def test_a_connection_that_goes_is_rolled_back(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    before = status(server, "transactions_rolled_back")
    idle = opened()
    assert idle.pipeline([begin(), update(1, 11)]) == [OK, b"0\t1\t1"]
    idle.close()
    await_status(server, "transactions_rolled_back", before + 1)
    holder = opened()
    assert holder.pipeline([begin(), update(2, 22)]) == [OK, b"0\t1\t1"]
    waits = opened()
    assert waits.pipeline([begin(), update(1, 12)]) == [OK, b"0\t1\t1"]
    waits.send(update(2, 23))
    wait_for_a_lock_wait(server)
    waits.close()
    holder.close()
    await_status(server, "transactions_open", 0)
    assert table_rows(server) == [(1, 10), (2, 20), (3, 30)]
    server.sql("SET STATEMENT innodb_lock_wait_timeout = 5 FOR UPDATE hs.t SET v = v + 1")


def test_a_kill_of_the_session_loses_the_transaction(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    other = opened()
    mine = "SELECT id FROM information_schema.processlist WHERE state = 'handlersocket: transaction'"
    before = {row[0] for row in server.sql(mine)}
    assert other.pipeline([begin(), find(1)])[0] == OK
    assert client.pipeline([begin(), update(1, 11)]) == [OK, b"0\t1\t1"]
    lost = status(server, "transactions_lost")
    for row in server.sql(mine):
        server.sql(f"KILL {row[0]}")
    await_status(server, "transactions_lost", lost + 2)
    assert client.pipeline([update(1, 12), line("T", "C"), find(1)]) == [LOST, LOST, found((1, 10))]
    assert other.pipeline([find(1), line("T", "R"), begin(), find(1), line("T", "C")]) == [
        LOST,
        OK,
        OK,
        found((1, 10)),
        OK,
    ]
    assert before is not None


def test_a_kill_of_the_query_ends_one_request(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE hs.t SET v = 0 WHERE id = 2")
        assert client.pipeline([begin(), update(1, 11)]) == [OK, b"0\t1\t1"]
        client.send(update(2, 22))
        wait_for_a_lock_wait(server)
        waiting = server.sql(
            "SELECT id FROM information_schema.processlist WHERE info = 'update hs.t'"
        )
        for row in waiting:
            server.sql(f"KILL QUERY {row[0]}")
        assert client.read_line() == b"1\t1\tinterrupted"
        cursor.execute("ROLLBACK")
    assert client.pipeline([update(3, 33), line("T", "C")]) == [b"0\t1\t1", OK]
    assert table_rows(server) == [(1, 11), (2, 20), (3, 33)]


def test_a_lock_wait_that_lasts_too_long_is_undone_alone(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    server.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    try:
        # Sessions take settings anew when they begin to use tables.
        server.sql("FLUSH TABLES")
        client = opened()
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("UPDATE hs.t SET v = 0 WHERE id = 2")
            replies = client.pipeline([begin(), update(1, 11), update(2, 22), update(3, 33)])
            assert replies == [OK, b"0\t1\t1", b"1\t1\t146", b"0\t1\t1"]
            assert client.request("T", "C") == OK
            cursor.execute("ROLLBACK")
        assert table_rows(server) == [(1, 11), (2, 20), (3, 33)]
    finally:
        server.sql("SET GLOBAL innodb_lock_wait_timeout = DEFAULT")


def test_rights_of_the_account_hold_inside(server: PrivateServer, table: str) -> None:
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_authentication_wr": "account",
    }
    with PrivateServer(variables=variables) as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        own.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20), (3, 30)")
        own.sql("CREATE USER ann@'127.0.0.1' IDENTIFIED BY 'secret'")
        own.sql("GRANT SELECT, UPDATE ON hs.t TO ann@'127.0.0.1'")
        with Client(own.port_wr) as client:
            assert client.request("T", "B") == b"3\t1\tunauth"
            assert client.log_in("ann", "secret") == OK
            client.open("hs.t", ["id", "v"])
            replies = client.pipeline([begin(), update(1, 11), insert(4, 4), line("A", 2, "ann")])
            assert replies[:2] == [OK, b"0\t1\t1"]
            assert replies[2].startswith(b"1\t1\taccess_denied")
            assert replies[3] == b"2\t1\tin_transaction"
            own.sql("REVOKE UPDATE ON hs.t FROM ann@'127.0.0.1'")
            while (reply := client.pipeline([update(2, 22)])[0]) == b"0\t1\t1":
                pass
            assert reply.startswith(b"1\t1\taccess_denied")
            assert client.pipeline([line("T", "C")]) == [OK]


def test_a_server_that_has_become_read_only_refuses_the_commit(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    assert client.pipeline([begin(), update(1, 11)]) == [OK, b"0\t1\t1"]
    server.sql("SET GLOBAL read_only = 1")
    try:
        assert client.pipeline([update(2, 22), line("T", "C")]) == [
            b"1\t1\tlock_tables",
            b"1\t1\tlock_tables",
        ]
        assert client.pipeline([begin(), find(1), line("T", "C")]) == [OK, found((1, 10)), OK]
    finally:
        server.sql("SET GLOBAL read_only = 0")
    assert table_rows(server) == [(1, 10), (2, 20), (3, 30)]


def test_ftwrl_passes_an_open_transaction_and_holds_its_commit(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    assert client.pipeline([begin(), update(1, 11)]) == [OK, b"0\t1\t1"]
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        assert client.pipeline([find(2)]) == [found((2, 20))]
        client.send(line("T", "C"))
        # The other connections go on while it waits.
        assert opened(server.port).find("=", [1]) == [(b"1", b"10")]
        cursor.execute("UNLOCK TABLES")
    assert client.read_line() == OK
    assert table_rows(server)[0] == (1, 11)


@pytest.fixture(scope="module")
def hasty() -> Iterator[PrivateServer]:
    """A server whose transactions end after a second, and of which there are two."""
    with PrivateServer(
        variables={
            "handlersocket_transaction_timeout": 1,
            "handlersocket_max_transactions": 2,
            "handlersocket_threads_wr": 1,
        }
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture
def hasty_client(hasty: PrivateServer) -> Iterator[Callable[[], Client]]:
    hasty.sql("CREATE OR REPLACE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    hasty.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20), (3, 30)")
    clients: list[Client] = []

    def make() -> Client:
        clients.append(Client(hasty.port_wr))
        clients[-1].open("hs.t", ["id", "v"])
        return clients[-1]

    yield make
    for client in clients:
        client.close()
    await_status(hasty, "transactions_open", 0)


def test_an_idle_transaction_is_lost(
    hasty: PrivateServer, hasty_client: Callable[[], Client]
) -> None:
    client = hasty_client()
    lost = status(hasty, "transactions_lost")
    assert client.pipeline([begin(), update(1, 11)]) == [OK, b"0\t1\t1"]
    assert hasty.sql("SELECT state FROM information_schema.handlersocket_connections") == [
        ("in transaction",)
    ]
    await_status(hasty, "transactions_lost", lost + 1)
    hasty.sql("UPDATE hs.t SET v = 12 WHERE id = 1")
    assert client.pipeline([find(1), line("D"), line("T", "C"), find(1)]) == [
        LOST,
        LOST,
        LOST,
        found((1, 12)),
    ]


def test_ddl_waits_no_longer_than_the_time_out(
    hasty: PrivateServer, hasty_client: Callable[[], Client]
) -> None:
    client = hasty_client()
    assert client.pipeline([begin(), update(1, 11)]) == [OK, b"0\t1\t1"]
    altering = threading.Thread(target=hasty.sql, args=("ALTER TABLE hs.t ADD x INT",))
    altering.start()
    while altering.is_alive():  # it is never idle
        client.pipeline([update(2, 22)])
    altering.join()
    assert client.pipeline([update(2, 22)]) == [LOST]
    assert client.request("T", "R") == OK
    assert client.pipeline([find(1)]) == [found((1, 10))]


def test_beyond_the_bound_none_is_begun_and_nothing_changes(
    hasty: PrivateServer, hasty_client: Callable[[], Client]
) -> None:
    one, two, three = hasty_client(), hasty_client(), hasty_client()
    assert one.pipeline([begin()]) == two.pipeline([begin()]) == [OK]
    assert three.pipeline([begin(), insert(4, 4), line("T", "R")]) == [
        b"1\t1\ttoo_many_transactions",
        LOST,
        OK,
    ]
    assert len(hasty.sql("SELECT * FROM hs.t")) == 3
    assert one.pipeline([line("T", "C")]) == [OK]
    assert three.pipeline([begin(), line("T", "C")]) == [OK, OK]


def test_shutdown_and_uninstall_roll_back() -> None:
    with PrivateServer(variables={"log_bin": "log"}) as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        for _ in range(2):
            writer, reader = Client(own.port_wr), Client(own.port)
            writer.open("hs.t", ["id", "v"])
            assert writer.pipeline([begin(), insert(1, 1)]) == [OK, OK]
            assert reader.pipeline([begin("RR", "RO")]) == [OK]
            own.sql("UNINSTALL SONAME 'handlersocket2'")
            assert writer.at_eof() and reader.at_eof()
            assert own.sql("SELECT * FROM hs.t") == []
            own.sql("INSTALL SONAME 'handlersocket2'")
        writer = Client(own.port_wr)
        writer.open("hs.t", ["id", "v"])
        assert writer.pipeline([begin(), insert(1, 1)]) == [OK, OK]
        own.stop()
        own.start()
        assert own.sql("SELECT * FROM hs.t") == []


def test_transactions_transfer_money_and_lose_none(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    """Under serializable the sum stays, whatever deadlocks there are."""
    server.sql("DELETE FROM hs.t")
    server.sql("INSERT INTO hs.t SELECT seq, 100 FROM hs.seq_1_to_10")
    failures: list[BaseException] = []

    def transfer(number: int) -> None:
        try:
            client = opened()
            for i in range(40):
                source, target = (number * 7 + i) % 10 + 1, (number * 3 + i * 5) % 10 + 1
                replies = client.pipeline(
                    [
                        begin("SR"),
                        find(source),
                        find(target),
                        line(1, "=", 1, source, 1, 0, "-", 0, 1),
                        line(1, "=", 1, target, 1, 0, "+", 0, 1),
                        line("T", "C"),
                    ]
                )
                assert replies[0] == OK
                assert replies[-1] in (OK, LOST), replies
                # 123: the row has changed since the transaction's view (innodb_snapshot_isolation).
                # 146: on a busy machine the others may hold the row for longer than it is waited for.
                known = (LOST, b"1\t1\t149", b"1\t1\t123", b"1\t1\t146")
                assert all(r[:2] == b"0\t" or r in known for r in replies), replies
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=transfer, args=(n,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    assert server.sql("SELECT SUM(v) FROM hs.t") == [(1000,)]
