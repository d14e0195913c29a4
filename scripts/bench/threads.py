"""The section threads: more and more workers of the read port."""

from __future__ import annotations

import os

from run_report import step

from bench.load import Case
from bench.run import Run
from bench.servers import HEAT_UP, PLUGINS


def threads_name(count: int) -> str:
    """The name of the cases with so many threads."""
    return f"handlersocket_threads = {count}"


def threads(run: Run) -> None:
    """More and more threads of the read port; servers and load share all cores."""
    cores = len(os.sched_getaffinity(0))
    for count in sorted({1, *(2**power for power in range(1, 8) if 2**power < cores), cores}):
        for name in PLUGINS:
            with step(f"restarting {name} with {count} threads on all cores"):
                run.servers.restart(name, count, pinned=False)
                run.servers.heat(name, run.options.rows, HEAT_UP)
        run.rounds("threads", [Case(threads_name(count), name, 32, 32) for name in PLUGINS])
    for name in PLUGINS:
        run.servers.restart(name, 1, pinned=True)
        run.servers.heat(name, run.options.rows, HEAT_UP)
