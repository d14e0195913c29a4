"""A value that was read and is written back is the same value, and finds its row, with both settings
of handlersocket_character_set."""

from __future__ import annotations

from collections.abc import Iterator

import on_mysql
import pytest
from hs_client import Client, decode, rows
from private_server import PrivateServer

# A column's type, and SQL for values of it.
COLUMNS: dict[str, list[str]] = {
    "BIGINT": ["-9223372036854775808", "9223372036854775807", "0"],
    "BIGINT UNSIGNED": ["18446744073709551615"],
    "INT(6) ZEROFILL": ["42", "4294967295"],
    "DECIMAL(65,30)": ["-12345678901234567890123456789012345.123456789012345678901234567891", "0.1"],
    "DECIMAL(5,2) UNSIGNED ZEROFILL": ["1.5", "999.99"],
    "DOUBLE": ["1.7976931348623157e308", "-2.2250738585072014e-308", "4.9e-324", "0.1", "1/3",
               "123456789012345678", "-0.0", "1e15", "1e16", "5e-7"],
    "DOUBLE(20,10)": ["1234567.0123456789", "-0.0000000001"],
    "FLOAT": ["0.1", "-1.5", "3.40282e38", "1.17549e-38", "100000", "1e10"],
    "FLOAT(7,4)": ["123.4567", "-999.9999"],
    "BIT(1)": ["1", "0"],
    "BIT(12)": ["0", "10", "4095", "257"],
    "BIT(64)": ["18446744073709551615", "0", "2313"],
    "DATE": ["'0000-00-00'", "'9999-12-31'", "'2020-02-29'"],
    "DATETIME": ["'0000-00-00 00:00:00'", "'9999-12-31 23:59:59'"],
    "DATETIME(6)": ["'2020-02-29 12:34:56.000001'"],
    "TIMESTAMP(3)": ["'2038-01-19 03:14:07.999'", "'1970-01-01 00:00:01'", "0"],
    "TIME": ["'-838:59:59'", "'-00:00:01'", "'100:00:00'"],
    "TIME(6)": ["'-00:00:00.000001'", "'838:59:59.999999'"],
    "YEAR": ["0", "1901", "2155", "2000"],
    "CHAR(5)": ["''", "'abc'", "'äöüß€'"],
    "CHAR(5) COLLATE utf8mb4_nopad_bin": ["'abc  '", "'a'"],
    "VARCHAR(9)": ["'a  '", "'😀'", "CHAR(0, 1, 9, 10, 13, 15 USING utf8mb4)"],
    "VARCHAR(9) CHARACTER SET latin1": ["'äöüß€'", "CHAR(129, 141, 255)"],
    "VARCHAR(9) CHARACTER SET ucs2": ["'aä日'", "''"],
    "CHAR(4) CHARACTER SET ucs2": ["'aä日'", "' '"],
    "VARCHAR(9) CHARACTER SET utf16": ["'aä😀'"],
    "VARCHAR(9) CHARACTER SET utf32": ["'aä😀'"],
    "VARCHAR(9) CHARACTER SET sjis": ["'日本語'", "'ｱ'"],
    "VARCHAR(9) CHARACTER SET koi8r": ["'Жар'"],
    "TEXT CHARACTER SET latin1": ["'é'"],
    "MEDIUMTEXT COMPRESSED": ["REPEAT('ä日😀', 500)", "''"],
    "VARCHAR(3000) COMPRESSED CHARACTER SET latin1": ["REPEAT('äé', 500)"],
    "BINARY(5)": ["'ab'", "X'0001FF0900'", "''"],
    "VARBINARY(9)": ["X'00010A0D09FF'", "'ab '"],
    "BLOB": ["X'00FF10'", "''"],
    "JSON": ["'{\"a\": [1, \"ä😀\"]}'", "'null'"],
    "ENUM('', 'a', 'zä', '3', 'x y')": ["'a'", "'zä'", "'3'", "''", "'x y'"],
    "ENUM('é', '2', '1') CHARACTER SET latin1": ["'é'", "'1'", "'2'"],
    "ENUM('日', '2') CHARACTER SET ucs2": ["'日'", "'2'"],
    "SET('a', 'é', '日', '1') CHARACTER SET utf8mb3": ["'a,é'", "''", "'日,1'"],
    "SET('a', 'é') CHARACTER SET utf16": ["'a,é'", "''"],
    "UUID": ["'123e4567-e89b-12d3-a456-426655440000'", "'00000000-0000-0000-0000-000000000000'",
             "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'30313233-3435-3637-3839-313233343536'"],
    "INET6": ["'::1'", "'2001:db8::ff00:42:8329'", "'::ffff:1.2.3.4'", "'3031:3233::'"],
    "INET4": ["'0.0.0.0'", "'49.46.50.51'", "'255.255.255.255'"],
    "POINT": ["ST_GeomFromText('POINT(1 2.5)')"],
    "GEOMETRY": ["ST_GeomFromText('POLYGON((0 0,1 0,1 1,0 0))')"],
}  # fmt: skip
MARIADBS = ("UUID", "INET", "COMPRESSED")
UNSEARCHED = ("GEOMETRY", "POINT", *(["JSON"] if on_mysql.IS_MYSQL else []))
PREFIX_ONLY = ("TEXT", "BLOB", "JSON")


@pytest.fixture(scope="module")
def binary_server() -> Iterator[PrivateServer]:
    with PrivateServer(variables={"handlersocket_character_set": "binary"} | on_mysql.SQL_MODE) as running:
        yield running


@pytest.mark.parametrize("wire", ["utf8mb4", "binary"])
def test_a_value_that_was_read_and_is_written_back_is_the_same(
    server: PrivateServer, binary_server: PrivateServer, wire: str
) -> None:
    chosen = server if wire == "utf8mb4" else binary_server
    chosen.make_database("hs")
    connection = chosen.connect(database="hs")
    with connection.cursor() as cursor, Client(chosen.port_wr) as client:
        for number, (column, values) in enumerate(COLUMNS.items()):
            if on_mysql.IS_MYSQL and any(kind in column for kind in MARIADBS):
                continue
            cursor.execute("SET sql_mode = ''")
            key = ""
            if not column.startswith((*UNSEARCHED, "MEDIUMTEXT", "VARCHAR(3000)")):
                key = f", KEY v (v{'(20)' if column.startswith(PREFIX_ONLY) else ''})"
            cursor.execute(f"CREATE TABLE t{number} (id INT PRIMARY KEY, v {column} NULL{key})")
            for id, value in enumerate(values):
                cursor.execute(f"INSERT INTO t{number} VALUES ({id}, {value}), ({id + 100}, NULL)")
            client.open(f"hs.t{number}", ["v"], id=1)
            client.open(f"hs.t{number}", ["id", "v"], id=2)
            if key:
                client.open(f"hs.t{number}", ["id"], index="v", id=3, filters=["v"])
            for id, value in enumerate(values):
                where = (column, value)
                text = decode(client.request(1, "=", 1, id).split(b"\t")[2])
                # It replaces another value, so that something is stored.
                assert client.request(1, "=", 1, id + 100, 1, 0, "U", text) == b"0\t1\t1", where
                assert client.request(2, "+", 2, id + 200, text) == b"0\t1", where
                cursor.execute(
                    f"SELECT COUNT(DISTINCT HEX(v)), COUNT(v) FROM t{number} WHERE id IN (%s, %s, %s)",
                    (id, id + 100, id + 200),
                )
                assert cursor.fetchall() == ((1, 3),), where
                if not key:
                    continue
                found = {int(row[0]) for row in client.find("=", [text], 999, id=3)}
                assert {id, id + 100, id + 200} <= found, where
                for op in (">=", "<="):
                    found = {int(row[0]) for row in client.find(op, [text], 999, id=3)}
                    assert {id, id + 100, id + 200} <= found, where
                if not column.startswith(PREFIX_ONLY):
                    reply = client.request(3, "=", 1, text, 999, 0, "F", "=", 0, text)
                    assert {id, id + 100, id + 200} <= {int(row[0]) for row in rows(reply)}, where
    connection.close()


def test_uuid_and_inet_are_text_in_both_character_sets(
    server: PrivateServer, binary_server: PrivateServer
) -> None:
    for chosen in (server, binary_server):
        chosen.make_database("hs")
        chosen.sql("CREATE TABLE hs.u (u UUID PRIMARY KEY, i INET6, j INET4)")
        with Client(chosen.port_wr) as client:
            client.open("hs.u", ["u", "i", "j"])
            row = (b"123e4567-e89b-12d3-a456-426655440000", b"::1", b"10.0.0.1")
            assert client.request(1, "+", 3, *row) == b"0\t1"
            assert client.find("=", [row[0]]) == [row]
            # Sixteen bytes are not the text of a UUID.
            assert client.find("=", [b"0123456789123456"]) == []
            assert client.request(1, "+", 3, b"0123456789123456", None, None).startswith(b"1\t1\tsql_")
        chosen.sql("DROP DATABASE hs")


def test_a_compressed_column_takes_what_the_server_lets_into_it_by_sql(
    server: PrivateServer, database: str
) -> None:
    # The server does not check a COMPRESSED text that comes in the column's own character set.
    server.sql("CREATE TABLE hs.c (id INT PRIMARY KEY, t TEXT COMPRESSED, v VARCHAR(3) COMPRESSED)")
    values = (b"a", b"\x80", b"ab\xffcd", b"abcdefgh")
    with Client(server.port_wr) as client:
        client.open("hs.c", ["id", "t", "v"])
        for id, value in enumerate(values):
            assert client.request(1, "+", 3, id, value, value) == b"0\t1"
    with server.connect(database="hs") as connection, connection.cursor() as cursor:
        for id, value in enumerate(values):
            cursor.execute(b"INSERT INTO c VALUES (%d, '%s', '%s')" % (id + 100, value, value))
    assert server.sql("SELECT id FROM hs.c GROUP BY HEX(t), HEX(v) HAVING COUNT(*) <> 2") == []
