"""What the rows of one group of a ledger table must be, and what each request must be answered.

A group belongs to one connection. As long as every request was answered, its rows are known exactly.
Each request without a reply may have been done or not.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from hs_client import line

IDS = 14
COLUMNS = ["grp", "id", "n", "u", "t"]
# index id: index, columns; the filter columns are always these two.
OPENED: dict[int, tuple[str, list[str]]] = {
    0: ("PRIMARY", COLUMNS),
    1: ("gu", COLUMNS),
    2: ("PRIMARY", ["t"]),
    3: ("PRIMARY", ["n"]),
    4: ("PRIMARY", ["u", "t"]),
    5: ("gu", ["n"]),
    6: ("gu", ["t"]),
}
FILTERS = ["grp", "n"]

MAX_STATES = 500
# Tables that always have an engine with rollback.
SURE = {"inno_gen", "inno_range", "inno_key"}

Row = tuple[int, int, str | None]  # n, u, t
Rows = dict[int, Row]  # by id
Apply = Callable[[Rows], bytes]  # changes the rows, returns the reply


@dataclass
class Request:
    """A request on a group: what is sent, and what it does."""

    sent: bytes
    apply: Apply
    changes: bool
    several: bool  # may change more than one row


@dataclass
class Group:
    """The rows of one connection in one table."""

    table: str
    number: int
    hashed: bool = False  # the primary key finds whole keys only
    rows: Rows = field(default_factory=dict)  # as far as answered
    planned: Rows = field(default_factory=dict)  # if every request is answered with success
    states: list[Rows] = field(default_factory=list)  # further possibilities, once the connection is closed
    history: deque[tuple[bytes, bytes]] = field(default_factory=lambda: deque(maxlen=40))
    unclear: bool = False  # too much is possible: nothing is known

    def draw(self, rng: random.Random, serial: int) -> Request:
        """A request; `serial` is a number that no request had before."""
        request = self._draw(rng, serial)
        request.apply(self.planned)
        return request

    def _draw(self, rng: random.Random, serial: int) -> Request:
        kind, key = rng.random(), rng.randrange(IDS)
        if kind < 0.30:
            row: Row = (rng.randrange(50), serial, rng.choice([None, "", "x", "ä€😀", f"t{serial}"]))
            sent = line(0, "+", 5, self.number, key, row[0], row[1], row[2])
            return Request(sent, lambda rows: _insert(rows, key, row), True, False)
        if kind < 0.62:
            return self._point(rng, key, serial)
        return self._range(rng, key)

    def _point(self, rng: random.Random, key: int, serial: int) -> Request:
        listed = rng.random() < 0.25
        id_, values, change = self._change(rng, serial, [0, 2, 3] if listed else [0, 2, 3, 4])
        tokens: list[int | str | None] = [id_, "=", 2, self.number, key, 1, 0]
        keys, limit, offset = [key], 1, 0
        if listed:
            keys = rng.sample(range(IDS), rng.randint(1, 4))
            limit, offset = rng.randint(1, 5), rng.randint(0, 1)
            tokens = [id_, "=", 2, self.number, key, limit, offset, "@", 1, len(keys), *keys]

        def select(rows: Rows) -> list[int]:
            return [id_ for id_ in keys if id_ in rows][offset : offset + limit]

        return self._request(tokens, values, id_, select, change, len(keys) > 1)

    def _range(self, rng: random.Random, key: int) -> Request:
        second = rng.random() < 0.4 or self.hashed
        id_, values, change = self._change(rng, 0, [1, 5, 6] if second else [0, 2, 3])
        operator = rng.choice([">", ">=", "<", "<=", "="])
        limit, offset = rng.choice((1, 2, 5, 100)), rng.choice((0, 0, 0, 1, 2))
        least = rng.choice((None, None, 5, 25))
        pivot = key
        if second and self.planned:
            pivot = rng.choice([u for _, u, _ in self.planned.values()])
        bound: list[int | str | None] = [2, self.number, pivot]
        if operator == "=":
            bound = [1, self.number]
        tokens = [id_, operator, *bound, limit, offset, "W", "=", 0, self.number]
        if least is not None:
            tokens += ["F", ">=", 1, least]

        def select(rows: Rows) -> list[int]:
            order = sorted(rows, key=lambda i: rows[i][1] if second else i)
            found = [i for i in order if _holds(operator, rows[i][1] if second else i, pivot)]
            if operator in "<=" and operator != "=":
                found.reverse()
            chosen = [i for i in found if least is None or rows[i][0] >= least]
            return chosen[offset : offset + limit]

        return self._request(tokens, values, id_, select, change, True)

    def _change(
        self, rng: random.Random, serial: int, ids: list[int]
    ) -> tuple[int, list[int | str | None], Callable[[Row], Row | None]]:
        """An index id, the tokens of a change, and what it makes of a row."""
        kind, again = rng.random(), rng.choice(["", "", "?"])
        if kind < 0.2:
            return ids[0], [], lambda row: row
        if kind < 0.4:
            return rng.choice(ids), [f"D{again}"], lambda row: None
        if kind < 0.65:
            id_ = ids[2 if ids[0] else 1]
            text = f"m{rng.randrange(1000)}"
            return id_, [f"U{again}", text], lambda row: (row[0], row[1], text)
        if kind < 0.9 or 4 not in ids:
            id_ = ids[1 if ids[0] else 2]
            by = rng.randint(1, 9)
            return id_, [f"+{again}", by], lambda row: (row[0] + by, row[1], row[2])
        return 4, [f"U{again}", serial, "moved"], lambda row: (row[0], serial, "moved")

    def _request(
        self,
        tokens: list[int | str | None],
        values: list[int | str | None],
        id_: int,
        select: Callable[[Rows], list[int]],
        change: Callable[[Row], Row | None],
        several: bool,
    ) -> Request:
        columns = OPENED[id_][1]

        def apply(rows: Rows) -> bytes:
            found = select(rows)
            reply = self._rows(columns, ((i, rows[i]) for i in found))
            if not values:
                return reply
            for i in found:
                changed = change(rows[i])
                if changed is None:
                    del rows[i]
                else:
                    rows[i] = changed
            return reply if "?" in str(values[0]) else b"0\t1\t%d" % len(found)

        return Request(line(*tokens, *values), apply, bool(values), several and bool(values))

    def _rows(self, columns: list[str], found: Iterable[tuple[int, Row]]) -> bytes:
        tokens: list[int | str | None] = [0, len(columns)]
        for id_, (n, u, t) in found:
            values = {"grp": self.number, "id": id_, "n": n, "u": u, "t": t}
            tokens += [values[column] for column in columns]  # type: ignore[misc]
        return line(*tokens)[:-1]

    def close(self, pending: list[Request]) -> None:
        """The connection is lost: each of these may have been done or not."""
        self.states = [self.rows]
        for request in pending:
            for rows in list(self.states) if request.changes else []:
                done = dict(rows)
                request.apply(done)
                if done not in self.states:
                    self.states.append(done)
            # Too many to check; or one that the engine would not roll back when it is killed.
            if len(self.states) > MAX_STATES or request.several and self.table not in SURE:
                self.unclear = True
                return

    def possible(self, rows: Rows) -> bool:
        """Whether the table may hold these rows."""
        return self.unclear or rows == self.rows or rows in self.states


def _insert(rows: Rows, key: int, row: Row) -> bytes:
    if key in rows:
        return b"1\t1\t121"
    rows[key] = row
    return b"0\t1"


def _holds(operator: str, value: int, pivot: int) -> bool:
    return {
        "=": True,
        ">": value > pivot,
        ">=": value >= pivot,
        "<": value < pivot,
        "<=": value <= pivot,
    }[operator]
