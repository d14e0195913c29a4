"""`+I`, `+U`, `+R`: inserts that meet rows that are there already, each beside the SQL statement that
does the same. Rows, row events, affected rows and ids must be SQL's."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

import gtids
import pytest
from hs_client import Client, Value, line, rows, wait_for_a_lock_wait
from on_mysql import CHECK_VIOLATED
from private_server import PrivateServer
from sql_twin import Twin

FORMS = ["+", "+I", "+U", "+U", "+R"]

# Columns of all: id, u and v; further ones are named in the list of what is opened.
TABLES: dict[str, tuple[list[str], list[str]]] = {
    "one key": (["CREATE TABLE t (id INT PRIMARY KEY, u INT, v VARCHAR(9))"], ["id", "u", "v"]),
    "several keys": (
        ["CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9), UNIQUE (v, u), KEY (v))"],
        ["id", "u", "v"],
    ),
    "no key": (["CREATE TABLE t (id INT, u INT, v VARCHAR(9), KEY (id))"], ["id", "u", "v"]),
    "times": (
        [
            "CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9),"
            " made TIMESTAMP DEFAULT CURRENT_TIMESTAMP, changed DATETIME DEFAULT '2001-02-03' ON UPDATE CURRENT_TIMESTAMP)"
        ],
        ["id", "u", "v"],
    ),
    "generated": (
        [
            "CREATE TABLE t (id INT PRIMARY KEY, u INT, v VARCHAR(9), s INT AS (u + 1) STORED,"
            " w INT AS (u * 2) VIRTUAL UNIQUE, x VARCHAR(20) AS (CONCAT(v, '!')) VIRTUAL, b BLOB AS (REPEAT(v, 3)) VIRTUAL)"
        ],
        ["id", "u", "v"],
    ),
    "constraints": (
        [
            "CREATE TABLE t (id INT PRIMARY KEY, u INT NOT NULL CHECK (u < 9), v VARCHAR(9),"
            " d INT NOT NULL DEFAULT (id + 1), CHECK (v <> 'c'))"
        ],
        ["id", "u", "v"],
    ),
    "a column without a default": (
        ["CREATE TABLE t (v VARCHAR(9), id INT PRIMARY KEY, u INT NOT NULL)"],
        ["v", "id", "u"],
    ),
    "a parent": (
        [
            "CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9))",
            "CREATE TABLE child (c INT PRIMARY KEY, id INT, FOREIGN KEY (id) REFERENCES t (id) ON DELETE CASCADE ON UPDATE CASCADE)",
            "CREATE TABLE other (c INT PRIMARY KEY, u INT, FOREIGN KEY (u) REFERENCES t (u) ON DELETE SET NULL ON UPDATE RESTRICT)",
            "INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')",
            "INSERT INTO child VALUES (1, 1), (2, 2), (3, 3)",
            "INSERT INTO other VALUES (1, 1), (2, 2)",
        ],
        ["id", "u", "v"],
    ),
    "a child": (
        [
            "CREATE TABLE parent (id INT PRIMARY KEY)",
            "INSERT INTO parent VALUES (0), (1), (2), (3)",
            "CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9), FOREIGN KEY (u) REFERENCES parent (id))",
        ],
        ["id", "u", "v"],
    ),
    "partitions by hash": (
        ["CREATE TABLE t (id INT, u INT, v VARCHAR(9), PRIMARY KEY (id, u)) PARTITION BY HASH (u) PARTITIONS 3"],
        ["id", "u", "v"],
    ),
    "partitions by range": (
        [
            "CREATE TABLE t (id INT, u INT, v VARCHAR(9), PRIMARY KEY (id)) PARTITION BY RANGE (id)"
            " (PARTITION a VALUES LESS THAN (3), PARTITION b VALUES LESS THAN (6))"
        ],
        ["id", "u", "v"],
    ),
    "history": (
        [
            "CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9), n INT WITHOUT SYSTEM VERSIONING) WITH SYSTEM VERSIONING"
        ],
        ["id", "u", "v", "n"],
    ),
    "a long unique column": (
        ["CREATE TABLE t (id INT PRIMARY KEY, u INT, v TEXT UNIQUE)"],
        ["id", "u", "v"],
    ),
    "a long unique column and another": (
        ["CREATE TABLE t (id INT, u INT UNIQUE, v BLOB UNIQUE, KEY (id))"],
        ["id", "u", "v"],
    ),
    "prefixes and collations": (
        ["CREATE TABLE t (id INT PRIMARY KEY, u INT, v VARCHAR(9) COLLATE utf8mb4_general_ci, UNIQUE (v(1)))"],
        ["id", "u", "v"],
    ),
    "blobs": (["CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v BLOB, c TEXT)"], ["id", "u", "v", "c"]),
    "full text": (
        ["CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v TEXT, FULLTEXT (v))"],
        ["id", "u", "v"],
    ),
    **{
        engine: ([f"CREATE TABLE t (id INT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9)) ENGINE={engine}"], ["id", "u", "v"])
        for engine in ("MyISAM", "Aria", "MEMORY")
    },
    **{
        f"history in {engine}": (
            [f"CREATE TABLE t (id INT PRIMARY KEY, u INT, v VARCHAR(9)) ENGINE={engine} WITH SYSTEM VERSIONING"],
            ["id", "u", "v"],
        )
        for engine in ("InnoDB", "MyISAM", "Aria")
    },
    "MyISAM and a long unique column": (
        ["CREATE TABLE t (id INT PRIMARY KEY, u INT, v TEXT UNIQUE) ENGINE=MyISAM"],
        ["id", "u", "v"],
    ),
    "partitions of Aria": (
        ["CREATE TABLE t (id INT PRIMARY KEY, u INT, v VARCHAR(9)) ENGINE=Aria PARTITION BY HASH (id) PARTITIONS 3"],
        ["id", "u", "v"],
    ),
}

COUNTED: dict[str, str] = {
    "InnoDB": "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9))",
    "in a secondary index": "CREATE TABLE t (u INT PRIMARY KEY, id INT AUTO_INCREMENT, v VARCHAR(9), UNIQUE (id), UNIQUE (v))",
    "partitions": "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT, v VARCHAR(9)) PARTITION BY HASH (id) PARTITIONS 3",
    "MyISAM": "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9)) ENGINE=MyISAM",
    "Aria": "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9)) ENGINE=Aria",
    "MEMORY": "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9)) ENGINE=MEMORY",
    "small": "CREATE TABLE t (id TINYINT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9)) AUTO_INCREMENT = 120",
    "history": "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, v VARCHAR(9)) WITH SYSTEM VERSIONING",
}


@pytest.fixture
def twin(server: PrivateServer) -> Iterator[Callable[[Sequence[str]], Twin]]:
    """Makes twins."""
    made: list[Twin] = []

    def make(statements: Sequence[str]) -> Twin:
        made.append(Twin(server, statements))
        return made[-1]

    yield make
    for one in made:
        one.close()
    for name in ("hs", "tw"):
        server.sql(f"DROP DATABASE IF EXISTS {name}")


def draw(rng: random.Random, column: str) -> Value:
    """A value that others often have, too."""
    if column in ("id", "u", "n"):
        return None if rng.random() < 0.05 else rng.randrange(7)
    return rng.choice(["a", "b", "c", "A", "", "abc", None])


def exercise(
    one: Twin, seed: str, requests: int, counted: bool = False, forms: Sequence[str] = FORMS
) -> None:
    """Random puts."""
    rng = random.Random(seed)

    def value(column: str) -> Value:
        if counted and column == "id" and rng.random() < 0.7:
            return rng.choice([None, 0])
        return draw(rng, column)

    for _ in range(requests):
        count = rng.randint(1, len(one.columns))
        values = [value(column) for column in one.columns[:count]]
        form = rng.choice(forms)
        updates = None
        if form == "+U" and rng.random() < 0.4:
            updates = [draw(rng, column) for column in one.columns[: rng.randint(0, len(one.columns))]]
        one.put(form, values, updates)


@pytest.mark.parametrize("kind", TABLES)
def test_what_is_stored_is_what_sql_stores(twin: Callable[[Sequence[str]], Twin], kind: str) -> None:
    statements, columns = TABLES[kind]
    one = twin(statements)
    one.open(columns, index="" if "PRIMARY" in statements[-1] + statements[0] else "0")
    exercise(one, kind, 300)
    one.assert_same("t", *(["child", "other"] if kind == "a parent" else []))


@pytest.mark.parametrize("mode", ["", "STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO"])
@pytest.mark.parametrize("kind", COUNTED)
def test_ids_are_generated_and_lost_as_in_sql(
    server: PrivateServer, twin: Callable[[Sequence[str]], Twin], kind: str, mode: str
) -> None:
    before = server.sql("SELECT @@GLOBAL.sql_mode")[0][0]
    if "ZERO" in mode:
        server.sql(f"SET GLOBAL sql_mode = '{mode}'")
    try:
        one = twin([COUNTED[kind]])
        one.zero_is_generated = "ZERO" not in mode
        one.open(["id", "u", "v"])
        # A 0 that is kept takes InnoDB's counter to 3, but only on a handle that has generated an id
        # before. Which one a statement of SQL gets depends on chance.
        one.put("+", [3, 6, None])
        exercise(one, kind, 200, counted=True)
        one.assert_same()
    finally:
        server.sql("SET GLOBAL sql_mode = %s", [before])


def test_an_ignored_insert_that_fires_triggers_takes_an_id_as_insert_ignore_does(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.log (u INT)")
    for name in ("port", "sql"):
        server.sql(f"CREATE TABLE hs.{name} (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE)")
        server.sql(f"CREATE TRIGGER hs.{name}_b BEFORE INSERT ON hs.{name} FOR EACH ROW INSERT INTO log VALUES (NEW.u)")
    writer.open("hs.port", ["u"])
    for u in (1, 1, 2, 2, 2, 3):
        assert writer.request(1, "+I", 1, u).startswith(b"0\t2\t")
        server.sql(f"INSERT IGNORE INTO hs.sql (u) VALUES ({u})")
    assert server.sql("SELECT * FROM hs.port") == server.sql("SELECT * FROM hs.sql") == [(1, 1), (3, 2), (6, 3)]
    assert server.sql("SELECT COUNT(*) FROM hs.log") == [(12,)]


@pytest.mark.parametrize("image", ["FULL", "MINIMAL", "NOBLOB"])
@pytest.mark.parametrize("kind", ["several keys", "times", "generated", "blobs", "history", "no key"])
def test_the_log_has_the_columns_that_sql_writes_there(
    server: PrivateServer, twin: Callable[[Sequence[str]], Twin], kind: str, image: str
) -> None:
    server.sql(f"SET GLOBAL binlog_row_image = {image}")
    try:
        statements, columns = TABLES[kind]
        with Client(server.port_wr) as idle:  # the threads take the setting when they open a table
            idle.request("H", 2)
        one = twin(statements)
        one.open(columns, index="" if "PRIMARY" in statements[0] else "0")
        # SQL's REPLACE logs too little then, and replicas differ.
        exercise(one, f"{kind} {image}", 100, forms=FORMS if image == "FULL" else FORMS[:-1])
        one.assert_same()
    finally:
        server.sql("SET GLOBAL binlog_row_image = DEFAULT")


@pytest.mark.parametrize("isolation", ["READ COMMITTED", "SERIALIZABLE"])
@pytest.mark.parametrize("kind", ["several keys", "a long unique column", "history", "partitions by hash"])
def test_other_isolation_levels_store_the_same(
    server: PrivateServer, twin: Callable[[Sequence[str]], Twin], kind: str, isolation: str
) -> None:
    server.sql(f"SET GLOBAL TRANSACTION ISOLATION LEVEL {isolation}")
    try:
        statements, columns = TABLES[kind]
        one = twin(statements)
        one.open(columns)
        exercise(one, f"{kind} {isolation}", 100)
        one.assert_same()
    finally:
        server.sql("SET GLOBAL tx_isolation = DEFAULT")


def test_an_upsert_of_the_same_values_fires_the_triggers_that_sql_fires(
    server: PrivateServer, twin: Callable[[Sequence[str]], Twin]
) -> None:
    one = twin(
        [
            "CREATE TABLE t (id INT PRIMARY KEY, u INT, changed DATETIME DEFAULT '2001-02-03' ON UPDATE CURRENT_TIMESTAMP)",
            "CREATE TABLE fired (n INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(99))",
            *(
                f"CREATE TRIGGER {time}_u {time} UPDATE ON t FOR EACH ROW"
                f" INSERT INTO fired (v) VALUES (CONCAT_WS(' ', '{time}', OLD.u, NEW.u, OLD.changed, NEW.changed))"
                for time in ("BEFORE", "AFTER")
            ),
            "INSERT INTO t (id, u) VALUES (1, 1), (2, 2)",
        ]
    )
    one.open(["id", "u"])
    for row, updates in (([1, 1], None), ([2, 5], [2, 2]), ([3, 3], None), ([1, 1], [1, 1])):
        one.put("+U", row, updates)
    one.assert_same("t", "fired")
    assert len(server.sql("SELECT * FROM hs.fired")) >= 3


def test_a_lenient_server_converts_as_sql_does(
    server: PrivateServer, twin: Callable[[Sequence[str]], Twin]
) -> None:
    before = server.sql("SELECT @@GLOBAL.sql_mode")[0][0]
    server.sql("SET GLOBAL sql_mode = ''")
    try:
        one = twin(["CREATE TABLE t (id INT PRIMARY KEY, u TINYINT NOT NULL, v VARCHAR(2))"])
        one.open(["id", "u", "v"])
        for form in ("+", "+U", "+R", "+I", "+U"):
            one.put(form, [1, 1000, "long"])
            one.put(form, ["2x", "x", "abc"])
            one.put(form, [3])
        one.put("+U", [1, 1, "a"], ["1", "300", "abc"])
        one.assert_same()
    finally:
        server.sql("SET GLOBAL sql_mode = %s", [before])


def test_a_table_whose_periods_may_not_overlap_is_refused_as_in_sql(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.p (id INT, a DATE, b DATE, PERIOD FOR p (a, b), UNIQUE (id, p WITHOUT OVERLAPS))"
    )
    writer.open("hs.p", ["id", "a", "b"], index="id")
    row = [3, 1, "2020-01-01", "2020-02-01"]
    for form in ("+U", "+R"):
        assert writer.request(1, form, *row).startswith(b"1\t1\tsql_1235 ")
    assert writer.request(1, "+I", *row) == b"0\t1\t1"
    assert writer.request(1, "+I", *row) == b"0\t1\t0"
    assert writer.request(1, "+I", 3, 1, "2020-01-15", "2020-03-01") == b"0\t1\t0"
    # What was refused leaves nothing behind in the session.
    assert writer.request(1, "+", 3, 2, "2020-01-01", "2020-02-01") == b"0\t1"
    assert writer.request(1, "+U", *row).startswith(b"1\t1\tsql_1235 ")
    server.sql("ALTER TABLE hs.p COMMENT 'closes it'")
    assert writer.request(1, "+", 3, 3, "2020-01-01", "2020-02-01") == b"0\t1"
    assert server.sql("SELECT COUNT(*) FROM hs.p") == [(3,)]


@pytest.mark.parametrize("kind", ["InnoDB", "MyISAM", "Aria", "MEMORY"])
def test_the_row_whose_period_overlaps_is_the_one_in_the_way(
    server: PrivateServer, writer: Client, database: str, kind: str
) -> None:
    # The second index is one whose place of a duplicate the server notes, and leaves behind.
    more = "w VARCHAR(9) UNIQUE" if kind in ("MEMORY", "Aria") else "w TEXT UNIQUE"
    server.sql(
        f"CREATE TABLE hs.p (id INT, a DATE, b DATE, v INT, {more}, PERIOD FOR p (a, b),"
        f" UNIQUE KEY id (id, p WITHOUT OVERLAPS) USING BTREE) ENGINE={kind}"
    )
    writer.open("hs.p", ["id", "a", "b", "v", "w"], index="id")
    rows_there = [(1, "2020-01-01", "2020-02-01", 10, "x"), (1, "2020-02-01", "2020-03-01", 11, "y"),
                  (1, "2020-05-01", "2020-06-01", 12, "z"), (2, "2020-01-01", "2020-09-01", 13, "o")]  # fmt: skip
    for row in rows_there:
        assert writer.request(1, "+", 5, *row) == b"0\t1"
    for id_, begins, ends, found in (
        (1, "2020-01-01", "2020-02-01", 0),
        (1, "2020-01-05", "2020-01-06", 0),
        (1, "2020-01-31", "2020-12-01", 0),
        (1, "2020-02-01", "2020-05-02", 1),
        (1, "2019-01-01", "2020-01-02", 0),
        (1, "2020-03-01", "2020-05-02", 2),
        (2, "2019-01-01", "2021-01-01", 3),
    ):
        for other in ("x", None):
            reply = writer.request(1, "+I?", 5, id_, begins, ends, 99, other)
            assert rows(reply) == [tuple(str(v).encode() for v in rows_there[found])], (begins, ends)
            assert writer.request(1, "+I", 5, id_, begins, ends, 99, other) == b"0\t1\t0"
    assert rows(writer.request(1, "+I?", 5, 3, "2020-01-01", "2020-02-01", 99, "z")) == [
        tuple(str(v).encode() for v in rows_there[2])
    ]
    assert rows(writer.request(1, "+I?", 5, 1, "2020-03-01", "2020-05-01", 14, "n")) == []
    assert server.sql("SELECT COUNT(*) FROM hs.p") == [(5,)]


def test_a_pipeline_of_puts_is_one_commit_and_each_sees_the_ones_before(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, u INT UNIQUE, v INT CHECK (v < 100))")
    writer.open("hs.t", ["id", "u", "v"])

    before = gtids.number(server)
    replies = writer.pipeline(
        [
            line(1, "+U", 3, 1, 1, 1),
            line(1, "+U", 3, 1, 1, 2),
            line(1, "+U", 3, 1, 1, 200),
            line(1, "+U", 3, 1, 1, 2),
            line(1, "+R", 3, 2, 1, 3),
            line(1, "+I", 3, 2, 5, 4),
            line(1, "+I", 3, 3, 1, 4),
            line(1, "+R", 3, 3, 3, 4),
            line(1, "+R", 3, 2, 3, 5),
            line(1, "+U", 3, 2, 3, 6),
        ]
    )
    assert replies[2].startswith(CHECK_VIOLATED)
    del replies[2]
    assert [reply[-1:] for reply in replies] == [b"1", b"2", b"0", b"2", b"0", b"0", b"1", b"3", b"2"]
    assert server.sql("SELECT * FROM hs.t") == [(2, 3, 6)]
    assert gtids.number(server) - before <= 2


def test_the_rows_before_and_after(server: PrivateServer, writer: Client, database: str) -> None:
    server.sql(
        "CREATE TABLE hs.t (id INT AUTO_INCREMENT PRIMARY KEY, k VARCHAR(9) UNIQUE, n INT DEFAULT 7,"
        " t TEXT DEFAULT 'text', s INT AS (n + 1) STORED, w INT AS (n * 2) VIRTUAL, c BLOB AS (CONCAT(k, t)) VIRTUAL,"
        " changed DATETIME DEFAULT '2001-01-01' ON UPDATE CURRENT_TIMESTAMP)"
    )
    columns = ["k", "n", "id", "t", "s", "w", "c", "changed"]
    writer.open("hs.t", columns)

    def stored(key: str) -> list[tuple[bytes | None, ...]]:
        found = server.sql(f"SELECT {', '.join(columns)} FROM hs.t WHERE k = '{key}'")
        return [tuple(None if v is None else str(v if not isinstance(v, bytes) else v.decode()).encode() for v in row) for row in found]

    first = rows(writer.request(1, "+!", 1, "a"))
    assert first == stored("a") == [(b"a", b"7", b"1", b"text", b"8", b"14", b"atext", b"2001-01-01 00:00:00")]
    assert rows(writer.request(1, "+I!", 2, "b", 1)) == stored("b") != []
    assert rows(writer.request(1, "+I!", 2, "b", 2)) == []
    assert rows(writer.request(1, "+I?", 2, "b", 2)) == stored("b")
    assert rows(writer.request(1, "+I?", 2, "c", 2)) == []
    # A row that stays as it is has its old time.
    assert rows(writer.request(1, "+U!", 2, "a", 7)) == first
    assert rows(writer.request(1, "=", 1, 1, 1, 0, "U!", "a", 7, 1, "text", None, None, None, "2001-01-01")) == first
    assert rows(writer.request(1, "+U?", 2, "a", 8)) == first
    second = stored("a")
    assert second != first and second[0][5:7] == (b"16", b"atext")
    assert rows(writer.request(1, "+U!", 4, "a", 9, None, "t" * 5000)) == stored("a")
    assert stored("a")[0][6] == b"a" + b"t" * 5000
    before = stored("a")
    assert rows(writer.request(1, "+R?", 2, "a", 1)) == before
    assert rows(writer.request(1, "+R!", 2, "a", 2)) == stored("a")
    server.sql("INSERT INTO hs.t (id, k) VALUES (100, 'x'), (101, 'y')")
    both = stored("x") + stored("y")
    assert sorted(rows(writer.request(1, "+R?", 3, "y", 5, 100))) == sorted(both)
    assert server.sql("SELECT COUNT(*) FROM hs.t WHERE id >= 100") == [(1,)]
    writer.open("hs.t", ["n", "id"], id=2)
    assert rows(writer.request(2, "=", 1, 100, 1, 0, "+!", 5, 0)) == [(b"10", b"100")]
    assert rows(writer.request(2, "=", 1, 100, 1, 0, "-!", 3, 0)) == [(b"7", b"100")]
    assert rows(writer.request(2, "=", 1, 100, 1, 0, "-!", 30, 0)) == [(b"7", b"100")]


@pytest.mark.parametrize("kind", ["one key", "history", "MyISAM", "partitions by range", "generated"])
def test_an_update_returns_what_a_find_finds_afterwards(
    server: PrivateServer, writer: Client, database: str, kind: str
) -> None:
    statements, columns = TABLES[kind]
    server.sql(statements[0].replace("TABLE t", "TABLE hs.t"))
    writer.open("hs.t", columns)
    writer.open("hs.t", columns[1:3], id=2)
    for id_ in range(5):
        assert writer.request(1, "+", 3, id_, id_ + 10, "x") == b"0\t1"
    for request in (
        (2, "=", 1, 3, 1, 0, "U!", 77, "new"),
        (2, "=", 1, 3, 1, 0, "U!", 77, "new"),
        (2, "=", 1, 3, 1, 0, "+!", 5, None),
        (2, "=", 1, 3, 1, 0, "-!", 5000, None),
        (2, "=", 1, 9, 1, 0, "U!", 78, "new"),
    ):
        reply = writer.request(*request)
        assert rows(reply) == writer.find("=", [request[3]], id=2), request
    reply = writer.request(2, ">=", 1, 3, 9, 0, "-!", 0, None)
    assert rows(reply) == writer.find(">=", [3], 9, id=2)


def test_a_row_that_another_session_has_is_waited_for_and_written_once(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT AUTO_INCREMENT PRIMARY KEY, u INT UNIQUE, n INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 1), (2, 2, 2)")
    writer.open("hs.t", ["u", "n", "id"])
    holder = server.connect(autocommit=False)
    with holder, holder.cursor() as sql:
        sql.execute("SELECT * FROM hs.t WHERE id = 2 FOR UPDATE")
        writer.send(
            line(1, "+U!", 2, 1, 10)
            + line(1, "+U!", 2, 2, 20)
            + line(1, "+R", 2, 2, 30)
            + line(1, "+I", 2, 2, 40)
            + line(1, "+U", 2, 3, 50)
        )
        wait_for_a_lock_wait(server)
        holder.rollback()
    replies = [writer.read_line() for _ in range(5)]
    assert replies[:2] == [b"0\t3\t1\t10\t1", b"0\t3\t2\t20\t2"]
    number, generated = replies[2].split(b"\t")[2:]
    assert number == b"2"
    assert replies[3] == b"0\t2\t0\t0"
    last = replies[4].split(b"\t")
    assert last[2] == b"1"
    assert server.sql("SELECT * FROM hs.t ORDER BY u") == [
        (1, 1, 10), (int(generated), 2, 30), (int(last[3]), 3, 50),
    ]


def test_they_count_as_inserts(server: PrivateServer, writer: Client, database: str) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, n INT)")
    writer.open("hs.t", ["id", "n"])

    def counted(name: str) -> int:
        return int(server.sql(f"SHOW GLOBAL STATUS LIKE 'Handlersocket_{name}'")[0][1])

    before = [counted("inserts"), counted("rows_changed")]
    for form in ("+", "+I", "+U", "+R", "+U", "+I", "+R"):
        writer.request(1, form, 2, 1, len(form) * 3 if form == "+U" else 1)
    # Added; not added; updated; replaced: two rows; and so on.
    assert [counted("inserts"), counted("rows_changed")] == [before[0] + 7, before[1] + 7]


def test_connections_that_upsert_the_same_rows_lose_no_update(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    """Each connection has a column of its own in ten rows that all of them upsert."""
    connections, keys, rounds = 100, 10, 20
    names = [f"c{n}" for n in range(connections)]
    server.sql("CREATE TABLE hs.t (k INT PRIMARY KEY, " + ", ".join(f"{n} INT" for n in names) + ")")
    clients = [connect(server.port_wr) for _ in names]
    for client, name in zip(clients, names):
        client.open("hs.t", ["k", name])
    for number in range(rounds):
        for client in clients:
            client.send(b"".join(line(1, "+U", 2, (key * 7) % keys, number) for key in range(keys)))
        for client in clients:
            for _ in range(keys):
                reply = client.read_line()
                assert reply in (b"0\t1\t1", b"0\t1\t2"), reply
    wanted = tuple([rounds - 1] * connections)
    assert [row[1:] for row in server.sql("SELECT * FROM hs.t")] == [wanted] * keys
