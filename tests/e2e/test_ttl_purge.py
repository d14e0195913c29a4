"""The purge of rows that have expired."""

from __future__ import annotations

import pytest
from hs_client import Client, sql_holds
from private_server import PrivateServer
from ttl_tables import COLUMNS, create

pytestmark = pytest.mark.usefixtures("no_purge")

TABLE = "information_schema.HANDLERSOCKET_TTL"

purged_before = 0  # of tables of earlier tests, which had the same name


def purge(server: PrivateServer, rate: object = "DEFAULT") -> None:
    server.sql(f"SET GLOBAL handlersocket_ttl_purge_rows = {rate}")


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


def test_a_table_whose_rows_expire_no_more_is_not_purged(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', '2000-01-01', 1)")
    server.sql("CREATE TABLE hs.other LIKE hs.t")
    server.sql("ALTER TABLE hs.other COMMENT ''")
    server.sql("INSERT INTO hs.other VALUES (1, 1, 'v', '2000-01-01', 1)")
    know(server)
    purge(server)
    wait_for(server, "ROWS_PURGED = 1")
    server.sql("RENAME TABLE hs.t TO hs.away, hs.other TO hs.t")
    while server.sql(f"SELECT COUNT(*) FROM {TABLE} WHERE TABLE_SCHEMA = 'hs' AND TABLE_NAME = 't'") != [(0,)]:
        pass
    assert server.sql("SELECT COUNT(*) FROM hs.t") == [(1,)]


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


@pytest.mark.parametrize(
    "time, action, holds",
    [
        ("AFTER", "DELETE FROM hs.d WHERE id = OLD.id", "SELECT * FROM hs.d WHERE id = 5 FOR UPDATE"),
        ("BEFORE", "INSERT INTO hs.a VALUES (OLD.id)", "SELECT * FROM hs.child WHERE t = 5 FOR UPDATE"),
    ],
)
def test_a_row_that_is_left_for_later_leaves_nothing_of_its_triggers(
    server: PrivateServer, database: str, time: str, action: str, holds: str
) -> None:
    create(server)
    server.sql("CREATE TABLE hs.d (id INT PRIMARY KEY)")
    server.sql("CREATE TABLE hs.a (id INT PRIMARY KEY)")
    server.sql("CREATE TABLE hs.child (t INT PRIMARY KEY, FOREIGN KEY (t) REFERENCES hs.t (id) ON DELETE CASCADE)")
    server.sql(f"CREATE TRIGGER hs.x {time} DELETE ON hs.t FOR EACH ROW {action}")
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01', seq FROM hs.seq_1_to_10")
    for table in ("d", "child"):
        server.sql(f"INSERT INTO hs.{table} SELECT id FROM hs.t")
    with sql_holds(server, holds) as holder:
        know(server)
        purge(server)
        wait_for(server, "ROWS_PURGED >= 4")
        left = [(id,) for id in range(5, 11)]
        assert server.sql("SELECT id FROM hs.t ORDER BY id") == left
        assert server.sql("SELECT t FROM hs.child ORDER BY t") == left
        if time == "AFTER":
            assert server.sql("SELECT id FROM hs.d ORDER BY id") == left
        else:
            assert server.sql("SELECT id FROM hs.a ORDER BY id") == [(id,) for id in range(1, 5)]
        holder.rollback()
    wait_for(server, "ROWS_PURGED = 10")
    assert server.sql("SELECT COUNT(*) FROM hs.t") == server.sql("SELECT COUNT(*) FROM hs.child") == [(0,)]
    done = server.sql("SELECT COUNT(*) FROM hs.d"), server.sql("SELECT COUNT(*) FROM hs.a")
    assert done == (([(0,)], [(0,)]) if time == "AFTER" else ([(10,)], [(10,)]))
    server.sql("DROP TABLE hs.child")


def test_a_row_that_cannot_be_deleted_keeps_no_other(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("CREATE TABLE hs.child (t INT PRIMARY KEY, FOREIGN KEY (t) REFERENCES hs.t (id))")
    server.sql(
        "CREATE TRIGGER hs.x BEFORE DELETE ON hs.t FOR EACH ROW"
        " IF OLD.id IN (1, 7) THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'; END IF"
    )
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01', seq FROM hs.seq_1_to_10")
    server.sql("INSERT INTO hs.child VALUES (5), (10)")
    know(server)
    purge(server)
    wait_for(server, "ROWS_PURGED >= 6")
    assert server.sql("SELECT id FROM hs.t ORDER BY id") == [(1,), (5,), (7,), (10,)]
    server.sql("DROP TRIGGER hs.x")
    wait_for(server, "ROWS_PURGED = 8 AND LAST_ERROR = 'error 152 of the storage engine'")
    rounds, last_round = ttl_row(server, "ROUNDS, LAST_ROUND")
    wait_for(server, f"ROUNDS > {rounds} AND LAST_ROUND > '{last_round}' AND BEHIND_SECONDS = 0")
    assert server.sql("SELECT id FROM hs.t ORDER BY id") == [(5,), (10,)]
    server.sql("DROP TABLE hs.child")
    wait_for(server, "ROWS_PURGED = 10 AND LAST_ERROR IS NULL")


def test_many_rows_that_cannot_be_deleted_keep_no_other(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql(
        "CREATE TRIGGER hs.x BEFORE DELETE ON hs.t FOR EACH ROW"
        " IF OLD.id <= 1100 AND @may IS NULL THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'; END IF"
    )
    some = "INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01' + INTERVAL seq SECOND, seq FROM "
    server.sql(f"{some} hs.seq_1_to_900")
    server.sql(f"{some} hs.seq_1101_to_1110")
    know(server)
    purge(server)
    wait_for(server, "ROWS_PURGED = 10 AND LAST_ERROR = 'not this one'")
    # More than are remembered: those that are gone make room.
    server.sql(f"{some} hs.seq_901_to_1100")
    server.sql(f"{some} hs.seq_1101_to_1110")
    with server.connect() as other, other.cursor() as cursor:
        cursor.execute("SET @may = 1")
        cursor.execute("DELETE FROM hs.t WHERE id <= 500")
    wait_for(server, "ROWS_PURGED = 20")
    server.sql("DROP TRIGGER hs.x")
    wait_for(server, "ROWS_PURGED = 620 AND LAST_ERROR IS NULL")


def test_a_table_of_which_no_row_can_be_deleted_is_purged_when_they_can(
    server: PrivateServer, database: str
) -> None:
    create(server)
    server.sql("CREATE TRIGGER hs.x BEFORE DELETE ON hs.t FOR EACH ROW SIGNAL SQLSTATE '45000'")
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01', seq FROM hs.seq_1_to_200")
    know(server)
    purge(server)
    wait_for(server, "ROWS_PURGED = 0 AND LAST_ERROR IS NOT NULL")
    server.sql("DROP TRIGGER hs.x")
    wait_for(server, "ROWS_PURGED = 200 AND LAST_ERROR IS NULL")


def corrupt(server: PrivateServer, table: str) -> None:
    index = server.directory / "data" / f"{table}.MYI"
    whole = index.read_bytes()
    index.write_bytes(whole[:1024] + b"\xff" * (len(whole) - 1024))


def test_a_table_that_is_corrupt_does_not_fill_the_error_log() -> None:
    variables = {"myisam_recover_options": "OFF", "handlersocket_ttl_purge_rows": 0}
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        for table in ("t", "u"):
            server.sql(
                f"CREATE TABLE hs.{table} (id INT PRIMARY KEY, e DATETIME, KEY e (e)) ENGINE=MyISAM COMMENT='hs: ttl=e'"
            )
        some = ", ".join(f"({number}, '2000-01-01 00:00:00')" for number in range(500))
        server.sql(f"INSERT INTO hs.t VALUES {some}")
        with Client(server.port) as client:
            client.open("hs.t", ["id"])
            client.open("hs.u", ["id"])
        server.sql("FLUSH TABLES")
        corrupt(server, "hs/t")
        purge(server)
        while server.sql(f"SELECT ROUNDS FROM {TABLE} WHERE TABLE_NAME = 'u'")[0][0] < 50:
            pass
        assert ttl_row(server, "LAST_ERROR IS NULL") == (0,)
        assert 1 <= server.error_log().count("hs/t") <= 25


def test_containers_that_are_corrupt_do_not_fill_the_error_log() -> None:
    with PrivateServer(variables={"myisam_recover_options": "OFF"}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.u (id INT PRIMARY KEY, e DATETIME, KEY e (e)) COMMENT='hs: ttl=e'")
        server.sql("CREATE DATABASE innodb_memcache")
        texts = ["db_schema", "db_table", "key_columns", "value_columns", "flags", "cas_column"]
        texts += ["expire_time_column", "unique_idx_name_on_key"]
        columns = ", ".join(f"{text} VARCHAR(99) NOT NULL DEFAULT ''" for text in texts)
        server.sql(
            f"CREATE TABLE innodb_memcache.containers (name VARCHAR(50) PRIMARY KEY, {columns}) ENGINE=MyISAM"
        )
        names = ", ".join(f"('a name that is long, of number {number}')" for number in range(500))
        with server.connect() as connection, connection.cursor() as sql:
            sql.execute("LOCK TABLES innodb_memcache.containers WRITE")
            sql.execute(f"INSERT INTO innodb_memcache.containers (name) VALUES {names}")
            sql.execute("FLUSH TABLES innodb_memcache.containers")
            corrupt(server, "innodb_memcache/containers")
        with Client(server.port) as client:
            client.open("hs.u", ["id"])
        while server.sql(f"SELECT ROUNDS FROM {TABLE} WHERE TABLE_NAME = 'u'")[0][0] < 150:
            pass
        assert 1 <= server.error_log().count("innodb_memcache/containers") <= 9


def test_ddl_gets_through_while_rows_are_purged(server: PrivateServer, database: str) -> None:
    create(server)
    server.sql("INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01', seq FROM hs.seq_1_to_20000")
    know(server)
    purge(server, 50000)
    for step in range(5):
        server.sql(f"ALTER TABLE hs.t ADD x{step} INT NULL")
    wait_for(server, "ROWS_PURGED = 20000")
    assert server.sql("SELECT COUNT(*) FROM hs.t") == [(0,)]


def test_rows_are_purged_as_they_expire_and_none_before(server: PrivateServer, database: str) -> None:
    """10,000 rows a second for two seconds, in the order of their keys."""
    create(server, "DATETIME(3) NULL")
    server.sql(
        "INSERT INTO hs.t SELECT seq, 1, 'v', NOW(3) + INTERVAL 1000000 + 100 * seq MICROSECOND, seq"
        " FROM hs.seq_1_to_20000"
    )
    know(server)
    purge(server)
    ahead = "SELECT COUNT(*), IFNULL(20001 - MIN(id), 0) FROM hs.t WHERE e > NOW(3)"
    while (valid := server.sql(ahead)[0])[0]:
        assert valid[0] == valid[1]
    wait_for(server, "ROWS_PURGED = 20000")
    assert server.sql("SELECT COUNT(*) FROM hs.t") == [(0,)]


@pytest.mark.parametrize(("rate", "rows", "at_least_s"), [(100, 300, 1), (5, 20, 3)])
def test_the_rate_is_a_bound(
    server: PrivateServer, database: str, rate: int, rows: int, at_least_s: int
) -> None:
    create(server)
    server.sql(f"INSERT INTO hs.t SELECT seq, 1, 'v', '2000-01-01', seq FROM hs.seq_1_to_{rows}")
    know(server)
    ((began,),) = server.sql("SELECT NOW(6)")
    purge(server, rate)
    wait_for(server, f"ROWS_PURGED = {rows}")
    ((took,),) = server.sql("SELECT TIMESTAMPDIFF(MICROSECOND, %s, NOW(6))", [began])
    assert took > at_least_s * 1_000_000
    assert ttl_row(server, "BEHIND_SECONDS") == (0,)


def test_a_dropped_table_is_forgotten(server: PrivateServer, database: str) -> None:
    create(server)
    know(server)
    purge(server)
    wait_for(server, "LAST_ERROR IS NULL")
    server.sql("DROP TABLE hs.t")
    while ttl_row(server):
        pass


@pytest.mark.parametrize("is_known", [True, False])
def test_a_table_that_cannot_be_opened_for_a_while_is_purged_when_it_can(
    server: PrivateServer, database: str, is_known: bool
) -> None:
    create(server, more=") ENGINE = MyISAM COMMENT 'hs: ttl=e' -- ")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 'v', '2000-01-01', 1), (2, 1, 'v', NULL, 2)")
    if is_known:
        know(server)
    else:
        server.sql("ALTER TABLE hs.t COMMENT 'hs: ttl=x'")
        with Client(server.port) as client:
            assert client.request("P", 1, "hs", "t", "", "id").startswith(b"1\t1\ttable_comment")
        server.sql("ALTER TABLE hs.t COMMENT 'hs: ttl=e'")
    server.sql("FLUSH TABLES hs.t")
    file = server.data_directory / "hs" / "t.MYI"
    aside = file.with_suffix(".aside")
    file.rename(aside)
    purge(server)
    wait_for(server, "LAST_ERROR = 'the table cannot be opened'")
    aside.rename(file)
    while server.sql("SELECT id FROM hs.t") != [(2,)]:
        pass


def test_a_comment_that_cannot_be_understood_is_shown(server: PrivateServer, database: str) -> None:
    create(server)
    know(server)
    server.sql("ALTER TABLE hs.t COMMENT 'hs: ttl=x'")
    purge(server)
    wait_for(server, "LAST_ERROR = 'ttl=x is no column'")
    server.sql("ALTER TABLE hs.t COMMENT 'hs: ttl=e'")
    wait_for(server, "COLUMN_NAME = 'e' AND LAST_ERROR IS NULL")


def test_rows_of_the_past_are_not_read_again_and_again(server: PrivateServer, database: str) -> None:
    """The history of a versioned table stays in the index by which rows are found that have expired."""
    rows = 20_000
    read = "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'HANDLER_READ_NEXT'"
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, e DATETIME, KEY e (e)) WITH SYSTEM VERSIONING COMMENT 'hs: ttl=e'")
    server.sql(f"INSERT INTO hs.t SELECT seq, '2020-01-01' + INTERVAL seq SECOND FROM hs.seq_1_to_{rows}")
    know(server)
    before = int(server.sql(read)[0][0])
    purge(server, 1_000_000)
    wait_for(server, f"ROWS_PURGED = {rows}")
    assert int(server.sql(read)[0][0]) - before < 6 * rows
    server.sql("INSERT INTO hs.t VALUES (0, '2019-01-01'), (1, '2020-01-01'), (2, '2037-01-01')")
    wait_for(server, f"ROWS_PURGED = {rows + 2}")
    assert server.sql("SELECT id FROM hs.t") == [(2,)]
