"""What triggers do on MySQL: the outcome, all rows and the row events are those of SQL."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import pymysql
import pytest
import server_files
from hs_client import Client, Value, line, sql_holds, wait_for_a_lock_wait
from private_server import PrivateServer
from trigger_twin import row_events

pytestmark = [
    pytest.mark.skipif(server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"),
    pytest.mark.usefixtures("functions_may_write"),
]

ENGINE_ERRORS = {121: 1062, 151: 1452, 152: 1451}


class Pair:
    """A schema that is there twice: `hs` is written through the port, `tw` by SQL."""

    def __init__(self, server: PrivateServer, writer: Client) -> None:
        self.server = server
        self.writer = writer
        server.make_database("tw")
        self.connection = server.connect(database="tw")
        self.sql = self.connection.cursor()

    def make(self, *statements: str) -> None:
        for database in ("hs", "tw"):
            with self.server.connect(database=database) as connection, connection.cursor() as sql:
                for statement in statements:
                    sql.execute(statement)

    def do(self, request: Sequence[Value], statement: str) -> int:
        """One request and its statement: the same outcome, and the same rows. Returns SQL's error."""
        reply = self.writer.request(1, *request)
        try:
            self.sql.execute(statement)
            expected = 0
        except pymysql.Error as error:
            expected = error.args[0]
        self.connection.commit()
        assert reply.startswith(b"0\t") == (expected == 0), (request, reply, expected)
        found = re.match(rb"\d+\t1\t(?:sql_)?(\d+)", reply)
        number = int(found[1]) if found and expected else 0
        assert ENGINE_ERRORS.get(number, number) == expected, (request, reply, expected)
        self.compare(statement)
        return expected

    def compare(self, what: object) -> None:
        tables = [row[0] for row in self.server.sql("SHOW TABLES FROM tw")]
        for table in tables:
            ours, theirs = (self.server.sql(f"SELECT * FROM {database}.{table} ORDER BY 1") for database in ("hs", "tw"))
            assert ours == theirs, (what, table)


@pytest.fixture
def pair(server: PrivateServer, writer: Client) -> Iterator[Pair]:
    made = Pair(server, writer)
    yield made
    made.connection.close()
    server.sql("DROP DATABASE tw")


def test_defaults_generated_columns_and_nulls_are_decided_when_sql_decides_them(pair: Pair) -> None:
    pair.make(
        "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a INT NOT NULL, b VARCHAR(5) NOT NULL,"
        " d INT DEFAULT (a + 1), g INT AS (a * 2) STORED, v INT AS (a + 1) VIRTUAL, n INT NOT NULL DEFAULT 3,"
        " KEY v (v), CHECK (a < 1000))",
        "CREATE TRIGGER t_bi BEFORE INSERT ON t FOR EACH ROW BEGIN"
        " IF NEW.a IS NULL THEN SET NEW.a = 70; END IF;"
        " IF NEW.b IS NULL THEN SET NEW.b = CONCAT(NEW.g, '/', IFNULL(NEW.d, 'd')); END IF;"
        " IF NEW.a = 5 THEN SET NEW.n = NULL; END IF;"
        " IF NEW.a = 6 THEN SET NEW.b = 'too long a text'; END IF;"
        " IF NEW.a = 7 THEN SET NEW.a = 1007; END IF; END",
        "CREATE TRIGGER t_bi2 BEFORE INSERT ON t FOR EACH ROW FOLLOWS t_bi SET NEW.a = NEW.a + 1",
        "CREATE TRIGGER t_bi0 BEFORE INSERT ON t FOR EACH ROW PRECEDES t_bi"
        " IF NEW.a = 8 THEN SET NEW.a = NULL; END IF",
        "CREATE TRIGGER t_bu BEFORE UPDATE ON t FOR EACH ROW BEGIN"
        " IF NEW.a IS NULL THEN SET NEW.a = OLD.a + 100; END IF;"
        " IF NEW.a = 5 THEN SET NEW.n = NULL; END IF;"
        " IF NEW.a < 0 THEN SET NEW.a = NULL; END IF;"
        " IF NEW.a = 9 THEN SET NEW.a = OLD.a; END IF; END",
    )
    pair.writer.open("hs.t", ["a", "b", "id"])
    outcomes = []
    for a, b in ((1, "one"), (None, "two"), (2, None), (None, None), (5, "n"), (6, "x"), (7, "y"), (8, "z")):
        values = ", ".join("NULL" if v is None else repr(v) for v in (a, b))
        outcomes.append(pair.do(("+", 2, a, b), f"INSERT INTO t (a, b) VALUES ({values})"))
    assert set(outcomes) == {0, 1048, 1406, 3819}, outcomes
    pair.do(("+", 1, 11), "INSERT INTO t (a) VALUES (11)")
    pair.writer.open("hs.t", ["a"])
    for a in (3, 3, None, 5, 9, -1):
        pair.do(("=", 1, 1, 1, 0, "U", a), f"UPDATE t SET a = {'NULL' if a is None else a} WHERE id = 1")
    pair.do((">", 1, 1, 9, 0, "+", 1), "UPDATE t SET a = a + 1 WHERE id > 1 ORDER BY id LIMIT 9")
    pair.writer.open("hs.t", ["n"])
    assert pair.do(("=", 1, 1, 1, 0, "U", None), "UPDATE t SET n = NULL WHERE id = 1") == 1048


def test_a_column_that_triggers_use_and_that_is_gone_is_the_error_of_sql(pair: Pair) -> None:
    pair.make(
        "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)",
        "INSERT INTO t VALUES (1, 1, 1)",
        "CREATE TRIGGER i BEFORE INSERT ON t FOR EACH ROW SET NEW.b = 1",
        "CREATE TRIGGER u BEFORE UPDATE ON t FOR EACH ROW SET @x = OLD.b",
        "CREATE TRIGGER d AFTER DELETE ON t FOR EACH ROW SET @x = OLD.b",
        "ALTER TABLE t DROP b",
    )
    pair.writer.open("hs.t", ["a", "id"])
    assert pair.do(("+", 2, 2, 2), "INSERT INTO t VALUES (2, 2)") == 1054
    pair.do(("=", 1, 1, 1, 0, "D"), "DELETE FROM t WHERE id = 1")
    pair.do(("=", 1, 7, 1, 0, "D"), "DELETE FROM t WHERE id = 7")
    pair.writer.open("hs.t", ["a"])
    pair.do(("=", 1, 1, 1, 0, "U", 5), "UPDATE t SET a = 5 WHERE id = 1")
    pair.do(("=", 1, 7, 1, 0, "U", 5), "UPDATE t SET a = 5 WHERE id = 7")


PUTS = (
    "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v INT)",
    "CREATE TABLE l (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(60))",
    *(f"CREATE TRIGGER t_{time[0]}{event[0]} {time} {event} ON t FOR EACH ROW INSERT INTO l (what) VALUES"
      f" (CONCAT_WS(' ', '{time} {event}', {values}))".lower()
      for time in ("BEFORE", "AFTER") for event, values in
      (("INSERT", "NEW.id, NEW.u, NEW.v"), ("UPDATE", "OLD.v, NEW.id, NEW.u, NEW.v"), ("DELETE", "OLD.id, OLD.v"))),
)  # fmt: skip


def test_puts_fire_what_those_of_sql_fire(pair: Pair) -> None:
    pair.make(*PUTS)
    pair.writer.open("hs.t", ["u", "v"])
    for u, v in ((1, 1), (2, 2), (1, 3), (1, 3), (None, 4), (3, 5)):
        given = f"({'NULL' if u is None else u}, {v})"
        pair.do(("+I", 2, u, v), f"INSERT IGNORE INTO t (u, v) VALUES {given}")
        pair.do(("+U", 2, u, v), f"INSERT INTO t (u, v) VALUES {given} AS n ON DUPLICATE KEY UPDATE u = n.u, v = n.v")
        pair.do(("+R", 2, u, v), f"REPLACE INTO t (u, v) VALUES {given}")
    pair.writer.open("hs.t", ["id", "u", "v"])
    pair.do(("+R", 3, 1, 3, 9), "REPLACE INTO t (id, u, v) VALUES (1, 3, 9)")  # two rows in the way
    pair.make("DROP TRIGGER t_bd", "DROP TRIGGER t_ad")
    pair.do(("+R", 3, 1, 1, 10), "REPLACE INTO t (id, u, v) VALUES (1, 1, 10)")
    pair.do(("+R", 3, 7, 1, 11), "REPLACE INTO t (id, u, v) VALUES (7, 1, 11)")


@pytest.mark.parametrize("fires", [False, True])
def test_cascades_fire_triggers_where_the_server_is_told_so(pair: Pair, fires: bool) -> None:
    pair.make(
        "CREATE TABLE p (id INT PRIMARY KEY, v INT)",
        "CREATE TABLE c (id INT PRIMARY KEY, p INT, KEY (p),"
        " FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
        "CREATE TABLE l (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(60))",
        "CREATE TRIGGER c_bu BEFORE UPDATE ON c FOR EACH ROW INSERT INTO l (what) VALUES (CONCAT(OLD.p, '>', NEW.p))",
        "CREATE TRIGGER c_ad AFTER DELETE ON c FOR EACH ROW BEGIN INSERT INTO l (what) VALUES (CONCAT('gone ', OLD.id));"
        " IF OLD.id = 31 THEN SIGNAL SQLSTATE '45000'; END IF; END",
        "INSERT INTO p VALUES (1, 1), (2, 2), (3, 3)",
        "INSERT INTO c VALUES (10, 1), (11, 1), (20, 2), (30, 3), (31, 3)",
    )
    pair.server.sql(f"SET GLOBAL enable_cascade_triggers = {int(fires)}")
    pair.sql.execute(f"SET SESSION enable_cascade_triggers = {int(fires)}")
    try:
        pair.writer.open("hs.p", ["id", "v"])
        pair.do(("=", 1, 1, 1, 0, "U", 5, 5), "UPDATE p SET id = 5, v = 5 WHERE id = 1")
        pair.do(("=", 1, 2, 1, 0, "D"), "DELETE FROM p WHERE id = 2")
        assert pair.do(("=", 1, 3, 1, 0, "D"), "DELETE FROM p WHERE id = 3") == (1644 if fires else 0)
        assert len(pair.server.sql("SELECT * FROM hs.l")) == (3 if fires else 0)
    finally:
        pair.server.sql("SET GLOBAL enable_cascade_triggers = DEFAULT")


def test_what_a_sub_statement_may_not_do_is_the_error_of_sql(pair: Pair) -> None:
    pair.make(
        "CREATE TABLE t (id INT PRIMARY KEY)",
        "CREATE TABLE l (id INT PRIMARY KEY)",
        "CREATE PROCEDURE p(n INT) BEGIN"
        " IF n = 1 THEN COMMIT; END IF;"
        " IF n = 2 THEN PREPARE s FROM 'SELECT 1'; END IF;"
        " IF n = 3 THEN SELECT 1; END IF;"
        " IF n = 4 THEN CREATE TABLE made (id INT); END IF;"
        " IF n = 5 THEN INSERT INTO t VALUES (50); END IF;"
        " IF n = 6 THEN SET autocommit = 0; END IF;"
        " IF n = 7 THEN INSERT INTO l VALUES (1), (1); END IF;"
        " IF n = 8 THEN UPDATE l SET id = 'x' WHERE id = 7; END IF;"
        " IF n = 9 THEN CALL p(9); END IF;"
        " INSERT INTO l VALUES (n); END",
        "CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW CALL p(NEW.id)",
    )
    pair.writer.open("hs.t", ["id"])
    for number in range(1, 10):
        # Either may be refused when the tables are opened, or when the statement comes.
        pair.do(("+", 1, number), f"INSERT INTO t VALUES ({number})")


def test_a_definer_without_rights_and_one_that_is_gone_are_the_error_of_sql(pair: Pair) -> None:
    pair.server.sql("CREATE USER gone@localhost")
    pair.make(
        "CREATE TABLE t (id INT PRIMARY KEY, a INT)",
        "CREATE DEFINER = gone@localhost TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1",
    )
    pair.writer.open("hs.t", ["id", "a"])
    assert pair.do(("+", 1, 1), "INSERT INTO t (id) VALUES (1)") == 1142  # it has no rights
    pair.server.sql("GRANT ALL ON *.* TO gone@localhost")
    assert pair.do(("+", 1, 1), "INSERT INTO t (id) VALUES (1)") == 0
    pair.server.sql("DROP USER gone@localhost")
    assert pair.do(("+", 1, 2), "INSERT INTO t (id) VALUES (2)") == 1449


def test_a_mix_that_gtids_forbid_is_the_error_of_sql(pair: Pair) -> None:
    pair.make(
        "CREATE TABLE t (id INT PRIMARY KEY)",
        "CREATE TABLE m (id INT PRIMARY KEY) ENGINE=MyISAM",
        "CREATE TRIGGER r AFTER INSERT ON t FOR EACH ROW INSERT INTO m VALUES (NEW.id)",
    )
    pair.writer.open("hs.t", ["id"])
    assert pair.do(("+", 1, 1), "INSERT INTO t VALUES (1)") == 1785


@pytest.mark.parametrize("engine", ["MyISAM", "MEMORY"])
def test_tables_without_rollback_keep_what_sql_keeps(pair: Pair, engine: str) -> None:
    pair.make(
        f"CREATE TABLE t (id INT, a INT, PRIMARY KEY (id) USING BTREE) ENGINE={engine}",
        f"CREATE TABLE l (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(20)) ENGINE={engine}",
        "CREATE TRIGGER t_bi BEFORE INSERT ON t FOR EACH ROW BEGIN INSERT INTO l (what) VALUES (NEW.id);"
        " IF NEW.id = 3 THEN SIGNAL SQLSTATE '45000'; END IF; END",
        "CREATE TRIGGER t_ai AFTER INSERT ON t FOR EACH ROW IF NEW.id = 4 THEN SIGNAL SQLSTATE '45000'; END IF",
        "CREATE TRIGGER t_au AFTER UPDATE ON t FOR EACH ROW IF NEW.a = 12 THEN SIGNAL SQLSTATE '45000'; END IF",
        "CREATE TRIGGER t_bd BEFORE DELETE ON t FOR EACH ROW INSERT INTO l (what) VALUES (OLD.a)",
    )
    pair.server.sql("FLUSH BINARY LOGS")
    start = pair.server.sql("SHOW BINARY LOG STATUS")[0][1]
    pair.writer.open("hs.t", ["id", "a"])
    for id_ in (1, 2, 3, 4, 2):
        pair.do(("+", 2, id_, id_ * 3), f"INSERT INTO t VALUES ({id_}, {id_ * 3})")
    assert pair.server.sql("SELECT id FROM hs.t ORDER BY id") == [(1,), (2,), (4,)]
    pair.writer.open("hs.t", ["a"])
    pair.do((">", 1, 0, 9, 0, "+", 6), "UPDATE t SET a = a + 6 WHERE id > 0 ORDER BY id LIMIT 9")
    pair.do(("=", 1, 1, 1, 0, "D"), "DELETE FROM t WHERE id = 1")
    logged = row_events(pair.server, start)
    assert logged["hs"] == logged["tw"] and len(logged["hs"]) == 7


@pytest.fixture(scope="module")
def mixing() -> Iterator[PrivateServer]:
    """A server on which a statement may change tables with rollback and without."""
    options = {"gtid_mode": "OFF", "enforce_gtid_consistency": "OFF", "log_bin_trust_function_creators": 1}
    with PrivateServer(variables=options) as server:
        yield server
        assert server.running, server.error_log()[-3000:]


def test_what_triggers_write_without_rollback_is_written_once(mixing: PrivateServer) -> None:
    server = mixing
    server.make_database("hs")
    with Client(server.port_wr) as writer:
        write_once(server, writer)

FATES = {  # of the row 2: after its own row, that of the trigger, and the temporary table
    "signalled": "SIGNAL SQLSTATE '45000'",
    "killed": "DO SLEEP(1000)",
}


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("engine", ["MEMORY", "MyISAM", "InnoDB"])
@pytest.mark.parametrize("place", range(3))
def test_the_log_has_what_sql_logs_of_a_request_that_failed_behind_a_temporary_table(
    mixing: PrivateServer, engine: str, fate: str, place: int
) -> None:
    """First, in the middle and last of a batch: rows that were undone are not in the log."""
    server = mixing
    for database in ("hs", "tw"):
        server.make_database(database)
        server.sql(f"CREATE TABLE {database}.t (id INT PRIMARY KEY) ENGINE={engine}")
        server.sql(f"CREATE TABLE {database}.l (id INT PRIMARY KEY)")
        server.sql(
            f"CREATE TRIGGER {database}.r AFTER INSERT ON {database}.t FOR EACH ROW BEGIN"
            " INSERT INTO l VALUES (NEW.id); CREATE TEMPORARY TABLE a (id INT); INSERT INTO a VALUES (NEW.id);"
            " DROP TEMPORARY TABLE a; CREATE TEMPORARY TABLE b (id INT) ENGINE=MyISAM;"
            f" IF NEW.id = 2 THEN {FATES[fate]}; END IF; END"
        )
    ids = [1, 3]
    ids.insert(place, 2)
    start = server.sql("SHOW BINARY LOG STATUS")[0][1]
    with Client(server.port_wr) as writer, ThreadPoolExecutor(1) as killer:
        writer.open("hs.t", ["id"])
        killed = [killer.submit(kill_sleeping, server)] if fate == "killed" else []
        if fate == "killed":  # it would end the whole batch
            replies = [writer.request(1, "+", 1, id_) for id_ in ids]
        else:
            replies = writer.pipeline([line(1, "+", 1, id_) for id_ in ids])
        assert [reply == b"0\t1" for reply in replies] == [id_ != 2 for id_ in ids], replies
        for id_ in ids:
            killed += [killer.submit(kill_sleeping, server)] if fate == "killed" and id_ == 2 else []
            # A session of its own for each, since temporary tables stay in SQL's.
            with server.connect(database="tw", autocommit=True) as connection, connection.cursor() as sql:
                with pytest.raises(pymysql.Error) if id_ == 2 else nullcontext():
                    sql.execute("INSERT INTO t VALUES (%s)", [id_])
        for kill in killed:
            kill.result()
    for table in "tl":
        assert server.sql(f"SELECT * FROM hs.{table}") == server.sql(f"SELECT * FROM tw.{table}")
    assert server.sql("SELECT id FROM hs.l ORDER BY id") == [(1,), (3,)]
    logged = row_events(server, start)
    assert events_of(logged["hs"]) == events_of(logged["tw"])


def kill_sleeping(server: PrivateServer) -> None:
    until = time.monotonic() + 60
    while not (found := server.sql("SELECT id FROM information_schema.processlist WHERE state = 'User sleep'")):
        assert time.monotonic() < until
    server.sql(f"KILL QUERY {found[0][0]}")


def events_of(transactions: list[list[str]]) -> list[str]:
    """Requests of a batch share a commit, where SQL has one for each."""
    return [event for transaction in transactions for event in transaction]


def write_once(server: PrivateServer, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT)")
    server.sql("CREATE TABLE hs.m (id INT AUTO_INCREMENT PRIMARY KEY, t INT) ENGINE=MyISAM")
    server.sql("CREATE TABLE hs.n (id INT PRIMARY KEY, n INT)")
    server.sql("INSERT INTO hs.n VALUES (1, 0)")
    server.sql("CREATE TABLE hs.free (id INT PRIMARY KEY)")
    server.sql(
        "CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW BEGIN"
        " INSERT INTO hs.m (t) VALUES (NEW.id); UPDATE hs.n SET n = n + 1 WHERE id = 1;"
        " IF NEW.id = 3 THEN SIGNAL SQLSTATE '45000'; END IF; END"
    )
    writer.open("hs.t", ["id", "a"])
    writer.open("hs.free", ["id"], id=2)
    with sql_holds(server, "UPDATE hs.n SET n = 10") as holder:
        writer.send(line(2, "+", 1, 1) + line(1, "+", 1, 1) + line(2, "+", 1, 2) + line(1, "+", 1, 2))
        wait_for_a_lock_wait(server)
        until = time.monotonic() + 60
        while not server.sql("SELECT id FROM hs.free"):
            assert time.monotonic() < until
        assert server.sql("SELECT id FROM hs.free") == [(1,)]
        holder.commit()
        assert [writer.read_line() for _ in range(4)] == [b"0\t1"] * 4
    assert writer.request(1, "+", 1, 3).startswith(b"1\t1\tsql_1644")
    assert server.sql("SELECT t FROM hs.m ORDER BY id") == [(1,), (2,), (3,)]
    assert server.sql("SELECT n FROM hs.n") == [(12,)]
    assert server.sql("SELECT id FROM hs.t") == [(1,), (2,)]
    # A client's transaction could not be rolled back.
    assert writer.request("T", "B") == b"0\t1"
    assert writer.request(1, "+", 1, 4) == b"1\t1\tunsupported_table"
    assert writer.request(2, "+", 1, 4) == b"0\t1"
    assert writer.request("T", "C").startswith(b"0\t1")
    whole = [line("T", "B"), line(1, "+", 1, 5), line(2, "+", 1, 5), line("T", "C")]
    assert writer.pipeline(whole)[1:3] == [b"1\t1\tunsupported_table", b"0\t1"]
    assert server.sql("SELECT COUNT(*) FROM hs.m") == [(3,)]
    assert server.sql("SELECT id FROM hs.free WHERE id > 3") == [(4,), (5,)]


def test_a_trigger_finds_the_session_as_new(server: PrivateServer, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT AUTO_INCREMENT PRIMARY KEY, seen VARCHAR(400))")
    server.sql(
        "CREATE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW BEGIN"
        " DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;"
        " SET NEW.seen = CONCAT_WS(',', IFNULL(@u, '-'), @@time_zone, @@sql_mode, ROW_COUNT(), FOUND_ROWS(),"
        "  LAST_INSERT_ID(), @@lc_time_names, @@error_count, @@warning_count, @@foreign_key_checks, DATABASE(), USER(),"
        "  CURRENT_USER(), @@character_set_client, @@lock_wait_timeout, @@innodb_lock_wait_timeout);"
        " SET @u = 5, time_zone = '+05:00', sql_mode = '', lc_time_names = 'de_DE', foreign_key_checks = 0,"
        "  lock_wait_timeout = 3, innodb_lock_wait_timeout = 4, timestamp = 1;"
        " SET NAMES latin1;"
        " INSERT INTO hs.none VALUES (1);"
        " DO CAST('x' AS SIGNED);"
        " SET @n = LAST_INSERT_ID(9) + (SELECT COUNT(*) FROM information_schema.engines);"
        " END"
    )
    server.sql("CREATE TRIGGER hs.a AFTER INSERT ON hs.t FOR EACH ROW SET insert_id = 70")
    writer.open("hs.t", ["seen"])
    replies = writer.pipeline([line(1, "+", 1, "x")] * 5)
    replies += [writer.request(1, "+", 1, "x") for _ in range(5)]
    assert replies == [b"0\t1\t%d" % number for number in range(1, 11)]
    assert len(server.sql("SELECT DISTINCT seen FROM hs.t")) == 1, server.sql("SELECT seen FROM hs.t")


def test_temporary_tables_of_triggers_are_not_in_the_log(server: PrivateServer, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    server.sql(
        "CREATE TRIGGER hs.r AFTER INSERT ON hs.t FOR EACH ROW BEGIN"
        " CREATE TEMPORARY TABLE hs.passing (id INT PRIMARY KEY); INSERT INTO hs.passing VALUES (NEW.id);"
        " IF NEW.id = 2 THEN SIGNAL SQLSTATE '45000'; END IF; END"
    )
    writer.open("hs.t", ["id"])
    server.sql("FLUSH BINARY LOGS")
    file, position = server.sql("SHOW BINARY LOG STATUS")[0][:2]
    replies = writer.pipeline([line("T", "B"), *(line(1, "+", 1, n) for n in (1, 2, 3)), line("T", "C")])
    assert [reply[:1] for reply in replies] == [b"0", b"0", b"1", b"0", b"0"]
    assert writer.request(1, "+", 1, 4) == b"0\t1"
    logged = [row[5] for row in server.sql(f"SHOW BINLOG EVENTS IN '{file}' FROM {position}") if row[2] in ("Query", "Table_map")]
    assert [text.split("(")[-1] for text in logged] == ["BEGIN", "hs.t)", "hs.t)", "BEGIN", "hs.t)"]


def test_a_killed_trigger_leaves_a_session_that_serves(server: PrivateServer, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, d VARCHAR(20))")
    server.sql(
        "CREATE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW BEGIN"
        " SET NEW.d = DATABASE(); IF NEW.id = 1 THEN DO SLEEP(1000); END IF; END"
    )
    writer.open("hs.t", ["id"])
    sleeping = "SELECT id FROM information_schema.processlist WHERE state = 'User sleep'"
    for verb in ("KILL QUERY", "KILL"):
        writer.send(line(1, "+", 1, 1))
        until = time.monotonic() + 60
        while not (found := server.sql(sleeping)):
            assert time.monotonic() < until
        server.sql(f"{verb} {found[0][0]}")
        assert writer.read_line() == b"1\t1\tinterrupted"
        assert writer.request(1, "+", 1, 2) == b"0\t1"
        assert server.sql("SELECT * FROM hs.t") == [(2, "hs")]
        server.sql("DELETE FROM hs.t")


def test_triggers_that_come_and_go_are_those_of_each_request(
    server: PrivateServer, connect: Callable[[int], Client], database: str
) -> None:
    """Each row that was acknowledged while the trigger was there for certain has its mark."""
    server.sql("CREATE TABLE hs.t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, mark INT DEFAULT 0)")
    server.sql("CREATE TABLE hs.l (id INT PRIMARY KEY)")
    epoch, stop = [0], threading.Event()
    rows: list[tuple[int, int, int]] = []
    wrong: list[bytes] = []

    def write() -> None:
        client = connect(server.port_wr)
        client.open("hs.t", ["v"])
        while not stop.is_set():
            before = epoch[0]
            reply = client.request(1, "+", 1, 1)
            if reply.startswith(b"0\t1\t"):
                rows.append((int(reply.split(b"\t")[2]), before, epoch[0]))
            elif reply not in (b"1\t1\tlock_tables",):
                wrong.append(reply)

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(15):
            server.sql("CREATE TRIGGER hs.r BEFORE INSERT ON hs.t FOR EACH ROW SET NEW.mark = 1")
            server.sql("CREATE TRIGGER hs.a AFTER INSERT ON hs.t FOR EACH ROW INSERT INTO hs.l VALUES (NEW.id)")
            epoch[0] += 1  # odd: both are there
            have = len(rows)
            until = time.monotonic() + 60
            while len(rows) < have + 5 and not wrong and time.monotonic() < until:
                pass
            epoch[0] += 1
            server.sql("DROP TRIGGER hs.r")
            server.sql("DROP TRIGGER hs.a")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not wrong, wrong[:5]
    marked = {row[0] for row in server.sql("SELECT id FROM hs.t WHERE mark = 1")}
    logged = {row[0] for row in server.sql("SELECT id FROM hs.l")}
    certain = {id_ for id_, before, after in rows if before == after and before % 2 == 1}
    assert len(certain) > 15
    assert certain <= marked and certain <= logged
