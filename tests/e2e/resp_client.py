"""A client of the RESP port that hides nothing: what is sent, and what comes back, as it is."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Union

Reply = Union[None, int, float, bool, bytes, str, list, dict, "RespError"]


class RespError(Exception):
    """An error reply, without the mark in front."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RespError) and str(self) == str(other)

    __hash__ = Exception.__hash__


def message(*arguments: Union[bytes, str, int]) -> bytes:
    """A command as clients send it."""
    parts = [one if isinstance(one, bytes) else str(one).encode() for one in arguments]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(one), one) for one in parts)


class Resp:
    """One connection. Simple strings are str, bulks bytes, errors RespError objects."""

    def __init__(self, port: int, timeout: float = 60) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> Resp:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self.file.close()
        self.socket.close()

    def __call__(self, *arguments: Union[bytes, str, int]) -> Any:
        """Sends one command and returns its reply."""
        self.socket.sendall(message(*arguments))
        return self.read()

    def pipeline(self, commands: Sequence[Sequence[Union[bytes, str, int]]]) -> list[Any]:
        """Sends all commands at once."""
        self.socket.sendall(b"".join(message(*one) for one in commands))
        return [self.read() for _ in commands]

    def read(self) -> Any:
        """The next reply."""
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionError(f"the connection has ended: {line!r}")
        mark, rest = line[:1], line[1:-2]
        if mark == b"+":
            return rest.decode()
        if mark == b"-":
            return RespError(rest.decode())
        if mark == b":":
            return int(rest)
        if mark == b"_":
            return None
        if mark == b",":
            return float(rest)
        if mark == b"#":
            return rest == b"t"
        size = int(rest)
        if mark in (b"$", b"="):
            if size < 0:
                return None
            bulk = self.file.read(size + 2)
            return bulk[:-2] if mark == b"$" else bulk[4:-2]
        if mark in (b"*", b"~", b">"):
            return None if size < 0 else [self.read() for _ in range(size)]
        if mark == b"%":
            return {key: self.read() for key in iter_keys(self, size)}
        raise AssertionError(f"no reply: {line!r}")

    def ended(self) -> bool:
        """Whether the server has closed the connection."""
        try:
            return self.file.read(1) == b""
        except ConnectionResetError:  # it had not read all that was sent
            return True


def iter_keys(client: Resp, size: int) -> Any:
    """The keys of a map; each one's value is to be read before the next."""
    for _ in range(size):
        yield client.read()


def lines_of(told: bytes) -> list[dict[str, str]]:
    """The connections of CLIENT LIST, as clients read them."""
    return [dict(part.split("=", 1) for part in line.split(" ")) for line in told.decode().splitlines()]
