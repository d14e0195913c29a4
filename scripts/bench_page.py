"""What docs/benchmarks.md says about the measurements of bench.py."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from statistics import median
from typing import TYPE_CHECKING

import bench_machine
import server_files
from server_files import REPOSITORY

if TYPE_CHECKING:
    from bench import Measurement, Scenario

NAMES = {
    "ours": "HandlerSocket 2",
    "stock": "the stock plugin",
    "sql text": "SQL, text protocol",
    "sql prepared": "SQL, prepared statements",
}

PAGE = """\
# Benchmarks

Written by `scripts/bench.py`; every figure on this page was measured by one run of it. {date}.

## Random lookups by primary key

{requests:,} lookups in each measurement of a plugin, {sql_requests:,} of SQL, over {rows:,} rows, all in memory; keys
uniform and the same for all. Three columns are returned, and **the content of every answer is checked**. {rounds} rounds,
in turns; the figures are medians, the range over the rounds behind them. "CPU" is what the whole server process used
for one lookup, in user and kernel mode.

{table}

As ratios of CPU time within this run:

{ratios}

## Machine and versions

{machine}

The servers run on one core, the load generator on another. While the measurements above ran, everybody else used at
most {others:.0f} % of a core, and in the median {others_median:.0f} %. The load generator used at most {load:.0f} % of its core.

## Commands

    {bench_command}

installs what is missing, builds, starts two private servers side by side (one with this plugin, which answers the SQL
too, and one with the stock plugin), fills both, warms them up, measures, and writes this page. `--help` tells what can
be changed. Both servers have these settings:

{settings}

A single measurement against a server of `./run --detach` (PORT and PID are in the line that it prints):

{commands}

## What this says, and what it does not

- The ratios within one run are what counts. Lookups per second depend on the machine, and on this kind of machine from
  hour to hour; CPU time per lookup does less.
- With one core for each side, lookups per second are bounded by the server's core, or by the load generator's where
  the server is faster than that: then its CPU time per lookup tells more than its lookups per second. Latency under
  full load is waiting in line; it is no statement about a server with room to spare.
- One worker thread in each plugin, as there is one core for the server. Nothing here is about several cores.
- Lookups only, of rows that are in memory, over the loopback interface: nothing about writes, ranges, disks, networks.
- The adaptive hash index is on. It is off by default, and without it every lookup of all four costs more.
- SQL runs with one statement at a time on each connection, as its client library does it, without a pool of threads.
"""


def write(
    measurements: Sequence[Measurement], options: argparse.Namespace, variables: Mapping[str, object]
) -> str:
    """The whole page."""
    others = [100 * measurement.others for measurement in measurements]
    return PAGE.format(
        date=datetime.now(timezone.utc).date().isoformat(),
        requests=options.requests,
        sql_requests=min(m.figures["lookups"] for m in measurements),
        rows=options.rows,
        rounds=options.rounds,
        table=table(measurements),
        ratios=_ratios(measurements),
        machine=_machine(),
        others=max(others),
        others_median=median(others),
        load=100 * max(measurement.load_core for measurement in measurements),
        bench_command="./run bench",
        settings="\n".join(f"    --{_option(name, value)}" for name, value in variables.items()),
        commands=_commands(options),
    )


def table(measurements: Sequence[Measurement]) -> str:
    """One row for each scenario."""
    lines = [
        "| What | Connections | Depth | Lookups/s | CPU, µs | p50, µs | p99, µs | Errors |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for scenario, group in _groups(measurements).items():
        rate = [m.figures["per_second"] for m in group]
        cpu = [m.figures["server_cpu_us"] for m in group]
        p50 = [m.figures["latency_us"]["p50"] for m in group]
        p99 = [m.figures["latency_us"]["p99"] for m in group]
        errors = sum(m.figures["errors"] for m in group)
        lines.append(
            f"| {NAMES[scenario.target]} | {scenario.connections} | {scenario.depth} "
            f"| {median(rate):,.0f} ({min(rate):,.0f}–{max(rate):,.0f}) "
            f"| {median(cpu):.2f} ({min(cpu):.2f}–{max(cpu):.2f}) "
            f"| {median(p50):,.0f} | {median(p99):,.0f} | {errors} |"
        )
    return "\n".join(lines)


def _ratios(measurements: Sequence[Measurement]) -> str:
    cpu = {
        scenario: median(m.figures["server_cpu_us"] for m in group)
        for scenario, group in _groups(measurements).items()
    }
    lines = []
    for scenario, ours in cpu.items():
        if scenario.target != "ours":
            continue
        others = [
            f"{NAMES[other.target]} {theirs / ours:.2f}"
            for other, theirs in cpu.items()
            if other.target != "ours"
            and (other.target.startswith("sql") or _shape(other) == _shape(scenario))
        ]
        lines.append(
            f"- {scenario.connections} connections, depth {scenario.depth}: HandlerSocket 2 is 1, "
            + ", ".join(others)
        )
    return "\n".join(lines)


def _groups(measurements: Sequence[Measurement]) -> dict[Scenario, list[Measurement]]:
    groups: dict[Scenario, list[Measurement]] = {}
    for measurement in measurements:
        groups.setdefault(measurement.scenario, []).append(measurement)
    return groups


def _shape(scenario: Scenario) -> tuple[int, int]:
    return scenario.connections, scenario.depth


def _machine() -> str:
    facts = bench_machine.describe()
    complete = server_files.SERVER_ROOT.parent / "complete"
    facts["MariaDB, the stock plugin"] = f"{complete.read_text().strip()} (Debian's packages)"
    facts["This plugin"] = _revision()
    return "| | |\n|---|---|\n" + "\n".join(f"| {name} | {fact} |" for name, fact in facts.items())


def _revision() -> str:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(REPOSITORY), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.stdout.strip()

    changed = git("status", "--porcelain", "--", "src")
    return f"revision {git('rev-parse', '--short', 'HEAD')}" + (" with changes" if changed else "")


def _option(name: str, value: object) -> str:
    return f"{name.replace('_', '-')}={int(value) if isinstance(value, bool) else value}"


def _commands(options: argparse.Namespace) -> str:
    program = "build/release/tools/bench/hs-bench"
    pinned = f"taskset -c {options.load_core} {program}"
    tail = f"--requests {options.requests} --server-pid PID"
    return "\n".join(
        (
            f"    taskset -a -p -c {options.server_core} PID",
            f"    {pinned} --target hs --port PORT --connections 100 --depth 1 {tail}",
            f"    {pinned} --target hs --port PORT --connections 32 --depth 32 {tail}",
            f"    {pinned} --target sql --prepared --port SQL_PORT --connections 100 {tail}",
        )
    )
