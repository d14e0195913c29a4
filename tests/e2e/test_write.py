"""Insert, update and delete: the rows are what SQL would have written, or nothing is."""

from __future__ import annotations

import gtids
import pymysql
import pytest
from binlog import log_events
from hs_client import Client, line, wait_for_a_lock_wait
from on_mysql import CHECK_VIOLATED
from private_server import PrivateServer


def all_rows(server: PrivateServer, table: str = "hs.t") -> list[tuple[object, ...]]:
    return server.sql(f"SELECT * FROM {table} ORDER BY 1")


@pytest.fixture
def table(server: PrivateServer, database: str) -> str:
    server.sql(
        "CREATE TABLE hs.t (id INT UNSIGNED PRIMARY KEY, name VARCHAR(5) NOT NULL, small TINYINT NULL,"
        " u VARCHAR(10) NULL UNIQUE, KEY small (small))"
    )
    return "hs.t"


COLUMNS = ["id", "name", "small", "u"]


def test_insert_find_update_delete(
    server: PrivateServer, writer: Client, reader: Client, table: str
) -> None:
    writer.open(table, COLUMNS)
    reader.open(table, COLUMNS)
    assert writer.request(1, "+", 4, 1, "a", 5, None) == b"0\t1"
    assert reader.find("=", [1]) == [(b"1", b"a", b"5", None)]
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, "b", None, "x") == b"0\t1\t1"
    assert all_rows(server) == [(1, "b", None, "x")]
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, "b", None, "x") == b"0\t1\t1"
    assert writer.request(1, "=", 1, 2, 1, 0, "U", 2, "b", None, "y") == b"0\t1\t0"
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t0"
    assert all_rows(server) == []


@pytest.mark.parametrize(
    ("values", "reply"),
    [
        (["xyz", "a", 1, None], b"1\t1\tsql_1366"),
        (["-1", "a", 1, None], b"1\t1\tsql_1264"),
        (["4294967296", "a", 1, None], b"1\t1\tsql_1264"),
        (["2", "toolong", 1, None], b"1\t1\tsql_1406"),
        (["2", None, 1, None], b"1\t1\tsql_1048"),
        (["2", "a", 128, None], b"1\t1\tsql_1264"),
        (["2", b"\xff\xfe", 1, None], b"1\t1\tsql_1366"),
        (["1", "a", 1, None], b"1\t1\t121"),
        (["2", "a", 1, "taken"], b"1\t1\t121"),
        ([None, "a", 1, None], b"1\t1\tsql_1048"),
        (["2"], b"1\t1\tsql_1364"),
        (["2", "a", 1, None, "more"], b"2\t1\tfldnum"),
    ],
)
def test_what_sql_refuses_is_refused_and_changes_nothing(
    server: PrivateServer, writer: Client, table: str, values: list[str | None], reply: bytes
) -> None:
    server.sql("INSERT INTO hs.t VALUES (1, 'one', 1, 'taken'), (9, 'nine', 9, NULL)")
    before = all_rows(server)
    writer.open(table, COLUMNS)
    got = writer.request(1, "+", len(values), *values)
    assert got.split(b" ")[0] == reply
    if len(values) == 4:
        got = writer.request(1, "=", 1, 9, 1, 0, "U", *values)
        assert got.split(b" ")[0] == reply
    assert all_rows(server) == before
    assert writer.request(1, "+", 4, 3, "ok", 1, None) == b"0\t1"


def test_an_update_with_the_wrong_number_of_values_changes_nothing(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("INSERT INTO hs.t VALUES (1, 'one', 1, NULL)")
    writer.open(table, ["name", "small"])
    assert writer.request(1, "=", 1, 1, 1, 0, "U", "x") == b"2\t1\tmissing_value"
    assert writer.request(1, "=", 1, 1, 1, 0, "U") == b"2\t1\tmissing_value"
    assert writer.request(1, "=", 1, 1, 1, 0, "U", "x", 1, 2) == b"2\t1\tfldnum"
    assert all_rows(server) == [(1, "one", 1, None)]


def test_lenient_sql_mode_converts_as_sql_does(
    server: PrivateServer, writer: Client, table: str
) -> None:
    mode = server.sql("SELECT @@GLOBAL.sql_mode")[0][0]
    server.sql("SET GLOBAL sql_mode = ''")
    try:
        writer.open(table, COLUMNS)
        assert writer.request(1, "+", 4, "1x", "toolong", 999, None) == b"0\t1"
        assert all_rows(server) == [(1, "toolo", 127, None)]
    finally:
        server.sql("SET GLOBAL sql_mode = %s", [mode])


def test_a_range_update_never_meets_its_own_changes(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("INSERT INTO hs.t (id, name, small) VALUES (1,'a',1), (2,'b',2), (3,'c',3)")
    writer.open(table, ["small"], index="small")
    assert writer.request(1, ">=", 1, 0, 100, 0, "U", 50) == b"0\t1\t3"
    assert [row[2] for row in all_rows(server)] == [50, 50, 50]


def test_an_update_of_a_range_that_fails_midway_leaves_no_row_changed(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("INSERT INTO hs.t (id, name, u) VALUES (1,'a','1'), (2,'b','2'), (3,'c','3')")
    before = all_rows(server)
    writer.open(table, ["u"])
    assert writer.request(1, ">=", 1, 1, 100, 0, "U", "same") == b"1\t1\t121"
    assert all_rows(server) == before


def test_delete_of_a_range(server: PrivateServer, writer: Client, table: str) -> None:
    server.sql("INSERT INTO hs.t (id, name) SELECT seq, 'x' FROM seq_1_to_100", database="hs")
    writer.open(table, ["id"])
    assert writer.request(1, ">", 1, 90, 5, 2, "D") == b"0\t1\t5"
    assert [row[0] for row in all_rows(server)] == [*range(1, 93), 98, 99, 100]
    assert writer.request(1, ">=", 1, 0, 1000, 0, "D") == b"0\t1\t95"


def test_auto_increment_returns_the_generated_id(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.ai (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, v INT)")
    writer.open("hs.ai", ["v"])
    writer.open("hs.ai", ["id", "v"], id=2)
    assert writer.request(1, "+", 1, 10) == b"0\t1\t1"
    assert writer.request(1, "+", 1, 20) == b"0\t1\t2"
    assert writer.request(2, "+", 2, 100, 30) == b"0\t1\t0"
    assert writer.request(2, "+", 2, None, 40) == b"0\t1\t101"
    assert writer.request(2, "+", 2, 0, 50) == b"0\t1\t102"
    big = 18446744073709551610
    assert writer.request(2, "+", 2, big, 60) == b"0\t1\t0"
    assert server.sql("SELECT MAX(id) FROM hs.ai") == [(big,)]


@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM", "Aria"])
@pytest.mark.parametrize("kind", ["INT", "BIGINT", "BIGINT UNSIGNED"])
def test_ids_that_are_used_up_are_not_taken_for_a_lock_of_others(
    server: PrivateServer, writer: Client, database: str, kind: str, engine: str
) -> None:
    last = {"INT": 2**31 - 1, "BIGINT": 2**63 - 1, "BIGINT UNSIGNED": 2**64 - 2}[kind]
    server.sql(f"CREATE TABLE hs.t (id {kind} AUTO_INCREMENT PRIMARY KEY, v INT) ENGINE={engine}")
    server.sql(f"INSERT INTO hs.t VALUES ({last}, 1)")
    with pytest.raises(pymysql.err.MySQLError) as refused:
        server.sql("INSERT INTO hs.t (v) VALUES (2)")
    assert refused.value.args[0] in (167, 1467)
    writer.open("hs.t", ["v"])
    waits = server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_lock_waits'")
    for form in ("+", "+I", "+U", "+R"):
        assert writer.request(1, form, 1, 2) == b"1\t1\t167", form
    assert server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_lock_waits'") == waits
    assert all_rows(server) == [(last, 1)]


def test_a_failed_open_does_not_spoil_later_inserts(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.ai (id INT AUTO_INCREMENT PRIMARY KEY)")
    assert writer.raw(b"P\t9\ths\tnone\tPRIMARY\tid") == b"1\t1\topen_table"
    writer.open("hs.ai", ["id"])
    assert writer.request(1, "+", 1, 7) == b"0\t1\t0"


def test_columns_that_an_insert_does_not_mention_get_what_sql_gives_them(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.d (id INT PRIMARY KEY, n INT NULL, c INT NOT NULL DEFAULT 7,"
        " e INT NOT NULL DEFAULT (c * 2), t TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)"
        " ON UPDATE CURRENT_TIMESTAMP(6), dt DATETIME NOT NULL DEFAULT NOW(),"
        " g INT AS (id + c) STORED, v INT AS (id * 10) VIRTUAL, KEY v (v), CHECK (c < 100))"
    )
    writer.open("hs.d", ["id"])
    assert writer.request(1, "+", 1, 3) == b"0\t1"
    row = server.sql(
        "SELECT n, c, e, g, v, t BETWEEN NOW() - INTERVAL 60 SECOND AND NOW(6),"
        " dt BETWEEN NOW() - INTERVAL 60 SECOND AND NOW() FROM hs.d"
    )
    assert row == [(None, 7, 14, 10, 30, 1, 1)]
    before = server.sql("SELECT t FROM hs.d")
    writer.open("hs.d", ["c"], id=2)
    assert writer.request(2, "=", 1, 3, 1, 0, "U", 7) == b"0\t1\t1"
    assert server.sql("SELECT t FROM hs.d") == before
    assert writer.request(2, "=", 1, 3, 1, 0, "U", 8) == b"0\t1\t1"
    assert server.sql("SELECT t > %s, g FROM hs.d", [before[0][0]]) == [(1, 11)]
    assert writer.request(2, "=", 1, 3, 1, 0, "U", 100).startswith(CHECK_VIOLATED)
    writer.open("hs.d", ["id", "g"], id=3)
    assert writer.request(3, "+", 2, 4, 4).startswith(b"1\t1\tsql_1906 ")
    writer.open("hs.d", ["id"], index="v", id=4)
    assert writer.find("=", [30], id=4) == [(b"3",)]
    assert server.sql("CHECK TABLE hs.d EXTENDED")[-1][-1] == "OK"


def test_an_expression_keeps_nothing_of_another_row(server: PrivateServer, writer: Client, database: str) -> None:
    """What is the same in all rows the server computes once: these are not."""
    server.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, d DATETIME, z VARCHAR(9),"
        " g DATETIME AS (CONVERT_TZ(d, z, '+00:00')) STORED,"
        " f DATETIME DEFAULT (CONVERT_TZ(d, '+00:00', z)), r DOUBLE DEFAULT (RAND(id)))"
    )
    server.sql("CREATE TABLE hs.u LIKE hs.t")
    moment, zones = "2020-06-01 10:00:00", ("+01:00", "-05:00", "+09:30")
    writer.open("hs.t", ["id", "d", "z"])
    inserts = [line(1, "+", 3, id, moment, zone) for id, zone in enumerate(zones)]
    assert writer.pipeline(inserts) == [b"0\t1"] * 3
    for id, zone in enumerate(zones):
        assert writer.request(1, "+", 3, 10 + id, moment, zone) == b"0\t1"
        server.sql("INSERT INTO hs.u (id, d, z) VALUES (%s, %s, %s)", (id, moment, zone))
        server.sql("INSERT INTO hs.u (id, d, z) VALUES (%s, %s, %s)", (10 + id, moment, zone))
    assert server.sql("SELECT * FROM hs.t ORDER BY id") == server.sql("SELECT * FROM hs.u ORDER BY id")
    for id, zone in enumerate(reversed(zones)):
        assert writer.request(1, "=", 1, id, 1, 0, "U", id, moment, zone) == b"0\t1\t1"
        server.sql("UPDATE hs.u SET z = %s WHERE id = %s", (zone, id))
    assert server.sql("SELECT * FROM hs.t ORDER BY id") == server.sql("SELECT * FROM hs.u ORDER BY id")


def test_tables_with_more_than_32_columns(
    server: PrivateServer, writer: Client, database: str
) -> None:
    columns = [f"c{i}" for i in range(100)]
    server.sql(f"CREATE TABLE hs.wide (id INT PRIMARY KEY, {', '.join(c + ' INT' for c in columns)})")
    writer.open("hs.wide", ["id", *columns])
    assert writer.request(1, "+", 101, 1, *range(100)) == b"0\t1"
    assert server.sql("SELECT * FROM hs.wide") == [(1, *range(100))]


def test_foreign_keys_are_checked(server: PrivateServer, writer: Client, database: str) -> None:
    server.sql("CREATE TABLE hs.p (id INT PRIMARY KEY)")
    server.sql(
        "CREATE TABLE hs.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES hs.p (id))"
    )
    writer.open("hs.p", ["id"], id=1)
    writer.open("hs.c", ["id", "p"], id=2)
    assert writer.request(2, "+", 2, 1, 5) == b"1\t1\t151"
    assert writer.request(1, "+", 1, 5) == b"0\t1"
    assert writer.request(2, "+", 2, 1, 5) == b"0\t1"
    assert writer.request(1, "=", 1, 5, 1, 0, "D") == b"1\t1\t152"
    assert server.sql("SELECT COUNT(*) FROM hs.p") == [(1,)]


def test_cascades_reach_children_with_generated_columns(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.p (id INT PRIMARY KEY, v INT)")
    server.sql(
        "CREATE TABLE hs.c (id INT PRIMARY KEY, pid INT, vc INT AS (pid + 1) VIRTUAL, KEY vc (vc),"
        " FOREIGN KEY (pid) REFERENCES hs.p (id) ON DELETE SET NULL ON UPDATE CASCADE)"
    )
    server.sql(
        "CREATE TABLE hs.g (id INT PRIMARY KEY, pid INT,"
        " FOREIGN KEY (pid) REFERENCES hs.p (id) ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.p VALUES (1, 1), (2, 2)")
    server.sql("INSERT INTO hs.c (id, pid) VALUES (10, 1), (20, 2)")
    server.sql("INSERT INTO hs.g VALUES (5, 2)")
    writer.open("hs.p", ["id"])
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 7) == b"0\t1\t1"
    assert writer.request(1, "=", 1, 2, 1, 0, "D") == b"0\t1\t1"
    rows = server.sql("SELECT id, pid, vc FROM hs.c ORDER BY id")
    assert rows == [(10, 7, 8), (20, None, None)]
    assert server.sql("SELECT COUNT(*) FROM hs.g") == [(0,)]
    for table in ("p", "c", "g"):
        assert server.sql(f"CHECK TABLE hs.{table} EXTENDED")[-1][-1] == "OK"
    # A child can be altered while the thread has its parent open.
    server.sql("ALTER TABLE hs.c ADD COLUMN x INT, FORCE")
    server.sql("DROP TABLE hs.c")
    assert writer.request(1, "+", 1, 99) == b"0\t1"


def test_the_query_cache_shows_no_old_rows(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("SET GLOBAL query_cache_type = 1, GLOBAL query_cache_size = 1048576")
    try:
        server.sql("INSERT INTO hs.t (id, name) VALUES (1, 'a')")
        writer.open(table, ["name"])
        assert server.sql("SELECT name FROM hs.t") == [("a",)]
        assert server.sql("SELECT name FROM hs.t") == [("a",)]
        assert writer.request(1, "=", 1, 1, 1, 0, "U", "b") == b"0\t1\t1"
        assert server.sql("SELECT name FROM hs.t") == [("b",)]
    finally:
        server.sql("SET GLOBAL query_cache_size = 0, GLOBAL query_cache_type = 0")


def test_tables_without_rollback_are_changed_once_in_a_batch_with_a_deadlock(
    server: PrivateServer, database: str
) -> None:
    """The InnoDB request of the pipeline is made the victim; the MyISAM counter counts once."""
    server.sql("CREATE TABLE hs.i (id INT PRIMARY KEY, v INT NOT NULL)")
    server.sql("INSERT INTO hs.i VALUES (1, 0), (2, 0)")
    server.sql("CREATE TABLE hs.m (id INT PRIMARY KEY, n INT NOT NULL) ENGINE=MyISAM")
    server.sql("INSERT INTO hs.m VALUES (1, 0)")
    sql = server.connect(database="hs")
    for round_ in range(1, 4):
        with Client(server.port_wr) as client, sql.cursor() as cursor:
            client.open("hs.i", ["v"])
            client.open("hs.m", ["n"], id=2)
            sql.begin()
            # Many rows written, so that the other side is the cheaper victim.
            cursor.execute("INSERT INTO i SELECT seq + %s, 0 FROM seq_1_to_500", [round_ * 1000])
            cursor.execute("UPDATE i SET v = v + 1 WHERE id = 2")
            client.send(
                line(1, "=", 1, 1, 1, 0, "+", 1)
                + line(2, "=", 1, 1, 1, 0, "+", 1)
                + line(1, "=", 1, 1, 1, 0, "+", 1)
                + line(1, "=", 1, 2, 1, 0, "+", 1)
            )
            wait_for_a_lock_wait(server)
            cursor.execute("UPDATE i SET v = v + 1 WHERE id = 1")
            sql.commit()
            assert [client.read_line() for _ in range(4)] == [b"0\t1\t1"] * 4
        assert server.sql("SELECT n FROM hs.m") == [(round_,)]
        assert server.sql("SELECT v FROM hs.i WHERE id <= 2") == [(round_ * 3,), (round_ * 2,)]
    sql.close()


def test_sql_sees_a_write_as_soon_as_it_is_answered_and_the_binary_log_has_it(
    server: PrivateServer, writer: Client, table: str
) -> None:
    position = gtids.number(server)
    writer.open(table, ["id", "name"])
    assert writer.request(1, "+", 2, 1, "a") == b"0\t1"
    assert server.sql("SELECT name FROM hs.t") == [("a",)]
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 1, "b") == b"0\t1\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t1"
    assert gtids.number(server) == position + 3
    events = log_events(server)
    assert events[-1] == "Xid"
    kinds = [e for e in events if e.endswith("_rows")]
    assert kinds[-3:] == ["Write_rows", "Update_rows", "Delete_rows"]


def test_requests_that_arrive_together_share_one_commit(
    server: PrivateServer, writer: Client, table: str
) -> None:
    writer.open(table, ["id", "name"])

    def commits() -> int:
        return int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_commits'")[0][1])

    before = commits()
    position = gtids.number(server)
    assert writer.pipeline([line(1, "+", 2, i, "x") for i in range(100)]) == [b"0\t1"] * 100
    # The lines may reach the server in more than one piece, hardly in a hundred.
    assert 1 <= commits() - before <= 20
    assert gtids.number(server) - position == commits() - before


def test_a_lock_wait_timeout_is_one_requests_own(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("INSERT INTO hs.t (id, name) VALUES (1, 'a'), (2, 'b')")
    wait = server.sql("SELECT @@GLOBAL.innodb_lock_wait_timeout")[0][0]
    server.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    blocker = server.connect(database="hs")
    try:
        with Client(server.port_wr) as client:
            client.open(table, ["name"])
            blocker.begin()
            with blocker.cursor() as cursor:
                cursor.execute("SELECT * FROM t WHERE id = 1 FOR UPDATE")
            replies = client.pipeline(
                [
                    line(1, "=", 1, 2, 1, 0, "U", "b1"),
                    line(1, "=", 1, 1, 1, 0, "U", "a1"),
                    line(1, "=", 1, 2, 1, 0, "U", "b2"),
                ]
            )
            assert replies == [b"0\t1\t1", b"1\t1\t146", b"0\t1\t1"]
    finally:
        blocker.rollback()
        blocker.close()
        server.sql("SET GLOBAL innodb_lock_wait_timeout = %s", [wait])
    assert [row[1] for row in all_rows(server)] == ["a", "b2"]


def test_a_deadlock_loses_no_acknowledged_write(
    server: PrivateServer, writer: Client, table: str
) -> None:
    """Two pipelines lock the same rows in opposite order, many times; every reply must be true."""
    import threading

    server.sql("INSERT INTO hs.t (id, name) SELECT seq, 'x' FROM seq_1_to_10", database="hs")
    replies: dict[int, list[bytes]] = {}

    def work(number: int) -> None:
        with Client(server.port_wr) as client:
            client.open(table, ["id", "name"])
            client.open(table, ["name"], id=2)
            got: list[bytes] = []
            for i in range(60):
                order = range(1, 11) if number == 0 else range(10, 0, -1)
                requests = [line(1, "+", 2, 1000 + number * 1000 + i, "new")]
                requests += [line(2, "=", 1, key, 1, 0, "U", f"{number}{i}") for key in order]
                got += client.pipeline(requests)
            replies[number] = got

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(2):
        inserts = replies[number][::11]
        stored = {
            row[0]
            for row in server.sql(
                f"SELECT id FROM hs.t WHERE id BETWEEN {1000 + number * 1000} AND {1999 + number * 1000}"
            )
        }
        acknowledged = {1000 + number * 1000 + i for i, r in enumerate(inserts) if r == b"0\t1"}
        assert stored == acknowledged
        assert set(replies[number]) <= {b"0\t1", b"0\t1\t1", b"1\t1\t149", b"1\t1\t146"}
        assert len(acknowledged) == 60


def test_read_only_refuses_writes_and_serves_reads(
    server: PrivateServer, writer: Client, reader: Client, table: str
) -> None:
    server.sql("INSERT INTO hs.t (id, name) VALUES (1, 'a')")
    writer.open(table, ["id", "name"])
    reader.open(table, ["name"])
    server.sql("SET GLOBAL read_only = 1")
    try:
        assert writer.request(1, "+", 2, 2, "b") == b"1\t1\tlock_tables"
        assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"1\t1\tlock_tables"
        assert reader.find("=", [1]) == [(b"a",)]
    finally:
        server.sql("SET GLOBAL read_only = 0")
    assert writer.request(1, "+", 2, 2, "b") == b"0\t1"


def test_a_counter_leaves_the_range_of_bigint_with_an_error_on_a_lenient_server(
    server: PrivateServer, database: str
) -> None:
    with PrivateServer(variables={"sql_mode": ""}) as lenient:
        lenient.sql("CREATE DATABASE hs")
        lenient.sql(
            "CREATE TABLE hs.c (k INT PRIMARY KEY, b BIGINT, u BIGINT UNSIGNED, i INT, d DECIMAL(3))"
        )
        lenient.sql(
            "INSERT INTO hs.c VALUES"
            " (1, 9223372036854775807, 18446744073709551615, 2147483647, 999), (2, -9, 3, 5, 0)"
        )
        with Client(lenient.port_wr) as client:
            client.open("hs.c", ["b"], id=1)
            client.open("hs.c", ["u"], id=2)
            client.open("hs.c", ["i", "d"], id=3)
            before = lenient.sql("SELECT * FROM hs.c")
            for id, key, amount in [(1, 1, 1), (2, 1, 1), (1, 2, "-9223372036854775800"), (2, 2, -4)]:
                reply = client.request(id, "=", 1, key, 1, 0, "+", amount)
                assert reply.startswith(b"1\t1\tsql_1690 BIGINT"), (id, key, amount)
                column = "bu"[id - 1]
                with pytest.raises(Exception, match="1690"):
                    lenient.sql(f"UPDATE hs.c SET {column} = {column} + {amount} WHERE k = {key}")
            assert lenient.sql("SELECT * FROM hs.c") == before
            # Past the column's own range a lenient server clamps, as SQL does.
            assert client.request(3, "=", 1, 1, 1, 0, "+", 1, 1) == b"0\t1\t1"
            assert lenient.sql("SELECT i, d FROM hs.c WHERE k = 1") == [(2147483647, 999)]
