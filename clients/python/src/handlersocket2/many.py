"""Many keys in one request: which of its rows is whose."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from . import protocol
from .calls import Row, TableCalls, has_columns, key_values
from .connection import Call
from .protocol import Raw
from .reader import Reply
from .values import Key, kind_of

MOST_KEYS = 1000  # of one request
MOST_BYTES = 1 << 20


class ManyKeys:
    """The keys of a `get_many` that one request can ask for: of one value each.

    IN finds one row at most for each value, in their order, and skips values without one. So where
    there are as many rows as keys each row is that of its key. Else the keys that are, byte by
    byte, those of the rows tell it, if there are as many of these as rows: a key that is a row's
    own text finds a row. (Other keys may find rows, too, as `A` finds `a` by many collations.)
    """

    def __init__(self, calls: TableCalls, part: Dict[str, Any], keys: List[Raw]) -> None:
        self._keys = keys
        self._columns = calls.columns
        self._at: Optional[int] = None
        if kind_of(part["type"]) in ("integer", "text", "bytes") and part["prefix_length"] is None:
            if part["column"] not in self._columns:
                self._columns += (part["column"],)
            self._at = self._columns.index(part["column"])
        self._row = calls.row_of(calls.columns)
        listed = protocol.In(0, keys)
        self.call = Call(
            "get_many",
            lambda id: protocol.find(id, "=", (b"",), len(keys), 0, listed),
            self._decode,
            calls.index_of(self._columns),
        )

    def _decode(self, reply: Reply) -> Optional[List[Optional[Row]]]:
        """A row or None for each key; None when it cannot be told which row is whose."""
        width = len(self._columns)
        values = has_columns(reply, width, len(self._keys)).values
        row = self._row
        rows = [row(values[at : at + width]) for at in range(0, len(values), width)]
        if len(rows) == len(self._keys):
            return list(rows)
        own = [] if self._at is None else list(values[self._at :: width])
        found: List[Optional[Row]] = []
        next_row = 0
        for key in self._keys:
            if next_row < len(own) and own[next_row] == key:
                found.append(rows[next_row])
                next_row += 1
            else:
                found.append(None)
        return found if next_row == len(rows) else None


def in_requests(
    calls: TableCalls, parts: Sequence[Dict[str, Any]], keys: Sequence[Key]
) -> List[ManyKeys]:
    """Requests for all keys, in their order; none when each key needs a request of its own."""
    values = [key_values(key) for key in keys]
    if any(len(one) != 1 for one in values):
        return []
    singles = [one[0] for one in values]
    if sum(map(len, filter(None, singles))) > MOST_BYTES:
        return []
    return [
        ManyKeys(calls, parts[0], singles[at : at + MOST_KEYS])
        for at in range(0, len(singles), MOST_KEYS)
    ]
