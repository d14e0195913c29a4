"""The results of `+` and `-`."""

from __future__ import annotations

import re

from cases import Request
from columns import Column, Family
from database import Cells, SqlError

_NUMBER = re.compile(rb"([+-]?)([0-9]+)(?:\.([0-9]+))?\Z")
_COUNTABLE = (
    Family.INTEGER,
    Family.DECIMAL,
    Family.FLOAT,
    Family.YEAR,
    Family.TEXT,
    Family.BYTES,
)


class Refused(Exception):
    """The port must answer with an error of its own."""


def check_countable(request: Request) -> None:
    """Some types are never counted on."""
    for column, value in zip(request.spec.columns, request.values):
        if value is not None and column.family not in _COUNTABLE:
            raise Refused("not_a_number")


def sums(request: Request, row: Cells, strict: bool) -> list[str] | None:
    """The assignments of `+` and `-` to one row, whose FLOATs are given exactly; None when zero would
    be crossed."""
    found: list[tuple[Column, bytes]] = []
    assignments: list[str] = []
    crosses = False
    for column, old, operand in zip(request.spec.columns, row, request.values):
        if old is None or operand is None:
            continue
        if column.family is Family.FLOAT:
            assignments.append(f"{column.quoted} = {column.quoted} {request.action} ({int(operand)})")
            real = float(old)
            real_sum = real - int(operand) if request.action == "-" else real + int(operand)
            crosses |= real < 0 < real_sum or real_sum < 0 < real
            continue
        match = _NUMBER.match(old)
        if not match or len((match[2].lstrip(b"0")) + (match[3] or b"")) > 100:
            raise Refused("not_a_number")
        scale = len(match[3] or b"")
        before = int(match[2] + (match[3] or b"")) * (-1 if match[1] == b"-" else 1)
        amount = int(operand) * 10**scale * (-1 if request.action == "-" else 1)
        after = before + amount
        crosses |= before < 0 < after or after < 0 < before
        digits = str(abs(after)).rjust(scale + 1, "0")
        text = ("-" if after < 0 else "") + (
            f"{digits[:-scale]}.{digits[-scale:]}" if scale else digits
        )
        found.append((column, text.encode()))
        assignments.append(f"{column.quoted} = {column.literal(text.encode())}")
    if request.action == "-" and crosses:
        return None
    if not strict and not all(_is_bigint(column, text) for column, text in found):
        raise SqlError(1690, "BIGINT value is out of range")
    return assignments


def _is_bigint(column: Column, text: bytes) -> bool:
    """Whether SQL can count to it; what the column itself cannot hold is for sql_mode."""
    if column.family is not Family.INTEGER:
        return True
    low, high = (0, 2**64) if column.low == 0 else (-(2**63), 2**63)
    return low <= int(text) < high
