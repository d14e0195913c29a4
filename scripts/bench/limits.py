"""The section limits: what the goals need beside the other sections. Their floors are among it.

One connection with and without spinning, batches of lookups and updates, what a write costs inside
the server, and rows that are not in memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench import batches, floors, load, lookups, misses, writes
from bench.load import Case, Measurement
from bench.run import DISK_WORK, Run
from bench.settings import COLD, NO_SPIN, WITH_LOG

ALONE = lookups.shape_name(1, 1)
BATCH_SERVER = "ours" + WITH_LOG
COLD_SHARES = (1.0, 0.4)  # of lookups that go to all rows: almost none, and half of all, are hits
COLD_CONNECTIONS = 100
COLD_TARGETS = ("ours", "sql prepared")
WRITES_BATCH = 1000  # in one transaction, so that the commit is a small part
WRITES_PER_SECOND = 20_000  # in process, for each second that a measurement takes


def in_process_name(workload: str) -> str:
    """The name of the handler calls of inserts or updates."""
    return f"{workload}s in process"


def cold_name(share: float) -> str:
    """The name of the cases with that share of the lookups going to all rows."""
    return f"{100 * share:.0f} % of lookups go to rows on disk"


def alone() -> list[Case]:
    """One connection, with spinning and without."""
    return [
        Case(ALONE, "null", 1),
        Case(ALONE, "ours", 1),
        Case(ALONE, "ours no spin", 1, server="ours" + NO_SPIN),
    ]


def cold(options: argparse.Namespace) -> list[Case]:
    """Lookups of rows that are not in memory."""
    return [_cold(options, share, target) for share in COLD_SHARES for target in COLD_TARGETS]


def cases(options: argparse.Namespace) -> list[Case]:
    """All that hs bench measures."""
    return [*alone(), *batches.cases(BATCH_SERVER), *cold(options)]


def limits(run: Run) -> None:
    """Round after round of all of it."""
    run.start(cases(run.options))
    for number in range(1, run.options.rounds + 1):
        run.round("limits", alone(), number)
        run.round("limits", batches.cases(BATCH_SERVER), number, writes.fresh(run))
        for workload in ("insert", "update"):
            _floor(run, number, workload)
        for case in cold(run.options):
            _measure_cold(run, number, case)
    for name in ("ours" + NO_SPIN, BATCH_SERVER, "ours" + COLD):
        run.servers.stop(name)


def _floor(run: Run, number: int, workload: str) -> None:
    """Handler calls of inserts or updates in long transactions."""
    server = run.servers.database(BATCH_SERVER)
    count = int(run.options.seconds * WRITES_PER_SECOND)
    inserts = workload == "insert"

    def numbers() -> Sequence[int]:
        if inserts:
            return (count, WRITES_BATCH, writes.next_key(server), 0)
        return (count, WRITES_BATCH, writes.ROWS, run.options.seed)

    name = in_process_name(workload)
    function = f"hs_floor_{workload}"
    floors.measure(
        run, "limits", number, name, function, numbers, writes.TABLE, BATCH_SERVER, DISK_WORK
    )


def _cold(options: argparse.Namespace, share: float, target: str) -> Case:
    return Case(
        cold_name(share),
        target,
        COLD_CONNECTIONS,
        arguments=("--hot", str(misses.HOT), "--cold", f"{share:g}"),
        server="ours" + COLD,
        rows=options.cold_rows,
    )


def _measure_cold(run: Run, number: int, case: Case) -> None:
    """Measures, and notes the share of lookups for which no page was read."""
    server = run.servers.database(case.place)

    def take() -> Measurement:
        before = misses.pages_read(server)
        place = run.servers.place(case.place)
        taken = load.measure(case, place, number, run.options, run.servers.pids())
        requests = taken.figures["requests"] + load.warm_up(case)
        read = misses.pages_read(server) - before
        taken.figures["hits"] = round(max(0.0, 1 - read / requests), 3)
        return taken

    run.quietest("limits", take, run.options.quiet + DISK_WORK)
