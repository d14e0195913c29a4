"""Requests on a drawn table: what they ask, and their bytes."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from hs_client import encode  # noqa: E402

from server_files import SERVER_ROOT, is_mysql  # noqa: E402

import values  # noqa: E402
from bends import bend  # noqa: E402
from columns import Column, Family, Value  # noqa: E402
from schema import Index, Table  # noqa: E402

# Without it SQL does not tell what an INSERT has stored.
HAS_RETURNING = not is_mysql(SERVER_ROOT)

MANY = 1000  # a limit that no table reaches


@dataclass
class Spec:
    """An opened index."""

    id: int
    table: Table
    index: Index
    columns: list[Column]
    filters: list[Column]

    def line(self) -> bytes:
        """The `P` request."""
        names = [",".join(c.name for c in some).encode() for some in (self.columns, self.filters)]
        return (
            b"\t".join([b"P", b"%d" % self.id, b"hs", b"t", self.index.name.encode(), *names])
            + b"\n"
        )

    @property
    def exact_order(self) -> bool:
        """Whether SQL can name the order of this index, ties included."""
        return self.table.exact_order and not any(p.prefix for p in self.index.parts)


@dataclass
class Filter:
    """A condition of a request."""

    stops: bool
    op: str
    position: int
    value: Value


@dataclass
class Request:
    """One request; `action` is find, insert, U, D, + or -."""

    spec: Spec
    action: str
    op: str = "="
    key: list[Value] = field(default_factory=list)
    limit: int | None = None
    offset: int | None = None
    in_part: int | None = None
    in_values: list[Value] = field(default_factory=list)
    takes_all: bool = False  # all rows of each value of IN
    counts: bool = False  # a find that only counts
    filters: list[Filter] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    returns_old: bool = False
    returns_new: bool = False
    form: str = "+"  # of an insert
    updates: list[Value] | None = None  # the second list of +U

    @property
    def returns_rows(self) -> bool:
        """Whether the reply has rows."""
        return (self.action == "find" and not self.counts) or self.returns_old or self.returns_new

    @property
    def writes(self) -> bool:
        """Whether it may change the table."""
        return self.action != "find"

    def line(self) -> bytes:
        """The request as it is sent."""
        tokens: list[bytes] = [b"%d" % self.spec.id]
        if self.action == "insert":
            form = self.form.encode() + (b"!" if self.returns_new else b"")
            tokens += [form, b"%d" % len(self.values), *map(encode, self.values)]
            if self.updates is not None:
                tokens += [b"%d" % len(self.updates), *map(encode, self.updates)]
            return b"\t".join(tokens) + b"\n"
        tokens += [self.op.encode(), b"%d" % len(self.key), *map(encode, self.key)]
        if self.limit is not None:
            tokens += [b"%d" % self.limit]
        if self.offset is not None:
            tokens += [b"%d" % self.offset]
        if self.in_part is not None:
            tokens += [
                b"&" if self.takes_all else b"@",
                b"%d" % self.in_part,
                b"%d" % len(self.in_values),
                *map(encode, self.in_values),
            ]
        for item in self.filters:
            tokens += [
                b"W" if item.stops else b"F",
                item.op.encode(),
                b"%d" % item.position,
                encode(item.value),
            ]
        if self.counts:
            tokens += [b"C"]
        if self.action != "find":
            tokens += [
                self.action.encode() + (b"?" if self.returns_old else b"!" if self.returns_new else b""),
                *map(encode, self.values),
            ]
        return b"\t".join(tokens) + b"\n"

    def take_all(self) -> None:
        """No limit."""
        self.limit, self.offset = MANY, 0

    def settle(self) -> None:
        """No limit on a change whose rows come in an order that SQL does not know."""
        if self.writes and self.action != "insert" and not self.spec.exact_order:
            if self.in_part is None:
                self.take_all()

    @property
    def wanted(self) -> int:
        """How many rows at most: 0 and nothing mean 1, for a count all."""
        return self.limit or (MANY if self.counts else 1)

    def of_value(self, value: Value) -> Request:
        """The search of one value of IN, as a request of its own."""
        part = self.in_part or 0
        key = [*self.key[:part], value, *self.key[part + 1 :]]
        return replace(self, key=key, in_part=None, in_values=[], takes_all=False)


class Drawer:
    """Draws requests for one table; remembers values, so that keys find rows."""

    def __init__(self, table: Table, rng: Random) -> None:
        self.table = table
        self.rng = rng
        self._used: dict[str, list[Value]] = {}
        self.specs = [self._spec(number) for number in range(1, 6)]
        everything = [c for c in table.columns if c.writable]
        self.specs.append(Spec(6, table, self._searchable()[0], everything, []))

    def _searchable(self) -> list[Index]:
        return [i for i in self.table.indexes if i.searchable]

    def _spec(self, number: int) -> Spec:
        rng = self.rng
        columns = list(self.table.columns)
        rng.shuffle(columns)
        chosen = columns[: rng.randint(1, len(columns))]
        if rng.random() < 0.85:
            chosen = [c for c in chosen if c.writable] or chosen
        if rng.random() < 0.5:
            chosen.sort(key=self.table.columns.index)
        comparable = [c for c in self.table.columns if not c.row_time]
        filters = rng.sample(comparable, min(len(comparable), 3))
        return Spec(number, self.table, rng.choice(self._searchable()), chosen, filters)

    def value(self, column: Column, odd: float = 0.15) -> Value:
        """A value for a column, remembered."""
        drawn = values.draw(column, self.rng, odd)
        while drawn is None and column.clock and self._is_unique(column):
            drawn = values.draw(column, self.rng, odd)  # NULL is the current time: it may collide with another row on one side only.
        self._used.setdefault(column.name, []).append(drawn)
        return drawn

    def _is_unique(self, column: Column) -> bool:
        return any(i.unique and any(p.column is column for p in i.parts) for i in self.table.indexes)

    def search_value(self, column: Column) -> Value:
        """A value to look for."""
        used = self._used.get(column.name)
        if not used or self.rng.random() > 0.7:
            return values.draw(column, self.rng, 0.25)
        value = self.rng.choice(used[-30:])
        if value is None or len(value) > 200 or self.rng.random() > 0.3:
            return value
        bent = bend(column, values.in_utf8(column, value), self.rng)
        return values.on_the_wire(column, bent)

    def insert(self, odd: float) -> Request:
        """An insert, through a spec with all writable columns or with some."""
        rng = self.rng
        spec = self.specs[5] if rng.random() < 0.7 else rng.choice(self.specs)
        count = len(spec.columns) if rng.random() < 0.85 else rng.randint(1, len(spec.columns))
        request = Request(spec, "insert", values=[self._inserted(c, odd) for c in spec.columns[:count]])
        request.form = rng.choices(["+", "+I", "+U", "+R"], [45, 15, 25, 15])[0]
        if request.form == "+":
            request.returns_new = rng.random() < 0.1 and HAS_RETURNING
            return request
        # Values of rows that are there: a put that meets none is an insert.
        for position, column in enumerate(spec.columns[:count]):
            if column.writable and self._is_unique(column) and self._used.get(column.name) and rng.random() < 0.6:
                request.values[position] = rng.choice(self._used[column.name][-30:])
        if request.form == "+U" and rng.random() < 0.5:
            # SQL has no statement that sets nothing.
            size = rng.randint(1 if self._sql_must_set else 0, len(spec.columns))
            request.updates = [self._inserted(c, odd) for c in spec.columns[:size]]
        request.returns_new = rng.random() < 0.25 and HAS_RETURNING
        set_ = spec.columns[: len(request.values if request.updates is None else request.updates)]
        if request.form == "+U" and all(c.auto_increment or not c.writable for c in set_):
            request.returns_new = False  # perhaps nothing is set
        return request

    @property
    def _sql_must_set(self) -> bool:
        return self._has_triggers or "WITHOUT OVERLAPS" in self.table.ddl

    @property
    def _has_triggers(self) -> bool:
        return any("CREATE TRIGGER" in statement for statement in self.table.after)

    def _inserted(self, column: Column, odd: float) -> Value:
        if column.auto_increment and self.rng.random() < 0.6:
            return self.rng.choice([None, b"0", b"0"])
        return self.value(column, odd)

    def draw(self) -> Request:
        """Any request."""
        rng = self.rng
        kind = rng.choices(["insert", "find", "U", "D", "+", "-"], [22, 38, 24, 7, 6, 3])[0]
        if kind == "insert":
            return self.insert(0.12)
        spec = rng.choice(self.specs)
        request = Request(spec, kind)
        self._search(request)
        if kind != "find":
            self._change(request)
        elif request.offset is not None:
            request.counts = rng.random() < 0.25
        return request

    def _search(self, request: Request) -> None:
        rng, spec = self.rng, request.spec
        parts = spec.index.parts
        request.op = rng.choices(["=", "=<", ">", ">=", "<", "<="], [30, 10, 15, 15, 15, 15])[0]
        size = len(parts) if spec.index.hashed or rng.random() < 0.6 else rng.randint(1, len(parts))
        if spec.index.hashed and rng.random() < 0.95:
            request.op = "="
        request.key = [self.search_value(p.column) for p in parts[:size]]
        request.limit = rng.choice([None, 0, 1, 2, 3, MANY, MANY])
        if request.limit is not None and rng.random() < 0.6:
            request.offset = rng.choice([0, 0, 0, 1, 2])
        if any(p.prefix for p in parts):
            request.take_all()
        if request.offset is None and rng.random() < 0.5:
            request.limit, request.offset = request.limit or 1, 0
        if request.offset is None:
            return
        one_row = request.op == "=" and size == len(parts) and spec.index.name == "PRIMARY"
        if (spec.exact_order or one_row) and rng.random() < 0.15:
            request.in_part = rng.randrange(size)
            request.takes_all = rng.random() < 0.5
            request.in_values = [
                self.search_value(parts[request.in_part].column) for _ in range(rng.randint(1, 5))
            ]
        if spec.filters and rng.random() < 0.35:
            for _ in range(rng.choice([1, 1, 2])):
                position = rng.randrange(len(spec.filters))
                op = rng.choice(["=", "!=", ">", ">=", "<", "<="])
                stops = spec.exact_order and rng.random() < 0.25
                request.filters.append(
                    Filter(stops, op, position, self.search_value(spec.filters[position]))
                )

    def _change(self, request: Request) -> None:
        rng = self.rng
        request.returns_old = rng.random() < 0.25
        parts = self.table.primary.parts if self.table.primary else []
        stays = not self._has_triggers and not any(p.column.generated or p.column.on_update for p in parts)
        identity = {p.column.name for p in parts} if stays else set()
        # The rows are found again by their identity.
        if request.action != "D" and request.in_part is None and identity:
            if identity.isdisjoint(c.name for c in request.spec.columns) and rng.random() < 0.25:
                request.returns_old, request.returns_new = False, True
        if request.offset is None:
            request.limit, request.offset = request.limit or 1, 0
        if request.action == "U":
            request.values = [self.value(c) for c in request.spec.columns]
        elif request.action in "+-":
            request.values = [self._operand(c) for c in request.spec.columns]
            if not request.spec.exact_order:
                # Whether keys collide depends on the order of the rows, which is open here.
                unique = {p.column.name for i in self.table.indexes if i.unique for p in i.parts}
                request.values = [
                    None if c.name in unique else v
                    for c, v in zip(request.spec.columns, request.values)
                ]

    def _operand(self, column: Column) -> Value:
        rng = self.rng
        if column.family not in (Family.INTEGER, Family.DECIMAL, Family.FLOAT) and rng.random() < 0.8:
            return None
        return rng.choice(
            [
                b"1",
                b"0",
                b"5",
                b"-1",
                b"3",
                b"100",
                None,
                b"99999999999",
                b"+2",
                b"-9223372036854775808",
            ]
        )
