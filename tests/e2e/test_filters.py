"""Filters, IN, increments and the `?` forms against a real server."""

from __future__ import annotations

import itertools

import pymysql
import pytest
from hs_client import Client, Value, line, rows
from private_server import PrivateServer
from pymysql.cursors import Cursor

SQL_OPS = {"=": "<=>", "!=": "<=>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@pytest.fixture
def table(server: PrivateServer, database: str) -> str:
    server.sql(
        "CREATE TABLE hs.f (id INT PRIMARY KEY, i TINYINT, u INT UNSIGNED, d DECIMAL(6,2), f DOUBLE,"
        " s VARCHAR(10) COLLATE utf8mb4_general_ci, b VARBINARY(10), t DATE, ts DATETIME(3), x TEXT,"
        " l VARCHAR(10) CHARACTER SET latin1)"
    )
    server.sql(
        "INSERT INTO hs.f VALUES (1, -5, 0, -1.50, -0.5, 'Apple', 'a', '2020-01-01', '2020-01-01 00:00:00.5', 'x', 'ä'),"
        " (2, 0, 7, 0, 0, 'banana', 'B', '2021-06-30', '2021-06-30 12:00:00', 'y', 'z'),"
        " (3, 127, 4294967295, 9999.99, 1e100, 'cherry', '', '1999-12-31', '1999-12-31 23:59:59.999', '', 'A'),"
        " (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
    )
    return "hs.f"


VALUES: dict[str, list[Value]] = {
    "i": [-5, 0, 127, 300, -300, "1.5", "-4.5", None],
    "u": [0, 7, 4294967295, -1, 99999999999, None],
    "d": ["-1.5", "0", "9999.99", "9999.995", "-1.501", "123456", None],
    "f": ["-0.5", "0", "1e100", None],
    "s": ["apple", "BANANA", "b", "a very long value that does not fit", "", None],
    "b": ["a", "A", "", None],
    "t": ["2020-01-01", "2021-06-30", "1999-12-31", None],
    "ts": ["2020-01-01 00:00:00.5", "2021-06-30 12:00:00", None],
    "l": ["Ä", "z", "a", None],
}


@pytest.mark.parametrize("column", list(VALUES))
def test_filters_compare_as_sql_does_and_null_is_least(
    server: PrivateServer, reader: Client, table: str, column: str
) -> None:
    reader.open(table, ["id"], filters=[column])
    for op, value in itertools.product(SQL_OPS, VALUES[column]):
        if value is None:
            condition = {
                "=": f"{column} IS NULL",
                "!=": f"{column} IS NOT NULL",
                ">": f"{column} IS NOT NULL",
                "<": "FALSE",
                "<=": f"{column} IS NULL",
                ">=": "TRUE",
            }[op]
            expected = server.sql(f"SELECT id FROM hs.f WHERE {condition} ORDER BY id")
        else:
            nulls = f" OR {column} IS NULL" if op in ("!=", "<", "<=") else ""
            expected = server.sql(
                f"SELECT id FROM hs.f WHERE {column} {op} %s{nulls} ORDER BY id", [value]
            )
        reply = reader.request(1, ">=", 1, 0, 100, 0, "F", op, 0, value)
        assert rows(reply) == [(str(r[0]).encode(),) for r in expected], (column, op, value)


def test_filters_skip_or_stop_and_offset_counts_after_them(reader: Client, table: str) -> None:
    reader.open(table, ["id"], filters=["i", "id"])
    find = [1, ">=", 1, 0, 100]
    assert rows(reader.request(*find, 0, "F", "!=", 1, 2)) == [(b"1",), (b"3",), (b"4",)]
    assert rows(reader.request(*find, 0, "W", "!=", 1, 2)) == [(b"1",)]
    assert rows(reader.request(*find, 1, "F", "!=", 1, 2)) == [(b"3",), (b"4",)]
    assert rows(reader.request(*find, 0, "F", ">", 1, 1, "F", "<", 0, 100)) == [(b"2",), (b"4",)]
    assert reader.request(*find, 0, "F", "=", 2, 1) == b"2\t1\tfilterfld"
    assert reader.request(*find, 0, "FF", "=", 0, 1) == b"2\t1\tfiltertype"
    assert reader.request(*find, 0, "F", "~", 0, 1) == b"2\t1\top"


def test_a_blob_is_filtered_by_null_only(reader: Client, table: str) -> None:
    reader.open(table, ["id"], filters=["x"])
    assert reader.request(1, ">=", 1, 0, 9, 0, "F", "=", 0, "x") == b"2\t1\tfilterblob"
    assert rows(reader.request(1, ">=", 1, 0, 9, 0, "F", "=", 0, None)) == [(b"4",)]


def test_in_reads_one_row_for_each_value_in_list_order(reader: Client, table: str) -> None:
    reader.open(table, ["id"], filters=["i"])
    assert rows(reader.request(1, "=", 1, 0, 9, 0, "@", 0, 4, 3, 9, 1, 3)) == [(b"3",), (b"1",), (b"3",)]
    assert rows(reader.request(1, "=", 1, None, 2, 1, "@", 0, 3, 1, 2, 3)) == [(b"2",), (b"3",)]
    assert rows(reader.request(1, ">", 1, 0, 9, 0, "@", 0, 2, 1, 2)) == [(b"2",), (b"3",)]
    assert rows(reader.request(1, "=", 1, 0, 9, 0, "@", 0, 3, 1, 2, 3, "F", ">=", 0, 0)) == [(b"2",), (b"3",)]
    assert reader.request(1, "=", 1, 0, 9, 0, "@", 1, 1, 1) == b"2\t1\tkpnum"
    assert reader.request(1, "=", 1, 0, 9, 0, "@", 0, 0) == b"2\t1\tinvalueslen"


@pytest.mark.parametrize("mode", ["STRICT_TRANS_TABLES", "TIME_ROUND_FRACTIONAL"])
def test_digits_of_a_second_that_the_column_lacks_count_in_a_comparison(
    server: PrivateServer, reader: Client, database: str, mode: str
) -> None:
    server.sql("CREATE TABLE hs.c (id INT PRIMARY KEY, t TIME(1), d DATETIME)")
    server.sql(
        "INSERT INTO hs.c VALUES (1, '01:02:03.4', '2020-01-02 03:04:05'),"
        " (2, '-01:02:03.4', '2020-01-02 03:04:06'), (3, '01:02:03.5', '2020-01-02 03:04:07')"
    )
    before = server.sql("SELECT @@GLOBAL.sql_mode")[0][0]
    server.sql("SET GLOBAL sql_mode = %s", [mode])
    try:
        reader.open("hs.c", ["id"], filters=["t", "d"])
        for column, values in (
            ("t", ["01:02:03.4", "01:02:03.40", "01:02:03.44", "01:02:03.46", "-01:02:03.44"]),
            ("t", ["-01:02:03.46", "01:02:03.400001", "01:02:03"]),
            ("d", ["2020-01-02 03:04:06", "2020-01-02 03:04:06.0", "2020-01-02 03:04:06.4"]),
            ("d", ["2020-01-02 03:04:06.6", "2020-01-02 03:04:05.999999"]),
        ):
            for value in values:
                for operator in ("=", "!=", "<", "<=", ">", ">="):
                    number = ["t", "d"].index(column)
                    reader.send(line(1, ">=", 1, 0, 9, 0, "F", operator, number, value))
                    sql = server.sql(
                        f"SELECT id FROM hs.c WHERE {column} {operator} %s ORDER BY id", [value]
                    )
                    port = reader.read_line().split(b"\t")[2:]
                    assert port == [b"%d" % key for (key,) in sql], (value, operator)
    finally:
        server.sql("SET GLOBAL sql_mode = %s", [before])


@pytest.fixture
def counters(server: PrivateServer, database: str) -> str:
    server.sql(
        "CREATE TABLE hs.n (id INT PRIMARY KEY, a INT, s SMALLINT UNSIGNED, b BIGINT, v VARCHAR(20),"
        " d DECIMAL(8,2), KEY a (a))"
    )
    server.sql("INSERT INTO hs.n VALUES (1, 10, 5, 0, '7', '1.50'), (2, NULL, 0, -3, 'x', '-0.25')")
    return "hs.n"


def values(server: PrivateServer, id_: int) -> tuple[object, ...]:
    return server.sql("SELECT a, s, b, v, CAST(d AS CHAR) FROM hs.n WHERE id = %s", [id_])[0]


def test_increments_are_those_of_sql_or_an_error(
    server: PrivateServer, writer: Client, counters: str
) -> None:
    writer.open(counters, ["a", "s", "b", "v", "d"])

    def add(key: int, *operands: Value, op: str = "+") -> bytes:
        return writer.request(1, "=", 1, key, 1, 0, op, *operands).split(b" ")[0]

    assert add(1, 5, 1, 2, 3, 1) == b"0\t1\t1"
    assert values(server, 1) == (15, 6, 2, "10", "2.50")
    assert add(2, 5, 1, 1, None, 1) == b"0\t1\t1"
    assert values(server, 2) == (None, 1, -2, "x", "0.75")
    before = values(server, 1)
    for operands, reply in [
        ((99999999999, 0, 0, 0, 0), b"1\t1\tsql_1264"),
        ((0, 99999, 0, 0, 0), b"1\t1\tsql_1264"),
        (("1.9", 0, 0, 0, 0), b"2\t1\tnumber"),
        (("abc", 0, 0, 0, 0), b"2\t1\tnumber"),
        ((1, 1), b"2\t1\tmissing_value"),
    ]:
        assert add(1, *operands) == reply
        assert values(server, 1) == before
    assert add(2, 0, 0, 0, 1, 0) == b"1\t1\tnot_a_number"
    assert add(1, 0, 6, 0, 0, 0, op="-") == b"0\t1\t1"
    assert add(1, 0, 1, 0, 0, 0, op="-").startswith(b"1\t1\tsql_1264")
    assert add(1, 16, 0, 0, 0, 0, op="-") == b"0\t1\t0"
    assert values(server, 1)[0] == 15


def test_columns_whose_text_is_not_their_number_cannot_be_counted(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.x (id INT PRIMARY KEY, b BIT(8), e ENUM('10','20'), d DATE, y YEAR)")
    server.sql("INSERT INTO hs.x VALUES (1, b'111', '10', '2020-01-01', 2020)")
    before = server.sql("SELECT b, e, d FROM hs.x")
    for column in ("b", "e", "d"):
        writer.open("hs.x", [column])
        assert writer.request(1, "=", 1, 1, 1, 0, "+", 1) == b"1\t1\tnot_a_number"
    assert server.sql("SELECT b, e, d FROM hs.x") == before
    writer.open("hs.x", ["y"])
    assert writer.request(1, "=", 1, 1, 1, 0, "+", 1) == b"0\t1\t1"
    assert server.sql("SELECT y FROM hs.x") == [(2021,)]


REALS = {
    "FLOAT": ["0", "0.1", "2.5", "16777216", "-16777217", "123456.789", "1e30", "3.4028234e38", "4.9999995"],
    "DOUBLE": ["0", "0.1", "-2.5", "9007199254740993", "1e300", "1.7976931348623157e308", "5e-324"],
    "FLOAT(7,4)": ["0.5", "1.2345", "999.9999", "-999.9999"],
    "DOUBLE(5,3)": ["0.001", "99.999", "-98.5"],
    "FLOAT(7,2)": ["7.25", "99999.99"],
    "DOUBLE UNSIGNED": ["0", "0.25", "7", "18446744073709551615"],
}
REAL_OPERANDS = [
    "1", "-1", "0", "+7", "100", "-3", "9007199254740993", "18446744073709551615", "-9223372036854775808",
]  # fmt: skip


@pytest.mark.parametrize("mode", ["STRICT_TRANS_TABLES", ""])
def test_floats_and_doubles_are_counted_as_sql_adds(
    server: PrivateServer, writer: Client, database: str, mode: str
) -> None:
    before = server.sql("SELECT @@GLOBAL.sql_mode")[0][0]
    server.sql("SET GLOBAL sql_mode = %s", [mode])
    connection = server.connect()
    try:
        with connection.cursor() as sql:
            for number, (kind, numbers) in enumerate(REALS.items()):
                table = f"hs.r{number}"
                sql.execute(f"CREATE TABLE {table} (id INT PRIMARY KEY, v {kind} NULL)")
                rows = ", ".join(f"({i}, {n})" for i, n in enumerate([*numbers, "NULL"]))
                sql.execute(f"INSERT INTO {table} VALUES {rows}")
                sql.execute(f"CREATE TABLE {table}_twin SELECT * FROM {table}")
                writer.open(table, ["v"])
                for row, operator, operand in itertools.product(
                    range(len(numbers) + 1), "+-", REAL_OPERANDS
                ):
                    check_one_count(sql, writer, table, row, operator, operand)
    finally:
        connection.close()
        server.sql("SET GLOBAL sql_mode = %s", [before])


def check_one_count(
    sql: Cursor, writer: Client, table: str, row: int, operator: str, operand: str
) -> None:
    count = f"{operator} ({operand})"
    sql.execute(
        f"SELECT CAST(v AS DOUBLE), CAST(v AS CHAR), CAST(v AS DOUBLE) {count}"
        f" FROM {table}_twin WHERE id = {row}"
    )
    exact, printed, after = sql.fetchall()[0]
    what = (table, row, count, exact)
    expected = b"0\t1\t" + (b"\0" if printed is None else printed.encode())
    if operator == "+" or exact is None or exact * after >= 0:
        try:
            sql.execute(f"UPDATE {table}_twin SET v = v {count} WHERE id = {row}")
        except pymysql.Error as error:
            expected = b"1\t1\tsql_%d" % error.args[0]
    reply = writer.request(1, "=", 1, row, 1, 0, operator + "?", operand)
    assert reply.split(b" ")[0] == expected, what
    stored = []
    for one in (table, f"{table}_twin"):
        sql.execute(f"SELECT CAST(v AS DOUBLE), CAST(v AS CHAR) FROM {one} WHERE id = {row}")
        stored.append(sql.fetchall())
    assert stored[0] == stored[1], what


def test_a_float_that_is_listed_twice_is_rounded_as_often_as_by_sql(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.x (id INT PRIMARY KEY, f FLOAT)")
    server.sql("INSERT INTO hs.x VALUES (1, 16777216), (2, 16777216)")
    writer.open("hs.x", ["f", "f"])
    assert writer.request(1, "=", 1, 1, 1, 0, "+", 1, 1) == b"0\t1\t1"
    server.sql("UPDATE hs.x SET f = f + 1, f = f + 1 WHERE id = 2")
    assert server.sql("SELECT CAST(f AS DOUBLE) FROM hs.x") == [(16777216.0,)] * 2
    assert writer.request(1, "=", 1, 1, 1, 0, "+", 2, None) == b"0\t1\t1"
    assert server.sql("SELECT CAST(f AS DOUBLE) FROM hs.x WHERE id = 1") == [(16777218.0,)]
