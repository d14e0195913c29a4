"""Rows that expire and the front ends on MySQL, as far as they are made otherwise there: the purge, how names
are followed, and the configuration of the plugin that MySQL itself had."""

from __future__ import annotations

import select
from collections.abc import Iterator

import pytest
import server_files
from hs_client import Client, Value, status
from memcached_client import make_containers
from private_server import PrivateServer, free_port
from resp_client import Resp, message

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)

TABLE = "CREATE TABLE hs.t (id INT PRIMARY KEY, e DATETIME NULL, KEY (e)) COMMENT 'hs: ttl=e'"
KEYS = "SELECT id FROM hs.t ORDER BY id"


@pytest.fixture
def redis(database: str, resp_port: int) -> Iterator[Resp]:
    with Resp(resp_port) as client:
        yield client


def test_what_has_expired_is_deleted_with_its_children_and_is_in_the_log(
    server: PrivateServer, database: str
) -> None:
    """No client opens the table."""
    server.sql(TABLE)
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES hs.t (id) ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.t VALUES (1, NULL), (2, '2037-01-01'), (3, NULL)")
    server.sql("INSERT INTO hs.child VALUES (1, 1), (2, 2)")
    server.sql("UPDATE hs.t SET e = '2000-01-01' WHERE id = 1")
    server.sql("FLUSH BINARY LOGS")
    server.sql("UPDATE hs.t SET e = '2000-01-01' WHERE id = 3")
    while server.sql(KEYS) != [(2,)]:
        pass
    assert server.sql("SELECT id FROM hs.child") == [(2,)]


@pytest.mark.usefixtures("no_purge")
@pytest.mark.parametrize("request_", [("=", 1, 9, 1, 0, "U", 5), ("+U", 1, 9, 1, 5)])
def test_children_that_move_do_not_go_with_the_row_that_gives_way(
    server: PrivateServer, writer: Client, request_: tuple[Value, ...]
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, b TEXT, u INT UNIQUE, e INT, UNIQUE (b(9))) COMMENT 'hs: ttl=e'")
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, t INT,"
        " FOREIGN KEY (t) REFERENCES hs.t (id) ON UPDATE CASCADE ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.t VALUES (5, 'over', 5, 1), (9, 'there', 9, NULL)")
    server.sql("INSERT INTO hs.child VALUES (50, 5), (90, 9)")
    writer.open("hs.t", ["id"])
    assert writer.request(1, *request_) == (b"0\t1\t2" if request_[0] == "+U" else b"0\t1\t1")
    assert server.sql("SELECT * FROM hs.t") == [(5, "there", 9, None)]
    assert server.sql("SELECT * FROM hs.child") == [(90, 5)]


@pytest.mark.usefixtures("no_purge")
def test_of_the_rows_in_the_way_of_an_update_those_that_are_there_stay(server: PrivateServer, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, u INT UNIQUE, e INT) COMMENT 'hs: ttl=e'")
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, t INT,"
        " FOREIGN KEY (t) REFERENCES hs.t (id) ON UPDATE CASCADE ON DELETE CASCADE)"
    )
    server.sql("INSERT INTO hs.t VALUES (5, 5, 1), (6, 6, NULL), (9, 9, NULL)")
    server.sql("INSERT INTO hs.child VALUES (50, 5), (60, 6), (90, 9)")
    writer.open("hs.t", ["id", "u"])
    assert writer.request(1, "=", 1, 9, 1, 0, "U", 5, 6) == b"1\t1\t121"
    assert server.sql("SELECT t FROM hs.child ORDER BY id") == [(5,), (6,), (9,)]
    assert writer.request(1, "=", 1, 9, 1, 0, "U", 5, 5) == b"0\t1\t1"
    assert server.sql("SELECT * FROM hs.t ORDER BY id") == [(5, 5, None), (6, 6, None)]
    assert server.sql("SELECT * FROM hs.child ORDER BY id") == [(60, 6), (90, 5)]


@pytest.mark.usefixtures("no_purge")
@pytest.mark.parametrize(
    "request_",
    [("+", 3, 24, 2, 7), ("+R", 3, 24, 2, 7), ("+U", 3, 9, 2, 7), ("=", 1, 9, 1, 0, "U", 9, 2, 7)],
)
def test_a_parent_that_goes_with_the_row_in_the_way_is_none(
    server: PrivateServer, writer: Client, request_: tuple[Value, ...]
) -> None:
    """With REPLACE MySQL itself writes a row without its parent."""
    server.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, up INT, u INT UNIQUE, e INT,"
        " FOREIGN KEY (up) REFERENCES hs.t (id) ON DELETE CASCADE) COMMENT 'hs: ttl=e'"
    )
    rows = [(2, 4, None, None), (4, None, 7, 1), (9, None, None, None)]
    server.sql("INSERT INTO hs.t VALUES (4, NULL, 7, 1), (2, 4, NULL, NULL), (9, NULL, NULL, NULL)")
    writer.open("hs.t", ["id", "up", "u"])
    assert writer.request(1, *request_) == b"1\t1\t151"
    assert server.sql("SELECT * FROM hs.t ORDER BY id") == rows
    if request_[0] != "+R":
        return
    server.sql("ALTER TABLE hs.t COMMENT ''")
    assert writer.request(1, *request_) == b"1\t1\t151"
    assert server.sql("SELECT * FROM hs.t ORDER BY id") == rows


@pytest.mark.parametrize(("name", "off", "on"), [("handlersocket_ttl_purge_rows", "0", "DEFAULT"), ("read_only", "1", "0")])
def test_nothing_is_deleted_where_nothing_may_be(
    server: PrivateServer, redis: Resp, name: str, off: str, on: str
) -> None:
    """The thread that deletes also reads the containers. What it has read shows that it has been there."""
    server.sql(TABLE)
    make_containers(server)
    server.sql(f"SET GLOBAL {name} = {off}")
    try:
        with Client(server.port) as client:
            client.open("hs.t", ["id"])
        server.sql("INSERT INTO hs.t VALUES (1, '2000-01-01')")
        server.sql("CREATE TABLE hs.d (k INT PRIMARY KEY, v VARCHAR(9))")
        server.sql("INSERT INTO hs.d VALUES (1, 'one')")
        for container in ("first", "second"):
            server.sql(
                f"INSERT INTO innodb_memcache.containers VALUES ('{container}', 'hs', 'd', 'k', 'v', '0', '0', '0', 'PRIMARY')"
            )
            while redis("GET", f"@@{container}.1") != b"one":
                pass
        assert server.sql(KEYS) == [(1,)]
    finally:
        server.sql(f"SET GLOBAL {name} = {on}")
        server.sql("DROP DATABASE innodb_memcache")
    while redis("GET", "@@first.1") is not None:
        pass
    while server.sql(KEYS):
        pass


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE hs.t COMMENT 'hs: name=new'",
        "ALTER TABLE hs.t COMMENT 'hs: name=new', ALGORITHM = COPY",
        "ALTER TABLE hs.t COMMENT 'hs: name=new', RENAME hs.other",
        "CREATE TABLE hs.other COMMENT 'hs: name=new' AS SELECT 1 AS k, 2 AS v",
    ],
)
def test_a_new_name_is_known_when_its_statement_has_ended(
    server: PrivateServer, redis: Resp, statement: str
) -> None:
    server.sql("CREATE TABLE hs.t (k INT PRIMARY KEY, v INT) COMMENT 'hs: name=old'")
    server.sql("INSERT INTO hs.t VALUES (1, 2)")
    assert redis("GET", "old:1") == b"2"
    if statement.startswith("CREATE"):
        server.sql("DROP TABLE hs.t")
        statement = statement.replace("COMMENT", "(PRIMARY KEY (k)) COMMENT")
    server.sql(statement)
    assert redis("GET", "new:1") == b"2"
    assert redis("GET", "old:1") is None
    assert redis("SCAN", "0") == [b"0", [b"new:1"]]
    server.sql("DROP DATABASE hs")
    assert redis("GET", "new:1") is None
    assert redis("SCAN", "0") == [b"0", []]


def test_what_was_there_at_the_start_is_found_by_its_name() -> None:
    with PrivateServer(variables={"handlersocket_resp_port": (number := free_port())}) as own:
        own.make_database("hs")
        own.sql("CREATE TABLE hs.t (k INT PRIMARY KEY, v INT) COMMENT 'hs: name=known'")
        own.sql("INSERT INTO hs.t VALUES (1, 2)")
        own.restart()
        with Resp(number) as client:
            assert client("GET", "known:1") == b"2"
            own.sql("UNINSTALL PLUGIN handlersocket")
            own.sql("ALTER TABLE hs.t COMMENT 'hs: name=later'")
            own.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
        own.sql(f"SET GLOBAL handlersocket_resp_port = '{number}'")
        with Resp(number) as client:
            assert client("GET", "later:1") == b"2"
            assert client("GET", "known:1") is None


def test_a_key_of_a_table_that_ddl_has_for_itself_waits(
    server: PrivateServer, database: str, redis: Resp, resp_port: int
) -> None:
    """That the table has the key is not known yet: it was dropped and is made anew."""
    made = "CREATE TABLE hs.t (id INT PRIMARY KEY, v INT) COMMENT 'hs: name=made value=v'"
    server.sql(made)
    server.sql("DROP TABLE hs.t")
    with server.connect() as holder, server.connect() as ddl, holder.cursor() as cursor:
        cursor.execute("SELECT GET_LOCK('made', 100)")
        ddl._execute_command(3, f"{made} AS SELECT 1 AS id, GET_LOCK('made', 100) AS v")  # COM_QUERY
        while not server.sql(
            "SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = %s AND STATE = 'User lock'", (ddl.thread_id(),)
        ):
            pass
        before = status(server, "lock_waits")
        redis.socket.sendall(message("GET", "made:1"))
        while status(server, "lock_waits") == before:
            assert select.select([redis.socket], [], [], 0)[0] == []
        with Resp(resp_port) as other:
            assert other("PING") == "PONG"  # the wait holds up no other connection
        cursor.execute("SELECT RELEASE_LOCK('made')")
        assert redis.read() == b"1"
        ddl._read_query_result()
