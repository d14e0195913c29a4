"""Calls that are right for some columns of an index alone."""

from __future__ import annotations

from typing import Any, Dict, List

from .connection import Call
from .core import only
from .errors import ValueError
from .lines import INDEX, describe_call


class Altered(Exception):
    """The index has other columns by now: it was dropped, and made again under its name."""


class IndexCalls:
    """Carries out calls that were made for the columns that an index is known to have.

    What the server tells of the index is asked for in the same piece, behind each of them.
    """

    def __init__(self, core: Any, database: str, table: str, index: str) -> None:
        self._core, self._names, self._index = core, (database, table), index or "PRIMARY"
        self._described = describe_call(database, table, True)
        self.parts: List[Dict[str, Any]] = []

    async def know(self) -> List[Dict[str, Any]]:
        """The columns of the index, which the calls from now on are made for."""
        self.parts = await self._core.key(*self._names, self._index)
        return self.parts

    async def part(self, column: str) -> int:
        """The place of a column in the index. Asks anew where it is not known: it may be new."""
        for known in (True, False):
            names = [part["column"] for part in await self.know()]
            if column in names:
                return names.index(column)
            if known:
                self._core.forget(*self._names)
        raise ValueError(f"{column!r} is no column of the index")

    async def one(self, call: Call) -> Any:
        """The result of a call; raises its error, and Altered when the index is not as it was."""
        result, rows = await self._core.run((call, self._described))
        if isinstance(rows, list) and not self._is(rows):
            raise Altered
        if isinstance(result, Exception):
            raise result
        only((rows,))
        return result

    async def is_as_known(self) -> bool:
        """Whether the index has the columns that it is known to have."""
        return self._is(await self._core.one(self._described))

    def _is(self, rows: List[Dict[str, Any]]) -> bool:
        now = [row for row in rows if row["index"] == self._index]
        known = [{name: part[name] for name in INDEX} for part in self.parts]
        if now != known:
            self._core.forget(*self._names)
        return now == known
