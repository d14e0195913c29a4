"""A table that Spider spreads over two servers, through the port of a third."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hs_client import Client, line, rows, sql_holds
from private_server import PrivateServer
from server_files import REPOSITORY

COLUMNS = (
    "(id INT NOT NULL, d INT, s VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, x BIGINT, at DATETIME(3), b BLOB,"
    " PRIMARY KEY (id), KEY d (d), KEY ds (d, s))"
)
SHARDED = (
    " ENGINE=SPIDER COMMENT='wrapper \"mysql\", table \"t\"' PARTITION BY HASH (id)"
    " (PARTITION p0 COMMENT='srv \"shard_0\"', PARTITION p1 COMMENT='srv \"shard_1\"')"
)
PAGE = REPOSITORY / "docs/scaling.md"
READ = ["id", "d", "s", "x", "at", "b"]


@dataclass
class Sharded:
    """The server of the ports, and those with the rows."""

    front: PrivateServer
    shards: list[PrivateServer]

    def rows(self) -> list[tuple[object, ...]]:
        """All rows, from the shards, in the order of their ids."""
        found = [row for shard in self.shards for row in shard.sql("SELECT id, d, s, x FROM hs.t")]
        return sorted(found, key=lambda row: int(str(row[0])))


@pytest.fixture(scope="module")
def servers() -> Iterator[Sharded]:
    # One thread for writers: one that stopped would stop all of them.
    front = {"plugin_maturity": "experimental", "log_bin": "log", "handlersocket_threads_wr": 1}
    with PrivateServer() as first, PrivateServer() as second, PrivateServer(variables=front) as running:
        running.sql("INSTALL SONAME 'ha_spider'")
        for number, shard in enumerate((first, second)):
            shard.sql("CREATE USER far@'127.0.0.1' IDENTIFIED BY 'secret'")
            shard.sql("GRANT ALL ON *.* TO far@'127.0.0.1'")
            running.sql(
                f"CREATE SERVER shard_{number} FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1',"
                f" DATABASE 'hs', USER 'far', PASSWORD 'secret', PORT {shard.sql_port})"
            )
        yield Sharded(running, [first, second])
        assert running.running, running.error_log()[-5000:]


@pytest.fixture
def sharded(servers: Sharded) -> Sharded:
    for server in (servers.front, *servers.shards):
        server.sql("CREATE DATABASE IF NOT EXISTS hs CHARACTER SET utf8mb4")
        server.sql("DROP TABLE IF EXISTS hs.t, hs.same")
        server.sql(f"CREATE TABLE hs.t {COLUMNS} {SHARDED if server is servers.front else ''}")
    servers.front.sql(f"CREATE TABLE hs.same {COLUMNS}")
    return servers


def opened(port: int, table: str = "t") -> Client:
    client = Client(port)
    for id, index in ((1, "PRIMARY"), (2, "d"), (3, "ds")):
        client.open(f"hs.{table}", READ, index, id, READ)
        client.open(f"hs.{table}", ["d", "s"], index, id + 10, READ)
        client.open(f"hs.{table}", ["x"], index, id + 20, READ)
    return client


def drawn_request(draw: random.Random) -> tuple[bool, list[object]]:
    """Whether it is a change, and its tokens. Rows of equal keys have no order, so no request depends on it: each is for all rows."""
    text = draw.choice([None, "", "a", "ü", "zz"])
    number = draw.choice([None, *range(5)])
    if draw.random() < 0.35:
        at = draw.choice([None, "2024-01-02 03:04:05.678", "1970-01-01 00:00:01.000"])
        return True, [1, "+", 6, draw.randint(0, 40), number, text, draw.randint(0, 9), at, draw.choice([None, b"\0\xff"])]
    index = draw.choice([1, 2, 3])
    key = {1: [draw.randint(0, 40)], 2: [number], 3: [number, text]}[index]
    tokens: list[object] = [index, "=", len(key), *key, 100, 0]
    if draw.random() < 0.2:
        tokens += ["&", 0, 3, *(draw.randint(0, 40 if index == 1 else 5) for _ in range(3))]
    if draw.random() < 0.3:
        tokens += ["F", draw.choice(["=", "!=", ">", "<="]), 3, draw.randint(0, 9)]
    kind = draw.choice(["find", "find", "count", "update", "add", "delete"])
    if kind == "find":
        return False, tokens
    if kind == "count":
        return False, [*tokens, "C"]
    if kind == "delete":
        return True, [*tokens, "D"]
    if kind == "add":
        return True, [index + 20, *tokens[1:], draw.choice("+-"), draw.randint(0, 3)]
    return True, [index + 10, *tokens[1:], "U", number, text]


def sorted_rows(reply: bytes) -> object:
    return sorted(rows(reply), key=repr) if reply.startswith(b"0\t6\t") else reply


def test_drawn_requests_are_answered_as_for_innodb(sharded: Sharded, seed: int) -> None:
    draw = random.Random(seed)
    front = sharded.front
    with opened(front.port) as reader, opened(front.port_wr) as writer:
        with opened(front.port, "same") as reader_of_same, opened(front.port_wr, "same") as writer_of_same:
            for step in range(1500):
                is_change, tokens = drawn_request(draw)
                by_writer = is_change or draw.random() < 0.5
                ours = (writer if by_writer else reader).request(*tokens)
                same = (writer_of_same if by_writer else reader_of_same).request(*tokens)
                assert sorted_rows(ours) == sorted_rows(same), (step, repr(tokens))
                if is_change:
                    assert sharded.rows() == front.sql("SELECT id, d, s, x FROM hs.same ORDER BY id"), (step, repr(tokens))
    assert sharded.rows() == front.sql("SELECT id, d, s, x FROM hs.same ORDER BY id")
    assert min(shard.sql("SELECT COUNT(*) FROM hs.t")[0][0] for shard in sharded.shards) > 0


def test_what_spider_cannot_do_is_refused_and_changes_nothing(sharded: Sharded) -> None:
    with opened(sharded.front.port) as reader, opened(sharded.front.port_wr) as writer:
        assert writer.request(1, "+", 1, 1) == b"0\t1"
        assert writer.request(1, "+", 1, 1) == b"1\t1\t121"
        for client in (reader, writer):
            for operator in ("=<", ">", ">=", "<", "<="):
                assert client.request(1, operator, 1, 1, 9) == b"2\t1\top"
        for form in ("+I", "+U", "+R"):
            assert writer.request(1, form, 1, 1).startswith(b"1\t1\tunsupported_table"), form
    assert sharded.rows() == [(1, None, None, None)]


def test_requests_of_many_share_a_commit_on_both_shards(sharded: Sharded) -> None:
    with opened(sharded.front.port_wr) as writer:
        replies = writer.pipeline([line(1, "+", 2, number, number) for number in range(200)])
        assert replies == [b"0\t1"] * 200
        assert writer.pipeline([line("T", "B"), line(1, "+", 1, 500), line(1, "+", 1, 501), line("T", "R")]) == [b"0\t1"] * 4
        assert writer.pipeline([line("T", "B"), line(1, "+", 1, 600), line(1, "+", 1, 601), line("T", "C")]) == [b"0\t1"] * 4
    assert [row[0] for row in sharded.rows()] == [*range(200), 600, 601]
    assert [shard.sql("SELECT COUNT(*) FROM hs.t")[0][0] for shard in sharded.shards] == [101, 101]


def test_a_lock_on_a_shard_holds_up_nobody_else(sharded: Sharded) -> None:
    with opened(sharded.front.port_wr) as waits, opened(sharded.front.port_wr) as other:
        assert waits.pipeline([line(1, "+", 4, id, 0, "", 0) for id in (1, 2)]) == [b"0\t1"] * 2
        shard = next(one for one in sharded.shards if one.sql("SELECT 1 FROM hs.t WHERE id = 1"))
        with sql_holds(shard, "UPDATE hs.t SET x = 5 WHERE id = 1") as holder:
            waits.send(line(21, "=", 1, 1, 1, 0, "+", 1))
            while shard.sql("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")[0][1] == "0":
                pass
            for _ in range(20):
                assert other.request(21, "=", 1, 2, 1, 0, "+", 1) == b"0\t1\t1"
            holder.commit()
        assert waits.read_line() == b"0\t1\t1"
    assert [row[3] for row in sharded.rows()] == [6, 20]


def test_a_shard_that_is_gone_fails_its_rows_alone(sharded: Sharded) -> None:
    front, shards = sharded.front, sharded.shards
    with opened(front.port_wr) as writer, opened(front.port) as reader:
        assert writer.pipeline([line(1, "+", 1, id) for id in range(20)]) == [b"0\t1"] * 20
        gone = shards[0]
        lost = {id for (id,) in gone.sql("SELECT id FROM hs.t")}
        gone.kill9()
        try:
            for client in (reader, writer):
                for id in range(20):
                    reply = client.request(1, "=", 1, id)
                    of_spider = (b"1\t1\tsql_1429 ", b"1\t1\tsql_2013 ")
                    assert reply.startswith(of_spider if id in lost else b"0\t6\t%d\t" % id), (id, reply)
            assert front.running
        finally:
            gone.start()
        # Spider looks for a server again after a second (spider_connect_error_interval).
        for client in (reader, writer):
            while client.request(1, "=", 1, min(lost)) != b"0\t6\t%d" % min(lost) + b"\t\0" * 5:
                pass


def test_the_topology_shows_its_session_and_lives_on_without_a_shard() -> None:
    command = [sys.executable, str(REPOSITORY / "scripts/topology.py"), "spider", "--once"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Every answer is as it should be.\n")


def test_ddl_and_kill_leave_the_server_and_the_rows(sharded: Sharded, seed: int) -> None:
    front = sharded.front
    done = threading.Event()
    counted = [0, 0, 0, 0]
    with opened(front.port_wr) as writer:
        assert writer.pipeline([line(1, "+", 4, id, 0, "", 0) for id in range(4)]) == [b"0\t1"] * 4

    def count(number: int) -> None:
        while not done.is_set():
            try:
                with opened(front.port_wr) as client:
                    while not done.is_set():
                        replies = client.pipeline([line(21, "=", 1, number, 1, 0, "+", 1)] * 5)
                        counted[number] += replies.count(b"0\t1\t1")
            except (AssertionError, OSError, EOFError):  # not opened, or killed
                pass

    counters = [threading.Thread(target=count, args=(number,)) for number in range(4)]
    for thread in counters:
        thread.start()
    try:
        for _ in range(15):
            for (id,) in front.sql("SELECT id FROM information_schema.processlist WHERE user = 'handlersocket'"):
                front.sql(f"KILL QUERY {id}")
            front.sql("FLUSH TABLES")
            front.sql("ALTER TABLE hs.t COMMENT='wrapper \"mysql\", table \"t\"'")
    finally:
        done.set()
        for thread in counters:
            thread.join()
    assert front.running and min(counted) > 0
    # What was answered is there. A KILL during the commit may have left one that was.
    for number, row in enumerate(sharded.rows()):
        assert int(str(row[3])) >= counted[number]


def test_the_statements_of_the_page_make_such_a_table(servers: Sharded) -> None:
    section = PAGE.read_text().partition("\n## Spider\n")[2].partition("\n## ")[0]
    of_shards, of_front = re.findall(r"\n\n((?:    .+\n)+)", section)
    for shard in servers.shards:
        shard.sql("CREATE OR REPLACE DATABASE test")
        shard.sql("CREATE TABLE test.user (user_id INT UNSIGNED PRIMARY KEY, user_name VARCHAR(50), user_email VARCHAR(255), created DATETIME)")
        for statement in of_shards.replace("10.0.0.1", "127.0.0.1").replace("CREATE USER", "CREATE OR REPLACE USER").split(";\n")[:-1]:
            shard.sql(statement)
    servers.front.sql("CREATE DATABASE test")
    for number, shard in enumerate(servers.shards):
        of_front = of_front.replace(f"'10.0.0.{number + 2}', PORT 3306", f"'127.0.0.1', PORT {shard.sql_port}")
    # The fixture has installed it, and has servers of these names: this test is the last one.
    of_front = of_front.replace("CREATE SERVER", "CREATE OR REPLACE SERVER")
    for statement in of_front.split(";\n")[:-1]:
        if "INSTALL" not in statement:
            servers.front.sql(statement)
    with Client(servers.front.port_wr) as writer:
        writer.open("test.user", ["user_id", "user_name"])
        assert writer.pipeline([line(1, "+", 2, id, "new") for id in (1, 2)]) == [b"0\t1"] * 2
        assert writer.find("=", [2]) == [(b"2", b"new")]
    assert [shard.sql("SELECT COUNT(*) FROM test.user") for shard in servers.shards] == [[(1,)], [(1,)]]
