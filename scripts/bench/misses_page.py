"""docs/benchmarks-misses.md: its text and tables, from what scripts/bench_misses.py has measured."""

from __future__ import annotations

from statistics import median

from bench.markdown import plain, table

TARGETS = ("ours", "stock", "sql prepared")
# By target and the share of lookups that go to all rows: the figures of each round. Alone: per_second,
# hits (a share), cpu (µs), p99 (ms). Beside others: p50, p99 and p99.9 in µs.
Runs = dict[tuple[str, float], list[dict[str, float]]]
SHOWN = {"per_second": "{:,.0f}", "cpu": "{:.1f} µs", "p99": "{:.1f} ms"}

TEXT = """\
# Benchmark: rows that are not in memory

Written by `scripts/bench_misses.py`, {date}. Every figure on this page was measured by one run of it, and every answer
is checked.

{summary}

## Where HandlerSocket 2 loses

{losses}

## How it is measured

The table has {rows:,} rows, and a buffer pool of {pool} holds a part of them. Files are read with `O_DIRECT`, so the system's
cache does not help. {connections} connections have one lookup at a time on the way. {hot:,} rows are hot and fit the pool;
a share of the lookups goes to all rows. "Hits" is the share of lookups for which no page was read from disk. Figures
are medians of {rounds} rounds of {seconds:g} s, in turns. Servers and load generator share all cores.

## Lookups per second

{throughput}

## Clients that only read cached rows, while others miss

{half} connections read hot rows only. Beside them {half} others send the given share of their lookups to all rows. The
table has the latency of the first {half}, in microseconds.

{latency}

All processors are busy all the time in both tables, so latency is mostly waiting for one of them.

## Machine

{machine}

Settings of both servers:

{settings}
"""


def summary(alone: Runs) -> str:
    """What becomes of the lead over SQL: the most hits beside the fewest."""
    shares = [share for target, share in alone if target == "ours"]
    most, fewest = (
        {target: _middle(alone[target, share]) for target in TARGETS}
        for share in (shares[0], shares[-1])
    )

    def sentence(figures: dict[str, dict[str, float]]) -> str:
        ours, sql = figures["ours"], figures["sql prepared"]
        return (
            f"{ours['per_second']:,.0f} lookups per second, "
            f"{ours['per_second'] / sql['per_second']:.2f} times as many as with SQL"
        )

    return (
        f"With {most['ours']['hits']:.1%} hits there are {sentence(most)}.\n"
        f"With {fewest['ours']['hits']:.1%} hits there are {sentence(fewest)}."
    )


def losses(alone: Runs, beside: Runs) -> str:
    """The figures in which the stock plugin or SQL is better than this one."""
    rows = []
    for (target, share), runs in alone.items():
        if target != "ours":
            continue
        ours = _middle(runs)
        others = {name: _middle(alone[name, share]) for name in TARGETS[1:]}
        where = f"{ours['hits']:.1%} hits"
        for what, name, more in (
            ("lookups per second", "per_second", True),
            ("CPU for a lookup", "cpu", False),
            ("p99", "p99", False),
        ):
            values = {other: figures[name] for other, figures in others.items()}
            rows += _loss(f"{what}, {where}", ours[name], values, SHOWN[name], more=more)
    for (target, share), runs in beside.items():
        if target != "ours":
            continue
        for name in ("p50", "p99", "p99.9"):
            values = {"stock": _middle(beside["stock", share])[name]}
            what = f"{name} of cached rows, {share:.1%} of the others' lookups go to all rows, µs"
            rows += _loss(what, _middle(runs)[name], values, "{:,.0f}", more=False)
    return table(["", plain("ours"), "better"], rows) if rows else "Nowhere in these figures."


def _loss(
    what: str, ours: float, others: dict[str, float], shown: str, *, more: bool
) -> list[list[str]]:
    """A row when one of the others is better: has more, or less."""
    better = [
        f"{plain(name)} {shown.format(value)}"
        for name, value in others.items()
        if value != ours and (value > ours) == more
    ]
    return [[what, shown.format(ours), ", ".join(better)]] if better else []


def _middle(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: median(run[name] for run in runs) for name in runs[0]}


def throughput_table(alone: Runs) -> str:
    """Lookups per second by share of hits."""
    rows = []
    for (target, share), runs in alone.items():
        middle, sql = _middle(runs), _middle(alone["sql prepared", share])
        rows.append(
            [
                plain(target),
                f"{middle['hits']:.1%}",
                SHOWN["per_second"].format(middle["per_second"]),
                f"{middle['per_second'] / sql['per_second']:.2f}",
                SHOWN["cpu"].format(middle["cpu"]),
                SHOWN["p99"].format(middle["p99"]),
            ]
        )
    return table(["", "hits", "lookups per second", "of SQL's", "CPU", "p99"], rows)


def latency_table(beside: Runs) -> str:
    """Latency of those that read hot rows only."""
    rows = []
    for (target, share), runs in sorted(beside.items(), key=lambda item: TARGETS.index(item[0][0])):
        cells = [f"{_middle(runs)[name]:,.0f}" for name in ("p50", "p99", "p99.9")]
        rows.append([plain(target), f"{share:.1%}", *cells])
    return table(["", "the others' share", "p50", "p99", "p99.9"], rows)
