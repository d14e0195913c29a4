"""The calls of a table for asyncio."""

from __future__ import annotations

from typing import Any, AsyncIterator, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import protocol
from .calls import Filters, Row, TableCalls
from .core import Core
from .errors import ServerError, UnsupportedError, ValueError
from .index_calls import Altered, IndexCalls
from .many import in_requests
from .ranges import Pages
from .transactions import TransactionCore
from .values import Key, Value, list_of

AnyCore = Union[Core, TransactionCore]


class AsyncTable:
    """A table by one of its indexes. Cheap, and may be shared."""

    def __init__(
        self, core: AnyCore, name: str, columns: Optional[Sequence[str]], index: str, raw: bool
    ) -> None:
        self._core: Any = core
        self._database, self._table = protocol.split_table(name, core.options.database)
        self._columns = None if columns is None else tuple(list_of(columns, "columns"))
        if self._columns == ():
            raise ValueError("a table needs a column")
        self._index, self._raw = index, raw
        self._name = name
        self._made: Optional[TableCalls] = None
        self._made_at = 0

    def within(self, core: AnyCore) -> "AsyncTable":
        """The same table in a transaction."""
        return AsyncTable(core, self._name, self._columns, self._index, self._raw)

    async def calls(self) -> TableCalls:
        """The calls of the table, as `pipeline.add` takes them. Asks for the columns once, and
        again when the table turned out to have been altered."""
        made, alterations = self._made, self._core.alterations
        if made is None or self._made_at != alterations:
            names = self._database, self._table, self._index, self._columns or ()
            protocol.open_index(0, *names, ())  # before anything is sent
            kinds: Dict[str, str] = {}
            if not self._raw or self._columns is None:
                kinds = await self._core.kinds(self._database, self._table, self._columns or ())
            columns = self._columns
            if columns is None:
                if not kinds:
                    raise UnsupportedError("the server tells no columns, so name them")
                columns = tuple(kinds)
            made = self._made = TableCalls(
                self._database, self._table, columns, self._index, kinds, self._raw
            )
            self._made_at = alterations
        return made

    async def _do(self, name: str, *arguments: Any, **options: Any) -> Any:
        calls = await self.calls()
        return await self._core.one(getattr(calls, name)(*arguments, **options))

    async def get(self, key: Key) -> Optional[Row]:
        """The row with this key, or None."""
        calls = self._made  # without a call for what is mostly known
        if calls is None or self._made_at != self._core.alterations:
            calls = await self.calls()
        found: Optional[Row] = await self._core.one(calls.get(key))
        return found

    async def get_many(self, keys: Iterable[Key]) -> List[Optional[Row]]:
        """A row or None for each key, in their order, by few requests."""
        calls, keys = await self.calls(), list_of(keys, "the keys")
        found = await self._in_few_requests(calls, keys) if len(keys) > 1 else None
        if found is not None:
            return found
        results = await self._core.run([calls.get(key) for key in keys])
        for one in results:
            if isinstance(one, Exception):
                raise one
        return results  # type: ignore[no-any-return]

    async def _in_few_requests(
        self, calls: TableCalls, keys: List[Key]
    ) -> Optional[List[Optional[Row]]]:
        """The rows; None when each key needs a request of its own. That tells its errors, too."""
        if isinstance(self._core, TransactionCore):
            return None  # An error may have ended it.
        index = IndexCalls(self._core, self._database, self._table, self._index)
        try:
            requests = in_requests(calls, await index.know(), keys)
        except (UnsupportedError, ServerError):
            return None
        results = await self._core.run([one.call for one in requests])
        found: List[Optional[Row]] = []
        for one in results:
            if isinstance(one, Exception) and not isinstance(one, ServerError):
                raise one
            if not isinstance(one, list):
                return None
            found += one
        # Which key has no row is told by the column that the index is known to begin with.
        if None in found and any(found) and not await index.is_as_known():
            return None
        return found if requests else None

    async def _find_in(
        self, column: str, values: Iterable[Value], every: bool, **arguments: Any
    ) -> List[Row]:
        """A find whose `in` has a column of the index and a list of its values."""
        listed = column, list_of(values, "the values")
        index = IndexCalls(self._core, self._database, self._table, self._index)
        while True:
            part = await index.part(column)
            calls = await self.calls()
            try:
                call = calls.find(**arguments, in_=listed, every=every, part=part)
                rows: List[Row] = await index.one(call)
            except Altered:
                continue
            return rows

    async def find(
        self,
        op: str,
        key: Key,
        limit: int = 1,
        offset: int = 0,
        filters: Filters = (),
        in_: Optional[Sequence[Any]] = None,
    ) -> List[Row]:
        """Rows from the key on. `in_`: a column of the index and a list of its values."""
        if in_ is not None:
            if not isinstance(in_, (list, tuple)) or len(in_) != 2:
                raise ValueError("in_ is a column and a list of its values")
            return await self._find_in(
                in_[0], in_[1], False, op=op, key=key, limit=limit, offset=offset, filters=filters
            )
        rows: List[Row] = await self._do("find", op, key, limit, offset, filters)
        return rows

    async def find_all(
        self,
        op: str,
        key: Key,
        in_column: str,
        values: Sequence[Value],
        limit: int = 1,
        offset: int = 0,
        filters: Filters = (),
    ) -> List[Row]:
        """All rows of each value; limit and offset are for each."""
        return await self._find_in(
            in_column, values, True, op=op, key=key, limit=limit, offset=offset, filters=filters
        )

    async def pages(
        self,
        start: Optional[Key] = None,
        stop: Optional[Key] = None,
        reverse: bool = False,
        filters: Filters = (),
        page: int = 1000,
    ) -> Pages:
        """The pages of a range."""
        return Pages(self._core, await self.calls(), start, stop, reverse, filters, page)

    async def range(
        self,
        start: Optional[Key] = None,
        stop: Optional[Key] = None,
        reverse: bool = False,
        filters: Filters = (),
        page: int = 1000,
    ) -> AsyncIterator[Row]:
        """Rows from start to before stop, read page by page."""
        pages = await self.pages(start, stop, reverse, filters, page)
        while not pages.ended:
            for row in await pages.next():
                yield row

    async def count(self, op: str, key: Key, limit: int = 0, filters: Filters = ()) -> int:
        """How many rows there are; a limit of 0 is none."""
        return int(await self._do("count", op, key, limit, filters))

    async def exists(self, key: Key) -> bool:
        """Whether there is a row with this key."""
        return bool(await self._do("exists", key))

    async def insert(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Any:
        """Adds a row; the generated id, or None. With `returning="after"` a list of rows."""
        return await self._do("insert", row, returning)

    async def insert_ignore(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Any:
        """Adds a row if none has its keys: Inserted, or a list of rows."""
        return await self._do("insert_ignore", row, returning)

    async def upsert(
        self,
        row: Mapping[str, Value],
        update: Optional[Mapping[str, Value]] = None,
        returning: Optional[str] = None,
    ) -> Any:
        """Adds a row, or updates the one with its keys: Upserted, or a list of rows."""
        return await self._do("upsert", row, update, returning)

    async def replace(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Any:
        """Adds a row in the place of those with its keys: Replaced, or a list of rows."""
        return await self._do("replace", row, returning)

    async def update(
        self,
        key: Key,
        values: Mapping[str, Value],
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Any:
        """How many rows were found and set, or these rows with the columns that are set."""
        return await self._do("update", key, values, op, limit, filters, returning)

    async def delete(
        self,
        key: Key,
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Any:
        """How many rows were deleted, or these rows with `returning="before"`."""
        return await self._do("delete", key, op, limit, filters, returning)

    async def increment(
        self, key: Key, amounts: Mapping[str, int], returning: Optional[str] = None
    ) -> Any:
        """Adds to columns; how many rows."""
        return await self._do("increment", key, amounts, returning)

    async def decrement(
        self, key: Key, amounts: Mapping[str, int], returning: Optional[str] = None
    ) -> Any:
        """Subtracts from columns, not across zero; how many rows."""
        return await self._do("decrement", key, amounts, returning)

    async def compare_and_set(
        self, key: Key, expected: Mapping[str, Value], values: Mapping[str, Value]
    ) -> bool:
        """Whether the row was as expected, and so was changed."""
        return bool(await self._do("compare_and_set", key, expected, values))
