"""Triggers run with the changes of the write port, exactly as they do with SQL."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator

import pymysql
import pytest
from hs_client import Client, Value, line
from private_server import PrivateServer
from trigger_twin import Twin, row_events

pytestmark = pytest.mark.usefixtures("functions_may_write")


@pytest.fixture
def twin(server: PrivateServer, writer: Client, functions_may_write: None) -> Iterator[Twin]:
    with Twin(server, writer) as made:
        yield made


def test_outcomes_rows_and_row_events_are_those_of_sql(server: PrivateServer, twin: Twin) -> None:
    server.sql("FLUSH BINARY LOGS")
    start = server.sql("SHOW MASTER STATUS")[0][1]
    twin.open("t", "n", "must", "name", "f")
    assert twin.insert(1, "given", "one", 1.5) == b"0\t1\t1"
    assert twin.insert(2, None, "two") == b"0\t1\t2"  # repaired by BEFORE
    twin.insert(3)  # `must` has no default, and is repaired
    twin.insert(13, "a", "thirteen")  # SIGNAL before
    twin.insert(14, "a", "fourteen")  # NULL by BEFORE
    twin.insert(15, "a", "fifteen")  # SIGNAL after
    twin.insert(16, "a", "sixteen")  # SET NEW.id
    twin.insert(17, "a", "its own table")
    twin.insert(18, "a", "no such table")
    twin.insert(19, "a", "no such function")
    twin.insert(4, "a" * 30, "too long")
    twin.insert(1, "b", "x" * 60)
    update = "UPDATE t SET n = %s, must = %s, name = %s, f = %s WHERE id = %s"

    def change(key: int, *values: Value) -> bytes:
        return twin.do(("=", 1, key, 1, 0, "U", *values), update, (*values, key))

    assert change(1, 5, "five", "first", 2) == b"0\t1\t1"
    assert change(1, 5, "five", "first", 2) == b"0\t1\t1"  # stays as it is
    assert change(2, 6, None, "second", 0) == b"0\t1\t1"
    assert change(99, 6, None, "second", 0) == b"0\t1\t0"
    change(1, 23, "a", "b", 0)
    change(1, 24, "a", "b", 0)  # the second BEFORE trigger
    change(1, 27, "a", "c", 0)  # fails in AFTER
    change(2, 7, "a", "b", 0)  # a key that the other row has
    twin.do(("=", 1, 1, 1, 0, "+", 2, None, None, 3), "UPDATE t SET n = n + 2, f = f + 3 WHERE id = 1")
    twin.do(("=", 1, 2, 1, 0, "-?", 2, None, None, 1), "UPDATE t SET n = n - 2, f = f - 1 WHERE id = 2")
    for key in (1, 2):
        for database in ("hs", "tw"):
            server.sql(f"INSERT INTO {database}.child VALUES ({key}, {key})")
    # The cascade fires no triggers.
    assert twin.do(("=", 1, 1, 1, 0, "D"), "DELETE FROM t WHERE id = 1") == b"0\t1\t1"
    for n in (31, 32, 33, 34):
        twin.insert(n, "r", f"row {n}", n)
    twin.open("t", "n", "f", index="n")
    found = b"0\t1\t2"
    assert twin.do(("<", 1, 33, 2, 0, "+", 10, 1),
                   "UPDATE t SET n = n + 10, f = f + 1 WHERE n < 33 ORDER BY n DESC LIMIT 2") == found  # fmt: skip
    # Of a range the first rows change, and then one fails: nothing remains.
    twin.do((">=", 1, 30, 9, 0, "U", 23, 0), "UPDATE t SET n = 23, f = 0 WHERE n >= 30 ORDER BY n LIMIT 9")
    twin.do((">=", 1, 30, 9, 0, "D"), "DELETE FROM t WHERE n >= 30 ORDER BY n LIMIT 9")
    twin.do((">", 1, 33, 9, 0, "D"), "DELETE FROM t WHERE n > 33 ORDER BY n LIMIT 9")
    twin.open("t", "id", "n", "must", "name")
    ways = (("+I", "INSERT IGNORE INTO t {} VALUES {}"), ("+R", "REPLACE INTO t {} VALUES {}"),
            ("+U", "INSERT INTO t {} VALUES {} ON DUPLICATE KEY UPDATE id = {}, n = {}, must = {}, name = {}"))  # fmt: skip
    for number, (way, statement) in enumerate(ways):
        for id_, n, name in ((500 + number, 60, "new"), (500 + number, 70, "again"), (501, 80, "x"), (502, 24, "y")):
            values = (id_, n, "w" + way, name)
            filled = statement.format("(id, n, must, name)", "(%s, %s, %s, %s)", *["%s"] * 4)
            twin.do((way, 4, *values), filled, values * (2 if way == "+U" else 1))
        twin.do((way, 4, 500, 13, "w", "z"), filled, (500, 13, "w", "z") * (2 if way == "+U" else 1))
    twin.open("kept", "id", "n")
    twin.insert(1, 50)
    twin.do(("=", 1, 1, 1, 0, "U", 1, 60), "UPDATE kept SET id = 1, n = 60 WHERE id = 1")
    twin.do(("=", 1, 1, 1, 0, "D"), "DELETE FROM kept WHERE id = 1")
    twin.compare("the end")
    events = row_events(server, start)
    without_time = {
        name: [[re.sub(r"@[34]=\d+\.\d+", "@time", row) for row in rows] for rows in found_there]
        for name, found_there in events.items()
    }
    assert len(without_time["hs"]) == len(without_time["tw"]) > 15
    for ours, theirs in zip(without_time["hs"], without_time["tw"], strict=True):
        assert ours == theirs


def test_a_request_that_fails_in_a_pipeline_is_undone_alone(server: PrivateServer, twin: Twin) -> None:
    twin.open("t", "n", "must", "name")
    requests = [(1, "a"), (13, "b"), (2, "c"), (15, "d"), (3, "e"), (1, "f")]
    replies = twin.writer.pipeline([line(1, "+", 3, n, "m", name) for n, name in requests])
    for n, name in requests:
        try:
            twin.sql.execute("INSERT INTO t (n, must, name) VALUES (%s, 'm', %s)", (n, name))
        except pymysql.Error:
            pass
        twin.connection.commit()
    assert [reply[:1] for reply in replies] == [b"0", b"1", b"0", b"1", b"0", b"0"]
    # Numbers of AUTO_INCREMENT are lost by a request that fails, as by a statement.
    twin.compare("pipeline")


def test_routines_and_triggers_of_other_databases(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.make_database("aside")
    try:
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(20))")
        server.sql("CREATE TABLE aside.l (id INT PRIMARY KEY, d VARCHAR(20))")
        server.sql("CREATE FUNCTION aside.f() RETURNS VARCHAR(20) RETURN DATABASE()")
        server.sql("CREATE TRIGGER aside.r BEFORE INSERT ON aside.l FOR EACH ROW SET NEW.d = DATABASE()")
        server.sql(
            "CREATE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW"
            " BEGIN INSERT INTO aside.l (id) VALUES (NEW.id); SET NEW.v = CONCAT(aside.f(), DATABASE()); END"
        )
        writer.open("hs.t", ["id"])
        for number in range(50):
            assert writer.request(1, "+", 1, number) == b"0\t1"
        assert server.sql("SELECT DISTINCT v FROM hs.t") == [("asidehs",)]
        assert server.sql("SELECT DISTINCT d FROM aside.l") == [("aside",)]
    finally:
        server.sql("DROP DATABASE aside")


def test_nothing_that_a_trigger_leaves_in_its_session_is_there_for_the_next_request(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, seen VARCHAR(100), last INT, week INT)")
    server.sql(
        "CREATE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW BEGIN"
        " SET NEW.seen = CONCAT(IFNULL(@u, 'none'), ' ', NOW() < '2001-01-01'), NEW.last = LAST_INSERT_ID(),"
        "  NEW.week = @@session.default_week_format;"
        " SET @u = 'set', @v = REPEAT('long', 100);"
        " SET SESSION default_week_format = 5;"
        " SET timestamp = 1;"
        " CREATE TEMPORARY TABLE hs.passing (id INT AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB;"
        " INSERT INTO hs.passing VALUES (7);"
        " DO GET_LOCK('hs lock', 0);"
        " END"
    )
    writer.open("hs.t", ["id"])
    requests = [line(1, "+", 1, number) for number in range(20)]
    assert writer.pipeline(requests) == [b"0\t1"] * 20
    assert server.sql("SELECT DISTINCT seen, last, week FROM hs.t") == [("none 0", 0, 0)]
    assert server.sql("SELECT IS_FREE_LOCK('hs lock')") == [(1,)]


def test_what_triggers_may_not_write_is_refused(
    server: PrivateServer, writer: Client, reader: Client, database: str
) -> None:
    refused = b"1\t1\tunsupported_table"
    server.sql("CREATE TABLE hs.l (id INT PRIMARY KEY AUTO_INCREMENT) ENGINE=MyISAM")
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    server.sql("CREATE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW INSERT INTO hs.l VALUES ()")
    assert writer.raw(b"P\t1\ths\tt\tPRIMARY\tid") == refused
    reader.open("hs.t", ["id"])
    server.sql("ALTER TABLE hs.l ENGINE=InnoDB")
    assert writer.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"0\t1"
    server.sql("ALTER TABLE hs.l ENGINE=MyISAM")
    assert writer.request(1, "+", 1, 1) == refused
    server.sql("CREATE OR REPLACE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW SET @n = (SELECT COUNT(*) FROM hs.l)")
    assert writer.request(1, "+", 1, 1) == b"0\t1"
    server.sql("CREATE SEQUENCE hs.s")
    server.sql("CREATE OR REPLACE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW SET @n = NEXTVAL(hs.s)")
    assert writer.request(1, "+", 1, 2) == refused
    server.sql("DROP TRIGGER hs.r")
    server.sql("CREATE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW SET @n = 1")
    assert writer.request(1, "+", 1, 3) == b"0\t1"
    server.sql("ALTER TABLE hs.t ENGINE=Aria")
    assert writer.request(1, "+", 1, 4) == refused


def test_foreign_keys_of_versioned_tables_with_triggers_are_checked(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.p (k INT PRIMARY KEY)")
    server.sql("INSERT INTO hs.p VALUES (1)")
    server.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, k INT, FOREIGN KEY (k) REFERENCES hs.p (k))"
        " WITH SYSTEM VERSIONING"
    )
    server.sql("CREATE TRIGGER hs.r AFTER UPDATE ON hs.t FOR EACH ROW SET @x = 1")
    writer.open("hs.t", ["id", "k"])
    assert writer.request(1, "+", 2, 1, 1) == b"0\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 2, 7) == b"1\t1\t151"
    assert server.sql("SELECT id, k FROM hs.t") == [(1, 1)]


def test_what_was_answered_is_there_after_a_crash_with_what_its_triggers_did() -> None:
    with PrivateServer(variables={"log_bin": "log", "sync_binlog": 1}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
        server.sql("CREATE TABLE hs.l (id INT PRIMARY KEY)")
        server.sql("CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW INSERT INTO hs.l VALUES (NEW.id)")
        answered: list[int] = []

        def write(number: int) -> None:
            at = number * 1_000_000
            try:
                with Client(server.port_wr) as client:
                    client.open("hs.t", ["id"])
                    while True:
                        keys = range(at, at + 20)
                        client.send(b"".join(line(1, "+", 1, key) for key in keys))
                        for key in keys:
                            if client.read_line() == b"0\t1":
                                answered.append(key)
                        at += 20
            except (EOFError, OSError):
                pass

        threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        until = time.monotonic() + 60
        while len(answered) < 2000 and time.monotonic() < until:
            time.sleep(0.01)
        server.kill9()
        for thread in threads:
            thread.join()
        server.start()
        there = {row[0] for row in server.sql("SELECT id FROM hs.t")}
        assert set(answered) <= there
        assert there == {row[0] for row in server.sql("SELECT id FROM hs.l")}
