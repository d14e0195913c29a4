"""What the figures should reach, as ratios within one run, and whether they do."""

from __future__ import annotations

from collections.abc import Iterator

from bench import (
    cost_goals,
    figures,
    floors,
    front_ends_goals,
    limits_goals,
    lookups,
    mixed,
    size,
    writes,
    writes_goals,
)
from bench.figures import Group, Spread, Value, groups, ratio
from bench.goal import Bound, Goal
from bench.results import Results
from bench.threads import threads_name

DEPTH_1 = lookups.shape_name(100, 1)
DEPTH_32 = lookups.shape_name(32, 32)
ALONE = lookups.shape_name(1, 1)


def goals(results: Results) -> list[Goal]:
    """All of them."""
    return [
        *limits_goals.limits_goals(results),
        *_lookups(groups(results, "lookups")),
        *_ranges(groups(results, "ranges")),
        *_writes(groups(results, "writes")),
        *_several(groups(results, "slow"), None, None, writes_goals.slower(results)),
        *_counts(groups(results, "mixed")),
        *_threads(groups(results, "threads")),
        *_size(groups(results, "size")),
        *front_ends_goals.front_ends_goals(results),
        *cost_goals.cost_goals(results),
    ]


Groups = dict[tuple[str, str], Group]


def _lookups(found: Groups) -> Iterator[Goal]:
    def times(
        above: tuple[str, str], below: tuple[str, str], value: Value = figures.cpu
    ) -> Spread | None:
        return ratio(found.get(above), found.get(below), value)

    ours = (DEPTH_1, "ours")
    head = "CPU for a lookup, 100 connections, depth 1: "
    yield Goal(head + "SQL's (prepared) of ours", None, times((DEPTH_1, "sql prepared"), ours))
    yield Goal(head + "SQL's (text) of ours", None, times((DEPTH_1, "sql text"), ours))
    deep = (DEPTH_32, "ours")
    head = "CPU for a lookup, 32 connections, depth 32: "
    yield Goal(head + "memcached's of ours", 5, times((DEPTH_32, "memcached"), deep))
    yield Goal(head + "the stock plugin's of ours", 1.4, times((DEPTH_32, "stock"), deep))
    sql = times((DEPTH_1, "sql prepared"), deep)
    yield Goal(head + "SQL's (prepared, which has no depth) of ours", None, sql)
    alone = times((ALONE, "ours"), (ALONE, "null"), figures.latency("p50"))
    yield Goal("p50 of 1 connection, depth 1: of the null server's", 1.15, alone, at_most=True)


def _ranges(found: Groups) -> Iterator[Goal]:
    in_ = found.get((f"IN {lookups.COUNT}", "ours"))
    range_ = found.get((f"range of {lookups.COUNT}", "ours"))
    head = f"rows per CPU second: a range of {lookups.COUNT}, of that IN"
    yield Goal(head, 3, ratio(in_, range_, figures.cpu_per_row))


def _writes(found: Groups) -> Iterator[Goal]:
    for workload in ("insert", "update"):
        name = writes.case_name(workload, "on", 1)
        faster = writes_goals.faster_sql(found, name)
        measured = ratio(found.get((name, "ours")), faster, figures.rate)
        yield Goal(f"{name}: per second, of the faster SQL's", 1.1, measured)
        for connections in writes.CONNECTIONS:
            name = writes.case_name(workload, "off", connections)
            measured = ratio(found.get((name, "ours")), found.get((name, "stock")), figures.rate)
            yield Goal(f"{name}: per second, of the stock plugin's", 1, measured, strict=True)
    yield from _several(found, 3, 2.5)


def _several(
    found: Groups, upserts: float | None, transactions: float | None, disk: str = ""
) -> Iterator[Goal]:
    """Upserts and transactions, with their limits; `disk`: what the names begin with."""
    name = writes.case_name("upsert", "on", writes.UPSERTS)
    faster = writes_goals.faster_sql(found, name)
    measured = ratio(found.get((name, "ours")), faster, figures.rate)
    best = ratio(found.get((name, floors.INSIDE)), faster, figures.rate)
    bound = Bound(writes_goals.INSIDE, best)
    yield Goal(f"{disk}{name}: per second, of the faster SQL's", upserts, measured, bound=bound)
    name = writes.case_name("transaction", "on", writes.TRANSACTIONS)
    measured = ratio(found.get((name, "ours")), found.get((name, "sql prepared")), figures.rate)
    yield Goal(f"{disk}{name}: per second, of SQL's (prepared)", transactions, measured)


def _counts(found: Groups) -> Iterator[Goal]:
    faster = writes_goals.faster_sql(found, mixed.COUNTS)
    measured = ratio(found.get((mixed.COUNTS, "ours")), faster, figures.rate)
    yield Goal(f"{mixed.COUNTS}: per second, of the faster SQL's", 2, measured)


def _threads(found: Groups) -> Iterator[Goal]:
    names = list(dict.fromkeys(case for case, _ in found))
    most = names[-1] if len(names) > 1 else ""
    measured = ratio(found.get((most, "ours")), found.get((threads_name(1), "ours")), figures.rate)
    what = f"lookups per second with {most or 'more threads'}, of those with one thread"
    yield Goal(what, 1, measured, strict=True)


def _size(found: Groups) -> Iterator[Goal]:
    small, large = size.SIZES[:2]
    measured = ratio(
        found.get((size.case_name("lookups", small), "ours")),
        found.get((size.case_name("lookups", large), "ours")),
        figures.cpu,
    )
    what = f"lookups per CPU second with {large:,} rows, of those with {small:,}"
    yield Goal(what, 0.75, measured)
