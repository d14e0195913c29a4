"""The section mixed: updates among lookups, keys that are not alike, large values, counts."""

from __future__ import annotations

from dataclasses import replace

from run_report import step

from bench import tables
from bench.load import Case
from bench.run import Run
from bench.servers import HEAT_UP, PLUGINS

MIXED = "test.mixed"
LARGE = "test.large"
LARGE_BYTES = 1024
LARGE_ROWS = 200_000
COUNTED = 1000
COUNTS = f"count of {COUNTED:,} rows"
COUNT_TARGETS = ("ours", "sql prepared", "sql text")
MIXED_TARGETS = ("ours", "stock", "sql prepared", "memcached", "redis")


def mixed(run: Run) -> None:
    """All cases of the section."""
    rows = run.options.rows
    large = min(LARGE_ROWS, rows)
    size = ("--value-size", str(LARGE_BYTES))
    for plugin in PLUGINS:
        run.servers.place(plugin)
        with step(f"making {MIXED} and {LARGE} in {plugin}"):
            tables.create(run.servers.database(plugin), MIXED, rows)
            tables.create(run.servers.database(plugin), LARGE, large, value_size=LARGE_BYTES)
            tables.settle(run.servers.database(plugin))
        run.servers.heat(plugin, rows, HEAT_UP // 2, MIXED)
        run.servers.heat(plugin, large, HEAT_UP // 4, LARGE, LARGE_BYTES)
    # Instances of their own: the rows of the instances that all sections use must not change.
    for name in ("memcached", "redis"):
        run.servers.fill(f"{name}-mixed", rows)
        run.servers.fill(f"{name}-large", large, *size)
    cases = []
    for target in MIXED_TARGETS:
        cache = target in ("memcached", "redis")
        case = Case("10 % updates", target, 32, arguments=("--workload", "mixed"), writes=True)
        cases.append(_at(case, cache, MIXED, "mixed"))
    zipfian = ("--distribution", "zipfian")
    cases += [Case("zipfian keys", name, 32, arguments=zipfian) for name in MIXED_TARGETS]
    for target in MIXED_TARGETS:
        cache = target in ("memcached", "redis")
        case = Case(f"values of {LARGE_BYTES} bytes", target, 32, arguments=size, rows=large)
        cases.append(_at(case, cache, LARGE, "large"))
    counts = ("--workload", "count", "--range", str(COUNTED))
    cases += [Case(COUNTS, name, 32, arguments=counts) for name in COUNT_TARGETS]
    run.rounds("mixed", cases)
    for plugin in PLUGINS:
        for table in (MIXED, LARGE):
            tables.drop(run.servers.database(plugin), table)


def _at(case: Case, cache: bool, table: str, instance: str) -> Case:
    """The case on its own table, or its own instance of memcached or Redis."""
    if cache:
        return replace(case, server=f"{case.target}-{instance}")
    return replace(case, arguments=(*case.arguments, "--table", table))
