"""Finds on every kind of index: the rows and their order are those of SQL."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hs_client import Client
from private_server import PrivateServer

Connect = Callable[[int], Client]


def texts(rows: list[tuple[bytes | None, ...]]) -> list[tuple[str | None, ...]]:
    return [tuple(None if v is None else v.decode() for v in row) for row in rows]


def sql_texts(server: PrivateServer, statement: str) -> list[tuple[str | None, ...]]:
    return [
        tuple(None if v is None else str(v) for v in row)
        for row in server.sql(statement, database="hs")
    ]


@pytest.fixture
def numbers(server: PrivateServer, database: str) -> str:
    """Rows 1..20 with a non-unique, a nullable and a two-column index, every third value NULL."""
    server.sql(
        "CREATE TABLE hs.numbers (id INT PRIMARY KEY, tens INT NOT NULL, maybe INT NULL,"
        " name VARCHAR(20) NOT NULL, KEY tens (tens), KEY maybe (maybe), KEY pair (tens, name),"
        " UNIQUE KEY name (name))"
    )
    server.sql(
        "INSERT INTO hs.numbers SELECT seq, seq DIV 10 * 10, IF(seq % 3 = 0, NULL, seq % 5),"
        " CONCAT('n', LPAD(seq, 3, '0')) FROM seq_1_to_20",
        database="hs",
    )
    return "hs.numbers"


SQL_ORDER = {"=": "ASC", ">": "ASC", ">=": "ASC", "<": "DESC", "<=": "DESC"}


@pytest.mark.parametrize("op", list(SQL_ORDER))
@pytest.mark.parametrize("key", [0, 1, 7, 20, 21])
def test_every_operator_on_the_primary_key_gives_the_rows_of_sql_in_its_order(
    server: PrivateServer, reader: Client, numbers: str, op: str, key: int
) -> None:
    reader.open(numbers, ["id", "name"])
    expected = sql_texts(
        server, f"SELECT id, name FROM numbers WHERE id {op} {key} ORDER BY id {SQL_ORDER[op]}"
    )
    assert texts(reader.find(op, [key], 1000)) == expected


@pytest.mark.parametrize("op", list(SQL_ORDER))
@pytest.mark.parametrize("key", [0, 10, 20, 30])
def test_every_operator_on_a_non_unique_index(
    server: PrivateServer, reader: Client, numbers: str, op: str, key: int
) -> None:
    reader.open(numbers, ["id", "tens"], index="tens")
    order = SQL_ORDER[op]
    expected = sql_texts(
        server, f"SELECT id, tens FROM numbers WHERE tens {op} {key} ORDER BY tens {order}, id {order}"
    )
    assert texts(reader.find(op, [key], 1000)) == expected


@pytest.mark.parametrize("op", list(SQL_ORDER))
def test_every_operator_on_a_two_column_index(
    server: PrivateServer, reader: Client, numbers: str, op: str
) -> None:
    reader.open(numbers, ["id"], index="pair")
    order = SQL_ORDER[op]
    expected = sql_texts(
        server,
        f"SELECT id FROM numbers WHERE (tens, name) {op} (10, 'n012')"
        f" ORDER BY tens {order}, name {order}",
    )
    assert texts(reader.find(op, [10, "n012"], 1000)) == expected


@pytest.mark.parametrize("op", list(SQL_ORDER))
def test_a_key_prefix_stands_for_all_rows_that_begin_with_it(
    server: PrivateServer, reader: Client, numbers: str, op: str
) -> None:
    reader.open(numbers, ["id"], index="pair")
    order = SQL_ORDER[op]
    expected = sql_texts(
        server, f"SELECT id FROM numbers WHERE tens {op} 10 ORDER BY tens {order}, name {order}"
    )
    assert texts(reader.find(op, [10], 1000)) == expected


def test_null_keys_find_null_rows_and_sort_first(
    server: PrivateServer, reader: Client, numbers: str
) -> None:
    reader.open(numbers, ["id", "maybe"], index="maybe")
    nulls = sql_texts(server, "SELECT id, maybe FROM numbers WHERE maybe IS NULL ORDER BY id")
    rest = sql_texts(
        server, "SELECT id, maybe FROM numbers WHERE maybe IS NOT NULL ORDER BY maybe, id"
    )
    assert texts(reader.find("=", [None], 1000)) == nulls
    assert texts(reader.find(">=", [None], 1000)) == nulls + rest
    assert texts(reader.find(">", [None], 1000)) == rest
    assert texts(reader.find("<", [None], 1000)) == []
    assert texts(reader.find("<", [0], 1000)) == nulls[::-1]


def test_a_null_key_on_a_not_null_column_finds_nothing(reader: Client, numbers: str) -> None:
    reader.open(numbers, ["id"])
    assert reader.find("=", [None], 10) == []


def test_limit_and_offset(reader: Client, numbers: str) -> None:
    reader.open(numbers, ["id"])

    def ids(*limits: int) -> list[int]:
        return [int(row[0] or -1) for row in reader.find(">=", [3], *limits)]

    assert ids() == [3]
    assert ids(0) == [3]
    assert ids(4) == [3, 4, 5, 6]
    assert ids(2, 3) == [6, 7]
    assert ids(100, 16) == [19, 20]
    assert ids(5, 100) == []
    assert ids(4294967295, 1) == list(range(4, 21))
    assert ids(2147483648, 2147483648) == []


@pytest.mark.parametrize("key", ["99999999999", "-99999999999", "abc", "1x", "", "1.5", "0x1"])
def test_a_key_that_does_not_fit_its_column_finds_nothing(
    reader: Client, numbers: str, key: str
) -> None:
    reader.open(numbers, ["id"])
    assert reader.find("=", [key], 10) == []


def test_a_too_long_string_key_finds_nothing(
    server: PrivateServer, reader: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.short (name VARCHAR(5) PRIMARY KEY)")
    server.sql("INSERT INTO hs.short VALUES ('abcde')")
    reader.open("hs.short", ["name"])
    assert reader.find("=", ["abcdefg"]) == []
    assert reader.find("=", ["abcde"]) == [(b"abcde",)]


def test_keys_compare_by_the_collation_of_their_column(
    server: PrivateServer, reader: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.words (w VARCHAR(20) COLLATE utf8mb4_general_ci PRIMARY KEY,"
        " l VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci, KEY l (l))"
    )
    server.sql("INSERT INTO hs.words VALUES ('Äpfel', 'Äpfel'), ('Birne', 'Birne')")
    reader.open("hs.words", ["w", "l"])
    apple = ("Äpfel".encode(), "Äpfel".encode())
    assert reader.find("=", ["apfel"]) == [apple]
    reader.open("hs.words", ["w", "l"], index="l", id=2)
    assert reader.find("=", ["äPFEL"], id=2) == [apple]
    assert reader.find("=", ["日本"], id=2) == []


def test_an_index_can_be_named_by_number_and_primary_by_nothing(
    reader: Client, numbers: str
) -> None:
    assert reader.raw(b"P\t1\ths\tnumbers\t0\tid") == b"0\t1"
    assert reader.raw(b"P\t2\ths\tnumbers\t\tid") == b"0\t1"
    assert reader.find("=", [5], id=1) == reader.find("=", [5], id=2) == [(b"5",)]
    assert reader.raw(b"P\t3\ths\tnumbers\t99\tid") == b"2\t1\tidxnum"


def test_column_lists_may_repeat_and_may_be_empty(reader: Client, numbers: str) -> None:
    reader.open(numbers, ["id", "id", "tens", "id"])
    assert reader.find("=", [5]) == [(b"5", b"5", b"0", b"5")]
    assert reader.raw(b"P\t2\ths\tnumbers\tPRIMARY\t") == b"0\t1"
    assert reader.raw(b"2\t=\t1\t5") == b"0\t0"


def test_finds_on_the_write_port_lock_their_rows_only_for_the_batch(
    server: PrivateServer, writer: Client, numbers: str
) -> None:
    writer.open(numbers, ["id", "name"])
    assert texts(writer.find("=", [5])) == [("5", "n005")]
    server.sql("UPDATE hs.numbers SET name = 'five' WHERE id = 5")
    assert texts(writer.find("=", [5])) == [("5", "five")]


@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM", "Aria", "MEMORY"])
def test_other_engines(
    server: PrivateServer, reader: Client, writer: Client, engine: str, database: str
) -> None:
    server.sql(
        f"CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(10), KEY v (v) USING BTREE)"
        f" ENGINE={engine}"
    )
    writer.open("hs.t", ["id", "v"])
    for i in range(5):
        assert writer.request(1, "+", 2, i, f"v{i}") == b"0\t1"
        assert server.sql("SELECT COUNT(*) FROM hs.t") == [(i + 1,)]
    reader.open("hs.t", ["id", "v"], index="v")
    assert texts(reader.find(">=", ["v2"], 10)) == [("2", "v2"), ("3", "v3"), ("4", "v4")]
    assert texts(reader.find("<", ["v2"], 10)) == [("1", "v1"), ("0", "v0")]
    assert writer.request(1, ">=", 1, 3, 10, 0, "D") == (
        b"0\t1\t2" if engine != "MEMORY" else b"2\t1\top"
    )
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, "new") == b"0\t1\t1"
    assert server.sql("SELECT v FROM hs.t WHERE id = 1") == [("new",)]
    assert server.sql("CHECK TABLE hs.t")[-1][-1] in ("OK", "The storage engine for the table doesn't support check")


def test_a_hash_index_finds_whole_keys_only(
    server: PrivateServer, reader: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.h (a INT, b INT, KEY ab (a, b) USING HASH) ENGINE=MEMORY"
    )
    server.sql("INSERT INTO hs.h VALUES (1, 1), (1, 2)")
    reader.open("hs.h", ["a", "b"], index="ab")
    assert reader.find("=", [1, 2], 10) == [(b"1", b"2")]
    assert reader.raw(b"1\t>\t2\t1\t1") == b"2\t1\top"
    assert reader.raw(b"1\t=\t1\t1") == b"2\t1\top"


def test_partitioned_tables_keep_index_order_and_the_server_alive(
    server: PrivateServer, reader: Client, writer: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.p (id INT PRIMARY KEY, v INT, KEY v (v)) PARTITION BY HASH (id) PARTITIONS 4"
    )
    server.sql("INSERT INTO hs.p SELECT seq, 100 - seq FROM seq_1_to_50", database="hs")
    reader.open("hs.p", ["id"])
    reader.open("hs.p", ["v"], index="v", id=2)
    for _ in range(3):
        assert reader.find("=", [7], 10) == [(b"7",)]
        assert [int(r[0] or 0) for r in reader.find(">=", [40], 100)] == list(range(40, 51))
        assert [int(r[0] or 0) for r in reader.find("<=", [10], 100)] == list(range(10, 0, -1))
        assert [int(r[0] or 0) for r in reader.find("<", [60], 100, id=2)] == list(range(59, 49, -1))
    writer.open("hs.p", ["id", "v"])
    assert writer.request(1, "+", 2, 1000, 1) == b"0\t1"
    assert writer.request(1, "=", 1, 1000, 1, 0, "U", 1001, 2) == b"0\t1\t1"
    assert writer.request(1, "=", 1, 1001, 1, 0, "D") == b"0\t1\t1"
    assert server.sql("SELECT COUNT(*) FROM hs.p") == [(50,)]


def test_a_table_with_history_is_found_as_it_is_now(
    server: PrivateServer, reader: Client, writer: Client, database: str
) -> None:
    """Also where SQL shows what it was."""
    server.sql("CREATE TABLE hs.v (id INT PRIMARY KEY, a INT) WITH SYSTEM VERSIONING")
    server.sql("INSERT INTO hs.v VALUES (1, 10)")
    server.sql("SET GLOBAL system_versioning_asof = '2001-01-01 00:00:00'")
    try:
        assert server.sql("SELECT * FROM hs.v") == []
        for client in (reader, writer):
            client.open("hs.v", ["id", "a"])
            assert client.request(1, "=", 1, 1) == b"0\t2\t1\t10"
        assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, 11) == b"0\t1\t1"
    finally:
        server.sql("SET GLOBAL system_versioning_asof = DEFAULT")
    assert server.sql("SELECT * FROM hs.v") == [(1, 11)]
