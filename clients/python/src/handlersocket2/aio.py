"""The client for asyncio. The plain one drives the same classes without an event loop."""

from __future__ import annotations

from types import TracebackType
from typing import Any, List, Optional, Sequence, Type, Union

from . import protocol
from .calls import Row
from .connection import Call
from .core import Core, Hook
from .errors import ConfigurationError, ServerError, ValueError
from .lines import describe_call, hello_call, line_call, raw_call, wait_call
from .options import make_options
from .pipelines import AsyncPipeline
from .table import AsyncTable
from .transactions import TransactionCore
from .worlds import AsyncWorld


class AsyncTransaction:
    """A transaction: commits at the end of its block, and rolls back when the block fails."""

    def __init__(self, core: Core, isolation: Optional[str], read_only: bool) -> None:
        self._core = TransactionCore(core, isolation, read_only)

    def table(
        self,
        table: Union[AsyncTable, str],
        columns: Optional[Sequence[str]] = None,
        index: str = "PRIMARY",
        raw: bool = False,
    ) -> AsyncTable:
        """The table within this transaction: one of the client, or as the client takes its name."""
        if isinstance(table, str):
            return AsyncTable(self._core, table, columns, index, raw)
        if not isinstance(table, AsyncTable):
            raise ValueError(f"{table!r} is no table")
        return table.within(self._core)

    async def begin(self) -> None:
        """Begins; a block does so itself."""
        await self._core.begin()

    async def commit(self) -> None:
        """Commits. After an error nothing was kept, unless it is a ConnectionError with `sent`."""
        await self._core.end(True)

    async def rollback(self) -> None:
        """Rolls back."""
        await self._core.end(False)

    async def savepoint(self, name: str) -> None:
        """Sets a savepoint."""
        await self._core.one(line_call("savepoint", protocol.savepoint(name)))

    async def rollback_to(self, name: str) -> None:
        """Undoes what was done since the savepoint."""
        await self._core.one(line_call("rollback_to", protocol.savepoint(name, b"U")))

    async def run(self, calls: Sequence[Call]) -> List[Any]:
        """A pipeline within the transaction."""
        return await self._core.run(calls)

    def pipeline(self) -> AsyncPipeline:
        """A block whose calls are sent in one piece."""
        return AsyncPipeline(self.run)

    async def __aenter__(self) -> "AsyncTransaction":
        await self.begin()
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is None:
            await self.commit()
        else:
            await self.rollback()


class AsyncClient:
    """Connections to a server, safe for tasks of one event loop."""

    _world: Any = AsyncWorld

    def __init__(
        self, url: Optional[str] = None, *, on_request: Optional[Hook] = None, **options: Any
    ) -> None:
        if on_request is not None and not callable(on_request):
            raise ConfigurationError(f"on_request is a function, not {on_request!r}")
        self.options = make_options(url, options)
        self.core = Core(self._world, self.options, on_request)

    def table(
        self,
        name: str,
        columns: Optional[Sequence[str]] = None,
        index: str = "PRIMARY",
        raw: bool = False,
    ) -> AsyncTable:
        """A table by an index; `name` is `database.table`. Without columns: all of them."""
        return AsyncTable(self.core, name, columns, index, raw)

    def transaction(
        self, isolation: Optional[str] = None, read_only: bool = False
    ) -> AsyncTransaction:
        """A transaction; isolation RU, RC, RR or SR."""
        return AsyncTransaction(self.core, isolation, read_only)

    async def run(self, calls: Sequence[Call]) -> List[Any]:
        """A pipeline: the calls in one piece; results in their order, errors in their places."""
        return await self.core.run(calls)

    def pipeline(self) -> AsyncPipeline:
        """A block whose calls are sent in one piece."""
        return AsyncPipeline(self.run)

    async def ping(self) -> None:
        """Connects, if need be, and asks the server for its version."""
        line = protocol.hello(2, self.options.name)
        try:
            await self.core.one(hello_call(line))
        except ServerError as error:
            if error.text != "cmd":  # the original's answer
                raise

    async def features(self) -> List[str]:
        """What the server can do; none for one of the original's kind."""
        return await self.core.features()

    async def last_gtid(self) -> str:
        """The GTID of the last change, empty without one."""
        return await self.core.last_gtid()

    async def wait_for_gtid(self, gtid: str, seconds: float) -> bool:
        """Whether it is applied, at most so many seconds later."""
        return bool(await self.core.one(wait_call(gtid, seconds)))

    async def describe(self, name: Optional[str] = None) -> List[Row]:
        """Databases, the tables of a database, or the columns of `database.table`."""
        before, last = (None, None) if name is None else protocol.split_name(name)
        database, table = (before, last) if before else (last, None)
        rows: List[Row] = await self.core.one(describe_call(database, table))
        return rows

    async def indexes(self, name: str) -> List[Row]:
        """The columns of the indexes of `database.table`."""
        database, table = protocol.split_table(name, self.options.database)
        rows: List[Row] = await self.core.one(describe_call(database, table, True))
        return rows

    async def raw(self, port: str, tokens: Sequence[str]) -> Any:
        """One line as it is, to port "read" or "write": code, columns and values."""
        if port not in ("read", "write"):
            raise ValueError("the port is read or write")
        return await self.core.one(raw_call(tokens, port == "write"))

    def close(self) -> None:
        """Closes all connections."""
        self.core.close()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *ignored: object) -> None:
        self.close()
