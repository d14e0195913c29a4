"""The plain client: the classes of aio.py, driven without an event loop."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Dict, List, Optional, Sequence, Type, Union

from .aio import AsyncClient, AsyncTransaction
from .pipelines import Pipeline
from .plain_table import Table
from .table import AsyncTable
from .transport import run
from .worlds import PlainWorld


class Transaction:
    """A transaction: commits at the end of its block, and rolls back when the block fails."""

    def __init__(self, inner: AsyncTransaction) -> None:
        self.inner = inner

    def table(
        self,
        table: Union[Table, str],
        columns: Optional[Sequence[str]] = None,
        index: str = "PRIMARY",
        raw: bool = False,
    ) -> Table:
        """The table within this transaction: one of the client, or as the client takes its name."""
        inner: Union[AsyncTable, str] = table.inner if isinstance(table, Table) else table
        return Table(self.inner.table(inner, columns, index, raw))

    def begin(self) -> None:
        """Begins; a block does so itself."""
        run(self.inner.begin())

    def commit(self) -> None:
        """Commits. After an error nothing was kept, unless it is a ConnectionError with `sent`."""
        run(self.inner.commit())

    def rollback(self) -> None:
        """Rolls back."""
        run(self.inner.rollback())

    def savepoint(self, name: str) -> None:
        """Sets a savepoint."""
        run(self.inner.savepoint(name))

    def rollback_to(self, name: str) -> None:
        """Undoes what was done since the savepoint."""
        run(self.inner.rollback_to(name))

    def pipeline(self) -> Pipeline:
        """A pipeline within the transaction."""
        return Pipeline(lambda calls: run(self.inner.run(calls)))

    def __enter__(self) -> "Transaction":
        self.begin()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is None:
            self.commit()
        else:
            self.rollback()


class _PlainClient(AsyncClient):
    _world = PlainWorld


class Client:
    """Connections to a server, safe for threads."""

    def __init__(self, inner: AsyncClient) -> None:
        self.inner = inner

    def table(
        self,
        name: str,
        columns: Optional[Sequence[str]] = None,
        index: str = "PRIMARY",
        raw: bool = False,
    ) -> Table:
        """A table by an index; `name` is `database.table`. Without columns: all of them."""
        return Table(self.inner.table(name, columns, index, raw))

    def calls(self, table: Table) -> Any:
        """The calls of a table, for `Pipeline.add`; `Pipeline.table` adds them by itself."""
        return run(table.inner.calls())

    def pipeline(self) -> Pipeline:
        """A block whose calls are sent in one piece."""
        return Pipeline(lambda calls: run(self.inner.run(calls)))

    def transaction(self, isolation: Optional[str] = None, read_only: bool = False) -> Transaction:
        """A transaction; isolation RU, RC, RR or SR."""
        return Transaction(self.inner.transaction(isolation, read_only))

    def ping(self) -> None:
        """Connects, if need be, and asks the server for its version."""
        run(self.inner.ping())

    def features(self) -> List[str]:
        """What the server can do; none for one of the original's kind."""
        return run(self.inner.features())

    def last_gtid(self) -> str:
        """The GTID of the last change, empty without one."""
        return run(self.inner.last_gtid())

    def wait_for_gtid(self, gtid: str, seconds: float) -> bool:
        """Whether it is applied, at most so many seconds later."""
        return run(self.inner.wait_for_gtid(gtid, seconds))

    def describe(self, name: Optional[str] = None) -> List[Dict[str, Any]]:
        """Databases, the tables of a database, or the columns of `database.table`."""
        return run(self.inner.describe(name))

    def indexes(self, name: str) -> List[Dict[str, Any]]:
        """The columns of the indexes of `database.table`."""
        return run(self.inner.indexes(name))

    def raw(self, port: str, tokens: Sequence[str]) -> Any:
        """One line as it is, to port "read" or "write": code, columns and values."""
        return run(self.inner.raw(port, tokens))

    def close(self) -> None:
        """Closes all connections."""
        self.inner.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *ignored: object) -> None:
        self.close()


def connect(url: Optional[str] = None, **options: Any) -> Client:
    """A client. Nothing is opened before it is needed. `on_request`: a hook for metrics.
    One that raises changes nothing of the call, and is logged."""
    return Client(_PlainClient(url, **options))
