"""One measurement: hs bench against one target, and how quiet the machine was meanwhile."""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from run_report import say
from server_files import ServerError

from bench import machine

WARM_UP = 20_000  # requests before each measurement
PATIENCE_SECONDS = 120
PATIENCE_FACTOR = 30
SLOW_WARM_UP = 2_000  # the same for requests that are more work, or come one at a time
WRITES_WARM_UP = 100  # on each connection


@dataclass(frozen=True)
class Place:
    """A running target."""

    pid: int
    port: int
    port_wr: int = 0
    sql_port: int = 0
    tls_port: int = 0  # 0: TLS comes to `port`
    pinned: bool = True


@dataclass(frozen=True)
class Case:
    """One thing to measure: `target` doing what `name` says. Cases of one name are compared."""

    name: str
    target: str  # stock, sql prepared, sql text, memcached, redis, null, ours, or ours with more words
    connections: int
    depth: int = 1
    arguments: tuple[str, ...] = ()  # further options of hs bench
    server: str = ""  # where other than the target's usual server
    rows: int = 0  # other than those of test.user
    writes: bool = False
    tls: bool = False
    user: str = ""  # the account to log in to; its password is its name

    @property
    def is_sql(self) -> bool:
        """Whether it goes through the client library."""
        return self.target.startswith("sql")

    @property
    def place(self) -> str:
        """The name of its server."""
        return self.server or ("ours" if self.is_sql else self.target)


@dataclass(frozen=True)
class Measurement:
    """What one run of hs bench said, and how busy the load generator and other processes were."""

    case: str
    target: str
    connections: int
    depth: int
    round: int
    figures: dict[str, Any]
    command: list[str]
    others: float  # CPU time of all other processes, as a share of one core
    load_core: float  # CPU time of the load generator, as a share of its core
    attempts: int = 1
    busy: bool = False  # others used more than the limit in each attempt


def warm_up(case: Case) -> int:
    """How many requests come before those that are measured."""
    if case.writes:  # each may wait for the disk
        return min(SLOW_WARM_UP, WRITES_WARM_UP * case.connections * case.depth)
    if "--hot" in case.arguments:  # until the hot rows are in memory
        return WARM_UP
    few = case.is_sql or case.arguments or case.connections * case.depth == 1
    return SLOW_WARM_UP if few else WARM_UP


def command(case: Case, place: Place, options: argparse.Namespace) -> list[str]:
    """The command line of hs bench."""
    port = place.port_wr if case.writes else place.port
    if case.tls and place.tls_port:
        port = place.tls_port
    program = case.target.partition(" ")[0]
    protocol = program if program in ("memcached", "redis") else "hs"
    target = ("sql",) if case.is_sql else (protocol,)
    return [
        *(("taskset", "-c", str(options.load_core)) if place.pinned else ()),
        str(options.build / "clients/hs/hs"),
        "bench",
        *("--target", *target, *(("--prepared",) if case.target == "sql prepared" else ())),
        *("--port", str(place.sql_port if case.is_sql else port)),
        *("--connections", str(case.connections), "--depth", str(case.depth)),
        *("--rows", str(case.rows or options.rows), "--seed", str(options.seed)),
        *("--seconds", f"{options.seconds:g}", "--warm-up", str(warm_up(case))),
        *case.arguments,
        *(("--tls",) if case.tls else ()),
        *(("--user", case.user, "--password", case.user) if case.user else ()),
        *("--server-pid", str(place.pid), "--json", "--quiet"),
    ]


def shown(words: Iterable[str]) -> list[str]:
    """A command line as the results keep it, without the place of this repository."""
    return [Path(word).name if word.startswith("/") else word for word in words]


def measure(
    case: Case, place: Place, number: int, options: argparse.Namespace, servers: Iterable[int]
) -> Measurement:
    """Measures once. Wrong answers are in the figures; a run that fails raises."""
    words = command(case, place, options)
    pids = list(servers)
    before = machine.Usage.now(pids)
    patience = PATIENCE_SECONDS + PATIENCE_FACTOR * options.seconds
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=patience)
    except subprocess.TimeoutExpired:
        where = " ".join(shown(words))
        raise ServerError(f"hs bench did not end within {patience:g} s: {where}") from None
    usage = machine.Usage.now(pids) - before
    if not done.stdout:
        raise ServerError(f"hs bench failed: {done.stderr.strip()}; {' '.join(shown(words))}")
    return Measurement(
        case.name,
        case.target,
        case.connections,
        case.depth,
        number,
        json.loads(done.stdout),
        shown(words),
        round(usage.others / usage.elapsed, 3),
        round(usage.children / usage.elapsed, 3),
    )


def report(section: str, measurement: Measurement) -> None:
    """One line of progress."""
    figures = measurement.figures
    say(
        f"  {section}: {measurement.case}, {measurement.target}: {figures['per_second']:,.0f}/s, "
        f"{figures['server_cpu_us']:.2f} us, {figures['errors']} errors, "
        f"others {100 * measurement.others:.0f} %"
    )


def pause(options: argparse.Namespace) -> None:
    """Waits, so that other processes may end what they do."""
    time.sleep(options.pause)
