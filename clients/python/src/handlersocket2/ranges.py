"""A range that is read in pages."""

from __future__ import annotations

from typing import Any, List, Optional

from .calls import Filters, Row, TableCalls, key_values, wire_filters
from .errors import ValueError, server_error
from .index_calls import Altered, IndexCalls
from .protocol import Filter, Raw
from .range_index import RangeIndex
from .reader import Reply
from .values import Key


class Pages:
    """Gives one page after the other.

    Each begins behind the last row's key where one row at most can have it, and else with the rows
    of a key. A page ends in front of a key whose rows may not all be in it: the next page reads
    them again, so that rows which come or go meanwhile shift no others. Only of a key with more
    rows than a page has, the rows that were given are skipped by their number.
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
        if not isinstance(size, int) or size < 1:
            raise ValueError("a page has at least one row")
        self._core, self._calls, self._reverse, self._size = core, calls, reverse, size
        self._start = None if start is None else key_values(start)
        self._has_start = start is not None
        self._stop, self._given = stop, filters
        self._at = IndexCalls(core, calls.database, calls.table, calls.index)
        self._index: Optional[RangeIndex] = None
        self._skip = 0
        self._op = "<=" if reverse else ">="
        self.ended = False

    async def _prepare(self) -> RangeIndex:
        calls = self._calls
        index = RangeIndex(await self._at.know())
        names, wire = wire_filters(self._given)
        if self._stop is not None:
            (stop, *more) = key_values(self._stop)
            if more:
                raise ValueError("stop is one value, of the first column of the index")
            kind, op = index.end(self._reverse)
            wire.append(Filter(kind, op, len(names), stop))
            names.append(index.names[0])
        self._names, self._wire = names, wire
        self._columns = [*calls.columns, *(one for one in index.names if one not in calls.columns)]
        if not self._has_start:
            self._start = await self._lowest(index)
        return index

    async def _lowest(self, index: RangeIndex) -> List[Raw]:
        """A key with which the index begins."""
        calls, key = self._calls, [index.lowest()]
        below = await self._below(key) if index.may_be_lower(key[0]) else 0
        while below:
            page = calls.page("<", key, 1, below - 1, (), (), index.names[:1])
            key = list((await self._at.one(page)).values) or key
            below = await self._below(key)
        return key

    async def _below(self, key: List[Raw]) -> int:
        return int(await self._at.one(self._calls.count("<", key)))

    async def next(self) -> List[Row]:
        """The next page; `ended` is true when it is the last one. NotFoundError when the index
        that the pages before went along was dropped."""
        while True:
            is_first = self._index is None
            try:
                index = await self._prepare() if self._index is None else self._index
                page = await self._page(index)
            except Altered:
                if not is_first:
                    raise server_error(2, "idxnum") from None
                continue
            self._index = index
            return page

    async def _page(self, index: RangeIndex) -> List[Row]:
        call = self._calls.page(
            self._op,
            self._start or [],
            self._size,
            self._skip,
            self._names,
            self._wire,
            self._columns,
        )
        reply = await self._at.one(call)
        width = len(self._columns)
        rows = [reply.values[at : at + width] for at in range(0, len(reply.values), width)]
        self.ended = len(rows) < self._size
        if not self.ended:
            rows = rows[: await self._go_behind(index, rows)]
        kept = len(self._calls.columns)
        flat = [value for row in rows for value in row[:kept]]
        return self._calls.rows(self._calls.columns)(Reply(kept, flat))

    async def _go_behind(self, index: RangeIndex, rows: List[List[Raw]]) -> int:
        """Where the next page begins; how many rows of this one are given."""
        places = [self._columns.index(one) for one in index.names]
        keys = [[row[place] for place in places] for row in reversed(rows)]
        last = keys[0]
        if not index.can_begin(last):
            self._skip += len(rows)  # the next page begins where this one did
            return len(rows)
        if index.unique:
            self._op, self._start, self._skip = "<" if self._reverse else ">", last, 0
            return len(rows)
        same, before = 0, last
        for key in keys:
            if key != before and not await self._is_same(index, last, key):
                break
            same, before = same + 1, key
        if same < len(keys):
            self._start, self._skip = last, 0
            return len(keys) - same
        if not await self._is_same(index, last, self._start or []):
            self._skip = 0
        self._start, self._skip = last, self._skip + same
        return len(keys)

    async def _is_same(self, index: RangeIndex, one: List[Raw], other: List[Raw]) -> bool:
        """Whether two keys stand at the same place; where their bytes differ the server knows."""
        if one == other or not index.has_same or len(one) != len(other):
            return one == other
        filters = [(name, "=", value) for name, value in zip(index.names, other)]
        return bool(await self._at.one(self._calls.count("=", one, 1, filters)))
