"""What the pages and files on monitoring name is there: variables, metrics, instruments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
from hs_client import Client
from on_mysql import IS_MYSQL
from private_server import PrivateServer
from pymysql.constants.ER import INCORRECT_GLOBAL_LOCAL_VAR

DOCS = Path(__file__).resolve().parents[2] / "docs"
METRIC = re.compile(r"\bmysql_global_status_(handlersocket_\w+)")
VARIABLE = re.compile(r"\bmysql_global_variables_(handlersocket_\w+)")
QUERIED = re.compile(r"\b(handlersocket_latency_\w+|handlersocket_connections_by_state_\w+)")


def test_every_variable_says_rightly_whether_it_is_dynamic() -> None:
    page = (DOCS / "variables.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(handlersocket_\w+)` \|(?:[^|]*\|){3} (yes|no) \|", page, re.MULTILINE)
    told = {name: dynamic == "yes" for name, dynamic in rows}
    with PrivateServer() as server:
        names = [name for name, _ in server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'")]
        assert told == {name: is_dynamic(server, name) for name in names}


def is_dynamic(server: PrivateServer, name: str) -> bool:
    """Whether it may be set while the server runs, whatever becomes of that."""
    try:
        server.sql(f"SET GLOBAL {name} = DEFAULT")
    except pymysql.MySQLError as error:
        return error.args[0] != INCORRECT_GLOBAL_LOCAL_VAR
    return True


@pytest.mark.parametrize("name", ["grafana-dashboard.json", "alerts.yml"])
def test_every_metric_that_is_named_exists(server: PrivateServer, name: str) -> None:
    text = (DOCS / "monitoring" / name).read_text(encoding="utf-8")
    if name.endswith(".json"):
        json.loads(text)
    status = {row[0].lower() for row in server.sql("SHOW GLOBAL STATUS LIKE 'handlersocket%'")}
    variables = {row[0] for row in server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'")}
    metrics = set(METRIC.findall(text))
    assert metrics and metrics <= status
    assert set(VARIABLE.findall(text)) <= variables
    assert set(QUERIED.findall(text)) <= queried_metrics()


def queries() -> list[tuple[str, str, list[str]]]:
    """Of each custom query its prefix, its SQL and the columns that it names."""
    text = (DOCS / "monitoring" / "mysqld-exporter-queries.yml").read_text(encoding="utf-8")
    found = []
    for prefix, body in re.findall(r"^(\w+):\n((?:[ \n].*\n?)*)", text, re.MULTILINE):
        query = re.search(r'query: "(.*)"', body)
        assert query is not None, prefix
        found.append((prefix, query[1], re.findall(r"^    - (\w+):", body, re.MULTILINE)))
    return found


def queried_metrics() -> set[str]:
    return {f"{prefix}_{column}" for prefix, _, columns in queries() for column in columns}


def test_the_custom_queries_give_the_columns_that_they_name(
    server: PrivateServer, reader: Client
) -> None:
    assert reader.raw(b"X") == b"2\t1\tcmd"
    found = queries()
    assert len(found) == 2
    connection = server.connect()
    for _, query, columns in found:
        with connection.cursor() as cursor:
            cursor.execute(query)
            assert [column[0] for column in cursor.description] == columns
            assert cursor.fetchall()
    connection.close()


def test_flush_status_leaves_the_counters(server: PrivateServer, reader: Client) -> None:
    requests = "SHOW GLOBAL STATUS LIKE 'Handlersocket_requests'"
    assert reader.raw(b"X") == b"2\t1\tcmd"
    ((_, before),) = server.sql(requests)
    server.sql("FLUSH STATUS")
    ((_, after),) = server.sql(requests)
    assert int(after) >= int(before) > 0


@pytest.fixture
def instrumented() -> Iterator[PrivateServer]:
    """A server with performance_schema, and with user statistics where it has them."""
    userstat = {} if IS_MYSQL else {"userstat": 1}
    variables = {"performance_schema": 1, "handlersocket_threads": 1} | userstat
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL)")
        server.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2)")
        yield server


def test_the_servers_own_statistics_count_our_rows(instrumented: PrivateServer) -> None:
    server = instrumented
    io = (
        "SELECT COUNT_FETCH, COUNT_UPDATE FROM performance_schema.table_io_waits_summary_by_table"
        " WHERE OBJECT_SCHEMA = 'hs' AND OBJECT_NAME = 't'"
    )
    ((fetched, updated),) = server.sql(io)
    threads = server.sql(
        "SELECT t.NAME, p.USER FROM performance_schema.threads t JOIN information_schema.PROCESSLIST p"
        " ON p.ID = t.PROCESSLIST_ID WHERE p.USER = 'handlersocket'"
    )
    assert len(threads) >= 4
    assert set(threads) == {("thread/handlersocket/executor", "handlersocket")}
    with Client(server.port) as reader, Client(server.port_wr) as writer:
        reader.open("hs.t", ["v"])
        writer.open("hs.t", ["v"])
        for _ in range(10):
            assert reader.find("=", [1]) == [(b"1",)]
        assert writer.request(1, "=", 1, 2, 1, 0, "U", 5) == b"0\t1\t1"
    assert server.sql(io)[0] == (fetched + 11, updated + 1)
    if IS_MYSQL:
        return
    rows = (
        "SELECT ROWS_READ, ROWS_CHANGED FROM information_schema.TABLE_STATISTICS"
        " WHERE TABLE_SCHEMA = 'hs' AND TABLE_NAME = 't'"
    )
    # Counted when the threads give their tables back: 10 ms after the last request.
    while not (found := server.sql(rows)) or found[0][0] < 11 or found[0][1] < 1:
        pass
