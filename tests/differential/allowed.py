"""Differences from SQL that are intended, each with its reason; and known bugs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from server_files import SERVER_ROOT, is_mysql

from allowed_on_mysql import allowed_on_mysql
from cases import Request
from columns import Column, Family, Value
from outcome import NO_COMPARISON, Outcome, Row
from probes import Fit, Probes, as_number
from search import is_foreign

ON_MYSQL = is_mysql(SERVER_ROOT)


def allowed(request: Request, port: Outcome, sql: Outcome, probes: Probes) -> str:
    """Why the difference is intended; empty when it is not."""
    index = request.spec.index
    if port.error == "op" and index.hashed and request.op != "=":
        return "C31: a hash index is searched with = only"
    if port.error == "op" and any(p.prefix for p in index.parts[: len(request.key) - 1]):
        return "C29: there is no order of whole values behind a part that the index has cut"
    if port.error in ("sql_1267", "sql_1300") and _is_foreign(request, probes):
        return "sql_1267, sql_1300: no order with what is no text of the column's character set"
    # An IN may end before such a value, or an earlier part may decide a key. And the server accepts
    # bytes as ASCII and surrogates as UCS-2 and UTF-8, and gives them an order.
    is_met = len(request.key) == 1 and request.in_part is None and not _is_lax(request)
    if sql.error == NO_COMPARISON and not is_met:
        return "sql_1267, sql_1300: what is no text of the column's character set is not met"
    if any(p.prefix and expands(p.column) for p in index.parts) and _found_fewer(port, sql):
        return "limits.md: rows that an index on the beginning of a text does not find"
    if _is_open_year(request, probes):
        return "limits.md: a YEAR and a text that only begins like one"
    if not request.spec.exact_order and request.action in ("+", "-") and port.failed and sql.failed:
        return "rows with equal keys have no order: the first one's error is told"
    if port.error == "sql_1366" and _filter_misfit(request, probes):
        return "C25: a filter value that is nothing in the column's type"
    return allowed_on_mysql(request, port, sql, _compared(request), probes) if ON_MYSQL else ""


def expands(column: Column) -> bool:
    """Whether one character may equal several, or none."""
    return any(name in column.collation for name in ("unicode", "german2", "0900_ai", "0900_as"))


def _found_fewer(port: Outcome, sql: Outcome) -> bool:
    if port.rows is not None and sql.rows is not None:
        return not Counter(port.rows) - Counter(sql.rows)
    return not port.failed and port.count is not None and port.count < (sql.count or 0)


def _compared(request: Request) -> list[tuple[Column, Value]]:
    return [
        *((request.spec.filters[f.position], f.value) for f in request.filters),
        *((part.column, value) for part, value in zip(request.spec.index.parts, request.key)),
        *((request.spec.index.parts[request.in_part or 0].column, v) for v in request.in_values),
    ]


def _is_foreign(request: Request, probes: Probes) -> bool:
    return any(v is not None and is_foreign(c, v, probes) for c, v in _compared(request))


def _is_lax(request: Request) -> bool:
    return any(
        _has_surrogates(v) or (c.travels_raw and c.charset in ("ascii", "ucs2"))
        for c, v in _compared(request)
    )


def _has_surrogates(value: Value) -> bool:
    try:
        text = (value or b"").decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return any("\ud800" <= character <= "\udfff" for character in text)


def _is_open_year(request: Request, probes: Probes) -> bool:
    return any(
        c.family is Family.YEAR and v is not None and probes(c, v).fit is not Fit.EXACTLY
        for c, v in _compared(request)
    )


def _filter_misfit(request: Request, probes: Probes) -> bool:
    return any(
        v is not None and _is_nothing(c, v, probes)
        for c, v in _compared(request)[: len(request.filters)]
    )


def _is_nothing(column: Column, value: bytes, probes: Probes) -> bool:
    """Whether it is no value of the column's type at all. A value out of range is one."""
    if column.family in (Family.INTEGER, Family.DECIMAL, Family.FLOAT, Family.YEAR):
        number = as_number(value)
        return number is None or abs(number) > 10**60
    return (
        column.family in (Family.TEMPORAL, Family.NAMED)
        and probes(column, value).fit is not Fit.EXACTLY
    )


def key_is_debatable(request: Request, probes: Probes) -> bool:
    """Whether it is open if a key or filter value fits its column: then the port may find the row
    that the stored value equals, or none."""
    return any(
        v is not None and probes(c, v).fit is Fit.OPEN
        for c, v in _compared(request)
    )


@dataclass(frozen=True)
class Open:
    """A known failure: which one it is, and why it is still there."""

    name: str
    matches: Callable[[Request, Outcome, Outcome, Probes], bool]
    crashes: bool = False  # may end the server


def _after_explicit_id(request: Request, port: Outcome, sql: Outcome, probes: Probes) -> bool:
    counted = next((i for i, c in enumerate(request.spec.columns) if c.auto_increment), None)
    if request.action != "insert" or not any(c.auto_increment for c in request.spec.table.columns):
        return False
    ours: bytes | int | None
    theirs: bytes | int | None
    if port.rows and sql.rows and counted is not None:
        if [_without(row, counted) for row in port.rows] != [_without(row, counted) for row in sql.rows]:
            return False
        ours, theirs = port.rows[0][counted], sql.rows[0][counted]
    else:
        ours, theirs = (o.count if o.id is None else o.id for o in (port, sql))
    return ours is not None and theirs is not None and abs(int(ours) - int(theirs)) == 1


def _without(row: Row, place: int) -> Row:
    return row[:place] + row[place + 1 :]


KNOWN_OPEN: list[Open] = [
    Open(
        "a VIRTUAL column without an index that overflows refuses the write",
        lambda request, port, sql, probes: (
            port.error in ("sql_1406", "sql_1264", "sql_1690")
            and any("VIRTUAL" in c.generated for c in request.spec.table.columns)
        ),
    ),
    # InnoDB skips an id then, or not, depending on what the TABLE has been used for before.
    Open("the id that is generated after an explicit one", _after_explicit_id),
]
