"""Adds up what the suites of ./test did and prints `N passed, N failed, N skipped`.

Each argument is SUITE=STATUS; SUITE.xml in the results folder (the first argument) is its JUnit
file. A suite that ended badly without a failed test, and one that ran no test, count as one
failure.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Counts:
    """How many tests passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def count(file: Path) -> Counts:
    """The tests of one JUnit file, of ctest's or pytest's making; nothing if it is not there."""
    counts = Counts()
    try:
        cases = ElementTree.parse(file).iter("testcase")
    except (FileNotFoundError, ElementTree.ParseError):
        return counts
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            counts.failed += 1
        elif case.find("skipped") is not None:
            counts.skipped += 1
        else:
            counts.passed += 1
    return counts


def main(arguments: list[str]) -> int:
    """Prints one line per bad suite and the overall line; 1 when anything failed."""
    folder = Path(arguments[0])
    total = Counts()
    for argument in arguments[1:]:
        suite, _, status = argument.partition("=")
        counts = count(folder / f"{suite}.xml")
        if counts.passed + counts.failed == 0:
            print(f"{suite}: no test ran")
            counts.failed += 1
        elif status != "0" and counts.failed == 0:
            print(f"{suite}: ended with status {status} although no test failed")
            counts.failed += 1
        total.passed += counts.passed
        total.failed += counts.failed
        total.skipped += counts.skipped
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
