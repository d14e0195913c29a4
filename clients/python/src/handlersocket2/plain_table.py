"""The calls of a table: those of table.py, driven without an event loop."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, List, Mapping, Optional, Sequence

from .calls import Filters, Row
from .table import AsyncTable
from .transport import run
from .values import Key, Value


class Table:
    """A table by one of its indexes. Cheap, and may be shared by threads."""

    def __init__(self, table: AsyncTable) -> None:
        self.inner = table

    def get(self, key: Key) -> Optional[Row]:
        """The row with this key, or None."""
        return run(self.inner.get(key))

    def get_many(self, keys: Iterable[Key]) -> List[Optional[Row]]:
        """A row or None for each key, in their order, by one pipeline."""
        return run(self.inner.get_many(keys))

    def find(
        self,
        op: str,
        key: Key,
        limit: int = 1,
        offset: int = 0,
        filters: Filters = (),
        in_: Optional[Sequence[Any]] = None,
    ) -> List[Row]:
        """Rows from the key on. `in_`: a column of the index and a list of its values."""
        return run(self.inner.find(op, key, limit, offset, filters, in_))

    def find_all(
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
        return run(self.inner.find_all(op, key, in_column, values, limit, offset, filters))

    def range(
        self,
        start: Optional[Key] = None,
        stop: Optional[Key] = None,
        reverse: bool = False,
        filters: Filters = (),
        page: int = 1000,
    ) -> Iterator[Row]:
        """Rows from start to before stop, read page by page."""
        pages = run(self.inner.pages(start, stop, reverse, filters, page))
        while not pages.ended:
            yield from run(pages.next())

    def count(self, op: str, key: Key, limit: int = 0, filters: Filters = ()) -> int:
        """How many rows there are; a limit of 0 is none."""
        return run(self.inner.count(op, key, limit, filters))

    def exists(self, key: Key) -> bool:
        """Whether there is a row with this key."""
        return run(self.inner.exists(key))

    def insert(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Any:
        """Adds a row; the generated id, or None. With `returning="after"` a list of rows."""
        return run(self.inner.insert(row, returning))

    def insert_ignore(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Any:
        """Adds a row if none has its keys: Inserted, or a list of rows."""
        return run(self.inner.insert_ignore(row, returning))

    def upsert(
        self,
        row: Mapping[str, Value],
        update: Optional[Mapping[str, Value]] = None,
        returning: Optional[str] = None,
    ) -> Any:
        """Adds a row, or updates the one with its keys: Upserted, or a list of rows."""
        return run(self.inner.upsert(row, update, returning))

    def replace(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Any:
        """Adds a row in the place of those with its keys: Replaced, or a list of rows."""
        return run(self.inner.replace(row, returning))

    def update(
        self,
        key: Key,
        values: Mapping[str, Value],
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Any:
        """How many rows were found and set, or these rows with the columns that are set."""
        return run(self.inner.update(key, values, op, limit, filters, returning))

    def delete(
        self,
        key: Key,
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Any:
        """How many rows were deleted, or these rows with `returning="before"`."""
        return run(self.inner.delete(key, op, limit, filters, returning))

    def increment(
        self, key: Key, amounts: Mapping[str, int], returning: Optional[str] = None
    ) -> Any:
        """Adds to columns; how many rows."""
        return run(self.inner.increment(key, amounts, returning))

    def decrement(
        self, key: Key, amounts: Mapping[str, int], returning: Optional[str] = None
    ) -> Any:
        """Subtracts from columns, not across zero; how many rows."""
        return run(self.inner.decrement(key, amounts, returning))

    def compare_and_set(
        self, key: Key, expected: Mapping[str, Value], values: Mapping[str, Value]
    ) -> bool:
        """Whether the row was as expected, and so was changed."""
        return run(self.inner.compare_and_set(key, expected, values))
