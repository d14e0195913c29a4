"""The plots of the page: small SVG files, the same bytes from the same results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

from bench import figures, rates, size, writes
from bench.figures import Value, groups
from bench.markdown import plain
from bench.results import Results
from bench.style import COLOURS, STYLE, Axes, Groups, legend, targets, thousands

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

from bench import bars  # noqa: E402


def draw(results: Results, directory: Path) -> set[str]:
    """Writes the plots of all that was measured, and returns their names."""
    directory.mkdir(parents=True, exist_ok=True)
    drawn = set()
    with pyplot.rc_context(STYLE):
        for name, make in PLOTS.items():
            figure = make(results)
            if figure is None:
                continue
            figure.savefig(
                directory / f"{name}.svg",
                bbox_inches="tight",
                metadata={"Date": None, "Creator": None},
            )
            pyplot.close(figure)
            drawn.add(name)
    return drawn


def _order(target: str) -> int:
    """The line of this plugin is in front of the others."""
    return 4 if target == "ours" else 3


def _lines(
    axes: Axes, found: Groups, name: Callable[[int], str], counts: Iterable[int], value: Value
) -> None:
    """A line for each target over the counts, with what the middle half of the rounds spans."""
    for target in targets(found):
        at = [
            (count, found[name(count), target])
            for count in counts
            if (name(count), target) in found
        ]
        if not at:
            continue
        spreads = [group.spread(value) for _, group in at]
        middle = [spread.median for spread in spreads]
        below = [spread.median - spread.low for spread in spreads]
        above = [spread.high - spread.median for spread in spreads]
        axes.errorbar(
            [count for count, _ in at],
            middle,
            yerr=(below, above),
            marker="o",
            color=COLOURS[target],
            label=plain(target),
            zorder=_order(target),
        )
    axes.yaxis.set_major_formatter(FuncFormatter(thousands))


def _connections(found: Groups, columns: Sequence[tuple[str, Value]], scale: str) -> Any:
    counts = sorted({group.first.connections for group in found.values()})
    names = {group.first.connections: case for (case, _), group in found.items()}
    figure, all_axes = pyplot.subplots(1, len(columns), figsize=(4.4 * len(columns), 3))
    for axes, (label, value) in zip([all_axes] if len(columns) == 1 else all_axes, columns):
        _lines(axes, found, lambda count: names[count], counts, value)
        axes.set_xscale(scale)
        axes.set_yscale(scale)
        axes.yaxis.set_major_formatter(FuncFormatter(thousands))
        axes.set_xticks(counts, [str(count) for count in counts])
        axes.minorticks_off()
        axes.set_xlabel("connections")
        axes.set_ylabel(label)
        if scale == "linear":
            axes.set_ylim(bottom=0)
        last = axes
    figure.tight_layout()
    legend(figure, last)
    return figure


def _connections_throughput(found: Groups) -> Any:
    return _connections(found, [("lookups per second", figures.rate)], "linear")


def _connections_latency(found: Groups) -> Any:
    percentiles = [(f"{name}, µs", figures.latency(name)) for name in ("p50", "p99")]
    return _connections(found, percentiles, "log")


def _writes(found: Groups) -> Any:
    figure, grid = pyplot.subplots(2, 2, figsize=(8, 5), sharex=True)
    for row, workload in enumerate(("insert", "update")):
        for column, log in enumerate(("on", "off")):
            axes = grid[row][column]

            name = partial(writes.case_name, workload, log)
            _lines(axes, found, name, writes.CONNECTIONS, figures.rate)
            axes.set_title(f"{workload}s, binary log {log}", fontsize=9)
            axes.set_ylim(bottom=0)
            axes.set_ylabel("per second")
    for axes in grid[1]:
        axes.set_xlabel("connections")
    figure.tight_layout()
    legend(figure, grid[0][0])
    return figure


def _size(found: Groups) -> Any:
    sizes = sorted({int(case.split()[-2].replace(",", "")) for case, _ in found})
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.8, 3))
    for axes, workload in ((left, "lookups"), (right, "inserts")):
        value = figures.per_cpu_second if workload == "lookups" else figures.rate
        _lines(axes, found, partial(size.case_name, workload), sizes, value)
        axes.set_xscale("log")
        axes.set_xticks(sizes, [thousands(rows) for rows in sizes])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rows")
        axes.set_ylabel(f"{workload} per {'CPU ' if workload == 'lookups' else ''}second")
    figure.tight_layout()
    legend(figure, left)
    return figure


def _rates(of: str, found: Groups) -> Any:
    """Latency by percentile, stretched towards 100 %."""
    figure, row = pyplot.subplots(1, len(rates.SHARES), figsize=(9, 3), sharey=True)
    shown = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99)
    for axes, share in zip(row, rates.SHARES):
        name = rates.rate_name(share, of)
        for target in targets(found):
            group = found.get((name, target))
            if group is None:
                continue
            rounds = [dict(map(tuple, m.figures["percentiles"])) for m in group.measurements]
            points = [
                (percent, sorted(curve[percent] for curve in rounds)[len(rounds) // 2])
                for percent in rounds[0]
            ]
            axes.plot(
                [-math.log10(1 - percent / 100) for percent, _ in points],
                [latency for _, latency in points],
                color=COLOURS[target],
                label=plain(target),
                zorder=_order(target),
            )
        rate = next((g.first.figures["rate"] for (case, _), g in found.items() if case == name), 0)
        axes.set_title(f"{share} %: {rate:,.0f}/s", fontsize=9)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(thousands))
        axes.set_xticks(
            [-math.log10(1 - percent / 100) for percent in shown],
            [f"{percent:g}" for percent in shown],
            fontsize=7,
        )
        axes.set_xlabel("percentile")
    row[0].set_ylabel("latency, µs")
    figure.tight_layout()
    legend(figure, row[0])
    return figure


def _of(section: str, make: Callable[[Groups], Any]) -> Callable[[Results], Any]:
    """A plot of one section; None when it was not measured."""

    def draw_it(results: Results) -> Any:
        found = groups(results, section)
        return make(found) if found else None

    return draw_it


PLOTS: dict[str, Callable[[Results], Any]] = {
    "summary": bars.five_numbers,
    "lookups": _of("lookups", bars.lookups),
    "connections-throughput": _of("connections", _connections_throughput),
    "connections-latency": _of("connections", _connections_latency),
    "ranges": _of("ranges", bars.ranges),
    "writes": _of("writes", _writes),
    "size": _of("size", _size),
    "rates-sql": _of("rates", partial(_rates, "sql prepared")),
    "rates-ours": _of("rates", partial(_rates, "ours")),
}
