"""What all plots have in common: colours, fonts, names of numbers, the legend."""

from __future__ import annotations

from typing import Any

from bench.figures import Group

COLOURS = {
    "ours": "#c0392b",
    "stock": "#e59866",
    "sql prepared": "#1f618d",
    "sql text": "#85c1e9",
    "memcached": "#239b56",
    "redis": "#7d3c98",
    "null": "#7f8c8d",
    "floor": "#bdc3c7",
    "null inside": "#616a6b",
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


def thousands(value: float, _position: object = None) -> str:
    """12000 as "12 k"."""
    for unit, size_of_unit in ((" M", 1e6), (" k", 1e3)):
        if value >= size_of_unit:
            return f"{value / size_of_unit:g}{unit}"
    return f"{value:g}"


def short(value: float) -> str:
    """Two significant digits, as they stand on a bar."""
    return f"{value:.2g}" if value < 100 else thousands(float(f"{value:.2g}"))


def targets(found: Groups) -> list[str]:
    """Those that were measured, in the order of the colours."""
    return [target for target in COLOURS if any(target == other for _, other in found)]


def cases(found: Groups) -> list[str]:
    """Those that were measured, in that order."""
    return list(dict.fromkeys(case for case, _ in found))


def legend(figure: Any, axes: Axes) -> None:
    """One legend for all, below."""
    figure.legend(
        *axes.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=4
    )
