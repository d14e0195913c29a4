"""docs/protocol.md: each example is sent as it stands there, and answered as it stands there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from hs_client import Client
from private_server import PrivateServer

PAGE = Path(__file__).resolve().parents[2] / "docs/protocol.md"

# What the page says of its tables, and stands in no statement.
ROWS = [
    "INSERT INTO test.user SELECT seq, CONCAT('user name ', seq), NULL, NULL FROM test.seq_1_to_200",
    "UPDATE test.user SET user_name = 'Yukari Takeba', user_email = 'yukari.takeba@dena.jp',"
    " created = '2010-02-03 11:22:33' WHERE user_id = 101",
]
EXAMPLE = re.compile(r"^```\n((?:[<>] .*\n)+)```$", re.M)
STATEMENT = re.compile(r"CREATE TABLE test\.(\w+) \(.*?\)(?=$|`)", re.S | re.M)
HOLDING = re.compile(r"CREATE TABLE (test\.\w+) [^`]*`\s+holding\s+(.*?)[,:]\s+(?:opened|the)\b", re.S)
OPENED = re.compile(r"opened\s+on\s+`([\w,]+)`")


def sent(text: str) -> bytes:
    """The bytes that a line of an example means."""
    return re.sub(
        rb"\\(x[0-9a-f]{2}|.)",
        lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b"x" else {b"t": b"\t", b"n": b"\n", b"0": b"\0"}[m[1]],
        text.encode(),
    )


def test_each_example_is_answered_as_it_stands_there(
    server: PrivateServer, connect: Callable[[int], Client]
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    tables = [m[1] for m in STATEMENT.finditer(page)]
    server.sql("CREATE DATABASE IF NOT EXISTS test CHARACTER SET utf8mb4")
    for table in tables:
        server.sql(f"DROP TABLE IF EXISTS test.{table}")
    for statement in STATEMENT.finditer(page):
        server.sql(statement[0])
    for statement in ROWS:
        server.sql(statement)
    for table, text in HOLDING.findall(page):
        server.sql(f"INSERT INTO {table} VALUES {','.join(re.findall(r'[(][^)]*[)]', text))}")
    client = connect(server.port_wr)
    end = examples = 0
    for example in EXAMPLE.finditer(page):
        prose, end = page[end : example.start()], example.end()
        if columns := OPENED.findall(prose):
            named = re.findall(r"CREATE TABLE (test\.\w+)", prose)
            client.open(named[-1] if named and named[-1] != "test.user" else "test.user", columns[-1].split(","))
        lines = example[1].splitlines()
        for request, reply in zip(lines[::2], lines[1::2], strict=True):
            assert request[0] == ">" and reply[0] == "<", example[1]
            client.send(sent(request[2:]))
            assert client.read_line() + b"\n" == sent(reply[2:]), (request, example[1])
            examples += 1
    assert examples >= 25
    for table in tables:
        server.sql(f"DROP TABLE test.{table}")
