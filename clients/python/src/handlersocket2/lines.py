"""Calls that are of no table."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Sequence

from . import protocol
from .calls import has_columns
from .connection import NOTHING, Call
from .errors import ProtocolError, ValueError
from .protocol import MAX_NUMBER
from .reader import Reply
from .values import DECODERS, list_of


def line_call(kind: str, line: bytes, feature: Optional[str] = None) -> Call:
    """A call of a line that is answered with nothing."""

    def decode(reply: Reply) -> None:
        if reply != NOTHING:
            raise ProtocolError("there was nothing to tell", sent=True)

    return Call(kind, lambda id: line, decode, feature=feature)


def hello_call(line: bytes) -> Call:
    """`H`, as it stands in the line."""
    return Call("ping", lambda id: line, lambda reply: None)


def wait_call(gtid: str, seconds: float) -> Call:
    """`G W`: whether all is applied."""
    if not isinstance(seconds, (int, float)) or not 0 <= seconds <= 600:
        raise ValueError(f"{seconds!r} is no number of seconds from 0 to 600")
    line = protocol.wait_gtid(gtid, int(seconds * 1000))
    return Call(
        "wait_for_gtid", lambda id: line, lambda reply: reply.values == [b"1"], feature="gtid"
    )


def _gtid(reply: Reply) -> str:
    """A GTID, or nothing before the first change."""
    found = reply.values[0] if reply.columns == len(reply.values) == 1 else None
    if found is None or not _GTID.fullmatch(found):
        raise ProtocolError("this is no GTID", sent=True)
    return found.decode()


_GTID = re.compile(
    rb"(?:[0-9]{1,10}-[0-9]{1,10}-[0-9]{1,20}"  # MariaDB's
    rb"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?::[a-z_][a-z0-9_]{0,31})?:[0-9]{1,19})?"
)
LAST_GTID = Call("last_gtid", lambda id: b"G\tL\n", _gtid, feature="gtid")
COLUMN = ("column", "type", "nullable", "key", "default", "extra", "character_set", "comment")
NEVER_NULL = {"database", "table", "column", "type", "nullable", "index", "position", "unique"}
MOST_PARTS = 4096  # of columns in a table, and of those in its indexes
INDEX = ("index", "position", "column", "unique", "direction", "prefix_length")


def describe_call(
    database: Optional[str] = None, table: Optional[str] = None, indexes: bool = False
) -> Call:
    """D: dicts of databases, tables, columns or indexes."""
    names = ("database",) if database is None else ("table", "comment")
    if table is not None:
        names = INDEX if indexes else COLUMN
    line = protocol.describe(database, table, indexes)

    def decode(reply: Reply) -> List[Dict[str, Any]]:
        values = has_columns(reply, len(names), MAX_NUMBER if table is None else MOST_PARTS).values
        texts = [None if one is None else DECODERS["text"](one) for one in values]
        rows: List[Dict[str, Any]] = [
            dict(zip(names, texts[at:])) for at in range(0, len(texts), len(names))
        ]
        for row in rows:
            if None in [row[name] for name in NEVER_NULL.intersection(names)]:
                raise ProtocolError("a name or a type is missing", sent=True)
            if table is not None and not indexes:
                row["nullable"] = row["nullable"] == "YES"
            if indexes:
                row["position"] = int(row["position"])
                row["unique"] = row["unique"] == "1"
                row["prefix_length"] = row["prefix_length"] and int(row["prefix_length"])
        return rows

    return Call("describe", lambda id: line, decode, feature="describe")


# How lines begin that use or change what belongs to a connection.
_OF_A_CONNECTION = tuple(bytes([one]) for one in b"0123456789APT")


def raw_call(tokens: Sequence[str], changes: bool) -> Call:
    """One line as it is: a list of the number of columns and values."""
    line = b"\t".join(map(protocol.utf8, list_of(tokens, "tokens")))
    if b"\n" in line:
        raise ValueError("a line has no LF")
    if line[:1] in _OF_A_CONNECTION:
        raise ValueError(
            "an index, a login and a transaction are of one connection, which raw has not"
        )
    return Call(
        "raw",
        lambda id: line + b"\n",
        lambda reply: (0, reply.columns, *reply.values),
        changes=changes,
    )
