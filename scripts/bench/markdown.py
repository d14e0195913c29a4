"""The tables of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bench import figures
from bench.figures import Group, Spread, Value, groups, ratio
from bench.goal import Goal
from bench.results import Results

NAMES = {
    "ours": "**HandlerSocket 2**",
    "ours default": "HandlerSocket 2, threads by default",
    "ours no spin": "HandlerSocket 2, never spinning",
    "ours again": "HandlerSocket 2, started again",
    "ours large pages": "HandlerSocket 2, large_pages",
    "ours thp": "HandlerSocket 2, transparent huge pages",
    "ours account": "HandlerSocket 2, an account with column grants",
    "ours uncounted": "HandlerSocket 2, without counters",
    "ours tls": "HandlerSocket 2, TLS",
    "stock": "the stock plugin",
    "sql text": "SQL, text protocol",
    "sql prepared": "SQL, prepared",
    "memcached ours": "HandlerSocket 2, clients of memcached",
    "memcached": "memcached",
    "redis ours": "HandlerSocket 2, clients of Redis",
    "redis ours unlogged": "HandlerSocket 2, clients of Redis, no binary log",
    "redis": "Redis",
    "redis always": "Redis, appendfsync always",
    "redis tls": "Redis, TLS",
    "null": "null server",
    "floor": "handler calls in process",
    "null inside": "null server inside, with handler calls",
}
NOTHING = "not measured"


def plain(target: str) -> str:
    """A target's name without emphasis."""
    return NAMES[target].strip("*")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Text in the first column, numbers at the right."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def number(value: float) -> str:
    """Three significant digits at least, and no more than make sense."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spread(value: Spread) -> str:
    """The median, and the middle half of the rounds behind it."""
    if value.low == value.high:
        return number(value.median)
    return f"{number(value.median)} ({number(value.low)}–{number(value.high)})"


def measurements(results: Results, section: str, *, per_row: bool = False) -> str:
    """One row for each case and target of a section."""
    found = groups(results, section)
    if not found:
        return f"*{NOTHING}*"
    head = ["", "requests/s", "CPU for one, µs", "p50, µs", "p99, µs", "p99.9, µs", "errors"]
    if per_row:
        head[3:3] = ["rows per CPU second"]
    rows: list[list[str]] = []
    last = ""
    for (case, target), group in found.items():
        if case != last:
            rows.append([f"*{case}*", *[""] * (len(head) - 1)])
            last = case
        rows.append(_row(target, group, per_row=per_row))
    return table(head, rows)


def _row(target: str, group: Group, *, per_row: bool) -> list[str]:
    cells = [NAMES[target]]
    if target == "floor":
        return [*cells, "", spread(group.spread(figures.cpu)), "", "", "", ""]
    cells += [spread(group.spread(figures.rate)), spread(group.spread(figures.cpu))]
    if per_row:
        cells.append(spread(group.spread(figures.rows_per_cpu_second)))
    for percentile in ("p50", "p99", "p99.9"):
        cells.append(number(group.spread(figures.latency(percentile)).median))
    return [*cells, str(group.errors)]


def ratios(
    results: Results,
    section: str,
    pairs: Sequence[tuple[str, str]],
    value: Value,
    floors: Mapping[str, Group],
) -> str:
    """A row for each pair of targets, a column for each case; `floors` belong to every case."""
    found = groups(results, section)
    cases = list(dict.fromkeys(case for case, target in found if target != "floor"))
    if not cases:
        return f"*{NOTHING}*"
    rows = []
    for above, below in pairs:
        cells = []
        for case in cases:
            upper = floors.get(above) or found.get((case, above))
            lower = floors.get(below) or found.get((case, below))
            measured = ratio(upper, lower, value)
            cells.append(spread(measured) if measured else "–")
        rows.append([f"{plain(above)} / {plain(below)}", *cells])
    return table(["", *cases], rows)


def goal_table(goals: Iterable[Goal]) -> str:
    """What should be, what is, and whether that suffices."""
    rows = []
    for goal in goals:
        measured = spread(goal.measured) if goal.measured else NOTHING
        rows.append([goal.what, _limit(goal), measured, _reached(goal)])
    return table(["", "goal", "measured", "reached"], rows)


def limit_table(goals: Iterable[Goal]) -> str:
    """The same with what each figure is held against; only of what was measured."""
    rows = []
    for goal in goals:
        if goal.measured is None or goal.held is None:
            continue
        floor, ours = (
            f"{number(value.median)} {goal.held.unit}".replace(" /s", "/s") if value else "–"
            for value in (goal.held.floor, goal.held.ours)
        )
        against = f"{goal.held.against}: {floor}"
        rows.append(
            [goal.what, _limit(goal), against, ours, spread(goal.measured), _reached(goal)]
        )
    return table(["", "goal", "held against", "here", "ratio", "reached"], rows)


def goal_cell(goal: Goal) -> str:
    """Its ratio and, if there is something to reach, whether it is."""
    if goal.measured is None:
        return "–"
    answer = "" if goal.limit is None else f": {_reached(goal)}"
    return spread(goal.measured) + answer


def _limit(goal: Goal) -> str:
    if goal.limit is None:
        return "–"
    sign = "≤" if goal.at_most else ">" if goal.strict else "≥"
    return f"{sign} {goal.limit:g}"


def _reached(goal: Goal) -> str:
    """Whether the goal is; else how close it comes to what can be."""
    answer = {True: "yes", False: "**no**", None: "–"}[goal.reached]
    if goal.closeness is None:
        return answer
    assert goal.bound is not None and goal.bound.ratio is not None
    best = number(goal.bound.ratio.median)
    return f"no: {best} is the best by {goal.bound.name}; {100 * goal.closeness:.0f} % of it"
