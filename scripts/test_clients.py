"""The suite `clients` of ./test: each client's own check, then the acceptance script.

A client is a folder of clients/ with an executable `check`, which builds and tests it and ends with a line
`N passed, N failed`. Then its programs in pages are run, and one that has a `driver` goes through
clients/acceptance. Each gets a private server of its own, and three are looked at at a time. What they say goes to
files in the results folder, and to stderr when something failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import client_programs
import sample_table
from private_server import PrivateServer

REPOSITORY = Path(__file__).resolve().parent.parent
CLIENTS = REPOSITORY / "clients"
AT_A_TIME = 3  # on two cores: acceptance waits for much of its time
TIMEOUT_S = 1800  # of a check, and of the acceptance script of one client
SAMPLE_ROWS = 200
# What takes longest comes first, so that nothing long is left alone at the end.
LONGEST_FIRST = ("rust", "hs", "c", "java", "cpp", "node", "perl")
TOTALS = re.compile(r"^(\d+) passed, (\d+) failed$")


@dataclass
class Outcome:
    """What was found about one client: names of tests that passed, and what failed with the log of it."""

    language: str
    passed: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        times = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in self.seconds.items())
        return f"{self.language}: {len(self.passed)} passed, {len(self.failed)} failed ({times})"


def languages() -> list[str]:
    """The clients that are there."""
    found = {file.parent.name for file in CLIENTS.glob("*/check") if os.access(file, os.X_OK)}
    first = [one for one in LONGEST_FIRST if one in found]
    return first + sorted(found.difference(first))


def totals(log: str) -> tuple[int, int] | None:
    """The numbers of the last line of a check; None if it is none."""
    lines = log.rstrip("\n").splitlines()
    match = TOTALS.match(lines[-1]) if lines else None
    return (int(match[1]), int(match[2])) if match else None


def run(command: list[str], log: Path, **variables: int) -> int:
    """Runs a command, and what it says goes to the file. Its exit status, 124 when it took too long."""
    with log.open("wb") as file:
        return subprocess.run(
            ["timeout", "--kill-after=10", str(TIMEOUT_S), *command],  # which ends all that it has started
            cwd=REPOSITORY,
            env={**os.environ, **{name: str(value) for name, value in variables.items()}},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode


def check(outcome: Outcome, log: Path) -> None:
    """The client's own check, with a server for its examples."""
    with PrivateServer(variables={"log_bin": "log"}) as server:
        sample_table.make(server, SAMPLE_ROWS, lambda _: None)
        server.sql("CREATE TABLE test.account (id INT PRIMARY KEY, money INT NOT NULL)")
        server.sql("INSERT INTO test.account VALUES (1, 100), (2, 100)")
        status = run(
            [str(CLIENTS / outcome.language / "check")],
            log,
            HS_TEST_READ_PORT=server.port,
            HS_TEST_WRITE_PORT=server.port_wr,
        )
        count_check(outcome, log.read_text(encoding="utf-8", errors="replace"), status)
        run_programs(outcome, server)


def count_check(outcome: Outcome, said: str, status: int) -> None:
    """What a check says of itself."""
    numbers = totals(said)
    passed, failed = numbers or (0, 0)
    if numbers is None or passed + failed == 0 or (status != 0 and failed == 0):
        failed += 1
    outcome.passed += [f"check {number}" for number in range(1, passed + 1)]
    outcome.failed += [(f"check failed {number}", said) for number in range(1, failed + 1)]


def run_programs(outcome: Outcome, server: PrivateServer) -> None:
    """The client's programs in pages; `hs` has none."""
    sample_table.make(server, SAMPLE_ROWS, lambda _: None)  # The examples have changed row 101.
    for name, page in client_programs.pages(outcome.language).items():
        folder = REPOSITORY / "build/clients" / outcome.language / "programs" / page.stem
        try:
            client_programs.run(outcome.language, page, folder, server.port, server.port_wr)
            outcome.passed.append(f"the program of {name}")
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            outcome.failed.append((f"the program of {name}", f"{error}\n"))


def accept(outcome: Outcome, log: Path) -> None:
    """The acceptance script for the client."""
    report = log.with_suffix(".xml")
    report.unlink(missing_ok=True)
    status = run(
        [
            *(sys.executable, "-m", "pytest", "clients/acceptance", "-q", "-p", "no:cacheprovider"),
            *("--language", outcome.language, "--timeout", "300", "--junitxml", str(report)),
        ],
        log,
    )
    failed_before = len(outcome.failed)
    said = log.read_text(encoding="utf-8", errors="replace")
    for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
        name = f"{case.get('classname')} {case.get('name')}"
        if is_left_out(case):
            continue
        if any(case.find(tag) is not None for tag in ("failure", "error", "skipped")):
            outcome.failed.append((name, said))
        else:
            outcome.passed.append(name)
    if status != 0 and len(outcome.failed) == failed_before:
        outcome.failed.append((f"the acceptance script ended with status {status}", said))


def is_left_out(case: ElementTree.Element) -> bool:
    """Whether it was skipped since MySQL has not what its statements say. Nothing else is a reason."""
    skipped = case.find("skipped")
    return skipped is not None and "MySQL has no" in (skipped.get("message") or "")


def build(outcome: Outcome, log: Path) -> None:
    """No more of the check than acceptance needs."""
    status = run([str(CLIENTS / outcome.language / "check"), "--build"], log)
    if status == 0:
        outcome.passed.append("build")
    else:
        outcome.failed.append(("build", log.read_text(encoding="utf-8", errors="replace")))


def look_at(language: str, results: Path, *, brief: bool) -> Outcome:
    """Checks one client, says how that went, and gives the outcome."""
    outcome = Outcome(language)
    parts = [("build", build) if brief else ("check", check)]
    if (CLIENTS / language / "driver").exists():
        parts.append(("acceptance", accept))
    for name, part in parts:
        started = time.monotonic()
        log = results / f"clients-{language}-{name}.log"
        failed_before = len(outcome.failed)
        try:
            part(outcome, log)
        except Exception as error:  # One client's mishap leaves the others to be looked at.
            outcome.failed.append((f"{name} could not be run", repr(error)))
        outcome.seconds[name] = time.monotonic() - started
        if len(outcome.failed) > failed_before:
            said = dict.fromkeys(text for _, text in outcome.failed[failed_before:])
            print(f"--- {language}, {name}", *said, "---", sep="\n", file=sys.stderr, flush=True)
    print(outcome, file=sys.stderr, flush=True)
    return outcome


def write_junit(outcomes: list[Outcome], file: Path) -> None:
    """The outcomes as a JUnit file."""
    suite = ElementTree.Element("testsuite", name="clients")
    for outcome in outcomes:
        for name in outcome.passed:
            ElementTree.SubElement(suite, "testcase", classname=outcome.language, name=name)
        for name, _ in outcome.failed:
            case = ElementTree.SubElement(suite, "testcase", classname=outcome.language, name=name)
            ElementTree.SubElement(case, "failure", message=f"see clients-{outcome.language}-*.log")
    ElementTree.ElementTree(suite).write(file, encoding="utf-8")


def main() -> int:
    """Looks at the named clients, by default all; 1 when anything failed."""
    parser = argparse.ArgumentParser(prog="./test clients", description=__doc__)
    parser.add_argument("--results", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--language", action="append", help="one client, by its folder; may be repeated")
    parser.add_argument("--brief", action="store_true", help="only build, and the behaviours that all have")
    options = parser.parse_args()
    chosen = options.language or languages()
    unknown = sorted(set(chosen).difference(languages()))
    if unknown:
        parser.error(f"there is no client {unknown[0]}; there are: {', '.join(sorted(languages()))}")
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        outcomes = list(pool.map(lambda one: look_at(one, options.results, brief=options.brief), chosen))
    write_junit(outcomes, options.results / "clients.xml")
    passed, failed = (sum(len(getattr(one, name)) for one in outcomes) for name in ("passed", "failed"))
    print(f"{passed} passed, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
