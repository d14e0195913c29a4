"""One connection: its login, its features, its open indexes, its pipeline."""

from __future__ import annotations

import asyncio
import builtins
import ssl
import time
from collections import OrderedDict
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from . import forks, protocol
from .errors import (
    AuthenticationError,
    ConnectionError,
    Error,
    ProtocolError,
    ServerError,
    TimeoutError,
    UnsupportedError,
    ValueError,
    ends_connection,
)
from .options import Options
from .reader import Reader, Reply
from .transport import Address

MOST_INDEXES = 256
TRUSTED = 0.1  # seconds in which an idle connection hardly ever ends
METHODS = ("mysql_native_password", "unix_socket")
FOREIGN = "is it HandlerSocket's port, or that of SQL?"  # said where nothing is understood
Answer = Union[Reply, ServerError]


NOTHING = Reply(1, [])


def _challenge(reply: Reply) -> bytes:
    try:
        _, challenge = reply.values if len(reply.values) == 2 else (b"", None)
        return bytes.fromhex((challenge or b"-").decode())
    except builtins.ValueError:
        raise ProtocolError("the challenge is none", sent=True) from None


def _not_sent(last: object) -> ConnectionError:
    """The error of calls that were not sent any more behind that result."""
    if isinstance(last, TimeoutError):
        return TimeoutError(str(last))
    return ConnectionError("the connection broke before the call was sent")


class Index(NamedTuple):
    """What P opens."""

    database: str
    table: str
    name: str
    columns: Tuple[str, ...]
    filter_columns: Tuple[str, ...] = ()


class Call(NamedTuple):
    """A request: `encode` is what stands behind the id of its index in the line, or takes that id
    (0 without an index) and gives the line; `decode` takes the reply."""

    kind: str
    encode: Union[bytes, Callable[[int], bytes]]
    decode: Callable[[Reply], Any]
    index: Optional[Index] = None  # type: ignore[assignment]  # in the place of tuple's own
    changes: bool = False
    feature: Optional[str] = None


class Connection:
    """A connection that is open and logged in. For one thread or task at a time."""

    def __init__(self, transport: Any, address: Address, options: Options) -> None:
        self._transport = transport
        self._address = address
        self._options = options
        self._reader = Reader()
        self._answers: List[Answer] = []
        self._indexes: "OrderedDict[Index, int]" = OrderedDict()
        self._free: List[int] = []  # ids whose index was refused
        self._last: Tuple[Optional[Index], int] = (None, 0)  # used last, and its id
        self.features: FrozenSet[str] = frozenset()
        self.used = time.monotonic()
        self.broken = False
        self.doubtful = False  # another one of the pool has ended since it was used
        self.place: Any = None  # that of the pool, while the connection is in use
        self.changed = False  # something, of which nobody has asked the GTID
        self._generation = forks.generation()

    @classmethod
    async def open(
        cls, world: Any, address: Address, options: Options, secret: Optional[str]
    ) -> "Connection":
        """Connects and logs in, within the connect timeout."""
        begun = time.monotonic()
        try:
            transport = await world.connect(address, options.connect_timeout)
        except (TimeoutError, asyncio.TimeoutError, OSError, UnicodeError) as error:
            late = isinstance(error, (asyncio.TimeoutError, OSError)) and "timed out" in str(error)
            kind = (
                TimeoutError if late or isinstance(error, asyncio.TimeoutError) else ConnectionError
            )
            what = "no TLS with" if isinstance(error, ssl.SSLError) else "no connection to"
            raise kind(f"{what} {address}: {error or 'it took too long'}") from error
        made = cls(transport, address, options)
        left = options.connect_timeout - (time.monotonic() - begun)
        transport.limit(max(left, 0.001) if options.connect_timeout else 0)
        try:
            await made._log_in(secret)
            transport.limit(0)
        except ConnectionError as error:
            made.close()
            error.sent = False
            if made._answers and isinstance(made._answers[-1], ServerError):
                raise made._answers[-1] from error  # why the server has closed it
            hint = f"; {FOREIGN}" if isinstance(error, ProtocolError) else ""
            error.args = (f"no connection to {address}: {error}{hint}",)
            raise
        except BaseException:
            made.close()
            raise
        return made

    async def _log_in(self, secret: Optional[str]) -> None:
        hello = protocol.hello(2, self._options.name)
        hello_reply: Optional[Answer] = None
        if self._options.user is not None:
            hello_reply = await self._account(hello)
        if hello_reply is None and secret is not None:
            told, hello_reply = await self.exchange(protocol.secret(secret) + hello, 2)
            if isinstance(told, ServerError):
                raise told
        if hello_reply is None:
            (hello_reply,) = await self.exchange(hello, 1)
        if isinstance(hello_reply, ServerError):
            if hello_reply.text != "cmd":
                raise hello_reply
        elif hello_reply.columns == len(hello_reply.values) == 6:
            features = (hello_reply.values[4] or b"").decode("ascii", "replace")
            self.features = frozenset(features.split(","))
        else:
            raise AuthenticationError(3, "unauth")

    async def _account(self, hello: bytes) -> Optional[Answer]:
        """The reply to hello. None: the port asks for no account. It never gets the password."""
        user, password = self._options.user or "", self._options.password or ""
        told: Optional[Answer] = None
        (reply,) = await self.exchange(protocol.login(user, METHODS), 1)
        if isinstance(reply, ServerError) and reply.text == "authtype":
            return None
        if isinstance(reply, Reply) and reply.columns == 2:
            challenge = _challenge(reply)
            response = protocol.native_password(protocol.utf8(password), challenge)
            reply, told = await self.exchange(protocol.answer(response) + hello, 2)
        if isinstance(reply, ServerError) and self._address.secure:
            # An account of another kind; nobody but the server sees the password.
            reply, told = await self.exchange(protocol.password(user, password) + hello, 2)
        if isinstance(reply, ServerError):
            raise reply
        if told is None:
            (told,) = await self.exchange(hello, 1)
        return told

    def _take(self, data: bytes) -> None:
        self._answers += self._reader.feed(data)

    async def exchange(self, data: bytes, number: int) -> List[Answer]:
        """Sends lines and returns their answers. Past this a ConnectionError means a broken one."""
        self._answers = []
        try:
            await self._transport.send(data, self._take)
            while len(self._answers) < number:
                received = await self._transport.receive()
                if not received:
                    raise ConnectionError("the server has closed the connection", sent=True)
                self._take(received)
            if len(self._answers) > number or self._reader.rest:
                raise ProtocolError("more replies than requests", sent=True)
        except BaseException as error:
            self.broken = True
            if isinstance(error, (OSError, ssl.SSLError)) and not isinstance(error, Error):
                late = isinstance(error, BlockingIOError) or "timed out" in str(error)
                if late:
                    raise TimeoutError("the request took too long", sent=True) from error
                raise ConnectionError(str(error), sent=True) from error
            raise
        self.broken = bool(self._answers) and ends_connection(self._answers[-1])
        return self._answers

    def _open(self, index: Index, lines: List[bytes]) -> Tuple[int, bool]:
        known = self._indexes.get(index)
        if known is not None:
            self._indexes.move_to_end(index)
        else:
            id = self._free[-1] if self._free else len(self._indexes)
            lines.append(protocol.open_index(id, *index))
            if self._free:
                self._free.pop()
            self._indexes[index] = id
        self._last = index, id if known is None else known
        return self._last[1], known is None

    async def _replace(self, index: Index, seconds: float) -> List[Error]:
        """Opens an index under the id that was used longest ago. When it is refused the old one is
        still open there, so nothing may be sent behind it before the reply. Its error, if any."""
        oldest, id = next(iter(self._indexes.items()))
        try:
            broken = await self._talk(protocol.open_index(id, *index), 1, seconds)
        except ValueError as error:
            return [error]
        if broken:
            return [broken if isinstance(broken, ProtocolError) else _not_sent(broken)]
        (answer,) = self._answers
        if isinstance(answer, ServerError):
            return [answer]
        if answer != NOTHING:
            return [self._no_reply_to("P")]
        del self._indexes[oldest]
        self._indexes[index] = id
        return []

    def _meanings(self, answers: Iterable[Tuple[Call, Any]]) -> List[Any]:
        """What the answers to calls mean, some of which may be errors."""
        meanings = []
        for call, answer in answers:
            if type(answer) is Reply:
                try:
                    answer = call.decode(answer)
                except (ProtocolError, builtins.ValueError, LookupError) as error:
                    answer = self._no_reply_to(call.kind, error)
            meanings.append(answer)
        return meanings

    def _of_last_index(self, calls: Sequence[Call]) -> Optional[bytes]:
        """The lines of calls that need nothing but the index that was used last; else None."""
        last, id = self._last
        lines = [b""]
        for _, encode, _, index, _, feature in calls:
            if index is not last or index is None or feature or type(encode) is not bytes:
                return None
            lines.append(encode)
        return (b"%d" % id).join(lines)

    async def _talk(self, data: bytes, number: int, seconds: float) -> Optional[ConnectionError]:
        """Sends lines, whose answers are kept. The error when the connection broke."""
        self._transport.limit(seconds)
        broken: Optional[ConnectionError] = None
        try:
            await self.exchange(data, number)
        except ConnectionError as error:
            broken = error
        self._transport.limit(0)
        self.used = time.monotonic()
        return broken

    async def execute(self, calls: Sequence[Call], seconds: float) -> List[Any]:
        """The results of the calls in their order, errors of the server in their places. When the
        connection breaks, the calls without a reply have that error, and it takes no more."""
        if self.broken:  # a late reply would be taken for that of another call
            raise ConnectionError("the connection broke before")
        if not self.own:
            raise ConnectionError("the connection belongs to the process that has forked")
        data = self._of_last_index(calls)
        if data:
            broken = await self._talk(data, len(calls), seconds)
            results = self._meanings(zip(calls, self._answers))
            return results + [broken] * (len(calls) - len(results))
        begun = time.monotonic()
        results = await self._piece(calls, seconds)
        while len(results) < len(calls):  # There was no room for all of their indexes.
            rest = calls[len(results) :]
            if self.broken:
                return results + [_not_sent(results[-1])] * len(rest)
            left = max(begun + seconds - time.monotonic(), 0.001) if seconds else 0
            more = await self._piece(rest, left)
            if not more:
                more = await self._replace(rest[0].index, left)  # type: ignore[arg-type]
            results += more
        return results

    async def _piece(self, calls: Sequence[Call], seconds: float) -> List[Any]:
        """The results of the first calls, as many as there is room for their indexes."""
        lines: List[bytes] = []
        plan: List[Union[Error, int]] = []  # an error, or where its reply is
        opened: List[Tuple[int, Index]] = []
        for call in calls:
            if call.feature and call.feature not in self.features:
                plan.append(UnsupportedError(f"the server has no {call.feature}"))
                continue
            id, index, encode = 0, call.index, call.encode
            try:
                if index is not None:
                    last, id = self._last
                    if index is not last:
                        if len(self._indexes) >= MOST_INDEXES and index not in self._indexes:
                            break
                        id, new = self._open(index, lines)
                        if new:
                            opened.append((len(lines) - 1, index))
                line = encode(id) if callable(encode) else b"%d%b" % (id, encode)
            except Error as error:
                plan.append(error)
                continue
            plan.append(len(lines))
            lines.append(line)
        broken = await self._talk(b"".join(lines), len(lines), seconds) if lines else None
        answers = self._answers
        refused: Dict[Index, Error] = {}
        for at, index in opened:
            answer = answers[at] if at < len(answers) else NOTHING
            if isinstance(answer, ServerError):
                refused[index] = answer
            elif answer != NOTHING:
                refused[index] = self._no_reply_to("P")
        for index in refused:
            self._free.append(self._indexes.pop(index))
            self._last = None, 0
        answered: List[Tuple[Call, Any]] = []
        result: Any
        for call, place in zip(calls, plan):
            result = place
            if isinstance(place, int):
                result = answers[place] if place < len(answers) else broken
                if refused and call.index in refused and result is not broken:
                    result = refused[call.index]
            answered.append((call, result))
        return self._meanings(answered)

    def _no_reply_to(self, kind: str, why: object = "it is another one's") -> ProtocolError:
        """What such a server says further is not believed, either."""
        self.broken = True
        return ProtocolError(f"the reply is none to {kind}: {why}", sent=True)

    @property
    def own(self) -> bool:
        """Whether this process has opened it."""
        return self._generation == forks.generation()

    def leave(self) -> None:
        """Lets go of one that is another process's, which goes on with it."""
        self.broken = True
        self._transport.leave()

    def alive(self, changes: bool) -> bool:
        """Whether a connection that is not used can be used."""
        idle = time.monotonic() - self.used
        fresh = not self._options.max_idle or idle < self._options.max_idle
        trusted = not changes and idle < TRUSTED and not self.doubtful
        return not self.broken and fresh and bool(self._transport.alive(trusted))

    def close(self) -> None:
        """Closes it."""
        self.broken = True
        self._transport.close()
