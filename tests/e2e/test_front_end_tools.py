"""The tools of Redis and libmemcached, unchanged, with the keys that they make up: rows of one table take all keys."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator

import pytest
from memcached_client import CONTAINERS, Raw
from private_server import PrivateServer, free_port

ANY_KEY = (
    "CREATE TABLE hs.any (k VARBINARY(250) PRIMARY KEY, v LONGBLOB NOT NULL, f INT UNSIGNED NOT NULL DEFAULT 0, "
    "c BIGINT UNSIGNED NOT NULL DEFAULT 0, e INT NOT NULL DEFAULT 0)",
    "INSERT INTO innodb_memcache.containers VALUES ('default', 'hs', 'any', 'k', 'v', 'f', 'c', 'e', 'PRIMARY')",
)
# What memccapable finds wrong.
NOT_AS_MEMCACHED = {
    **dict.fromkeys(
        ("ascii flush", "ascii flush noreply", "binary flush", "binary flushq"),
        "flush_all is refused: it would delete the rows of a table",
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateServer]:
    """A server whose keys are all rows of hs.any."""
    variables = {"handlersocket_resp_port": free_port(), "handlersocket_memcached_port": free_port()}
    with PrivateServer(variables=variables) as running:
        running.make_database("hs")
        for statement in (*CONTAINERS, *ANY_KEY):
            running.sql(statement)
        client = Raw(variables["handlersocket_memcached_port"])
        deadline = time.monotonic() + 60
        while client.line(b"set first 0 0 1\r\n1\r\n") != b"STORED":  # containers are read once a second
            assert time.monotonic() < deadline
        yield running
        assert running.running, running.error_log()[-3000:]


def port(server: PrivateServer, protocol: str) -> str:
    return str(server.variables[f"handlersocket_{protocol}_port"])


def run(*command: str) -> str:
    """What the tool says; it must be there, and end well."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_memccapable_finds_what_it_finds_in_memcached(server: PrivateServer) -> None:
    if shutil.which("memccapable") is None:
        pytest.skip("libmemcached-tools is not installed")
    command = ["memccapable", "-h", "127.0.0.1", "-p", port(server, "memcached"), "-t", "60"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False).stdout
    # A test that fails says so on the other stream.
    tests = re.findall(r"((?:ascii|binary)(?: \w+)+) +(\[pass\])?", said)
    assert len(tests) == 54
    assert {name for name, passed in tests if not passed} <= set(NOT_AS_MEMCACHED)


@pytest.mark.parametrize("words", ["--test=set", "--test=get", "--test=mget", "--test=set --binary", "--test=get --binary"])
def test_memcslap(server: PrivateServer, words: str) -> None:
    server.sql("DELETE FROM hs.any")
    size = ["--concurrency=4", "--execute-number=100", "--initial-load=100"]
    said = run("memcslap", f"--servers=127.0.0.1:{port(server, 'memcached')}", *size, *words.split())
    assert re.search(r"Time total: +\d", said)
    assert server.sql("SELECT COUNT(*) >= 100, MIN(LENGTH(v)) > 0 FROM hs.any") == [(1, 1)]


def test_memcaslap_finds_each_value_as_it_was_stored(server: PrivateServer) -> None:
    place = f"127.0.0.1:{port(server, 'memcached')}"
    said = run("memcaslap", "-s", place, "-T", "1", "-c", "4", "-x", "1000", "-v", "1.0", "-e", "0.1")
    assert dict(re.findall(r"(verify_misses|verify_failed|unexpired_unget): (\d+)", said)) == {
        "verify_misses": "0", "verify_failed": "0", "unexpired_unget": "0",
    }  # fmt: skip
    assert "SERVER_ERROR" not in said


def test_redis_benchmark(server: PrivateServer) -> None:
    server.sql("DELETE FROM hs.any")
    load = ["-n", "500", "-c", "10", "-P", "4", "-r", "50", "-q"]
    said = run("redis-benchmark", "-p", port(server, "resp"), *load, "-t", "ping,set,get,incr,mset")
    for name in ("PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", r"MSET \(10 keys\)"):
        assert re.search(rf"{name}: [\d.]+ requests per second", said), said
    assert server.sql("SELECT SUM(v) FROM hs.any WHERE k LIKE 'counter:%'") == [(500,)]
    assert server.sql("SELECT DISTINCT LENGTH(v) FROM hs.any WHERE k LIKE 'key:%'") == [(3,)]


def test_redis_cli_tells_about_keys_and_reads_a_file_of_commands(server: PrivateServer) -> None:
    server.sql("DELETE FROM hs.any")
    command = ["redis-cli", "-p", port(server, "resp")]
    pipe = subprocess.run(
        [*command, "--pipe"], input="SET one 1\r\nSET two 22\r\nINCR one\r\n", capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert "errors: 0, replies: 3" in pipe.stdout, pipe.stdout + pipe.stderr
    assert server.sql("SELECT k, v FROM hs.any ORDER BY k") == [(b"one", b"2"), (b"two", b"22")]
    assert run(*command, "--latency-history", "--version").startswith("redis-cli")
