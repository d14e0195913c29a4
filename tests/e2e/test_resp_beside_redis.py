"""The same commands to a real Redis 7 and to the RESP port: the replies are the same, but for those
that are listed here with the reason."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from private_server import PrivateServer, free_port
from resp_client import Resp

TRANSCRIPT = Path(__file__).with_name("resp_transcript.txt")

TABLES = (
    "CREATE TABLE hs.kv (k VARBINARY(64) PRIMARY KEY, v MEDIUMBLOB) COMMENT 'hs: name=kv'",
    "CREATE TABLE hs.s (k VARBINARY(64) PRIMARY KEY, v BLOB, e BIGINT NULL) "
    "COMMENT 'hs: name=s value=v ttl=e'",
    "CREATE TABLE hs.h (k VARBINARY(64) PRIMARY KEY, a VARCHAR(99), b VARCHAR(99), c VARCHAR(99)) "
    "COMMENT 'hs: name=h'",
)

# By the command; None: every reply to it.
ALLOWED = {
    "HELLO": "the server's name and version are its own",
    "OBJECT FREQ kv:none": "the policy is looked at before the key",
    "HELLO 3": "in a transaction it would change the form of replies in their middle",
    "AUTH a b": "in a transaction a login would wait with locks held",
    "EXEC": "behind a HELLO or AUTH that was refused; or an INCR has overflowed a column of text, "
    "which is undone together with the transaction",
    "INCR kv:i": "the number is what a column of text has then",
}


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Resp]:
    """A Redis that keeps nothing."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    port = free_port()
    command = ["redis-server", "--port", str(port), "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            for _ in range(200):
                try:
                    client = Resp(port)
                    break
                except ConnectionRefusedError:
                    time.sleep(0.05)
            else:
                raise AssertionError("redis-server does not answer")
            with client:
                yield client
        finally:
            process.terminate()


def test_replies_are_those_of_redis(server: PrivateServer, database: str, redis: Resp) -> None:
    for table in TABLES:
        server.sql(table)
    port = free_port()
    server.sql(f"SET GLOBAL handlersocket_resp_port = '{port}'")
    differ: list[str] = []
    compared = 0
    try:
        with Resp(port) as ours:
            for line in TRANSCRIPT.read_text().splitlines():
                arguments = [
                    word.replace("_EMPTY_", "").replace("_SP_", " ") for word in line.split()
                ]
                mine, theirs = ours(*arguments), redis(*arguments)
                compared += 1
                if line in ALLOWED or (mine == theirs and type(mine) is type(theirs)):
                    continue
                differ.append(f"{line}: {mine!r}, Redis: {theirs!r}")
    finally:
        server.sql("SET GLOBAL handlersocket_resp_port = DEFAULT")
    assert not differ, "\n".join(differ)
    assert compared > 250
