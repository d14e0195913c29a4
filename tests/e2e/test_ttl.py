"""Rows that have expired, by the table's COMMENT, are not there."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hs_client import Client, line
from memcached_client import Raw
from private_server import PrivateServer, free_port
from resp_client import Resp
from ttl_tables import COLUMNS, create

pytestmark = pytest.mark.usefixtures("no_purge")

NEVER = "NULL"


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


# 2027-10-31 01:00 UTC: where this zone has an hour for the second time.
ZONE, SECOND_TIME = "CET-1CEST,M3.5.0,M10.5.0/3", 1824944400


def test_what_clients_let_expire_in_an_hour_that_comes_twice_is_the_moment_that_they_name() -> None:
    variables = {"handlersocket_resp_port": free_port(), "handlersocket_memcached_port": free_port()}
    with PrivateServer(variables=variables, environment={"TZ": ZONE}) as server:
        server.make_database("hs")
        redis = Resp(variables["handlersocket_resp_port"])
        cache = Raw(variables["handlersocket_memcached_port"])
        for column in ("TIMESTAMP NULL", "TIMESTAMP(3) NULL", "DATETIME", "BIGINT"):
            server.sql(
                f"CREATE TABLE hs.t (k INT PRIMARY KEY, v INT, e {column}, KEY (e)) COMMENT 'hs: name=t value=v ttl=e'"
            )
            for at in range(SECOND_TIME - 7200, SECOND_TIME + 5400, 1800):
                assert redis("SET", "t:1", "1", "EXAT", at) == "OK"  # an upsert that inserts, and one that updates
                assert redis("SET", "t:2", "1") == "OK"
                assert redis("EXPIREAT", "t:2", at) == 1
                assert cache.line(b"set t:3 0 %d 1\r\n1\r\n" % at) == b"STORED"
                # A DATETIME is reached when the clock shows it first.
                shown = at - 3600 if column == "DATETIME" and 0 <= at - SECOND_TIME < 3600 else at
                assert [redis("EXPIRETIME", f"t:{key}") for key in (1, 2, 3)] == [shown] * 3
                if column.startswith("TIMESTAMP"):
                    assert server.sql("SELECT DISTINCT UNIX_TIMESTAMP(e) FROM hs.t") == [(at,)]
            server.sql("DROP TABLE hs.t")


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
