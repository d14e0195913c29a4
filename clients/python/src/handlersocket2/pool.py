"""The connections to one place."""

from __future__ import annotations

import threading
from typing import Any, List, Optional

from . import forks
from .connection import Connection
from .errors import ConnectionError, TimeoutError
from .options import Options
from .transport import Address


class Pool:
    """The connections of this process to one place."""

    def __init__(
        self, world: Any, address: Address, options: Options, secret: Optional[str]
    ) -> None:
        self._world, self._address, self._options, self._secret = world, address, options, secret
        self._idle: List[Connection] = []
        self.closed = False
        self.after_fork()
        forks.watch(self)

    def after_fork(self) -> None:
        """Begins without connections: a process that was forked leaves those of its parent."""
        idle, self._idle = self._idle, []
        for one in idle:
            one.leave()
        self._places = self._world.Places(self._options.pool_size)
        self._lock = threading.Lock()

    async def take(self, changes: bool) -> Connection:
        """A connection that is open; the one that was used last, if one is idle."""
        if self.closed:
            raise ConnectionError("the client is closed")
        place = await self._places.acquire(self._options.timeout)
        if not place:
            raise TimeoutError("every connection of the pool is in use")
        try:
            connection = await self._usable(changes)
        except BaseException:
            self._places.release(place)
            raise
        connection.place = place
        return connection

    async def _usable(self, changes: bool) -> Connection:
        while True:
            with self._lock:
                found = self._idle.pop() if self._idle else None
            if found is None:
                return await Connection.open(
                    self._world, self._address, self._options, self._secret
                )
            if found.alive(changes):
                return found
            found.close()

    def take_changed(self) -> List[Connection]:
        """The idle connections that have changed something of which the GTID is not known."""
        changed = []
        with self._lock:
            for one in list(self._idle):
                place = self._places.try_acquire() if one.changed else None
                if place:
                    self._idle.remove(one)
                    one.place = place
                    changed.append(one)
        return changed

    def give_back(self, connection: Connection) -> None:
        """Takes back what `take` gave."""
        if not connection.own:
            return connection.leave()
        place, connection.place = connection.place, None
        with self._lock:
            keep = not connection.broken and not self.closed
            if keep:
                connection.doubtful = False
                self._idle.append(connection)
            for one in self._idle if connection.broken else ():
                one.doubtful = True
        if not keep:
            connection.close()
        self._places.release(place)

    def close(self) -> None:
        """Closes what is idle, and the rest as it comes back."""
        with self._lock:
            self.closed = True
            idle, self._idle = self._idle, []
        for one in idle:
            one.close()
