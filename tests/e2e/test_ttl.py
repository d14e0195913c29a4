"""Rows that expire, by the table's COMMENT."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
from hs_client import Client, line
from private_server import PrivateServer

NEVER = "NULL"
COLUMNS = {
    "DATETIME NULL": ("NOW() + INTERVAL 1 HOUR", "NOW() - INTERVAL 1 SECOND"),
    "DATETIME(6) NULL": ("NOW(6) + INTERVAL 1 HOUR", "NOW(6)"),
    "TIMESTAMP NULL": ("NOW() + INTERVAL 1 HOUR", "NOW() - INTERVAL 1 SECOND"),
    "TIMESTAMP(3) NULL": ("NOW(3) + INTERVAL 1 HOUR", "NOW(3) - INTERVAL 1 SECOND"),
    "INT UNSIGNED NULL": ("UNIX_TIMESTAMP() + 3600", "UNIX_TIMESTAMP()"),
    "BIGINT NULL": ("UNIX_TIMESTAMP() + 3600", "1"),
    "BIGINT UNSIGNED NULL": ("18446744073709551615", "UNIX_TIMESTAMP() - 1"),
}


@pytest.fixture(autouse=True)
def no_purge(server: PrivateServer) -> Iterator[None]:
    """Rows that have expired stay where they are."""
    server.sql("SET GLOBAL handlersocket_ttl_purge_rows = 0")
    yield
    server.sql("SET GLOBAL handlersocket_ttl_purge_rows = DEFAULT")


def create(server: PrivateServer, column: str = "DATETIME NULL", more: str = "") -> None:
    server.sql(
        f"CREATE TABLE hs.t (id INT PRIMARY KEY, a INT, v VARCHAR(10), e {column}, u INT NULL UNIQUE,"
        f" KEY a (a), KEY ae (a, e), KEY e (e){more}) COMMENT 'hs: ttl=e'"
    )


@pytest.mark.parametrize("column", COLUMNS)
def test_requests_find_what_they_would_if_the_expired_were_deleted(
    server: PrivateServer, database: str, connect: Callable[[int], Client], column: str
) -> None:
    draw = random.Random(column)
    create(server, column)
    later, over = COLUMNS[column]
    for key in range(60):
        when = draw.choice((later, over, NEVER))
        server.sql(f"INSERT INTO hs.t VALUES ({key}, {key % 4}, 'v{key}', {when}, {key})")
    # The twin has what is left, and no comment.
    server.sql("CREATE TABLE hs.twin LIKE hs.t")
    server.sql("ALTER TABLE hs.twin COMMENT = ''")
    now = "UNIX_TIMESTAMP()" if "INT" in column else "NOW(6)"
    server.sql(f"INSERT INTO hs.twin SELECT * FROM hs.t WHERE e IS NULL OR e > {now}")
    left = server.sql("SELECT COUNT(*) FROM hs.twin")[0][0]
    assert 20 < left < 55
    requests: list[tuple[object, ...]] = []
    for op in ("=", ">", ">=", "<", "<=", "=<"):
        for id_ in (1, 2, 3):
            for key in (0, 2, 30, 99):
                for tail in ((), (5,), (100,), (100, 3), (100, 0, "F", "=", 0, 2), (3, 1, "W", "<", 0, 3)):
                    requests.append((id_, op, 1, key, *tail))
                requests.append((id_, op, 1, key, 0, 0, "C"))
                requests.append((id_, op, 1, key, 0, 2, "F", ">", 0, 1, "C"))
    for letter in "@&":
        requests.append((1, "=", 1, 0, 100, 0, letter, 0, 4, 3, 4, 5, 6))
        requests.append((2, "=", 1, 0, 100, 1, letter, 0, 4, 3, 2, 1, 0))
        requests.append((3, "=", 1, 0, 2, 0, letter, 0, 2, 3, 2, "C"))
    changes: list[tuple[object, ...]] = [
        (1, ">=", 1, 10, 100, 0, "F", "=", 0, 1, "+", 0, 100, None),
        (5, "=", 1, 2, 100, 0, "U?", 2, "new"),
        (1, ">", 1, 20, 3, 2, "-?", 0, 1, None),
        (3, "=", 1, 3, 100, 5, "D?"),
        (1, "=", 1, 0, 9, 0, "@", 0, 4, 1, 2, 40, 41, "D"),
        (1, "<", 1, 60, 1, 3, "D?"),
    ]
    for port in (server.port, server.port_wr):
        answers = []
        for table in ("hs.t", "hs.twin"):
            client = connect(port)
            client.open(table, ["id", "a", "v"], id=1, filters=["a"])
            client.open(table, ["id", "a", "v"], index="a", id=2, filters=["a"])
            client.open(table, ["a", "id"], index="a", id=3, filters=["a"])
            client.open(table, ["a", "v"], index="a", id=5)
            sent = requests if port == server.port else requests + changes + requests
            answers.append(client.pipeline([line(*request) for request in sent]))
        for request, ours, twins in zip(sent, *answers, strict=True):
            assert ours == twins, request
    columns = "id, a, v, u"
    assert server.sql(
        f"SELECT {columns} FROM hs.t WHERE e IS NULL OR e > {now} ORDER BY id"
    ) == server.sql(f"SELECT {columns} FROM hs.twin ORDER BY id")


def test_a_count_by_a_covering_index_leaves_out_the_expired(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server)
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'v', IF(seq % 2, NULL, '2000-01-01'), NULL FROM hs.seq_1_to_100")
    client = connect(server.port)
    for index in ("a", "ae"):
        client.open("hs.t", ["a"], index=index)
        assert client.request(1, "=", 1, 1, 0, 0, "C") == b"0\t1\t50"
        assert len(client.find("=", [1], 1000)) == 50
    client.open("hs.t", ["id"], index="e")
    assert client.request(1, "<", 1, "2100-01-01", 0, 0, "C") == b"0\t1\t50"
    assert client.request(1, "=", 1, "2000-01-01", 0, 0, "C") == b"0\t1\t0"


def test_zero_and_what_is_below_never_expire(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    client = connect(server.port)
    for column, values in (("INT", (0, -1)), ("DATETIME", ("0000-00-00",)), ("TIMESTAMP", ("0000-00-00",))):
        server.sql(f"CREATE OR REPLACE TABLE hs.z (id INT PRIMARY KEY, e {column} NOT NULL) COMMENT 'hs: ttl=E'")
        connection = server.connect()
        with connection, connection.cursor() as sql:
            sql.execute("SET sql_mode = ''")
            for key, value in enumerate(values):
                sql.execute("INSERT INTO hs.z VALUES (%s, %s)", [key, value])
            connection.commit()
        client.open("hs.z", ["id"])
        assert len(client.find(">=", [0], 10)) == len(values)


def test_a_row_goes_at_its_moment(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server, "DATETIME(6) NULL")
    clients = [connect(server.port), connect(server.port_wr)]
    for client in clients:
        client.open("hs.t", ["id"])
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', NOW(6) + INTERVAL 300000 MICROSECOND, 1)")
    seen = 0
    while True:
        ((before,),) = server.sql("SELECT e <= NOW(6) FROM hs.t")
        found = [len(client.find("=", [1])) for client in clients]
        ((after,),) = server.sql("SELECT e <= NOW(6) FROM hs.t")
        if before:
            assert found == [0, 0]
            break
        if not after:
            assert found == [1, 1]
            seen += 1
    assert seen > 0


def test_a_datetime_is_in_the_global_time_zone(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server)
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', UTC_TIMESTAMP() + INTERVAL 1 HOUR, 1)")
    try:
        for zone, there in (("+00:00", 1), ("+02:00", 0), ("-02:00", 1)):
            server.sql(f"SET GLOBAL time_zone = '{zone}'")
            for port in (server.port, server.port_wr):
                with Client(port) as client:
                    client.open("hs.t", ["id"])
                    assert len(client.find("=", [1])) == there
    finally:
        server.sql("SET GLOBAL time_zone = 'SYSTEM'")


def test_a_generated_column_will_do(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    for kind in ("VIRTUAL", "STORED"):
        server.sql(
            "CREATE OR REPLACE TABLE hs.g (id INT PRIMARY KEY, made DATETIME,"
            f" e DATETIME AS (made + INTERVAL 1 DAY) {kind}) COMMENT 'hs: ttl=e'"
        )
        server.sql("INSERT INTO hs.g (id, made) VALUES (1, NOW() - INTERVAL 2 DAY), (2, NOW())")
        for port in (server.port, server.port_wr):
            client = connect(port)
            client.open("hs.g", ["id"])
            assert client.find(">=", [0], 9) == [(b"2",)]
        assert client.request(1, ">=", 1, 0, 9, 0, "D") == b"0\t1\t1"
        assert server.sql("SELECT id FROM hs.g") == [(1,)]


def test_a_changed_comment_holds_at_once(
    server: PrivateServer, database: str, connect: Callable[[int], Client]
) -> None:
    create(server)
    server.sql("ALTER TABLE hs.t ADD f DATETIME NULL")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', '2000-01-01', 1, NULL), (2, 1, 'v', NULL, 2, '2000-01-01')")
    clients = [connect(server.port), connect(server.port_wr)]
    for client in clients:
        client.open("hs.t", ["id"])
    for comment, found in (
        ("hs: ttl=e", [b"2"]),
        ("", [b"1", b"2"]),
        ("of users; hs: ttl=f sep=:", [b"1"]),
        ("hs: ttl=E", [b"2"]),
    ):
        server.sql(f"ALTER TABLE hs.t COMMENT '{comment}'")
        for client in clients:
            assert [row[0] for row in client.find(">=", [0], 9)] == found


@pytest.mark.parametrize(
    ("comment", "why"),
    [
        ("hs: ttl=x", "ttl=x is no column"),
        ("hs: ttl=v", "ttl=v is no DATETIME, TIMESTAMP or integer column"),
        ("hs: tll=e", "an unknown word in the comment: tll=e"),
        ("hs: ttl=", "a word without a value in the comment: ttl="),
        ("hs: ttl=e ttl=e", "a word that is there already in the comment: ttl=e"),
        ("hs: ttl = e", "a word without = in the comment: ttl"),
    ],
)
def test_a_comment_that_cannot_be_understood_is_an_error(
    server: PrivateServer, database: str, connect: Callable[[int], Client], comment: str, why: str
) -> None:
    create(server)
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', NULL, 1)")
    opened = connect(server.port)
    opened.open("hs.t", ["id"])
    server.sql(f"ALTER TABLE hs.t COMMENT '{comment}'")
    error = b"1\t1\ttable_comment " + why.encode()
    assert opened.request(1, "=", 1, 1) == error
    for port in (server.port, server.port_wr):
        assert connect(port).request("P", 1, "hs", "t", "PRIMARY", "id") == error
    server.sql("ALTER TABLE hs.t COMMENT 'hs: ttl=e'")
    assert opened.find("=", [1]) == [(b"1",)]


# --- what gives way ---


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
    file = server.sql("SHOW MASTER STATUS")[0][0]
    events = [event[2] for event in server.sql(f"SHOW BINLOG EVENTS IN '{file}'")]
    assert events.index("Delete_rows_v1") < events.index("Write_rows_v1")
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
        assert sorted(set(one)) == [b"0\t1", b"1\t1\t121"] and one.count(b"0\t1") == 1, (number, one)
    for client in clients:
        client.close()
    assert server.sql("SELECT COUNT(*), MIN(v), MAX(v) FROM hs.t") == [(20, "new", "new")]


# --- the purge ---


TABLE = "information_schema.HANDLERSOCKET_TTL"


def purge(server: PrivateServer, rate: object = "DEFAULT") -> None:
    server.sql(f"SET GLOBAL handlersocket_ttl_purge_rows = {rate}")


purged_before = 0  # of tables of earlier tests, which had the same name


def ttl_row(server: PrivateServer, columns: str = "*") -> tuple[object, ...]:
    columns = columns.replace("ROWS_PURGED", f"(ROWS_PURGED - {purged_before})")
    found = server.sql(f"SELECT {columns} FROM {TABLE} WHERE TABLE_SCHEMA = 'hs' AND TABLE_NAME = 't'")
    return found[0] if found else ()


def wait_for(server: PrivateServer, condition: str) -> None:
    """Until the table's row in HANDLERSOCKET_TTL is so."""
    while ttl_row(server, condition) != (1,):
        pass


def know(server: PrivateServer) -> None:
    """Lets the server know the table, before the purge is on."""
    global purged_before
    purged_before = 0
    open_once(server)
    ((purged_before,),) = [ttl_row(server, "ROWS_PURGED")]


def open_once(server: PrivateServer) -> None:
    with Client(server.port) as client:
        client.open("hs.t", ["id"])


@pytest.mark.parametrize("column", COLUMNS)
def test_the_purge_deletes_what_has_expired_and_nothing_else(
    server: PrivateServer, database: str, column: str
) -> None:
    create(server, column)
    later, over = COLUMNS[column]
    if "NULL" in column:
        server.sql(f"INSERT INTO hs.t SELECT seq, 1, 'v', NULL, seq FROM hs.seq_1_to_100")
    server.sql(f"INSERT INTO hs.t SELECT seq, 1, 'v', {later}, seq FROM hs.seq_101_to_200")
    server.sql(f"INSERT INTO hs.t SELECT seq, 1, 'v', {over}, seq FROM hs.seq_201_to_2200")
    know(server)
    purge(server)
    wait_for(server, "ROWS_PURGED = 2000 AND BEHIND_SECONDS = 0 AND LAST_ERROR IS NULL")
    assert server.sql("SELECT MIN(id), MAX(id), COUNT(*) FROM hs.t") == [(1, 200, 200)]
    assert ttl_row(server, "COLUMN_NAME, INDEX_NAME, LAST_ROUND IS NOT NULL") == ("e", "e", 1)


def test_tables_that_no_client_has_opened_are_found(database: str, server: PrivateServer) -> None:
    with PrivateServer(variables={"log_bin": "log"}) as own:
        own.sql("CREATE DATABASE `db-with ä`")
        own.sql(
            "CREATE TABLE `db-with ä`.`t$1` (id INT PRIMARY KEY, e INT, KEY (e)) COMMENT 'hs: ttl=e'"
        )
        own.sql("INSERT INTO `db-with ä`.`t$1` VALUES (1, 1), (2, NULL)")
        own.stop()
        own.start()
        while own.sql("SELECT id FROM `db-with ä`.`t$1`") != [(2,)]:
            pass


def test_without_an_index_the_purge_says_so(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("ALTER TABLE hs.t DROP KEY e")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', '2000-01-01', 1)")
    know(server)
    purge(server)
    wait_for(server, "INDEX_NAME IS NULL AND LAST_ERROR LIKE 'no index begins with%'")
    server.sql("ALTER TABLE hs.t ADD KEY later (e, id)")
    open_once(server)
    wait_for(server, "INDEX_NAME = 'later' AND ROWS_PURGED = 1")


def test_a_read_only_server_purges_nothing(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', '2000-01-01', 1)")
    server.sql("SET GLOBAL read_only = 1")
    try:
        know(server)
        purge(server)
        wait_for(server, "LAST_ERROR = 'the server is read-only'")
        assert server.sql("SELECT COUNT(*) FROM hs.t") == [(1,)]
    finally:
        server.sql("SET GLOBAL read_only = 0")
    wait_for(server, "ROWS_PURGED = 1")


def test_children_go_with_a_purged_row(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES hs.t (id) ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', '2000-01-01', 1), (2, 1, 'v', NULL, 2)")
    server.sql("INSERT INTO hs.child VALUES (1, 1), (2, 2)")
    know(server)
    purge(server)
    wait_for(server, "ROWS_PURGED = 1")
    assert server.sql("SELECT id FROM hs.child") == [(2,)]
    server.sql("DROP TABLE hs.child")


def test_rows_that_are_locked_are_left_for_later(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01', seq FROM hs.seq_1_to_10")
    connection = server.connect()
    with connection, connection.cursor() as sql:
        sql.execute("BEGIN")
        sql.execute("SELECT * FROM hs.t WHERE id = 5 FOR UPDATE")
        know(server)
        purge(server)
        wait_for(server, "ROWS_PURGED >= 4")
        assert server.sql("SELECT COUNT(*) FROM hs.t WHERE id = 5") == [(1,)]
        connection.rollback()
    wait_for(server, "ROWS_PURGED = 10")


def test_ddl_gets_through_while_rows_are_purged(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01', seq FROM hs.seq_1_to_20000")
    know(server)
    purge(server, 50000)
    for step in range(5):
        server.sql(f"ALTER TABLE hs.t ADD x{step} INT NULL")
    wait_for(server, "ROWS_PURGED = 20000")
    assert server.sql("SELECT COUNT(*) FROM hs.t") == [(0,)]


def test_the_purge_keeps_pace_with_what_expires(server: PrivateServer, database: str) -> None:
    """10,000 rows a second for two seconds, while clients insert more."""
    create(server, "DATETIME(3) NULL")
    server.sql(
        "INSERT INTO hs.t SELECT seq, 1, 'v', NOW(3) + INTERVAL 1000000 + 100 * seq MICROSECOND, seq"
        " FROM hs.seq_1_to_20000"
    )
    know(server)
    purge(server)
    late = 0
    while (left := server.sql("SELECT COUNT(*), COUNT(e <= NOW(3) - INTERVAL 1 SECOND OR NULL) FROM hs.t"))[0][0]:
        late = max(late, left[0][1])
    assert late < 5000  # a slow machine may lag, but it goes on
    assert ttl_row(server, "ROWS_PURGED") == (20000,)


def test_the_rate_is_a_bound(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01', seq FROM hs.seq_1_to_300")
    know(server)
    ((began,),) = server.sql("SELECT NOW(6)")
    purge(server, 100)
    wait_for(server, "ROWS_PURGED = 300")
    ((took,),) = server.sql("SELECT TIMESTAMPDIFF(MICROSECOND, %s, NOW(6))", [began])
    assert took > 1_000_000
    assert ttl_row(server, "BEHIND_SECONDS") == (0,)


def test_a_dropped_table_is_forgotten(server: PrivateServer, database: str) -> None:
    create(server)
    know(server)
    purge(server)
    wait_for(server, "LAST_ERROR IS NULL")
    server.sql("DROP TABLE hs.t")
    while ttl_row(server):
        pass


def test_a_comment_that_cannot_be_understood_is_shown(server: PrivateServer, database: str) -> None:
    create(server)
    know(server)
    server.sql("ALTER TABLE hs.t COMMENT 'hs: ttl=x'")
    purge(server)
    wait_for(server, "LAST_ERROR = 'ttl=x is no column'")
    server.sql("ALTER TABLE hs.t COMMENT 'hs: ttl=e'")
    wait_for(server, "COLUMN_NAME = 'e' AND LAST_ERROR IS NULL")
