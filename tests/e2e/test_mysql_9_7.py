"""What MySQL has of its own: hidden columns, indexes that are no columns', JSON, foreign keys in the SQL
layer, GTIDs, instant changes of tables."""

from __future__ import annotations

import json
from collections.abc import Callable

import pymysql
import pytest
import server_files
from hs_client import Client, Value, line, rows, wait_for_a_lock_wait
from private_server import PrivateServer

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)


def events(server: PrivateServer, since: tuple[str, int] | None = None) -> list[str]:
    file, position = since or end_of_log(server)
    rows = server.sql(f"SHOW BINLOG EVENTS IN '{file}' FROM {position}")
    return [row[2] for row in rows]


def end_of_log(server: PrivateServer) -> tuple[str, int]:
    file, position = server.sql("SHOW BINARY LOG STATUS")[0][:2]
    return file, int(position)


def test_an_invisible_column_is_read_and_written_by_its_name(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT, b INT DEFAULT 5 INVISIBLE)")
    writer.open("hs.t", ["id", "a", "b"])
    assert writer.request(1, "+", 2, 1, 10) == b"0\t1"
    assert writer.request(1, "+", 3, 2, 20, 21) == b"0\t1"
    assert writer.request(1, ">=", 1, 1, 9) == b"0\t3\t1\t10\t5\t2\t20\t21"
    assert server.sql("SELECT * FROM hs.t") == [(1, 10), (2, 20)]


def test_an_invisible_index_is_searched(server: PrivateServer, reader: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT, KEY k (a) INVISIBLE)")
    server.sql("INSERT INTO hs.t VALUES (1, 7), (2, 8)")
    reader.open("hs.t", ["id"], index="k")
    assert reader.request(1, "=", 1, 8) == b"0\t1\t2"


@pytest.mark.parametrize("key", ["((a + 1))", "(a, (b * 2))", "((CAST(j->'$' AS UNSIGNED ARRAY)))"])
def test_an_index_of_an_expression_cannot_be_opened(
    server: PrivateServer, reader: Client, writer: Client, key: str
) -> None:
    server.sql(f"CREATE TABLE hs.t (id INT PRIMARY KEY, a INT, b INT, j JSON, KEY k {key})")
    assert reader.request("P", 1, "hs", "t", "k", "id") == b"2\t1\tidxnum"
    # The table's other indexes can, and changes reach all of them.
    writer.open("hs.t", ["id", "a", "b", "j"])
    assert writer.request(1, "+", 4, 1, 2, 3, "[4, 5]") == b"0\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, 20, 30, "[6]") == b"0\t1\t1"
    assert server.sql("SELECT id FROM hs.t WHERE a + 1 = 21 AND b * 2 = 60 AND 6 MEMBER OF (j)")
    server.sql("CHECK TABLE hs.t")
    assert [row[3] for row in server.sql("CHECK TABLE hs.t EXTENDED")] == ["OK"]
    # The columns that the server keeps such an index by have no name.
    hidden = server.sql("SELECT name FROM information_schema.innodb_columns WHERE name LIKE '!hidden%'")
    for (name,) in hidden:
        assert reader.request("P", 2, "hs", "t", "PRIMARY", name) == b"2\t1\tfld"


def test_json_is_text_and_is_checked(server: PrivateServer, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, j JSON)")
    writer.open("hs.t", ["id", "j"])
    given = {"b": [1, 2.5, None], "a": "ä"}
    assert writer.request(1, "+", 2, 1, json.dumps(given)) == b"0\t1"
    assert writer.request(1, "+", 2, 2, "{") .startswith(b"1\t1\tsql_3140")
    assert writer.request(1, "+", 2, 3, None) == b"0\t1"
    found = writer.request(1, "=", 1, 1).split(b"\t")[3].decode()
    assert found == server.sql("SELECT j FROM hs.t WHERE id = 1")[0][0]
    assert json.loads(found) == given
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, "[]") == b"0\t1\t1"
    assert server.sql("SELECT id, j FROM hs.t ORDER BY id") == [(1, "[]"), (3, None)]


def test_a_generated_invisible_primary_key_is_one(
    server: PrivateServer, connect: Callable[[int], Client], database: str
) -> None:
    connection = server.connect()
    with connection.cursor() as cursor:
        cursor.execute("SET sql_generate_invisible_primary_key = 1")
        cursor.execute("CREATE TABLE hs.t (a INT)")
    connection.close()
    writer = connect(server.port_wr)
    writer.open("hs.t", ["a"])
    assert writer.request(1, "+", 1, 10) == b"0\t1\t1"
    assert writer.request(1, "+", 1, 20) == b"0\t1\t2"
    writer.open("hs.t", ["my_row_id", "a"])
    assert writer.request(1, ">=", 1, 1, 9) == b"0\t2\t1\t10\t2\t20"


def test_a_table_without_a_primary_key_is_served_by_its_others(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (a INT NOT NULL, b INT, KEY k (a))")
    server.sql("SET GLOBAL sql_require_primary_key = 1")
    try:
        assert writer.request("P", 1, "hs", "t", "PRIMARY", "a") == b"2\t1\tidxnum"
        writer.open("hs.t", ["a", "b"], index="k")
        assert writer.request(1, "+", 2, 1, 2) == b"0\t1"
        assert writer.request(1, "=", 1, 1, 9, 0, "U", 3, 4) == b"0\t1\t1"
    finally:
        server.sql("SET GLOBAL sql_require_primary_key = DEFAULT")
    assert server.sql("SELECT * FROM hs.t") == [(3, 4)]


def test_columns_come_and_go_at_once(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT, z INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 10, 99)")
    for client in (reader, writer):
        client.open("hs.t", ["id", "a"])
        assert client.request(1, "=", 1, 1) == b"0\t2\t1\t10"
    server.sql("ALTER TABLE hs.t ADD COLUMN b VARCHAR(9) DEFAULT 'new' AFTER id, ALGORITHM=INSTANT")
    assert writer.request(1, "+", 2, 2, 20) == b"0\t1"
    server.sql("ALTER TABLE hs.t DROP COLUMN z, ALGORITHM=INSTANT")
    for client in (reader, writer):
        assert client.request(1, ">=", 1, 1, 9) == b"0\t2\t1\t10\t2\t20"
        client.open("hs.t", ["id", "b"])
        assert client.request(1, ">=", 1, 1, 9) == b"0\t2\t1\tnew\t2\tnew"
        assert client.request("P", 2, "hs", "t", "PRIMARY", "z") == b"2\t1\tfld"


@pytest.mark.parametrize("variable", ["read_only", "super_read_only"])
def test_a_read_only_server_takes_no_change(
    server: PrivateServer, writer: Client, variable: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 10)")
    writer.open("hs.t", ["id", "a"])
    assert writer.request(1, "=", 1, 1) == b"0\t2\t1\t10"
    server.sql(f"SET GLOBAL {variable} = 1")
    try:
        for change in ((1, "+", 2, 2, 20), (1, "=", 1, 1, 1, 0, "U", 1, 11), (1, "=", 1, 1, 1, 0, "D")):
            assert writer.request(*change) == b"1\t1\tlock_tables"
        assert writer.request(1, "=", 1, 1) == b"0\t2\t1\t10"
    finally:
        server.sql("SET GLOBAL super_read_only = 0")
        server.sql("SET GLOBAL read_only = 0")
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, 11) == b"0\t1\t1"
    assert server.sql("SELECT * FROM hs.t") == [(1, 11)]


def test_changes_are_logged_as_rows_of_one_transaction_with_a_gtid(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT)")
    writer.open("hs.t", ["id", "a"])
    since = end_of_log(server)
    before = server.sql("SELECT @@GLOBAL.gtid_executed")[0][0]
    assert writer.request(1, "+", 2, 1, 10) == b"0\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, 11) == b"0\t1\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t1"
    logged = [event for event in events(server, since) if "rows" in event.lower() or event == "Xid"]
    assert [event.replace("_v1", "") for event in logged] == [
        "Write_rows", "Xid", "Update_rows", "Xid", "Delete_rows", "Xid",
    ]  # fmt: skip
    assert server.sql("SELECT @@GLOBAL.gtid_executed")[0][0] != before
    gtid = writer.request("G", "L").decode().split("\t")[2]
    assert server.sql("SELECT GTID_SUBSET(%s, @@GLOBAL.gtid_executed)", (gtid,)) == [(1,)]
    assert writer.request("G", "W", gtid, 1000).startswith(b"0\t1")
    assert writer.request("G", "W", "no-gtid", 1000) == b"2\t1\tgtid"


FAMILY = (
    "CREATE TABLE hs.p (id INT PRIMARY KEY, v INT)",
    "CREATE TABLE hs.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES hs.p (id)"
    " ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE hs.g (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES hs.c (id)"
    " ON DELETE SET NULL)",
    "CREATE TABLE hs.r (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES hs.p (id))",
    "INSERT INTO hs.p VALUES (1, 1), (2, 2), (3, 3)",
    "INSERT INTO hs.c VALUES (10, 1), (11, 1), (20, 2)",
    "INSERT INTO hs.g VALUES (100, 10), (200, 20)",
    "INSERT INTO hs.r VALUES (7, 3)",
)


def test_the_log_is_compressed_as_with_sql(server: PrivateServer, writer: Client) -> None:
    for engine in ("InnoDB", "MEMORY", "MyISAM"):
        server.sql(f"CREATE TABLE hs.{engine} (id INT PRIMARY KEY, v INT) ENGINE={engine}")
    server.sql("SET GLOBAL binlog_transaction_compression = 1")
    try:
        with server.connect(database="hs", autocommit=True) as connection, connection.cursor() as sql:
            for number, engine in enumerate(("InnoDB", "MEMORY", "MyISAM")):
                while True:  # the setting counts from the next second on
                    place = end_of_log(server)
                    writer.open(f"hs.{engine}", ["id", "v"])
                    number += 10
                    assert writer.request(1, "+", 2, number, 1) == b"0\t1"
                    by_request = events(server, place)
                    if engine != "InnoDB" or "Transaction_payload" in by_request:
                        break
                place = end_of_log(server)
                sql.execute(f"INSERT INTO {engine} VALUES (1, 1)")
                assert by_request == events(server, place), engine
    finally:
        server.sql("SET GLOBAL binlog_transaction_compression = DEFAULT")


def test_foreign_keys_are_checked_and_cascade_into_the_log(
    server: PrivateServer, writer: Client
) -> None:
    for statement in FAMILY:
        server.sql(statement)
    writer.open("hs.p", ["id", "v"], id=1)
    writer.open("hs.c", ["id", "p"], id=2)
    assert writer.request(2, "+", 2, 12, 9) == b"1\t1\t151"
    assert writer.request(2, "=", 1, 10, 1, 0, "U", 10, 9) == b"1\t1\t151"
    assert writer.request(1, "=", 1, 3, 1, 0, "D") == b"1\t1\t152"
    since = end_of_log(server)
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t1"
    assert server.sql("SELECT id, p FROM hs.c ORDER BY id") == [(20, 2)]
    assert server.sql("SELECT id, c FROM hs.g ORDER BY id") == [(100, None), (200, 20)]
    tables = [row[5] for row in server.sql(f"SHOW BINLOG EVENTS IN '{since[0]}' FROM {since[1]}")
              if row[2] == "Table_map"]  # fmt: skip
    assert {text.split("(")[1].split(")")[0] for text in tables} == {"hs.p", "hs.c", "hs.g"}
    assert writer.request(1, "=", 1, 2, 1, 0, "U", 5, 50) == b"0\t1\t1"
    assert server.sql("SELECT id, p FROM hs.c") == [(20, 5)]


def test_a_cascade_that_is_refused_half_way_leaves_nothing(
    server: PrivateServer, writer: Client
) -> None:
    for statement in FAMILY:
        server.sql(statement)
    server.sql("INSERT INTO hs.c VALUES (30, 3)")
    writer.open("hs.p", ["id", "v"])
    replies = writer.pipeline(
        [line(1, "+", 2, 8, 8), line(1, "=", 1, 3, 1, 0, "D"), line(1, "+", 2, 9, 9)]
    )
    assert replies == [b"0\t1", b"1\t1\t152", b"0\t1"]
    assert server.sql("SELECT id FROM hs.p ORDER BY id") == [(1,), (2,), (3,), (8,), (9,)]
    assert server.sql("SELECT p FROM hs.c WHERE id = 30") == [(3,)]


def test_a_row_that_another_session_has_locked_is_waited_for(
    server: PrivateServer, writer: Client, connect: Callable[[int], Client]
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20)")
    other = connect(server.port_wr)
    for client in (writer, other):
        client.open("hs.t", ["id", "a"])
    holder = server.connect(autocommit=False)
    with holder.cursor() as cursor:
        cursor.execute("UPDATE hs.t SET a = 11 WHERE id = 1")
        writer.send(line(1, "=", 1, 1, 1, 0, "+", 0, 5))
        wait_for_a_lock_wait(server)
        # The rows of others are changed meanwhile.
        assert other.request(1, "=", 1, 2, 1, 0, "+", 0, 1) == b"0\t1\t1"
        cursor.execute("COMMIT")
    holder.close()
    assert writer.read_line() == b"0\t1\t1"
    assert server.sql("SELECT * FROM hs.t") == [(1, 16), (2, 21)]


def test_a_generated_invisible_primary_key_is_described_as_sql_does(server: PrivateServer, reader: Client) -> None:
    server.sql("SET GLOBAL sql_generate_invisible_primary_key = 1")
    try:
        server.sql("CREATE TABLE hs.t (a INT)")
        described = [row[0] for row in rows(reader.request("D", "hs", "t"))]
        assert described == [b"my_row_id", b"a"]
        assert rows(reader.request("D", "hs", "t", "I")) == [(b"PRIMARY", b"1", b"my_row_id", b"1", b"A", None)]
        server.sql("SET GLOBAL show_gipk_in_create_table_and_information_schema = 0")
        assert [row[0] for row in rows(reader.request("D", "hs", "t"))] == [b"a"]
        assert reader.request("D", "hs", "t", "I") == b"0\t6"
    finally:
        server.sql("SET GLOBAL show_gipk_in_create_table_and_information_schema = DEFAULT")
        server.sql("SET GLOBAL sql_generate_invisible_primary_key = DEFAULT")


def test_each_row_that_lacks_a_value_is_refused(server: PrivateServer, writer: Client) -> None:
    """The server itself notes such a trouble with a column once in a statement."""
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL)")
    writer.open("hs.t", ["id", "a", "b"])
    lacking, null = line(1, "+", 2, 1, 1), line(1, "+", 3, 1, 1, None)
    replies = writer.pipeline([lacking, lacking, null, null, lacking, null])
    assert [reply.split(b" ")[0] for reply in replies] == [
        b"1\t1\tsql_1364", b"1\t1\tsql_1364", b"1\t1\tsql_1048", b"1\t1\tsql_1048",
        b"1\t1\tsql_1364", b"1\t1\tsql_1048",
    ]  # fmt: skip
    assert server.sql("SELECT * FROM hs.t") == []


def test_a_key_that_ends_within_a_character_finds_nothing(server: PrivateServer, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (c VARCHAR(9) CHARACTER SET ucs2 PRIMARY KEY, v INT)")
    server.sql("INSERT INTO hs.t VALUES ('', 1), ('a', 2)")
    writer.open("hs.t", ["c", "v"])
    for cut in (b"\xf0\x9f", b"a\xc3"):
        assert writer.request(1, "=", 1, cut) == b"0\t2"
        assert writer.request(1, "=", 1, cut, 1, 0, "U", "x", 9) == b"0\t1\t0"
        assert writer.request(1, ">", 1, cut).startswith(b"1\t1\tsql_1267")
    assert server.sql("SELECT v FROM hs.t ORDER BY v") == [(1,), (2,)]


def test_a_filter_that_is_no_text_is_in_no_row(server: PrivateServer, reader: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(9) COLLATE utf8mb4_0900_as_cs)")
    server.sql("INSERT INTO hs.t VALUES (1, '')")  # which weighs as much as a byte that is no character
    reader.open("hs.t", ["id"], filters=["v"])
    assert reader.request(1, "=", 1, 1, 1, 0, "F", "=", 0, b"\xff") == b"0\t1"
    assert reader.request(1, "=", 1, 1, 1, 0, "F", "!=", 0, b"\xff") == b"0\t1\t1"


def _compare_bounds(server: PrivateServer, connection: pymysql.Connection, dates: tuple[str, ...]) -> None:
    """Bounds of ranges, at the port and in SQL, in several modes."""
    with connection.cursor() as cursor:
        cursor.execute("SET sql_mode = ''")
        for date in dates:
            cursor.execute("INSERT INTO hs.t VALUES (%s)", [date])
        for mode in ("", "NO_ZERO_DATE", "NO_ZERO_IN_DATE", "TRADITIONAL"):
            cursor.execute("SET GLOBAL sql_mode = %s", [mode])
            cursor.execute("SET sql_mode = %s", [mode])
            with Client(server.port) as client:
                client.open("hs.t", ["d"])
                for date in dates:
                    assert client.find("=", [date]) == [(date.encode(),)]
                    try:
                        cursor.execute("SELECT COUNT(*) FROM hs.t WHERE d >= %s", [date])
                    except pymysql.err.OperationalError as error:
                        assert error.args[0] == 1525
                        if date.startswith("0000-00-00"):  # where a range over all rows begins
                            assert len(client.find(">=", [date], 9)) == len(dates), mode
                            continue
                        assert client.request(1, ">=", 1, date).startswith(b"1\t1\tsql_1525 "), (mode, date)
                    else:
                        assert len(client.find(">=", [date], 9)) == cursor.fetchall()[0][0], (mode, date)


@pytest.mark.usefixtures("database")
def test_a_bound_that_sql_mode_takes_for_no_date_is_refused_as_by_sql(server: PrivateServer) -> None:
    server.sql("CREATE TABLE hs.t (d DATE PRIMARY KEY)")
    connection = server.connect()
    before = server.sql("SELECT @@global.sql_mode")[0][0]
    dates = ("0000-00-00", "2020-00-00", "2020-01-00", "2020-01-02")
    try:
        _compare_bounds(server, connection, dates)
    finally:
        connection.close()
        server.sql("SET GLOBAL sql_mode = %s", [before])


def test_a_bound_that_is_no_date_is_refused_as_by_sql(server: PrivateServer, reader: Client) -> None:
    server.sql("CREATE TABLE hs.t (d DATETIME PRIMARY KEY)")
    server.sql("INSERT INTO hs.t VALUES ('2020-01-01')")
    reader.open("hs.t", ["d"])
    for text in ("abc", "2020-13-01", ""):
        assert reader.request(1, ">", 1, text).startswith(b"1\t1\tsql_1525 ")
        assert reader.request(1, "=", 1, text) == b"0\t1"
        with pytest.raises(pymysql.err.OperationalError, match="1525"):
            server.sql(f"SELECT d FROM hs.t WHERE d > '{text}'")


def test_the_digits_of_a_time_that_its_column_lacks_are_rounded_as_by_sql(
    server: PrivateServer, reader: Client
) -> None:
    server.sql("CREATE TABLE hs.t (v TIME(1) PRIMARY KEY)")
    server.sql("INSERT INTO hs.t VALUES ('00:00:01.1'), ('00:00:01.2'), ('00:00:01.3')")
    reader.open("hs.t", ["v"])
    for text in ("00:00:01.16", "00:00:01.2400"):
        for operator in (">", ">=", "<", "<="):
            order = "DESC" if operator.startswith("<") else "ASC"
            found = server.sql(f"SELECT v FROM hs.t WHERE v {operator} '{text}' ORDER BY v {order}")
            times = [f"0{row[0]}"[:10].encode() for row in found]
            assert [row[0] for row in rows(reader.request(1, operator, 1, text, 9))] == times, (operator, text)
        assert reader.find("=", [text]) == []


def test_an_upsert_does_not_take_an_id_that_is_generated_for_another_row(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("SET GLOBAL auto_increment_increment = 1")
    server.sql("CREATE TABLE hs.t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 1)")
    writer.open("hs.t", ["id", "u", "v"])
    assert writer.request(1, "+U", 3, None, 1, 5, 3, 2, 1, 7).startswith(b"0\t")
    assert server.sql("SELECT * FROM hs.t") == [(2, 1, 7)]
    assert writer.request(1, "+", 3, None, 2, 2) == b"0\t1\t3"


def test_an_id_is_told_when_a_foreign_key_is_on_its_column(server: PrivateServer, writer: Client) -> None:
    """The server generates it when it checks the key, before the row is written."""
    server.sql("CREATE TABLE hs.p (k INT PRIMARY KEY)")
    server.sql("INSERT INTO hs.p VALUES (1), (2), (4)")
    server.sql("CREATE TABLE hs.t (id INT AUTO_INCREMENT PRIMARY KEY, v INT, FOREIGN KEY (id) REFERENCES p (k))")
    writer.open("hs.t", ["v"])
    assert writer.request(1, "+", 1, 10) == b"0\t1\t1"
    assert writer.request(1, "+R", 1, 20) == b"0\t2\t1\t2"
    assert writer.request(1, "+", 1, 30) == b"1\t1\t151"  # there is no 3
    assert writer.request(1, "+I", 1, 40) == b"0\t2\t1\t4"
    assert server.sql("SELECT * FROM hs.t") == [(1, 10), (2, 20), (4, 40)]


def test_the_tables_come_with_the_plugin_and_each_is_installed_by_itself(server: PrivateServer) -> None:
    named = "SELECT PLUGIN_NAME FROM information_schema.PLUGINS WHERE PLUGIN_NAME LIKE 'HANDLERSOCKET@_%' ESCAPE '@'"
    assert {name for (name,) in server.sql(named)} == {
        f"HANDLERSOCKET_{table}" for table in ("CONNECTIONS", "INDEXES", "LATENCY", "LATENCY_BUCKETS", "TTL")
    }
    count = "SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_LATENCY"
    server.sql("UNINSTALL PLUGIN HANDLERSOCKET_LATENCY")
    with pytest.raises(pymysql.err.OperationalError) as error:
        server.sql(count)
    assert error.value.args[0] == 1109  # unknown table
    connection = server.connect()
    with connection.cursor() as cursor:
        cursor.execute("INSTALL PLUGIN HANDLERSOCKET_LATENCY SONAME 'handlersocket2_tables.so'")
        cursor.execute("SHOW WARNINGS")
        assert cursor.fetchall() == ()
    connection.close()
    assert server.sql(count) == [(10,)]


def test_the_tables_come_to_a_server_whose_dictionary_was_flushed() -> None:
    with PrivateServer() as server, server.connect(read_timeout=60) as connection, connection.cursor() as sql:
        sql.execute("UNINSTALL PLUGIN HANDLERSOCKET_TTL")
        sql.execute("FLUSH TABLES")
        sql.execute("INSTALL PLUGIN HANDLERSOCKET_TTL SONAME 'handlersocket2_tables.so'")
        assert server.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_TTL") == [(0,)]


def test_the_tables_are_empty_without_the_plugin_and_filled_when_it_comes_back() -> None:
    count = "SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS"
    with PrivateServer() as server:
        with Client(server.port):
            while server.sql(count) != [(1,)]:
                pass
        server.sql("UNINSTALL PLUGIN handlersocket")
        assert server.sql(count) == [(0,)]
        server.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
        with Client(server.port):
            while server.sql(count) != [(1,)]:
                pass


TEXTS_AS_NUMBERS = "CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(9), e INT, KEY fx ((v + 0)), KEY (e))"


def insert_unstrictly(server: PrivateServer) -> None:
    with server.connect() as connection, connection.cursor() as sql:
        sql.execute("SET sql_mode = ''")
        sql.execute("INSERT INTO hs.t VALUES (1, 'a', 1), (2, '2', 1)")


@pytest.mark.parametrize("request_", [("=", 1, 1, 1, 0, "D"), ("=", 1, 1, 1, 0, "U", 1, "5"), ("+R", 2, 1, "5")])
def test_a_row_whose_index_cannot_be_computed_strictly_is_not_changed(
    server: PrivateServer, writer: Client, request_: tuple[Value, ...]
) -> None:
    server.sql(TEXTS_AS_NUMBERS)
    insert_unstrictly(server)
    writer.open("hs.t", ["id", "v"])
    assert writer.request(1, *request_).startswith(b"1\t1\tsql_3751")
    with pytest.raises(pymysql.Error, match="3751"):
        server.sql("DELETE FROM hs.t WHERE id = 1")
    assert server.sql("SELECT id, v FROM hs.t") == [(1, "a"), (2, "2")]
    assert server.sql("CHECK TABLE hs.t EXTENDED")[-1][3] == "OK"


def test_such_a_row_is_purged_when_it_has_expired(server: PrivateServer, database: str) -> None:
    server.sql(TEXTS_AS_NUMBERS + " COMMENT 'hs: ttl=e'")
    insert_unstrictly(server)
    while server.sql("SELECT id FROM hs.t"):
        pass
    assert server.sql("CHECK TABLE hs.t EXTENDED")[-1][3] == "OK"


@pytest.mark.parametrize("engine", ["MyISAM", "MEMORY"])
def test_a_find_among_changes_is_no_change_of_a_table_without_rollback(
    server: PrivateServer, writer: Client, engine: str
) -> None:
    assert server.sql("SELECT @@GLOBAL.enforce_gtid_consistency") == [("ON",)]
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    server.sql(f"CREATE TABLE hs.m (id INT PRIMARY KEY, v INT) ENGINE={engine}")
    server.sql("INSERT INTO hs.m VALUES (1, 10)")
    writer.open("hs.t", ["id"])
    writer.open("hs.m", ["id", "v"], id=2)
    change, find = line(1, "+", 1, 1), line(2, "=", 1, 1)
    assert writer.pipeline([change, find, line(1, "+", 1, 2), find]) == [b"0\t1", b"0\t2\t1\t10"] * 2
    # In a transaction, too, which a batch has as a whole or in parts.
    whole = [line("T", "B"), line(1, "+", 1, 3), find, line("T", "C")]
    assert writer.pipeline(whole) == [b"0\t1", b"0\t1", b"0\t2\t1\t10", b"0\t1"]
    assert [writer.pipeline([one])[0] for one in whole[:1] + [line(1, "+", 1, 4)] + whole[2:]] == [
        b"0\t1", b"0\t1", b"0\t2\t1\t10", b"0\t1"
    ]  # fmt: skip
    assert server.sql("SELECT COUNT(*) FROM hs.t") == [(4,)]
