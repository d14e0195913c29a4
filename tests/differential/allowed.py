"""Differences from SQL that are meant, each with its reason; and what is still to be mended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cases import Request
from columns import Family
from outcome import Outcome
from search import Fit, Probes, is_odd_time, is_utf8


def allowed(
    request: Request, port: Outcome, sql: Outcome, probes: Probes, may_refuse_filter: bool
) -> str:
    """Why the difference is meant; empty when it is not."""
    index = request.spec.index
    if port.error == "op" and index.hashed and request.op != "=":
        return "C31: a hash index is searched with = only"
    if port.error == "op" and any(p.prefix for p in index.parts[: len(request.key) - 1]):
        return "C29: there is no order of whole values behind a part that the index has cut"
    if may_refuse_filter and port.error == "sql_1366":
        return "C25: a filter value that is nothing in the column's type"
    if any(
        request.spec.filters[f.position].family is Family.TEXT and not is_utf8(f.value)
        for f in request.filters
    ):
        return "a filter value that is no UTF-8: SQL has no such literal"
    if port.error == "sql_1366" and any(
        _text_filter_misfit(request, i) for i in range(len(request.filters))
    ):
        return "C25: a filter value that is nothing in the column's type"
    return ""


def _text_filter_misfit(request: Request, number: int) -> bool:
    column = request.spec.filters[request.filters[number].position]
    return column.family is Family.BIT


def key_is_debatable(request: Request, probes: Probes) -> bool:
    """Whether a key value fits its column but for a note or a conversion: then the port may find
    the row that the stored value equals, or none."""
    pairs = [(part, value) for part, value in zip(request.spec.index.parts, request.key)]
    if request.in_part is not None:
        pairs += [(request.spec.index.parts[request.in_part], value) for value in request.in_values]
    for part, value in pairs:
        if value is not None and probes(part.column, value).fit is Fit.NEARLY:
            return True
        if is_odd_time(part.column, value):
            return True
    return False


@dataclass(frozen=True)
class Open:
    """A known failure: which one it is, and why it is still there."""

    name: str
    matches: Callable[[Request, Outcome, Outcome, Probes], bool]
    crashes: bool = False  # may end the server


def _after_explicit_zero(request: Request, port: Outcome, sql: Outcome, probes: Probes) -> bool:
    off_by_one = (
        port.count is not None and sql.count is not None and abs(sql.count - port.count) == 1
    )
    return (
        request.action == "insert"
        and off_by_one
        and any(c.auto_increment for c in request.spec.table.columns)
    )


KNOWN_OPEN: list[Open] = [
    Open(
        "a VIRTUAL column without an index that overflows refuses the write",
        lambda request, port, sql, probes: (
            port.error in ("sql_1406", "sql_1264", "sql_1690")
            and any("VIRTUAL" in c.generated for c in request.spec.table.columns)
        ),
    ),
    # InnoDB skips an id then, or not, depending on what the TABLE has been used for before.
    Open("the id after an explicit 0 under NO_AUTO_VALUE_ON_ZERO", _after_explicit_zero),
]
