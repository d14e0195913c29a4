"""States of MySQL's schemas, tables and files in which SQL refuses a change, or does not show a table: the ports do
the same. And a copy of a server that is written to (CLONE)."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import on_mysql
import pymysql
import pytest
import server_files
from hs_client import Client, sql_holds
from private_server import PrivateServer

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)
READ_ONLY = b"1\t1\tsql_3989 Schema 'hs' is in read only mode."
NO_TABLE = b"1\t1\topen_table"
CHANGES = ((1, "+", 2, 2, 20), (1, "=", 1, 1, 1, 0, "U", 1, 11), (1, "=", 1, 1, 1, 0, "D"), (1, "+R", 2, 1, 5))


def error_of(server: PrivateServer, statement: str) -> int:
    """The number of the error that SQL ends with; 0: none."""
    try:
        server.sql(statement)
    except pymysql.MySQLError as error:
        return int(error.args[0])
    return 0


def test_a_read_only_schema_takes_no_change_by_any_way(server: PrivateServer, writer: Client) -> None:
    """Also not by the cascade or the trigger of a table elsewhere. SQL's root may not change it either."""
    server.make_database("other")
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 10)")
    server.sql("CREATE TABLE other.p (id INT PRIMARY KEY, a INT)")
    server.sql("INSERT INTO other.p VALUES (1, 1)")
    server.sql(
        "CREATE TABLE hs.c (id INT PRIMARY KEY, p INT,"
        " FOREIGN KEY (p) REFERENCES other.p (id) ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.c VALUES (1, 1)")
    server.sql("CREATE TABLE other.l (id INT PRIMARY KEY, a INT)")
    server.sql("CREATE TRIGGER other.l1 AFTER INSERT ON other.l FOR EACH ROW INSERT INTO hs.t VALUES (NEW.id, 0)")
    for number, table in enumerate(("hs.t", "other.p", "other.l"), 1):
        writer.open(table, ["id", "a"], id=number)
    assert writer.request(1, "=", 1, 1) == b"0\t2\t1\t10"
    server.sql("ALTER DATABASE hs READ ONLY = 1")
    try:
        assert error_of(server, "DELETE FROM other.p") == 3989
        for change in (*CHANGES, (2, "=", 1, 1, 1, 0, "D"), (3, "+", 2, 9, 9)):
            assert writer.request(*change) == READ_ONLY, change
        assert writer.request(1, "=", 1, 1) == b"0\t2\t1\t10"
        assert writer.request(2, "=", 1, 1) == b"0\t2\t1\t1"
        assert writer.request(3, ">=", 1, 0, 9) == b"0\t2"
    finally:
        server.sql("ALTER DATABASE hs READ ONLY = 0")
    assert writer.request(*CHANGES[1]) == b"0\t1\t1"
    server.sql("DROP DATABASE hs")
    server.sql("DROP DATABASE other")


def test_tables_that_sql_does_not_show_cannot_be_opened(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    """Those of a FULLTEXT index, and the copy that ALTER TABLE makes. The server's own are SQL's only."""
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a TEXT, FULLTEXT KEY (a))")
    server.sql("INSERT INTO hs.t VALUES (1, 'word')")
    names = {name.split("/")[1] for (name,) in server.sql(
        "SELECT name FROM information_schema.innodb_tables WHERE name LIKE 'hs/fts%%'", ()
    )}  # fmt: skip
    assert names
    with sql_holds(server, "SELECT * FROM hs.t"), server.connect() as altering:
        with altering.cursor() as cursor:
            cursor.execute("SET lock_wait_timeout = 86400")
            cursor.execute("SELECT CONNECTION_ID()")
            number = cursor.fetchone()[0]
        failed: list[Exception] = []

        def alter() -> None:
            try:
                altering.cursor().execute("ALTER TABLE hs.t ADD COLUMN b INT, ALGORITHM=COPY")
            except pymysql.MySQLError as error:
                failed.append(error)

        thread = threading.Thread(target=alter)
        thread.start()
        schema = server.data_directory / "hs"
        while not (copies := [path.stem for path in schema.glob("#sql*.ibd")]):
            assert thread.is_alive()
        for client in (reader, writer):
            for name in names:
                assert client.request("P", 1, "hs", name, "0", "") == NO_TABLE, name
            for name in copies:  # it may be locked still
                assert client.request("P", 1, "hs", name, "0", "") in (NO_TABLE, b"1\t1\tlock_tables"), name
        server.sql(f"KILL QUERY {number}")
        thread.join()
        assert failed
    for database, table in (
        ("mysql", "user"), ("mysql", "gtid_executed"), ("mysql", "innodb_table_stats"), ("mysql", "tables"),
        ("performance_schema", "setup_actors"), ("information_schema", "TABLES"), ("INFORMATION_SCHEMA", "tables"),
    ):  # fmt: skip
        for client in (reader, writer):
            assert client.request("P", 1, database, table, "0", "") == NO_TABLE, (database, table)


def test_a_discarded_tablespace_is_neither_read_nor_written(
    server: PrivateServer, reader: Client, writer: Client, tmp_path: Path
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 10)")
    for client in (reader, writer):
        client.open("hs.t", ["id", "a"])
        assert client.request(1, "=", 1, 1) == b"0\t2\t1\t10"
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("FLUSH TABLES hs.t FOR EXPORT")
        for file in ("t.ibd", "t.cfg"):
            shutil.copy(server.data_directory / "hs" / file, tmp_path)
        cursor.execute("UNLOCK TABLES")
    server.sql("ALTER TABLE hs.t DISCARD TABLESPACE")
    assert error_of(server, "SELECT * FROM hs.t") == 1814
    for client in (reader, writer):
        assert client.request(1, "=", 1, 1) == b"1\t1\t155"
    for change in CHANGES:
        assert writer.request(*change).startswith(b"1\t1\t1"), change
    for file in ("t.ibd", "t.cfg"):
        shutil.copy(tmp_path / file, server.data_directory / "hs")
    server.sql("ALTER TABLE hs.t IMPORT TABLESPACE")
    for client in (reader, writer):
        assert client.request(1, ">=", 1, 0, 9) == b"0\t2\t1\t10"
    assert writer.request(*CHANGES[0]) == b"0\t1"


def test_a_check_of_a_json_schema_is_that_of_sql(server: PrivateServer, writer: Client) -> None:
    schema = '{"type": "object", "required": ["a"], "properties": {"a": {"type": "number"}}}'
    server.sql(f"CREATE TABLE hs.t (id INT PRIMARY KEY, j JSON, CONSTRAINT c CHECK (JSON_SCHEMA_VALID('{schema}', j)))")
    writer.open("hs.t", ["id", "j"])
    given = ['{"a": 1}', '{"b": 1}', '{"a": "x"}', "[]", None, '{"a": 2}']
    wanted = []
    for number, text in enumerate(given):
        failed = error_of(server, f"INSERT INTO hs.t VALUES ({number}, {'NULL' if text is None else repr(text)})")
        wanted.append(b"0\t1" if not failed else f"1\t1\tsql_{failed} Check constraint 'c' is violated.".encode())
    assert [writer.request(1, "+", 2, 100 + number, text) for number, text in enumerate(given)] == wanted
    server.sql("ALTER TABLE hs.t ALTER CHECK c NOT ENFORCED")
    assert writer.request(1, "+", 2, 200, "[]") == b"0\t1"


def test_a_clone_of_a_server_in_use_has_what_its_gtids_say(
    server: PrivateServer, connect: Callable[[int], Client], database: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT)")
    server.sql("INSTALL PLUGIN clone SONAME 'mysql_clone.so'")
    stop = threading.Event()
    wrong: list[bytes] = []
    done = [0]

    def load() -> None:
        client = connect(server.port_wr)
        client.open("hs.t", ["id"])
        while not stop.is_set():
            reply = client.request(1, "+", 1, done[0])
            wrong.extend([reply] * (reply != b"0\t1"))
            done[0] += 1

    before = server.sql("SELECT @@GLOBAL.gtid_executed")[0][0]
    thread = threading.Thread(target=load)
    thread.start()
    copy = PrivateServer(variables={"log_bin": "log"} | on_mysql.SQL_MODE)
    try:
        while done[0] < 20:
            assert not wrong
        server.sql(f"CLONE LOCAL DATA DIRECTORY = '{copy.data_directory}'")
        stop.set()
        thread.join()
        assert not wrong
        copy.start()
        # One client, so each of its requests is a transaction.
        rows = copy.sql("SELECT COUNT(*), MAX(id) FROM hs.t")[0]
        new = copy.sql("SELECT GTID_SUBTRACT(@@GLOBAL.gtid_executed, %s)", (before,))[0][0]
        first, _, last = new.split(":")[-1].partition("-")
        changes = int(last or first) - int(first) + 1
        assert rows == (changes, changes - 1)
        assert 20 <= rows[0] <= done[0]
        assert copy.sql("CHECK TABLE hs.t")[0][3] == "OK"
    finally:
        stop.set()
        thread.join()
        copy.close()
        server.sql("UNINSTALL PLUGIN clone")
