"""A server of a test's own, behind no socket: it answers each line by a function."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

import handlersocket2
from handlersocket2.transport import PlainWorld

FEATURES = "count,describe,upsert,returning,transaction,gtid,all,descending"
Answer = Callable[[bytes], Optional[bytes]]


class _Transport:
    def __init__(self, server: "Server") -> None:
        self._server = server
        self._come = b""
        server.connections += 1

    def limit(self, seconds: float) -> None:
        """No test takes time."""

    async def send(self, data: bytes, sink: Any) -> None:
        for line in data.splitlines():
            self._server.lines.append(line)
            self._come += self._server.reply(line)

    async def receive(self) -> bytes:
        come, self._come = self._come, b""
        return come

    def alive(self, trusted: bool) -> bool:
        return True

    def close(self) -> None:
        """There is no socket."""


class Server(PlainWorld):
    """`answer` gets a line without its LF; None: as an honest server answers H, P and T."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.lines: List[bytes] = []
        self.connections = 0

    def reply(self, line: bytes) -> bytes:
        """The reply to a line."""
        said = self.answer(line)
        if said is None:
            hello = b"0\t6\t2\tfake\t1\t10.11\t" + FEATURES.encode() + b"\t1\n"
            said = hello if line.startswith(b"H") else b"0\t1\n"
        return said

    async def connect(self, address: Any, seconds: float) -> _Transport:  # type: ignore[override]
        """A connection."""
        return _Transport(self)

    def client(self, options: str = "&retries=0") -> handlersocket2.Client:
        """A client of this server."""
        made = handlersocket2.connect("hs://fake/test?write_port=1" + options)
        core = made.inner.core
        for pool in (core.read, core.writer(), *core._replicas):
            pool._world = self
        return made
