"""What values come back as, and every byte of them."""

from __future__ import annotations

import pytest
from driver import ClientError, Driver
from private_server import PrivateServer


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
    assert got == {
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


def test_names_that_cannot_be_sent_are_refused(client: Driver) -> None:
    for name, columns in (("hs.a\tb", ["id"]), ("hs.user", ["a\nb"]), ("hs.user", ["a,b"])):
        with pytest.raises(ClientError) as caught:
            client.table(name, columns).get(key=[1])
        assert caught.value.name == "ValueError"
