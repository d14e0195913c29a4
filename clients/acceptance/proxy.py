"""A TCP proxy between a client and the server, which splits, cuts, holds and changes what passes."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable


class Proxy:
    """Listens at `port` of 127.0.0.1. What it does with replies can be changed at any time:

    piece      most bytes that are passed on in one send; 0: as they come
    cut_after  closes the connection once when so many bytes of replies have passed; None: never
    held       replies are kept, until `release`
    refuses    each request is answered with `shutdown`
    keeps      a connection that the server ends stays open for the client
    original   H is answered with `cmd`, as the original plugin does
    watch      is called with what clients send, before it is passed on
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.piece = 0
        self.cut_after: int | None = None
        self.held = False
        self.refuses = False
        self.keeps = False
        self.original = False
        self.watch: Callable[[bytes], None] | None = None
        self.connections = 0
        self.requests = b""
        self._open: list[socket.socket] = []
        self._kept: list[tuple[socket.socket, bytes]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.connections += 1
                try:
                    server = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    client.close()
                    continue
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open += [client, server]
                for work in (self._requests, self._replies):
                    threading.Thread(target=work, args=(client, server), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                self.requests += data[:65536]
                if self.watch:
                    self.watch(data)
                if self.refuses:
                    client.sendall(b"3\t1\tshutdown\n" * data.count(b"\n"))
                    continue
                if self.original:  # `h` is no command to the server either
                    data = b"".join(
                        b"h" + line[1:] if line.startswith(b"H\t") else line
                        for line in data.splitlines(keepends=True)
                    )
                server.sendall(data)
        self._end(client, server)

    def _replies(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if self.held:
                    self._kept.append((client, data))
                    continue
                if self.cut_after is not None and len(data) >= self.cut_after:
                    client.sendall(data[: self.cut_after])
                    self.cut_after = None
                    break
                if self.cut_after is not None:
                    self.cut_after -= len(data)
                step = self.piece or len(data)
                for start in range(0, len(data), step):
                    client.sendall(data[start : start + step])
        if not self.keeps:
            self._end(client, server)

    @staticmethod
    def _end(*ends: socket.socket) -> None:
        for one in ends:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """Passes on what is held; replies are held no longer."""
        self.held = False
        for client, data in self._kept:
            with contextlib.suppress(OSError):
                client.sendall(data)
        self._kept.clear()

    def drop(self) -> None:
        """Closes every connection that is there now."""
        self._end(*self._open)
        self._open.clear()

    def close(self) -> None:
        """Closes everything."""
        self._end(self._listener)
        self._listener.close()
        self.drop()
