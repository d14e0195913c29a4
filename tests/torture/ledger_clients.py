"""Clients of the tables of which every row is accounted for. They check every reply, and know
afterwards what must be stored."""

from __future__ import annotations

import random
import re
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from hang import TIMEOUT_S, Hang
from hs_client import Client, decode, line
from ledger_model import FILTERS, OPENED, SURE, Group, Request
from ledger_tables import COUNTED, COUNTERS, DATABASE, SERIALS, TABLES

Stop = Callable[[], bool]
PIPELINES = 25  # of one connection
GROUPS = 2  # of one connection
SERIAL_ID, COUNTER_ID, FIRST_ID = 90, 91, 10  # index ids

# What a client may be answered while tables are altered, locked and renamed, and threads killed.
# Nothing of the request is done then.
NOT_DONE = re.compile(
    rb"1\t1\t(146|149|lock_tables|interrupted|shutdown|open_table|unsupported_table|too_many_rows"
    rb"|sql_(1205|1213|1317|1969|3024|1836|1290|1021|1114) [ -~]*|135)|2\t1\t(idxnum|fld|too_many_rows)"
)
# Those of them that can come after a change.
MIDWAY = re.compile(rb"1\t1\t(146|149|interrupted|shutdown|135|sql_.*)")
# Of a transaction nothing is kept then.
LOST = re.compile(rb"1\t1\t(transaction_lost|too_many_transactions)")
DONE = b"0\t1"


class Wrong(Exception):
    """A reply that must not come."""


@dataclass
class Account:
    """What one client knows from its replies."""

    groups: list[Group] = field(default_factory=list)
    # by table: tags that were answered with an id, and those of which nothing is known
    serials: dict[str, dict[int, int]] = field(default_factory=lambda: {t: {} for t in SERIALS})
    refused: dict[int, bytes] = field(default_factory=dict)  # other tags, and the error
    perhaps: dict[str, set[int]] = field(default_factory=lambda: {t: set() for t in SERIALS})
    counted: Counter[str] = field(default_factory=Counter)
    uncertain: Counter[str] = field(default_factory=Counter)
    replies: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


@dataclass
class Sent:
    """A request, or a transaction, and where its effect is noted."""

    data: bytes
    group: Group | None = None
    request: Request | None = None
    parts: list[Request] = field(default_factory=list)  # of a transaction
    commits: bool = False
    serial: tuple[str, int] | None = None
    counter: str | None = None


class LedgerClient:
    """Opens connections one after the other; each has groups of rows of its own."""

    def __init__(self, name: str, number: int, seed: str, port: int) -> None:
        self.name = name
        self.account = Account()
        self.last = ""  # shown when the client hangs
        self._number, self._seed, self._port = number, seed, port
        self._serial = number * 100_000_000

    @property
    def wrong(self) -> list[str]:
        """Replies that must not have come."""
        return self.account.wrong

    def run(self, stop: Stop) -> None:
        """Until `stop`. Raises Hang."""
        epoch = 0
        while not stop():
            self._connection(epoch, random.Random(f"{self._seed}/{epoch}"), stop)
            epoch += 1

    def _connection(self, epoch: int, rng: random.Random, stop: Stop) -> None:
        base = self._number * 10_000_000 + epoch * GROUPS
        groups = [Group(name, base + i) for i, name in enumerate(rng.sample(list(TABLES), GROUPS))]
        for group in groups:
            group.hashed = group.table == "mem_hash"
        serial, counter = rng.choice(list(SERIALS)), rng.choice(list(COUNTERS))
        lengths = [rng.choice((1, 1, 2, 3, 8)) for _ in range(PIPELINES)]
        ending = rng.random()
        pending: list[Sent] = []
        self.account.groups += groups
        try:
            with Client(self._port, TIMEOUT_S) as client:
                self._open(client, groups, serial, counter, stop)
                for step, length in enumerate(lengths):
                    if stop() or any(group.unclear for group in groups):
                        break
                    pending += [self._draw(rng, groups, serial, counter) for _ in range(length)]
                    client.send(b"".join(sent.data for sent in pending))
                    if step == PIPELINES - 1 and ending < 0.2:
                        self._abandon(client, ending)
                        break
                    while pending:
                        replies = [client.read_line() for _ in range(pending[0].data.count(b"\n"))]
                        sent = pending.pop(0)
                        if sent.parts:
                            self._take_transaction(sent, replies)
                        else:
                            self._take(sent, replies[0])
        except ConnectionRefusedError:  # the plugin is not loaded now
            self.account.replies["no connection"] += 1
            time.sleep(0.02)
        except (EOFError, ConnectionError):
            self.account.replies["connection lost"] += 1
        except TimeoutError as error:
            raise Hang(f"no reply for {TIMEOUT_S} s") from error
        except Wrong as error:
            self.account.wrong.append(str(error))
            for group in groups:
                group.unclear = True
        for group in groups:
            group.close([r for s in pending if s.group is group for r in self._perhaps_done(s)])
        for sent in pending:
            if sent.serial:
                self.account.perhaps[sent.serial[0]].add(sent.serial[1])
            elif sent.counter:
                self.account.uncertain[sent.counter] += 1

    @staticmethod
    def _abandon(client: Client, ending: float) -> None:
        if ending < 0.1:
            reset = struct.pack("ii", 1, 0)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)

    def _open(
        self, client: Client, groups: list[Group], serial: str, counter: str, stop: Stop
    ) -> None:
        wanted = [
            line("P", id_ + FIRST_ID * number, DATABASE, group.table, index, ",".join(columns), ",".join(FILTERS))
            for number, group in enumerate(groups)
            for id_, (index, columns) in OPENED.items()
        ]  # fmt: skip
        wanted.append(line("P", SERIAL_ID, DATABASE, serial, "PRIMARY", "tag"))
        wanted.append(line("P", COUNTER_ID, DATABASE, counter, "PRIMARY", "n"))
        while wanted and not stop():  # a table that is renamed or locked now comes back
            self.last = f"opens {wanted!r}"
            client.send(b"".join(wanted))
            replies = [client.read_line() for _ in wanted]
            wanted = [sent for sent, reply in zip(wanted, replies, strict=True) if reply != b"0\t1"]
            for reply in replies:
                if reply != b"0\t1" and not NOT_DONE.fullmatch(reply):
                    raise Wrong(f"P is answered {reply!r}")

    def _draw(self, rng: random.Random, groups: list[Group], serial: str, counter: str) -> Sent:
        self._serial += 1
        kind = rng.random()
        if kind < 0.08:
            key = rng.randint(1, COUNTED)
            return Sent(line(COUNTER_ID, "=", 1, key, 1, 0, "+", 1), counter=counter)
        if kind < 0.18:
            tag = self._serial
            return Sent(line(SERIAL_ID, "+", 1, tag), serial=(serial, tag))
        number = rng.randrange(len(groups))
        group = groups[number]

        def draw_one() -> tuple[Request, bytes]:
            request = group.draw(rng, self._serial)
            id_, rest = request.sent.split(b"\t", 1)
            return request, b"%d\t%s" % (int(id_) + FIRST_ID * number, rest)

        if group.table in SURE and rng.random() < 0.25:
            commits, before = rng.random() < 0.75, dict(group.planned)
            drawn = [draw_one()]
            for _ in range(rng.randint(0, 3)):
                self._serial += 1
                drawn.append(draw_one())
            if not commits:
                group.planned = before
            begin = line("T", "B", *rng.choice([[], [], ["RC"], ["SR"]]))
            lines = [begin, *(data for _, data in drawn), line("T", "C" if commits else "R")]
            return Sent(b"".join(lines), group, parts=[r for r, _ in drawn], commits=commits)
        request, data = draw_one()
        return Sent(data, group, request)

    @staticmethod
    def _perhaps_done(sent: Sent) -> list[Request]:
        """Those of a request or transaction without a reply. One that fails is undone alone."""
        if sent.parts:
            return sent.parts if sent.commits else []
        return [sent.request] if sent.request else []

    def _take_transaction(self, sent: Sent, replies: list[bytes]) -> None:
        group, (begun, *between, ended) = sent.group, replies
        assert group is not None
        self.last = f"{sent.data!r} {group.table}"
        group.history.append((sent.data, b"; ".join(replies)))
        rows = dict(group.rows)
        for request, reply in zip(sent.parts, between, strict=True):
            if LOST.fullmatch(reply) or NOT_DONE.fullmatch(reply):
                self.account.replies[reply.decode()[:40]] += 1
            elif not group.unclear and reply != (expected := request.apply(rows)):
                raise Wrong(
                    f"{group.table}: {request.sent!r} is answered {reply!r}, not {expected!r};"
                    f" rows (n, u, t) by id: {group.rows}; before that {list(group.history)}"
                )
        if not sent.commits and ended != DONE:
            raise Wrong(f"T R is answered {ended!r}: {sent.data!r} {replies!r}")
        if ended != DONE and not LOST.fullmatch(ended) and not NOT_DONE.fullmatch(ended):
            raise Wrong(f"T C is answered {ended!r}: {sent.data!r} {replies!r}")
        if begun != DONE and not LOST.fullmatch(begun) and not NOT_DONE.fullmatch(begun):
            raise Wrong(f"T B is answered {begun!r}: {sent.data!r} {replies!r}")
        if sent.commits and ended == DONE:
            group.rows = rows
            self.account.replies["committed"] += 1
        else:
            self.account.replies["rolled back"] += 1

    def _take(self, sent: Sent, reply: bytes) -> None:
        self.last = f"{sent.data!r} {sent.group and sent.group.table}"
        if sent.group:
            sent.group.history.append((sent.data, reply))
        if NOT_DONE.fullmatch(reply):
            self.account.replies[reply.decode()[:40]] += 1
            if sent.serial:
                self.account.refused[sent.serial[1]] = reply
            if MIDWAY.match(reply):
                self._may_be_done(sent)
            return
        self.account.replies["done"] += 1
        if sent.serial:
            table, tag = sent.serial
            if not re.fullmatch(rb"0\t1\t[1-9]\d*", reply):
                raise Wrong(f"{table}: an insert is answered {reply!r}")
            self.account.serials[table][tag] = int(reply.split(b"\t")[2])
        elif sent.counter:
            if reply != b"0\t1\t1":
                raise Wrong(f"{sent.counter}: counting is answered {reply!r}")
            self.account.counted[sent.counter] += 1
        elif sent.group and sent.request and not sent.group.unclear:
            before = dict(sent.group.rows)
            expected = sent.request.apply(sent.group.rows)
            if reply != expected:
                raise Wrong(
                    f"{sent.group.table}: {sent.data!r} is answered {reply!r}, not {expected!r};"
                    f" rows (n, u, t) by id: {before}; before that {list(sent.group.history)}"
                )

    def _may_be_done(self, sent: Sent) -> None:
        """Tables without rollback keep what was changed before the rest, or the commit, is killed."""
        if sent.group and sent.request and sent.request.changes and sent.group.table not in SURE:
            sent.group.unclear = True
        if sent.serial and SERIALS[sent.serial[0]] != "InnoDB":
            self.account.perhaps[sent.serial[0]].add(sent.serial[1])


class LedgerReader:
    """Finds on the read port: the rows come in order, and fit the key."""

    def __init__(self, name: str, seed: str, port: int, writers: int) -> None:
        self.name = name
        self.last = ""
        self.replies: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._seed, self._port, self._writers = seed, port, writers

    def run(self, stop: Stop) -> None:
        """Until `stop`. Raises Hang."""
        epoch = 0
        while not stop():
            rng = random.Random(f"{self._seed}/{epoch}")
            epoch += 1
            try:
                with Client(self._port, TIMEOUT_S) as client:
                    for id_, table in enumerate(rng.sample(list(TABLES), 4)):
                        client.request("P", id_, DATABASE, table, rng.choice(["PRIMARY", "gu"]), "grp,id,u")
                    for _ in range(30):
                        if not stop():
                            self._finds(client, rng)
            except ConnectionRefusedError:
                self.replies["no connection"] += 1
                time.sleep(0.02)
            except (EOFError, ConnectionError):
                self.replies["connection lost"] += 1
            except TimeoutError as error:
                raise Hang(f"no reply for {TIMEOUT_S} s") from error
            except Wrong as error:
                self.wrong.append(str(error))

    def _finds(self, client: Client, rng: random.Random) -> None:
        drawn = []
        for _ in range(rng.choice((1, 3, 10))):
            group = rng.randint(1, self._writers) * 10_000_000 + rng.randrange(200)
            drawn.append((rng.randrange(4), rng.choice([">", ">=", "<", "<=", "="]), group))
        self.last = repr(drawn)
        client.send(b"".join(line(id_, op, 1, group, 30, 0) for id_, op, group in drawn))
        for _, operator, group in drawn:
            self._judge(operator, group, client.read_line())

    def _judge(self, operator: str, group: int, reply: bytes) -> None:
        tokens = reply.split(b"\t")
        if tokens[0] != b"0":
            if not NOT_DONE.fullmatch(reply) and reply not in (b"2\t1\tstmtnum", b"2\t1\top"):
                raise Wrong(f"a find is answered {reply!r}")
            self.replies[reply.decode()[:40]] += 1
            return
        values = [int(decode(token) or b"0") for token in tokens[2:]]
        rows = list(zip(values[::3], values[1::3], values[2::3], strict=True))
        keys = [row[0] for row in rows]
        bounded = {
            ">": all(key > group for key in keys),
            ">=": all(key >= group for key in keys),
            "<": all(key < group for key in keys),
            "<=": all(key <= group for key in keys),
            "=": all(key == group for key in keys),
        }[operator]
        order = sorted(keys, reverse=operator in ("<", "<="))
        if not bounded or keys != order or len({row[:2] for row in rows}) < len(rows):
            raise Wrong(f"{operator} {group} is answered {reply!r}")
        self.replies["rows" if rows else "no rows"] += 1
