"""A replica of MySQL has what the port changed in rows of its own kinds: JSON in parts, columns that came
and went at once, cascades, generated invisible primary keys. And a group of servers takes part."""

from __future__ import annotations

import json
import time

import pymysql
import pytest
import server_files
from hs_client import Client, line
from private_server import PrivateServer, free_port
from servers import binary_logs, empty_server, replay, tables, wait_for_replica
from test_replica import replica_of

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)
TABLES = (
    "CREATE TABLE hs.j (id INT PRIMARY KEY, j JSON, n INT AS (j->'$.n'), KEY n (n),"
    " KEY tags ((CAST(j->'$.tags' AS UNSIGNED ARRAY))))",
    "CREATE TABLE hs.i (id INT PRIMARY KEY, a INT, z INT)",
    "CREATE TABLE hs.p (id INT PRIMARY KEY, v INT)",
    "CREATE TABLE hs.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES hs.p (id)"
    " ON DELETE CASCADE ON UPDATE CASCADE)",
)
ROWS = 50


def document(number: int) -> str:
    return json.dumps({"n": number, "tags": [number, number + 1], "text": "x" * 200})


def contents(server: PrivateServer) -> dict[str, object]:
    """All rows. A checksum is also of what a change in part has left of a document in its old place."""
    return {table: server.sql(f"SELECT * FROM {table} ORDER BY 1") for table in tables(server)}


@pytest.mark.parametrize("image", ["FULL", "MINIMAL"])
@pytest.mark.parametrize("parts", ["", "PARTIAL_JSON"])
def test_a_replica_has_the_same_rows(primary: PrivateServer, image: str, parts: str) -> None:
    primary.sql(f"SET GLOBAL binlog_row_image = {image}")
    primary.sql(f"SET GLOBAL binlog_row_value_options = '{parts}'")
    primary.sql("SET GLOBAL sql_generate_invisible_primary_key = 1")
    primary.make_database("hs")
    for statement in (*TABLES, "CREATE TABLE hs.g (a INT)"):
        primary.sql(statement)
    primary.sql("SET GLOBAL sql_require_primary_key = 1")
    with replica_of(primary) as replica, Client(primary.port_wr) as client:
        for number, (table, columns) in enumerate(
            {"j": ["id", "j"], "i": ["id", "a"], "p": ["id", "v"], "c": ["id", "p"], "g": ["a"]}.items()
        ):
            client.open(f"hs.{table}", columns, id=number)
        requests = []
        for key in range(ROWS):
            requests += [
                line(0, "+", 2, key, document(key)), line(1, "+", 2, key, key), line(2, "+", 2, key, key),
                line(3, "+", 2, key, key), line(4, "+", 1, key),
            ]  # fmt: skip
        assert all(reply.startswith(b"0\t1") for reply in client.pipeline(requests))
        # By SQL in part, and by the port as a whole.
        primary.sql("UPDATE hs.j SET j = JSON_SET(j, '$.n', id + 1000) WHERE id % 2 = 0")
        primary.sql("ALTER TABLE hs.i ADD COLUMN b VARCHAR(9) DEFAULT 'new' AFTER id, ALGORITHM=INSTANT")
        requests = []
        for key in range(0, ROWS, 3):
            requests += [
                line(0, "=", 1, key, 1, 0, "U", key, document(key + 5000)),
                line(1, "=", 1, key, 1, 0, "+", 0, 7),
                line(2, "=", 1, key, 1, 0, *(("D",) if key % 2 else ("U", key + 500, 1))),
            ]
        assert client.pipeline(requests) == [b"0\t1\t1"] * len(requests)
        primary.sql("ALTER TABLE hs.i DROP COLUMN z, ALGORITHM=INSTANT")
        assert client.request(1, ">=", 1, 0, ROWS, 0, "+", 0, 1) == b"0\t1\t%d" % ROWS
        primary.sql("UPDATE hs.j SET j = JSON_REMOVE(j, '$.text') WHERE id % 3 = 0")
        wait_for_replica(replica, primary)
        assert contents(replica) == contents(primary)
        for server in (primary, replica):
            found = server.sql("SELECT COUNT(*) FROM hs.j WHERE id MEMBER OF (j->'$.tags') AND n >= 0")
            assert found == [(ROWS - len(range(0, ROWS, 3)),)]
            assert {row[3] for row in server.sql("CHECK TABLE hs.j, hs.i, hs.p, hs.c, hs.g EXTENDED")} == {"OK"}
    primary.sql("SET GLOBAL sql_require_primary_key = 0")
    with empty_server() as copy:
        replay(binary_logs(primary), copy)
        assert contents(copy) == contents(primary)


def member(number: int, places: list[str]) -> PrivateServer:
    return PrivateServer(
        variables={
            "plugin_load": "group_replication.so",
            "server_id": number + 1,
            "report_host": "127.0.0.1",
            "group_replication_group_name": "6f0bf4a5-6f5c-4d5e-8d0f-0c2c6b0f3c11",
            "group_replication_local_address": places[number],
            "group_replication_group_seeds": ",".join(places),
            "group_replication_ip_allowlist": "127.0.0.1",
            "group_replication_start_on_boot": 0,
            "group_replication_recovery_get_public_key": 1,
        }
    )


def join(server: PrivateServer, first: bool) -> None:
    with server.connect() as connection, connection.cursor() as sql:
        for statement in (
            "SET sql_log_bin = 0",
            "CREATE USER follower IDENTIFIED BY 'p'",
            "GRANT REPLICATION SLAVE, BACKUP_ADMIN, CONNECTION_ADMIN, GROUP_REPLICATION_STREAM ON *.* TO follower",
            "RESET BINARY LOGS AND GTIDS",
            "CHANGE REPLICATION SOURCE TO SOURCE_USER = 'follower', SOURCE_PASSWORD = 'p'"
            " FOR CHANNEL 'group_replication_recovery'",
            f"SET GLOBAL group_replication_bootstrap_group = {int(first)}",
            "START GROUP_REPLICATION",
            "SET GLOBAL group_replication_bootstrap_group = 0",
        ):
            sql.execute(statement)
    until = time.monotonic() + 120
    own = "SELECT member_state FROM performance_schema.replication_group_members WHERE member_id = @@server_uuid"
    while server.sql(own) != [("ONLINE",)]:
        assert time.monotonic() < until, server.error_log()[-3000:]


def test_a_group_takes_what_it_takes_from_sql() -> None:
    places = [f"127.0.0.1:{free_port()}" for _ in range(2)]
    with member(0, places) as primary, member(1, places) as secondary:
        join(primary, True)
        join(secondary, False)
        primary.sql("CREATE DATABASE hs")
        primary.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        primary.sql("CREATE TABLE hs.keyless (id INT, v INT, KEY (id))")
        primary.sql("CREATE TABLE hs.m (id INT PRIMARY KEY, v INT) ENGINE=MyISAM")
        with Client(primary.port_wr) as client, Client(secondary.port_wr) as other:
            for number, (table, index) in enumerate((("t", "PRIMARY"), ("keyless", "id"), ("m", "PRIMARY"))):
                client.open(f"hs.{table}", ["id", "v"], id=number, index=index)
            batch = [line(number, "+", 2, key, 0) for key in range(30) for number in range(3)]
            replies = client.pipeline(batch)
            assert set(replies[::3]) == {b"0\t1"}
            assert {reply[:13] for reply in replies[1::3] + replies[2::3]} == {b"1\t1\tsql_3098 "}
            for table in ("keyless", "m"):
                with pytest.raises(pymysql.err.MySQLError, match="3098"):
                    primary.sql(f"INSERT INTO hs.{table} VALUES (1, 1)")
            whole = [line("T", "B"), line(0, ">=", 1, 0, 99, 0, "+", 0, 7), line("T", "C")]
            assert client.pipeline(whole) == [b"0\t1", b"0\t1\t30", b"0\t1"]
            gtid = client.request("G", "L").split(b"\t")[2]
            assert other.request("G", "W", gtid, 60000) == b"0\t1\t1"
            other.open("hs.t", ["id", "v"])
            assert other.request(1, "+", 2, 100, 0) == b"1\t1\tlock_tables"
        assert contents(secondary) == contents(primary)
        assert primary.sql("SELECT COUNT(*), MIN(v), MAX(v) FROM hs.t") == [(30, 7, 7)]
