"""The plots of the page: small SVG files, the same bytes from the same results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib

from bench import figures, rates, size, writes
from bench.figures import Group, Value, groups
from bench.markdown import plain
from bench.results import Results

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

COLOURS = {
    "ours": "#c0392b",
    "stock": "#e59866",
    "sql prepared": "#1f618d",
    "sql text": "#85c1e9",
    "memcached": "#239b56",
    "redis": "#7d3c98",
    "null": "#7f8c8d",
    "floor": "#bdc3c7",
}
# White behind everything, so that they can be read on a dark page, too.
STYLE = {
    "svg.hashsalt": "handlersocket",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "figure.facecolor": "white",
    "axes.grid": True,
    "grid.color": "#e5e7e9",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.markersize": 4,
}
Axes = Any
Groups = dict[tuple[str, str], Group]


def draw(results: Results, directory: Path) -> set[str]:
    """Writes the plots of all sections that were measured, and returns their names."""
    directory.mkdir(parents=True, exist_ok=True)
    drawn = set()
    with pyplot.rc_context(STYLE):
        for name, (section, make) in PLOTS.items():
            found = groups(results, section)
            if not found:
                continue
            figure = make(found)
            figure.savefig(
                directory / f"{name}.svg",
                bbox_inches="tight",
                metadata={"Date": None, "Creator": None},
            )
            pyplot.close(figure)
            drawn.add(name)
    return drawn


def _thousands(value: float, _position: object = None) -> str:
    for unit, size_of_unit in ((" M", 1e6), (" k", 1e3)):
        if value >= size_of_unit:
            return f"{value / size_of_unit:g}{unit}"
    return f"{value:g}"


def _order(target: str) -> int:
    """Our own line is in front of the others."""
    return 4 if target == "ours" else 3


def _targets(found: Groups) -> list[str]:
    return [target for target in COLOURS if any(target == other for _, other in found)]


def _cases(found: Groups) -> list[str]:
    return list(dict.fromkeys(case for case, _ in found))


def _bars(
    found: Groups, cases: Sequence[str], value: Value, label: str, floor: float | None = None
) -> Any:
    """Groups of bars side by side, with the figure on each; a line for what costs no network."""
    figure, axes = pyplot.subplots(figsize=(8, 3.2))
    place = 0.0
    ticks, seen = [], set()
    for case in cases:
        begin = place
        for target in _targets(found):
            group = found.get((case, target))
            if group is None:
                continue
            height = group.spread(value).median
            name = None if target in seen else plain(target)
            axes.bar(place, height, 0.9, color=COLOURS[target], label=name)
            text = f"{height:.2g}" if height < 100 else _thousands(float(f"{height:.2g}"))
            axes.text(place, height, text, ha="center", va="bottom", fontsize=7)
            seen.add(target)
            place += 1
        ticks.append((begin + place - 1) / 2)
        place += 1
    if floor is not None:
        axes.axhline(floor, color="black", linestyle=":", label=plain("floor"))
    axes.set_yscale("log")
    axes.set_xticks(ticks, [case.replace(", ", ",\n") for case in cases])
    axes.grid(visible=False, axis="x")
    axes.yaxis.set_major_formatter(FuncFormatter(_thousands))
    axes.set_ylabel(label)
    figure.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncol=4)
    return figure


def _lines(
    axes: Axes, found: Groups, name: Callable[[int], str], counts: Iterable[int], value: Value
) -> None:
    """A line for each target over the counts, with what the middle half of the rounds spans."""
    for target in _targets(found):
        at = [
            (count, found[name(count), target])
            for count in counts
            if (name(count), target) in found
        ]
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
    axes.yaxis.set_major_formatter(FuncFormatter(_thousands))


def _legend(figure: Any, axes: Axes) -> None:
    figure.legend(
        *axes.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=4
    )


def _lookups(found: Groups) -> Any:
    cases = [case for case in _cases(found) if (case, "ours") in found]
    floor = found.get(("in process", "floor"))
    line = floor.spread(figures.cpu).median if floor else None
    return _bars(found, cases, figures.cpu, "server CPU for a lookup, µs", line)


def _ranges(found: Groups) -> Any:
    return _bars(found, _cases(found), figures.rows_per_cpu_second, "rows per CPU second")


def _connections(found: Groups, columns: Sequence[tuple[str, Value]], scale: str) -> Any:
    counts = sorted({group.first.connections for group in found.values()})
    names = {group.first.connections: case for (case, _), group in found.items()}
    figure, all_axes = pyplot.subplots(1, len(columns), figsize=(4.4 * len(columns), 3))
    for axes, (label, value) in zip([all_axes] if len(columns) == 1 else all_axes, columns):
        _lines(axes, found, lambda count: names[count], counts, value)
        axes.set_xscale(scale)
        axes.set_yscale(scale)
        axes.yaxis.set_major_formatter(FuncFormatter(_thousands))
        axes.set_xticks(counts, [str(count) for count in counts])
        axes.minorticks_off()
        axes.set_xlabel("connections")
        axes.set_ylabel(label)
        if scale == "linear":
            axes.set_ylim(bottom=0)
        last = axes
    figure.tight_layout()
    _legend(figure, last)
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
    _legend(figure, grid[0][0])
    return figure


def _size(found: Groups) -> Any:
    sizes = sorted({int(case.split()[-2].replace(",", "")) for case, _ in found})
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.8, 3))
    for axes, workload in ((left, "lookups"), (right, "inserts")):
        value = figures.per_cpu_second if workload == "lookups" else figures.rate
        _lines(axes, found, partial(size.case_name, workload), sizes, value)
        axes.set_xscale("log")
        axes.set_xticks(sizes, [_thousands(rows) for rows in sizes])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("rows")
        axes.set_ylabel(f"{workload} per {'CPU ' if workload == 'lookups' else ''}second")
    figure.tight_layout()
    _legend(figure, left)
    return figure


def _rates(of: str, found: Groups) -> Any:
    """Latency by percentile, stretched towards 100 %."""
    figure, row = pyplot.subplots(1, len(rates.SHARES), figsize=(9, 3), sharey=True)
    shown = (0.0, 50.0, 90.0, 99.0, 99.9, 99.99)
    for axes, share in zip(row, rates.SHARES):
        name = rates.rate_name(share, of)
        for target in _targets(found):
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
        axes.yaxis.set_major_formatter(FuncFormatter(_thousands))
        axes.set_xticks(
            [-math.log10(1 - percent / 100) for percent in shown],
            [f"{percent:g}" for percent in shown],
            fontsize=7,
        )
        axes.set_xlabel("percentile")
    row[0].set_ylabel("latency, µs")
    figure.tight_layout()
    _legend(figure, row[0])
    return figure


PLOTS: dict[str, tuple[str, Callable[[Groups], Any]]] = {
    "lookups": ("lookups", _lookups),
    "connections-throughput": ("connections", _connections_throughput),
    "connections-latency": ("connections", _connections_latency),
    "ranges": ("ranges", _ranges),
    "writes": ("writes", _writes),
    "size": ("size", _size),
    "rates-sql": ("rates", partial(_rates, "sql prepared")),
    "rates-ours": ("rates", partial(_rates, "ours")),
}
