"""Clients of the two ports that send drawn bytes, and an administrator that changes the tables."""

from __future__ import annotations

import random
import re
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from fuzz_requests import Generator
from fuzz_tables import STATEMENTS, WRITTEN, Table, names

TIMEOUT_S = 60
TOO_LONG = b"2\t1\trequest_too_long"
REPLY = re.compile(rb"0\t\d+(?:\t[^\n]*)?|[123]\t1\t[ -~]+")
VICTIM = (
    "SET @victim = (SELECT id FROM information_schema.processlist"
    " WHERE user = 'handlersocket' ORDER BY RAND() LIMIT 1)"
)

Stop = Callable[[], bool]


class Finding(Exception):
    """Something that must not happen."""


class FuzzClient:
    """Opens connections one after the other and sends each a drawn stream of bytes."""

    def __init__(self, seed: str, tables: list[Table], ports: tuple[int, int]) -> None:
        self.sent: deque[tuple[str, bytes]] = deque(maxlen=30)  # the last streams
        self.requests = 0
        self._seed = seed
        self._tables = tables
        self._ports = ports

    def run(self, stop: Stop) -> None:
        """Until `stop`. Raises Finding, or OSError when the server is gone."""
        number = 0
        while not stop():
            generator = Generator(f"{self._seed}/{number}", self._tables)
            number += 1
            writes = generator.random.random() < 0.6
            data = generator.stream(writes) or b"\n"
            self.sent.append(("write" if writes else "read", data))
            self.requests += data.count(b"\n")
            with socket.create_connection(
                ("127.0.0.1", self._ports[writes]), timeout=TIMEOUT_S
            ) as connection:
                self._talk(connection, data, generator.random)

    def _talk(self, connection: socket.socket, data: bytes, rng: random.Random) -> None:
        behaviour = rng.random()
        if behaviour < 0.75:
            check_replies(data, converse(connection, data, rng))
            return
        try:
            connection.sendall(data[: rng.randrange(len(data) + 1)])
        except (ConnectionError, TimeoutError):
            return
        if behaviour < 0.9:
            # Closing resets the connection, whatever is under way.
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        if rng.random() < 0.5:
            time.sleep(rng.random() / 50)


def converse(connection: socket.socket, data: bytes, rng: random.Random) -> bytes:
    """Sends everything in pieces of any size, ends the sending side, and reads to the end."""
    connection.setblocking(False)
    received = bytearray()
    position = 0
    piece = rng.choice((1, 7, 100, 1 << 20)) if len(data) < 5000 else 1 << 20
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        sends = [connection] if position < len(data) else []
        readable, writable, _ = select.select([connection], sends, [], 1)
        if time.monotonic() > deadline:
            raise Finding(f"no reply for {TIMEOUT_S} s after {len(received)} bytes of replies")
        if writable:
            position += connection.send(data[position : position + rng.randint(1, piece)])
            if position == len(data):
                connection.shutdown(socket.SHUT_WR)
        if readable:
            chunk = connection.recv(1 << 16)
            if not chunk:
                return bytes(received)
            received += chunk


def check_replies(data: bytes, replies: bytes) -> None:
    """One well-formed line for each request, or as many as there are up to one that is too long: a
    connection that has opened no index yet may send 64 KiB in one line."""
    lines = replies.split(b"\n")
    if lines.pop() != b"":
        raise Finding("the last reply has no end")
    requests = data.count(b"\n")
    is_cut = lines[-1:] == [TOO_LONG]
    if len(lines) > requests or (len(lines) < requests and not is_cut):
        raise Finding(f"{requests} requests, but {len(lines)} replies")
    for line in lines:
        if not REPLY.fullmatch(line):
            raise Finding(f"no reply: {line[:200]!r}")


class Administrator:
    """Changes the written tables' definitions, and flushes, locks and kills."""

    def __init__(self, seed: str, connect: Callable[[], Any]) -> None:
        self.done: deque[str] = deque(maxlen=50)
        self._random = random.Random(seed)
        self._connect = connect

    def run(self, stop: Stop) -> None:
        """Works until `stop`. A statement that the server refuses is left out."""
        import mysql_dialect
        import pymysql

        connection = self._connect()
        with connection, connection.cursor() as sql:
            sql.execute("SET lock_wait_timeout = 3, innodb_lock_wait_timeout = 2")
            sql.execute(f"USE {WRITTEN}")
            tables = names(sql, WRITTEN)
            while not stop():
                for statement in self._statements(self._random.choice(tables)):
                    self.done.append(statement)
                    try:
                        sql.execute(statement)
                        sql.fetchall()
                    except pymysql.err.OperationalError as error:
                        if error.args[0] in (2006, 2013):
                            raise
                    except (pymysql.err.MySQLError, mysql_dialect.NotOnMysql):
                        pass
                time.sleep(self._random.random() / 5)

    def _statements(self, table: str) -> list[str]:
        name = f"{WRITTEN}.{table}"
        fill = re.findall(rf"INSERT INTO {table} .*(?=;)", STATEMENTS)
        refill = ["SET foreign_key_checks = 0", *fill, "SET foreign_key_checks = 1"]
        pause = f"DO SLEEP({self._random.random() / 5:.3f})"
        return self._random.choice(
            [
                [f"ALTER TABLE {name} FORCE"],
                [f"ALTER TABLE {name} ADD COLUMN added INT NULL"],
                [f"ALTER TABLE {name} DROP COLUMN IF EXISTS added"],
                [f"ALTER TABLE {name} ADD INDEX IF NOT EXISTS more (id)"],
                [f"ALTER TABLE {name} DROP INDEX IF EXISTS more"],
                [f"FLUSH TABLES {name}"],
                ["FLUSH TABLES"],
                [f"TRUNCATE TABLE {name}", *refill],
                [f"DELETE FROM {name}", *refill],
                refill,
                refill,
                refill,
                [VICTIM, "KILL QUERY @victim"],
                [VICTIM, "KILL @victim"],
                [f"ANALYZE TABLE {name}"],
                [f"LOCK TABLES {name} WRITE", pause, "UNLOCK TABLES"],
                ["FLUSH TABLES WITH READ LOCK", pause, "UNLOCK TABLES"],
                ["BACKUP STAGE START", "BACKUP STAGE BLOCK_COMMIT", pause, "BACKUP STAGE END"],
                ["BEGIN", f"SELECT * FROM {name} FOR UPDATE", pause, "ROLLBACK"],
                [f"RENAME TABLE {name} TO {name}_", pause, f"RENAME TABLE {name}_ TO {name}"],
                ["SET GLOBAL sql_mode = ''", pause, "SET GLOBAL sql_mode = DEFAULT"],
                ["SET GLOBAL read_only = 1", pause, "SET GLOBAL read_only = 0"],
            ]
        )
