"""Reads and writes of tables with partitions, versions and foreign keys; and that no more rows are
read than were asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hs_client import Client, line, server_status
from on_mysql import CHECK_VIOLATED
from private_server import PrivateServer


def cost(server: PrivateServer, name: str, work: Callable[[], object]) -> int:
    before = server_status(server, name)
    work()
    return server_status(server, name) - before


def reads(server: PrivateServer) -> tuple[int, int]:
    """How many rows the engine has searched by key, and how many it has read from there on."""
    return (
        server_status(server, "Handler_read_key"),
        server_status(server, "Handler_read_next") + server_status(server, "Handler_read_prev"),
    )


def least_reads(server: PrivateServer, work: Callable[[], object]) -> tuple[int, int]:
    """What `work` adds to reads(): the least of five, since MySQL's dictionary is read by key for other threads."""
    added = []
    for _ in range(5):
        before = reads(server)
        work()
        after = reads(server)
        added.append((after[0] - before[0], after[1] - before[1]))
    return min(added)


PARTITIONS = 16
KEYS = 200


@pytest.fixture
def partitioned(server: PrivateServer, database: str) -> str:
    server.sql(
        "CREATE TABLE hs.p (a INT, b INT, c INT, PRIMARY KEY (a, b), KEY (c))"
        f" PARTITION BY HASH (a) PARTITIONS {PARTITIONS}"
    )
    server.sql(f"INSERT INTO hs.p SELECT seq, 1, seq FROM hs.seq_1_to_{KEYS}")
    return "hs.p"


def test_only_the_partition_of_the_key_is_searched(
    server: PrivateServer, reader: Client, writer: Client, partitioned: str
) -> None:
    for client in (reader, writer):
        client.open(partitioned, ["a", "c"])

        def finds(*key: int, client: Client = client) -> Callable[[], None]:
            def run() -> None:
                for a in range(1, KEYS + 1):
                    assert client.find("=", [a, *key]) == [(b"%d" % a, b"%d" % a)]

            return run

        # One for the table and one for the partition, and what other threads read of MySQL's dictionary.
        assert cost(server, "Handler_read_key", finds(1)) < 3 * KEYS
        assert cost(server, "Handler_read_key", finds()) < 3 * KEYS
        client.open(partitioned, ["a", "c"], index="c")
        assert cost(server, "Handler_read_key", finds()) >= PARTITIONS * KEYS


def test_a_change_touches_the_partition_of_its_key_only(
    server: PrivateServer, writer: Client, partitioned: str
) -> None:
    writer.open(partitioned, ["c"])

    def updates() -> None:
        for a in range(1, KEYS + 1):
            assert writer.request(1, "=", 1, a, 1, 0, "U", -a) == b"0\t1\t1"

    assert cost(server, "Handler_read_key", updates) < 3 * KEYS
    assert server.sql("SELECT COUNT(*) FROM hs.p WHERE c = -a") == [(KEYS,)]


def test_rows_are_read_once_each(
    server: PrivateServer, reader: Client, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    server.sql("INSERT INTO hs.t SELECT seq, seq FROM hs.seq_1_to_1000")
    for client in (reader, writer):
        client.open("hs.t", ["v"])
        for work, key, more in (
            (lambda c=client: c.find("=", [7]), 1, 0),
            (lambda c=client: c.find(">=", [7], 10), 1, 9),
            (lambda c=client: c.find("<", [700], 10, 5), 1, 14),
            (lambda c=client: c.find("=", [7777]), 1, 0),
        ):
            assert least_reads(server, work) == (key, more)


def create_versioned(server: PrivateServer, kind: str) -> None:
    server.sql(
        "CREATE TABLE hs.v (id INT PRIMARY KEY, a INT, b INT WITHOUT SYSTEM VERSIONING,"
        f" rs {kind} GENERATED ALWAYS AS ROW START INVISIBLE,"
        f" re {kind} GENERATED ALWAYS AS ROW END INVISIBLE,"
        " PERIOD FOR SYSTEM_TIME (rs, re)) WITH SYSTEM VERSIONING"
    )


def check_history(server: PrivateServer, writer: Client) -> None:
    history = "SELECT id, a, b FROM hs.v FOR SYSTEM_TIME ALL ORDER BY id, a"
    writer.open("hs.v", ["id", "a", "b"])
    assert writer.request(1, "+", 3, 1, 1, 1) == b"0\t1"
    writer.open("hs.v", ["b"])
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 2) == b"0\t1\t1"
    assert server.sql(history) == [(1, 1, 2)]
    writer.open("hs.v", ["a"])
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 2) == b"0\t1\t1"
    assert server.sql(history) == [(1, 1, 2), (1, 2, 2)]
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t1"
    assert server.sql(history) == [(1, 1, 2), (1, 2, 2)]
    assert server.sql("SELECT * FROM hs.v") == []


def test_an_update_of_unversioned_columns_leaves_no_history(
    server: PrivateServer, writer: Client, database: str
) -> None:
    create_versioned(server, "TIMESTAMP(6)")
    check_history(server, writer)


def test_history_by_transaction_ids_is_written_where_no_binary_log_would_miss_it(
    server: PrivateServer, writer: Client, database: str
) -> None:
    create_versioned(server, "BIGINT UNSIGNED")
    assert writer.raw(b"P\t1\ths\tv\tPRIMARY\ta") == b"1\t1\tunsupported_table"
    with PrivateServer() as other:
        other.sql("CREATE DATABASE hs")
        create_versioned(other, "BIGINT UNSIGNED")
        with Client(other.port_wr) as client:
            check_history(other, client)


def test_foreign_keys_of_versioned_children_act_as_in_sql(
    server: PrivateServer, writer: Client, database: str
) -> None:
    for name in ("port", "sql"):
        server.sql(f"CREATE TABLE hs.{name}_parent (id INT PRIMARY KEY) ENGINE=InnoDB")
        server.sql(
            f"CREATE TABLE hs.{name}_child (id INT PRIMARY KEY, p INT, v INT,"
            f" FOREIGN KEY (p) REFERENCES {name}_parent (id) ON DELETE CASCADE ON UPDATE CASCADE)"
            " WITH SYSTEM VERSIONING"
        )
        server.sql(f"INSERT INTO hs.{name}_parent VALUES (1), (2), (3)")
        server.sql(f"INSERT INTO hs.{name}_child VALUES (1, 1, 1), (2, 2, 2), (3, 2, 3)")
    server.sql("DELETE FROM hs.sql_parent WHERE id = 2")
    server.sql("UPDATE hs.sql_parent SET id = 9 WHERE id = 1")
    writer.open("hs.port_parent", ["id"])
    assert writer.request(1, "=", 1, 2, 1, 0, "D") == b"0\t1\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "U", 9) == b"0\t1\t1"
    for suffix in ("", " FOR SYSTEM_TIME ALL"):
        port, sql = (
            server.sql(f"SELECT id, p, v FROM hs.{name}_child{suffix} ORDER BY id, p")
            for name in ("port", "sql")
        )
        assert port == sql
    writer.open("hs.port_child", ["id", "p", "v"])
    assert writer.request(1, "+", 3, 7, 77, 7) == b"1\t1\t151"
    assert writer.request(1, "+", 3, 7, 9, 7) == b"0\t1"


def test_periods_of_applications_keep_their_constraints(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.b (room INT, s DATE, e DATE, PERIOD FOR stay (s, e),"
        " UNIQUE (room, stay WITHOUT OVERLAPS), KEY (room))"
    )
    writer.open("hs.b", ["room", "s", "e"], index="room_2")
    assert writer.request(1, "+", 3, 1, "2024-01-01", "2024-01-05") == b"0\t1"
    assert writer.request(1, "+", 3, 1, "2024-01-05", "2024-01-09") == b"0\t1"
    assert writer.request(1, "+", 3, 1, "2024-01-04", "2024-01-06") == b"1\t1\t121"
    assert writer.request(1, "+", 3, 2, "2024-01-06", "2024-01-04").startswith(CHECK_VIOLATED)
    assert server.sql("SELECT COUNT(*) FROM hs.b") == [(2,)]


def test_a_lock_wait_timeout_that_rolls_back_everything_takes_no_other_request(
    database: str,
) -> None:
    with PrivateServer(
        variables={"innodb_rollback_on_timeout": True, "innodb_lock_wait_timeout": 1}
    ) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        server.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2), (3, 3)")
        holder = server.connect()
        with Client(server.port_wr) as client, holder.cursor() as cursor:
            client.open("hs.t", ["v"])
            cursor.execute("BEGIN")
            cursor.execute("UPDATE hs.t SET v = 20 WHERE id = 2")
            client.send(b"".join(line(1, "=", 1, k, 1, 0, "U", k + 10) for k in (1, 2, 3)))
            replies = [client.read_line() for _ in range(3)]
            assert replies == [b"0\t1\t1", b"1\t1\t146", b"0\t1\t1"]
            cursor.execute("ROLLBACK")
        holder.close()
        assert server.sql("SELECT v FROM hs.t ORDER BY id") == [(11,), (2,), (13,)]


def test_a_row_of_a_versioned_table_with_a_long_unique_becomes_history(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.v (id INT PRIMARY KEY, a TEXT, UNIQUE KEY a (a)) WITH SYSTEM VERSIONING"
    )
    server.sql("INSERT INTO hs.v VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    writer.open("hs.v", ["id", "a"])
    assert writer.request(1, "=", 1, 2, 1, 0, "D") == b"0\t1\t1"
    assert server.sql("SELECT id, a FROM hs.v ORDER BY id") == [(1, "a"), (3, "c")]
    history = server.sql("SELECT id, a FROM hs.v FOR SYSTEM_TIME ALL ORDER BY id")
    assert history == [(1, "a"), (2, "b"), (3, "c")]
    assert writer.request(1, "+", 2, 2, "b") == b"0\t1"
    assert writer.request(1, "+", 2, 4, "b") == b"1\t1\t121"


def test_many_filters_on_bits(
    server: PrivateServer, reader: Client, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.b (id INT PRIMARY KEY, b BIT(64), v TEXT)")
    server.sql("INSERT INTO hs.b SELECT seq, seq, REPEAT('x', 100) FROM hs.seq_1_to_100")
    seven = b"\0" * 7 + b"\7"
    for client in (reader, writer):
        client.open("hs.b", ["id"], filters=["b", "b"])
        for _ in range(50):
            conditions = ["F", ">=", 0, seven, "F", "<=", 1, seven]
            assert client.request(1, ">=", 1, 0, 100, 0, *conditions) == b"0\t1\t7"
    found = writer.request(1, ">=", 1, 0, 100, 0, "F", "=", 0, seven, "D")
    assert found == b"0\t1\t1"
    assert server.sql("SELECT COUNT(*) FROM hs.b") == [(99,)]


def test_an_index_whose_partitions_cannot_be_merged_is_refused(
    server: PrivateServer, reader: Client, database: str
) -> None:
    server.sql(
        "CREATE TABLE hs.p (id INT PRIMARY KEY, v INT, g INT AS (v * 2) VIRTUAL, s INT AS (v) STORED,"
        " KEY g (g), KEY s (s)) PARTITION BY HASH (id) PARTITIONS 3"
    )
    server.sql("INSERT INTO hs.p (id, v) SELECT seq, 100 - seq FROM hs.seq_1_to_9")
    assert reader.raw(b"P\t1\ths\tp\tg\tid") == b"1\t1\tunsupported_table"
    reader.open("hs.p", ["id", "g"], index="s")
    assert reader.find(">", [0], 3) == [(b"9", b"182"), (b"8", b"184"), (b"7", b"186")]
