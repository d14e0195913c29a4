"""Replies from bytes. This module knows no socket."""

from __future__ import annotations

import re
from typing import List, NamedTuple, Union

from .errors import ProtocolError, ServerError, server_error
from .protocol import Raw

MAX_REPLY = 64 << 20
_ESCAPE = re.compile(rb"\x01(.?)", re.DOTALL)
_PLAIN = {bytes([c + 64]): bytes([c]) for c in range(16)}


class Reply(NamedTuple):
    """A reply that is no error: its number of columns, and all values in their order."""

    columns: int
    values: List[Raw]


def decode_value(token: bytes) -> Raw:
    """The value of a token; ProtocolError when it is none."""
    if b"\x01" in token:
        return _ESCAPE.sub(_unescape, token)
    return None if token == b"\0" else token


def _unescape(found: "re.Match[bytes]") -> bytes:
    try:
        return _PLAIN[found[1]]
    except KeyError:
        raise ProtocolError("an escape sequence is none", sent=True) from None


def parse_reply(line: bytes) -> Union[Reply, ServerError]:
    """The reply in a line without its LF; ProtocolError when it is none."""
    tokens = line.split(b"\t")
    number = tokens[1] if len(tokens) > 1 else b""
    if not number.isdigit() or len(number) > 10:
        raise ProtocolError("this is no reply", sent=True)
    columns = int(number)
    if tokens[0] != b"0":
        return _parse_error(tokens, columns)
    values: List[Raw] = tokens[2:]  # type: ignore[assignment]
    if len(values) % columns if columns else values:
        raise ProtocolError("the values are no multiple of the columns", sent=True)
    if b"\x01" in line or b"\0" in line:
        values = [decode_value(token) for token in tokens[2:]]
    return Reply(columns, values)


def _parse_error(tokens: List[bytes], columns: int) -> ServerError:
    if not tokens[0].isdigit() or len(tokens[0]) > 10:
        raise ProtocolError("this is no reply", sent=True)
    if columns != 1:
        raise ProtocolError("this is no error", sent=True)
    return server_error(int(tokens[0]), b" ".join(tokens[2:]).decode("ascii", "replace"))


class Reader:
    """Turns bytes, in any pieces, into replies. `max_reply`: most bytes of a reply with its LF."""

    def __init__(self, max_reply: int = MAX_REPLY) -> None:
        self._max_reply = max_reply
        self._pieces: List[bytes] = []
        self._size = 0

    @property
    def rest(self) -> int:
        """How many bytes have come that are no whole reply yet."""
        return self._size

    def feed(self, data: bytes) -> List[Union[Reply, ServerError]]:
        """The replies that these bytes end; ProtocolError when one is none, or is too long."""
        if b"\n" not in data:
            self._keep(data)
            return []
        if self._pieces:
            data = b"".join((*self._pieces, data))
            self._pieces.clear()
            self._size = 0
        lines = data.split(b"\n")
        rest = lines.pop()
        if len(data) > self._max_reply and max(map(len, lines)) >= self._max_reply:
            raise ProtocolError("the reply is too long", sent=True)
        replies = [parse_reply(line) for line in lines]
        if rest:
            self._keep(rest)
        return replies

    def _keep(self, data: bytes) -> None:
        self._pieces.append(data)
        self._size += len(data)
        if self._size >= self._max_reply:
            raise ProtocolError("the reply is too long", sent=True)
