"""Rows that have expired give way to inserts and updates."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from binlog import log_events
from hs_client import Client, Value, line, rows
from private_server import PrivateServer
from sql_twin import Twin
from ttl_tables import create

pytestmark = pytest.mark.usefixtures("no_purge")


def test_an_insert_takes_the_place_of_a_row_that_has_expired(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server)
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'old', '2000-01-01', 10), (2, 1, 'old', NULL, 20), (3, 1, 'old', '2000-01-01', 30)")
    client = connect(server.port_wr)
    client.open("hs.t", ["id", "v", "u"])
    assert client.request(1, "+", 3, 1, "new", 11) == b"0\t1"
    assert client.request(1, "+", 3, 2, "new", 22) == b"1\t1\t121"
    assert client.request(1, "+", 3, 4, "new", 20) == b"1\t1\t121"
    assert client.request(1, "+", 3, 4, "new", 30) == b"0\t1"
    # One in the way has expired, another one not: nothing is changed.
    server.sql("INSERT INTO hs.t VALUES (5, 1, 'old', '2000-01-01', 50)")
    assert client.pipeline([line(1, "+", 3, 6, "new", 60), line(1, "+", 3, 5, "new", 20)]) == [b"0\t1", b"1\t1\t121"]
    assert server.sql("SELECT id, v, u FROM hs.t") == [
        (1, "new", 11), (2, "old", 20), (4, "new", 30), (5, "old", 50), (6, "new", 60)
    ]
    server.sql("FLUSH TABLES")
    assert server.sql("CHECK TABLE hs.t EXTENDED")[-1][-1] == "OK"


def test_an_update_takes_the_place_of_a_row_that_has_expired(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server, more=", b TEXT")
    server.sql(
        "INSERT INTO hs.t VALUES (1, 1, 'old', '2000-01-01', 10, REPEAT('x', 9000)),"
        " (2, 1, 'old', NULL, 20, REPEAT('y', 9000)), (3, 1, 'old', NULL, 30, 'z')"
    )
    client = connect(server.port_wr)
    client.open("hs.t", ["id"])
    client.open("hs.t", ["u"], id=2)
    assert client.request(1, "=", 1, 2, 1, 0, "U", 1) == b"0\t1\t1"
    assert client.request(2, "=", 1, 3, 1, 0, "U", 20) == b"1\t1\t121"
    assert server.sql("SELECT id, u, b = REPEAT('y', 9000) FROM hs.t") == [(1, 20, 1), (3, 30, 0)]
    server.sql("INSERT INTO hs.t VALUES (4, 1, 'old', '2000-01-01', 25, ''), (5, 1, 'old', '2000-01-01', 35, '')")
    assert client.request(2, ">=", 1, 1, 9, 0, "+", 5) == b"0\t1\t2"
    assert server.sql("SELECT id, u FROM hs.t") == [(1, 25), (3, 35)]


def test_what_gives_way_is_deleted_in_the_log_and_for_foreign_keys(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server)
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES hs.t (id) ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'old', '2000-01-01', 10)")
    server.sql("INSERT INTO hs.child VALUES (1, 1)")
    server.sql("FLUSH BINARY LOGS")
    client = connect(server.port_wr)
    client.open("hs.t", ["id", "v"])
    assert client.request(1, "+", 2, 1, "new") == b"0\t1"
    assert server.sql("SELECT COUNT(*) FROM hs.child") == [(0,)]
    events = log_events(server)
    assert events.index("Delete_rows") < events.index("Write_rows")
    server.sql("DROP TABLE hs.child")


@pytest.mark.parametrize("engine", ["MyISAM", "Aria", "MEMORY"])
def test_rows_give_way_in_other_engines(
    server: PrivateServer, database: str, connect: Callable[[int], Client], engine: str
) -> None:
    create(server, more=f") ENGINE = {engine} COMMENT 'hs: ttl=e' -- ")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'old', '2000-01-01', 10), (2, 1, 'old', NULL, 20)")
    client = connect(server.port_wr)
    client.open("hs.t", ["id", "v", "u"])
    assert client.request(1, "+", 3, 1, "new", 11) == b"0\t1"
    assert client.request(1, "+", 3, 3, "new", 20) == b"1\t1\t121"
    assert server.sql("SELECT id, v, u FROM hs.t ORDER BY id") == [(1, "new", 11), (2, "old", 20)]


def test_many_insert_over_the_same_rows(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'old', '2000-01-01', seq FROM hs.seq_1_to_20")
    clients = [Client(server.port_wr) for _ in range(30)]
    for client in clients:
        client.open("hs.t", ["id", "v"])
        client.send(b"".join(line(1, "+", 2, key, "new") for key in range(1, 21)))
    replies = [[client.read_line() for _ in range(20)] for client in clients]
    for number, one in enumerate(zip(*replies, strict=True)):
        # A deadlock that comes back at each of its tries is answered (docs/limits.md), and leaves the row to others.
        assert one.count(b"0\t1") == 1, (number, one)
        assert set(one) - {b"1\t1\t149"} == {b"0\t1", b"1\t1\t121"}, (number, one)
    for client in clients:
        client.close()
    assert server.sql("SELECT COUNT(*), MIN(v), MAX(v) FROM hs.t") == [(20, "new", "new")]


def test_every_row_whose_period_overlaps_gives_way(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    server.sql(
        "CREATE TABLE hs.p (id INT, a DATE, b DATE, v INT, e DATETIME, PERIOD FOR p (a, b),"
        " UNIQUE KEY id (id, p WITHOUT OVERLAPS), KEY v (v)) COMMENT 'hs: ttl=e'"
    )
    server.sql(
        "INSERT INTO hs.p VALUES (1, '2020-01-01', '2020-02-01', 1, '2000-01-01'),"
        " (1, '2020-02-01', '2020-03-01', 2, '2000-01-01'), (1, '2020-03-01', '2020-04-01', 3, NULL),"
        " (1, '2020-05-01', '2020-06-01', 4, '2000-01-01')"
    )
    client = connect(server.port_wr)
    client.open("hs.p", ["id", "a", "b", "v"], index="id")
    assert client.request(1, "+", 4, 1, "2020-02-10", "2020-03-10", 5) == b"1\t1\t121"
    assert rows(client.request(1, "+I?", 4, 1, "2020-02-10", "2020-03-10", 5)) == [
        (b"1", b"2020-03-01", b"2020-04-01", b"3")
    ]
    # The other one in its way has expired, and is gone.
    assert server.sql("SELECT v FROM hs.p ORDER BY v") == [(1,), (3,), (4,)]
    assert client.request(1, "+", 4, 1, "2020-01-10", "2020-03-01", 5) == b"0\t1"
    client.open("hs.p", ["b"], index="v", id=2)
    assert client.request(2, "=", 1, 3, 1, 0, "U!", "2020-07-01") == b"0\t1\t2020-07-01"
    assert client.request(2, "=", 1, 5, 1, 0, "U", "2020-04-01") == b"1\t1\t121"
    assert server.sql("SELECT MONTH(a), MONTH(b), v FROM hs.p ORDER BY v") == [(3, 7, 3), (1, 3, 5)]


MADE = "id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9)"
# Beside the columns id, u, v and e. `%` is where the comment stands.
KINDS: dict[str, list[str]] = {
    "several keys": ["CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9), e DATETIME, UNIQUE (v, u), KEY (e)) %"],
    "ids": ["CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9), e INT) %"],
    "ids of partitions": [
        "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT, v VARCHAR(9), e DATETIME) % PARTITION BY HASH (id) PARTITIONS 3"
    ],
    "values that are long": [
        "CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v BLOB, e DATETIME, c LONGTEXT DEFAULT (REPEAT(id, 9000))) %"
    ],
    "a long unique column": ["CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v TEXT UNIQUE, e DATETIME) %"],
    "generated columns": [
        "CREATE TABLE t (id INT PRIMARY KEY, u INT, v VARCHAR(9), e DATETIME, w INT AS (u * 2) VIRTUAL UNIQUE,"
        " s TEXT AS (CONCAT(v, '!')) STORED, b BLOB AS (REPEAT(v, 3000)) VIRTUAL, KEY (b(9))) %"
    ],
    "a generated end": [
        "CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9), e DATETIME,"
        " x DATETIME AS (e + INTERVAL 1 DAY) VIRTUAL) COMMENT 'hs: ttl=x'"
    ],
    "history": [f"CREATE TABLE t ({MADE}, e DATETIME, c TEXT DEFAULT (REPEAT(id, 9000))) WITH SYSTEM VERSIONING %"],
    "partitions": [f"CREATE TABLE t (id INT PRIMARY KEY, u INT, v TEXT, e DATETIME) % PARTITION BY HASH (id) PARTITIONS 3"],
    "rows that change their partition": [
        "CREATE TABLE t (id INT, u INT, v TEXT, e DATETIME, PRIMARY KEY (id, u)) % PARTITION BY HASH (u) PARTITIONS 3"
    ],
    **{
        f"{name} of a parent": [
            f"CREATE TABLE t ({MADE}, e DATETIME, KEY (e)) {versioning} %",
            "CREATE TABLE child (id INT AUTO_INCREMENT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE ON UPDATE CASCADE)",
            "CREATE TABLE other (id INT AUTO_INCREMENT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (u) ON DELETE SET NULL ON UPDATE CASCADE)",
            "INSERT INTO t VALUES (0, 0, 'a', '2000-01-01'), (1, 1, 'b', '2000-01-01'), (2, 2, 'c', NULL), (3, 3, 'd', NULL)",
            "INSERT INTO child (t) VALUES (0), (1), (2), (3)",
            "INSERT INTO other (t) VALUES (0), (1), (2), (3)",
        ]
        for name, versioning in (("rows", ""), ("history", "WITH SYSTEM VERSIONING"))
    },
    "triggers": [
        f"CREATE TABLE t ({MADE}, e DATETIME, c LONGTEXT DEFAULT (REPEAT(id, 9000))) %",
        "CREATE TABLE log (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(99))",
        "CREATE TRIGGER bi BEFORE INSERT ON t FOR EACH ROW SET NEW.c = CONCAT(NEW.c, 'i')",
        "CREATE TRIGGER bu BEFORE UPDATE ON t FOR EACH ROW SET NEW.c = CONCAT(OLD.c, 'u')",
        *(
            f"CREATE TRIGGER t{number} {when} ON t FOR EACH ROW INSERT INTO log (what)"
            f" VALUES (CONCAT('{when} ', {row}.id, IFNULL({row}.u, 'n'), IFNULL({row}.v, 'n'), CRC32({row}.c)))"
            for number, (when, row) in enumerate(
                (("BEFORE DELETE", "OLD"), ("AFTER DELETE", "OLD"), ("AFTER INSERT", "NEW"), ("AFTER UPDATE", "NEW"), ("AFTER UPDATE", "OLD"))
            )
        ),
    ],
    **{f"rows of {engine}": [f"CREATE TABLE t ({MADE}, e DATETIME) ENGINE={engine} %"] for engine in ("MyISAM", "Aria", "MEMORY")},
}


@pytest.mark.parametrize("kind", KINDS)
def test_changes_do_what_they_would_if_the_expired_were_deleted(
    server: PrivateServer, connect: Callable[[int], Client], kind: str
) -> None:
    """Of the twin they are deleted, before each request."""
    draw = random.Random(kind)
    moment = {True: ("1", "2000000000"), False: ("2000-01-01", "2037-01-01")}["e INT" in KINDS[kind][0]]
    over = "e <= UNIX_TIMESTAMP()" if moment[0] == "1" else "e <= NOW()"
    connection = server.connect()
    client = connect(server.port_wr)
    with connection, connection.cursor() as sql:
        for database, comment in (("tw", ""), ("hs", "COMMENT 'hs: ttl=e'")):
            sql.execute(f"CREATE OR REPLACE DATABASE {database} CHARACTER SET utf8mb4")
            sql.execute(f"USE {database}")
            for statement in KINDS[kind]:
                if not comment:
                    statement = statement.replace("COMMENT 'hs: ttl=x'", "")
                sql.execute(statement.replace("%", comment))
        ids = {"hs": (1, 2), "tw": (3, 4)}
        for database, (whole, part) in ids.items():
            client.open(f"{database}.t", ["id", "u", "v", "e"], id=whole)
            client.open(f"{database}.t", ["u"], id=part)

        def number() -> Value:
            return None if draw.random() < 0.1 else draw.randrange(7)

        def row() -> list[Value]:
            first = draw.choice((None, 0)) if "ids" in kind and draw.random() < 0.3 else draw.randrange(7)
            return [first, number(), draw.choice("abcA"), draw.choice((None, *moment, moment[0]))]

        for turn in range(400):
            chosen = draw.random()
            part = False
            if chosen < 0.6:
                values = row()[: draw.choice((3, 4, 4, 4))]
                form = draw.choice(("+", "+I", "+U", "+R")) + draw.choice(("", "?", "!"))
                form = form.replace("+?", "+!")
                tail: list[Value] = [form, len(values), *values]
                if form.startswith("+U") and draw.random() < 0.4:
                    tail += [4, *row()]
            else:
                part = chosen < 0.75
                tail = [draw.choice(("=", ">=", "<")), 1, draw.randrange(7), draw.choice((1, 9)), draw.choice((0, 0, 1))]
                suffix = draw.choice(("", "?", "!"))
                if part:
                    tail += [draw.choice("+-") + suffix, 1]
                elif chosen < 0.95:
                    tail += ["U" + suffix, draw.randrange(7), *row()[1:]]
                    if tail[3] == 9 and tail[-1] == moment[0]:
                        tail[-1] = None  # the second row would take the place of the first one
                else:
                    tail += ["D" + suffix.replace("!", "")]
            sql.execute(f"DELETE FROM tw.t WHERE {over}")
            if "parent" in kind and turn % 20 == 19:
                for database in ids:
                    sql.execute(f"INSERT INTO {database}.child (t) SELECT id FROM tw.t")
                    sql.execute(f"INSERT INTO {database}.other (t) SELECT u FROM tw.t")
            ours, theirs = (client.request(ids[database][part], *tail) for database in ("hs", "tw"))
            assert ours == theirs, tail
        for database in ids:
            sql.execute(f"DELETE FROM {database}.t WHERE {over}")
        sql.execute("SHOW TABLES FROM hs")
        for (table,) in sql.fetchall():
            columns = {"log": "what", "child": "t", "other": "t"}.get(table, "*")
            found = []
            for database in ids:
                sql.execute(f"SELECT {columns} FROM {database}.{table}")
                found.append(sorted(sql.fetchall(), key=repr))
            assert found[0] == found[1], table
            sql.execute(f"CHECK TABLE hs.{table} EXTENDED")
            assert sql.fetchall()[-1][-1] in ("OK", "The storage engine for the table doesn't support check")
        sql.execute("DROP DATABASE tw")
        sql.execute("DROP DATABASE hs")


def test_the_triggers_of_a_row_that_gives_way_run_as_for_replace(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server)
    server.sql("CREATE TABLE hs.log (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(20))")
    for when in ("BEFORE", "AFTER"):
        for event, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
            server.sql(
                f"CREATE TRIGGER hs.{when}_{event} {when} {event} ON hs.t FOR EACH ROW"
                f" INSERT INTO hs.log (what) VALUES (CONCAT('{when[0]}{event[0]}', {row}.id))"
            )
    client = connect(server.port_wr)
    client.open("hs.t", ["id", "u"])

    def logged() -> list[str]:
        found = [row[0] for row in server.sql("SELECT what FROM hs.log ORDER BY id")]
        server.sql("TRUNCATE hs.log")
        return found

    for form, reply in (("+", b"0\t1"), ("+I", b"0\t1\t1"), ("+U", b"0\t1\t1"), ("+R", b"0\t1\t1")):
        server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', '2000-01-01', 1), (2, 1, 'v', '2000-01-01', 2)")
        logged()
        assert client.request(1, form, 2, 1, 2) == reply
        assert logged() == ["BI1", "BD1", "AD1", "BD2", "AD2", "AI1"]
        server.sql("INSERT INTO hs.t VALUES (3, 1, 'v', '2000-01-01', 3)")
        logged()
        assert client.request(1, "=", 1, 1, 1, 0, "U", 1, 3) == b"0\t1\t1"
        assert logged() == ["BU1", "BD3", "AD3", "AU1"]
        server.sql("DELETE FROM hs.t")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', '2000-01-01', 1), (2, 1, 'v', NULL, 2)")
    server.sql("CREATE TRIGGER hs.no AFTER DELETE ON hs.t FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'stays'")
    logged()
    for request in ((1, "+", 2, 1, 5), (1, "+U", 2, 1, 5), (1, "=", 1, 2, 1, 0, "U", 1, 2), (1, "+U", 2, 3, 2, 2, 1, 2)):
        assert client.request(*request) == b"1\t1\tsql_1644 stays", request
    assert logged() == []
    assert server.sql("SELECT id, u FROM hs.t") == [(1, 1), (2, 2)]


TREE = "e DATETIME, KEY (p)) COMMENT 'hs: ttl=e'"


def test_a_row_goes_with_the_expired_one_that_its_update_displaces(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    """As with DELETE of what has expired, and then the UPDATE or INSERT ... ON DUPLICATE KEY UPDATE."""
    server.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, u INT UNIQUE, p INT REFERENCES t (id) ON DELETE CASCADE, " + TREE
    )
    client = connect(server.port_wr)
    client.open("hs.t", ["u"])
    client.open("hs.t", ["id", "u"], id=2)
    for change, reply, stored in (
        ((1, "=", 1, 2, 1, 0, "U", 1), b"0\t1\t0", [(3, 3)]),
        ((1, "=", 1, 2, 1, 0, "U?", 1), b"0\t1", [(3, 3)]),
        ((1, "=", 1, 2, 1, 0, "U!", 1), b"0\t1", [(3, 3)]),
        ((1, "=", 1, 2, 1, 0, "-", 1), b"0\t1\t0", [(3, 3)]),
        ((1, "=", 1, 2, 1, 0, "-?", 1), b"0\t1", [(3, 3)]),
        ((1, ">=", 1, 2, 9, 0, "-?", 1), b"0\t1\t3", [(3, 2)]),
        ((2, "+U", 2, 2, 1), b"0\t1\t1", [(2, 1), (3, 3)]),
        ((2, "+U?", 2, 2, 1), b"0\t2", [(2, 1), (3, 3)]),
        ((2, "+U!", 2, 2, 9, 2, 2, 1), b"0\t2\t2\t9", [(2, 9), (3, 3)]),
        ((2, "+R", 2, 2, 1), b"0\t1\t2", [(2, 1), (3, 3)]),  # it was replaced before
    ):
        server.sql("DELETE FROM hs.t")
        server.sql("INSERT INTO hs.t VALUES (1, 1, NULL, '2000-01-01'), (2, 2, 1, NULL), (3, 3, NULL, NULL)")
        assert client.request(*change) == reply, change
        assert server.sql("SELECT id, u FROM hs.t ORDER BY id") == stored, change


def test_a_row_that_loses_its_parent_by_its_own_update_is_looked_at_again(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    server.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, u INT UNIQUE, p INT REFERENCES t (id) ON DELETE SET NULL, " + TREE
    )
    client = connect(server.port_wr)
    client.open("hs.t", ["u"], filters=["p"])
    client.open("hs.t", ["u", "p"], id=2)
    client.open("hs.t", ["id", "u"], id=3)

    def rows_after(*change: Value) -> tuple[bytes, list[tuple[object, ...]]]:
        server.sql("DELETE FROM hs.t")
        server.sql("INSERT INTO hs.t VALUES (1, 1, NULL, '2000-01-01'), (2, 2, 1, NULL)")
        return client.request(*change), server.sql("SELECT id, u, p FROM hs.t")

    assert rows_after(1, "=", 1, 2, 1, 0, "U", 1) == (b"0\t1\t1", [(2, 1, None)])
    assert rows_after(2, "=", 1, 2, 1, 0, "U?", 1, None) == (b"0\t2\t2\t\0", [(2, 1, None)])
    assert rows_after(2, "=", 1, 2, 1, 0, "-!", 1, 0) == (b"0\t2\t1\t\0", [(2, 1, None)])
    # It no longer meets the filter.
    assert rows_after(1, "=", 1, 2, 1, 0, "F", "=", 0, 1, "U?", 1) == (b"0\t1", [(2, 2, None)])
    assert rows_after(3, "+U?", 2, 2, 1) == (b"0\t2\t2\t2", [(2, 1, None)])


def test_the_log_has_rows_as_a_cascade_of_their_own_update_has_left_them(
    server: PrivateServer, connect: Callable[[int], Client]
) -> None:
    """Else a replica would give the row its old parent back, and stop since that is gone."""
    table = "CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, p INT REFERENCES t (id) ON DELETE SET NULL, " + TREE
    twin = Twin(server, [table, "INSERT INTO t VALUES (1, 1, NULL, '2000-01-01'), (2, 2, 1, NULL)"])
    twin.open(["u"])
    assert twin.port.request(1, "=", 1, 2, 1, 0, "U", 1) == b"0\t1\t1"
    twin.cursor.execute("DELETE FROM tw.t WHERE e < NOW()")
    twin.cursor.execute("UPDATE tw.t SET u = 1 WHERE id = 2")
    twin.assert_same()
    twin.close()


def test_rows_whose_blobs_are_not_read_take_the_place_of_expired_ones() -> None:
    """The row that gives way is read as a whole, which must leave nothing in the rows that follow."""
    variables = {"log_bin": "log", "binlog_row_image": "MINIMAL", "handlersocket_ttl_purge_rows": 0}
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        create(server, more=", b TEXT")
        client = Client(server.port_wr)
        client.open("hs.t", ["u"])
        for _ in range(2):
            server.sql(
                "REPLACE INTO hs.t SELECT seq, 1, 'v', IF(seq % 2, '2000-01-01', NULL), seq, REPEAT(seq, 9000) FROM hs.seq_1_to_9"
            )
            assert client.request(1, ">=", 1, 1, 9, 0, "-", 1) == b"0\t1\t4"
            assert server.sql("SELECT id, u, b = REPEAT(id, 9000) FROM hs.t WHERE e IS NULL") == [
                (2, 1, 1), (4, 3, 1), (6, 5, 1), (8, 7, 1)
            ]
        client.close()
