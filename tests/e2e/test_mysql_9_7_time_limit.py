"""max_execution_time, which bounds SELECT on MySQL, bounds finds on the ports, and nothing else, as there."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pymysql
import pytest
import server_files
from hs_client import Client
from private_server import PrivateServer

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)
TOO_LONG = b"1\t1\tsql_3024 Query execution was interrupted, maximum statement execution time exceeded"
# Looks at every row and finds none.
SCAN = b"1\t>\t1\t0\t1\t0\tF\t=\t0\t-1"
ADD_ONE = b"1\t>=\t1\t0\t1000000\t0\t+\t1"
# So many that no scan of them ends before the limit.
ROWS = 1_000_000
CHANGED = 100_000


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateServer]:
    variables = {"handlersocket_threads": 1, "handlersocket_threads_wr": 2, "innodb_lock_wait_timeout": 1000}
    with PrivateServer(variables=variables) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.big (id INT PRIMARY KEY, v INT)")
        running.sql(f"INSERT INTO hs.big SELECT seq, 0 FROM seq_1_to_{ROWS}")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        running.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2)")
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture
def limit(server: PrivateServer) -> Iterator[None]:
    server.sql("SET GLOBAL max_execution_time = 10")
    yield
    server.sql("SET GLOBAL max_execution_time = 0")


def connect(port: int, table: str) -> Client:
    client = Client(port)
    assert client.request("P", 1, "hs", table, "PRIMARY", "v", "v") == b"0\t1"
    return client


def rows(server: PrivateServer, query: str) -> list[tuple[object, ...]]:
    """What a query gives that may take its time."""
    connection = server.connect(database="hs")
    with connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION max_execution_time = 0")
        cursor.execute(query)
        return list(cursor.fetchall())


def of_sql(server: PrivateServer, statement: str) -> int:
    """The number of the error that SQL ends with; 0: none."""
    connection = server.connect(database="hs")
    try:
        connection.cursor().execute(statement)
    except pymysql.err.MySQLError as error:
        return int(error.args[0])
    finally:
        connection.close()
    return 0


@pytest.mark.usefixtures("limit")
def test_a_find_ends_where_a_select_does(server: PrivateServer) -> None:
    assert of_sql(server, "SELECT v FROM big WHERE id > 0 AND v + SLEEP(0.001) = -1") == 3024
    for port in (server.port, server.port_wr):
        with connect(port, "big") as client:
            assert client.raw(SCAN) == TOO_LONG
            # The next one has its own time.
            assert client.raw(b"1\t=\t1\t7") == b"0\t1\t0"
            assert client.raw(SCAN) == TOO_LONG


def test_without_a_limit_a_find_takes_its_time(server: PrivateServer) -> None:
    for port in (server.port, server.port_wr):
        with connect(port, "big") as client:
            assert client.raw(SCAN) == b"0\t1"


@pytest.mark.usefixtures("limit")
def test_a_change_is_not_bounded(server: PrivateServer) -> None:
    server.sql(f"CREATE TABLE hs.bigger AS SELECT * FROM hs.big WHERE id <= {CHANGED}")
    server.sql("ALTER TABLE hs.bigger ADD PRIMARY KEY (id)")
    assert of_sql(server, "UPDATE bigger SET v = v + 1") == 0
    with connect(server.port_wr, "bigger") as client:
        assert client.raw(ADD_ONE) == b"0\t1\t%d" % CHANGED
    assert rows(server, "SELECT MIN(v), MAX(v) FROM bigger") == [(2, 2)]


@pytest.mark.usefixtures("limit")
def test_a_find_waits_for_a_row_no_longer_than_a_select(server: PrivateServer) -> None:
    locker = server.connect(database="hs", autocommit=False)
    with connect(server.port_wr, "t") as client, locker.cursor() as cursor:
        cursor.execute("UPDATE t SET v = v WHERE id = 1")
        assert of_sql(server, "SELECT v FROM t WHERE id = 1 FOR UPDATE") == 3024
        assert client.raw(b"1\t=\t1\t1") == TOO_LONG
        assert client.raw(b"1\t=\t1\t2") == b"0\t1\t2"
        # A change goes on waiting.
        client.send(b"1\t=\t1\t1\t1\t0\tU\t5\n")
        until = time.monotonic() + 20
        while not rows(server, "SELECT 1 FROM performance_schema.data_lock_waits"):
            assert time.monotonic() < until
        locker.rollback()
        assert client.read_line() == b"0\t1\t1"
        assert client.raw(b"1\t=\t1\t1") == b"0\t1\t5"
    locker.close()


@pytest.mark.usefixtures("limit")
def test_a_find_waits_for_a_table_no_longer_than_a_select(server: PrivateServer) -> None:
    locker = server.connect(database="hs")
    with connect(server.port, "t") as client, locker.cursor() as cursor:
        cursor.execute("LOCK TABLES t WRITE")
        assert of_sql(server, "SELECT v FROM t") == 3024
        assert client.raw(b"1\t=\t1\t2") == TOO_LONG
        assert client.request("P", 2, "hs", "t", "PRIMARY", "v") == TOO_LONG
        cursor.execute("UNLOCK TABLES")
        assert client.raw(b"1\t=\t1\t2") == b"0\t1\t2"
    locker.close()


@pytest.mark.usefixtures("limit")
def test_a_transaction_goes_on_behind_a_find_that_took_too_long(server: PrivateServer) -> None:
    with connect(server.port_wr, "big") as client:
        assert client.request("P", 2, "hs", "t", "PRIMARY", "v") == b"0\t1"
        assert client.request("T", "B") == b"0\t1"
        assert client.raw(b"2\t=\t1\t2\t1\t0\tU\t9") == b"0\t1\t1"
        assert client.raw(SCAN) == TOO_LONG
        assert client.raw(b"2\t=\t1\t2") == b"0\t1\t9"
        assert client.request("T", "C") == b"0\t1"
    assert rows(server, "SELECT v FROM t WHERE id = 2") == [(9,)]
    server.sql("UPDATE hs.t SET v = id")
