"""A core for the calls of one transaction."""

from __future__ import annotations

from functools import partial
from typing import Any, List, Optional, Sequence

from . import protocol
from .connection import Call, Connection
from .core import Core, only
from .errors import ConnectionError, ServerError, ValueError, server_error
from .lines import line_call
from .pool import Pool


class TransactionCore:
    """A core for the calls of one transaction, on a connection of its own."""

    def __init__(self, core: Core, isolation: Optional[str], read_only: bool) -> None:
        self._core, self._read_only = core, read_only
        self._begin = protocol.begin(isolation, read_only)
        self._pool: Optional[Pool] = None
        self._connection: Optional[Connection] = None
        self.options = core.options
        self.kinds, self.key = core.kinds, core.key

    @property
    def alterations(self) -> int:
        """As Core's."""
        return self._core.alterations

    async def begin(self) -> None:
        """`T B`."""
        self._pool = self._core.read if self._read_only else self._core.writer()
        self._connection = await self._pool.take(True)
        try:
            await self.one(line_call("begin", self._begin, "transaction"))
        except BaseException:
            self._leave(broken=True)
            raise

    async def run(self, calls: Sequence[Call]) -> List[Any]:
        """As Core's; nothing is sent again."""
        return await self._core.observe(self._run, calls)

    async def _run(self, calls: Sequence[Call], commits: bool = False) -> List[Any]:
        if not self._connection:
            raise ValueError("the transaction has ended")
        if self._read_only and any(call.changes for call in calls):
            reads = iter(await self._run([call for call in calls if not call.changes]))
            return [server_error(2, "readonly") if one.changes else next(reads) for one in calls]
        try:
            if commits and not self._read_only:
                return await self._core.write_on(self._connection, calls)
            return await self._connection.execute(calls, self.options.timeout)
        except BaseException:
            self._connection.broken = True
            raise
        finally:
            if self._connection.broken and self._connection.own:  # the server rolls back at once
                self._connection.close()

    async def one(self, call: Call) -> Any:
        """As Core's."""
        return only(await self.run((call,)))

    async def end(self, commit: bool) -> None:
        """`T C` or `T R`. Does nothing for a transaction that has ended."""
        if not self._connection:
            return
        try:
            call = line_call("end", b"T\tC\n" if commit else b"T\tR\n")
            only(await self._core.observe(partial(self._run, commits=commit), (call,)))
        except ConnectionError:
            if commit:
                raise
        except ServerError:
            if commit:
                raise
            self._connection.broken = True
        finally:
            self._leave()

    def _leave(self, broken: bool = False) -> None:
        connection, self._connection = self._connection, None
        if connection and self._pool:
            connection.broken = connection.broken or broken
            self._pool.give_back(connection)
