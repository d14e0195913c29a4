"""Triggers run with the changes of the write port, exactly as they do with SQL."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pymysql
import pytest
from hs_client import Client, Value, line, wait_for_a_lock_wait
from private_server import PrivateServer

TABLES = ("t", "log", "deep", "sums", "kept", "child")

SCHEMA = """
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL, must VARCHAR(20) NOT NULL,
  name VARCHAR(60) NOT NULL DEFAULT 'none', g INT AS (n * 2) STORED, w INT AS (n + 1) VIRTUAL,
  f FLOAT NULL, stamp VARCHAR(30) NOT NULL DEFAULT (CONCAT('at ', n)), KEY n (n), UNIQUE KEY name (name, must));
CREATE TABLE log (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(200));
CREATE TABLE deep (id INT AUTO_INCREMENT PRIMARY KEY, v INT, doubled INT);
CREATE TABLE sums (k INT PRIMARY KEY, total INT NOT NULL);
CREATE TABLE kept (id INT PRIMARY KEY, n INT) WITH SYSTEM VERSIONING;
CREATE TABLE child (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO sums VALUES (1, 0), (2, 0);
CREATE VIEW seen AS SELECT k, total FROM sums;
CREATE FUNCTION total() RETURNS INT READS SQL DATA RETURN (SELECT SUM(total) FROM seen);
CREATE FUNCTION noted(x VARCHAR(100)) RETURNS INT MODIFIES SQL DATA
  BEGIN INSERT INTO log (what) VALUES (x); RETURN LAST_INSERT_ID(); END;
CREATE PROCEDURE add_to(the_key INT, amount INT) MODIFIES SQL DATA
  BEGIN UPDATE sums SET total = total + amount WHERE k = the_key; END;
CREATE PROCEDURE forgive(the_key INT) MODIFIES SQL DATA
  BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION INSERT INTO log (what) VALUES ('forgiven');
  INSERT INTO sums VALUES (the_key, 0); END;
CREATE TRIGGER deep_bi BEFORE INSERT ON deep FOR EACH ROW SET NEW.doubled = NEW.v * 2;
CREATE TRIGGER deep_ai AFTER INSERT ON deep FOR EACH ROW
  BEGIN INSERT INTO log (what) VALUES (CONCAT('deep ', NEW.id, ' ', NEW.doubled)); CALL add_to(2, NEW.doubled); END;
CREATE TRIGGER child_bd BEFORE DELETE ON child FOR EACH ROW INSERT INTO log (what) VALUES ('never');
CREATE TRIGGER kept_ai AFTER INSERT ON kept FOR EACH ROW INSERT INTO deep (v) VALUES (NEW.n);
CREATE TRIGGER kept_bu BEFORE UPDATE ON kept FOR EACH ROW SET NEW.n = NEW.n + 1;
CREATE TRIGGER kept_au AFTER UPDATE ON kept FOR EACH ROW INSERT INTO log (what) VALUES (CONCAT(OLD.n, '>', NEW.n));
CREATE TRIGGER kept_ad AFTER DELETE ON kept FOR EACH ROW INSERT INTO log (what) VALUES (CONCAT('gone ', OLD.n));
CREATE TRIGGER t_bi BEFORE INSERT ON t FOR EACH ROW BEGIN
  IF NEW.must IS NULL THEN SET NEW.must = 'repaired'; END IF;
  IF NEW.n = 13 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not thirteen', MYSQL_ERRNO = 5013; END IF;
  IF NEW.n = 14 THEN SET NEW.n = NULL; END IF;
  IF NEW.n = 16 THEN SET NEW.id = 1600; END IF;
  SET NEW.name = CONCAT(NEW.name, '/', IFNULL(total(), 'x'), '/', NEW.g, '/', IFNULL(NEW.w, 'w'));
END;
CREATE TRIGGER t_ai AFTER INSERT ON t FOR EACH ROW BEGIN
  SET @made = noted(CONCAT('i ', NEW.id, ' ', NEW.n, ' ', NEW.g, ' ', NEW.w, ' ', NEW.stamp));
  INSERT INTO deep (v) VALUES (NEW.n), (@made);
  CALL add_to(1, NEW.n);
  CALL forgive(NEW.n);
  IF NEW.n = 15 THEN SIGNAL SQLSTATE '45000'; END IF;
  IF NEW.n = 17 THEN INSERT INTO t (n, must) VALUES (1, 'x'); END IF;
  IF NEW.n = 18 THEN INSERT INTO no_such_table VALUES (1); END IF;
  IF NEW.n = 19 THEN SET @x = no_such_function(); END IF;
END;
CREATE TRIGGER t_bu BEFORE UPDATE ON t FOR EACH ROW BEGIN
  IF NEW.n = 23 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not twenty-three'; END IF;
  IF NEW.n <> OLD.n THEN SET NEW.stamp = CONCAT(OLD.n, '>', NEW.n, ' ', NEW.g); END IF;
  IF NEW.must IS NULL THEN SET NEW.must = OLD.must; END IF;
END;
CREATE TRIGGER t_bu2 BEFORE UPDATE ON t FOR EACH ROW FOLLOWS t_bu IF NEW.n = 24 THEN SET NEW.n = 25; END IF;
CREATE TRIGGER t_au AFTER UPDATE ON t FOR EACH ROW BEGIN
  INSERT INTO log (what) VALUES (CONCAT('u ', OLD.id, ' ', OLD.n, '>', NEW.n, ' ', OLD.g, '>', NEW.g, ' ', NEW.stamp));
  CALL add_to(1, NEW.n - OLD.n);
  IF NEW.n = 27 THEN INSERT INTO sums VALUES (1, 1); END IF;
END;
CREATE TRIGGER t_bd BEFORE DELETE ON t FOR EACH ROW BEGIN
  IF OLD.n = 33 THEN SIGNAL SQLSTATE '45000'; END IF;
  INSERT INTO log (what) VALUES (CONCAT('bd ', OLD.id, ' ', OLD.must));
END;
CREATE TRIGGER t_ad AFTER DELETE ON t FOR EACH ROW BEGIN
  DELETE FROM deep WHERE v = OLD.n;
  CALL add_to(1, -OLD.n);
END
"""


@pytest.fixture(scope="module", autouse=True)
def functions_may_write(server: PrivateServer) -> Iterator[None]:
    server.sql("SET GLOBAL log_bin_trust_function_creators = 1")
    yield
    server.sql("SET GLOBAL log_bin_trust_function_creators = 0")


def build(server: PrivateServer, database: str) -> None:
    connection = server.connect()
    with connection.cursor() as sql:
        sql.execute(f"CREATE OR REPLACE DATABASE {database} CHARACTER SET utf8mb4")
        sql.execute(f"USE {database}")
        for statement in re.split(r";\n(?=CREATE|INSERT)", SCHEMA.strip()):
            sql.execute(statement)
    connection.close()


class Twin:
    """The same schema twice: `hs` is written through the port, `tw` by SQL."""

    def __init__(self, server: PrivateServer, writer: Client) -> None:
        self.server = server
        self.writer = writer
        for database in ("hs", "tw"):
            build(server, database)
        self.connection = server.connect(database="tw")
        self.sql = self.connection.cursor()
        self.sql.execute("SET binlog_format = ROW")
        self.columns: tuple[str, ...] = ()

    def close(self) -> None:
        self.connection.close()
        self.server.sql("DROP DATABASE tw")

    def open(self, table: str, *columns: str, index: str = "PRIMARY") -> None:
        self.columns = columns
        self.writer.open(f"hs.{table}", columns, index=index)

    def do(self, request: tuple[Value, ...], statement: str, values: tuple[Value, ...] = ()) -> bytes:
        """One request and its statement: the same outcome, and the same rows in all tables."""
        reply = self.writer.request(1, *request)
        try:
            self.sql.execute(statement, values)
            expected = 0
        except pymysql.Error as error:
            expected = error.args[0]
        self.connection.commit()
        found = re.match(rb"\d+\t1\tsql_(\d+)", reply)
        number = int(found[1]) if found else {b"1\t1\t121": 1062}.get(reply, 0)
        assert number == expected, (request, reply, expected)
        assert reply.startswith(b"0\t") == (expected == 0), (request, reply)
        self.compare(request)
        return reply

    def compare(self, what: object) -> None:
        for table in TABLES:
            ours, theirs = (
                self.server.sql(f"SELECT * FROM {database}.{table} ORDER BY 1") for database in ("hs", "tw")
            )
            assert ours == theirs, (what, table)

    def insert(self, *values: Value) -> bytes:
        names = ", ".join(self.columns[: len(values)])
        places = ", ".join(["%s"] * len(values))
        return self.do(
            ("+", len(values), *values), f"INSERT INTO {self.table()} ({names}) VALUES ({places})", values
        )

    def table(self) -> str:
        return "kept" if self.columns[:2] == ("id", "n") and len(self.columns) == 2 else "t"


@pytest.fixture
def twin(server: PrivateServer, writer: Client) -> Iterator[Twin]:
    made = Twin(server, writer)
    yield made
    made.close()


def row_events(server: PrivateServer, position: str) -> dict[str, list[list[str]]]:
    """By database: the row events of each transaction since a GTID position."""
    log, end = server.sql("SHOW MASTER STATUS")[0][:2]
    folder = Path(server.sql("SELECT @@log_bin_basename")[0][0]).parent
    text = subprocess.run(
        [server.server_root / "usr/bin/mariadb-binlog", "--no-defaults", "-v", "--base64-output=decode-rows",
         f"--start-position={position}", f"--stop-position={end}", folder / log],
        capture_output=True, check=True,
    ).stdout.decode(errors="replace")  # fmt: skip
    found: dict[str, list[list[str]]] = {"hs": [], "tw": []}
    for transaction in re.split(r"^START TRANSACTION", text, flags=re.M)[1:]:
        lines = re.findall(r"^### (.*)$", transaction, flags=re.M)
        named = re.search(r"`(hs|tw)`\.", "\n".join(lines))
        if named:
            found[named[1]].append([row.replace(f"`{named[1]}`.", "") for row in lines])
    return found


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


@contextmanager
def sql_holds(server: PrivateServer, statement: str) -> Iterator[Any]:
    connection = server.connect()
    try:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute(statement)
        yield connection
    finally:
        connection.close()


def wait_for(server: PrivateServer, query: str, wanted: int = 1) -> None:
    until = time.monotonic() + 60
    while server.sql(query)[0][0] < wanted:
        assert time.monotonic() < until, query


def test_a_trigger_waits_for_a_row_after_what_came_before_is_committed(
    server: PrivateServer, connect: Callable[[int], Client], twin: Twin
) -> None:
    server.sql("CREATE TABLE hs.free (id INT PRIMARY KEY)")
    twin.open("t", "n", "must", "name")
    other = connect(server.port_wr)
    other.open("hs.free", ["id"])
    twin.writer.open("hs.free", ["id"], id=2)
    with sql_holds(server, "UPDATE hs.sums SET total = 100 WHERE k = 1") as holder:
        twin.writer.send(line(2, "+", 1, 1) + line(1, "+", 3, 1, "m", "a") + line(2, "+", 1, 2))
        wait_for_a_lock_wait(server)
        assert server.sql("SELECT id FROM hs.free") == [(1,)]
        assert other.request(1, "+", 1, 3) == b"0\t1"
        holder.commit()
        assert [twin.writer.read_line() for _ in range(3)] == [b"0\t1", b"0\t1\t1", b"0\t1"]
    assert server.sql("SELECT total FROM hs.sums WHERE k = 1") == [(101,)]
    assert server.sql("SELECT COUNT(*) FROM hs.log WHERE what LIKE 'i %'") == [(1,)]


def test_a_row_that_stays_locked_is_the_request_s_own_failure(
    server: PrivateServer, twin: Twin
) -> None:
    server.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    try:
        twin.open("t", "n", "must", "name")
        with sql_holds(server, "UPDATE hs.sums SET total = 100 WHERE k = 1"):
            # forgive() has a handler for errors, which must not take this one.
            assert twin.writer.request(1, "+", 3, 1, "m", "a") == b"1\t1\t146"
        assert server.sql("SELECT COUNT(*) FROM hs.t") == server.sql("SELECT COUNT(*) FROM hs.log") == [(0,)]
    finally:
        server.sql("SET GLOBAL innodb_lock_wait_timeout = DEFAULT")


def test_deadlocks_are_executed_again_and_count_once(
    server: PrivateServer, connect: Callable[[int], Client], database: str
) -> None:
    server.sql("CREATE TABLE hs.a (id INT PRIMARY KEY, n INT)")
    server.sql("CREATE TABLE hs.b (id INT PRIMARY KEY, n INT)")
    for table in "ab":
        server.sql(f"INSERT INTO hs.{table} SELECT seq, 0 FROM hs.seq_1_to_3")
    server.sql("CREATE TABLE hs.n (id INT AUTO_INCREMENT PRIMARY KEY)")
    server.sql(
        "CREATE TRIGGER hs.r AFTER UPDATE ON hs.a FOR EACH ROW BEGIN"
        " UPDATE hs.b SET n = n + 1 WHERE id = NEW.id; INSERT INTO hs.n VALUES (); END"
    )
    stop = threading.Event()

    def disturb() -> None:
        connection = server.connect()
        with connection.cursor() as sql:
            while not stop.is_set():
                try:
                    sql.execute("BEGIN")
                    sql.execute("SELECT * FROM hs.b WHERE id = 1 FOR UPDATE")
                    sql.execute("SELECT * FROM hs.a WHERE id = 1 FOR UPDATE")
                    sql.execute("COMMIT")
                except pymysql.Error as error:
                    assert error.args[0] == 1213
        connection.close()

    thread = threading.Thread(target=disturb)
    thread.start()
    done = 0
    try:
        clients = [connect(server.port_wr) for _ in range(3)]
        for client in clients:
            client.open("hs.a", ["n"])
        for _ in range(30):
            for client in clients:
                client.send(b"".join(line(1, "=", 1, key, 1, 0, "+", 1) for key in (1, 2, 3)))
            for client in clients:
                replies = [client.read_line() for _ in range(3)]
                assert set(replies) <= {b"0\t1\t1", b"1\t1\tsql_1213", b"1\t1\t149"}, replies
                done += replies.count(b"0\t1\t1")
    finally:
        stop.set()
        thread.join()
    for table in "ab":
        assert server.sql(f"SELECT CAST(SUM(n) AS SIGNED) FROM hs.{table}") == [(done,)]
    assert server.sql("SELECT COUNT(*) FROM hs.n") == [(done,)]


DDL = [
    "CREATE OR REPLACE FUNCTION total() RETURNS INT READS SQL DATA RETURN (SELECT SUM(total) FROM seen)",
    "CREATE OR REPLACE PROCEDURE add_to(the_key INT, amount INT)"
    " UPDATE sums SET total = total + amount WHERE k = the_key",
    "ALTER TABLE log ADD more INT",
    "ALTER TABLE log DROP more",
    "CREATE OR REPLACE VIEW seen AS SELECT k, total FROM sums",
    "CREATE OR REPLACE TRIGGER deep_bi BEFORE INSERT ON deep FOR EACH ROW SET NEW.doubled = NEW.v * 2",
    "ALTER TABLE deep FORCE",
    "FLUSH TABLES",
    "ALTER TABLE sums COMMENT 'x'",
    "RENAME TABLE child TO other, other TO child",
    "ANALYZE TABLE sums, deep, log, t",
    "CREATE OR REPLACE TRIGGER extra BEFORE INSERT ON t FOR EACH ROW SET NEW.f = 1",
    "DROP TRIGGER extra",
    "ALTER TABLE t COMMENT 'y'",
    "CREATE OR REPLACE FUNCTION noted(x VARCHAR(100)) RETURNS INT MODIFIES SQL DATA"
    " BEGIN INSERT INTO log (what) VALUES (x); RETURN LAST_INSERT_ID(); END",
]


def test_ddl_on_everything_that_triggers_use_gets_through(
    server: PrivateServer, connect: Callable[[int], Client], database: str
) -> None:
    build(server, "hs")
    stop = threading.Event()
    done = [0, 0, 0]
    wrong: list[bytes] = []
    # A statement may begin between the DROP and the CREATE of OR REPLACE, as in SQL.
    # Threads that use the same rows may deadlock, as in SQL.
    passing = (b"1\t1\tsql_1213", b"1\t1\tsql_1305", b"1\t1\tsql_1146", b"1\t1\topen_table", b"1\t1\tlock_tables", b"1\t1\tsql_1412")

    def write(number: int) -> None:
        client = connect(server.port_wr)
        client.open("hs.t", ["n", "must", "name"])
        at = 0
        while not stop.is_set():
            at += 10
            replies = client.pipeline(
                [line(1, "+", 3, 100 + number, "m", f"{number} {at + i}") for i in range(10)]
            )
            for reply in replies:
                if reply.startswith(b"0\t1\t"):
                    done[number] += 1
                elif not reply.startswith(passing):
                    wrong.append(reply)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        connection = server.connect(database="hs")
        with connection.cursor() as sql:
            for _ in range(5):
                for statement in DDL:
                    before = sum(done)
                    sql.execute(statement)
                    until = time.monotonic() + 60
                    while sum(done) == before and not wrong and time.monotonic() < until:
                        pass
        connection.close()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not wrong, wrong[:5]
    assert server.sql("SELECT COUNT(*) FROM hs.t") == [(sum(done),)]
    assert server.sql("SELECT COUNT(*) FROM hs.deep") == [(2 * sum(done),)]
    assert server.sql("SELECT COUNT(*) FROM hs.log WHERE what LIKE 'i %'") == [(sum(done),)]
    assert server.sql("SELECT total FROM hs.sums WHERE k = 1") == server.sql("SELECT SUM(n) FROM hs.t")


def test_routines_are_those_of_now(server: PrivateServer, writer: Client, database: str) -> None:
    """What was replaced is not run from a cache, also when others are open meanwhile."""
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    server.sql("CREATE TABLE hs.u (id INT PRIMARY KEY, v INT)")
    function = "CREATE OR REPLACE FUNCTION hs.f() RETURNS INT RETURN {}"
    server.sql(function.format(0))
    for table in "tu":
        server.sql(f"CREATE TRIGGER hs.r{table} BEFORE INSERT ON hs.{table} FOR EACH ROW SET NEW.v = hs.f()")
        writer.open(f"hs.{table}", ["id"], id=1 if table == "t" else 2)
    for number in range(10):
        server.sql(function.format(number))
        assert writer.pipeline([line(1, "+", 1, number), line(2, "+", 1, number)]) == [b"0\t1"] * 2
    for table in "tu":
        assert server.sql(f"SELECT v FROM hs.{table} ORDER BY id") == [(n,) for n in range(10)]


def test_what_did_not_exist_is_found_once_it_does(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    server.sql("CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW INSERT INTO hs.l VALUES (hs.f())")
    writer.open("hs.t", ["id"])
    assert writer.request(1, "+", 1, 1).startswith(b"1\t1\tsql_1146 ")
    server.sql("CREATE TABLE hs.l (v INT)")
    assert writer.request(1, "+", 1, 1).startswith(b"1\t1\tsql_1305 ")
    server.sql("CREATE FUNCTION hs.f() RETURNS INT RETURN 5")
    assert writer.request(1, "+", 1, 1) == b"0\t1"
    server.sql("DROP FUNCTION hs.f")
    assert writer.request(1, "+", 1, 2).startswith(b"1\t1\tsql_1305 ")
    assert server.sql("SELECT v FROM hs.l") == [(5,)]


def test_a_trigger_that_comes_and_goes_counts_for_the_next_request(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL)")
    writer.open("hs.t", ["id", "v"])
    for number in range(3):
        assert writer.request(1, "+", 2, number, 1) == b"0\t1"
        server.sql("CREATE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW SET NEW.v = 7")
        assert writer.request(1, "+", 2, number + 10, None) == b"0\t1"
        server.sql("DROP TRIGGER hs.r")
    assert server.sql("SELECT v FROM hs.t ORDER BY id") == [(1,)] * 3 + [(7,)] * 3


def test_routines_and_triggers_of_other_databases(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE OR REPLACE DATABASE aside")
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


def test_foreign_keys_that_come_while_the_table_is_open(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, p INT)")
    server.sql("CREATE TABLE hs.p (id INT PRIMARY KEY)")
    server.sql("INSERT INTO hs.p VALUES (1), (2), (3), (4)")
    server.sql("CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW DELETE FROM hs.p WHERE id = NEW.p")
    writer.open("hs.t", ["id", "p"])
    assert writer.request(1, "+", 2, 1, 1) == b"0\t1"
    server.sql(
        "CREATE TABLE hs.c (id INT PRIMARY KEY, p INT, v INT AS (p + 1) VIRTUAL, KEY v (v),"
        " FOREIGN KEY (p) REFERENCES hs.p (id) ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.c (id, p) VALUES (2, 2), (3, 3), (4, 4)")
    assert writer.pipeline([line(1, "+", 2, 2, 2), line(1, "+", 2, 3, 3)]) == [b"0\t1"] * 2
    assert server.sql("SELECT p FROM hs.c") == [(4,)]
    server.sql("CREATE TABLE hs.d (t INT, FOREIGN KEY (t) REFERENCES hs.t (id) ON DELETE SET NULL)")
    server.sql("INSERT INTO hs.d VALUES (1), (2)")
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t1"
    assert sorted(server.sql("SELECT t FROM hs.d"), key=str) == [(2,), (None,)]


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


def test_finds_on_the_write_port_fire_nothing(server: PrivateServer, twin: Twin) -> None:
    twin.open("t", "n", "must", "name")
    twin.insert(1, "m", "a")
    with sql_holds(server, "UPDATE hs.sums SET total = 5"):
        assert len(twin.writer.find("=", [1])) == 1


@pytest.fixture(scope="module")
def single() -> Iterator[PrivateServer]:
    """A server of which only the tests of this file know."""
    with PrivateServer(variables={"handlersocket_authentication_wr": "account"}) as server:
        yield server
        assert server.running, server.error_log()[-3000:]


@pytest.fixture
def definers(single: PrivateServer) -> Iterator[PrivateServer]:
    single.sql("CREATE OR REPLACE DATABASE hs")
    for user in ("ada@'%'", "low@localhost"):
        single.sql(f"CREATE OR REPLACE USER {user} IDENTIFIED BY 'p'")
    single.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    single.sql("CREATE TABLE hs.l (id INT, who VARCHAR(100), made VARCHAR(100))")
    single.sql("GRANT SELECT, INSERT, UPDATE ON hs.t TO ada@'%'")
    single.sql("GRANT TRIGGER, SELECT, UPDATE ON hs.t TO low@localhost")
    single.sql(
        "CREATE DEFINER=low@localhost TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW"
        " INSERT INTO hs.l VALUES (NEW.id, USER(), CURRENT_USER())"
    )
    yield single


def logged_in(server: PrivateServer, user: str = "ada") -> Client:
    client = Client(server.port_wr)
    assert client.log_in(user, "p") == b"0\t1"
    return client


def test_triggers_run_with_the_rights_of_their_definer(definers: PrivateServer) -> None:
    with logged_in(definers) as client:
        client.open("hs.t", ["id", "v"])
        assert client.request(1, "+", 2, 1, 1).startswith(b"1\t1\tsql_1142 ")
        definers.sql("GRANT INSERT ON hs.l TO low@localhost")
        assert client.request(1, "+", 2, 2, 2) == b"0\t1"
        definers.sql("REVOKE INSERT ON hs.l FROM low@localhost")
        assert client.request(1, "+", 2, 3, 3).startswith(b"1\t1\tsql_1142 ")
        definers.sql("DROP USER low@localhost")
        assert client.request(1, "+", 2, 4, 4).startswith(b"1\t1\tsql_1449 ")
    (row,) = definers.sql("SELECT * FROM hs.l")
    assert row[0] == 2 and row[1].startswith("ada@") and row[2] == "low@localhost"
    assert definers.sql("SELECT id FROM hs.t") == [(2,)]
    shown = definers.sql("SELECT DISTINCT user FROM information_schema.processlist WHERE state LIKE 'handlersocket%'")
    assert shown == [("handlersocket",)]


def test_a_trigger_that_takes_too_long_is_ended(definers: PrivateServer) -> None:
    definers.sql("DROP TRIGGER hs.r")
    definers.sql("ALTER USER ada@'%' WITH MAX_STATEMENT_TIME 0.3")
    definers.sql("CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW DO SLEEP(NEW.v)")
    with logged_in(definers) as slow:
        slow.open("hs.t", ["id", "v"])
        assert slow.request(1, "+", 2, 1, 30).startswith(b"1\t1\tsql_1969 ")
        assert slow.request(1, "+", 2, 2, 0) == b"0\t1"
    definers.sql("ALTER USER ada@'%' WITH MAX_STATEMENT_TIME 0")
    assert definers.sql("SELECT id FROM hs.t") == [(2,)]


def test_a_trigger_that_takes_long_holds_up_no_other_and_can_be_killed(
    definers: PrivateServer,
) -> None:
    definers.sql("DROP TRIGGER hs.r")
    definers.sql("CREATE TABLE hs.free (id INT PRIMARY KEY)")
    definers.sql("GRANT SELECT, INSERT ON hs.free TO ada@'%'")
    definers.sql("CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW DO SLEEP(NEW.v)")
    with logged_in(definers) as slow, logged_in(definers) as quick:
        slow.open("hs.t", ["id", "v"])
        quick.open("hs.free", ["id"])
        slow.send(line(1, "+", 2, 1, 1000))
        sleeping = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User sleep'"
        wait_for(definers, sleeping)
        for number in range(10):
            assert quick.request(1, "+", 1, number) == b"0\t1"
        ((thread,),) = definers.sql(
            "SELECT id FROM information_schema.processlist WHERE state = 'User sleep'"
        )
        definers.sql(f"KILL QUERY {thread}")
        assert slow.read_line() == b"1\t1\tinterrupted"
        assert slow.request(1, "+", 2, 2, 0) == b"0\t1"
    assert definers.sql("SELECT id FROM hs.t") == [(2,)]


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
