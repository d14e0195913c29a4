"""A core for the calls of one transaction."""

from __future__ import annotations

from functools import partial
from typing import Any, Awaitable, Callable, List, Optional, Sequence

from . import protocol
from .connection import Call, Connection
from .core import Core, only
from .errors import ConnectionError, TimeoutError, ValueError, server_error
from .lines import line_call
from .pool import Pool


class TransactionCore:
    """A core for the calls of one transaction, on a connection of its own. It carries out one call
    at a time; those of other threads or tasks wait for their turn."""

    def __init__(self, core: Core, isolation: Optional[str], read_only: bool) -> None:
        self._core, self._read_only = core, read_only
        self._begin = protocol.begin(isolation, read_only)
        self._pool: Optional[Pool] = None
        self._connection: Optional[Connection] = None
        self._turn = core.new_turn()
        self.options = core.options
        self.kinds, self.key, self.forget = core.kinds, core.key, core.forget

    @property
    def alterations(self) -> int:
        """As Core's."""
        return self._core.alterations

    async def begin(self) -> None:
        """`T B`."""
        if self._connection:
            raise ValueError("the transaction has begun")
        self._pool = self._core.read if self._read_only else self._core.writer()
        self._connection = await self._pool.take(True)
        try:
            await self.one(line_call("begin", self._begin, "transaction"))
        except BaseException:
            self._leave(broken=True)
            raise

    async def run(self, calls: Sequence[Call]) -> List[Any]:
        """As Core's; nothing is sent again."""
        return await self._core.observe(partial(self._in_turn, self._run), calls)

    async def _in_turn(
        self, work: Callable[[Sequence[Call]], Awaitable[List[Any]]], calls: Sequence[Call]
    ) -> List[Any]:
        if not self._connection or not self._connection.own:  # nobody gives that process its turn
            return await work(calls)
        turn = await self._turn.acquire(self.options.timeout)
        if not turn:
            raise TimeoutError("another call of the transaction takes too long")
        try:
            return await work(calls)
        finally:
            self._turn.release(turn)

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
        call = line_call("end", b"T\tC\n" if commit else b"T\tR\n")
        work = partial(self._in_turn, partial(self._end, commit))
        try:
            results = await self._core.observe(work, (call,))
        except ConnectionError:
            if commit:
                raise
            return
        if commit:
            only(results)

    async def _end(self, commit: bool, calls: Sequence[Call]) -> List[Any]:
        whole = False
        try:
            results = await self._run(calls, commit)
            whole = commit or not isinstance(results[0], Exception)
            return results
        finally:
            self._leave(broken=not whole)

    def _leave(self, broken: bool = False) -> None:
        connection, self._connection = self._connection, None
        if connection and self._pool:
            connection.broken = connection.broken or broken
            self._pool.give_back(connection)
