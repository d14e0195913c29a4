"""Clients that send anything to the wild tables, on connections that stay while tables change."""

from __future__ import annotations

import random
import select
import socket
import struct
import time
from collections import Counter, deque
from collections.abc import Callable

from fuzz_clients import REPLY, Finding, converse
from fuzz_tables import Table
from hang import TIMEOUT_S, Hang
from pipelines import Pipelines
from server_files import IS_DEFAULT

Stop = Callable[[], bool]
KEPT_OPEN = 4
# Engine numbers that a client may get: see docs/errors.md. Every other one is a mistake.
NUMBERS = {b"121", b"135", b"139", b"146", b"149", b"151", b"152", b"159", b"160", b"167"}
# The row has changed since the view; only servers with innodb_snapshot_isolation say so.
NUMBERS |= set() if IS_DEFAULT else {b"123"}
IMPORTED = {b"155", b"194"}  # of tables whose files are gone for a moment
LAST_REPLIES = (b"2\t1\trequest_too_long", b"1\t1\ttoo_many_connections")


class Connection:
    """One connection and what it sends."""

    def __init__(self, seed: str, tables: list[Table], ports: tuple[int, int]) -> None:
        rng = random.Random(seed)
        writes = rng.random() < 0.75
        self.lifetime = rng.choice((1, 5, 40, 200))  # pipelines
        self.ending = rng.random()
        self.requests = Pipelines(seed, tables, writes)
        self.socket = socket.create_connection(("127.0.0.1", ports[writes]), timeout=TIMEOUT_S)
        self.received = bytearray()

    def send(self, data: bytes) -> None:
        """Sends all of it, and reads meanwhile: the server stops reading from a client that does not read."""
        self.socket.setblocking(False)
        position = 0
        while position < len(data):
            readable, writable, _ = select.select([self.socket], [self.socket], [], TIMEOUT_S)
            if not readable and not writable:
                raise Hang(f"nothing is taken for {TIMEOUT_S} s")
            if readable:
                self.read()
            elif writable:
                position += self.socket.send(data[position:])
        self.socket.settimeout(TIMEOUT_S)

    def read(self) -> None:
        """Receives some more bytes. Raises ConnectionError at the end."""
        chunk = self.socket.recv(1 << 16)
        if not chunk:
            raise ConnectionResetError
        self.received += chunk

    def replies(self, number: int) -> list[bytes]:
        """Reads so many lines."""
        try:
            while self.received.count(b"\n") < number:
                self.read()
        except TimeoutError as error:
            raise Hang(f"no reply for {TIMEOUT_S} s") from error
        lines = bytes(self.received).split(b"\n", number)
        self.received = bytearray(lines.pop())
        return lines


class WildClient:
    """Keeps some connections, uses one after the other, and ends them in every way."""

    def __init__(self, name: str, seed: str, tables: list[Table], ports: tuple[int, int]) -> None:
        self.name = name
        self.replies: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.recent: deque[bytes] = deque(maxlen=40)
        self._seed, self._tables, self._ports = seed, tables, ports
        self._made = 0

    @property
    def last(self) -> str:
        """What was sent last."""
        return repr(self.recent[-1]) if self.recent else ""

    def run(self, stop: Stop) -> None:
        """Until `stop`. Raises Hang, or OSError."""
        rng = random.Random(self._seed)
        places: list[Connection | None] = [None] * KEPT_OPEN
        while not stop():
            place = rng.randrange(KEPT_OPEN)
            connection = places[place]
            if connection is None:
                try:
                    connection = Connection(f"{self._seed}/{self._made}", self._tables, self._ports)
                except ConnectionError:  # the plugin is not loaded now
                    self.replies["no connection"] += 1
                    time.sleep(0.02)
                    continue
                self._made += 1
            places[place] = connection if self._use(connection) else None
        for connection in places:
            if connection:
                connection.socket.close()

    def _use(self, connection: Connection) -> bool:
        """Sends one pipeline; returns whether the connection goes on."""
        data = connection.requests.pipeline()
        self.recent.append(data)
        connection.lifetime -= 1
        try:
            if connection.lifetime > 0:
                connection.send(data)
                return self._judge(connection, data, connection.replies(data.count(b"\n")))
            self._end(connection, data)
        except TimeoutError as error:
            raise Hang(error) from error
        except OSError:
            self.replies["connection lost"] += 1
        connection.socket.close()
        return False

    def _end(self, connection: Connection, data: bytes) -> None:
        if connection.ending < 0.3:  # half-closed
            try:
                replies = converse(connection.socket, data, connection.requests.random)
            except Finding as error:
                raise Hang(error) from error
            self._judge(connection, data, replies.split(b"\n")[:-1])
            return
        connection.send(data[: len(data) - int(connection.ending * 20)])
        if connection.ending < 0.7:
            reset = struct.pack("ii", 1, 0)
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)

    def _judge(self, connection: Connection, data: bytes, lines: list[bytes]) -> bool:
        for request, line in zip(data.split(b"\n"), lines):
            if not REPLY.fullmatch(line):
                self.wrong.append(f"no reply: {line[:200]!r}")
                return False
            tokens = line.split(b"\t", 3)
            if tokens[0] == b"1" and tokens[2].isdigit() and tokens[2] not in NUMBERS | IMPORTED:
                where = connection.requests.where(request)
                self.wrong.append(f"{line!r} is the answer to {request!r} on {where}")
            self.replies["done" if tokens[0] == b"0" else tokens[2].split()[0].decode()] += 1
        return not lines or lines[-1] not in LAST_REPLIES
