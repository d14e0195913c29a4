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

DISK_WORK = 0.2  # of a core: what the kernel does for the disk counts as others', too

Before = Callable[[Case], Case]


def _nothing(case: Case) -> Case:
    return case


class Run:
    """The servers, the options, and where results go."""

    def __init__(self, options: argparse.Namespace, servers: Servers, results: Results) -> None:
        self.options = options
        self.servers = servers
        self.results = results

    def rounds(
        self,
        section: str,
        cases: Sequence[Case],
        before: Before = _nothing,
    ) -> None:
        """All cases, round after round. `before` prepares for one, and may change it."""
        for case in cases:
            self.servers.place(case.place)
        for number in range(1, self.options.rounds + 1):
            say(f"{section}, round {number} of {self.options.rounds}")
            for case in cases:
                self.measure(section, case, number, before)

    def measure(
        self, section: str, case: Case, number: int, before: Before = _nothing
    ) -> Measurement:
        """Measures, again while others disturb, and keeps the quietest measurement."""
        best: Measurement | None = None
        for attempt in range(1, self.options.attempts + 1):
            if best is not None:
                load.pause(self.options)
            place = self.servers.place(case.place)
            now = load.measure(before(case), place, number, self.options, self.servers.pids())
            load.report(section, now)
            if best is None or now.others < best.others:
                best = now
            best = replace(best, attempts=attempt)
            if best.others <= self.options.quiet + (DISK_WORK if case.writes else 0):
                break
        assert best is not None
        self.results.add(section, best)
        return best
