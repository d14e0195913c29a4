"""Searches as SQL conditions.

A comparison answers what SQL's comparison of the column with that text answers, in the order of the
index; but `=`, and the key of every change, find nothing by a value that the column cannot hold exactly.
"""

from __future__ import annotations

from cases import Filter, Request, Spec
from columns import Column, Family, Value
from probes import Fit, Probes, literal
from schema import Part


class NoComparison(Exception):
    """SQL has no answer: bytes that are no text, characters that the column's character set lacks."""


def is_foreign(column: Column, value: bytes, probes: Probes) -> bool:
    """Whether SQL has no such text to compare the column with."""
    return literal(column, value) is None or not probes.is_in_charset(column, value)


def compare(column: Column, op: str, value: bytes, probes: Probes) -> str:
    """`t.column <op> value` in SQL."""
    probe = probes(column, value)
    if probe.fit is Fit.EXACTLY:
        return f"{column.compared('t.')} {op} {probes.stored(column, probe)}"
    if is_foreign(column, value, probes):
        raise NoComparison
    operand = literal(column, value)
    number = " + 0" if column.family is Family.BIT else ""
    name = f"t.{column.quoted}{number}"
    if op == "=" and column.type.startswith("TIME") and not column.type.startswith("TIMESTAMP"):
        # In WHERE the server makes TIME'-838:59:59.999999' of a text with a date, but not for <= and >=.
        return f"({name} <= {operand} AND {name} >= {operand})"
    return f"{name} {op} {operand}"


def is_null_in_sql(column: Column, value: bytes, probes: Probes) -> bool:
    """Whether SQL compares with NULL: a text that is no UUID or address."""
    return column.family is Family.NAMED and probes(column, value).fit is not Fit.EXACTLY


def _equal(part: Part, value: Value, probes: Probes) -> str:
    if value is None:
        return f"t.{part.column.quoted} IS NULL"
    return compare(part.column, "=", value, probes)


def _after(part: Part, value: Value, turned: bool, probes: Probes) -> str:
    """The rows behind a value in the order of the index, or in front of it."""
    name = f"t.{part.column.quoted}"
    if part.descending != turned:
        if value is None:
            return "FALSE"
        if is_null_in_sql(part.column, value, probes):
            return "FALSE"
        below = compare(part.column, "<", value, probes)
        # For the server a zero date IS NULL, where NULL is not allowed.
        return f"({below} OR {name} IS NULL)" if part.column.nullable else below
    if value is None:
        return f"{name} IS NOT NULL"
    return compare(part.column, ">", value, probes)


def key_condition(request: Request, key: list[Value], probes: Probes) -> str:
    """`index <op> key` as a comparison of rows in the order of the index."""
    op, parts = request.op.replace("=<", "="), request.spec.index.parts
    pairs = list(zip(parts, key))
    if any(value is None and not part.column.nullable for part, value in pairs):
        return "FALSE"
    fits = [v is None or probes(p.column, v).fit is Fit.EXACTLY for p, v in pairs]
    if not all(fits) and (op == "=" or request.writes):
        return "FALSE"
    ways = []
    if op in ("=", ">=", "<="):
        ways.append(" AND ".join(_equal(p, v, probes) for p, v in pairs))
    if op != "=":
        for number, (part, value) in enumerate(pairs):
            before = [_equal(p, v, probes) for p, v in pairs[:number]]
            ways.append(" AND ".join([*before, _after(part, value, op[0] == "<", probes)]))
    return "(" + " OR ".join(f"({way})" for way in ways) + ")"


def order_by(spec: Spec, op: str) -> list[str]:
    """The order of an index scan as SQL; ties by primary key."""
    turned = op.endswith("<") or op == "<="
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


def filter_condition(spec: Spec, item: Filter, probes: Probes) -> str:
    """A filter as SQL, NULL being least."""
    column = spec.filters[item.position]
    name = column.compared("t.")
    if item.value is None:
        return _TURNED_NULL[item.op].format(name)
    is_order = item.op not in ("=", "!=")
    if not is_order and column.charset and is_foreign(column, item.value, probes):
        condition = "FALSE" if item.op == "=" else "TRUE"
    elif item.op == "=" and probes(column, item.value).fit is not Fit.EXACTLY:
        condition = "FALSE"
    else:
        condition = compare(column, item.op, item.value, probes)
    if item.op in ("!=", "<", "<="):
        condition = f"({condition} OR {name} IS NULL)"
    return condition
