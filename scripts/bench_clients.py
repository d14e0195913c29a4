#!/usr/bin/python3
"""./run bench-clients: measures each language's client beside its driver for SQL and its client of
Redis, and writes docs/benchmarks-clients.md. Progress goes to stderr."""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from bench import clients_page, machine, processes
from bench.clients import LANGUAGES
from bench.clients_page import SHAPES, TARGETS
from private_server import PrivateServer
from run_report import say, step
from server_files import REPOSITORY, ServerError

PAGE = REPOSITORY / "docs/benchmarks-clients.md"
QUIET = 0.15  # of a core, which other processes may use
VARIABLES = {
    "handlersocket_threads": 2,
    "innodb_buffer_pool_size": "256M",
    "innodb_adaptive_hash_index": True,
    "innodb_adaptive_hash_index_parts": 2,
}
TABLE = "CREATE TABLE test.pairs (id INT UNSIGNED PRIMARY KEY, value VARCHAR(60) NOT NULL)"
FILL = "INSERT INTO test.pairs SELECT seq, LPAD(seq, 60, '0') FROM seq_1_to_{rows}"
LONGEST_S = 60  # that a program may take more than it measures


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser("./run bench-clients", description=__doc__)
    parser.add_argument("--language", action="append", choices=LANGUAGES, help="these, keep others")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--force", action="store_true", help="measure on a busy machine, too")
    parser.add_argument("--page-only", action="store_true", help="measure nothing")
    parser.add_argument("--page", type=Path, default=PAGE, help="beside it goes its .json")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Measures, unless only the page is asked for, and writes it."""
    options = parse(arguments)
    kept = options.page.with_suffix(".json")
    try:
        if not options.page_only:
            busy = machine.too_busy(QUIET)
            if busy and not options.force:
                raise ServerError(f"{busy}; --force measures all the same")
            measured = measure(options, load(kept))
            kept.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
        results = load(kept)
        if not results["languages"]:
            raise ServerError(f"nothing has been measured: {kept} is not there")
        options.page.write_text(clients_page.text(results), encoding="utf-8")
    except ServerError as error:
        print(f"bench_clients: {error}", file=sys.stderr)
        return 1
    say(f"written: {options.page}")
    return 0


def load(kept: Path) -> dict[str, Any]:
    """What was measured before; nothing if there is no file."""
    if not kept.exists():
        return {"languages": {}}
    results: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
    return results


def measure(options: argparse.Namespace, results: dict[str, Any]) -> dict[str, Any]:
    """All rounds of the languages, in the place of what was known of them."""
    names = options.language or list(LANGUAGES)
    for name in names:
        with step(f"building the program for {LANGUAGES[name].name}"):
            LANGUAGES[name].prepare(name)
    with ExitStack() as stack:
        server = stack.enter_context(PrivateServer(variables=VARIABLES))
        directory = server.directory / "redis"
        redis = stack.enter_context(processes.running("redis", directory, directory, 0))
        fill(server, redis.port, options.rows)
        ports = {"hs": server.port, "floor": server.port, "sql": server.sql_port}
        ports["redis"] = redis.port
        server_core, load_core = sorted(os.sched_getaffinity(0))[:2]
        for pid in (server.pid, redis.pid):
            machine.pin(pid, {server_core})
        os.sched_setaffinity(0, {load_core})  # and so the programs
        found = {name: measure_language(name, ports, options) for name in names}
        version = str(server.sql("SELECT VERSION()")[0][0])
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "rounds": options.rounds,
        "seconds": options.seconds,
        "rows": options.rows,
        "machine": {**machine.describe(), "MariaDB": version},
        "languages": dict(sorted({**results["languages"], **found}.items())),
    }


def fill(server: PrivateServer, redis_port: int, rows: int) -> None:
    """The same pairs in both."""
    server.sql("CREATE DATABASE IF NOT EXISTS test")
    server.sql(TABLE)
    server.sql(FILL.format(rows=rows), database="test")
    server.sql("CREATE USER bench@'127.0.0.1'")
    server.sql("GRANT SELECT ON test.* TO bench@'127.0.0.1'")
    with socket.create_connection(("127.0.0.1", redis_port)) as redis:
        answers = redis.makefile("rb")
        for key in range(1, rows + 1):
            redis.sendall(f"SET {key} {key:060}\r\n".encode())
            if answers.readline() != b"+OK\r\n":
                raise ServerError("Redis does not take a value")


def measure_language(
    name: str, ports: dict[str, int], options: argparse.Namespace
) -> dict[str, list[dict[str, Any]]]:
    """By shape the rounds, each with all targets, in an order drawn by lot."""
    rounds: dict[str, list[dict[str, Any]]] = {shape: [] for shape in SHAPES}
    order = random.Random(1)
    for number in range(options.rounds):
        say(f"{LANGUAGES[name].name}: round {number + 1} of {options.rounds}")
        for shape in SHAPES:
            targets = order.sample(TARGETS, len(TARGETS))
            rounds[shape].append(
                {each: run(name, each, shape, ports[each], options) for each in targets}
            )
    return rounds


def run(
    name: str, target: str, shape: str, port: int, options: argparse.Namespace
) -> dict[str, float]:
    """The figures of one program. Raises when it fails, or an answer is wrong."""
    language = LANGUAGES[name]
    command = [*language.command, target, shape, str(port), str(options.rows), str(options.seconds)]
    done = subprocess.run(
        command,
        env={**os.environ, "HS_OPTION_FILE": "/dev/null", **language.environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=options.seconds + LONGEST_S,
    )
    if done.returncode != 0:
        raise ServerError(f"{' '.join(command)} failed", done.stderr[-2000:])
    figures: dict[str, float] = json.loads(done.stdout)
    if figures.pop("wrong"):
        raise ServerError(f"{' '.join(command)} has wrong answers")
    return figures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
