"""What the page begins with: five numbers, and the figures in which another target is better."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench import figures, lookups, markdown, rates, size, writes
from bench.figures import Group, Value, groups
from bench.results import Results
from bench.threads import threads_name

# The columns of the table; SQL with prepared statements, the faster way.
NAMES = {
    "ours": "HandlerSocket 2",
    "sql prepared": "SQL",
    "redis": "Redis",
    "memcached": "memcached",
}
HEAD = "On one core"
FALLEN = 0.75  # a rate that falls below this share with more rows is told


@dataclass(frozen=True)
class Headline:
    """One of the five numbers: the same figure of one case for each target that has it."""

    what: str
    section: str
    case: str
    value: Value


HEADLINES = (
    Headline(
        "lookups per second: 100 connections, one request at a time on each",
        "lookups",
        lookups.shape_name(100, 1),
        figures.rate,
    ),
    Headline(
        "lookups per second: 32 connections, 32 requests on the way on each",
        "lookups",
        lookups.shape_name(32, 32),
        figures.rate,
    ),
    Headline(
        "rows per CPU second, by requests for a range of 100",
        "ranges",
        f"range of {lookups.COUNT}",
        figures.rows_per_cpu_second,
    ),
    Headline(
        "durable inserts per second: 100 connections, binary log on",
        "writes",
        writes.case_name("insert", "on", 100),
        figures.rate,
    ),
    Headline(
        "durable updates per second: 100 connections, binary log on",
        "writes",
        writes.case_name("update", "on", 100),
        figures.rate,
    ),
)


def medians(results: Results, headline: Headline) -> dict[str, float]:
    """By target, in the order of NAMES; those that have none are left out."""
    found = groups(results, headline.section)
    return {
        target: found[headline.case, target].spread(headline.value).median
        for target in NAMES
        if (headline.case, target) in found
    }


def numbers(results: Results) -> str:
    """The table of the five numbers, as README has it, too."""
    rows = []
    for headline in HEADLINES:
        measured = medians(results, headline)
        cells = [markdown.number(measured[name]) if name in measured else "–" for name in NAMES]
        rows.append([headline.what, f"**{cells[0]}**", *cells[1:]])
    return markdown.table([HEAD, *NAMES.values()], rows)


def into(readme: str, results: Results) -> str:
    """README with these numbers in place of those that it had."""
    old = re.compile(rf"^\| {re.escape(HEAD)} \|.*\n(?:\|.*\n)+", re.MULTILINE)
    return old.sub(lambda _: numbers(results) + "\n", readme)


@dataclass(frozen=True)
class Comparison:
    """A figure that others may have better than this plugin."""

    what: str
    section: str
    case: str
    value: Value
    others: tuple[str, ...] = ("stock", "memcached", "redis", "sql prepared")
    more_is_better: bool = False


ALONE = lookups.shape_name(1, 1)
FULL = lookups.shape_name(100, 1)
TEN = lookups.shape_name(10, 1)
LOADED = rates.rate_name(75, "ours")
HALF = rates.rate_name(50, "ours")
P99 = figures.latency("p99")
COMPARISONS = (
    Comparison("CPU for a lookup, 1 connection, µs", "lookups", ALONE, figures.cpu),
    Comparison(f"CPU for a lookup at {HALF}, µs", "rates", HALF, figures.cpu),
    Comparison(f"p99 of lookups at {LOADED}, µs", "rates", LOADED, P99),
    Comparison("p99 of lookups, 100 connections, as fast as it can, µs", "lookups", FULL, P99),
    Comparison(
        "lookups per second, 10 connections", "connections", TEN, figures.rate, more_is_better=True
    ),
    Comparison(
        f"CPU for a lookup, {lookups.COUNT} on the way on each of 10 connections, µs",
        "ranges",
        lookups.PIPELINED,
        figures.cpu,
    ),
    Comparison(
        f"CPU for {lookups.COUNT} rows by one request with {lookups.COUNT} keys, µs",
        "ranges",
        f"IN {lookups.COUNT}",
        figures.cpu,
    ),
    Comparison(
        "lookups per second, values of 1024 bytes",
        "mixed",
        "values of 1024 bytes",
        figures.rate,
        more_is_better=True,
    ),
    Comparison(
        "requests per second, 10 % of them updates: durable here, in memory only in the caches",
        "mixed",
        "10 % updates",
        figures.rate,
        more_is_better=True,
    ),
    *(
        Comparison(
            f"durable {workload}s per second, 100 connections, binary log on; "
            "the stock plugin writes none",
            "writes",
            writes.case_name(workload, "on", 100),
            figures.rate,
            more_is_better=True,
        )
        for workload in ("insert", "update")
    ),
    Comparison(
        "CPU for a durable insert, 1 connection, binary log off, µs",
        "writes",
        writes.case_name("insert", "off", 1),
        figures.cpu,
    ),
)


def losses(results: Results) -> str:
    """The comparisons that this plugin loses, by the medians."""
    rows = []
    for comparison in COMPARISONS:
        found = groups(results, comparison.section)
        ours = _median(found.get((comparison.case, "ours")), comparison.value)
        better = []
        for target in comparison.others:
            other = _median(found.get((comparison.case, target)), comparison.value)
            if ours is None or other is None or other == ours:
                continue
            if (other > ours) == comparison.more_is_better:
                better.append(f"{markdown.plain(target)} {markdown.number(other)}")
        if ours is not None and better:
            rows.append([comparison.what, markdown.number(ours), ", ".join(better)])
    if not rows:
        return f"*{markdown.NOTHING}*"
    return markdown.table(["", markdown.plain("ours"), "better"], rows)


def _median(group: Group | None, value: Value) -> float | None:
    return None if group is None else group.spread(value).median


def weak_points(results: Results) -> str:
    """A list of figures that are no loss, but less than users may hope for."""
    return "\n".join(f"- {sentence}" for sentence in _weak_points(results))


def _weak_points(results: Results) -> Iterator[str]:
    written = groups(results, "writes")
    name = writes.case_name("insert", "on", 1)
    ours = _median(written.get((name, "ours")), figures.rate)
    sql = _median(written.get((name, "sql prepared")), figures.rate)
    if ours is not None and sql is not None:
        yield (
            f"On one connection the disk sets the pace of durable writes: {ours:,.0f} inserts per "
            f"second here, {sql:,.0f} with SQL."
        )
    yield from _fallen(results)
    threads = groups(results, "threads")
    one = _median(threads.get((threads_name(1), "ours")), figures.rate)
    two = _median(threads.get((threads_name(2), "ours")), figures.rate)
    if one is not None and two is not None:
        yield (
            f"A second thread on a second core brings lookups from {one:,.0f} to {two:,.0f} per "
            "second; the load generator needs a part of that core."
        )


def _fallen(results: Results) -> Iterator[str]:
    found = groups(results, "size")
    least, *_, most = size.SIZES

    def lookups_of(target: str) -> list[float]:
        both = (found.get((size.case_name("lookups", rows), target)) for rows in (least, most))
        return [group.spread(figures.rate).median for group in both if group is not None]

    ours, sql = lookups_of("ours"), lookups_of("sql prepared")
    if len(ours) < 2 or len(sql) < 2 or ours[1] >= FALLEN * ours[0]:
        return
    yield (
        f"With {most:,} rows instead of {least:,}, all in memory, lookups fall from "
        f"{ours[0]:,.0f} to {ours[1]:,.0f} per second; SQL's from {sql[0]:,.0f} to {sql[1]:,.0f}."
    )
