"""A range that is read in pages."""

from __future__ import annotations

from typing import Any, List, Optional

from .calls import Filters, Row, TableCalls, key_values
from .errors import UnsupportedError, ValueError
from .protocol import Filter, Raw
from .values import Key, to_bytes

_LOWEST = {
    "integer": b"-9223372036854775808",
    "float": b"-1.7976931348623157e308",
    "decimal": b"-" + b"9" * 65,
    "date": b"0000-00-00",
    "datetime": b"0000-00-00 00:00:00",
    "time": b"-838:59:59",
}


class Pages:
    """Gives one page after the other.

    Each begins at the last row's key, and skips the rows that were given with that key. Behind a
    key that has one row at most, it begins behind it.
    """

    def __init__(
        self,
        core: Any,
        calls: TableCalls,
        start: Optional[Key],
        stop: Optional[Key],
        reverse: bool,
        filters: Filters,
        size: int,
    ) -> None:
        if reverse and start is None:
            raise ValueError("a range in reverse needs its start")
        if size < 1:
            raise ValueError("a page has at least one row")
        self._core, self._calls, self._reverse, self._size = core, calls, reverse, size
        self._start = None if start is None else key_values(start)
        self._stop, self._given = stop, filters
        self._key: List[str] = []
        self._skip = 0
        self._op = "<=" if reverse else ">="
        self.ended = False

    async def _prepare(self) -> None:
        calls = self._calls
        self._key, self._unique = await self._core.key(
            calls.database, calls.table, calls.index or "PRIMARY"
        )
        names = [one[0] for one in self._given]
        wire = [
            Filter("F", op, at, to_bytes(value)) for at, (_, op, value) in enumerate(self._given)
        ]
        if self._stop is not None:
            (stop, *more) = key_values(self._stop)
            if more:
                raise ValueError("stop is one value, of the first column of the index")
            wire.append(Filter("W", ">" if self._reverse else "<", len(names), stop))
            names.append(self._key[0])
        self._names, self._wire = names, wire
        self._columns = [*calls.columns, *(one for one in self._key if one not in calls.columns)]
        if self._start is None:
            self._start = [await self._lowest()]

    async def _lowest(self) -> Raw:
        calls = self._calls
        rows = await self._core.columns(calls.database, calls.table)
        (row,) = (one for one in rows if one["column"] == self._key[0])
        if row["type"] in ("uuid", "inet4", "inet6"):
            raise UnsupportedError(f"a range of a column of type {row['type']} needs its start")
        if row["nullable"]:
            return None
        kinds = await self._core.kinds(calls.database, calls.table)
        return _LOWEST.get(kinds[self._key[0]], b"")

    async def next(self) -> List[Row]:
        """The next page; `ended` is true when it is the last one."""
        if not self._key:
            await self._prepare()
        call = self._calls.page(
            self._op,
            self._start or [],
            self._size,
            self._skip,
            self._names,
            self._wire,
            self._columns,
        )
        reply = await self._core.one(call)
        width = len(self._columns)
        rows = [reply.values[at : at + width] for at in range(0, len(reply.values), width)]
        self.ended = len(rows) < self._size
        if rows:
            self._go_behind(rows)
        kept = len(self._calls.columns)
        flat = [value for row in rows for value in row[:kept]]
        return self._calls.rows(self._calls.columns)(reply._replace(values=flat))

    def _go_behind(self, rows: List[List[Raw]]) -> None:
        places = [self._columns.index(one) for one in self._key]
        keys = [[row[place] for place in places] for row in rows]
        if self._unique:
            self._op, self._start = "<" if self._reverse else ">", keys[-1]
            return
        same = next((at for at, key in enumerate(reversed(keys)) if key != keys[-1]), len(keys))
        again = same == len(keys) and keys[-1] == self._start
        self._skip = same + (self._skip if again else 0)
        self._start = keys[-1]
