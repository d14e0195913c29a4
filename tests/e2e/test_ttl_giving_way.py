"""Rows that have expired give way to inserts and updates."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hs_client import Client, line
from private_server import PrivateServer
from ttl_tables import create

pytestmark = pytest.mark.usefixtures("no_purge")


def test_an_insert_takes_the_place_of_a_row_that_has_expired(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server)
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'old', '2000-01-01', 10), (2, 1, 'old', NULL, 20), (3, 1, 'old', '2000-01-01', 30)")
    client = connect(server.port_wr)
    client.open("hs.t", ["id", "v", "u"])
    assert client.request(1, "+", 3, 1, "new", 11) == b"0\t1"
    assert client.request(1, "+", 3, 2, "new", 22) == b"1\t1\t121"
    assert client.request(1, "+", 3, 4, "new", 20) == b"1\t1\t121"
    assert client.request(1, "+", 3, 4, "new", 30) == b"0\t1"
    # One in the way has expired, another one not: nothing is changed.
    server.sql("INSERT INTO hs.t VALUES (5, 1, 'old', '2000-01-01', 50)")
    assert client.pipeline([line(1, "+", 3, 6, "new", 60), line(1, "+", 3, 5, "new", 20)]) == [b"0\t1", b"1\t1\t121"]
    assert server.sql("SELECT id, v, u FROM hs.t") == [
        (1, "new", 11), (2, "old", 20), (4, "new", 30), (5, "old", 50), (6, "new", 60)
    ]
    server.sql("FLUSH TABLES")
    assert server.sql("CHECK TABLE hs.t EXTENDED")[-1][-1] == "OK"


def test_an_update_takes_the_place_of_a_row_that_has_expired(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server, more=", b TEXT")
    server.sql(
        "INSERT INTO hs.t VALUES (1, 1, 'old', '2000-01-01', 10, REPEAT('x', 9000)),"
        " (2, 1, 'old', NULL, 20, REPEAT('y', 9000)), (3, 1, 'old', NULL, 30, 'z')"
    )
    client = connect(server.port_wr)
    client.open("hs.t", ["id"])
    client.open("hs.t", ["u"], id=2)
    assert client.request(1, "=", 1, 2, 1, 0, "U", 1) == b"0\t1\t1"
    assert client.request(2, "=", 1, 3, 1, 0, "U", 20) == b"1\t1\t121"
    assert server.sql("SELECT id, u, b = REPEAT('y', 9000) FROM hs.t") == [(1, 20, 1), (3, 30, 0)]
    server.sql("INSERT INTO hs.t VALUES (4, 1, 'old', '2000-01-01', 25, ''), (5, 1, 'old', '2000-01-01', 35, '')")
    assert client.request(2, ">=", 1, 1, 9, 0, "+", 5) == b"0\t1\t2"
    assert server.sql("SELECT id, u FROM hs.t") == [(1, 25), (3, 35)]


def test_what_gives_way_is_deleted_in_the_log_and_for_foreign_keys(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server)
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES hs.t (id) ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'old', '2000-01-01', 10)")
    server.sql("INSERT INTO hs.child VALUES (1, 1)")
    server.sql("FLUSH BINARY LOGS")
    client = connect(server.port_wr)
    client.open("hs.t", ["id", "v"])
    assert client.request(1, "+", 2, 1, "new") == b"0\t1"
    assert server.sql("SELECT COUNT(*) FROM hs.child") == [(0,)]
    file = server.sql("SHOW MASTER STATUS")[0][0]
    events = [event[2] for event in server.sql(f"SHOW BINLOG EVENTS IN '{file}'")]
    assert events.index("Delete_rows_v1") < events.index("Write_rows_v1")
    server.sql("DROP TABLE hs.child")


@pytest.mark.parametrize("engine", ["MyISAM", "Aria", "MEMORY"])
def test_rows_give_way_in_other_engines(
    server: PrivateServer, database: str, connect: Callable[[int], Client], engine: str
) -> None:
    create(server, more=f") ENGINE = {engine} COMMENT 'hs: ttl=e' -- ")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'old', '2000-01-01', 10), (2, 1, 'old', NULL, 20)")
    client = connect(server.port_wr)
    client.open("hs.t", ["id", "v", "u"])
    assert client.request(1, "+", 3, 1, "new", 11) == b"0\t1"
    assert client.request(1, "+", 3, 3, "new", 20) == b"1\t1\t121"
    assert server.sql("SELECT id, v, u FROM hs.t ORDER BY id") == [(1, "new", 11), (2, "old", 20)]


def test_many_insert_over_the_same_rows(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'old', '2000-01-01', seq FROM hs.seq_1_to_20")
    clients = [Client(server.port_wr) for _ in range(30)]
    for client in clients:
        client.open("hs.t", ["id", "v"])
        client.send(b"".join(line(1, "+", 2, key, "new") for key in range(1, 21)))
    replies = [[client.read_line() for _ in range(20)] for client in clients]
    for number, one in enumerate(zip(*replies, strict=True)):
        assert sorted(set(one)) == [b"0\t1", b"1\t1\t121"] and one.count(b"0\t1") == 1, (number, one)
    for client in clients:
        client.close()
