"""What differs with and without asyncio beside the sockets: places in a pool, and sleep."""

from __future__ import annotations

import asyncio
import queue
import time
import weakref
from collections import deque
from typing import Deque, Optional

from .transport import LONGEST, AsyncTransport, PlainTransport


class _Place:
    """One that is dropped comes back: a signal's handler may raise between two steps of a call."""

    def __init__(self, free: "queue.SimpleQueue[_Place]") -> None:
        self._free = weakref.ref(free)

    def __del__(self) -> None:
        free = self._free()
        if free is not None:
            free.put(type(self)(free))


class PlainWorld:
    """Without asyncio."""

    connect = PlainTransport.connect

    class Places:
        """So many may be taken at once."""

        def __init__(self, size: int) -> None:
            self._free: "queue.SimpleQueue[_Place]" = queue.SimpleQueue()  # in C
            for _ in range(size):
                self._free.put(_Place(self._free))

        async def acquire(self, seconds: float) -> Optional[_Place]:
            """A place, unless none came in time; 0: no limit."""
            try:
                return self._free.get(timeout=min(seconds, LONGEST) or None)
            except queue.Empty:
                return None

        def try_acquire(self) -> Optional[_Place]:
            """A place, if one is free."""
            try:
                return self._free.get_nowait()
            except queue.Empty:
                return None

        def release(self, place: _Place) -> None:
            """Gives it back."""
            self._free.put(place)

    @staticmethod
    async def sleep(seconds: float) -> None:
        """Waits."""
        time.sleep(seconds)


def _tell(one: "asyncio.Future[bool]", what: bool) -> bool:
    """Whether it waited for that, and neither was cancelled nor knew already."""
    waits = not one.done()
    if waits:
        one.set_result(what)
    return waits


class AsyncWorld:
    """With asyncio."""

    connect = AsyncTransport.connect

    class Places:
        """As PlainWorld's."""

        def __init__(self, size: int) -> None:
            self._size = self._free = size
            self._waiting: "Deque[asyncio.Future[bool]]" = deque()  # then none is free
            self._loop: Optional[asyncio.AbstractEventLoop] = None

        async def acquire(self, seconds: float) -> bool:
            """As PlainWorld's; True is a place. Another event loop begins with all of them."""
            loop = asyncio.get_running_loop()
            if self.try_acquire():
                return True
            one: "asyncio.Future[bool]" = loop.create_future()
            self._waiting.append(one)
            timer = loop.call_later(seconds, _tell, one, False) if seconds else None
            try:
                return await one
            except asyncio.CancelledError:
                if not one.cancelled() and one.result():
                    self.release(True)  # what came at the same time
                raise
            finally:
                if timer:
                    timer.cancel()

        def try_acquire(self) -> bool:
            """As PlainWorld's."""
            loop = asyncio.get_running_loop()
            if self._loop is not loop:
                self._loop, self._free = loop, self._size
                self._waiting.clear()
            if not self._free:
                return False
            self._free -= 1
            return True

        def release(self, place: bool) -> None:
            """As PlainWorld's. It goes to the one that has waited longest."""
            while self._waiting:
                if _tell(self._waiting.popleft(), True):
                    return
            self._free += 1

    @staticmethod
    async def sleep(seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)
