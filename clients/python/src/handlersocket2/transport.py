"""Sockets, with and without asyncio.

Both offer coroutines. Those of the plain one never suspend, so that `run` drives all code above
them without an event loop.
"""

from __future__ import annotations

import asyncio
import select
import signal
import socket
import ssl
import struct
import sys
import time
from typing import Any, Callable, Coroutine, List, Optional, Tuple, TypeVar

from .errors import ConfigurationError, ConnectionError, TimeoutError
from .options import Options

T = TypeVar("T")
Sink = Callable[[bytes], None]
SMALL = 16384  # more than that in one piece costs calls for memory
PIECE = 262144
LONGEST = 2_000_000.0  # seconds that the system can wait at a time


def run(work: "Coroutine[Any, Any, T]") -> T:
    """The result of a coroutine that never suspends."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise RuntimeError("a coroutine of the plain client has suspended")


class Address:
    """Where a server listens: a path, or host and port."""

    def __init__(self, options: Options, host: str, port: int, path: Optional[str] = None) -> None:
        self.host, self.port, self.path = host, port, path
        self.tls_name = options.tls_name or host
        self.context = None if path or options.tls == "off" else _context(options)

    @property
    def secure(self) -> bool:
        """Whether nobody but the server itself sees the bytes."""
        verified = self.context is not None and self.context.verify_mode == ssl.CERT_REQUIRED
        return self.path is not None or verified

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"


def _context(options: Options) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=options.tls_ca)
        if options.tls_cert:
            context.load_cert_chain(options.tls_cert, options.tls_key)
    except OSError as error:
        raise ConfigurationError(f"tls_ca, tls_cert or tls_key cannot be used: {error}") from error
    if options.tls == "require":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _poll(one: Any, events: int, seconds: Optional[float]) -> bool:
    """Whether one of the events came in time; for any number of open files, which select is not."""
    poll = select.poll()
    poll.register(one, events)
    return bool(poll.poll(None if seconds is None else min(seconds, LONGEST) * 1000))


def _connected(address: Address, deadline: Optional[float]) -> socket.socket:
    """A socket that is connected. Each of several addresses has its share of the time."""
    if address.path:
        places: List[Any] = [(socket.AF_UNIX, socket.SOCK_STREAM, 0, "", address.path)]
    else:
        places = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    for at, (*kind, _, where) in enumerate(places):
        try:
            one = socket.socket(*kind)
            try:
                if deadline is not None:
                    left = (deadline - time.monotonic()) / (len(places) - at)
                    one.settimeout(min(max(left, 0.001), LONGEST))
                one.connect(where)
                return one
            except BaseException:
                one.close()
                raise
        except OSError:
            if at + 1 == len(places):
                raise
    raise OSError("the host has no address")


def _tune(one: socket.socket) -> None:
    if one.family != socket.AF_UNIX:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


# Where the kernel can be told a socket's timeout, a request is one call to write and one to read:
# with Python's own each has one that waits before it. `timeval` is two longs there.
KERNEL_TIMEOUTS = sys.platform.startswith("linux") and struct.calcsize("l") == 8
TIMEVAL = struct.Struct("ll")


# Python goes on with a call of the system behind a signal's handler, and the kernel then begins its
# timeout anew: with one that comes again and again, as of a profiler, it would never end.
_ALARM, _PROFILE = int(getattr(signal, "SIGALRM", 0)), int(getattr(signal, "SIGPROF", 0))
# That of `signal` makes an enumeration of it, which takes longer than a call of the system.
_handler: Any = getattr(sys.modules.get("_signal"), "getsignal", signal.getsignal)


def _ticks() -> bool:
    """Whether something handles a timer's signals; 0 and 1 are no handlers."""
    return _handler(_ALARM) not in (0, 1) or _handler(_PROFILE) not in (0, 1)


class PlainTransport:
    """A blocking socket."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        plain = type(connected) is socket.socket and socket.socket.__module__ == "socket"
        self._kernel = KERNEL_TIMEOUTS and plain  # neither TLS nor a green thread's
        if self._kernel:
            connected.settimeout(None)
        self._timeout = connected.gettimeout()
        self._deadline: Optional[float] = None
        self._room = SMALL  # for what is read next

    @classmethod
    async def connect(cls, address: Address, seconds: float) -> "PlainTransport":
        """Connects, with TLS; within so many seconds, 0: however long it takes."""
        deadline = time.monotonic() + seconds if seconds else None
        raw = _connected(address, deadline)
        try:
            _tune(raw)
            if address.context:
                if deadline is not None:
                    raw.settimeout(min(max(deadline - time.monotonic(), 0.001), LONGEST))
                raw = address.context.wrap_socket(raw, server_hostname=address.tls_name)
        except BaseException:
            raw.close()
            raise
        return cls(raw)

    def limit(self, seconds: float) -> None:
        """From now on: what takes longer is a TimeoutError; 0: nothing is."""
        self._deadline = time.monotonic() + seconds if seconds else None
        if seconds:
            self._wait_for(seconds)

    def _wait_for(self, seconds: Optional[float]) -> None:
        """The socket's own limit, which costs a call of the system when it changes."""
        seconds = None if seconds is None else min(seconds, LONGEST)
        if seconds == self._timeout:
            return
        if self._kernel:
            micros = int(max(seconds, 0.001) * 1_000_000) if seconds else 0  # 0 is no limit
            value = TIMEVAL.pack(*divmod(micros, 1_000_000))
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)
        else:
            self._socket.settimeout(seconds)
        self._timeout = seconds

    def _left(self) -> Optional[float]:
        return None if self._deadline is None else max(self._deadline - time.monotonic(), 0.0001)

    async def send(self, data: bytes, sink: Sink) -> None:
        """Sends all; what comes meanwhile goes to the sink."""
        if self._deadline is None:
            self._wait_for(None)
        if len(data) <= SMALL:
            sent = self._send(data)
            if sent < len(data):
                self._socket.sendall(data[sent:])
            return
        left = memoryview(data)
        self._socket.setblocking(False)
        while left:
            try:
                piece = left[:PIECE]
                sent = self._send(piece) if len(left) == len(data) else self._socket.send(piece)
                left = left[sent:]
                continue
            except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
            try:
                while True:
                    came = self._socket.recv(PIECE)
                    if not came:
                        raise ConnectionError("the server has closed the connection", sent=True)
                    sink(came)
            except (BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
            if not _poll(self._socket, select.POLLIN | select.POLLOUT, self._left()):
                raise TimeoutError("the request took too long", sent=True)
        self._socket.settimeout(None if self._kernel else self._timeout)

    def _send(self, data: Any) -> int:
        """How many bytes of a request's beginning were sent. Where a socket that is closed takes
        none, the error tells so; within TLS there is no telling."""
        try:
            return self._socket.send(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            tls = isinstance(self._socket, ssl.SSLSocket)
            raise ConnectionError(f"the connection is gone: {error}", sent=tls) from error

    async def receive(self) -> bytes:
        """What has come; nothing at the end. A BlockingIOError: nothing came in time."""
        left = self._left()
        if left is not None and left < 0.99 * (self._timeout or 0):
            self._wait_for(left)
        waits = self._kernel and left is not None and _ticks()
        if waits and not _poll(self._socket, select.POLLIN, left):
            raise BlockingIOError("nothing came in time")
        data = self._socket.recv(self._room)
        self._room = PIECE if len(data) == self._room else SMALL
        return data

    def alive(self, trusted: bool) -> bool:
        """Whether a connection that is not used is still there: nothing may have come on it. One
        that is trusted is not worth a call of the system."""
        return trusted or not _poll(self._socket, select.POLLIN, 0)

    def close(self) -> None:
        """Closes."""
        self._socket.close()

    def leave(self) -> None:
        """Closes this process's end. TLS is not told: the process that has forked goes on."""
        self._socket.close()


Streams = Tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _within(opening: "Coroutine[Any, Any, Streams]", seconds: float) -> Streams:
    """As asyncio.wait_for, which before Python 3.12 may lose that its task was cancelled."""
    task = asyncio.ensure_future(opening)
    try:
        await asyncio.wait({task}, timeout=seconds or None)
    finally:
        if not task.done():
            task.cancel()
    if task.cancelled() or not task.done():
        raise asyncio.TimeoutError
    return task.result()


class AsyncTransport:
    """The streams of asyncio."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._loop = asyncio.get_running_loop()
        self._timer: Optional[asyncio.TimerHandle] = None
        self._late = False

    @classmethod
    async def connect(cls, address: Address, seconds: float) -> "AsyncTransport":
        """As PlainTransport."""
        opening: Any
        if address.path:
            opening = asyncio.open_unix_connection(address.path)
        elif address.context:
            opening = asyncio.open_connection(
                address.host, address.port, ssl=address.context, server_hostname=address.tls_name
            )
        else:
            opening = asyncio.open_connection(address.host, address.port)
        reader, writer = await _within(opening, seconds)
        _tune(writer.get_extra_info("socket"))
        return cls(reader, writer)

    def limit(self, seconds: float) -> None:
        """As PlainTransport."""
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end) if seconds else None

    def _end(self) -> None:
        self._late = True
        self._writer.transport.abort()

    async def send(self, data: bytes, sink: Sink) -> None:
        """Sends all; the event loop does so while replies are read."""
        if self._writer.is_closing():
            raise ConnectionError("the connection is gone", sent=False)
        self._writer.write(data)

    async def receive(self) -> bytes:
        """As PlainTransport."""
        try:
            data = await self._reader.read(PIECE)
        except OSError:
            if not self._late:
                raise
            data = b""
        if self._late:
            raise TimeoutError("the request took too long", sent=True)
        return data

    def alive(self, trusted: bool) -> bool:
        """As PlainTransport. One of another event loop is of no use."""
        come: Any = self._reader.at_eof() or getattr(self._reader, "_buffer", None)
        if self._loop is not asyncio.get_running_loop() or self._writer.is_closing() or come:
            return False
        return trusted or not _poll(self._writer.get_extra_info("socket"), select.POLLIN, 0)

    def close(self) -> None:
        """As PlainTransport."""
        if self._timer:
            self._timer.cancel()
        if not self._loop.is_closed():
            self._writer.transport.abort()

    def leave(self) -> None:
        """As PlainTransport. The event loop is the other process's, too, and is not told."""
