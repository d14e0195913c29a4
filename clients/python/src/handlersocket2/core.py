"""What both clients share: pools, what is sent again, replicas, transactions, schemas."""

from __future__ import annotations

import itertools
import logging
import random
import time
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from .connection import Call, Connection
from .errors import (
    ConfigurationError,
    ConnectionError,
    NotFoundError,
    ProtocolError,
    ServerError,
    TimeoutError,
    UnsupportedError,
    server_error,
)
from .gtids import Gtids
from .lines import LAST_GTID, describe_call, wait_call
from .options import Options, place
from .pool import Pool
from .transport import Address
from .values import kind_of

Work = Callable[[Sequence[Call]], Awaitable[List[Any]]]
Once = Callable[[Pool, Sequence[Call]], Awaitable[List[Any]]]
_LOG = logging.getLogger("handlersocket2")
Hook = Callable[[str, Optional[str], float, Optional[BaseException]], None]


def only(results: Sequence[Any]) -> Any:
    """The only result; raises it when it is an error."""
    (result,) = results
    if isinstance(result, Exception):
        raise result
    return result


def has_errors(results: Sequence[Any]) -> bool:
    """Whether there is an error among them: by their types, which are few."""
    return any(issubclass(kind, Exception) for kind in set(map(type, results)))


class Core:
    """A client without its face. Its coroutines suspend only in what `world` offers."""

    def __init__(self, world: Any, options: Options, on_request: Optional[Hook] = None) -> None:
        self.options = options
        self._world = world
        self._hook = on_request
        path = options.socket
        self.read = self._pool(options.host, options.port, path, options.secret)
        write_secret = options.secret if options.write_secret is None else options.write_secret
        self.write: Optional[Pool] = None
        if not path or options.write_socket:
            self.write = self._pool(
                options.host, options.write_port, options.write_socket, write_secret
            )
        self._replicas = [self._pool(*place(one), None, options.secret) for one in options.replicas]
        self._turn = itertools.count()
        self._gtids = Gtids()
        self._kinds: Dict[Tuple[str, str], Dict[str, str]] = {}
        self._keys: Dict[Tuple[str, str], Dict[str, List[Dict[str, Any]]]] = {}
        self.alterations = 0  # how often a table turned out to have been altered

    def _pool(self, host: str, port: int, path: Optional[str], secret: Optional[str]) -> Pool:
        return Pool(self._world, Address(self.options, host, port, path), self.options, secret)

    def new_turn(self) -> Any:
        """What one may have at a time; the others wait."""
        return self._world.Places(1)

    def writer(self) -> Pool:
        """The pool of the write port."""
        if self.write is None:
            raise ConfigurationError("changes need the option write_socket")
        return self.write

    async def run(self, calls: Sequence[Call]) -> List[Any]:
        """The results of the calls, with errors in their places."""
        return await self.observe(self._run, calls)

    async def observe(self, work: Work, calls: Sequence[Call]) -> List[Any]:
        """The results of the work, of which the hook is told. Forgets tables that were altered."""
        if not calls:
            return []
        if not self._hook:
            results = await work(calls)
            self._forget_altered(calls, results)
            return results
        begun = time.monotonic()
        error: Optional[BaseException] = None
        try:
            results = await work(calls)
            self._forget_altered(calls, results)
            error = next((one for one in results if isinstance(one, Exception)), None)
            return results
        except Exception as raised:
            error = raised
            raise
        finally:
            index = calls[0].index
            table = f"{index.database}.{index.table}" if index else None
            is_one = len(calls) == 1 or calls[1].kind == "describe"  # see IndexCalls
            kind = calls[0].kind if is_one else "pipeline"
            self._tell(kind, table, time.monotonic() - begun, error)

    def _tell(self, *told: Any) -> None:
        """Calls the hook. One that raises is logged: the call that it is told of has ended."""
        try:
            self._hook(*told)  # type: ignore[misc]
        except Exception:
            _LOG.exception("on_request has failed")

    def _forget_altered(self, calls: Sequence[Call], results: Sequence[Any]) -> None:
        """Forgets the tables whose results say that they are not as they were."""
        if not has_errors(results):
            return
        for call, result in zip(calls, results):
            if isinstance(result, (NotFoundError, ProtocolError)) and call.index:
                self.forget(call.index.database, call.index.table)

    def forget(self, database: str, table: str) -> None:
        """Forgets a table that is not as it was."""
        self._kinds.pop((database, table), None)
        self._keys.pop((database, table), None)
        self.alterations += 1

    async def one(self, call: Call) -> Any:
        """The result of one call; raises its error."""
        if self._hook or call.changes or self._replicas:
            return only(await self.run((call,)))
        (result,) = results = await self._again(self._at, self.read, (call,), False)
        if isinstance(result, Exception):
            self._forget_altered((call,), results)
            raise result
        return result

    async def _run(self, calls: Sequence[Call]) -> List[Any]:
        if True in [call.changes for call in calls]:
            return await self._again(self._change, self.writer(), calls, True)
        if self._replicas:
            results = await self._from_replicas(calls)
            if results is not None:
                return results
        return await self._again(self._at, self.read, calls, False)

    async def _again(
        self, once: Once, pool: Pool, calls: Sequence[Call], changes: bool
    ) -> List[Any]:
        """Repeats it where its results are lost: changes only when nothing of them was sent."""
        attempt = 0
        while True:
            raised: Optional[ConnectionError] = None
            lost: ConnectionError
            try:
                results = await once(pool, calls)
                if not has_errors(results):
                    return results
                for one in results:
                    if isinstance(one, ConnectionError):
                        lost = one
                        break
                else:
                    return results
            except ConnectionError as error:
                raised = lost = error
            last = attempt >= self.options.retries or isinstance(lost, TimeoutError) or pool.closed
            # Calls that were not sent may stand behind others that were carried out.
            is_partly_sent = lost.sent or not (raised or lost is results[0])
            if last or (changes and is_partly_sent):
                if raised:
                    raise raised
                return results
            await self._world.sleep(random.uniform(0, min(0.05 * 2**attempt, 2)))
            attempt += 1

    async def _at(self, pool: Pool, calls: Sequence[Call]) -> List[Any]:
        connection = await pool.take(False)
        try:
            return await connection.execute(calls, self.options.timeout)
        except BaseException:
            connection.broken = True
            raise
        finally:
            pool.give_back(connection)

    async def _change(self, pool: Pool, calls: Sequence[Call]) -> List[Any]:
        connection = await pool.take(True)
        try:
            return await self.write_on(connection, calls)
        except BaseException:
            connection.broken = True
            raise
        finally:
            pool.give_back(connection)

    async def write_on(self, connection: Connection, calls: Sequence[Call]) -> List[Any]:
        """The results of calls of which one commits; their GTID is asked for in the same piece."""
        connection.changed = True
        if not self.options.read_your_writes or "gtid" not in connection.features:
            return await connection.execute(calls, self.options.timeout)
        *results, gtid = await connection.execute([*calls, LAST_GTID], self.options.timeout)
        if isinstance(gtid, str):
            self._learn(connection, gtid)
        return results

    def _learn(self, connection: Connection, gtid: str) -> None:
        self._gtids.note(gtid)
        connection.changed = False

    async def _from_replicas(self, calls: Sequence[Call]) -> Optional[List[Any]]:
        turn = next(self._turn)
        gtid = str(self._gtids) if self.options.read_your_writes else ""
        for step in range(len(self._replicas)):
            pool = self._replicas[(turn + step) % len(self._replicas)]
            wait = [wait_call(gtid, self.options.gtid_timeout)] if gtid else []
            try:
                results = await self._at(pool, [*wait, *calls])
            except (ConnectionError, ServerError):  # the latter is of its login
                continue
            lost = next((one for one in results if isinstance(one, ConnectionError)), None)
            if lost and not isinstance(lost, TimeoutError):
                continue
            if wait and not lost and results[0] is not True:
                return None
            return results[len(wait) :]  # also when no time is left for another one
        return None

    async def last_gtid(self) -> str:
        """The GTID of the client's last change in each domain, empty without one. A change in a
        call that has not ended does not count."""
        pool = self.writer()
        changed = [] if self.options.read_your_writes else pool.take_changed()
        try:
            for connection in changed:
                try:
                    known = await connection.execute((LAST_GTID,), self.options.timeout)
                    self._learn(connection, only(known))
                except BaseException as error:
                    connection.broken = connection.broken or not isinstance(error, ServerError)
                    raise
        finally:
            for connection in changed:
                pool.give_back(connection)
        return str(self._gtids)

    async def features(self) -> List[str]:
        """What the server can do; this opens a connection."""
        connection = await self.read.take(False)
        self.read.give_back(connection)
        return sorted(connection.features)

    async def kinds(self, database: str, table: str, columns: Iterable[str] = ()) -> Dict[str, str]:
        """The kinds of a table's columns in their order; none when the server has no D.

        Asks anew when one of the columns is not known: it may have been added.
        """
        known = self._kinds.get((database, table))
        if known is None or (known and not known.keys() >= set(columns)):
            try:
                rows = await self.one(describe_call(database, table))
                known = {row["column"]: kind_of(row["type"]) for row in rows}
            except UnsupportedError:
                known = {}
            self._kinds[database, table] = known
        return known

    async def key(self, database: str, table: str, index: str) -> List[Dict[str, Any]]:
        """The columns of an index: what D tells of it, with each column's type and `nullable`."""
        known = self._keys.get((database, table))
        if known is None:
            known = {}
            columns = {row["column"]: row for row in await self.one(describe_call(database, table))}
            for row in await self.one(describe_call(database, table, True)):
                column = columns[row["column"]]
                part = {**row, "type": column["type"], "nullable": column["nullable"]}
                known.setdefault(row["index"], []).append(part)
            self._keys[database, table] = known
        if index not in known:
            raise server_error(2, "idxnum")
        return known[index]

    def close(self) -> None:
        """Closes all connections."""
        for pool in (self.read, self.write, *self._replicas):
            if pool:
                pool.close()
