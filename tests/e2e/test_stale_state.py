"""What is kept of a table while it stays open is never older than the table."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hs_client import Client, line
from on_mysql import CHECK_VIOLATED
from private_server import PrivateServer


def run(server: PrivateServer, *statements: str) -> None:
    """On one connection."""
    connection = server.connect()
    with connection, connection.cursor() as sql:
        sql.execute("CREATE DATABASE IF NOT EXISTS hs")
        sql.execute("USE hs")
        for statement in statements:
            sql.execute(statement)


@pytest.fixture(scope="module")
def single() -> Iterator[PrivateServer]:
    """A server with one thread on each port: connections share its session and its tables."""
    with PrivateServer(
        variables={"handlersocket_threads": 1, "handlersocket_threads_wr": 1, "log_bin": "log"}
    ) as running:
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture(autouse=True)
def database(single: PrivateServer) -> None:
    run(
        single,
        "SET foreign_key_checks = 0",
        "CREATE OR REPLACE DATABASE hs CHARACTER SET utf8mb4",
    )


@pytest.fixture
def reader(single: PrivateServer) -> Iterator[Client]:
    with Client(single.port) as client:
        yield client


@pytest.fixture
def writer(single: PrivateServer) -> Iterator[Client]:
    with Client(single.port_wr) as client:
        yield client


@contextmanager
def hot(
    server: PrivateServer, table: str, columns: str = "id", index: str = "PRIMARY"
) -> Iterator[None]:
    """Requests that change nothing flow on both ports, so that the index is open all the time. Other
    connections that open the same index share its cursor."""
    stop = threading.Event()
    answers = [0, 0]

    def ask(number: int, port: int, request: bytes) -> None:
        with Client(port) as client:
            while client.request("P", 9, *table.split("."), index, columns) != b"0\t1":
                pass  # the table may be away for a moment
            while not stop.is_set():
                client.pipeline([request] * 10)
                answers[number] += 1

    no_row = line(9, "=", 1, 1_000_000)
    threads = [
        threading.Thread(target=ask, args=(0, server.port, no_row)),
        threading.Thread(target=ask, args=(1, server.port_wr, no_row[:-1] + b"\t1\t0\tD\n")),
    ]
    for thread in threads:
        thread.start()
    try:
        while min(answers) < 2:
            pass
        yield
        seen = list(answers)
        while answers[0] < seen[0] + 2 or answers[1] < seen[1] + 2:
            pass
    finally:
        stop.set()
        for thread in threads:
            thread.join()


FINAL = ("MyISAM", "Aria", "MEMORY")  # engines whose changes cannot be rolled back


# --- tables that are opened after a change in the same batch ---


@pytest.mark.parametrize("engine", FINAL)
def test_an_open_that_fails_behind_a_final_change_leaves_no_cursor(
    single: PrivateServer, writer: Client, engine: str
) -> None:
    single.sql(f"CREATE TABLE hs.f (id INT PRIMARY KEY) ENGINE={engine}")
    single.sql("CREATE TABLE hs.i (id INT PRIMARY KEY, a INT)")
    writer.open("hs.f", ["id"], id=0)
    unknown = line("P", 1, "hs", "i", "PRIMARY", "id,nosuch")
    replies = writer.pipeline(
        [line(0, "+", 1, 1), unknown, unknown, line(1, "=", 1, 1), line(0, "=", 1, 1)]
    )
    assert replies == [b"0\t1", b"2\t1\tfld", b"2\t1\tfld", b"2\t1\tstmtnum", b"0\t1\t1"]


@pytest.mark.parametrize("engine", FINAL)
def test_an_index_that_lost_a_column_fails_each_request_behind_a_final_change(
    single: PrivateServer, writer: Client, engine: str
) -> None:
    single.sql(f"CREATE TABLE hs.f (id INT PRIMARY KEY) ENGINE={engine}")
    single.sql("CREATE TABLE hs.i (id INT PRIMARY KEY, a INT, b INT)")
    single.sql("INSERT INTO hs.i VALUES (1, 1, 1)")
    writer.open("hs.f", ["id"], id=0)
    writer.open("hs.i", ["a", "b"], id=1)
    single.sql("ALTER TABLE hs.i DROP COLUMN b")
    update = line(1, "=", 1, 1, 1, 0, "U", 2, 2)
    assert writer.pipeline([line(0, "+", 1, 1), update, update]) == [b"0\t1"] + [b"2\t1\tfld"] * 2
    single.sql("ALTER TABLE hs.i ADD COLUMN b INT")
    assert writer.pipeline([line(0, "+", 1, 2), update]) == [b"0\t1", b"0\t1\t1"]
    assert single.sql("SELECT a, b FROM hs.i") == [(2, 2)]


@pytest.mark.parametrize("engine", FINAL)
def test_a_locked_table_is_waited_for_behind_a_final_change(
    single: PrivateServer, writer: Client, engine: str
) -> None:
    single.sql(f"CREATE TABLE hs.f (id INT PRIMARY KEY) ENGINE={engine}")
    single.sql("CREATE TABLE hs.i (id INT PRIMARY KEY, a INT)")
    writer.open("hs.f", ["id"], id=0)
    writer.open("hs.i", ["id", "a"], id=1)
    connection = single.connect(database="hs")
    with connection, connection.cursor() as sql:
        sql.execute("LOCK TABLES i WRITE")
        writer.send(line(0, "+", 1, 1) + line(1, "+", 2, 1, 1))
        # The request that waits for the other table holds no lock of this one.
        while not single.sql("SELECT * FROM hs.f"):
            pass
        single.sql("SET STATEMENT lock_wait_timeout=20 FOR ALTER TABLE hs.f COMMENT 'changed'")
        sql.execute("UNLOCK TABLES")
    assert [writer.read_line(), writer.read_line()] == [b"0\t1", b"0\t1"]
    assert single.sql("SELECT * FROM hs.i") == [(1, 1)]


# --- tables that are opened after a read in the same batch ---


@pytest.mark.parametrize("change", ["ALTER TABLE hs.b FORCE", "TRUNCATE TABLE hs.b"])
def test_a_table_that_was_rebuilt_while_a_batch_ran_is_read_as_it_is_now(
    single: PrivateServer, reader: Client, change: str
) -> None:
    single.sql("CREATE TABLE hs.a (id INT PRIMARY KEY, v INT NOT NULL DEFAULT 0)")
    single.sql("INSERT INTO hs.a (id) SELECT seq FROM seq_1_to_100000", database="hs")
    single.sql("CREATE TABLE hs.b (id INT PRIMARY KEY, v INT)")
    single.sql("INSERT INTO hs.b VALUES (1, 1)")
    reader.open("hs.a", ["id"], id=1, filters=["v"])
    reader.open("hs.b", ["id"], id=2)
    single.sql("FLUSH TABLES")  # the thread has no table open
    query = "SHOW GLOBAL STATUS LIKE 'Handlersocket_handovers'"
    connection = single.connect()
    with connection, connection.cursor() as sql:
        sql.execute(query)
        before = sql.fetchall()
        filters = ["F", ">=", 0, 0] * 99 + ["F", "=", 0, 1]
        reader.send(line(1, ">=", 1, 0, 1, 0, *filters) + line(2, "=", 1, 1))
        sql.execute(query)
        while sql.fetchall() == before:  # the scan has not begun
            sql.execute(query)
        sql.execute(change)
    assert reader.read_line() == b"0\t1"
    assert reader.read_line() in (b"0\t1\t1", b"0\t1")  # before or after it, but served


# --- foreign keys: adding one asks for no lock of the parent ---

PARENT = "CREATE TABLE hs.p (id INT PRIMARY KEY, a INT NOT NULL UNIQUE)"
CHILD = (
    "CREATE TABLE hs.c (id INT PRIMARY KEY, pa INT UNIQUE, v INT AS (pa * 2) VIRTUAL, KEY (v){})"
)
CASCADE = "FOREIGN KEY (pa) REFERENCES hs.p (a) ON DELETE CASCADE ON UPDATE CASCADE"
ROWS = "INSERT INTO hs.{} SELECT seq, seq * 10 FROM seq_1_to_5"
CHILD_ROWS = ROWS.format("c (id, pa)")
NO_CHECKS = "SET STATEMENT foreign_key_checks = 0 FOR "


def children(server: PrivateServer, table: str = "c") -> list[tuple[object, ...]]:
    return server.sql(f"SELECT id, pa, v FROM hs.{table} FORCE INDEX (v) WHERE v > 0 ORDER BY v")


ADDED = {
    "created with it": [CHILD.format(", " + CASCADE), CHILD_ROWS],
    "added by ALTER": [CHILD.format(""), CHILD_ROWS, f"ALTER TABLE c ADD {CASCADE}"],
    "added without checks": [
        CHILD.format(""),
        CHILD_ROWS,
        f"{NO_CHECKS} ALTER TABLE c ADD {CASCADE}, ALGORITHM=INPLACE",
    ],
    "changed from RESTRICT": [
        CHILD.format(", CONSTRAINT r FOREIGN KEY (pa) REFERENCES hs.p (a)"),
        CHILD_ROWS,
        f"ALTER TABLE c DROP FOREIGN KEY r, ADD {CASCADE}",
    ],
    "of a renamed child": [
        CHILD.format(", " + CASCADE),
        CHILD_ROWS,
        "RENAME TABLE c TO d, d TO c",
    ],
    "of a child that changes then": [
        CHILD.format(", " + CASCADE).replace("v INT AS (pa * 2) VIRTUAL", "v INT"),
        CHILD_ROWS,
        "ALTER TABLE c DROP v, ADD v INT AS (pa * 2) VIRTUAL, ADD KEY (v)",
        "ALTER TABLE c ADD SYSTEM VERSIONING",
    ],
    "beside another child": [
        CHILD.format(", " + CASCADE).replace("hs.c", "hs.first"),
        ROWS.format("first (id, pa)"),
        CHILD.format(", " + CASCADE),
        CHILD_ROWS,
    ],
}


@pytest.mark.parametrize("how", ADDED)
def test_a_foreign_key_that_is_added_to_a_parent_that_is_kept_open_cascades(
    single: PrivateServer, writer: Client, how: str
) -> None:
    run(single, PARENT, ROWS.format("p"))
    writer.open("hs.p", ["a"], index="a")
    with hot(single, "hs.p", "a", "a"):
        run(single, *ADDED[how])
        assert writer.request(1, "=", 1, 10, 1, 0, "D") == b"0\t1\t1"
        assert writer.request(1, "=", 1, 20, 1, 0, "U", 21) == b"0\t1\t1"
        assert writer.request(1, ">=", 1, 40, 9, 0, "D") == b"0\t1\t2"
    assert children(single) == [(2, 21, 42), (3, 30, 60)]


def test_a_grandchild_that_is_added_to_an_open_child_is_reached(
    single: PrivateServer, writer: Client
) -> None:
    run(single, PARENT, ROWS.format("p"), CHILD.format(", " + CASCADE), CHILD_ROWS)
    writer.open("hs.p", ["a"], index="a")
    with hot(single, "hs.p", "a", "a"):
        assert writer.request(1, "=", 1, 50, 1, 0, "D") == b"0\t1\t1"
        grandchild = CHILD.format(", " + CASCADE.replace("hs.p (a)", "hs.c (pa)"))
        run(single, grandchild.replace("hs.c (id", "hs.g (id"))
        run(single, "INSERT INTO hs.g (id, pa) SELECT id, pa FROM hs.c")
        assert writer.request(1, "=", 1, 10, 1, 0, "D") == b"0\t1\t1"
        assert writer.request(1, "=", 1, 20, 1, 0, "U", 21) == b"0\t1\t1"
    for table in ("c", "g"):
        assert children(single, table) == [(2, 21, 42), (3, 30, 60), (4, 40, 80)]


def test_requests_of_one_batch_before_a_new_foreign_key_is_met_are_kept(
    single: PrivateServer, writer: Client
) -> None:
    run(single, PARENT, ROWS.format("p"), "CREATE TABLE hs.o (id INT PRIMARY KEY)")
    writer.open("hs.p", ["a"], index="a")
    writer.open("hs.o", ["id"], id=2)
    with hot(single, "hs.p", "a", "a"), hot(single, "hs.o"):
        run(single, CHILD.format(", " + CASCADE), CHILD_ROWS)
        assert writer.pipeline(
            [line(2, "+", 1, 1), line(1, "=", 1, 10, 1, 0, "D"), line(2, "+", 1, 1)]
        ) == [b"0\t1", b"0\t1\t1", b"1\t1\t121"]
    assert single.sql("SELECT * FROM hs.o") == [(1,)]
    assert [row[0] for row in children(single)] == [2, 3, 4, 5]


def test_a_child_that_is_renamed_again_and_again_fails_no_change_of_its_parent(
    single: PrivateServer, writer: Client
) -> None:
    single.sql("CREATE OR REPLACE TABLE hs.renamed_parent (id INT PRIMARY KEY, a INT UNIQUE)")
    single.sql("INSERT INTO hs.renamed_parent VALUES (1, 1)")
    single.sql(
        "CREATE TABLE hs.renamed_child (id INT PRIMARY KEY, pa INT,"
        " FOREIGN KEY (pa) REFERENCES renamed_parent (a) ON UPDATE CASCADE)"
    )
    single.sql("INSERT INTO hs.renamed_child VALUES (1, 1)")
    writer.open("hs.renamed_parent", ["a"], id=7)
    ends = threading.Event()

    def rename() -> None:
        there = "RENAME TABLE hs.renamed_child TO hs.renamed"
        with single.connect() as connection, connection.cursor() as cursor:
            while not ends.is_set():
                cursor.execute(f"{there}, hs.renamed TO hs.renamed_child")

    renames = threading.Thread(target=rename)
    renames.start()
    try:
        for value in range(2, 302):
            assert writer.request(7, "=", 1, 1, 1, 0, "U", value) == b"0\t1\t1"
    finally:
        ends.set()
        renames.join()
    assert single.sql("SELECT pa FROM hs.renamed_child") == [(301,)]
    single.sql("DROP TABLE hs.renamed_child, hs.renamed_parent")


def test_a_foreign_key_that_is_gone_is_forgotten(single: PrivateServer, writer: Client) -> None:
    key = ", CONSTRAINT k " + CASCADE
    run(single, PARENT, ROWS.format("p"), CHILD.format(key), CHILD_ROWS)
    writer.open("hs.p", ["a"], index="a")
    with hot(single, "hs.p", "a", "a"):
        run(single, "ALTER TABLE c DROP FOREIGN KEY k")
        assert writer.request(1, "=", 1, 10, 1, 0, "D") == b"0\t1\t1"
        run(single, "DROP TABLE c")
        assert writer.request(1, "=", 1, 20, 1, 0, "D") == b"0\t1\t1"
    assert single.sql("SELECT a FROM hs.p ORDER BY a") == [(30,), (40,), (50,)]


def test_a_parent_that_comes_after_its_child_or_anew_knows_it(
    single: PrivateServer, writer: Client
) -> None:
    run(single, NO_CHECKS + CHILD.format(", " + CASCADE), NO_CHECKS + CHILD_ROWS)
    run(single, PARENT, ROWS.format("p"))
    writer.open("hs.p", ["a"], index="a")
    with hot(single, "hs.p", "a", "a"):
        assert writer.request(1, "=", 1, 10, 1, 0, "D") == b"0\t1\t1"
        run(single, "SET foreign_key_checks = 0", "DROP TABLE p", PARENT, ROWS.format("p"))
        assert writer.request(1, "=", 1, 20, 1, 0, "D") == b"0\t1\t1"
    assert [row[0] for row in children(single)] == [3, 4, 5]


def test_a_child_that_is_kept_open_obeys_a_foreign_key_that_is_added_to_it(
    single: PrivateServer, writer: Client
) -> None:
    run(single, PARENT, ROWS.format("p"), CHILD.format(""))
    writer.open("hs.c", ["id", "pa"])
    with hot(single, "hs.c", "id,pa"):
        assert writer.request(1, "+", 2, 1, 11) == b"0\t1"
        run(single, f"{NO_CHECKS} ALTER TABLE c ADD CONSTRAINT k {CASCADE}, ALGORITHM=INPLACE")
        assert writer.request(1, "+", 2, 2, 12) == b"1\t1\t151"
        run(single, "SET foreign_key_checks = 0", "DROP TABLE p")
        assert writer.request(1, "+", 2, 3, 13) == b"1\t1\t151"
        run(single, PARENT, ROWS.format("p"))
        assert writer.request(1, "+", 2, 4, 20) == b"0\t1"
        run(single, "ALTER TABLE c DROP FOREIGN KEY k")
        assert writer.request(1, "+", 2, 5, 15) == b"0\t1"
    assert single.sql("SELECT id FROM hs.c ORDER BY id") == [(1,), (4,), (5,)]


# --- everything else that is looked up when a table is opened ---


def test_what_a_table_has_become_counts_for_the_next_request(
    single: PrivateServer, writer: Client
) -> None:
    run(single, "CREATE TABLE hs.t (id INT PRIMARY KEY, v INT, KEY v (v))", "CREATE SEQUENCE s")
    writer.open("hs.t", ["id", "v"])
    added, refused = b"0\t1", b"1\t1\tunsupported_table"
    no_partition, out_of_range, gone = b"1\t1\t160", b"1\t1\tsql_1264", b"1\t1\topen_table"
    steps = [
        ("CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SIGNAL SQLSTATE '45000'", b"1\t1\tsql_1644"),
        ("DROP TRIGGER r", added),
        ("ALTER TABLE t ADD CONSTRAINT k CHECK (v > 100)", CHECK_VIOLATED),
        ("ALTER TABLE t DROP CONSTRAINT k", added),
        ("ALTER TABLE t ENGINE=MyISAM", added),
        ("ALTER TABLE t ENGINE=MEMORY", added),
        ("ALTER TABLE t ENGINE=Aria", added),
        ("ALTER TABLE t ENGINE=InnoDB", added),
        ("ALTER TABLE t PARTITION BY HASH (id) PARTITIONS 3", added),
        ("ALTER TABLE t PARTITION BY RANGE (id) (PARTITION a VALUES LESS THAN (9))", no_partition),
        ("ALTER TABLE t ADD PARTITION (PARTITION b VALUES LESS THAN MAXVALUE)", added),
        ("ALTER TABLE t REMOVE PARTITIONING", added),
        ("ALTER TABLE t ADD SYSTEM VERSIONING", added),
        ("ALTER TABLE t PARTITION BY SYSTEM_TIME LIMIT 100", refused),
        ("ALTER TABLE t REMOVE PARTITIONING", added),
        ("ALTER TABLE t DROP SYSTEM VERSIONING", added),
        ("ALTER TABLE t ADD n INT DEFAULT NEXTVAL(s)", refused),
        ("ALTER TABLE t ALTER n SET DEFAULT (id + v)", added),
        ("ALTER TABLE t ADD u VARCHAR(100) DEFAULT (CURRENT_USER())", refused),
        ("ALTER TABLE t DROP u", added),
        ("ALTER TABLE t ADD g INT AS (v * 2) VIRTUAL, ADD INDEX (g)", added),
        ("ALTER TABLE t MODIFY v TINYINT", out_of_range),
        ("ALTER TABLE t MODIFY v VARCHAR(10) CHARACTER SET latin1", added),
        ("ALTER TABLE t ADD UNIQUE (id, v)", added),
        ("SET GLOBAL read_only = 1", b"1\t1\tlock_tables"),
        ("SET GLOBAL read_only = 0", added),
        ("DROP TABLE t", gone),
        ("CREATE TABLE t (id INT PRIMARY KEY)", b"2\t1\tfld"),
        ("RENAME TABLE t TO away", gone),
        ("CREATE VIEW t AS SELECT * FROM away", gone),
        ("DROP VIEW t", gone),
        ("CREATE TABLE t (v INT, id INT PRIMARY KEY)", added),
    ]
    is_there = True
    with hot(single, "hs.t", "id,v"):
        for number, (statement, outcome) in enumerate(steps):
            # Each finds the table empty.
            run(single, "DELETE FROM t" if is_there else "DO 0", statement)
            value = 1 if outcome != out_of_range else 1000
            reply = writer.request(1, "+", 2, number + 10, value)
            assert reply.split(b" ")[0] == outcome, (statement, reply)
            is_there = outcome != gone
    assert single.sql("SELECT v FROM hs.t") == [(1,)]


SETTINGS = [
    # A setting, what makes it visible in an insert of v = 300, and the reply.
    ("sql_mode", "", b"0\t1"),
    ("sql_mode", "STRICT_ALL_TABLES", b"1\t1\tsql_1264"),
]


@pytest.mark.parametrize("setting, value, reply", SETTINGS)
def test_a_setting_counts_for_the_next_request_of_a_table_that_is_kept_open(
    single: PrivateServer, writer: Client, setting: str, value: str, reply: bytes
) -> None:
    run(single, "CREATE TABLE hs.t (id INT PRIMARY KEY, v TINYINT)")
    writer.open("hs.t", ["id", "v"])
    ((before,),) = single.sql(f"SELECT @@GLOBAL.{setting}")
    try:
        with hot(single, "hs.t", "id,v"):
            single.sql(f"SET GLOBAL {setting} = %s", [value])
            assert writer.request(1, "+", 2, 1, 300).split(b" ")[0] == reply
    finally:
        single.sql(f"SET GLOBAL {setting} = %s", [before])


# --- expressions whose value depends on the client ---

ASKS_FOR_CLIENT = [
    "CURRENT_USER()",
    "USER()",
    "SESSION_USER()",
    "SYSTEM_USER()",
    "CURRENT_ROLE()",
    "DATABASE()",
    "CONNECTION_ID()",
    "@@sql_mode",
    "@variable",
    "CONCAT('by ', LOWER(USER()))",
    "CASE WHEN a = 1 AND NOT USER() = 'x' THEN 1 END",
    "(a, USER()) = (1, 'x')",
    "a BETWEEN 1 AND CONNECTION_ID()",
]


@pytest.mark.parametrize("expression", ASKS_FOR_CLIENT)
def test_a_table_with_an_expression_that_depends_on_the_client_is_not_written(
    single: PrivateServer, reader: Client, writer: Client, expression: str
) -> None:
    requests = [("PRIMARY", "id"), ("PRIMARY", "id,d"), ("PRIMARY", "id", "d")]
    opens = [line("P", 1, "hs", "t", *names) for names in requests]
    refused = b"1\t1\tunsupported_table"
    run(single, f"CREATE TABLE t (id INT PRIMARY KEY, a INT, d VARCHAR(99) DEFAULT ({expression}))")
    assert writer.pipeline(opens) == [refused] * 3
    assert reader.pipeline(opens) == [b"0\t1"] * 3
    run(single, "DROP TABLE t")
    run(single, f"CREATE TABLE t (id INT PRIMARY KEY, a INT, d VARCHAR(99) AS ({expression}))")
    assert writer.pipeline(opens) == [refused] * 3
    assert reader.pipeline(opens) == [b"0\t1", refused, refused]
    run(single, "ALTER TABLE t ADD e VARCHAR(99) AS (CONCAT(d, '!'))")
    assert reader.request("P", 1, "hs", "t", "PRIMARY", "id,e") == refused


def test_expressions_that_depend_on_global_settings_or_chance_are_served(
    single: PrivateServer, reader: Client, writer: Client
) -> None:
    run(
        single,
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(30) DEFAULT (DAYNAME('2020-01-01')),"
        " b VARCHAR(30) AS (FROM_UNIXTIME(id)), c INT DEFAULT (RAND() * 0), d UUID DEFAULT UUID())",
    )
    writer.open("hs.t", ["id"])
    assert writer.request(1, "+", 1, 1) == b"0\t1"
    reader.open("hs.t", ["a", "b", "c"])
    assert reader.find("=", [1]) == [
        tuple(str(value).encode() for value in single.sql("SELECT a, b, c FROM hs.t")[0])
    ]


# --- a wait that fails and ends the transaction ---


def test_a_request_that_waits_in_vain_waits_once_if_innodb_rolls_back_all_of_it() -> None:
    variables = {
        "handlersocket_threads_wr": 1,
        "innodb_rollback_on_timeout": 1,
        "innodb_lock_wait_timeout": 1,
        "log_bin": "log",
    }
    with PrivateServer(variables=variables) as server:
        run(server, "CREATE TABLE t (id INT PRIMARY KEY, v INT)", "INSERT INTO t VALUES (1, 1)")
        connection = server.connect(database="hs", autocommit=False)
        with connection, connection.cursor() as sql, Client(server.port_wr) as client:
            client.open("hs.t", ["id", "v"])
            sql.execute("UPDATE t SET v = 2 WHERE id = 1")
            waits = "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_waits'"
            before = int(server.sql(waits)[0][1])
            blocked = line(1, "=", 1, 1, 1, 0, "U", 1, 3)
            assert client.pipeline([blocked]) == [b"1\t1\t146"]
            assert int(server.sql(waits)[0][1]) == before + 1
            replies = client.pipeline([line(1, "+", 2, 2, 2), blocked, line(1, "+", 2, 3, 3)])
            assert replies == [b"0\t1", b"1\t1\t146", b"0\t1"]
            connection.rollback()
            assert client.pipeline([blocked]) == [b"0\t1\t1"]
        assert server.sql("SELECT * FROM hs.t") == [(1, 3), (2, 2), (3, 3)]
