"""A replica of MySQL has what the port changed in rows of its own kinds: JSON in parts, columns that came
and went at once, cascades, generated invisible primary keys."""

from __future__ import annotations

import json

import pytest
import server_files
from hs_client import Client, line
from private_server import PrivateServer
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
