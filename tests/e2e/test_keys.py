"""Keys as SQL compares them: a range takes any text, `=` and changes only what the column can hold."""

from __future__ import annotations

import on_mysql
import pymysql
import pytest
from hs_client import Client, rows
from private_server import PrivateServer

# Values of the rows, texts that the type can hold, texts that it cannot.
Texts = tuple[list[str], list[str], list[str]]
COLUMNS: dict[str, Texts] = {
    "TINYINT": (
        ["-128", "-1", "0", "5", "12", "127"],
        ["5", " 5", "\t5", "5 ", "+5", "5.0", "12e0", "-1", "0", "127", "-128", "7"],
        ["300", "-300", "128", "-129", "5.5", "-0.5", "0.4", "abc", "", "12abc", "1e400",
         "-1e400", "1e-400", "x5", "-", "+-5", "+ 5", "+\t5", "- 5", "99999999999999999999999", "0x10"],
    ),
    "SMALLINT UNSIGNED": (
        ["0", "1", "65535"], ["0", "1", "65535", "-0"], ["-1", "65536", "0.5", "-0.5", "", "z"],
    ),
    "BIGINT": (
        ["-9223372036854775808", "-1", "0", "9223372036854775807"],
        ["9223372036854775807", "-9223372036854775808", "-1"],
        ["1e19", "-1e19", "1e100", "-1e100", "0.5", "abc"],
    ),
    "BIGINT UNSIGNED": (
        ["0", "5", "9223372036854775808", "18446744073709551615"],
        ["18446744073709551615", "0", "5"],
        ["-1", "-5.5", "1e20", "5.5", "abc", ""],
    ),
    "INT ZEROFILL": (["0", "7", "42"], ["00042", "7"], ["41.9", "-1", ""]),
    "DECIMAL(5,2)": (
        ["-999.99", "-1.50", "0.00", "1.50", "1.51", "999.99"],
        ["1.5", "1.500", "-1.50", "0", "999.99"],
        ["1.505", "1.501", "-1.505", "1000", "-1000", "1e100", "abc", "", "1.5x", "0.001"],
    ),
    "FLOAT": (["-1.5", "0", "0.25", "3", "1e30"], ["0.25", "3", "3 ", "1e30", "2.5e-1"],
              ["1e39", "-1e39", "abc", "", "3x"]),
    "FLOAT(7,4)": (["-1.5", "0", "1.2345", "1.2346", "9.5"], ["1.5", "1.2345", "1.23450", "0"],
                   ["1.23456", "1.23454", "1.23459", "99999", "-99999", "abc"]),
    "DOUBLE": (["-1.5", "0", "0.1", "0.2", "1e300"], ["0.1", "1e-1", "0.2 "],
               ["abc", "", "0.1z"]),
    "DOUBLE(5,3)": (["-1.5", "0", "1.234", "1.235", "99.999"], ["1.234", "1.2340", "-1.5"],
                    ["1.2345", "1.2341", "100", "-100.5", "1.2339"]),
    "DATE": (
        ["2019-12-31", "2020-01-02", "2020-02-29", "2020-03-01"],
        ["2020-01-02", "20200102", "2020-1-2", "2020-01-02 00:00:00", "2020-01-03"],
        ["2020-01-02 12:00:00", "2020-02-30", "2020-02-31", "2020-01-02x", "abc", "",
         "2020-01-02 00:00:00.5"],
    ),
    "DATETIME": (
        ["2019-12-31 23:59:59", "2020-01-02 00:00:00", "2020-02-29 12:00:00", "2020-03-01 00:00:00"],
        ["2020-01-02", "2020-01-02 00:00:00", "2020-01-02 00:00:00.000", "20200102000000"],
        ["2020-01-02 00:00:00.5", "2020-01-02 00:00:00.000001", "2020-02-30", "abc", "",
         "2020-01-01 23:59:59.999999"],
    ),
    "DATETIME(3)": (
        ["2020-01-02 00:00:00.122", "2020-01-02 00:00:00.123", "2020-01-02 00:00:00.124"],
        ["2020-01-02 00:00:00.123", "2020-01-02 00:00:00.1230"],
        ["2020-01-02 00:00:00.1235", "2020-01-02 00:00:00.1229999", "2020-01-02 00:00:00.12300001"],
    ),
    "TIMESTAMP": (
        ["1970-01-02 00:00:00", "2020-01-02 00:00:00", "2020-02-29 12:00:00", "2038-01-18 00:00:00"],
        ["2020-01-02", "2020-01-02 00:00:00"],
        ["2020-01-02 00:00:00.5", "1960-01-01", "2150-01-01", "abc", "", "2020-02-30", "2020-01-00",
         "2020-00-00", "2020-03-00", "25:00:00"],
    ),
    "TIMESTAMP(6)": (
        ["2020-01-02 00:00:00.000001", "2020-01-02 00:00:00.000002"],
        ["2020-01-02 00:00:00.000001"],
        ["2020-01-02 00:00:00.0000015", "2020-02-30 00:00:00", "2139-01-01", "9999-12-31 01:02:03.5",
         "1960-01-01 01:02:03.5"],
    ),
    "TIME": (
        ["-00:00:01", "00:00:00", "00:00:02", "12:30:00", "838:59:59"],
        ["00:00:02", "2", "12:30", "123000", "-00:00:01", "00:00:02.000"],
        ["00:00:02.5", "-00:00:00.5", "900:00:00", "-900:00:00", "abc", ""],
    ),
    "TIME(3)": (["00:00:01.122", "00:00:01.123"], ["00:00:01.123", "00:00:01.1230"],
                ["00:00:01.1229", "00:00:01.1231"]),
    "YEAR": (["0000", "1901", "1999", "2000", "2155"], ["1999", "1999 ", "99", "0", "0000", "2000.0"],
             ["1800", "3000", "2000.5", "-1", "abc", "1900.5"]),
    "CHAR(5) COLLATE utf8mb4_nopad_bin": (["", "abc", "abd", "b"], ["abc", "", "abd"],
                                          ["abc ", "abcdef", "abd  ", "bbbbbbb"]),
    "VARCHAR(3)": (["", "ABC", "abd", "b"], ["abc", "abc ", "abc     ", "", " "],
                   ["abcd", "abca", "bbbb", "aaaa"]),
    "VARCHAR(3) COLLATE utf8mb4_nopad_bin": (["", "abc", "abc ", "b"], ["abc", ""],
                                             ["abcd", "abc  ", "bbbb"]),
    "VARCHAR(2) COLLATE utf8mb4_unicode_ci": (["", "as", "aß", "at", "b"], ["AS", "aß", "b "],
                                              ["asss", "ast", "bbbb", "aßx", "at\0"]),
    "VARCHAR(2) COLLATE utf8mb4_czech_ci": (["c", "ch", "d", "h", "i"], ["ch", "h"],
                                            ["chx", "hhh", "cha", "ccc"]),
    "VARCHAR(5) CHARACTER SET latin1": (["a", "é", "z"], ["é", "z ", "A"], ["ééééééé", "zzzzzzz"]),
    "VARCHAR(5) CHARACTER SET ucs2": (["a", "é", "z"], ["é", "z"], ["zzzzzzz"]),
    "BINARY(5)": (["ab\0\0\0", "ac\0\0\0", "ad\0\0\0"], ["ac\0\0\0", "ad\0\0\0"],
                  ["ac", "ad", "ac\0", "abcdefgh", "acx\0\0\0\0", ""]),
    "VARBINARY(3)": (["", "ab", "ab\0", "abc"], ["ab", "ab\0", ""], ["abcd", "ab\0\0"]),
    "UUID": (
        ["123e4567-e89b-12d3-a456-426655440000", "223e4567-e89b-12d3-a456-426655440000"],
        ["123e4567e89b12d3a456426655440000", "223E4567-E89B-12D3-A456-426655440000"],
        ["abc", "", "123e4567-e89b-12d3-a456-42665544000"],
    ),
    "INET6": (["::1", "2001:db8::1"], ["::1", "0::1", "2001:DB8::1"], ["abc", "", "1::2::3"]),
    "INET4": (["1.2.3.4", "10.0.0.1"], ["1.2.3.4"], ["::1", "abc", "1.2.3"]),
    "ENUM('9','a','b')": (["9", "a", "b"], ["a", "A", "9", "b "], ["2", "zz", "1", "0", "10"]),
    "SET('a','b','z')": (["", "a", "b", "a,b", "z"], ["a,b", "", "B"],
                         ["b,a", "1", "3", "zz", "a,a", "a,q"]),
}  # fmt: skip
ER_WRONG_VALUE = 1525
ER_DATA_OUT_OF_RANGE = 1690
# MySQL compares what is no TIME as text (docs/servers.md).
NO_TIMES_OF_MYSQL = {"abc", "", "-900:00:00"}
OPERATORS = ["<", "<=", ">", ">="]


def is_no_change(reply: bytes) -> bool:
    return reply == b"0\t1\t0" or (on_mysql.IS_MYSQL and reply.startswith(b"1\t1\tsql_1525 "))


def is_named(column: str) -> bool:
    return column.startswith(("ENUM", "SET"))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("column", COLUMNS)
def test_a_comparison_is_that_of_sql(
    server: PrivateServer, reader: Client, writer: Client, column: str, descending: bool
) -> None:
    compare_with_sql(server, reader, writer, column, COLUMNS[column], descending)


def compare_with_sql(
    server: PrivateServer,
    reader: Client,
    writer: Client,
    column: str,
    texts: Texts,
    descending: bool,
) -> None:
    """Rows with these values in a column of the type are found as SQL finds them: by keys, ranges and
    filters."""
    values, fitting, misfits = texts
    direction = "DESC" if descending else ""
    server.sql(
        f"CREATE TABLE hs.k (id INT PRIMARY KEY, g INT, v {column} NOT NULL, x INT DEFAULT 0,"
        f" KEY v (v {direction}),"
        f" KEY gv (g, v {direction}), KEY vg (v {direction}, g))"
    )
    connection = server.connect(database="hs")
    with connection.cursor() as cursor:
        cursor.execute("SET sql_mode = ''")
        for id, value in enumerate(values):
            cursor.execute("INSERT INTO k (id, g, v) VALUES (%s, 1, %s)", (id, value))

        def ask_sql(op: str, text: str) -> set[int] | None:
            """None: MySQL refuses what is no date."""
            # The text that was read from a FLOAT must find its row, so it is read as FLOAT.
            operand = "CAST(%s AS FLOAT)" if column.startswith("FLOAT") else "%s"
            try:
                cursor.execute(f"SELECT id FROM k USE INDEX () WHERE v {op} {operand}", (text,))
            except pymysql.err.OperationalError as error:
                assert on_mysql.IS_MYSQL
                if error.args[0] == ER_WRONG_VALUE:
                    return None
                assert error.args[0] == ER_DATA_OUT_OF_RANGE and column.startswith("FLOAT")
                cursor.execute(f"SELECT id FROM k USE INDEX () WHERE v {op} %s", (text,))
            return {id for (id,) in cursor.fetchall()}

        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="} if descending else {}
        cursor.execute("SELECT id FROM k FORCE INDEX (v) ORDER BY v" + (" DESC" if descending else ""))
        order = [id for (id,) in cursor.fetchall()]
        for client in (reader, writer):
            client.open("hs.k", ["id"], index="v", id=1, filters=["v"])
            client.open("hs.k", ["id"], index="gv", id=2)
            client.open("hs.k", ["id"], index="vg", id=4)
        left_out = NO_TIMES_OF_MYSQL if on_mysql.IS_MYSQL and column.split("(")[0] == "TIME" else set()
        for text in fitting + [text for text in misfits if text not in left_out]:
            wanted = ask_sql("=", text) if text in fitting else set()
            for client in (reader, writer):
                assert {int(r[0]) for r in client.find("=", [text], 99)} == wanted, text
                assert {int(r[0]) for r in client.find("=", [1, text], 99, id=2)} == wanted, text
            for op in OPERATORS:
                # Members are in the order of their numbers, and not of their names.
                if is_named(column) and text in fitting:
                    continue
                ids = ask_sql(turned.get(op, op), text)
                if ids is None:
                    for client in (reader, writer):
                        for request in ((1, op, 1, text, 99), (2, op, 2, 1, text, 99)):
                            assert client.request(*request).startswith(b"1\t1\tsql_1525 "), text
                    continue
                ordered = [id for id in (order if op[0] == ">" else order[::-1]) if id in ids]
                where = (op, text)
                for client in (reader, writer):
                    found = [int(r[0]) for r in client.find(op, [text], 99)]
                    assert found == ordered, where
                    found = [int(r[0]) for r in client.find(op, [1, text], 99, id=2)]
                    assert found == ordered, where
                # Rows are compared as wholes: here with g = 5, while all of them have 1.
                ids = ask_sql(turned.get(whole := "<=" if op[0] == "<" else ">", whole), text)
                ordered = [id for id in (order if op[0] == ">" else order[::-1]) if id in ids]
                for client in (reader, writer):
                    found = [int(r[0]) for r in client.find(op, [text, 5], 99, id=4)]
                    assert found == ordered, where
                # As a filter, where it is a value of the column's type at all.
                reply = reader.request(1, ">=", 1, values[order[0]], 99, 0, "F", op, 0, text)
                if not reply.startswith(b"1\t1\tsql_1366"):
                    assert {int(r[0]) for r in rows(reply)} == ask_sql(op, text), where

        # A change needs a key that the column can hold.
        writer.open("hs.k", ["x"], index="v", id=3)
        for text in misfits:
            for op in ["=", *OPERATORS]:
                for change in (["U", 1], ["D"], ["+", 1], ["-", 1]):
                    reply = writer.request(3, op, 1, text, 99, 0, *change)
                    assert is_no_change(reply), (op, text, change)
        cursor.execute("SELECT COUNT(*), SUM(x) FROM k")
        assert cursor.fetchall() == ((len(values), 0),)
    connection.close()


def test_a_number_is_exact_however_many_digits_it_has(
    server: PrivateServer, writer: Client
) -> None:
    server.sql(
        "CREATE TABLE hs.d (i INT PRIMARY KEY, b BIGINT, KEY (b))"
        " SELECT 1 AS i, 9007199254740993 AS b UNION SELECT 99, 1"
    )
    writer.open("hs.d", ["i"], index="PRIMARY", id=1)
    writer.open("hs.d", ["i"], index="b", id=2)
    for text in ("0.99999999999999999999", "99.00000000000000000000000000000000000001"):
        assert writer.find("=", [text]) == []
        assert writer.request(1, "=", 1, text, 9, 0, "D") == b"0\t1\t0"
        assert writer.request(1, ">=", 1, text, 9, 0, "D") == b"0\t1\t0"
    assert writer.find("=", ["99.00000000000000000000000000000000000000"]) == [(b"99",)]
    assert writer.find(">", ["0.99999999999999999999"], 9) == [(b"1",), (b"99",)]
    assert writer.find("=", ["9007199254740993.0"], id=2) == [(b"1",)]
    assert writer.find("=", ["9007199254740992.0"], id=2) == []


def test_a_range_on_several_columns_passes_by_what_is_no_uuid(
    server: PrivateServer, reader: Client
) -> None:
    server.sql("CREATE TABLE hs.u (a INT, u UUID, PRIMARY KEY (a, u))")
    uuid = "'123e4567-e89b-12d3-a456-426655440000'"
    server.sql(f"INSERT INTO hs.u VALUES (1, {uuid}), (2, {uuid})")
    reader.open("hs.u", ["a"], index="PRIMARY", id=1)
    assert reader.find(">=", [1, "none"], 9) == [(b"2",)]
    assert reader.find("<", [2, "none"], 9) == [(b"1",)]
    assert reader.find(">", [2, "none"], 9) == []


def test_a_timestamp_out_of_its_range_leaves_the_columns_behind_it_alone(
    server: PrivateServer, reader: Client
) -> None:
    server.sql("CREATE TABLE hs.m (t TIMESTAMP NULL, a INT NOT NULL, KEY at (a, t))")
    server.sql("INSERT INTO hs.m VALUES ('2020-01-01', 1), ('2020-01-01', 2), ('2020-01-01', 3)")
    reader.open("hs.m", ["a"], index="at", id=1)
    no_date = [] if on_mysql.IS_MYSQL else ["2020-02-30"]
    for text in ("0001-01-01", "1969-12-30", *no_date):
        assert reader.find("<", [2, text], 9) == [(b"2",), (b"1",)][text < "2020" :]
        assert reader.find(">", [2, text], 9) == [(b"2",), (b"3",)][text > "2020" :]
    assert reader.find("<=", [2, "2040-01-01"], 9) == [(b"2",), (b"1",)]
