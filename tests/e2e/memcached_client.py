"""What tests with clients of memcached share: a table, connections that send bytes as they are, packets."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator

import pytest
from private_server import PrivateServer, free_port

TABLE = (
    "CREATE TABLE hs.cache (k VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,"
    " v VARBINARY(2000) NOT NULL, f INT UNSIGNED NOT NULL DEFAULT 0, c BIGINT UNSIGNED NOT NULL DEFAULT 0,"
    " e INT NULL, KEY (e)) COMMENT 'hs: name=x key=k value=v flags=f cas=c ttl=e'"
)


class Raw:
    """A connection that sends bytes and reads replies as they are."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self, size: int) -> bytes:
        got = b""
        while len(got) < size:
            more = self.socket.recv(size - len(got))
            assert more, got
            got += more
        return got

    def ask(self, request: bytes, reply: bytes) -> None:
        self.send(request)
        got = b""
        while len(got) < len(reply):
            more = self.socket.recv(1 << 16)
            if not more:
                break
            got += more
        assert got == reply

    def line(self, request: bytes) -> bytes:
        self.send(request)
        got = b""
        while not got.endswith(b"\r\n"):
            more = self.socket.recv(1)
            assert more, got
            got += more
        return got[:-2]


# As the old plugin's script makes it.
CONTAINERS = (
    "CREATE DATABASE innodb_memcache",
    "CREATE TABLE innodb_memcache.containers (name VARCHAR(50) NOT NULL PRIMARY KEY,"
    " db_schema VARCHAR(250) NOT NULL, db_table VARCHAR(250) NOT NULL,"
    " key_columns VARCHAR(250) NOT NULL, value_columns VARCHAR(250),"
    " flags VARCHAR(250) NOT NULL DEFAULT '0', cas_column VARCHAR(250),"
    " expire_time_column VARCHAR(250), unique_idx_name_on_key VARCHAR(250) NOT NULL)",
    "CREATE TABLE innodb_memcache.config_options (name VARCHAR(50) NOT NULL PRIMARY KEY, value VARCHAR(50))",
)


def make_containers(server: PrivateServer) -> None:
    """Makes the tables of the old plugin, without a row."""
    for statement in CONTAINERS:
        server.sql(statement)


def drop_containers(server: PrivateServer, port: int) -> None:
    """Drops the tables of the old plugin, which are read once a second: until then keys are of their containers."""
    server.sql("DROP DATABASE IF EXISTS innodb_memcache")
    deadline = time.monotonic() + 60
    while not Raw(port).line(b"set nothing 0 0 1\r\n1\r\n").startswith(b"SERVER_ERROR the key is of no table"):
        assert time.monotonic() < deadline


@pytest.fixture(scope="module")
def port(server: PrivateServer) -> Iterator[int]:
    number = free_port()
    server.sql(f"SET GLOBAL handlersocket_memcached_port = '{number}'")
    yield number
    server.sql("SET GLOBAL handlersocket_memcached_port = '0'")


@pytest.fixture
def raw(port: int, database: str) -> Iterator[Raw]:
    made = Raw(port)
    yield made
    made.socket.close()


@pytest.fixture
def cache(server: PrivateServer, raw: Raw) -> Raw:
    server.sql(TABLE)
    return raw


def packet(opcode: int, key: bytes = b"", extras: bytes = b"", value: bytes = b"", cas: int = 0) -> bytes:
    size = len(key) + len(extras) + len(value)
    head = struct.pack(">BBHBBHIIQ", 0x80, opcode, len(key), len(extras), 0, 0, size, 0xBEEF, cas)
    return head + extras + key + value


def answer(raw: Raw) -> tuple[int, int, bytes, int]:
    """Status, opcode, body and version."""
    head = struct.unpack(">BBHBBHIIQ", raw.read(24))
    assert head[0] == 0x81 and head[7] == 0xBEEF
    return head[5], head[1], raw.read(head[6]), head[8]
