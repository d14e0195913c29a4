"""Adds up what the suites of ./test did and prints `N passed, N failed, N skipped`.

Each argument is SUITE=STATUS; SUITE.xml in the results folder (the first argument) is its JUnit
file, or SUITE/ has one of each of its programs. A suite that ended badly without a failed test, and one that ran no test, count as one
failure.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
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


def cases(folder: Path, suite: str) -> Iterator[ElementTree.Element]:
    """The tests of a suite, of pytest's or GoogleTest's making; none of a file that is not there, or is broken."""
    for file in [folder / f"{suite}.xml", *sorted((folder / suite).glob("*.xml"))]:
        try:
            yield from ElementTree.parse(file).iter("testcase")
        except (FileNotFoundError, ElementTree.ParseError):
            continue


def count(folder: Path, suite: str) -> Counts:
    """What became of a suite's tests."""
    counts = Counts()
    for case in cases(folder, suite):
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
        counts = count(folder, suite)
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
