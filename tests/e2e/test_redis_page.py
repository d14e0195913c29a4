"""What docs/redis.md and docs/migrating-from-innodb-memcached.md show is run as it stands there; only the ports are others."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from memcached_client import CONTAINERS, Raw, drop_containers
from private_server import PrivateServer, free_port

DOCS = Path(__file__).resolve().parents[2] / "docs"
# The configuration that the old plugin came with.
DUMP = (
    *CONTAINERS,
    "INSERT INTO innodb_memcache.config_options VALUES ('separator', '|'), ('table_map_delimiter', '.')",
    "INSERT INTO innodb_memcache.containers VALUES "
    "('aaa', 'test', 'demo_test', 'c1', 'c2', 'c3', 'c4', 'c5', 'PRIMARY')",
    "CREATE TABLE test.demo_test (c1 VARCHAR(32) PRIMARY KEY, c2 VARCHAR(1024), c3 INT, c4 BIGINT UNSIGNED, c5 INT)",
    "INSERT INTO test.demo_test VALUES ('AA', 'HELLO, HELLO', 8, 0, 0)",
)


@pytest.fixture
def page_server(server: PrivateServer) -> Iterator[PrivateServer]:
    """The database of the pages."""
    server.sql("CREATE DATABASE IF NOT EXISTS test")
    yield server
    for table in ("page", "board", "demo_test"):
        server.sql(f"DROP TABLE IF EXISTS test.{table}")
    port = free_port()
    server.sql(f"SET GLOBAL handlersocket_memcached_port = '{port}'")
    drop_containers(server, port)
    for protocol in ("resp", "memcached"):
        server.sql(f"SET GLOBAL handlersocket_{protocol}_port = '0'")


def blocks(page: str) -> list[str]:
    """What is indented, without the indent."""
    found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", (DOCS / page).read_text(encoding="utf-8"), re.M)
    return [re.sub(r"^    ", "", block, flags=re.M) for block in found]


def run_sql(server: PrivateServer, statements: str) -> None:
    for statement in statements.split(";"):
        if statement.strip():
            server.sql(statement)


@pytest.mark.skipif(shutil.which("redis-cli") is None, reason="redis-tools is not installed")
def test_what_the_page_on_redis_shows_is_what_comes(page_server: PrivateServer) -> None:
    port = str(free_port())
    # As a terminal shows it.
    first, sets = (
        block.replace("6380", port).replace("redis-cli ", "redis-cli --no-raw ") for block in blocks("redis.md")[:2]
    )
    statements, sessions = first.split("$ ", 1)
    run_sql(page_server, statements)
    for session in sessions.split("$ "):
        command, shown = session.split("\n", 1)
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout == shown.rstrip("\n") + "\n"
    statements, commands = sets.split(";\n", 1)
    run_sql(page_server, statements)
    answers = []
    for line in commands.split("\n"):
        command = line.partition("->")[0].split()
        if command:
            done = subprocess.run(
                ["redis-cli", "-p", port, *command], capture_output=True, text=True, check=True, timeout=60
            )
            answers.append((command[0], done.stdout.split()))
    assert answers == [("HSET", ["1"]), ("ZRANGE", ["ada", "120"]), ("ZCOUNT", ["1"]), ("ZSCORE", ["120"])]


def test_the_old_plugins_dump_is_served_after_the_pages_statement(page_server: PrivateServer) -> None:
    for statement in DUMP:
        page_server.sql(statement)
    text = (DOCS / "migrating-from-innodb-memcached.md").read_text(encoding="utf-8")
    port = free_port()
    statement = re.search(r"`(SET GLOBAL handlersocket_memcached_port = '11211')`", text)
    assert statement
    page_server.sql(statement[1].replace("11211", str(port)))
    client = Raw(port)
    deadline = time.monotonic() + 60
    while client.line(b"touch AA 0\r\n") != b"TOUCHED":  # containers are read once a second
        assert time.monotonic() < deadline
    client.ask(b"get @@aaa.AA\r\n", b"VALUE @@aaa.AA 8 12\r\nHELLO, HELLO\r\nEND\r\n")
    client.ask(b"get AA\r\n", b"VALUE AA 8 12\r\nHELLO, HELLO\r\nEND\r\n")
    comment = re.search(r"`(hs: ttl=)<column>`", text)
    assert comment
    page_server.sql(f"ALTER TABLE test.demo_test COMMENT '{comment[1]}c5', ADD KEY (c5)")
    client.ask(b"set AA 1 -1 3\r\nold\r\nget AA\r\n", b"STORED\r\nEND\r\n")
    while page_server.sql("SELECT * FROM test.demo_test"):
        assert time.monotonic() < deadline
