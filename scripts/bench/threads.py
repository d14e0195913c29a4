"""The section threads: more and more threads of the read port."""

from __future__ import annotations

import os

from bench.load import Case
from bench.run import Run
from bench.servers import PLUGINS
from bench.settings import THREADS


def threads_name(count: int) -> str:
    """The name of the cases with so many threads."""
    return f"handlersocket_threads = {count}"


def threads(run: Run) -> None:
    """More and more threads of the read port; servers and load share all cores."""
    cores = len(os.sched_getaffinity(0))
    counts = sorted({1, *(2**power for power in range(1, 8) if 2**power < cores), cores})
    cases = [
        Case(threads_name(count), plugin, 32, 32, server=f"{plugin}{THREADS}{count}")
        for count in counts
        for plugin in PLUGINS
    ]
    run.rounds("threads", cases)
    for case in cases:
        run.servers.stop(case.server)
