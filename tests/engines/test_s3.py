"""Tables of S3 are read from a store by the ports, and not changed."""

from __future__ import annotations

from collections.abc import Iterator

import pymysql
import pytest
import s3_store
from hs_client import Client, line
from private_server import PrivateServer

READ_ONLY = b"1\t1\tsql_1036 Table 't' is read only"


@pytest.fixture
def store() -> Iterator[s3_store.Store]:
    with s3_store.running() as made:
        yield made


@pytest.fixture
def server(store: s3_store.Store) -> Iterator[PrivateServer]:
    place = {"host_name": "127.0.0.1", "port": store.port, "use_http": "ON", "region": "here"}
    login = {"bucket": "bucket", "access_key": "key", "secret_key": "secret"}
    variables: dict[str, object] = {f"loose_s3_{name}": value for name, value in (place | login).items()}
    with PrivateServer(variables=variables | {"loose_s3": "ON", "plugin_maturity": "experimental"}) as running:
        running.sql("INSTALL SONAME 'ha_s3'")
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, x INT, s VARCHAR(200), KEY x (x, id)) ENGINE=Aria")
        running.sql("INSERT INTO hs.t SELECT seq, seq % 10, REPEAT('s', 100) FROM hs.seq_1_to_5000")
        running.sql("ALTER TABLE hs.t ENGINE=S3")
        yield running


def test_rows_are_found_in_the_store(server: PrivateServer, store: s3_store.Store) -> None:
    assert sum(map(len, store.objects.values())) > 500_000
    with Client(server.port) as reader:
        reader.open("hs.t", ["id", "x"])
        reader.open("hs.t", ["id"], "x", 2)
        assert reader.find("=", [77]) == [(b"77", b"7")]
        assert reader.find(">=", [4999], 9) == [(b"4999", b"9"), (b"5000", b"0")]
        assert reader.find("<", [3], 9) == [(b"2", b"2"), (b"1", b"1")]
        assert reader.find("=", [3], 2, id=2) == [(b"3",), (b"13",)]
        assert reader.request(2, "=", 1, 3, 0, 0, "C") == b"0\t1\t500"
        store.is_gone = True
        server.sql("FLUSH TABLES")
        assert reader.request(1, "=", 1, 77) == b"1\t1\topen_table"
        store.is_gone = False
        assert reader.find("=", [77]) == [(b"77", b"7")]


def test_nothing_is_changed_there(server: PrivateServer) -> None:
    with pytest.raises(pymysql.Error, match="read only"):
        server.sql("DELETE FROM hs.t WHERE id = 1")
    with Client(server.port_wr) as writer:
        writer.open("hs.t", ["id", "x"])
        changes = [[1, "+", 2, 9999, 1], [1, "+R", 2, 1, 1], [1, "=", 1, 1, 1, 0, "U", 1, 9], [1, "=", 1, 1, 1, 0, "D"]]
        assert {writer.request(*change) for change in changes} == {READ_ONLY}
        # A find of the write port locks its row for a change.
        assert writer.request(1, "=", 1, 1) == READ_ONLY
        replies = writer.pipeline([line("T", "B"), line(1, "=", 1, 1), line(1, "=", 1, 1, 1, 0, "D"), line("T", "C")])
        assert replies == [b"0\t1", b"0\t2\t1\t1", b"1\t1\tunsupported_table", b"0\t1"]
        assert server.sql("SELECT COUNT(*), SUM(x) FROM hs.t") == [(5000, 22500)]
        server.sql("ALTER TABLE hs.t ENGINE=InnoDB")
        assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, 9) == b"0\t1\t1"
