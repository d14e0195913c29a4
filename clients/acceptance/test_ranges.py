"""Ranges give each row once and in the index's order, in pages of any size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from driver import ClientError, Driver
from on_mysql import LOWEST_TIME
from private_server import PrivateServer
from proxy import Proxy

PAGES = (1, 2, 3, 1000)


def make(server: PrivateServer, columns: str, rows: list[tuple[object, ...]]) -> None:
    """The table hs.ranged, whose rows have the ids from 1 on."""
    server.sql(f"CREATE OR REPLACE TABLE hs.ranged (id INT PRIMARY KEY, {columns})")
    with server.connect() as connection, connection.cursor() as cursor:
        places = ", %s" * len(rows[0])
        values = [(number, *row) for number, row in enumerate(rows, 1)]
        cursor.execute("SET time_zone = '+00:00'")
        cursor.executemany(f"INSERT INTO hs.ranged VALUES (%s{places})", values)


def read(client: Driver, page: int, **options: object) -> list[int]:
    table = client.table("hs.ranged", ["id"], index="k")
    return [row["id"] for row in table.range(page=page, **options)]


def in_order(server: PrivateServer, order: str, where: str = "TRUE") -> list[int]:
    return [row[0] for row in server.sql(f"SELECT id FROM hs.ranged WHERE {where} ORDER BY {order}")]


@pytest.mark.parametrize("collation", ["utf8mb4_general_ci", "utf8mb4_uca1400_ai_ci", "latin1_swedish_ci"])
def test_range_gives_each_row_once_though_keys_of_other_bytes_are_the_same(
    client: Driver, server: PrivateServer, collation: str
) -> None:
    column = f"VARCHAR(9) CHARACTER SET {collation.partition('_')[0]} COLLATE {collation} NOT NULL"
    texts = ["a", "A", "b", "a ", "B  ", "á", "", "a", "  ", "c", "A", "b"]
    make(server, f"t {column}, KEY k (t)", [(text,) for text in texts])
    for page in PAGES:
        assert read(client, page) == in_order(server, "t, id")
        down = read(client, page, start=["b"], reverse=True)
        assert down == in_order(server, "t DESC, id DESC", "t <= 'b'")


def test_range_pages_over_the_beginnings_of_columns(client: Driver, server: PrivateServer) -> None:
    texts = ["abcd", "abca", "ABCz", "abc", "abb", "ab", "abcx", "xyz", "XYZ1"]
    make(server, "t VARCHAR(9) NOT NULL, KEY k (t(3))", [(text,) for text in texts])
    for page in PAGES:
        assert read(client, page) == in_order(server, "LEFT(t, 3), id")
        up = read(client, page, start=["abcb"])
        assert up == in_order(server, "LEFT(t, 3), id", "t >= 'abcb'")
        down = read(client, page, start=["abcb"], reverse=True)
        assert down == in_order(server, "LEFT(t, 3) DESC, id DESC", "t <= 'abcb'")


@pytest.mark.parametrize("collation", ["utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_nopad_bin"])
@pytest.mark.parametrize("key", ["t", "t(2)"])
def test_range_without_start_begins_with_control_characters(
    client: Driver, server: PrivateServer, collation: str, key: str
) -> None:
    texts = ["", "\tb", "\t\t", "a", "\x01", " ", " \t", "\t\t\x01", "\t\ta"]
    make(server, f"t VARCHAR(9) COLLATE {collation} NOT NULL, KEY k ({key})", [(text,) for text in texts])
    order = "t, id" if key == "t" else "LEFT(t, 2), id"
    for page in PAGES:
        assert read(client, page) == in_order(server, order)


def test_range_pages_over_several_columns_and_null(client: Driver, server: PrivateServer) -> None:
    rows = [(a, b, c) for a in ("1.50", None, "-2.25") for b in ("2024-02-29 12:00:00.500", None) for c in "aAb"]
    columns = "d DECIMAL(9,2), at DATETIME(3), t VARCHAR(9) COLLATE utf8mb4_general_ci"
    make(server, f"{columns}, KEY k (d, at, t)", rows + rows)
    up, down = "d, at, t, id", "d DESC, at DESC, t DESC, id DESC"
    for page in PAGES:
        assert read(client, page) == in_order(server, up)
        assert read(client, page, start=["1.50", None], reverse=True) == in_order(
            server, down, "d < 1.5 OR d IS NULL OR d = 1.5 AND at IS NULL"
        )
        assert read(client, page, start=["-2.25", "2024-02-29 12:00:00.500"], stop=["1.50"]) == in_order(
            server, up, "d = -2.25 AND at IS NOT NULL"
        )


@pytest.mark.parametrize(
    "kind, values",
    [
        ("FLOAT", ["16777216", "16777214", "0.1", "1.2345678", "1.2345679", "16777215", "-3e38"]),
        ("DOUBLE", ["0", "-0.0", "1e300", "0", "-0.0", "-1e300"]),
        ("UUID", [f"0000000{number}-0000-1000-8000-000000000000" for number in (3, 1, 1, 2)]),
        ("INET6", ["ff::", "::", "::1", "::"]),
        ("YEAR", ["2000", "0000", "1999", "2155", "2000"]),
        ("DATE", ["2024-02-29", "1000-01-01", "9999-12-31", "2024-02-29"]),
        ("DATETIME(3)", ["2024-02-29 12:00:00.5", "1000-01-01", "2024-02-29 12:00:00.499"]),
        ("TIME(2)", [LOWEST_TIME, "00:00:00", "-00:00:00.5", "838:59:59"]),
        ("BINARY(3)", [b"\xff", b"\0", b"a", b"\0"]),
    ],
)
def test_range_finds_all_rows_by_keys_of_each_type(
    client: Driver, server: PrivateServer, kind: str, values: list[object]
) -> None:
    make(server, f"v {kind} NOT NULL, KEY k (v)", [(value,) for value in values])
    for page in PAGES:
        assert read(client, page) == in_order(server, "v, id")


def test_range_over_a_descending_index_needs_its_start(client: Driver, server: PrivateServer) -> None:
    make(server, "v INT NOT NULL, KEY k (v DESC)", [(1,), (3,), (2,)])
    with pytest.raises(ClientError) as caught:
        read(client, 2)
    assert caught.value.name == "ValueError"
    assert read(client, 2, start=[3]) == [2, 3, 1]


@pytest.fixture(scope="session")
def summer_time() -> Iterator[PrivateServer]:
    """A server whose clock is set back by an hour once a year."""
    variables = {"handlersocket_threads": 2, "handlersocket_threads_wr": 2}
    with PrivateServer(variables=variables, environment={"TZ": "Europe/Berlin"}) as running:
        running.sql("CREATE DATABASE hs CHARACTER SET utf8mb4")
        yield running


@pytest.mark.parametrize("unique", ["", "UNIQUE "])
def test_range_pages_through_an_hour_that_is_there_twice(
    make_driver: object, summer_time: PrivateServer, unique: str
) -> None:
    times = [f"2024-10-{day} {hour:02}:{minute}:00" for day in (26, 27) for hour in range(4) for minute in (10, 50)]
    make(summer_time, f"at TIMESTAMP NOT NULL DEFAULT '2000-01-01', {unique}KEY k (at)", [(time,) for time in times])
    client = make_driver()  # type: ignore[operator]
    client.call("connect", url=f"hs://127.0.0.1:{summer_time.port}/hs?timeout=20")
    for page in PAGES:
        assert read(client, page) == list(range(1, len(times) + 1))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("index", ["PRIMARY", "k"])
def test_range_leaves_out_no_row_while_others_are_deleted(
    behind: Callable[..., Driver],
    proxies: tuple[Proxy, Proxy],
    server: PrivateServer,
    index: str,
    reverse: bool,
) -> None:
    """Before the second page is read, rows of the first one are deleted, in turns another of them."""
    for gone in ((1,), (2,), (3,), (4,), (1, 2, 3), (4, 5)):
        make(server, "k INT, KEY k (k)", [(row // 2,) for row in range(12)])
        order = {row: 13 - row if reverse else row for row in range(1, 13)}
        pages = 0

        def delete(sent: bytes, gone: tuple[int, ...] = gone, order: dict[int, int] = order) -> None:
            nonlocal pages
            pages += sent.count(b"\t<" if reverse else b"\t>")
            if pages == 2:
                pages += 1
                server.sql(f"DELETE FROM hs.ranged WHERE id IN ({', '.join(str(order[row]) for row in gone)})")

        proxies[0].watch = delete
        table = behind().table("hs.ranged", ["id"], index=index)
        start = {"start": [12], "reverse": True} if reverse else {"start": [0]}
        got = [order[row["id"]] for row in table.range(page=4, **start)]
        assert pages > 2
        stay = [row for row in range(1, 13) if row not in gone]
        assert [row for row in got if row in stay] == stay
        assert len(got) == len(set(got))
