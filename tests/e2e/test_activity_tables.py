"""INFORMATION_SCHEMA.HANDLERSOCKET_INDEXES, _LATENCY and _LATENCY_BUCKETS."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hs_client import Client, line
from private_server import PrivateServer


@pytest.fixture
def own() -> Iterator[PrivateServer]:
    """A server whose counters are the test's alone."""
    with PrivateServer(variables={"handlersocket_threads": 1}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL, KEY v (v))")
        server.sql("INSERT INTO hs.t SELECT seq, seq FROM hs.seq_1_to_100")
        yield server


def counts(server: PrivateServer) -> dict[tuple[str, str], int]:
    """Requests by mode and kind, without those that did not occur."""
    rows = server.sql(
        "SELECT MODE, KIND, REQUESTS FROM information_schema.HANDLERSOCKET_LATENCY WHERE REQUESTS > 0"
    )
    return {(mode, kind): requests for mode, kind, requests in rows}


def test_the_tables_tell_what_was_done(own: PrivateServer) -> None:
    with Client(own.port) as reader, Client(own.port_wr) as writer:
        reader.open("hs.t", ["id", "v"], index="v", filters=["id"])
        writer.open("hs.t", ["v"])
        for _ in range(10):
            reader.pipeline([line(1, ">=", 1, 1, 3, 0)] * 100)
        assert writer.request(1, "=", 1, 1, 1, 0, "U", 5) == b"0\t1\t1"
        assert writer.request(1, "=", 1, 2, 1, 0, "D") == b"0\t1\t1"
        assert writer.request(7, "=", 1, 2) == b"2\t1\tstmtnum"
        expected = {
            ("read", "find"): 1000,
            ("read", "other"): 1,
            ("write", "update"): 1,
            ("write", "delete"): 1,
            ("write", "other"): 2,
        }
        while counts(own) != expected:  # counted when the replies are out
            pass
        indexes = own.sql(
            "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMNS, FILTER_COLUMNS, MODE, CONNECTIONS,"
            " REQUESTS, `ROWS` FROM information_schema.HANDLERSOCKET_INDEXES ORDER BY MODE"
        )
        assert indexes == [
            ("hs", "t", "v", "id,v", "id", "read", 1, 1000, 3000),
            ("hs", "t", "PRIMARY", "v", "", "write", 1, 2, 2),
        ]
    ((p50, p99, p999, longest),) = own.sql(
        "SELECT P50_US, P99_US, P999_US, MAX_US FROM information_schema.HANDLERSOCKET_LATENCY"
        " WHERE MODE = 'read' AND KIND = 'find'"
    )
    assert 0 < p50 <= p99 <= p999 <= longest
    buckets = own.sql(
        "SELECT LESS_THAN_US, REQUESTS FROM information_schema.HANDLERSOCKET_LATENCY_BUCKETS"
        " WHERE MODE = 'read' AND KIND = 'find' ORDER BY LESS_THAN_US"
    )
    assert sum(requests for _, requests in buckets) == 1000
    assert buckets[-1][0] > longest * 0.9


def test_an_account_without_process_sees_none_of_it(own: PrivateServer) -> None:
    own.sql("CREATE USER plain@localhost")
    with Client(own.port) as reader:
        reader.open("hs.t", ["id"])
        connection = own.connect(user="plain")
        with connection.cursor() as cursor:
            for table in ("INDEXES", "LATENCY", "LATENCY_BUCKETS"):
                cursor.execute(f"SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_{table}")
                assert cursor.fetchone() == (0,)
        connection.close()


def test_without_the_ports_the_tables_are_empty(own: PrivateServer) -> None:
    own.sql("UNINSTALL PLUGIN handlersocket")
    for table in ("CONNECTIONS", "INDEXES", "LATENCY", "LATENCY_BUCKETS"):
        assert own.sql(f"SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_{table}") == [(0,)]
    own.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
    assert own.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_LATENCY") == [(10,)]
