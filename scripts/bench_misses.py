#!/usr/bin/python3
"""Measures this plugin, the stock plugin and SQL when rows are not in the buffer pool.

A table several times as large as the buffer pool, read with O_DIRECT; a hot set that fits, and a
share of lookups that go to all rows. Servers and load generator (hs bench, which checks every
answer) share the machine's cores. Writes docs/benchmarks-misses.md; progress goes to stderr.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from statistics import median
from typing import Any

import sample_table
from bench import machine as bench_machine
from bench import misses_page
from bench.misses import HOT, VARIABLES, pages_read
from bench.misses_page import TARGETS, Runs
from bench.options import RELEASE
from bench.preparation import prepare
from bench.servers import PLUGINS
from private_server import PluginChoice, PrivateServer
from run_report import say, step
from server_files import REPOSITORY, ServerError

PAGE = REPOSITORY / "docs/benchmarks-misses.md"
DIRECTORY = REPOSITORY / "build/bench-misses"
QUIET = 0.15  # of a core, which other processes may use
SHARES = (0.0, 0.014, 0.07, 0.28)  # of lookups that go to all rows; some three in four of them miss

@dataclass(frozen=True)
class Load:
    """One run of hs bench."""

    target: str
    connections: int
    cold: float
    seconds: float
    seed: int = 1


class Misses:
    """The two servers, and what is measured on them."""

    def __init__(self, options: argparse.Namespace, servers: dict[PluginChoice, PrivateServer]):
        self.options = options
        self.servers = servers

    def server(self, target: str) -> PrivateServer:
        return self.servers["stock" if target == "stock" else "ours"]

    def run(self, load: Load) -> dict[str, Any]:
        """The figures of one run. Raises when an answer is wrong."""
        server = self.server(load.target)
        is_sql = load.target.startswith("sql")
        command = [
            str(RELEASE / "clients/hs/hs"),
            "bench",
            *(("--target", "sql", "--prepared") if is_sql else ("--target", "hs")),
            *("--port", str(server.sql_port if is_sql else server.port)),
            *("--connections", str(load.connections), "--seconds", str(load.seconds)),
            *("--rows", str(self.options.rows), "--hot", str(HOT), "--cold", str(load.cold)),
            *("--seed", str(load.seed), "--server-pid", str(server.pid), "--json", "--quiet"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ServerError(f"hs bench failed: {done.stdout}{done.stderr}")
        figures: dict[str, Any] = json.loads(done.stdout)
        return figures

    def throughput(self, target: str, cold: float) -> dict[str, float]:
        before = pages_read(self.server(target))
        figures = self.run(
            Load(target, self.options.connections, cold, self.options.seconds)
        )
        missed = (pages_read(self.server(target)) - before) / figures["lookups"]
        return {
            "per_second": figures["per_second"],
            "hits": 1 - missed,
            "cpu": figures["server_cpu_us"],
            "p99": figures["latency_us"]["p99"] / 1000,
        }

    def beside(self, target: str, cold: float) -> dict[str, float]:
        """Latency of clients that read hot rows, while others go to all rows."""
        half = self.options.connections // 2
        others = Load(target, half, cold, self.options.seconds + 1, 2)
        thread = threading.Thread(target=self.run, args=(others,))
        thread.start()
        time.sleep(0.5)  # until the others are at full speed
        figures = self.run(Load(target, half, 0, self.options.seconds - 0.5))
        thread.join()
        latency: dict[str, float] = figures["latency_us"]
        return {**latency, "per_second": figures["per_second"]}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--force", action="store_true", help="measure on a busy machine, too")
    options = parser.parse_args(arguments)
    try:
        busy = bench_machine.too_busy(QUIET)
        if busy and not options.force:
            raise ServerError(f"{busy}; --force measures all the same")
        prepare()
        with ExitStack() as stack:
            servers = {plugin: start(plugin, options, stack) for plugin in PLUGINS}
            PAGE.write_text(measure(Misses(options, servers), options), encoding="utf-8")
    except ServerError as error:
        print(f"bench_misses: {error}", file=sys.stderr)
        return 1
    say(f"written: {PAGE.relative_to(REPOSITORY)}")
    return 0


def start(plugin: PluginChoice, options: argparse.Namespace, stack: ExitStack) -> PrivateServer:
    """A server with its rows."""
    directory = DIRECTORY / plugin
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    server = PrivateServer(directory, plugin=plugin, variables=VARIABLES)
    with step(f"starting the server with {plugin}"):
        stack.enter_context(server)
    with step(f"filling its test.user with {options.rows:,} rows"):
        sample_table.make(server, options.rows, lambda done: say(f" {done:,} …", end=""))
    return server


def measure(misses: Misses, options: argparse.Namespace) -> str:
    """Measures all rounds and returns the page."""
    for target in TARGETS:
        misses.run(Load(target, options.connections, 0, options.seconds))
    alone: Runs = {}
    beside: Runs = {}
    for number in range(options.rounds):
        say(f"round {number + 1} of {options.rounds}")
        for cold in SHARES:
            for target in TARGETS:
                alone.setdefault((target, cold), []).append(misses.throughput(target, cold))
                if target == "ours" or target == "stock":
                    beside.setdefault((target, cold), []).append(misses.beside(target, cold))
    server = misses.server("ours")
    return misses_page.TEXT.format(
        date=datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        rows=options.rows,
        pool=VARIABLES["innodb_buffer_pool_size"],
        connections=options.connections,
        half=options.connections // 2,
        hot=HOT,
        rounds=options.rounds,
        seconds=options.seconds,
        summary=misses_page.summary(alone),
        losses=misses_page.losses(alone, beside),
        throughput=misses_page.throughput_table(alone),
        latency=misses_page.latency_table(beside),
        machine=machine(server),
        settings="\n".join(f"    {name} = {value}" for name, value in VARIABLES.items()),
    )


def machine(server: PrivateServer) -> str:
    facts = {
        **bench_machine.describe(),
        "MariaDB": str(server.sql("SELECT VERSION()")[0][0]),
        "One page of 16 KiB, read at random": f"{disk_read_us(server):.0f} µs in the median",
    }
    return "\n".join(f"- {name}: {value}" for name, value in facts.items())


def disk_read_us(server: PrivateServer) -> float:
    """How long one read of a page takes that the system's cache does not serve."""
    path = Path(server.directory) / "data/test/user.ibd"
    pages = path.stat().st_size // 16384
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    times = []
    try:
        with mmap.mmap(-1, 16384) as page:
            for _ in range(500):
                begin = time.perf_counter()
                os.preadv(file, [page], random.randrange(pages) * 16384)
                times.append((time.perf_counter() - begin) * 1e6)
    finally:
        os.close(file)
    return median(times)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
