"""A run of the benchmark: what every section needs to measure its cases in turns."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace

from run_report import say

from bench import load
from bench.load import Case, Measurement
from bench.results import Results
from bench.servers import Servers

DISK_WORK = 0.4  # of a core: work of the kernel for the disk, which counts as that of others

Before = Callable[[Case], Case]


def nothing(case: Case) -> Case:
    """For cases that need nothing before them."""
    return case


class Run:
    """The servers, the options, and where results go."""

    def __init__(self, options: argparse.Namespace, servers: Servers, results: Results) -> None:
        self.options = options
        self.servers = servers
        self.results = results

    def rounds(self, section: str, cases: Sequence[Case], before: Before = nothing) -> None:
        """All cases, round after round. `before` prepares for one, and may change it."""
        self.start(cases)
        for number in range(1, self.options.rounds + 1):
            self.round(section, cases, number, before)

    def start(self, cases: Sequence[Case]) -> None:
        """Starts all servers, so that each round finds the same."""
        for case in cases:
            self.servers.place(case.place)

    def round(
        self, section: str, cases: Sequence[Case], number: int, before: Before = nothing
    ) -> None:
        """All cases once, in turns."""
        say(f"{section}, round {number} of {self.options.rounds}")
        for case in cases:
            self.measure(section, case, number, before)

    def measure(self, section: str, case: Case, number: int, before: Before = nothing) -> None:
        """One case."""

        def take() -> Measurement:
            place = self.servers.place(case.place)
            return load.measure(before(case), place, number, self.options, self.servers.pids())

        self.quietest(section, take, self.options.quiet + (DISK_WORK if case.writes else 0))

    def quietest(self, section: str, take: Callable[[], Measurement], limit: float) -> None:
        """Measures, again while others use more than the limit, and keeps the quietest."""
        best = take()
        load.report(section, best)
        for attempt in range(2, self.options.attempts + 1):
            if best.others <= limit:
                break
            load.pause(self.options)
            now = take()
            load.report(section, now)
            best = replace(now if now.others < best.others else best, attempts=attempt)
        self.results.add(section, replace(best, busy=best.others > limit))
