"""./run bench --server SERVER|all: lookups and durable updates on each server, beside its own SQL.

All servers run at once and are measured in turns, so that one can be held against another. Each is bound to
one core and the load generator (hs bench, which checks every answer) to another. With `all` it writes
docs/benchmarks-servers.md, else it prints the tables. Progress goes to stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from statistics import quantiles
from typing import Any

import sample_table
from bench import machine
from bench.about import revision
from private_server import PrivateServer
from run_report import say, step
from server_files import REPOSITORY, SERVERS, ServerError

PAGE = REPOSITORY / "docs/benchmarks-servers.md"
DIRECTORY = REPOSITORY / "build/bench-servers"
HS = REPOSITORY / "build/release/clients/hs/hs"
QUIET = 0.15  # of a core, which other processes may use
SERVER_CORE, LOAD_CORE = 0, 1
WRITTEN = "test.written"  # whose rows the updates change
WRITTEN_ROWS = 100_000
VARIABLES: dict[str, object] = {
    "innodb_buffer_pool_size": "2G",
    "innodb_adaptive_hash_index": "ON",
    "innodb_flush_log_at_trx_commit": 1,
    "log_bin": "binlog",
    "server_id": 1,
    "sync_binlog": 1,
    "max_connections": 300,
    "handlersocket_threads": 1,
    "handlersocket_threads_wr": 1,
}


@dataclass(frozen=True)
class Load:
    """What is measured, on every server."""

    what: str
    is_sql: bool
    workload: str
    connections: int
    depth: int


LOADS = (
    Load("lookups, 100 connections, one at a time on each", False, "find", 100, 1),
    Load("lookups, 32 connections, 32 on the way on each", False, "find", 32, 32),
    Load("lookups by SQL, prepared, 100 connections", True, "find", 100, 1),
    Load("durable updates, 100 connections", False, "update", 100, 1),
    Load("durable updates by SQL, prepared, 100 connections", True, "update", 100, 1),
)
Figures = dict[tuple[str, Load], list[dict[str, Any]]]

TEXT = """\
# Benchmark: the servers beside one another

Written by `./run bench --server all`, {date}, revision {revision}. All figures are of one run, on one machine, in turns: medians of
{rounds} rounds of {seconds:g} s, with the middle half in brackets. Each server has one core, the load generator another. The
same source serves all three; what differs is the server below it. How the port stands beside other ways to the rows is on
[another page](benchmarks.md).

Requests per second:

{rates}

CPU time of the server process for a request, in µs:

{costs}

The port beside the same server's SQL, in requests per second:

{ratios}

{rows:,} rows, all in memory. Updates set one column of {written_rows:,} random rows to values of the same length. The settings of all
servers:

{settings}

{machine}
"""


def serve(rows: int) -> None:
    """The child process: a server of the kind that HS_SERVER names, until this process's input ends."""
    directory = DIRECTORY / os.environ.get("HS_SERVER", SERVERS[0])
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o700, parents=True)
    with PrivateServer(directory, variables=VARIABLES) as server:
        sample_table.make(server, rows, lambda _: None)
        server.sql(f"CREATE TABLE {WRITTEN} LIKE test.user")
        server.sql(f"INSERT INTO {WRITTEN} SELECT * FROM test.user WHERE user_id <= {WRITTEN_ROWS}")
        server.sql("CREATE USER bench@'127.0.0.1'")
        server.sql("GRANT ALL ON test.* TO bench@'127.0.0.1'")
        machine.pin(server.pid, {SERVER_CORE})
        place = {"port": server.port, "port_wr": server.port_wr, "sql_port": server.sql_port, "pid": server.pid}
        version = server.sql("SELECT VERSION()")[0][0]
        print(json.dumps({**place, "version": version}), flush=True)
        sys.stdin.read()
    shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def running(name: str, rows: int) -> Iterator[dict[str, Any]]:
    """Where a server of that kind is."""
    environment = {**os.environ, "HS_SERVER": name} if name != SERVERS[0] else None
    command = [sys.executable, __file__, "--serve", "--server", name, "--rows", str(rows)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdin is not None and child.stdout is not None
    try:
        told = child.stdout.readline()
        if not told:
            raise ServerError(f"{name} could not be started and filled")
        yield json.loads(told)
    finally:
        child.stdin.close()
        child.wait()


def run(load: Load, place: dict[str, Any], rows: int, seconds: float, seed: int) -> dict[str, Any]:
    writes = load.workload == "update"
    port = place["sql_port"] if load.is_sql else place["port_wr" if writes else "port"]
    words = ["--target", "sql", "--prepared", "--user", "bench"] if load.is_sql else ["--target", "hs"]
    words += ["--port", str(port), "--workload", load.workload, "--connections", str(load.connections)]
    words += ["--depth", str(load.depth), "--rows", str(min(rows, WRITTEN_ROWS) if writes else rows), "--seed", str(seed)]
    words += ["--table", WRITTEN if writes else "test.user", "--seconds", str(seconds), "--warm-up", "2000"]
    words += ["--server-pid", str(place["pid"]), "--json", "--quiet"]
    command = ["taskset", "-c", str(LOAD_CORE), str(HS), "bench", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ServerError(f"hs bench has failed: {done.stderr}{done.stdout}")
    figures: dict[str, Any] = json.loads(done.stdout)
    if figures["errors"]:
        raise ServerError(f"hs bench has met errors: {done.stdout}")
    return figures


def measure(places: dict[str, dict[str, Any]], options: argparse.Namespace) -> Figures:
    found: Figures = {(name, load): [] for name in places for load in LOADS}
    for seed in range(options.rounds + 1):
        for load in LOADS:
            for name, place in places.items():
                figures = run(load, place, options.rows, options.seconds, seed)
                if seed != 0:  # the first round heats up
                    found[name, load].append(figures)
        if seed != 0:
            say(f"round {seed} of {options.rounds}")
    return found


def spread(values: Sequence[float], form: str) -> str:
    """The median, and the middle half."""
    low, middle, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return f"{middle:{form}} ({low:{form}}–{high:{form}})"


def table(names: Sequence[str], lines: dict[str, list[str]]) -> str:
    head = ["|  | " + " | ".join(names) + " |", "|---|" + "--:|" * len(names)]
    return "\n".join([*head, *(f"| {what} | " + " | ".join(cells) + " |" for what, cells in lines.items())])


def tables(found: Figures, names: Sequence[str]) -> dict[str, str]:
    """The page's tables, by their names in TEXT."""

    def column(load: Load, figure: str, form: str) -> list[str]:
        return [spread([float(one[figure]) for one in found[name, load]], form) for name in names]

    def beside(load: Load, sql: Load) -> list[str]:
        pairs = {name: zip(found[name, load], found[name, sql]) for name in names}
        return [spread([ours["per_second"] / its["per_second"] for ours, its in pairs[name]], ".2f") for name in names]

    return {
        "rates": table(names, {load.what: column(load, "per_second", ",.0f") for load in LOADS}),
        "costs": table(names, {load.what: column(load, "server_cpu_us", ".2f") for load in LOADS}),
        "ratios": table(
            names,
            {
                LOADS[0].what: beside(LOADS[0], LOADS[2]),
                LOADS[3].what: beside(LOADS[3], LOADS[4]),
            },
        ),
    }


def page(found: Figures, places: dict[str, dict[str, Any]], options: argparse.Namespace) -> str:
    versions = ", ".join(f"{name} is {place['version']}" for name, place in places.items())
    return TEXT.format(
        date=datetime.now(timezone.utc).date().isoformat(),
        revision=revision(),
        rounds=options.rounds,
        seconds=options.seconds,
        rows=options.rows,
        written_rows=WRITTEN_ROWS,
        settings="\n".join(f"    {name} = {value}" for name, value in VARIABLES.items()),
        machine=f"Versions: {versions}. The machine: {'; '.join(machine.describe().values())}.",
        **tables(found, list(places)),
    )


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__.split("\n")[0])
    parser.add_argument("--server", choices=[*SERVERS, "all"], required=True)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the table of lookups (1000000)")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured (5)")
    parser.add_argument("--seconds", type=float, default=1, help="that one measurement takes (1)")
    parser.add_argument("--force", action="store_true", help="measure, and write the page, on a busy machine, too")
    parser.add_argument("--no-page", action="store_true", help="print the tables, write no page")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        serve(options.rows)
        return 0
    names = SERVERS if options.server == "all" else (options.server,)
    try:
        busy = machine.too_busy(QUIET)
        if busy and not options.force:
            raise ServerError(f"{busy}; --force measures all the same")
        with ExitStack() as stack:
            places = {}
            for name in names:
                with step(f"starting {name}"):
                    places[name] = stack.enter_context(running(name, options.rows))
            found = measure(places, options)
    except ServerError as error:
        print(f"bench_servers: {error}", file=sys.stderr)
        return 1
    if options.server == "all" and not options.no_page:
        PAGE.write_text(page(found, places, options), encoding="utf-8")
        say(f"written: {PAGE.relative_to(REPOSITORY)}")
    else:
        print("\n\n".join(tables(found, names).values()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
