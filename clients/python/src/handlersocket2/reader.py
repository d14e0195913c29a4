"""Replies from bytes. This module knows no socket."""

from __future__ import annotations

import re
from typing import (
    Any,
    Callable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
)

from .errors import ProtocolError, ServerError, server_error
from .protocol import Raw

MAX_REPLY = 64 << 20
LONG = 1 << 16  # From here on a list of values is worth a second look.
SHORT = 1 << 10  # Up to here looking for one value at once takes less than splitting.
_ONE_VALUE = re.compile(rb"0\t1\t([^\t\n\x00\x01]*)\n").fullmatch  # a whole reply, as most are
_ESCAPE = re.compile(rb"\x01(.?)", re.DOTALL)
_PLAIN = {bytes([c + 64]): bytes([c]) for c in range(16)}


_SMALL = {b"%d" % number: number for number in range(100)}


class Reply(NamedTuple):
    """A reply that is no error: its number of columns, and all values in their order."""

    columns: int
    values: Sequence[Raw]


_new: Callable[[Type[Reply], Tuple[int, Sequence[Raw]]], Reply] = tuple.__new__


class LongValues(Sequence[Raw]):
    """The values of a long reply, listed when the first one is asked for. Their number is known
    before: a list of 64 MiB of empty values takes eight times as much."""

    def __init__(self, tokens: bytes, number: int) -> None:
        self._tokens, self._number = tokens, number
        self._listed: Optional[List[Raw]] = None

    def _list(self) -> List[Raw]:
        if self._listed is None:
            self._listed, self._tokens = _values(self._tokens.split(b"\t"), self._tokens), b""
        return self._listed

    def __len__(self) -> int:
        return self._number

    def __getitem__(self, at: Any) -> Any:
        return self._list()[at]

    def __iter__(self) -> Iterator[Raw]:
        return iter(self._list())


def _values(tokens: List[bytes], line: bytes) -> List[Raw]:
    if _has_marks(line):
        return [decode_value(token) for token in tokens]
    return tokens  # type: ignore[return-value]


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


def _has_marks(data: bytes) -> bool:
    """Whether there may be NULL or an escape sequence. Looking takes long for a single line."""
    return b"\x01" in data or b"\0" in data


def parse_reply(line: bytes, marks: bool = True) -> Union[Reply, ServerError]:
    """The reply in a line without its LF; ProtocolError when it is none. Without `marks` the line
    is known to have neither NULL nor an escape sequence."""
    if not marks and line[:4] == b"0\t1\t" and line.find(b"\t", 4) < 0:
        return _new(Reply, (1, [line[4:]]))  # one value, as most have
    tokens = line.split(b"\t", -1 if len(line) < LONG else 2)
    number = tokens[1] if len(tokens) > 1 else b""
    columns = _SMALL.get(number, -1)  # int() takes longer
    if columns < 0:
        if not number.isdigit() or len(number) > 10:
            raise ProtocolError("this is no reply", sent=True)
        columns = int(number)
    if tokens[0] != b"0":
        return _parse_error(tokens, columns)
    values: Sequence[Raw]
    if len(line) < LONG:
        values = tokens[2:]
        if marks:
            values = _values(tokens[2:], line)
    else:
        values = LongValues(tokens[2], line.count(b"\t") - 1) if tokens[2:] else []
    if len(values) % columns if columns else values:
        raise ProtocolError("the values are no multiple of the columns", sent=True)
    return _new(Reply, (columns, values))  # in less time than by its own function


def _parse_error(tokens: List[bytes], columns: int) -> ServerError:
    if not tokens[0].isdigit() or len(tokens[0]) > 10:
        raise ProtocolError("this is no reply", sent=True)
    if columns != 1:
        raise ProtocolError("this is no error", sent=True)
    return server_error(
        int(tokens[0]), b" ".join(tokens[2:]).replace(b"\t", b" ").decode("ascii", "replace")
    )


class Reader:
    """Turns bytes, in any pieces, into replies. `max_reply`: most bytes of a reply with its LF."""

    def __init__(self, max_reply: int = MAX_REPLY) -> None:
        self._max_reply = max_reply
        self._short = min(SHORT, max_reply)
        self._rest = bytearray()

    @property
    def rest(self) -> int:
        """How many bytes have come that are no whole reply yet."""
        return len(self._rest)

    def feed(self, data: bytes) -> List[Union[Reply, ServerError]]:
        """The replies that these bytes end; ProtocolError when one is none, or is too long."""
        if len(data) < self._short and not self._rest:
            found = _ONE_VALUE(data)
            if found:
                return [_new(Reply, (1, [found[1]]))]
        if b"\n" not in data:
            self._keep(data)
            return []
        if self._rest:
            data = b"".join((self._rest, data))
            self._rest = bytearray()
        lines = data.split(b"\n")
        rest = lines.pop()
        if len(data) > self._max_reply and max(map(len, lines)) >= self._max_reply:
            raise ProtocolError("the reply is too long", sent=True)
        marks = _has_marks(data)
        replies = [parse_reply(line, marks) for line in lines]
        if rest:
            self._keep(rest)
        return replies

    def _keep(self, data: bytes) -> None:
        self._rest += data
        if len(self._rest) >= self._max_reply:
            raise ProtocolError("the reply is too long", sent=True)
