"""Clients that change rows and know, for each moment, what their rows may be.

Each writer has groups of rows that no other writer touches. Its changes are committed in the order in
which they were sent, so after a crash its rows must be those after some number of its changes: at
least all that were answered, at most all that were sent. Rows that all writers share are in tables
of their own, for which bounds and invariants are known.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hs_client import Client, line
from private_server import PrivateServer

GROUPS = 3  # of each writer
SHARED_GROUPS = 2
SHARED_ROWS = 20  # in each of them
COUNTERS = 3
CHANGED = b"0\t1\t1"

# What a client may be answered instead of "done"; nothing of the request is done then.
RETRYABLE = {b"1\t1\t146", b"1\t1\t149", b"1\t1\tlock_tables", b"1\t1\tinterrupted", b"1\t1\tshutdown"}

Row = tuple[int, int, str]  # n, mark, text
Rows = dict[tuple[int, int], Row]  # by group and id
Change = Callable[[Rows], bytes]  # changes the rows and returns the reply


def create_tables(server: PrivateServer, writers: int) -> None:
    """The tables `own`, `shared` and `counters`, with rows that keep the writers' gaps apart."""
    server.sql("CREATE DATABASE hs CHARACTER SET utf8mb4")
    server.sql(
        "CREATE TABLE hs.own (grp INT, id INT, n BIGINT NOT NULL, mark BIGINT NOT NULL,"
        " text VARCHAR(300) NOT NULL, PRIMARY KEY (grp, id))"
    )
    fences = ", ".join(f"({2 * number}, 0, 0, 0, '')" for number in range(writers * GROUPS + 1))
    server.sql(f"INSERT INTO hs.own VALUES {fences}")
    server.sql("CREATE TABLE hs.shared (grp INT, id INT, mark BIGINT NOT NULL, PRIMARY KEY (grp, id))")
    places = ((group, row) for group in range(1, SHARED_GROUPS + 1) for row in range(1, SHARED_ROWS + 1))
    shared = ", ".join(f"({group}, {row}, 0)" for group, row in places)
    server.sql(f"INSERT INTO hs.shared VALUES {shared}")
    server.sql("CREATE TABLE hs.counters (id INT PRIMARY KEY, n BIGINT NOT NULL)")
    server.sql(f"INSERT INTO hs.counters SELECT seq, 0 FROM seq_1_to_{COUNTERS}", database="hs")


@dataclass
class Writer:
    """One client after the other; between runs, check() compares its rows with the table."""

    number: int
    seed: int
    rows: Rows = field(default_factory=dict)  # as far as answered
    done: list[Change] = field(default_factory=list)  # own changes that were answered
    pending: list[Change] = field(default_factory=list)  # and those that were not yet
    counted: int = 0  # increments of the counters that were answered
    uncertain: int = 0  # and those that were not
    answered: int = 0
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(f"{self.seed}/{self.number}")
        self._next_id = 1
        self._mark = self.number * 10_000_000

    @property
    def groups(self) -> list[int]:
        """Odd numbers: the groups with even numbers are fences."""
        return [2 * (self.number * GROUPS + i) + 1 for i in range(GROUPS)]

    def run(self, port: int, stop: threading.Event) -> None:
        """Writes until `stop`, or until the server is gone."""
        try:
            with Client(port) as client:
                client.open("hs.own", ["grp", "id", "n", "mark", "text"], id=1)
                client.open("hs.own", ["n", "text"], id=2)
                client.open("hs.own", ["mark"], id=3)
                client.open("hs.own", ["n"], id=4)
                client.open("hs.shared", ["mark"], id=5)
                client.open("hs.counters", ["n"], id=6)
                while not stop.is_set():
                    self._pipeline(client)
        except (EOFError, ConnectionError):
            pass
        except Exception as error:  # the thread's, so that the test sees it
            self.wrong.append(repr(error))

    def _pipeline(self, client: Client) -> None:
        planned = dict(self.rows)
        drawn = []
        for _ in range(self._random.choice((1, 1, 2, 5, 20))):
            request, change = self._draw(planned)
            if change is None:
                self.uncertain += request.startswith(b"6")
            else:
                change(planned)
                self.pending.append(change)
            drawn.append((request, change))
        client.send(b"".join(request for request, _ in drawn))
        for request, change in drawn:
            self._take(request, change, client.read_line())

    def _take(self, request: bytes, change: Change | None, reply: bytes) -> None:
        self.answered += 1
        if change is not None:
            assert self.pending.pop(0) is change
            expected = reply
            if reply not in RETRYABLE:
                expected = change(self.rows)
                self.done.append(change)
        else:
            counts = request.startswith(b"6")
            self.uncertain -= counts
            self.counted += counts and reply == CHANGED
            expected = CHANGED if counts else b"0\t1\t%d" % SHARED_ROWS
        if reply not in RETRYABLE and reply != expected:
            self.wrong.append(f"{request!r} was answered {reply!r}, not {expected!r}")

    def _draw(self, rows: Rows) -> tuple[bytes, Change | None]:
        """A request, and what it does to the writer's own rows, if to these."""
        rng = self._random
        kind = rng.random()
        group = rng.choice(self.groups)
        self._mark += 1
        if kind < 0.10:
            return line(6, "=", 1, rng.randint(1, COUNTERS), 1, 0, "+", 1), None
        if kind < 0.20:
            shared = rng.randint(1, SHARED_GROUPS)
            return line(5, "=", 1, shared, 1000, 0, "U", self._mark), None
        if kind < 0.35:
            return line(3, "=", 1, group, 1000, 0, "U", self._mark), marks(group, self._mark)
        if kind < 0.65 or not rows:
            key = group, self._next_id
            self._next_id += 1
            if rows and rng.random() < 0.1:
                key = rng.choice(list(rows))
            row = (rng.randrange(1000), 0, "ä€😀 "[rng.randrange(3)] * rng.randrange(100))
            return line(1, "+", 5, *key, *row), inserts(key, row)
        key = rng.choice(list(rows))
        found: list[int | str] = ["=", 2, *key, 1, 0]
        if kind < 0.80:
            n, text = rng.randrange(1000), f"text {self._mark}"
            return line(2, *found, "U", n, text), updates(key, n, text)
        if kind < 0.90:
            return line(4, *found, "+", 7), adds(key, 7)
        return line(1, *found, "D"), deletes(key)

    def check(self, server: PrivateServer) -> None:
        """The table has every answered change, in order, and no part of an unanswered one."""
        assert self.wrong == [], self.wrong[:3]
        found = self._stored(server)
        for done, change in enumerate([*self.pending, None]):
            if self.rows == found:
                break
            assert change is not None, (
                f"writer {self.number}: after {done} unanswered changes"
                f" {sorted(set(self.rows.items()) ^ set(found.items()))[:10]} differs"
            )
            change(self.rows)
            self.done.append(change)
        self.pending.clear()

    def check_past(self, server: PrivateServer, done: int) -> None:
        """The table is as it was at some moment, but not before so many changes were done."""
        found = self._stored(server)
        rows: Rows = {}
        for number, change in enumerate([*self.done, None]):
            if number >= done and rows == found:
                return
            if change is not None:
                change(rows)
        raise AssertionError(f"writer {self.number}: its rows were never so")

    def _stored(self, server: PrivateServer) -> Rows:
        rows = server.sql("SELECT * FROM hs.own WHERE grp IN %s", [self.groups])
        return {(group, id_): (n, mark, text) for group, id_, n, mark, text in rows}


def inserts(key: tuple[int, int], row: Row) -> Change:
    def change(rows: Rows) -> bytes:
        if key in rows:
            return b"1\t1\t121"
        rows[key] = row
        return b"0\t1"

    return change


def updates(key: tuple[int, int], n: int, text: str) -> Change:
    def change(rows: Rows) -> bytes:
        if key not in rows:
            return b"0\t1\t0"
        rows[key] = (n, rows[key][1], text)
        return CHANGED

    return change


def adds(key: tuple[int, int], n: int) -> Change:
    def change(rows: Rows) -> bytes:
        if key not in rows:
            return b"0\t1\t0"
        rows[key] = (rows[key][0] + n, *rows[key][1:])
        return CHANGED

    return change


def deletes(key: tuple[int, int]) -> Change:
    def change(rows: Rows) -> bytes:
        return CHANGED if rows.pop(key, None) is not None else b"0\t1\t0"

    return change


def marks(group: int, mark: int) -> Change:
    """A statement of several rows."""

    def change(rows: Rows) -> bytes:
        keys = [key for key in rows if key[0] == group]
        for key in keys:
            rows[key] = (rows[key][0], mark, rows[key][2])
        return b"0\t1\t%d" % len(keys)

    return change


class Worker(Protocol):
    """What a thread of a load does."""

    answered: int  # grows
    wrong: list[str]

    def run(self, port: int, stop: threading.Event) -> None:
        """Works until `stop`, or until the server is gone."""


class Load:
    """Workers in threads. `port`: the server's that they use, if not the write port."""

    def __init__(self, server: PrivateServer, writers: Sequence[Worker], port: int = 0) -> None:
        self.writers = writers
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=writer.run, args=(port or server.port_wr, self._stop))
            for writer in writers
        ]
        self._begin = self.answered
        self._begins = [writer.answered for writer in writers]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def finish(self) -> None:
        """Ends the writers and waits for their last replies."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    @property
    def answered(self) -> int:
        """How many requests of all writers were answered since the start."""
        return sum(writer.answered for writer in self.writers)

    def wait_for(self, requests: int) -> None:
        """Waits until so many more were answered, and until no writer is still opening its indexes.

        Such a writer does not expect that the server refuses it.
        """
        goal = self._begin + requests
        self._begin = goal
        while self.answered < goal or any(self._opening()):
            assert any(thread.is_alive() for thread in self._threads), self.wrong()
            self._stop.wait(0.0005)

    def _opening(self) -> Iterator[bool]:
        for writer, begin, thread in zip(self.writers, self._begins, self._threads):
            yield writer.answered == begin and thread.is_alive()

    def wrong(self) -> list[str]:
        """Replies that no writer may get."""
        return [sentence for writer in self.writers for sentence in writer.wrong]


def check_all(server: PrivateServer, writers: Sequence[Writer]) -> None:
    """Checks the rows of each writer and those that all share."""
    for writer in writers:
        writer.check(server)
    for (marks_,) in server.sql("SELECT COUNT(DISTINCT mark) FROM hs.shared GROUP BY grp"):
        assert marks_ == 1, "a change of several rows is there by half"
    ((total,),) = server.sql("SELECT SUM(n) FROM hs.counters")
    counted = sum(writer.counted for writer in writers)
    assert counted <= total <= counted + sum(writer.uncertain for writer in writers)
    for writer in writers:
        writer.counted = writer.uncertain = 0
    writers[0].counted = int(total)
