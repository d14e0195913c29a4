"""What is kept of a table while it stays open is never older than the table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hs_client import Client, line
from private_server import PrivateServer


@pytest.fixture(scope="module")
def single() -> Iterator[PrivateServer]:
    """A server with one worker on each port: connections share its session and its tables."""
    with PrivateServer(
        variables={"handlersocket_threads": 1, "handlersocket_threads_wr": 1, "log_bin": "log"}
    ) as running:
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture(autouse=True)
def database(single: PrivateServer) -> None:
    single.sql("CREATE OR REPLACE DATABASE hs CHARACTER SET utf8mb4")


@pytest.fixture
def reader(single: PrivateServer) -> Iterator[Client]:
    with Client(single.port) as client:
        yield client


@pytest.fixture
def writer(single: PrivateServer) -> Iterator[Client]:
    with Client(single.port_wr) as client:
        yield client


FINAL = ("MyISAM", "Aria", "MEMORY")  # engines whose changes stay, whatever comes after them


# --- tables that are opened behind a change ---


@pytest.mark.parametrize("engine", FINAL)
def test_an_open_that_fails_behind_a_final_change_leaves_no_cursor(
    single: PrivateServer, writer: Client, engine: str
) -> None:
    single.sql(f"CREATE TABLE hs.f (id INT PRIMARY KEY) ENGINE={engine}")
    single.sql("CREATE TABLE hs.i (id INT PRIMARY KEY, a INT)")
    writer.open("hs.f", ["id"], id=0)
    unknown = line("P", 1, "hs", "i", "PRIMARY", "id,nosuch")
    replies = writer.pipeline(
        [line(0, "+", 1, 1), unknown, unknown, line(1, "=", 1, 1), line(0, "=", 1, 1)]
    )
    assert replies == [b"0\t1", b"2\t1\tfld", b"2\t1\tfld", b"2\t1\tstmtnum", b"0\t1\t1"]


@pytest.mark.parametrize("engine", FINAL)
def test_an_index_that_lost_a_column_fails_each_request_behind_a_final_change(
    single: PrivateServer, writer: Client, engine: str
) -> None:
    single.sql(f"CREATE TABLE hs.f (id INT PRIMARY KEY) ENGINE={engine}")
    single.sql("CREATE TABLE hs.i (id INT PRIMARY KEY, a INT, b INT)")
    single.sql("INSERT INTO hs.i VALUES (1, 1, 1)")
    writer.open("hs.f", ["id"], id=0)
    writer.open("hs.i", ["a", "b"], id=1)
    single.sql("ALTER TABLE hs.i DROP COLUMN b")
    update = line(1, "=", 1, 1, 1, 0, "U", 2, 2)
    assert writer.pipeline([line(0, "+", 1, 1), update, update]) == [b"0\t1"] + [b"2\t1\tfld"] * 2
    single.sql("ALTER TABLE hs.i ADD COLUMN b INT")
    assert writer.pipeline([line(0, "+", 1, 2), update]) == [b"0\t1", b"0\t1\t1"]
    assert single.sql("SELECT a, b FROM hs.i") == [(2, 2)]


@pytest.mark.parametrize("engine", FINAL)
def test_a_locked_table_is_waited_for_behind_a_final_change(
    single: PrivateServer, writer: Client, engine: str
) -> None:
    single.sql(f"CREATE TABLE hs.f (id INT PRIMARY KEY) ENGINE={engine}")
    single.sql("CREATE TABLE hs.i (id INT PRIMARY KEY, a INT)")
    writer.open("hs.f", ["id"], id=0)
    writer.open("hs.i", ["id", "a"], id=1)
    connection = single.connect(database="hs")
    with connection, connection.cursor() as sql:
        sql.execute("LOCK TABLES i WRITE")
        writer.send(line(0, "+", 1, 1) + line(1, "+", 2, 1, 1))
        # Whoever waits for the other table holds nothing of this one.
        while not single.sql("SELECT * FROM hs.f"):
            pass
        single.sql("SET STATEMENT lock_wait_timeout=20 FOR ALTER TABLE hs.f COMMENT 'changed'")
        sql.execute("UNLOCK TABLES")
    assert [writer.read_line(), writer.read_line()] == [b"0\t1", b"0\t1"]
    assert single.sql("SELECT * FROM hs.i") == [(1, 1)]


# --- tables that are opened behind a read ---


@pytest.mark.parametrize("change", ["ALTER TABLE hs.b FORCE", "TRUNCATE TABLE hs.b"])
def test_a_table_that_was_rebuilt_while_a_batch_ran_is_read_as_it_is_now(
    single: PrivateServer, reader: Client, change: str
) -> None:
    single.sql("CREATE TABLE hs.a (id INT PRIMARY KEY, v INT NOT NULL DEFAULT 0)")
    single.sql("INSERT INTO hs.a (id) SELECT seq FROM seq_1_to_100000", database="hs")
    single.sql("CREATE TABLE hs.b (id INT PRIMARY KEY, v INT)")
    single.sql("INSERT INTO hs.b VALUES (1, 1)")
    reader.open("hs.a", ["id"], id=1, filters=["v"])
    reader.open("hs.b", ["id"], id=2)
    single.sql("FLUSH TABLES")  # the worker has no table open
    query = "SHOW GLOBAL STATUS LIKE 'Handlersocket_handovers'"
    connection = single.connect()
    with connection, connection.cursor() as sql:
        sql.execute(query)
        before = sql.fetchall()
        filters = ["F", ">=", 0, 0] * 99 + ["F", "=", 0, 1]
        reader.send(line(1, ">=", 1, 0, 1, 0, *filters) + line(2, "=", 1, 1))
        sql.execute(query)
        while sql.fetchall() == before:  # the scan has not begun
            sql.execute(query)
        sql.execute(change)
    assert reader.read_line() == b"0\t1"
    assert reader.read_line() in (b"0\t1\t1", b"0\t1")  # before or after it, but served
