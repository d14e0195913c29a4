"""get_many gives for each key what get gives for it, whichever requests it sends."""

from __future__ import annotations

from typing import Any

import pytest
from driver import Driver
from private_server import PrivateServer

# A type, rows by their keys, and keys to be asked for. Some rows are found by keys of other bytes, and some keys are twice.
KEYS: dict[str, tuple[str, list[Any], list[list[Any]]]] = {
    "integers": ("INT", [1, 2, 3], [[3, 99, 1, 3], [99, 98], ["02", 7], ["2", "02", 9, 2], [1.5, 2]]),
    "texts of any case": (
        "VARCHAR(20) COLLATE utf8mb4_general_ci",
        ["a", "B", "é"],
        [["A", "b"], ["A", "a", "x"], ["x", "A", "B"], ["a", "x", "A"], ["e", "b ", "x"], ["a", "x", "B"]],
    ),
    "texts as they are": (
        "VARCHAR(20) COLLATE utf8mb4_bin",
        ["a", "", "t\tn\nz"],
        [["A", "", "a"], ["t\tn\nz", "x", ""], ["a ", "x", "a"]],
    ),
    "bytes": ("VARBINARY(9)", [b"\x00", b"\x01A", b"\xff"], [[b"\xff", b"x", b"\x00"], [b"\x01A", b"\x00", b"\x01"]]),
    "decimals": ("DECIMAL(9,2)", ["1.50", "2.00"], [["1.5", "2"], ["1.50", "7", "2"], ["1.50", "3.00"]]),
    "floats": ("FLOAT", [1.2345678, 0.5], [["1.23457", "0.5"], ["1.23457", "1.2345678", "9"], [0.5, 8]]),
    "years": ("YEAR", [0, 2000, 1999], [["0000", "0", "1999"], ["0", "0000", 1998], ["00", "x", "99"]]),
    "numbers with zeros": ("INT ZEROFILL", [5, 7], [["5", 9], ["0000000005", "05", 9], [7, 8, 5]]),
    "members": ("ENUM('a', 'B', '')", ["a", "B"], [["A", "x", "B"], ["b", "", "a"]]),
    "dates": ("DATE", ["2024-02-29", "2024-03-01"], [["2024-02-29", "2024-03-01"], ["20240229", "2024-05-05"]]),
}


def has_the_same_rows(table: Any, keys: list[Any]) -> None:
    assert table.get_many(keys=[[key] for key in keys]) == [table.get(key=[key]) for key in keys], keys


@pytest.mark.parametrize("kind", KEYS)
def test_get_many_gives_what_get_gives_for_each_key(client: Driver, server: PrivateServer, kind: str) -> None:
    declared, rows, lists = KEYS[kind]
    server.sql("DROP TABLE IF EXISTS hs.many")
    server.sql(f"CREATE TABLE hs.many (k {declared} PRIMARY KEY, v INT) DEFAULT CHARSET utf8mb4")
    for number, key in enumerate(rows):
        server.sql("INSERT INTO hs.many VALUES (%s, %s)", [key, number])
    for columns in (["v"], ["k", "v"], ["v", "k"]):
        table = client.table("hs.many", columns)
        for keys in lists:
            has_the_same_rows(table, keys)


def test_get_many_takes_keys_of_every_index(client: Driver, server: PrivateServer) -> None:
    server.sql("DROP TABLE IF EXISTS hs.many")
    server.sql(
        "CREATE TABLE hs.many (a INT, b INT, n INT, t VARCHAR(20), PRIMARY KEY (a, b), KEY n (n), KEY t (t(3)))"
        " DEFAULT CHARSET utf8mb4"
    )
    server.sql("INSERT INTO hs.many VALUES (1, 1, NULL, 'abcd'), (1, 2, 5, 'abce'), (2, 1, 5, NULL), (2, 2, 6, 'x')")
    pairs, numbers, texts = (client.table("hs.many", ["a", "b"], index=one) for one in ("PRIMARY", "n", "t"))
    for keys in ([[2, 1], [9, 9], [1, 2]], [[2], [1], [9]]):
        assert pairs.get_many(keys=keys) == [pairs.get(key=key) for key in keys]
    for list_of_keys in ([None, 5, 6], [5, None, 7], [7, 8], [6, 7, 5]):
        has_the_same_rows(numbers, list_of_keys)
    for list_of_keys in (["abcd", "abce", None], ["abce", "abc", "x"], ["abcx", "x"]):
        has_the_same_rows(texts, list_of_keys)


def test_get_many_takes_any_number_of_keys(client: Driver, server: PrivateServer, users: None) -> None:
    table = client.table("hs.user", ["id"])
    keys = [number % 12 for number in range(2500)]
    assert table.get_many(keys=[[key] for key in keys]) == [
        {"id": key} if 1 <= key <= 10 else None for key in keys
    ]
    server.sql("SET GLOBAL handlersocket_max_rows = 2")
    try:
        has_the_same_rows(table, [1, 99, 2, 3, 4])
    finally:
        server.sql("SET GLOBAL handlersocket_max_rows = DEFAULT")


def test_get_many_reads_within_a_transaction(client: Driver, users: None) -> None:
    table = client.table("hs.user", ["id", "n"])
    client.call("begin")
    assert table.update(key=[3], values={"n": 1}) == 1
    assert table.get_many(keys=[[3], [99], [3]]) == [{"id": 3, "n": 1}, None, {"id": 3, "n": 1}]
    client.call("rollback")
