"""./run topology NAME --measure: what a durable write costs with each arrangement of its servers.

All servers are on one machine and share its cores: the CPU time of a write carries over to machines of
their own, the rate does not.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

import galera_cluster
import replication
import server_files
from bench.machine import process_seconds
from private_server import PrivateServer
from run_report import show
from server_files import ServerError

HS = server_files.PLUGIN_FILE.parent / "clients/hs/hs"
CONNECTIONS = 30
SECONDS = 10
WARM_UP = 2000  # writes
TABLE = "test.written"  # one of its own, whose rows the updates change
ROWS = 100_000

Wait = Callable[[], None]


def start(server: PrivateServer) -> subprocess.Popen[str]:
    """Updates through the write port, one at a time on each connection."""
    words = ["bench", "--target", "hs", "--port", server.port_wr, "--connections", CONNECTIONS, "--depth", 1]
    words += ["--workload", "update", "--table", TABLE, "--rows", ROWS, "--seconds", SECONDS]
    words += ["--warm-up", WARM_UP, "--json", "--quiet"]
    return subprocess.Popen([str(HS), *map(str, words)], stdout=subprocess.PIPE, text=True)


def end(load: subprocess.Popen[str]) -> dict[str, Any]:
    said, _ = load.communicate()
    if load.returncode != 0:
        raise ServerError(f"hs bench has failed: {said}")
    figures: dict[str, Any] = json.loads(said)
    if figures["errors"]:
        raise ServerError(f"hs bench has met errors: {said}")
    return figures


def row(what: str, written: Sequence[PrivateServer], others: Sequence[PrivateServer], applied: Wait) -> str:
    """Measures one arrangement: a row of the table. `applied` returns when the others have all."""
    before = [sum(process_seconds(server.pid) for server in part) for part in (written, others)]
    found = [end(load) for load in [start(server) for server in written]]
    ended = time.monotonic()
    applied()
    behind = time.monotonic() - ended
    used = [sum(process_seconds(server.pid) for server in part) for part in (written, others)]
    writes = sum(figures["per_second"] for figures in found)
    # With the warm-up, as its CPU time is in what was used, too.
    count = sum(figures["requests"] + WARM_UP for figures in found)
    first, rest = ((now - then) * 1e6 / count for now, then in zip(used, before))
    latency = max(figures["latency_us"]["p99"] for figures in found) / 1000
    theirs = f"{rest:.1f} µs | {behind:.1f} s |" if others else "| |"
    return f"| {what} | {writes:,.0f} | {latency:.1f} ms | {first:.1f} µs | {theirs}"


def make_rows(server: PrivateServer) -> None:
    """On the server, and through it on those that follow it."""
    server.sql("CREATE DATABASE IF NOT EXISTS test")
    server.sql(f"CREATE TABLE {TABLE} LIKE test.user")
    server.sql(
        f"INSERT INTO {TABLE} SELECT seq, CONCAT('user name ', seq), CONCAT('user', seq, '@example.com'), NOW()"
        f" FROM test.seq_1_to_{ROWS}"
    )


def replicas(servers: Sequence[PrivateServer]) -> list[str]:
    primary, *others = servers

    def applied(followers: Sequence[PrivateServer]) -> Wait:
        def wait() -> None:
            position = primary.sql("SELECT @@GLOBAL.gtid_binlog_pos")[0][0]
            for one in followers:
                replication.wait_until_applied(one, position)

        return wait

    make_rows(primary)
    applied(others)()
    found = []
    for count, semi_sync in ((0, False), (1, False), (2, False), (2, True)):
        primary.sql(f"SET GLOBAL rpl_semi_sync_master_enabled = {int(semi_sync)}")
        for number, one in enumerate(others):
            one.sql("STOP SLAVE")
            one.sql(f"SET GLOBAL rpl_semi_sync_slave_enabled = {int(semi_sync)}")
            if number < count:
                one.sql("START SLAVE")
        applied(others[:count])()
        what = f"a primary with {count or 'no'} replica{'s' if count > 1 else ''}"
        what += ", semi-sync" if semi_sync else ""
        found.append(row(what, [primary], others[:count], applied(others[:count])))
    return found


def galera(servers: Sequence[PrivateServer]) -> list[str]:
    first, *others = servers

    def applied() -> None:
        galera_cluster.wait_until_applied(servers)

    make_rows(first)
    applied()
    found = [row("three nodes of a Galera cluster, writes to one", [first], others, applied)]
    for one in others:
        one.stop()
    galera_cluster.wait_for(first, "wsrep_cluster_size", "1")
    found.append(row("one node of a Galera cluster alone", [first], [], lambda: None))
    return found


def shards(servers: Sequence[PrivateServer]) -> list[str]:
    for server in servers:
        make_rows(server)
    return [
        row("one shard, without a binary log", servers[:1], [], lambda: None),
        row("two shards at once, without a binary log", servers, [], lambda: None),
    ]


def spider(servers: Sequence[PrivateServer]) -> list[str]:
    front, *behind = servers
    for server in behind:
        make_rows(server)
    definition = front.sql("SHOW CREATE TABLE test.user")[0][1]
    definition = definition.replace("`user`", TABLE, 1).replace('table "user"', f'table "{TABLE.split(".")[1]}"')
    front.sql(definition)
    return [row("two shards behind Spider, writes through it", [front], behind, lambda: None)]


MEASURE = {"replicas": replicas, "galera": galera, "shards": shards, "spider": spider}


def measure(name: str, servers: Sequence[PrivateServer]) -> None:
    """Prints the table of docs/scaling.md for one topology."""
    if not HS.exists():
        raise ServerError(f"{HS} has not been built")
    show(f"{CONNECTIONS} connections update rows by their keys for {SECONDS} s, one at a time on each, for each line")
    show("| | Writes per second | p99 | CPU of the written server for each | CPU of all others | Later there |")
    show("|---|--:|--:|--:|--:|--:|")
    for line in MEASURE[name](servers):
        show(line)
