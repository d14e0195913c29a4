"""docs/benchmarks.md and the page of goals, from the results alone.

Their texts are in page.template and goals.template.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from bench import cost_page, figures, front_ends_page, limits_page, lookups, markdown, size, slow_page, summary, writes
from bench.figures import groups
from bench.goals import goals
from bench.results import Results

TEMPLATE = Path(__file__).with_name("page.template")
GOALS_TEMPLATE = Path(__file__).with_name("goals.template")
PLOTS = {
    "summary": "five numbers beside SQL, Redis and memcached",
    "lookups": "server CPU time for a lookup",
    "connections-throughput": "lookups per second over the number of connections",
    "connections-latency": "p50 and p99 over the number of connections",
    "ranges": "rows per CPU second",
    "writes": "durable writes per second over the number of connections",
    "size": "lookups and inserts over the number of rows",
    "rates-sql": "latency at the rates that SQL can do",
    "rates-ours": "latency at the rates that HandlerSocket 2 can do",
}
CPU_RATIOS = (
    ("ours", "null"),
    ("ours", "floor"),
    ("ours", "null inside"),
    ("memcached", "ours"),
    ("redis", "ours"),
    ("stock", "ours"),
    ("sql prepared", "ours"),
    ("sql text", "ours"),
)


def text(results: Results, drawn: Iterable[str]) -> str:
    """The whole page. `drawn`: the plots that there are."""
    return TEMPLATE.read_text(encoding="utf-8").format(**values(results, drawn))


def goals_text(results: Results) -> str:
    """The page of goals."""
    return GOALS_TEMPLATE.read_text(encoding="utf-8").format(
        date=_dates(results),
        goals=markdown.goal_table(goals(results)),
        spread=_spread(results),
    )


def values(results: Results, drawn: Iterable[str]) -> dict[str, str]:
    """What stands for each name in the page's template."""
    plots = {
        "plot_" + name.replace("-", "_"): f"![{title}](plots/{name}.svg)" if name in drawn else ""
        for name, title in PLOTS.items()
    }
    tables = {
        "table_" + section: markdown.measurements(results, section, per_row=section == "ranges")
        for section in ("lookups", "connections", "ranges", "writes", "threads", "rates", "mixed")
    }
    about = _about(results)
    return {
        **plots,
        **tables,
        "date": _dates(results),
        "numbers": summary.numbers(results),
        "losses": summary.losses(results),
        "weak_points": summary.weak_points(results),
        "table_size": markdown.measurements(results, "size"),
        "classic_lookups": classic(results, "lookups"),
        "classic_inserts": classic(results, "inserts"),
        "ratios": _cpu_ratios(results),
        "limits_link": limits_page.link(results),
        "limits": limits_page.text(results),
        "cost_link": cost_page.link(results),
        "cost": cost_page.text(results),
        "front_ends_link": front_ends_page.link(results),
        "front_ends": front_ends_page.text(results),
        "slow_link": slow_page.link(results),
        "slow": slow_page.text(results),
        "p50_ratios": _p50_ratios(results),
        "machine": _facts(results),
        "others": _others(results),
        "settings": _settings(about.get("variables", {})),
        "binary_log": _settings(about.get("binary_log", {})),
        "pool": str(about.get("variables", {}).get("innodb_buffer_pool_size", "?")),
        "rows": f"{about.get('rows', 0):,}",
        "seconds": f"{about.get('seconds', 0):g}",
        "rounds": str(about.get("rounds", "?")),
        "spread": _spread(results),
        "sync": f"{results.about('writes').get('sync_us', 0):,.0f}",
        "write_rows": f"{writes.ROWS:,}",
        "size_connections": str(size.SQL_CONNECTIONS),
        "commands": _commands(results),
    }


def _spread(results: Results) -> str:
    """What the figures in brackets are, which depends on the number of rounds."""
    few = _about(results).get("rounds", 0) <= figures.FEW_ROUNDS
    return "the range over the rounds" if few else "the middle half of the rounds"


def classic(results: Results, workload: str) -> str:
    """Per second and CPU use by number of rows."""
    found = groups(results, "size")
    cases = [case for case in dict.fromkeys(case for case, _ in found) if case.startswith(workload)]
    if not cases:
        return f"*{markdown.NOTHING}*"
    rows = []
    for case in cases:
        cells = [case.removeprefix(workload + ", ")]
        for target in size.TARGETS:
            group = found.get((case, target))
            if group is None:
                cells.append("–")
                continue
            use = group.spread(_cpu_use).median
            cells.append(f"{group.spread(figures.rate).median:,.0f} ({use:.0f} %)")
        rows.append(cells)
    names = [markdown.plain(target) for target in size.TARGETS]
    return markdown.table([f"{workload} per second (CPU)", *names], rows)


def _cpu_use(measurement: Any) -> float:
    """Of one core, in per cent."""
    figures_ = measurement.figures
    return float(100 * figures_["server_cpu_seconds"] / figures_["seconds"])


def _cpu_ratios(results: Results) -> str:
    found = groups(results, "lookups")
    shared = {target: group for (case, target), group in found.items() if case == "in process"}
    # SQL has no depth: its one figure for 100 connections stands beside all depths.
    for target in lookups.SQL:
        group = found.get((lookups.shape_name(100, 1), target))
        if group is not None:
            shared[target] = group
    return markdown.ratios(results, "lookups", CPU_RATIOS, figures.cpu, shared)


def _p50_ratios(results: Results) -> str:
    pairs = (("ours", "null"), ("memcached", "ours"), ("redis", "ours"), ("sql prepared", "ours"))
    return markdown.ratios(results, "lookups", pairs, figures.latency("p50"), {})


def _about(results: Results) -> dict[str, Any]:
    for section in results.sections:
        return results.about(section)
    return {}


def _dates(results: Results) -> str:
    dates = sorted({results.about(section)["date"] for section in results.sections})
    return dates[0] if len(set(dates)) == 1 else f"{dates[0]} to {dates[-1]}" if dates else ""


def _facts(results: Results) -> str:
    """What was measured where. What is not the same for all sections has a line for each."""
    found: dict[str, dict[str, list[str]]] = {}
    for section in results.sections:
        about = results.about(section)
        facts = about["machine"] | about["versions"]
        facts["This plugin"] = f"revision {about['revision']}"
        for name, fact in facts.items():
            found.setdefault(name, {}).setdefault(fact, []).append(section)
    for name, fact in slow_page.facts(results).items():
        found[name] = {fact: []}
    lines = []
    for name, facts_of in found.items():
        for fact, sections in facts_of.items():
            which = f", for {', '.join(sections)}" if len(facts_of) > 1 else ""
            lines.append(f"| {name}{which} | {fact} |")
    return "| | |\n|---|---|\n" + "\n".join(lines)


def _others(results: Results) -> str:
    rows = []
    for section in results.sections:
        runs = results.measurements(section)
        if not runs:
            continue
        others = [100 * run.others for run in runs]
        rows.append(
            [
                section if results.sections[section]["complete"] else f"{section} (interrupted)",
                str(len(runs)),
                f"{median(others):.0f} %",
                f"{max(others):.0f} %",
                f"{100 * max(run.load_core for run in runs):.0f} %",
            ]
        )
    head = ["", "measurements", "others, median", "others, most", "load generator, most"]
    return markdown.table(head, rows)


def _settings(variables: dict[str, Any]) -> str:
    return "\n".join(f"    --{name.replace('_', '-')}={value}" for name, value in variables.items())


def _commands(results: Results) -> str:
    """The command line of one measurement of each section and target, as it was run."""
    lines = []
    for section in results.sections:
        for group in groups(results, section).values():
            words = group.first.command
            if group.first.target in ("ours", "sql prepared") and "bench" in words:
                lines.append(f"    {_general(words)}")
                if group.first.target != "ours":
                    break
    return "\n".join(dict.fromkeys(lines))


def _general(words: list[str]) -> str:
    """With the names of what differs from run to run."""
    named = {"--port": "PORT", "--server-pid": "PID", "--first-key": "FIRST"}
    found = list(words)
    for option, name in named.items():
        if option in found:
            found[found.index(option) + 1] = name
    found[found.index("bench") - 1] = "build/release/clients/hs/hs"
    return " ".join(word for word in found if word not in ("--json", "--quiet"))
