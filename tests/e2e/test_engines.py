"""Ranges and changes on every engine, with and without partitions: the same rows, the same order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hs_client import Client, rows
from private_server import PrivateServer

ENGINES = ["InnoDB", "MyISAM", "Aria", "MEMORY"]
PARTITIONS = {
    "none": "",
    "range": "PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (5),"
    " PARTITION b VALUES LESS THAN (12), PARTITION c VALUES LESS THAN MAXVALUE)",
    "list": "PARTITION BY LIST (id % 3) (PARTITION a VALUES IN (0), PARTITION b VALUES IN (1, 2))",
    "hash": "PARTITION BY HASH (id) PARTITIONS 4",
    "key": "PARTITION BY KEY (id) PARTITIONS 3",
    "sub": "PARTITION BY RANGE (id) SUBPARTITION BY HASH (id) SUBPARTITIONS 2"
    " (PARTITION a VALUES LESS THAN (7), PARTITION b VALUES LESS THAN (1000))",
}
# id -> d: several rows have the same d, and the order of d is not that of id.
ROWS = {i: (i * 7) % 11 // 2 for i in [*range(1, 4), *range(5, 15), 30, 31]}


def make(server: PrivateServer, engine: str, partitions: str) -> None:
    using = "USING BTREE" if engine == "MEMORY" else ""
    server.sql(
        f"CREATE TABLE hs.t (id INT, d INT, x INT, PRIMARY KEY {using} (id), KEY d {using} (d))"
        f" ENGINE={engine} {PARTITIONS[partitions]}"
    )
    refill(server)


def refill(server: PrivateServer) -> None:
    server.sql("DELETE FROM hs.t")
    server.sql("INSERT INTO hs.t VALUES " + ",".join(f"({i},{d},0)" for i, d in ROWS.items()))


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "=<": lambda a, b: a == b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
}

DESCENDING = ("<", "<=", "=<")


def selected(op: str, column: str, key: int) -> list[int]:
    """The values of the index column that a search by it gives, in order."""
    values = [i if column == "id" else d for i, d in ROWS.items()]
    return sorted((v for v in values if COMPARISONS[op](v, key)), reverse=op in DESCENDING)


def table(server: PrivateServer) -> dict[int, tuple[int, int]]:
    return {i: (d, x) for i, d, x in server.sql("SELECT id, d, x FROM hs.t")}


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_ranges_and_changes_are_of_the_rows_that_were_asked_for(
    server: PrivateServer, reader: Client, writer: Client, engine: str, partitions: str
) -> None:
    make(server, engine, partitions)
    for client in (reader, writer):
        client.open("hs.t", ["id", "d"], id=1)
        client.open("hs.t", ["id", "d"], index="d", id=2)
    keys = {"id": [0, 1, 3, 4, 5, 14, 30, 31, 99], "d": [-1, 0, 2, 5, 6]}
    for op in COMPARISONS:
        for id, column in ((1, "id"), (2, "d")):
            for key in keys[column]:
                wanted = selected(op, column, key)
                for client in (reader, writer):
                    found = client.find(op, [key], 100, id=id)
                    assert [int(row[id - 1]) for row in found] == wanted, (op, column, key)
                    assert len(set(found)) == len(found)
                    # The same, row by row.
                    for offset in (0, 1, len(wanted) - 1, len(wanted)) if wanted else (0,):
                        one = client.find(op, [key], 1, offset, id=id)
                        assert one == found[offset : offset + 1], (op, column, key, offset)


@pytest.mark.parametrize("partitions", PARTITIONS)
@pytest.mark.parametrize("engine", ENGINES)
def test_changes_are_of_the_rows_that_a_find_gives(
    server: PrivateServer, writer: Client, engine: str, partitions: str
) -> None:
    make(server, engine, partitions)
    writer.open("hs.t", ["id", "d"], id=1)
    writer.open("hs.t", ["id", "d"], index="d", id=2)
    writer.open("hs.t", ["x"], id=3)
    writer.open("hs.t", ["x"], index="d", id=4)
    whole = table(server)
    for id in (1, 2):
        for op in COMPARISONS:
            for limit, offset in ((1, 2), (100, 0), (3, 1)):
                key = 3
                found = writer.find(op, [key], limit, offset, id=id)
                chosen = {int(row[0]) for row in found}
                count = b"0\t1\t%d" % len(found)
                where = (op, id, limit, offset)

                assert writer.request(id + 2, op, 1, key, limit, offset, "+", 1) == count, where
                assert writer.request(id + 2, op, 1, key, limit, offset, "U", 5) == count, where
                assert table(server) == {
                    i: (d, 5 if i in chosen else x) for i, (d, x) in whole.items()
                }, where
                assert rows(writer.request(id, op, 1, key, limit, offset, "D?")) == found, where
                assert set(table(server)) == set(whole) - chosen, where
                refill(server)


def test_a_delete_takes_no_row_beside_its_range(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.m (id INT, d INT, PRIMARY KEY USING BTREE (id), KEY k USING BTREE (d))"
        " ENGINE=MEMORY"
    )
    server.sql("INSERT INTO hs.m VALUES (20,5),(1,5),(3,5),(4,4),(7,6)")
    writer.open("hs.m", ["id"], index="k")
    assert len(writer.find(">", [4], 9)) == 4
    assert len(rows(writer.request(1, ">", 1, 4, 9, 1, "D?"))) == 3
    assert server.sql("SELECT COUNT(*), MIN(d) FROM hs.m") == [(2, 4)]


def test_a_row_that_a_cascade_has_moved_out_of_the_range_is_left_alone(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.c (id INT PRIMARY KEY, parent INT, KEY (parent),"
        " FOREIGN KEY (parent) REFERENCES hs.c (id) ON DELETE SET NULL)"
    )
    server.sql("INSERT INTO hs.c VALUES (1, NULL), (2, 1), (3, 2), (4, 3)")
    writer.open("hs.c", ["id"], index="parent")
    # Without row 2 row 3 has no parent. Without row 4 no row is left.
    assert rows(writer.request(1, ">=", 1, 1, 9, 0, "D?")) == [(b"2",), (b"4",)]
    assert server.sql("SELECT * FROM hs.c") == [(1, None), (3, None)]


def test_a_find_on_the_write_port_sees_rows_that_the_engine_keeps_back(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("INSTALL SONAME 'ha_archive'")
    try:
        server.sql("CREATE TABLE hs.a (id INT AUTO_INCREMENT, x INT, KEY (id)) ENGINE=ARCHIVE")
        writer.open("hs.a", ["id", "x"], index="id")
        for i in range(1, 6):
            assert writer.request(1, "+", 2, i, 10 * i).startswith(b"0\t")
            assert writer.find("=", [i]) == [(b"%d" % i, b"%d" % (10 * i))]
            assert writer.request(1, "=", 1, i, 1, 0, "C") == b"0\t1\t1"
    finally:
        server.sql("DROP TABLE IF EXISTS hs.a")
        server.sql("UNINSTALL SONAME 'ha_archive'")


def test_engines_that_need_a_statement_of_sql_are_refused(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    server.sql("INSTALL SONAME 'ha_sphinx'")
    try:
        server.sql(
            "CREATE TABLE hs.t (id BIGINT UNSIGNED NOT NULL, weight INT NOT NULL, q VARCHAR(99) NOT NULL,"
            " KEY (q)) ENGINE=SPHINX"
        )
        for client in (reader, writer):
            assert client.request("P", 1, "hs", "t", "q", "id") == b"1\t1\tunsupported_table"
    finally:
        server.sql("DROP TABLE IF EXISTS hs.t")
        server.sql("UNINSTALL SONAME 'ha_sphinx'")


def test_a_range_is_refused_where_the_engine_does_not_read_in_order(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    server.sql("INSTALL SONAME 'ha_federatedx'")
    try:
        server.sql("CREATE TABLE hs.far (id INT PRIMARY KEY, d INT, KEY (d))")
        server.sql("INSERT INTO hs.far VALUES (1, 3), (2, 2), (3, 1)")
        server.sql("CREATE USER far@'127.0.0.1'")
        server.sql("GRANT ALL ON hs.* TO far@'127.0.0.1'")
        place = f"mysql://far@127.0.0.1:{server.sql_port}/hs/far"
        server.sql(
            f"CREATE TABLE hs.t (id INT PRIMARY KEY, d INT, KEY (d)) ENGINE=FEDERATED CONNECTION='{place}'"
        )
        for client in (reader, writer):
            client.open("hs.t", ["id", "d"], index="d")
            assert client.find("=", [2]) == [(b"2", b"2")]
            for operator in (">", ">=", "<", "<=", "=<"):
                assert client.request(1, operator, 1, 2, 9) == b"2\t1\top"
    finally:
        server.sql("DROP TABLE IF EXISTS hs.t")
        server.sql("DROP USER IF EXISTS far@'127.0.0.1'")
        server.sql("UNINSTALL SONAME 'ha_federatedx'")
