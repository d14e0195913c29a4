"""Calls that are collected and sent in one piece."""

from __future__ import annotations

from types import TracebackType
from typing import (
    Any,
    Callable,
    Coroutine,
    Generic,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypeVar,
    Union,
    cast,
)

from .calls import Filters, Inserted, Replaced, Row, TableCalls, Upserted
from .connection import Call
from .errors import Error, ValueError
from .plain_table import Table
from .table import AsyncTable
from .transport import run
from .values import Key, Value, list_of

T = TypeVar("T")
Changed = Union[int, List[Row]]


class Result(Generic[T]):
    """The result of a call in a pipeline, once the pipeline has run."""

    __slots__ = ("outcome",)  # which is not there before; a pipeline has many
    outcome: Any

    @property
    def done(self) -> bool:
        """Whether the pipeline has run."""
        return hasattr(self, "outcome")

    @property
    def value(self) -> T:
        """The result; raises the call's own error."""
        try:
            outcome = self.outcome
        except AttributeError:
            raise Error("the pipeline has not run") from None
        if isinstance(outcome, Exception):
            raise outcome
        return cast(T, outcome)


class PipelineTable:
    """A table whose calls a pipeline collects: those of `Table`, each of which gives a `Result`."""

    def __init__(self, add: Callable[[Call], Result[Any]], calls: TableCalls) -> None:
        self._add, self._calls = add, calls

    def get(self, key: Key) -> Result[Optional[Row]]:
        """The row with this key, or None."""
        return self._add(self._calls.get(key))

    def get_many(self, keys: Iterable[Key]) -> List[Result[Optional[Row]]]:
        """A result for each key, in their order."""
        return [self.get(key) for key in list_of(keys, "the keys")]

    def find(
        self, op: str, key: Key, limit: int = 1, offset: int = 0, filters: Filters = ()
    ) -> Result[List[Row]]:
        """Rows from the key on."""
        return self._add(self._calls.find(op, key, limit, offset, filters))

    def count(self, op: str, key: Key, limit: int = 0, filters: Filters = ()) -> Result[int]:
        """How many rows there are; a limit of 0 is none."""
        return self._add(self._calls.count(op, key, limit, filters))

    def exists(self, key: Key) -> Result[bool]:
        """Whether there is a row with this key."""
        return self._add(self._calls.exists(key))

    def insert(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Result[Any]:
        """Adds a row; the generated id, or None."""
        return self._add(self._calls.insert(row, returning))

    def insert_ignore(
        self, row: Mapping[str, Value], returning: Optional[str] = None
    ) -> Result[Union[Inserted, List[Row]]]:
        """Adds a row if none has its keys."""
        return self._add(self._calls.insert_ignore(row, returning))

    def upsert(
        self,
        row: Mapping[str, Value],
        update: Optional[Mapping[str, Value]] = None,
        returning: Optional[str] = None,
    ) -> Result[Union[Upserted, List[Row]]]:
        """Adds a row, or updates the one with its keys."""
        return self._add(self._calls.upsert(row, update, returning))

    def replace(
        self, row: Mapping[str, Value], returning: Optional[str] = None
    ) -> Result[Union[Replaced, List[Row]]]:
        """Adds a row in the place of those with its keys."""
        return self._add(self._calls.replace(row, returning))

    def update(
        self,
        key: Key,
        values: Mapping[str, Value],
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Result[Changed]:
        """How many rows were found and set."""
        return self._add(self._calls.update(key, values, op, limit, filters, returning))

    def delete(
        self,
        key: Key,
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Result[Changed]:
        """How many rows were deleted."""
        return self._add(self._calls.delete(key, op, limit, filters, returning))

    def increment(
        self, key: Key, amounts: Mapping[str, int], returning: Optional[str] = None
    ) -> Result[Changed]:
        """Adds to columns; how many rows."""
        return self._add(self._calls.increment(key, amounts, returning))

    def decrement(
        self, key: Key, amounts: Mapping[str, int], returning: Optional[str] = None
    ) -> Result[Changed]:
        """Subtracts from columns, not across zero; how many rows."""
        return self._add(self._calls.decrement(key, amounts, returning))

    def compare_and_set(
        self, key: Key, expected: Mapping[str, Value], values: Mapping[str, Value]
    ) -> Result[bool]:
        """Whether the row was as expected, and so was changed."""
        return self._add(self._calls.compare_and_set(key, expected, values))


class _Collector:
    def __init__(self) -> None:
        self._calls: List[Call] = []
        self._results: List[Result[Any]] = []

    def add(self, call: Call) -> Result[Any]:
        """Adds a call of `calls(table)`."""
        if not isinstance(call, Call):
            raise ValueError(f"{call!r} is no call of a table")
        result: Result[Any] = Result()
        self._calls.append(call)
        self._results.append(result)
        return result

    def _settle(self, outcomes: List[Any]) -> List[Any]:
        for result, outcome in zip(self._results, outcomes):
            result.outcome = outcome
        self._calls, self._results = [], []
        return outcomes


class Pipeline(_Collector):
    """Collects calls, and sends them in one piece at the end of its block."""

    def __init__(self, send: Callable[[Sequence[Call]], List[Any]]) -> None:
        super().__init__()
        self._send = send

    def table(self, table: Table) -> PipelineTable:
        """The table, whose calls are collected."""
        if not isinstance(table, Table):
            raise ValueError(f"{table!r} is no table of the client")
        return PipelineTable(self.add, run(table.inner.calls()))

    def run(self) -> List[Any]:
        """Sends what was collected; results in their order, errors in their places."""
        return self._settle(self._send(self._calls))

    def __enter__(self) -> "Pipeline":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is None:
            self.run()


class AsyncPipeline(_Collector):
    """The same for asyncio."""

    def __init__(self, send: Callable[[Sequence[Call]], Coroutine[Any, Any, List[Any]]]) -> None:
        super().__init__()
        self._send = send

    async def table(self, table: AsyncTable) -> PipelineTable:
        """The table, whose calls are collected. It may have to ask for its columns."""
        if not isinstance(table, AsyncTable):
            raise ValueError(f"{table!r} is no table of the client")
        return PipelineTable(self.add, await table.calls())

    async def run(self) -> List[Any]:
        """Sends what was collected; results in their order, errors in their places."""
        return self._settle(await self._send(self._calls))

    async def __aenter__(self) -> "AsyncPipeline":
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is None:
            await self.run()
