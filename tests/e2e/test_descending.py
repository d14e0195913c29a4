"""`=<`: the rows of a key from the last one on, beside SQL's ORDER BY … DESC."""

from __future__ import annotations

import pytest
from hs_client import Client, line, rows, wait_for_a_lock_wait
from private_server import PrivateServer

EVENTS = (
    "CREATE TABLE hs.e (id INT PRIMARY KEY, u INT NULL, at DATETIME NULL, w VARCHAR(10), KEY ua (u, at)) "
)
EVENT_ROWS = (
    "INSERT INTO hs.e SELECT seq, IF(seq % 7 = 0, NULL, seq % 7),"
    " IF(seq % 5 = 0, NULL, '2020-01-01' + INTERVAL (seq * 37 % 101) DAY), CONCAT('w', seq)"
    " FROM hs.seq_1_to_200"
)


def selected(server: PrivateServer, where: str, order: str, columns: str = "id") -> list[tuple[bytes | None, ...]]:
    found = server.sql(f"SELECT {columns} FROM hs.e USE INDEX () WHERE {where} ORDER BY {order}")
    return [tuple(None if v is None else str(v).encode() for v in row) for row in found]


@pytest.mark.parametrize("port", ["port", "port_wr"])
def test_the_rows_of_a_key_come_as_sql_orders_them_descending(
    server: PrivateServer, database: str, port: str
) -> None:
    server.sql(EVENTS)
    server.sql(EVENT_ROWS)
    with Client(getattr(server, port)) as client:
        client.open("hs.e", ["id"], index="ua")
        for user in (None, 1, 3, 6, 7):
            where = "u IS NULL" if user is None else f"u = {user}"
            expected = selected(server, where, "at DESC, id DESC")
            assert client.find("=<", [user], 999) == expected
            assert client.find("=<", [user], 3, 2) == expected[2:5]
            assert client.find("=<", [user]) == expected[:1]
            assert client.find("=<", [user, None], 999) == selected(
                server, f"{where} AND at IS NULL", "id DESC"
            )
        assert client.find("=<", [3, "2020-01-01"], 9) == selected(
            server, "u = 3 AND at = '2020-01-01'", "id DESC"
        )


def test_the_rows_of_a_key_end_where_another_key_begins(
    server: PrivateServer, reader: Client
) -> None:
    """The column of the key is not among those that are returned."""
    server.sql("CREATE TABLE hs.e (id INT PRIMARY KEY, u INT, w BLOB, UNIQUE KEY u (u, id))")
    server.sql("INSERT INTO hs.e VALUES (1,1,'a'), (2,2,'b'), (3,2,'c'), (4,3,'d')")
    reader.open("hs.e", ["w"], index="u")
    for _ in range(2):
        assert reader.find("=<", [2], 9) == [(b"c",), (b"b",)]
        assert reader.find("=", [2], 9) == [(b"b",), (b"c",)]
        assert reader.find("<=", [2], 9) == [(b"c",), (b"b",), (b"a",)]
    assert reader.find("=<", [0], 9) == reader.find("=<", [9], 9) == []


def test_descending_parts_are_turned_around(server: PrivateServer, reader: Client) -> None:
    server.sql("CREATE TABLE hs.e (id INT PRIMARY KEY, g INT, v INT NULL, KEY gv (g, v DESC))")
    server.sql("INSERT INTO hs.e VALUES (1,1,10), (2,1,20), (3,1,NULL), (4,1,15), (5,2,7)")
    reader.open("hs.e", ["id"], index="gv")
    assert reader.find("=", [1], 9) == [(b"2",), (b"4",), (b"1",), (b"3",)]
    assert reader.find("=<", [1], 9) == selected(server, "g = 1", "g DESC, v ASC")


@pytest.mark.parametrize("type_", ["VARCHAR(50)", "CHAR(50)", "TEXT", "VARBINARY(50)"])
def test_an_index_on_the_beginning_of_a_column_finds_whole_values(
    server: PrivateServer, reader: Client, type_: str
) -> None:
    server.sql(f"CREATE TABLE hs.e (id INT PRIMARY KEY, g INT, v {type_}, KEY v (v(3)), KEY gv (g, v(2)))")
    words = ["", "a", "ab", "abc", "abca", "abc", "abcz", "abd", "b", "ABC"]
    for number, word in enumerate(words):
        server.sql("INSERT INTO hs.e VALUES (%s, 1, %s)", [number, word])
    reader.open("hs.e", ["id"], index="v")
    reader.open("hs.e", ["id"], index="gv", id=2)
    for word in ("", "ab", "abc", "abcb", "zz"):
        expected = sorted(selected(server, f"v = '{word}'", "id"))
        assert sorted(reader.find("=<", [word], 99)) == expected
        assert sorted(reader.find("=<", [1, word], 99, id=2)) == expected


def test_text_compares_by_its_collation(server: PrivateServer, reader: Client) -> None:
    server.sql(
        "CREATE TABLE hs.e (id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_general_ci, KEY v (v))"
    )
    server.sql("INSERT INTO hs.e VALUES (1,'a'), (2,'A '), (3,'ä'), (4,'b'), (5,'ab'), (6,'')")
    reader.open("hs.e", ["id"], index="v")
    for word in ("a", "Ä", "B", "", " "):
        assert reader.find("=<", [word], 9) == selected(server, f"v = '{word}'", "v DESC, id DESC")


def test_bytes_compare_as_bytes_where_text_is_not_converted(database: str) -> None:
    with PrivateServer(variables={"handlersocket_character_set": "binary"}) as raw:
        raw.sql("CREATE DATABASE hs")
        raw.sql("CREATE TABLE hs.e (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, KEY v (v))")
        raw.sql("INSERT INTO hs.e VALUES (1, x'E4'), (2, x'C4'), (3, 'z')")
        with Client(raw.port) as client:
            client.open("hs.e", ["id", "v"], index="v")
            assert client.find("=<", [b"\xe4"], 9) == [(b"2", b"\xc4"), (b"1", b"\xe4")]


def test_a_value_that_the_column_cannot_hold_finds_nothing(
    server: PrivateServer, reader: Client
) -> None:
    server.sql("CREATE TABLE hs.e (id TINYINT PRIMARY KEY, v DATE NOT NULL, KEY v (v))")
    server.sql("INSERT INTO hs.e VALUES (1,'2020-01-01'), (127,'2020-02-02')")
    reader.open("hs.e", ["id"])
    reader.open("hs.e", ["id"], index="v", id=2)
    for key in ("128", "1.5", "x", None):
        assert reader.find("=<", [key], 9) == []
    assert reader.find("=<", ["2020-02-30"], 9, id=2) == []
    assert reader.find("=<", [None], 9, id=2) == []


def test_a_hash_index_has_no_order(server: PrivateServer, reader: Client) -> None:
    server.sql("CREATE TABLE hs.e (id INT, PRIMARY KEY USING HASH (id)) ENGINE=MEMORY")
    server.sql("INSERT INTO hs.e VALUES (1)")
    reader.open("hs.e", ["id"])
    assert reader.request(1, "=<", 1, 1) == b"2\t1\top"
    assert reader.find("=", [1]) == [(b"1",)]


def test_history_is_passed_over(server: PrivateServer, reader: Client) -> None:
    server.sql("CREATE TABLE hs.e (id INT PRIMARY KEY, a INT, KEY a (a)) WITH SYSTEM VERSIONING")
    server.sql("INSERT INTO hs.e VALUES (1,5), (2,5), (3,5), (4,6)")
    server.sql("UPDATE hs.e SET a = 4 WHERE id = 3")
    server.sql("DELETE FROM hs.e WHERE id = 1")
    reader.open("hs.e", ["id"], index="a")
    assert reader.find("=<", [5], 9) == [(b"2",)]
    assert reader.find("=<", [4], 9) == [(b"3",)]


def test_changes_are_of_the_last_rows(server: PrivateServer, writer: Client) -> None:
    """As UPDATE and DELETE … ORDER BY … DESC LIMIT do."""
    server.sql(EVENTS)
    server.sql(EVENT_ROWS)
    writer.open("hs.e", ["id", "w"], index="ua")
    last = selected(server, "u = 3", "at DESC, id DESC", "id, w")
    assert rows(writer.request(1, "=<", 1, 3, 2, 1, "D?")) == last[1:3]
    assert writer.find("=<", [3], 9) == [last[0], *last[3:11]]
    writer.open("hs.e", ["u"], index="ua", id=2)
    # The rows move behind the key while they are changed.
    assert writer.request(2, "=<", 1, 3, 4, 0, "+", 2) == b"0\t1\t4"
    moved = {last[0][0], *(row[0] for row in last[3:6])}
    assert {i for (i,) in selected(server, "u = 5", "id")} >= moved
    assert writer.find("=<", [3], 1, id=1) == [last[6]]


def test_a_pipeline_sees_its_own_changes(server: PrivateServer, writer: Client) -> None:
    server.sql("CREATE TABLE hs.e (id INT PRIMARY KEY, u INT, KEY u (u))")
    writer.open("hs.e", ["id", "u"], index="u")
    replies = writer.pipeline(
        [line(1, "+", 2, 1, 7), line(1, "=<", 1, 7), line(1, "+", 2, 2, 7), line(1, "=<", 1, 7, 9)]
    )
    assert replies == [b"0\t1", b"0\t2\t1\t7", b"0\t1", b"0\t2\t2\t7\t1\t7"]


def test_a_locked_row_is_waited_for(server: PrivateServer, reader: Client, writer: Client) -> None:
    server.sql(EVENTS)
    server.sql(EVENT_ROWS)
    for client in (reader, writer):
        client.open("hs.e", ["id", "w"], index="ua")
    last = reader.find("=<", [3], 2)
    with server.connect() as other, other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute(f"UPDATE hs.e SET w = 'new' WHERE id = {last[0][0].decode()}")
        assert reader.find("=<", [3], 2) == last  # the read port waits for no lock
        writer.send(line(1, "=<", 1, 3, 2))
        wait_for_a_lock_wait(server)
        cursor.execute("COMMIT")
        assert rows(writer.read_line()) == [(last[0][0], b"new"), last[1]]
