"""Servers of a test's own, behind no socket and behind one: they answer each line by a function."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any, Callable, List, Optional

import handlersocket2
from handlersocket2.worlds import PlainWorld

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


class Listener:
    """A server at a port; `answer` gets a line and its connection's number; None: like Server."""

    def __init__(self, answer: Callable[[bytes, int], Optional[bytes]]) -> None:
        self._server = Server(lambda line: None)
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.place = self._socket.getsockname()
        self.url = "hs://127.0.0.1:{0}/test?write_port={0}".format(self.place[1])
        self.connections: List[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                one, _ = self._socket.accept()
            except OSError:
                return
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections.append(one)
            number = len(self.connections)
            threading.Thread(target=self._serve, args=(one, number), daemon=True).start()

    def _serve(self, one: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError):
            for line in one.makefile("rb"):
                said = self._answer(line[:-1], number)
                one.sendall(self._server.reply(line[:-1]) if said is None else said)

    def close(self) -> None:
        """Ends it."""
        for one in (self._socket, *self.connections):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
