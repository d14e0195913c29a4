#!/usr/bin/python3
"""Measures random lookups by primary key: this plugin, the stock plugin and SQL, in one run.

Two private servers stand side by side on the same rows: one with our plugin, which also answers the
SQL, one with the stock plugin. The servers are pinned to one core and the load generator (hs-bench)
to another. Everything is measured in turns, round after round; a measurement during which other
processes used the machine is done again. Writes docs/benchmarks.md and build/bench/results.json;
progress goes to stderr. What the page says is in bench_page.py.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import bench_machine
import bench_page
import sample_table
import server_files
from private_server import PluginChoice, PrivateServer
from run_report import say, step
from server_files import REPOSITORY, ServerError

DIRECTORY = REPOSITORY / "build/bench"
PAGE = REPOSITORY / "docs/benchmarks.md"
RELEASE = REPOSITORY / "build/release"

VARIABLES: dict[str, object] = {
    "innodb_buffer_pool_size": "512M",
    "innodb_adaptive_hash_index": True,
    "innodb_log_file_size": "128M",
    "character_set_server": "utf8mb4",
    "handlersocket_threads": 1,
    "handlersocket_threads_wr": 1,
}
WARM_UP = 20_000  # lookups before each measurement
HEAT_UP = 2_000_000  # once for each server: pages into the buffer pool, the adaptive hash index

# Builds as ./run does; again from the configuration when hs-bench was not built, because its
# libraries may have been installed since.
BUILD = """
set -euo pipefail
source scripts/lib/messages.sh
source scripts/lib/build.sh
build_preset release "building the plugin and hs-bench"
if [[ ! -x build/release/tools/bench/hs-bench ]]; then
  step "configuring again" cmake --preset release || die_with_log "cannot configure"
  build_preset release "building hs-bench"
fi
"""


@dataclass(frozen=True)
class Scenario:
    """One thing to measure. `share`: which part of --requests it gets."""

    target: str  # ours, stock, sql text, sql prepared
    connections: int
    depth: int
    share: float = 1


SCENARIOS = (
    *(
        Scenario(target, connections, depth)
        for connections, depth in ((100, 1), (32, 8), (32, 32))
        for target in ("ours", "stock")
    ),
    Scenario("sql prepared", 100, 1, 0.2),
    Scenario("sql text", 100, 1, 0.2),
)


@dataclass(frozen=True)
class Measurement:
    """What one run of hs-bench said, and how quiet the machine was meanwhile."""

    scenario: Scenario
    round: int
    figures: dict[str, Any]
    others: float  # CPU time of everybody else, as a share of one core
    load_core: float  # how busy the load generator was, as a share of its core


class Bench:
    """The two servers and the load generator."""

    def __init__(self, options: argparse.Namespace, servers: dict[PluginChoice, PrivateServer]):
        self.options = options
        self.servers = servers
        self.program = options.build / "tools/bench/hs-bench"

    def command(self, scenario: Scenario, requests: int, warm_up: int) -> list[str]:
        """The command line of hs-bench."""
        server = self.servers["stock" if scenario.target == "stock" else "ours"]
        sql = scenario.target.startswith("sql")
        return [
            str(self.program),
            *(("--target", "sql") if sql else ("--target", "hs")),
            *(("--prepared",) if scenario.target == "sql prepared" else ()),
            *("--port", str(server.sql_port if sql else server.port)),
            *("--connections", str(scenario.connections), "--depth", str(scenario.depth)),
            *("--requests", str(requests), "--warm-up", str(warm_up)),
            *("--rows", str(self.options.rows), "--seed", str(self.options.seed)),
            *("--server-pid", str(server.pid), "--json", "--quiet"),
        ]

    def run(self, scenario: Scenario, requests: int, warm_up: int = WARM_UP) -> Measurement:
        """Runs hs-bench once. Wrong answers are in the figures; a run that fails raises."""
        pids = [server.pid for server in self.servers.values()]
        pinned = ["taskset", "-c", str(self.options.load_core)]
        before = bench_machine.Usage.now(pids)
        result = subprocess.run(
            [*pinned, *self.command(scenario, requests, warm_up)],
            capture_output=True,
            text=True,
            check=False,
        )
        usage = bench_machine.Usage.now(pids) - before
        if not result.stdout:
            raise ServerError(f"hs-bench failed: {result.stderr.strip()}")
        return Measurement(
            scenario,
            0,
            json.loads(result.stdout),
            round(usage.others / usage.elapsed, 3),
            round(usage.children / usage.elapsed, 3),
        )

    def measure(self, scenario: Scenario, number: int) -> Measurement:
        """Measures, again while others disturb, and returns the quietest measurement."""
        requests = max(1, int(self.options.requests * scenario.share))
        name = f"{scenario.target}, {scenario.connections} connections, depth {scenario.depth}"
        best: Measurement | None = None
        for attempt in range(self.options.attempts):
            if attempt > 0:
                time.sleep(self.options.pause)
            now = self.run(scenario, requests)
            say(
                f"  {name}: {now.figures['per_second']:,.0f}/s, "
                f"{now.figures['server_cpu_us']:.2f} us, {now.figures['errors']} errors, "
                f"others {100 * now.others:.0f} %"
            )
            if best is None or now.others < best.others:
                best = now
            if best.others <= self.options.quiet:
                break
        assert best is not None
        return Measurement(scenario, number, best.figures, best.others, best.load_core)


def main(arguments: Sequence[str]) -> int:
    """Measures everything and writes the page."""
    options = parse(arguments)
    try:
        if options.build == RELEASE:
            prepare()
        measurements = measure_all(options)
    except ServerError as error:
        say(f"error: {error}")
        return 1
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    results = [asdict(measurement) for measurement in measurements]
    (DIRECTORY / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    if options.page:
        page = bench_page.write(measurements, options, {**VARIABLES, **dict(options.set)})
        PAGE.write_text(page, encoding="utf-8")
        say(f"written: {PAGE.relative_to(REPOSITORY)}")
    print(bench_page.table(measurements))
    wrong = sum(measurement.figures["errors"] for measurement in measurements)
    return 1 if wrong else 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    cores = sorted(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(
        "./run bench",
        description="Measures this plugin, the stock plugin and SQL; writes docs/benchmarks.md.",
    )
    parser.add_argument("--rounds", type=int, default=3, help="how often everything is measured")
    parser.add_argument("--requests", type=int, default=1_000_000, help="lookups of a measurement")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--server-core", type=int, default=cores[0])
    parser.add_argument("--load-core", type=int, default=cores[1 % len(cores)])
    parser.add_argument(
        "--quiet", type=float, default=0.1, help="what others may use, as a share of one core"
    )
    parser.add_argument("--attempts", type=int, default=6, help="until it is that quiet")
    parser.add_argument("--pause", type=float, default=10, help="seconds between attempts")
    parser.add_argument(
        "--build", type=Path, default=RELEASE, help="use what is built there, and build nothing"
    )
    parser.add_argument(
        "--set",
        type=lambda text: tuple(text.split("=", 1)),
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a system variable of both servers",
    )
    parser.add_argument(
        "--no-page", dest="page", action="store_false", help="leave docs/benchmarks.md as it is"
    )
    return parser.parse_args(arguments)


def prepare() -> None:
    """Installs what is needed, and builds."""
    for command in (["scripts/provision", "--for", "bench"], ["bash", "-c", BUILD]):
        environment = {**os.environ, "repository": str(REPOSITORY)}
        if subprocess.run(command, cwd=REPOSITORY, env=environment, check=False).returncode != 0:
            raise ServerError("the benchmark could not be prepared")


def measure_all(options: argparse.Namespace) -> list[Measurement]:
    """Starts the servers and goes through all rounds."""
    with ExitStack() as stack:
        servers = {plugin: start(plugin, options, stack) for plugin in ("ours", "stock")}
        bench = Bench(options, servers)
        for target in ("ours", "stock"):
            with step(f"heating up the server with {target}"):
                bench.run(Scenario(target, 32, 32), HEAT_UP)
        measurements = []
        for number in range(1, options.rounds + 1):
            say(f"round {number} of {options.rounds}")
            measurements += [bench.measure(scenario, number) for scenario in SCENARIOS]
        return measurements


def start(plugin: PluginChoice, options: argparse.Namespace, stack: ExitStack) -> PrivateServer:
    """A server on its core, with its rows. Its plugin is a copy: a build meanwhile is no matter."""
    directory = DIRECTORY / plugin
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    copy = directory / "handlersocket2.so"
    shutil.copyfile(options.build / server_files.PLUGIN_FILE.name, copy)
    variables = {**VARIABLES, **dict(options.set)}
    server = PrivateServer(directory, plugin=plugin, variables=variables, plugin_file=copy)
    with step(f"starting the server with {plugin}"):
        stack.enter_context(server)
    with step(f"filling its test.user with {options.rows:,} rows"):
        sample_table.make(server, options.rows, lambda done: say(f" {done:,} …", end=""))
    bench_machine.pin(server.pid, options.server_core)
    return server


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
