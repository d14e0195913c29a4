"""What values come back as, and every byte of them."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

import pytest
from driver import ClientError, Driver
from private_server import PrivateServer

# A column's type, and values as SQL writes them, of rows that are read and written back.
KEPT: dict[str, tuple[str, list[str]]] = {
    "i8": ("TINYINT", ["-128", "127", "0"]),
    "i24": ("MEDIUMINT UNSIGNED", ["16777215", "0", "1"]),
    "i64": ("BIGINT", ["-9223372036854775808", "9223372036854775807", "9007199254740993"]),
    "u64": ("BIGINT UNSIGNED", ["18446744073709551615", "9223372036854775808", "9007199254740993"]),
    "zf": ("INT(8) ZEROFILL", ["5", "0", "4294967295"]),
    "bo": ("BOOLEAN", ["1", "0", "1"]),
    "dc": ("DECIMAL(65,30)", ["-99999999999999999999999999999999999.999999999999999999999999999999", "0.000000000000000000000000000001", "-0.5"]),
    "d0": ("DECIMAL(65,0)", ["99999999999999999999999999999999999999999999999999999999999999999", "-1", "0"]),
    "f": ("FLOAT", ["1.5", "-0.0e0", "123456"]),
    "d": ("DOUBLE", ["-0.0e0", "1.7976931348623157e308", "5e-324"]),
    "d2": ("DOUBLE", ["0.1", "123456789012345680000.0e0", "9007199254740993"]),
    "d3": ("DOUBLE", ["2.2250738585072014e-308", "-1e15", "1e22"]),
    "da": ("DATE", ["'0000-00-00'", "'0001-01-01'", "'9999-12-31'"]),
    "da2": ("DATE", ["'2024-00-00'", "'0987-06-05'", "'1582-10-10'"]),
    "dt": ("DATETIME(6)", ["'0000-00-00 00:00:00.000000'", "'0999-01-01 00:00:00.000001'", "'9999-12-31 23:59:59.999999'"]),
    "dt0": ("DATETIME", ["'1000-01-01 00:00:00'", "'0001-02-03 04:05:06'", "'1883-11-18 12:00:00'"]),
    "dt3": ("DATETIME(3)", ["'2024-02-29 12:34:56.700'", "'2024-02-29 12:34:56.001'", "'0000-01-01 00:00:00.000'"]),
    "ts": ("TIMESTAMP(6) NULL", ["'1970-01-01 00:00:01.000001'", "'2038-01-19 03:14:07.999999'", "'2024-03-31 02:30:00.123456'"]),
    "ts0": ("TIMESTAMP NULL", ["'2024-10-27 01:30:00'", "'0000-00-00 00:00:00'", "NULL"]),
    "ti": ("TIME(6)", ["'-838:59:59.999999'", "'838:59:59.999999'", "'-00:00:00.000001'"]),
    "ti0": ("TIME", ["'-838:59:59'", "'00:00:00'", "'23:59:59'"]),
    "ti2": ("TIME(1)", ["'24:00:00.1'", "'-00:00:00.1'", "'-01:00:00.0'"]),
    "y": ("YEAR", ["2000", "1901", "2155"]),
    "b64": ("BIT(64)", ["18446744073709551615", "0", "9223372036854775808"]),
    "b1": ("BIT(1)", ["1", "0", "NULL"]),
    "b9": ("BIT(9)", ["511", "256", "10"]),
    "e": ("ENUM('a','b','','1','0')", ["'1'", "''", "'0'"]),
    "e0": ("ENUM('a','b')", ["'a'", "'b'", "NULL"]),
    "st": ("SET('x','y','1','z 2')", ["''", "'x,z 2'", "'1'"]),
    "js": ("JSON", ["'{\"a\": [1, 2.50, null, \"é\"]}'", "'\"x\"'", "NULL"]),
    "ch": ("CHAR(8)", ["'a  '", "''", "'  b'"]),
    "cb": ("CHAR(8) COLLATE utf8mb4_nopad_bin", ["'a  '", "' '", "'\\0\\n\\t'"]),
    "vc": ("VARCHAR(40)", ["'a  '", "'é😀 '", "'\\0\\1\\n\\t\\r\\\\'"]),
    "l1": ("VARCHAR(40) CHARACTER SET latin1", ["'é€  '", "'ÿ'", "X'000102030F10FF'"]),
    "u16": ("VARCHAR(40) CHARACTER SET utf16", ["'é😀'", "''", "'\\0'"]),
    "bi": ("BINARY(5)", ["X'0001020300'", "X'6120202020'", "X'FF'"]),
    "vb": ("VARBINARY(40)", ["X'00'", "X''", "X'0A0D090001FE20'"]),
    "bl": ("BLOB", ["(SELECT UNHEX(GROUP_CONCAT(HEX(CHAR(seq)) ORDER BY seq SEPARATOR '')) FROM hs.seq_0_to_255)", "X''", "NULL"]),
    "tx": ("TEXT", ["''", "'😀\\n'", "NULL"]),
    "lt": ("LONGTEXT", ["REPEAT('é\\t', 400000)", "'x'", "NULL"]),
    "uu": ("UUID", ["'123e4567-e89b-12d3-a456-426655440000'", "'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"]),
    "i6": ("INET6", ["'::'", "'2001:db8::ff00:42:8329'", "'::ffff:192.0.2.128'"]),
    "i4": ("INET4", ["'0.0.0.0'", "'255.255.255.255'", "NULL"]),
    "ge": ("POINT", ["ST_GeomFromText('POINT(1 -2)')", "ST_GeomFromText('POINT(0 0)')", "NULL"]),
    "nn": ("INT", ["NULL", "NULL", "NULL"]),
}


def test_values_have_the_types_of_their_columns(client: Driver, server: PrivateServer) -> None:
    server.sql(
        "CREATE OR REPLACE TABLE hs.types (id INT PRIMARY KEY, i BIGINT, u BIGINT UNSIGNED, f DOUBLE,"
        " d DECIMAL(30,2), t VARCHAR(20), b VARBINARY(20), at DATETIME(3), day DATE, e ENUM('a','b'),"
        " bits BIT(9), y YEAR, nothing INT)"
    )
    server.sql(
        "INSERT INTO hs.types VALUES (1, -9223372036854775808, 18446744073709551615, 0.1,"
        " 12345678901234567890.50, 'é😀', X'00FF01', '2024-02-29 12:34:56.789', '2024-02-29', 'b',"
        " b'100000001', 2024, NULL)"
    )
    got = client.table("hs.types").get(key=[1])
    assert got.pop("f") == pytest.approx(0.1)
    assert {**got, "at": plain(got["at"])} == {
        "id": 1,
        "i": -(2**63),
        "u": 2**64 - 1,
        "d": "12345678901234567890.50",
        "t": "é😀",
        "b": b"\x00\xff\x01",
        "at": "2024-02-29 12:34:56.789",
        "day": "2024-02-29",
        "e": "b",
        "bits": b"\x01\x01",
        "y": 2024,
        "nothing": None,
    }


def test_what_is_sent_comes_back(client: Driver, server: PrivateServer) -> None:
    server.sql(
        "CREATE OR REPLACE TABLE hs.back (id INT PRIMARY KEY, t TEXT, b BLOB, f DOUBLE, u BIGINT UNSIGNED)"
    )
    table = client.table("hs.back")
    rows = [
        {"id": 1, "t": "", "b": b"", "f": 0.1, "u": 2**64 - 1},
        {"id": 2, "t": "a\tb\nc\0d\x01e\r", "b": bytes(range(256)), "f": 1e300, "u": 0},
        {"id": 3, "t": None, "b": None, "f": None, "u": None},
        {"id": 4, "t": "\0", "b": b"\0", "f": -2.5, "u": 2**53 + 1},
    ]
    for row in rows:
        table.insert(row=row)
    assert table.get_many(keys=[[row["id"]] for row in rows]) == rows


def test_every_byte_is_a_key(client: Driver, server: PrivateServer) -> None:
    server.sql("CREATE OR REPLACE TABLE hs.bytes (k VARBINARY(8) PRIMARY KEY, v INT)")
    table = client.table("hs.bytes", ["k", "v"])
    rows = [{"k": bytes([number]), "v": number} for number in range(256)]
    for row in rows:
        table.insert(row=row)
    assert table.get_many(keys=[[row["k"]] for row in rows]) == rows


def test_a_value_of_a_megabyte_comes_back(client: Driver, server: PrivateServer) -> None:
    server.sql("CREATE OR REPLACE TABLE hs.large (id INT PRIMARY KEY, b LONGBLOB)")
    table = client.table("hs.large", ["id", "b"])
    for number, large in enumerate((b"x" * 1_000_000, bytes(range(256)) * 4096)):
        table.insert(row={"id": number, "b": large})
        assert table.get(key=[number]) == {"id": number, "b": large}


def test_the_zero_date_is_text(client: Driver, server: PrivateServer) -> None:
    server.sql("CREATE OR REPLACE TABLE hs.zero (id INT PRIMARY KEY, d DATE, t TIME)")
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET sql_mode = ''")
        cursor.execute("INSERT INTO hs.zero VALUES (1, '0000-00-00', '-838:59:59')")
    assert client.table("hs.zero").get(key=[1]) == {"id": 1, "d": "0000-00-00", "t": "-838:59:59"}


def test_raw_tables_give_bytes(client: Driver, server: PrivateServer) -> None:
    server.sql("CREATE OR REPLACE TABLE hs.raw (id INT PRIMARY KEY, t VARCHAR(9))")
    server.sql("INSERT INTO hs.raw VALUES (1, 'é'), (2, NULL)")
    table = client.table("hs.raw", ["id", "t"], raw=True)
    assert table.get_many(keys=[[1], [2]]) == [
        {"id": b"1", "t": "é".encode()},
        {"id": b"2", "t": None},
    ]


def test_raw_tables_give_bytes_in_every_call_and_for_every_type(client: Driver, server: PrivateServer) -> None:
    server.sql(
        "CREATE OR REPLACE TABLE hs.raws (id INT PRIMARY KEY, n DOUBLE, d DECIMAL(5,2), w DATETIME(3), b BLOB,"
        " e ENUM('a', 'b'))"
    )
    server.sql("INSERT INTO hs.raws VALUES (1, -1.5, 2.50, '2024-02-29 12:34:56.789', X'00ff', 'b')")
    row = {"id": b"1", "n": b"-1.5", "d": b"2.50", "w": b"2024-02-29 12:34:56.789", "b": b"\x00\xff", "e": b"b"}
    table = client.table("hs.raws", raw=True)
    one = {"op": ">=", "key": [0], "limit": 9}
    several = {"op": "=", "key": [1], "in_column": "id", "values": [1, 1]}
    assert table.get(key=[1]) == row
    assert table.get_many(keys=[[1], [7]]) == [row, None]
    assert table.find(**one) == table.range() == [row]
    assert table.find_all(**several) == [row, row]
    assert table.count(**one) == 1
    rows, row_of_pipeline = client.pipeline(table.of("find", **one), table.of("get", key=[1]))
    assert (rows, row_of_pipeline) == ([row], row)
    client.call("begin")
    assert table.get(key=[1]) == row
    assert table.update(key=[1], values={"n": 0.25}, returning="before") == [{"n": b"-1.5"}]
    client.call("rollback")
    assert table.increment(key=[1], amounts={"id": 4}, returning="after") == [{"id": b"5"}]
    assert table.delete(key=[5], returning="before") == [{**row, "id": b"5"}]
    assert table.insert(row={"id": 6, "e": "a"}, returning="after") == [
        {"id": b"6", "n": None, "d": None, "w": None, "b": None, "e": b"a"}
    ]
    assert client.table("hs.raws", ["id", "n"]).get(key=[6]) == {"id": 6, "n": None}  # typed as ever


def test_names_that_cannot_be_sent_are_refused(client: Driver) -> None:
    for name, columns in (("hs.a\tb", ["id"]), ("hs.user", ["a\nb"]), ("hs.user", ["a,b"])):
        with pytest.raises(ClientError) as caught:
            client.table(name, columns).get(key=[1])
        assert caught.value.name == "ValueError"


def test_names_that_cannot_be_sent_are_refused_behind_those_that_can(client: Driver, server: PrivateServer) -> None:
    server.sql("CREATE OR REPLACE TABLE hs.names (id INT PRIMARY KEY, a INT, b INT)")
    table = client.table("hs.names", ["id", "a", "b"])
    row = {"id": 1, "a": 2, "b": 3}
    equal = [["a", "=", 2], ["b", "=", 3]]
    assert table.insert(row=row) is None
    assert table.update(key=[1], values={"a": 2, "b": 3}) == 1 and table.delete(key=[7]) == 0
    assert table.find(op=">=", key=[0], filters=equal) == [row]
    for do, arguments in (
        ("insert", {"row": {"id,a,b": 4}}),
        ("update", {"key": [1], "values": {"a,b": 4}}),
        ("update", {"key": [1], "values": {"": 4}}),
        ("find", {"op": ">=", "key": [0], "filters": [["a,b", "=", 2]]}),
        ("compare_and_set", {"key": [1], "expected": {"a,b": 2}, "values": {"a": 4}}),
    ):
        with pytest.raises(ClientError) as caught:
            getattr(table, do)(**arguments)
        assert caught.value.name == "ValueError"
    assert table.update(key=[1], values={"a": 2, "b": 3}) == 1 and table.delete(key=[7]) == 0
    assert table.find(op=">=", key=[0], filters=equal) == [row]
    assert server.sql("SELECT * FROM hs.names") == [(1, 2, 3)]


def test_a_row_that_was_read_is_written_back_as_it_is(client: Driver, server: PrivateServer) -> None:
    shown = ", ".join("ST_AsText(ge)" if name == "ge" else f"HEX({name}), CAST({name} AS CHAR)" for name in KEPT)
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET sql_mode = '', NAMES utf8mb4, time_zone = '+00:00'")
        declared = ", ".join(f"{name} {kind}" for name, (kind, _) in KEPT.items())
        cursor.execute(f"CREATE OR REPLACE TABLE hs.kept (id INT PRIMARY KEY, {declared}) CHARSET utf8mb4")
        for row in range(3):
            cursor.execute(f"INSERT INTO hs.kept VALUES ({row}, {', '.join(of[row] for _, of in KEPT.values())})")
    before = server.sql(f"SELECT {shown} FROM hs.kept ORDER BY id")
    for name in KEPT:
        table = client.table("hs.kept", ["id", name])
        for row in range(3):
            assert table.put_back(key=[row]) == 1
    assert server.sql(f"SELECT {shown} FROM hs.kept ORDER BY id") == before


def plain(value: str | None) -> str | None:
    """A decimal or a time without digits that say nothing, since some languages leave them out."""
    if value is None:
        return None
    if value.count(":") != 2 and "-" not in value[1:]:
        return str(Decimal(value).normalize())
    whole, _, fraction = value.partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole.removesuffix(" 00:00:00")


def test_decimals_and_times_come_with_all_their_digits(client: Driver, server: PrivateServer) -> None:
    names = ["dc", "d0", "da", "da2", "dt", "dt0", "dt3", "ts", "ts0", "ti", "ti0", "ti2"]
    server.sql(
        "CREATE OR REPLACE TABLE hs.digits (id INT PRIMARY KEY, "
        + ", ".join(f"{name} {KEPT[name][0]}" for name in names)
        + ")"
    )
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET sql_mode = 'ALLOW_INVALID_DATES'")
        for row in range(3):
            values = ", ".join(KEPT[name][1][row] for name in names)
            cursor.execute(f"INSERT INTO hs.digits VALUES ({row}, {values})")
        connection.commit()
    shown = ", ".join(f"CAST({name} AS CHAR)" for name in names)
    table = client.table("hs.digits", names)
    with localcontext(Context(prec=99)):
        for row, expected in enumerate(server.sql(f"SELECT {shown} FROM hs.digits ORDER BY id")):
            got = table.get(key=[row])
            assert {name: plain(got[name]) for name in names} == dict(zip(names, map(plain, expected)))
