"""Calls that are of no table."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from . import protocol
from .connection import Call
from .errors import ValueError
from .reader import Reply
from .values import DECODERS


def _nothing(reply: Reply) -> None:
    return None


def line_call(kind: str, line: bytes, feature: Optional[str] = None) -> Call:
    """A call of a line that is answered with nothing."""
    return Call(kind, lambda id: line, _nothing, feature=feature)


def wait_call(gtid: str, seconds: float) -> Call:
    """`G W`: whether all is applied."""
    line = protocol.wait_gtid(gtid, int(seconds * 1000))
    return Call(
        "wait_for_gtid", lambda id: line, lambda reply: reply.values == [b"1"], feature="gtid"
    )


LAST_GTID = Call(
    "last_gtid",
    lambda id: b"G\tL\n",
    lambda reply: (reply.values[0] or b"").decode(),
    feature="gtid",
)
COLUMN = ("column", "type", "nullable", "key", "default", "extra", "character_set", "comment")
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
        texts = [None if one is None else DECODERS["text"](one) for one in reply.values]
        rows: List[Dict[str, Any]] = [
            dict(zip(names, texts[at:])) for at in range(0, len(texts), len(names))
        ]
        for row in rows:
            if table is not None and not indexes:
                row["nullable"] = row["nullable"] == "YES"
            if indexes:
                row["position"] = int(row["position"] or 0)
                row["unique"] = row["unique"] == "1"
                row["prefix_length"] = row["prefix_length"] and int(row["prefix_length"])
        return rows

    return Call("describe", lambda id: line, decode, feature="describe")


def raw_call(tokens: Sequence[str], changes: bool) -> Call:
    """One line as it is: a list of the number of columns and values."""
    line = b"\t".join(token.encode() for token in tokens)
    if b"\n" in line:
        raise ValueError("a line has no LF")
    return Call(
        "raw",
        lambda id: line + b"\n",
        lambda reply: (0, reply.columns, *reply.values),
        changes=changes,
    )
