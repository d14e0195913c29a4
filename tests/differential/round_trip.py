"""A row that was read is written back: its key finds it again, and nothing changes."""

from __future__ import annotations

from random import Random

from cases import Request
from columns import Column, Family
from outcome import Row


def write_back(request: Request, rows: list[Row], rng: Random) -> Request | None:
    """A `U` of one of the found rows by its own key and values; None when these are not exact."""
    spec = request.spec
    names = [c.name for c in spec.columns]
    parts = spec.index.parts
    if request.action != "find" or not rows or not all(c.writable for c in spec.columns) or not spec.index.unique:
        return None
    if any(c.clock for c in spec.columns):
        return None  # the two tables do not agree on the present time
    if any(c.on_update for c in spec.table.columns):
        return None  # the server may take the present time for a change that changes nothing
    if spec.table.primary is None or any(p.prefix or p.column.name not in names for p in parts):
        return None
    row = rng.choice(rows)
    key = [row[names.index(p.column.name)] for p in parts]
    if None in key:
        return None
    return Request(spec, "U", "=", key, 1, 0, values=list(row), returns_old=rng.random() < 0.5)


def may_change(request: Request) -> bool:
    """Whether SQL's own texts do not say all of these values: FLOAT has six digits there, the error
    value of an ENUM is no member, and a zero date need not be allowed; or there is a history, or
    triggers."""
    table = request.spec.table
    if table.versioned or any("CREATE TRIGGER" in statement for statement in table.after):
        return True
    return any(
        c.family in (Family.FLOAT, Family.ENUM, Family.TEMPORAL) and v is not None and _is_such(c, v)
        for c, v in zip(request.spec.columns, request.values)
    )


def _is_such(column: Column, value: bytes) -> bool:
    if column.family is Family.TEMPORAL:
        return b"00-00" in value or b"-00" in value
    return column.family is Family.FLOAT or not value
