"""The plots with bars. Their axes are linear and begin at 0: a bar twice as long is twice as much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib import pyplot
from matplotlib.ticker import FuncFormatter

from bench import figures, summary
from bench.figures import Value
from bench.markdown import plain
from bench.results import Results
from bench.style import COLOURS, Axes, Groups, cases, short, targets, thousands

BAR_INCHES = 0.24


def lookups(found: Groups) -> Any:
    """CPU time for a lookup, at each number of requests on the way."""
    names = [case for case in cases(found) if (case, "ours") in found]
    floor = found.get(("in process", "floor"))
    line = floor.spread(figures.cpu).median if floor else None
    return _panels(found, names, figures.cpu, "server CPU for a lookup, µs", floor=line)


def ranges(found: Groups) -> Any:
    """Rows for a second of CPU time, by each way to ask for a hundred: all on one axis."""
    value, label = figures.rows_per_cpu_second, "rows per CPU second"
    return _panels(found, cases(found), value, label, one_axis=True)


def _panels(
    found: Groups,
    names: Sequence[str],
    value: Value,
    label: str,
    *,
    floor: float | None = None,
    one_axis: bool = False,
) -> Any:
    """A panel for each case, with an axis of its own; a line for the handler calls in process."""
    figure, row = pyplot.subplots(
        1, len(names), figsize=(9, 3), squeeze=False, sharey="row" if one_axis else "none"
    )
    labels: dict[str, Any] = {}
    for axes, case in zip(row[0], names):
        there = [target for target in targets(found) if (case, target) in found]
        for place, target in enumerate(there):
            height = found[case, target].spread(value).median
            labels[plain(target)] = axes.bar(place, height, 0.9, color=COLOURS[target])
            axes.text(place, height, short(height), ha="center", va="bottom", fontsize=7)
        if floor is not None:
            labels[plain("floor")] = axes.axhline(floor, color="black", linestyle=":")
        axes.set_title(case.replace(", ", ",\n"), fontsize=9)
        axes.set_xticks([])
        axes.yaxis.set_major_formatter(FuncFormatter(thousands))
    for axes in row[0]:  # after all bars: from here on the axis keeps its range
        axes.set_ylim(bottom=0)
    row[0][0].set_ylabel(label)
    figure.tight_layout()
    figure.legend(
        labels.values(), labels.keys(), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=4
    )
    return figure


def five_numbers(results: Results) -> Any:
    """The numbers that the page begins with, one panel each; None when nothing was measured."""
    numbers = [
        (headline.what, found)
        for headline in summary.HEADLINES
        if (found := summary.medians(results, headline))
    ]
    if not numbers:
        return None
    heights = [len(found) for _, found in numbers]
    figure, column = pyplot.subplots(
        len(numbers),
        1,
        figsize=(8, BAR_INCHES * sum(heights) + 0.45 * len(heights)),
        gridspec_kw={"height_ratios": heights},
        squeeze=False,
    )
    for (axes,), (what, found) in zip(column, numbers):
        _across(axes, what, found)
    figure.tight_layout(h_pad=0.6)
    return figure


def _across(axes: Axes, what: str, found: dict[str, float]) -> None:
    for place, (target, length) in enumerate(found.items()):
        axes.barh(place, length, 0.85, color=COLOURS[target])
        axes.text(length, place, f" {length:,.0f}", va="center", fontsize=8)
    axes.set_title(what, fontsize=9, loc="left")
    axes.set_yticks(range(len(found)), [summary.NAMES[target] for target in found])
    axes.set_xlim(0, 1.15 * max(found.values()))
    axes.set_xticks([])
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)
    axes.tick_params(length=0)
