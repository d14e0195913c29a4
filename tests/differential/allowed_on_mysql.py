"""Differences from SQL that are intended on MySQL only; docs/servers.md has each."""

from __future__ import annotations

from cases import Request
from columns import Column, Family, Value
from outcome import Outcome
from probes import Fit, Probes, as_number

NOT_ALLOWED_FOR_GENERATED = 3105
NO_JSON_OF_BYTES = 3144
WRONG_VALUE = 1525
# The digits that a DECIMAL of MySQL has behind the point, and about those in front of it.
_SCALE, _DIGITS = 30, 30


def allowed_on_mysql(
    request: Request, port: Outcome, sql: Outcome, compared: list[tuple[Column, Value]], probes: Probes
) -> str:
    """Why the difference is intended on MySQL; empty when it is not."""
    if sql.number == NOT_ALLOWED_FOR_GENERATED and request.writes:
        return "servers.md: NULL for a generated column is ignored, and another value's error is told"
    if port.error == f"sql_{NOT_ALLOWED_FOR_GENERATED}" and sql.failed:
        return "servers.md: a value for a generated column is told in front of what is wrong with others"
    if sql.number == NO_JSON_OF_BYTES:
        return "servers.md: JSON is written as text whatever the character set"
    if port.error == "not_a_number" and any(c.type == "JSON" for c in request.spec.columns):
        return "servers.md: + and - do not count on JSON"
    if port.error == "sql_1406" and any(map(_has_half_a_character, request.spec.columns, request.values)):
        return "servers.md: no zero is put in front of half a character"
    misfits = [(c, v) for c, v in compared if v is not None and probes(c, v).fit is not Fit.EXACTLY]
    if any(_is_fine(c, v) for c, v in misfits):
        return "servers.md: a bound for a number is compared exactly"
    if request.spec.index.hashed and any(p.prefix and _is_char_in_bin(p.column) for p in request.spec.index.parts):
        return "servers.md: MEMORY's hash of the beginning of a CHAR in utf8mb4_bin does not find longer texts"
    times = [c.type for c, _ in misfits if c.family is Family.TEMPORAL]
    wrong = port.error == f"sql_{WRONG_VALUE}" or sql.number == WRONG_VALUE
    if wrong and any(not _is_time(kind) for kind in times):
        return "servers.md: a bound that is no date is an error where it is compared"
    if any(_is_time(kind) for kind in times):
        return "servers.md: a bound that is no time, or has more digits than the column"
    return ""


def _is_fine(column: Column, value: bytes) -> bool:
    """Whether it is a number that no DECIMAL of the server is."""
    number = as_number(value) if column.family in (Family.INTEGER, Family.DECIMAL) else None
    if number is None:
        return False
    return number.as_tuple().exponent < -_SCALE or abs(number) >= 10**_DIGITS


def _is_char_in_bin(column: Column) -> bool:
    return column.type.startswith("CHAR") and column.collation in ("utf8mb4_bin", "utf8mb3_bin")


def _has_half_a_character(column: Column, value: Value) -> bool:
    return value is not None and column.travels_raw and column.charset == "ucs2" and len(value) % 2 == 1


def _is_time(kind: str) -> bool:
    return kind.startswith("TIME") and not kind.startswith("TIMESTAMP")
