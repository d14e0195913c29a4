"""Transactions of the port where others work on the same server: each test runs through the port and
by SQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import on_mysql
import pymysql
import pytest
from hs_client import Client, line, wait_for_a_lock_wait
from private_server import PrivateServer
from sides import KINDS, LOST, Kind, Side

START = [(1, 10), (2, 20), (3, 30)]


def fill(server: PrivateServer) -> None:
    server.make_database("hs")
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT, KEY (v))")
    server.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20), (3, 30)")


def stored(server: PrivateServer, table: str = "hs.t") -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in server.sql(f"SELECT id, v FROM {table} ORDER BY id")]


GLOBAL_LOCK = "Waiting for (backup|global read|commit) lock"


def await_state(server: PrivateServer, state: str) -> None:
    """Waits until a session waits for what the state says."""
    query = "SELECT COUNT(*) FROM information_schema.processlist WHERE state RLIKE %s"
    while not server.sql(query, [state])[0][0]:
        pass


@contextmanager
def impatient(server: PrivateServer, seconds: int = 0) -> Iterator[pymysql.cursors.Cursor]:
    """An SQL session that waits no longer for a table."""
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET lock_wait_timeout = %s", [seconds])
        yield cursor


@pytest.fixture
def table(server: PrivateServer, database: str) -> str:
    """A table with three rows."""
    fill(server)
    return "hs.t"


@pytest.fixture(params=KINDS)
def side(request: pytest.FixtureRequest, server: PrivateServer, table: str) -> Iterator[Side]:
    """The client of a transaction."""
    with Side(server, request.param) as made:
        yield made


# Whether it waits for a transaction that has changed the table.
STATEMENTS = {
    "ALTER TABLE hs.t ADD x INT": True,
    "ALTER TABLE hs.t RENAME TO hs.other": True,
    "CREATE TRIGGER hs.b BEFORE INSERT ON hs.t FOR EACH ROW SET NEW.v = 1": True,
    "DROP TABLE hs.t": True,
    "FLUSH TABLES": False,
    "FLUSH TABLES hs.t": not on_mysql.IS_MYSQL,
    "FLUSH TABLES hs.t WITH READ LOCK": True,
    "FLUSH TABLES WITH READ LOCK": False,
    "FLUSH LOCAL TABLES hs.t FOR EXPORT": True,
    "LOCK TABLES hs.t READ": True,
    "LOCK TABLES hs.t WRITE": True,
    "OPTIMIZE TABLE hs.t": True,
    "ANALYZE TABLE hs.t": False,
    "ANALYZE TABLE hs.t PERSISTENT FOR ALL": False,
    "CHECK TABLE hs.t": False,
    "CHECK TABLE hs.t EXTENDED": False,
    "TRUNCATE TABLE hs.t": True,
}
# Of these, those that do not wait for one that has only read.
PASS_READERS = {
    "FLUSH TABLES hs.t WITH READ LOCK",
    "FLUSH LOCAL TABLES hs.t FOR EXPORT",
    "LOCK TABLES hs.t READ",
}


# Seconds, for a statement that passes once the threads of the port have put down their tables.
PATIENCE = 30


def passes(server: PrivateServer, statement: str, seconds: int = 0) -> bool:
    """Whether the statement waits no longer for other sessions, nor the next reader for it."""
    with impatient(server, seconds) as cursor, impatient(server) as other:
        try:
            cursor.execute(statement)
            failed = any("timeout" in str(row[-1]) for row in cursor.fetchall())
        except pymysql.err.OperationalError as error:
            assert error.args[0] == 1205
            failed = True
        other.execute("SELECT COUNT(*) FROM hs.t")
        cursor.execute("UNLOCK TABLES")
    with Client(server.port) as client:
        client.open("hs.t", ["id", "v"])
        assert client.find("=", [3]) == [(b"3", b"30")]
    return not failed


@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_waits_for_a_transaction_that_has_changed_rows(
    server: PrivateServer, side: Side, statement: str
) -> None:
    assert side.begin() == 0
    assert side.update(1, 11) == 0
    assert passes(server, statement) is not STATEMENTS[statement]
    assert side.update(2, 22) == 0
    assert side.rows() == [(1, 11), (2, 22), (3, 30)]
    assert side.commit() == 0
    assert stored(server) == [(1, 11), (2, 22), (3, 30)]


@pytest.mark.parametrize("kind", ["read port", "sql"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_waits_for_a_transaction_that_has_only_read(
    server: PrivateServer, table: str, kind: Kind, statement: str
) -> None:
    with Side(server, kind) as side:
        assert side.begin("RR", "RO") == 0
        assert side.rows() == START
        expected = not STATEMENTS[statement] or statement in PASS_READERS
        assert passes(server, statement) is expected
        assert side.rows() == START
        assert side.commit() == 0


@pytest.mark.parametrize("options", [(), ("RO",)])
@pytest.mark.parametrize("statement", sorted(PASS_READERS))
def test_a_reader_of_the_write_port_lets_read_locks_pass_when_it_may_change_nothing(
    server: PrivateServer, table: str, statement: str, options: tuple[str, ...]
) -> None:
    with Side(server, "port") as side:
        assert side.begin("RR", *options) == 0
        assert side.rows() == START
        assert passes(server, statement, PATIENCE if options else 0) is bool(options)
        assert side.commit() == 0
        assert passes(server, statement, PATIENCE)


def test_ddl_that_waits_lets_the_transaction_go_on(server: PrivateServer, side: Side) -> None:
    server.sql("CREATE TABLE hs.u (id INT PRIMARY KEY, v INT)")
    assert side.begin() == 0
    assert side.update(1, 11) == 0
    altering = threading.Thread(target=server.sql, args=("ALTER TABLE hs.t ADD x INT",))
    altering.start()
    await_state(server, "Waiting for table metadata lock")
    assert side.update(2, 22) == 0
    assert side.insert(4, 40) == 0
    assert side.insert(1, 1, "hs.u") == 0
    assert side.rows() == [(1, 11), (2, 22), (3, 30), (4, 40)]
    assert altering.is_alive()
    assert side.commit() == 0
    altering.join()
    assert stored(server) == [(1, 11), (2, 22), (3, 30), (4, 40)]
    assert stored(server, "hs.u") == [(1, 1)]


def test_a_deadlock_with_ddl_ends_the_transaction(server: PrivateServer, side: Side) -> None:
    server.sql("CREATE TABLE hs.first (id INT PRIMARY KEY, v INT)")
    if side.kind == "port":
        side.client.open("hs.first", ["id", "v"], id=9)
        side._ids["hs.first"] = 9
    assert side.begin() == 0
    assert side.update(1, 11) == 0
    renaming = threading.Thread(
        target=server.sql, args=("RENAME TABLE hs.first TO hs.other, hs.t TO hs.gone",)
    )
    renaming.start()
    await_state(server, "Waiting for table metadata lock")
    # The port has one error for all tables that cannot be had.
    assert side.insert(1, 1, "hs.first") in (1213, 1290)
    if side.kind == "port":
        assert side.update(2, 22) == LOST
    assert side.commit() == (0 if side.kind == "sql" else LOST)
    renaming.join()
    assert stored(server, "hs.gone") == START


def test_backup_stages_let_the_transaction_go_on_and_hold_its_commit(
    server: PrivateServer, side: Side
) -> None:
    assert side.begin() == 0
    assert side.update(1, 11) == 0
    with server.connect() as connection, connection.cursor() as cursor:
        for number, stage in enumerate(("START", "FLUSH", "BLOCK_DDL")):
            cursor.execute(f"BACKUP STAGE {stage}")
            assert side.update(2, number) == 0
        cursor.execute("BACKUP STAGE BLOCK_COMMIT")
        assert side.update(3, 33) == 0
        commits = side.later(side.commit)
        await_state(server, GLOBAL_LOCK)
        assert not commits.done()
        cursor.execute("BACKUP STAGE END")
        assert commits.result() == 0
    assert stored(server) == [(1, 11), (2, 2), (3, 33)]


def test_a_global_read_lock_holds_changes_and_the_commit(server: PrivateServer, side: Side) -> None:
    assert side.begin() == 0
    assert side.update(1, 11) == 0
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        assert side.rows() == [(1, 11), (2, 20), (3, 30)]
        changes = side.later(side.update, 2, 22)
        await_state(server, GLOBAL_LOCK)
        cursor.execute("UNLOCK TABLES")
        assert changes.result() == 0
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        commits = side.later(side.commit)
        await_state(server, GLOBAL_LOCK)
        cursor.execute("UNLOCK TABLES")
        assert commits.result() == 0
    assert stored(server) == [(1, 11), (2, 22), (3, 30)]


def kill_what_waits(server: PrivateServer, verb: str, state: str) -> None:
    query = "SELECT id FROM information_schema.processlist WHERE state RLIKE %s"
    for (id_,) in server.sql(query, [state]):
        server.sql(f"{verb} {id_}")


def test_a_commit_that_is_killed_while_it_waits_is_rolled_back(
    server: PrivateServer, side: Side
) -> None:
    assert side.begin() == 0
    assert side.update(1, 11) == 0
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        commits = side.later(side.commit)
        await_state(server, GLOBAL_LOCK)
        kill_what_waits(server, "KILL QUERY", GLOBAL_LOCK)
        assert commits.result() == 1317
        cursor.execute("UNLOCK TABLES")
    assert stored(server) == START
    assert side.begin() == 0
    assert side.update(1, 12) == 0
    assert side.commit() == 0
    assert stored(server) == [(1, 12), (2, 20), (3, 30)]


def test_a_commit_that_waits_too_long_is_rolled_back() -> None:
    variables = {"handlersocket_wrlock_timeout": 1, "lock_wait_timeout": 1}
    with PrivateServer(variables=variables) as own:
        for kind in KINDS:
            fill(own)
            with Side(own, kind) as side, own.connect() as connection, connection.cursor() as cursor:
                assert side.begin() == 0
                assert side.update(1, 11) == 0
                cursor.execute("FLUSH TABLES WITH READ LOCK")
                # The port has one error for all tables that cannot be had.
                assert side.commit() == (1205 if kind == "sql" else 1290)
                cursor.execute("UNLOCK TABLES")
            assert stored(own) == START


def test_a_prepared_transaction_of_another_session_is_waited_for(
    server: PrivateServer, side: Side
) -> None:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("XA START 'x'")
        cursor.execute("UPDATE hs.t SET v = 21 WHERE id = 2")
        cursor.execute("XA END 'x'")
        cursor.execute("XA PREPARE 'x'")
        assert side.begin("RC") == 0
        assert side.update(1, 11) == 0
        assert side.rows() == [(1, 11), (2, 20), (3, 30)]
        waits = side.later(side.update, 2, 22)
        wait_for_a_lock_wait(server)
        cursor.execute("XA COMMIT 'x'")
        assert waits.result() == 0
    assert side.commit() == 0
    assert stored(server) == [(1, 11), (2, 22), (3, 30)]


def test_a_deadlock_rolls_all_of_it_back(server: PrivateServer, side: Side) -> None:
    server.sql("INSERT INTO hs.t SELECT seq, 0 FROM hs.seq_100_to_200")
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE hs.t SET v = 1 WHERE id >= 100")  # it has more to lose
        cursor.execute("UPDATE hs.t SET v = 22 WHERE id = 2")
        assert side.begin() == 0
        assert side.update(1, 11) == 0
        waits = side.later(side.update, 2, 21)
        wait_for_a_lock_wait(server)
        cursor.execute("UPDATE hs.t SET v = 12 WHERE id = 1")
        assert waits.result() == 1213
        assert side.commit() == (0 if side.kind == "sql" else LOST)
        cursor.execute("COMMIT")
    assert stored(server)[:3] == [(1, 12), (2, 22), (3, 30)]


def test_a_row_that_has_changed_since_the_view_ends_the_transaction_where_the_server_says_so(
    server: PrivateServer, table: str
) -> None:
    server.sql("SET GLOBAL innodb_snapshot_isolation = 1")
    try:
        server.sql("FLUSH TABLES hs.t")  # sessions take settings anew
        for kind in KINDS:
            fill(server)
            with Side(server, kind) as side:
                assert side.begin() == 0
                assert side.rows() == START
                assert side.update(1, 11) == 0
                server.sql("UPDATE hs.t SET v = 21 WHERE id = 2")
                assert side.update(2, 22) == 1020
                if kind == "port":
                    assert side.update(3, 33) == LOST
                assert side.commit() == (0 if kind == "sql" else LOST)
            assert stored(server) == [(1, 10), (2, 21), (3, 30)]
    finally:
        server.sql("SET GLOBAL innodb_snapshot_isolation = DEFAULT")
        server.sql("FLUSH TABLES hs.t")


def test_a_lock_wait_in_vain_rolls_all_of_it_back_where_the_server_says_so() -> None:
    variables = {"innodb_rollback_on_timeout": 1, "innodb_lock_wait_timeout": 1}
    with PrivateServer(variables=variables) as own:
        for kind in KINDS:
            fill(own)
            with Side(own, kind) as side, Side(own, "sql") as other:
                assert other.begin() == 0
                assert other.update(2, 21) == 0
                assert side.begin() == 0
                assert side.update(1, 11) == 0
                assert side.update(2, 22) == 1205
                if kind == "port":
                    assert side.update(3, 33) == LOST
                assert side.commit() == (0 if kind == "sql" else LOST)
                assert other.update(1, 12) == 0
                assert other.commit() == 0
            assert stored(own) == [(1, 12), (2, 21), (3, 30)]


def test_a_statement_that_takes_too_long_is_undone_alone(server: PrivateServer, table: str) -> None:
    server.sql("SET GLOBAL max_statement_time = 0.5")
    try:
        server.sql("FLUSH TABLES hs.t")
        for kind in KINDS:
            fill(server)
            with Side(server, kind) as side, server.connect() as connection:
                with connection.cursor() as cursor:
                    cursor.execute("SET max_statement_time = 0")
                    cursor.execute("BEGIN")
                    cursor.execute("UPDATE hs.t SET v = 21 WHERE id = 2")
                    assert side.begin() == 0
                    assert side.update(1, 11) == 0
                    assert side.update(2, 22) == 1969
                    assert side.update(3, 33) == 0
                    assert side.commit() == 0
            assert stored(server) == [(1, 11), (2, 20), (3, 33)]
    finally:
        server.sql("SET GLOBAL max_statement_time = DEFAULT")
        server.sql("FLUSH TABLES hs.t")


def test_a_server_that_has_become_read_only_rolls_back(server: PrivateServer, table: str) -> None:
    server.sql("CREATE OR REPLACE USER plain@'127.0.0.1' IDENTIFIED BY 'secret'")
    server.sql("GRANT ALL ON hs.* TO plain@'127.0.0.1'")
    account = {"user": "plain", "password": "secret", "port": server.sql_port, "unix_socket": None}
    try:
        for kind in KINDS:
            fill(server)
            with Side(server, kind, **(account if kind == "sql" else {})) as side:
                assert side.begin() == 0
                assert side.update(1, 11) == 0
                server.sql("SET GLOBAL read_only = 1")
                assert side.rows() == [(1, 11), (2, 20), (3, 30)]
                assert side.update(2, 22) == 1290
                assert side.commit() == 1290
                server.sql("SET GLOBAL read_only = 0")
            assert stored(server) == START
    finally:
        server.sql("SET GLOBAL read_only = 0")
        server.sql("DROP USER plain@'127.0.0.1'")


def test_savepoints_and_what_triggers_have_done(server: PrivateServer, table: str) -> None:
    for kind in KINDS:
        fill(server)
        for statement in (
            "CREATE TABLE hs.log (id INT AUTO_INCREMENT PRIMARY KEY, what VARCHAR(50))",
            "CREATE TABLE hs.sums (id INT PRIMARY KEY, v INT)",
            "INSERT INTO hs.sums VALUES (0, 0)",
            "CREATE TRIGGER hs.ai AFTER INSERT ON hs.t FOR EACH ROW BEGIN"
            " INSERT INTO hs.log (what) VALUES (CONCAT('i', NEW.id));"
            " UPDATE hs.sums SET v = v + NEW.v;"
            " IF NEW.v = 13 THEN SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 5013; END IF; END",
            "CREATE TRIGGER hs.au AFTER UPDATE ON hs.t FOR EACH ROW"
            " INSERT INTO hs.log (what) VALUES (CONCAT('u', OLD.v, '>', NEW.v))",
            "CREATE TRIGGER hs.ad AFTER DELETE ON hs.t FOR EACH ROW BEGIN"
            " INSERT INTO hs.log (what) VALUES (CONCAT('d', OLD.id)); DELETE FROM hs.sums WHERE id = 1; END",
        ):
            server.sql(statement)
        with Side(server, kind) as side:
            assert side.begin() == 0
            assert side.insert(4, 40) == 0
            assert side.insert(1, 1, "hs.sums") == 0
            assert side.savepoint("a") == 0
            assert side.insert(5, 13) == 5013
            assert side.update(1, 11) == 0
            assert side.delete(2) == 0
            assert side.rows("hs.sums") == [(0, 40)]
            assert side.savepoint("b") == 0
            assert side.insert(6, 60) == 0
            assert side.back_to("b") == 0
            assert side.insert(7, 70) == 0
            assert side.back_to("a") == 0
            assert side.rows("hs.sums") == [(0, 40), (1, 1)]
            assert side.back_to("b") == 1305
            assert side.delete(3) == 0
            assert side.insert(8, 80) == 0
            assert side.commit() == 0
        assert stored(server) == [(1, 10), (2, 20), (4, 40), (8, 80)]
        assert stored(server, "hs.sums") == [(0, 120)]
        assert [row[0] for row in server.sql("SELECT what FROM hs.log ORDER BY id")] == ["i4", "d3", "i8"]


def test_a_foreign_key_that_is_added_meanwhile_cascades(server: PrivateServer, side: Side) -> None:
    server.sql("CREATE TABLE hs.u (id INT PRIMARY KEY, v INT)")
    assert side.begin() == 0
    assert side.insert(1, 1, "hs.u") == 0
    # Makes the parent's table known to the session, and locks none of its rows.
    assert side.update(99, 0) == 0
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, v INT, FOREIGN KEY (v) REFERENCES hs.t (id)"
        " ON DELETE CASCADE ON UPDATE CASCADE)"
    )
    server.sql("INSERT INTO hs.child VALUES (1, 1), (2, 2)")
    assert side.delete(1) == 0
    assert side.update(3, 33) == 0
    assert side.commit() == 0
    assert stored(server) == [(2, 20), (3, 33)]
    assert stored(server, "hs.child") == [(2, 2)]
    assert stored(server, "hs.u") == [(1, 1)]


def test_a_table_that_must_be_repaired_is_repaired_inside() -> None:
    with PrivateServer(variables={"myisam_recover_options": "BACKUP,QUICK"}) as own:
        fill(own)
        for name in ("m_port", "m_sql"):
            own.sql(f"CREATE TABLE hs.{name} (id INT PRIMARY KEY, v INT) ENGINE = MyISAM")
            own.sql(f"INSERT INTO hs.{name} VALUES (1, 1)")
        with own.connect() as connection, connection.cursor() as cursor:
            cursor.execute("LOCK TABLES hs.m_port WRITE, hs.m_sql WRITE")
            cursor.execute("INSERT INTO hs.m_port VALUES (2, 2)")
            cursor.execute("INSERT INTO hs.m_sql VALUES (2, 2)")
            own.kill9()
        own.start()
        for kind in KINDS:
            with Side(own, kind) as side:
                if kind == "port":
                    # Opened while it is repaired only by the requests of the transaction.
                    side._ids[f"hs.m_{kind}"] = 2
                assert side.begin() == 0
                assert side.update(1, 11) == 0
                if kind == "port":
                    assert side.client.request("P", 2, "hs", "m_port", "PRIMARY", "id,v") == b"0\t1"
                found = side.rows(f"hs.m_{kind}")
                assert isinstance(found, list) and found[:1] == [(1, 1)]
                assert side.update(2, 22) == 0
                assert side.commit() == 0
            assert stored(own) == [(1, 11), (2, 22), (3, 30)]
            own.sql("UPDATE hs.t SET v = id * 10")


@pytest.mark.parametrize("engine", ["MyISAM", "Aria", "Aria TRANSACTIONAL = 0", "MEMORY"])
def test_a_change_that_could_not_be_undone_is_refused(
    server: PrivateServer, table: str, engine: str
) -> None:
    server.sql(f"CREATE TABLE hs.m (id INT, v INT, PRIMARY KEY (id) USING BTREE) ENGINE = {engine}")
    server.sql("INSERT INTO hs.m VALUES (1, 1)")
    refused = b"unsupported_table"
    with Side(server, "port") as side:
        assert side.begin() == 0
        assert side.update(1, 11) == 0
        assert side.rows("hs.m") == [(1, 1)]
        assert side.insert(2, 2, "hs.m") == refused
        assert side.update(1, 2, "hs.m") == refused
        assert side.delete(1, "hs.m") == refused
        assert side.update(2, 22) == 0
        assert side.commit() == 0
        assert side.insert(2, 2, "hs.m") == 0
    assert stored(server) == [(1, 11), (2, 22), (3, 30)]
    assert stored(server, "hs.m") == [(1, 1), (2, 2)]
