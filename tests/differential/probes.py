"""Which values a column can hold exactly: each is stored in a side table, in a column of the same type."""

from __future__ import annotations

import enum
import re
import struct
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from columns import Column, Family, Value
from database import Database, SqlError
from schema import Table

# MySQL warns of delimiters in dates that it takes all the same.
_DEPRECATED = (b"4095", b"4096")


class Fit(enum.Enum):
    """Whether a column can hold a value."""

    EXACTLY = 1
    NO = 2
    OPEN = 3  # the rule leaves it open, see Probes._exactness


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
    """The side table of one table; `sql` is a connection in strict mode."""

    def __init__(self, sql: Database, table: Table) -> None:
        self.sql = sql
        self._known: dict[tuple[str, Value], Probe] = {}
        self._number = 0
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
            self._number += 1
            found = self._known[column.name, value] = Probe(Fit.NO, self._number)
            if value is not None:
                found.fit = self._fit(column, value, self._number)
        return found

    def _fit(self, column: Column, value: bytes, number: int) -> Fit:
        if column.family is Family.ENUM and not value and "''" not in column.type:
            return Fit.OPEN  # no member, but the text of the error value
        held = value
        if column.charset and column.pads:
            held = column.without_spaces(value)  # they do not count; ucs2 has no room for them, though
        try:
            self.sql(
                f"INSERT INTO tw.probe (`the probe`, {column.quoted})"
                f" VALUES ({number}, {column.literal(held)})"
            )
        except SqlError:
            return Fit.NO
        # A note on cut spaces does not matter where spaces do not count.
        noted = self.sql.rows("SHOW WARNINGS") if self.sql.warnings else []
        noted = [warning for warning in noted if warning[1] not in _DEPRECATED]
        if any(warning[0] != b"Note" for warning in noted):
            return Fit.NO if column.family is not Family.YEAR else Fit.OPEN
        if noted and column.family is Family.TEMPORAL:
            return Fit.OPEN  # a TIME of which the date was left out
        return self._exactness(column, value, number)

    def _exactness(self, column: Column, value: bytes, number: int) -> Fit:
        """Whether what is stored is the value itself, before any rounding, cutting or filling."""
        if column.family in (Family.INTEGER, Family.DECIMAL):
            stored = self._one(column.quoted, number)
            wanted = as_number(value)
            same = wanted is not None and stored is not None and Decimal(stored.decode()) == wanted
            return Fit.EXACTLY if same else Fit.NO
        if column.family is Family.FLOAT:
            wanted = as_number(value)
            scale = re.search(r",(\d+)\)", column.type)
            if wanted is None:
                return Fit.NO
            if wanted != 0 and float(value) == 0:
                return Fit.OPEN  # too small for the type
            if scale is None or wanted == round(wanted, int(scale[1])):
                return Fit.EXACTLY
            stored = self._one(column.dump(), number)
            # Digits that a FLOAT does not have anyway.
            same = stored is not None and as_float(column, stored) == as_float(column, value)
            return Fit.OPEN if same else Fit.NO
        if column.family is Family.BIT:
            stored = self._one(f"{column.quoted} + 0", number)
            if not value:
                return Fit.OPEN  # no bytes at all
            same = stored is not None and int(stored) == int.from_bytes(value, "big")
            return Fit.EXACTLY if same else Fit.NO
        if column.family is Family.TEMPORAL and has_lost_digits(column, value):
            return Fit.NO
        if column.family is Family.YEAR and value.strip() != (self._one(column.quoted, number) or b""):
            return Fit.OPEN  # SQL reads a year out of much: 70, 99x, 2020.6
        operand = literal(column, value)
        if operand is None and not column.travels_raw:
            return Fit.OPEN  # broken text, which some character sets hold all the same
        if operand is None:
            same = self._one(f"HEX({column.quoted})", number) == value.hex().upper().encode()
            return Fit.EXACTLY if same else Fit.NO
        return Fit.EXACTLY if self._one(f"{column.quoted} = {operand}", number) == b"1" else Fit.NO

    def _one(self, expression: str, number: int) -> bytes | None:
        return self.sql.one(f"SELECT {expression} FROM tw.probe WHERE `the probe` = {number}")

    def stored(self, column: Column, probe: Probe) -> str:
        """The stored value as an operand."""
        return f"(SELECT {column.compared()} FROM tw.probe WHERE `the probe` = {probe.number})"

    def is_in_charset(self, column: Column, value: bytes) -> bool:
        """Whether the column's character set has all characters of the value."""
        if column.travels_raw or not column.charset:
            return True
        if not is_utf8(value):
            return False
        text = column.literal(value)
        there_and_back = f"CONVERT(CONVERT({text} USING {column.charset}) USING utf8mb4)"
        return self.sql.one(f"SELECT BINARY {there_and_back} = BINARY {text}") == b"1"


_NUMBER_IN_FRONT = re.compile(rb"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def has_lost_digits(column: Column, value: bytes) -> bool:
    """Whether a time has digits of a second that the column does not keep."""
    fraction = re.search(rb"\d\.(\d+)\s*\Z", value)
    return fraction is not None and fraction[1][column.length :].strip(b"0") != b""


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


def as_float(column: Column, value: bytes) -> float:
    """The number as the column's type: the port reads the text as a FLOAT where SQL's comparison
    reads a DOUBLE, else no FLOAT that was read could be looked for."""
    number = float(value)
    if column.type.startswith("FLOAT") and abs(number) < 3.4e38:
        number = struct.unpack("f", struct.pack("f", number))[0]
    return number


def literal(column: Column, value: bytes) -> str | None:
    """The value as what SQL compares the column with; None when SQL has no such literal."""
    if column.family is Family.BIT:
        return str(int.from_bytes(value, "big"))
    if column.family is Family.BYTES:
        return column.literal(value)
    if column.travels_raw:
        if not column.decodes(value):
            return None
        charset = column.charset or "utf8mb4"
        return f"_{charset} X'{value.hex()}' COLLATE {column.collation or 'utf8mb4_bin'}"
    if not is_utf8(value):
        return None
    if column.family in (Family.INTEGER, Family.DECIMAL):
        # SQL compares the text as DOUBLE, which is not exact.
        number = as_number(value)
        if number is not None and abs(number) < 10**30 and number.as_tuple().exponent > -35:
            return format(number, "f")
        if number is not None and abs(number) < Decimal("1e-41"):
            return "0"  # as a DECIMAL, which the server makes of it in WHERE, but not in a list of columns
    number_in_front = _NUMBER_IN_FRONT.match(value)
    if column.family is Family.FLOAT and number_in_front:
        real = as_float(column, number_in_front[0])
        return f"{real:.17e}" if abs(real) < 1e308 else column.literal(value)
    if column.charset:
        text = column.literal(value)
        return f"CONVERT({text} USING {column.charset}) COLLATE {column.collation}"
    return column.literal(value)
