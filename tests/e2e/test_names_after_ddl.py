"""Keys are of the tables that have their names now, whatever was known of these names a moment ago."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from memcached_client import Raw, drop_containers, make_containers, port  # noqa: F401
from private_server import PrivateServer
from resp_client import Resp

COLUMNS = "k VARCHAR(20) PRIMARY KEY, v VARCHAR(20)"


@pytest.fixture
def redis(server: PrivateServer, database: str, resp_port: int) -> Iterator[Resp]:
    with Resp(resp_port) as client:
        yield client


def test_a_table_is_found_by_its_own_name_when_the_other_is_taken_away(server: PrivateServer, redis: Resp) -> None:
    for _ in range(5):
        server.sql(f"CREATE TABLE hs.t ({COLUMNS}) COMMENT 'hs: name=x'")
        assert redis("SET", "x:1", "a") == "OK"
        assert redis("GET", "hs.t:1") is None
        server.sql("ALTER TABLE hs.t COMMENT ''")
        assert redis("GET", "hs.t:1") == b"a"
        server.sql("ALTER TABLE hs.t COMMENT 'hs: name=x'")
        assert redis("GET", "x:1") == b"a"
        server.sql("DROP TABLE hs.t")
        server.sql(f"CREATE TABLE hs.t ({COLUMNS})")
        assert redis("SET", "hs.t:2", "b") == "OK"
        assert server.sql("SELECT * FROM hs.t") == [("2", "b")]
        server.sql("DROP TABLE hs.t")


def test_a_separator_is_followed_at_once(server: PrivateServer, redis: Resp) -> None:
    server.sql(f"CREATE TABLE hs.t ({COLUMNS}) COMMENT 'hs: name=x'")
    server.sql(f"CREATE TABLE hs.u ({COLUMNS})")
    for i in range(5):
        assert redis("SET", f"x:{i}", "a") == redis("SET", f"hs.u:{i}", "a") == "OK"
        server.sql("ALTER TABLE hs.t COMMENT 'hs: name=x sep=/'")
        server.sql("ALTER TABLE hs.u COMMENT 'hs: sep=/'")
        assert redis("MGET", f"x/{i}", f"hs.u/{i}", f"x:{i}", f"hs.u:{i}") == [b"a", b"a", None, None]
        server.sql("ALTER TABLE hs.t COMMENT 'hs: name=x'")
        server.sql("ALTER TABLE hs.u COMMENT ''")


def test_a_table_without_a_comment_may_get_a_key(server: PrivateServer, redis: Resp) -> None:
    server.sql("CREATE TABLE hs.t (k VARCHAR(20) NOT NULL, v VARCHAR(20))")
    assert "no primary key" in str(redis("SET", "hs.t:1", "a"))
    server.sql("ALTER TABLE hs.t ADD PRIMARY KEY (k)")
    assert redis("SET", "hs.t:1", "a") == "OK"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_drawn_names_reach_the_right_rows(server: PrivateServer, redis: Resp, port: int, seed: int) -> None:  # noqa: F811
    draw = random.Random(seed)
    names: dict[str, str] = {}  # of the tables that are there
    cache = Raw(port)

    def change() -> None:
        table, other = draw.sample(["hs.a", "hs.b", "hs.c"], 2)
        name = draw.choice(["x", "y", ""])
        comment = f"COMMENT 'hs: {f'name={name} ' if name else ''}value=v'"
        if table not in names:
            server.sql(f"CREATE TABLE {table} ({draw.choice(['', 'w INT, '])}{COLUMNS}) {comment}")
            names[table] = name
        elif draw.random() < 0.4:
            server.sql(f"ALTER TABLE {table} {comment}")
            names[table] = name
        elif draw.random() < 0.3:
            server.sql(f"DROP TABLE {table}")
            del names[table]
        elif other not in names:
            server.sql(f"RENAME TABLE {table} TO {other}")
            names[other] = names.pop(table)
        else:
            server.sql(f"RENAME TABLE {table} TO hs.aside, {other} TO {table}, hs.aside TO {other}")
            names[table], names[other] = names[other], names[table]

    for i in range(200):
        for _ in range(draw.choice([1, 2])):
            change()
        asked = draw.choice(["x", "y", "hs.a", "hs.b", "hs.c"])
        meant = [table for table, name in names.items() if (name or table) == asked]
        if len(meant) > 1:
            continue
        if draw.random() < 0.5:
            is_stored = redis("SET", f"{asked}:{i}", "1") == "OK"
        else:
            is_stored = cache.line(b"set %s:%d 0 0 1\r\n1\r\n" % (asked.encode(), i)) == b"STORED"
        there = [table for table in names if server.sql(f"SELECT 1 FROM {table} WHERE k = '{i}'")]
        assert (there, is_stored) == (meant, bool(meant)), (asked, i)


def test_a_key_with_a_dot_may_be_of_the_standard_container(
    server: PrivateServer, database: str, port: int  # noqa: F811
) -> None:
    cache = Raw(port)
    try:
        make_containers(server)
        server.sql(f"CREATE TABLE hs.d ({COLUMNS})")
        server.sql("INSERT INTO innodb_memcache.containers VALUES ('default', 'hs', 'd', 'k', 'v', '0', '0', '0', 'PRIMARY')")
        while cache.line(b"set plain 0 0 1\r\n1\r\n") != b"STORED":
            pass
        cache.ask(b"set user.name:5 0 0 1\r\n2\r\n", b"STORED\r\n")
        cache.ask(b"get user.name:5 plain\r\n", b"VALUE user.name:5 0 1\r\n2\r\nVALUE plain 0 1\r\n1\r\nEND\r\n")
        assert server.sql("SELECT * FROM hs.d ORDER BY k") == [("plain", "1"), ("user.name:5", "2")]
        server.sql(f"CREATE TABLE hs.u ({COLUMNS})")
        cache.ask(b"set hs.u:5 0 0 1\r\n3\r\n", b"STORED\r\n")
        assert server.sql("SELECT * FROM hs.u") == [("5", "3")]
    finally:
        drop_containers(server, port)
