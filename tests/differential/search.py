"""Searches as SQL conditions.

A value is stored in a side table first, in a column of the same type: comparing columns with columns
is how an index compares, and shows whether the value fits the column exactly.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from cases import Filter, Request, Spec
from columns import Column, Family, Value
from database import Database, SqlError
from schema import Index, Part, Table


class Fit(enum.Enum):
    """Whether a column can hold a value."""

    EXACTLY = 1
    NEARLY = 2  # with a note, or as something else
    NO = 3


@dataclass
class Probe:
    """A value in the side table."""

    fit: Fit
    number: int


def _stored_type(column: Column) -> str:
    """The type alone: no compression, and a JSON value need not be JSON to be looked for."""
    if column.type == "JSON":
        return "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    return column.full_type.replace(" COMPRESSED", "")


class Probes:
    """The side table of one table."""

    def __init__(self, sql: Database, table: Table) -> None:
        self.sql = sql
        self._known: dict[tuple[str, Value], Probe] = {}
        sql("DROP TABLE IF EXISTS tw.probe")
        columns = ", ".join(
            f"{c.quoted} {_stored_type(c)} NULL DEFAULT NULL" for c in table.columns
        )
        sql(
            f"CREATE TABLE tw.probe (`the probe` INT AUTO_INCREMENT PRIMARY KEY, {columns}) ENGINE=MyISAM"
        )

    def __call__(self, column: Column, value: Value) -> Probe:
        found = self._known.get((column.name, value))
        if found is None:
            found = self._known[column.name, value] = self._try(column, value)
        return found

    def _try(self, column: Column, value: Value) -> Probe:
        self._number = getattr(self, "_number", 0) + 1
        number = self._number
        literal = column.literal(value)
        try:
            self.sql(
                f"INSERT INTO tw.probe (`the probe`, {column.quoted}) VALUES ({number}, {literal})"
            )
        except SqlError:
            return Probe(Fit.NO, number)
        fit = Fit.NEARLY if self.sql.warnings else Fit.EXACTLY
        is_number = column.family in (
            Family.INTEGER,
            Family.DECIMAL,
        )  # notes on spaces do not matter
        if value is not None and (fit is Fit.EXACTLY or is_number):
            fit = self._exactness(column, value, number, literal)
        return Probe(fit, number)

    def _exactness(self, column: Column, value: bytes, number: int, literal: str) -> Fit:
        if column.family in (Family.INTEGER, Family.DECIMAL):
            stored = self.sql.one(
                f"SELECT {column.quoted} FROM tw.probe WHERE `the probe` = {number}"
            )
            wanted = as_number(value)
            if wanted is None or stored is None or Decimal(stored.decode()) != wanted:
                return Fit.NO
            return Fit.NEARLY if b"\t" in value else Fit.EXACTLY
        if column.family in (Family.TEMPORAL, Family.ENUM, Family.SET):
            same = self.sql.one(
                f"SELECT {column.quoted} = {literal} AS same FROM tw.probe WHERE `the probe` = {number}"
            )
            return Fit.EXACTLY if same == b"1" else Fit.NEARLY
        return Fit.EXACTLY

    def stored(self, column: Column, probe: Probe) -> str:
        """The stored value as an operand."""
        return f"(SELECT {column.compared()} FROM tw.probe WHERE `the probe` = {probe.number})"


_TIME = rb"-?\d+:\d\d:\d\d(\.\d{1,6})?"
_PLAIN_TIME = re.compile(_TIME + rb"\Z")
_PLAIN_DATE = re.compile(rb"\d{4}-(?!00)\d\d-(?!00)\d\d( " + _TIME + rb")?\Z")


def is_odd_time(column: Column, value: Value) -> bool:
    """A date or time in a form, or with zeros, that not every sql_mode takes."""
    if column.family is not Family.TEMPORAL or value is None:
        return False
    is_time = re.match(r"TIME\b", column.type)
    return not (_PLAIN_TIME if is_time else _PLAIN_DATE).match(value)


def is_utf8(value: Value) -> bool:
    """Whether a value is text at all."""
    try:
        (value or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


def as_number(value: bytes) -> Decimal | None:
    """The number that a text is, if it is one."""
    try:
        number = Decimal(value.decode("ascii").strip(" \t"))
    except (InvalidOperation, UnicodeDecodeError):
        return None
    return number if number.is_finite() else None


def _after(part: Part, operand: str | None, turned: bool) -> str:
    """The rows behind a value in the order of the index, or in front of it."""
    column = part.column.compared("t.")
    if part.descending != turned:
        return "FALSE" if operand is None else f"({column} < {operand} OR {column} IS NULL)"
    return f"{column} IS NOT NULL" if operand is None else f"{column} > {operand}"


def key_condition(index: Index, op: str, operands: list[str | None]) -> str:
    """`index <op> operands` in the order of the index; None is NULL."""
    # Not `<=>`: the server evaluates that wrongly between a TIMESTAMP and a subquery.
    names = [p.column.compared("t.") for p in index.parts]
    equals = [f"{name} = {o}" if o else f"{name} IS NULL" for name, o in zip(names, operands)]
    ways = []
    if op in ("=", ">=", "<="):
        ways.append(" AND ".join(equals))
    if op != "=":
        turned = op[0] == "<"
        for number, (part, operand) in enumerate(zip(index.parts, operands)):
            ways.append(" AND ".join([*equals[:number], _after(part, operand, turned)]))
    return "(" + " OR ".join(f"({way})" for way in ways) + ")"


def order_by(spec: Spec, op: str) -> list[str]:
    """The order of an index scan as SQL; ties by primary key."""
    turned = op[0] == "<"
    parts = list(spec.index.parts)
    primary = spec.table.primary
    if primary and primary is not spec.index and spec.exact_order:
        parts += primary.parts
    return [
        f"{p.column.compared('t.')} {'DESC' if p.descending != turned else 'ASC'}" for p in parts
    ]


_TURNED_NULL = {
    "=": "{0} IS NULL",
    "!=": "{0} IS NOT NULL",
    ">": "{0} IS NOT NULL",
    ">=": "TRUE",
    "<": "FALSE",
    "<=": "{0} IS NULL",
}


def filter_condition(spec: Spec, item: Filter, probes: Probes) -> tuple[str, bool]:
    """A filter as SQL, NULL being least; and whether the port may refuse the value instead."""
    column = spec.filters[item.position]
    name = column.compared("t.")
    if item.value is None:
        return _TURNED_NULL[item.op].format(name), False
    probe = probes(column, item.value)
    may_refuse = probe.fit is not Fit.EXACTLY or is_odd_time(column, item.value)
    if column.family is Family.TEXT:
        operand = f"CONVERT({column.literal(item.value)} USING {column.charset}) COLLATE {column.collation}"
    elif column.family in (Family.INTEGER, Family.DECIMAL):
        number = as_number(item.value)
        operand = "0" if number is None else format(number, "f")
        may_refuse = number is None or abs(number) > 10**60
    elif probe.fit is Fit.NO or probe.fit is Fit.NEARLY and column.family is Family.TEMPORAL:
        operand = column.literal(item.value)
    else:
        operand = probes.stored(column, probe)
    condition = f"{name} {item.op} {operand}"
    if item.op in ("!=", "<", "<="):
        condition = f"({condition} OR {name} IS NULL)"
    return condition, may_refuse


def key_operands(request: Request, key: list[Value], probes: Probes) -> list[str | None] | None:
    """The key's values as operands; None when one of them fits no row."""
    operands: list[str | None] = []
    for part, value in zip(request.spec.index.parts, key):
        if value is None:
            if not part.column.nullable:
                return None
            operands.append(None)
            continue
        probe = probes(part.column, value)
        if probe.fit is not Fit.EXACTLY:
            return None
        operands.append(probes.stored(part.column, probe))
    return operands
