"""The calls of a table: what each sends, and what its reply means."""

from __future__ import annotations

from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
)

from . import protocol
from .connection import Call, Index
from .errors import ProtocolError, ValueError
from .protocol import MAX_NUMBER, Raw
from .reader import Reply
from .values import DECODERS, Key, Value, count_of, list_of, to_bytes

Row = Dict[str, Any]
_new: Callable[[Type[Call], Tuple[Any, ...]], Call] = tuple.__new__  # in less time than Call itself
# Column, operator, value; with "while" behind them the first row that fails ends the search.
Filter = Union[Tuple[str, str, Value], Tuple[str, str, Value, str]]
Filters = Sequence[Filter]


def wire_filters(filters: Filters) -> Tuple[List[str], List[protocol.Filter]]:
    """The filter columns, and the filters as the protocol takes them."""
    wire = []
    filters = list_of(filters, "filters")
    for at, one in enumerate(filters):
        if (
            not isinstance(one, (list, tuple))
            or len(one) < 3
            or list(one[3:]) not in ([], ["while"])
        ):
            raise ValueError("a filter is a column, an operator, a value, and maybe while")
        kind = "F" if len(one) == 3 else "W"
        wire.append(protocol.Filter(kind, one[1], at, to_bytes(one[2])))
    return [one[0] for one in filters], wire


class Inserted(NamedTuple):
    """Whether a row was added, and the generated id."""

    inserted: bool
    id: Optional[int]


class Upserted(NamedTuple):
    """`inserted`, `updated` or `unchanged`, and the id."""

    did: str
    id: Optional[int]


class Replaced(NamedTuple):
    """How many rows were replaced, and the generated id."""

    replaced: int
    id: Optional[int]


def key_values(key: Key) -> List[Raw]:
    """The values of a key."""
    if isinstance(key, (list, tuple)):
        return [to_bytes(one) for one in key]
    return [to_bytes(key)]  # type: ignore[arg-type]


def _numbers(reply: Reply, most: int) -> List[int]:
    """The numbers of a reply of one row that has so many at most."""
    if not reply.columns == len(reply.values) <= most:
        raise ProtocolError("the reply is no count", sent=True)
    return [count_of(one) for one in reply.values]


def _number(reply: Reply) -> int:
    return _numbers(reply, 1)[0]


def _number_and_id(reply: Reply) -> Tuple[int, Optional[int]]:
    """The second one is missing in a table without AUTO_INCREMENT."""
    number, *ids = _numbers(reply, 2)
    return number, ids[0] or None if ids else None


def has_columns(reply: Reply, columns: int, rows: int = MAX_NUMBER) -> Reply:
    """The reply, if it has that many columns and so many rows at most; else a ProtocolError."""
    if reply.columns != columns or len(reply.values) > columns * rows:
        raise ProtocolError("the reply has other columns, or more rows, than asked for", sent=True)
    return reply


class TableCalls:
    """The calls of one table, with its kinds of columns; see Table for their meaning."""

    def __init__(
        self,
        database: str,
        table: str,
        columns: Sequence[str],
        index: str,
        kinds: Dict[str, str],
        raw: bool,
    ) -> None:
        self.database, self.table, self.columns, self.index = database, table, tuple(columns), index
        self._kinds, self._raw = kinds, raw
        self._plain = self.index_of(self.columns)
        self._row = self.row_of(self.columns)

    def index_of(self, columns: Sequence[str], filter_columns: Sequence[str] = ()) -> Index:
        """What is opened to read or write these columns."""
        return Index(self.database, self.table, self.index, tuple(columns), tuple(filter_columns))

    def row_of(self, columns: Sequence[str]) -> Callable[[Sequence[Raw]], Row]:
        """What turns values into a row with these columns."""
        if self._raw:
            return lambda values: dict(zip(columns, values))
        decoders = [(one, DECODERS[self._kinds.get(one, "text")]) for one in columns]
        if len(decoders) == 1:  # without a loop
            ((only, decode),) = decoders
            return lambda values: {only: None if values[0] is None else decode(values[0])}

        def row(values: Sequence[Raw]) -> Row:
            return {
                name: None if value is None else decoder(value)
                for (name, decoder), value in zip(decoders, values)
            }

        return row

    def rows(self, columns: Sequence[str], most: int = MAX_NUMBER) -> Callable[[Reply], List[Row]]:
        """What turns a reply into rows with these columns, so many at most."""
        width = len(columns)
        step = width or 1  # without columns there are no values
        row = self.row_of(columns)

        def decode(reply: Reply) -> List[Row]:
            values = has_columns(reply, width, most).values
            return [row(values[at : at + width]) for at in range(0, len(values), step)]

        return decode

    def _first(self, reply: Reply) -> Optional[Row]:
        columns, values = reply
        width = len(self.columns)
        if columns != width or len(values) > width:
            has_columns(reply, width, 1)  # which raises
        return self._row(values) if values else None

    def find(
        self,
        op: str,
        key: Key,
        limit: int = 1,
        offset: int = 0,
        filters: Filters = (),
        in_: Optional[Tuple[str, Sequence[Value]]] = None,
        *,
        every: bool = False,
        part: int = 0,
    ) -> Call:
        """`part` is the place of the column of `in_` in the key."""
        names, wire = wire_filters(filters)
        values = key_values(key)
        listed = protocol.In(part, [to_bytes(one) for one in in_[1]], every) if in_ else None
        return Call(
            "find_all" if every else "find",
            lambda id: protocol.find(id, op, values, limit, offset, listed, wire),
            self.rows(self.columns, MAX_NUMBER if in_ else limit or 1),
            self.index_of(self.columns, names),
            feature="all" if every else "descending" if op == "=<" else None,
        )

    def get(self, key: Key) -> Call:
        """The row with this key, or None."""
        if type(key) is int:  # as most are
            line = b"\t=\t1\t%d\n" % key
            return _new(Call, ("get", line, self._first, self._plain, False, None))
        return Call("get", protocol.find_one(key_values(key)), self._first, self._plain)

    def page(
        self,
        op: str,
        key: Sequence[Raw],
        limit: int,
        offset: int,
        names: Sequence[str],
        wire: Sequence[protocol.Filter],
        columns: Sequence[str],
    ) -> Call:
        """A page of a range, with the values as they came."""
        return Call(
            "range",
            lambda id: protocol.find(id, op, key, limit, offset, None, wire),
            lambda reply: has_columns(reply, len(columns), limit),
            self.index_of(columns, names),
        )

    def count(self, op: str, key: Key, limit: int = 0, filters: Filters = ()) -> Call:
        """How many rows; a limit of 0 is none."""
        names, wire = wire_filters(filters)
        values = key_values(key)
        return Call(
            "count",
            lambda id: protocol.count(id, op, values, limit, 0, None, wire),
            _number,
            self.index_of((), names),
            feature="count",
        )

    def exists(self, key: Key) -> Call:
        """Whether there is such a row."""
        call = self.count("=", key, 1)
        return call._replace(kind="exists", decode=lambda reply: _number(reply) > 0)

    def _insert(
        self,
        verb: str,
        row: Mapping[str, Value],
        returning: Optional[str],
        decode: Callable[[Reply], Any],
        update: Optional[Mapping[str, Value]] = None,
    ) -> Call:
        names = _columns(row)
        if not names:
            raise ValueError("a row has a column at least")
        if update is not None:
            if not set(_columns(update)) <= set(row):
                raise ValueError("the columns of the update must be among those of the row")
            names = [*update, *(name for name in names if name not in update)]
        values = [to_bytes(row[name]) for name in names]
        updates = None if update is None else [to_bytes(one) for one in update.values()]
        feature = "upsert" if len(verb) > 1 else None
        if returning:
            verb += _mark(returning)
            names += [name for name in self.columns if name not in row]
            decode, feature = self.rows(names), feature or "returning"
        return Call(
            "insert",
            lambda id: protocol.insert(id, verb, values, updates),
            decode,
            self.index_of(names),
            changes=True,
            feature=feature,
        )

    def insert(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Call:
        """The generated id, or None."""
        return self._insert(
            "+", row, returning, lambda reply: reply.values and _number(reply) or None
        )

    def insert_ignore(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Call:
        """Inserted."""

        def decode(reply: Reply) -> Inserted:
            number, id = _number_and_id(reply)
            return Inserted(number == 1, id)

        return self._insert("+I", row, returning, decode)

    def upsert(
        self,
        row: Mapping[str, Value],
        update: Optional[Mapping[str, Value]] = None,
        returning: Optional[str] = None,
    ) -> Call:
        """Upserted."""

        def decode(reply: Reply) -> Upserted:
            number, id = _number_and_id(reply)
            return Upserted(("unchanged", "inserted", "updated")[number], id)

        return self._insert("+U", row, returning, decode, update)

    def replace(self, row: Mapping[str, Value], returning: Optional[str] = None) -> Call:
        """Replaced."""

        def decode(reply: Reply) -> Replaced:
            number, id = _number_and_id(reply)
            return Replaced(number - 1, id)

        return self._insert("+R", row, returning, decode)

    def _change(
        self,
        verb: str,
        key: Key,
        values: Mapping[str, Value],
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Call:
        """How many rows were changed."""
        names, wire = wire_filters(filters)
        columns = _columns(values)
        wanted, new = key_values(key), [to_bytes(values[name]) for name in columns]
        if verb == "D":
            columns = list(self.columns) if returning else []
        elif not columns:
            raise ValueError("there is nothing to change")
        decode: Callable[[Reply], Any] = _number
        feature = None
        if returning:
            verb += _mark(returning)
            decode = self.rows(columns)
            feature = "returning" if verb.endswith("!") else None
        return Call(
            "change",
            lambda id: protocol.change(id, op, wanted, limit, 0, None, wire, verb, new),
            decode,
            self.index_of(columns, names),
            changes=True,
            feature=feature,
        )

    def update(
        self,
        key: Key,
        values: Mapping[str, Value],
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Call:
        """How many rows were found and set."""
        return self._change("U", key, values, op, limit, filters, returning)

    def delete(
        self,
        key: Key,
        op: str = "=",
        limit: int = 1,
        filters: Filters = (),
        returning: Optional[str] = None,
    ) -> Call:
        """How many rows were deleted."""
        return self._change("D", key, {}, op, limit, filters, returning)

    def increment(
        self, key: Key, amounts: Mapping[str, int], returning: Optional[str] = None
    ) -> Call:
        """How many rows were added to."""
        return self._change("+", key, amounts, returning=returning)

    def decrement(
        self, key: Key, amounts: Mapping[str, int], returning: Optional[str] = None
    ) -> Call:
        """How many rows were subtracted from."""
        return self._change("-", key, amounts, returning=returning)

    def compare_and_set(
        self, key: Key, expected: Mapping[str, Value], values: Mapping[str, Value]
    ) -> Call:
        """Whether the row was as expected."""
        if not _columns(expected):
            raise ValueError("there is nothing to compare with")
        call = self._change(
            "U", key, values, filters=[(name, "=", one) for name, one in expected.items()]
        )
        return call._replace(kind="compare_and_set", decode=lambda reply: _number(reply) > 0)


def _columns(row: Mapping[str, Value]) -> List[str]:
    if not isinstance(row, Mapping):
        raise ValueError(f"a row is a dict, not a {type(row).__name__}")
    return list(row)


def _mark(returning: str) -> str:
    if returning not in ("before", "after"):
        raise ValueError(f"returning is before or after, not {returning!r}")
    return "?" if returning == "before" else "!"
