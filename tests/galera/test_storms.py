"""Many clients of two nodes change the same rows, and every change that was acknowledged is there once."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import pymysql
import pytest
from cluster import Cluster, status
from hs_client import Client, line
from private_server import PrivateServer

pytestmark = pytest.mark.usefixtures("database")
CLIENTS = 6


@dataclass
class Outcome:
    """What clients were told. `unknown`: of requests whose reply did not come."""

    added: Counter[int] = field(default_factory=Counter)
    unknown: Counter[int] = field(default_factory=Counter)
    logged: set[tuple[int, int]] = field(default_factory=set)
    perhaps_logged: set[tuple[int, int]] = field(default_factory=set)
    errors: Counter[bytes] = field(default_factory=Counter)
    faults: list[BaseException] = field(default_factory=list)


Requests = list[tuple[bytes, int, int]]  # the line; which row is added to, or 0; the log's number


def drawn(draw: random.Random, who: int, first: int) -> Requests:
    made: Requests = []
    for number in range(first, first + draw.choice((1, 1, 3, 8))):
        row = draw.choice((0, 0, 1, 2, 3))
        text = line(1, "=", 1, row, 1, 0, "+", 1) if row else line(2, "+", 2, who, number)
        made.append((text, row, number))
    return made


def write(node: PrivateServer, who: int, goes_on: Callable[[], bool], out: Outcome, seed: int) -> None:
    draw = random.Random(seed * 1000 + who)
    number = 0
    pending: Requests = []
    try:
        with Client(node.port_wr, timeout_s=120) as client:
            client.open("hs.t", ["v"])
            client.request("P", 2, "hs", "log", "PRIMARY", "who,n")
            while goes_on():
                pending = drawn(draw, who, number)
                number += len(pending)
                client.send(b"".join(text for text, _, _ in pending))
                while pending:
                    note(out, who, client.read_line(), *pending[0][1:])
                    pending.pop(0)
    except (OSError, EOFError):  # the node was killed
        for _, row, value in pending:
            if row:
                out.unknown[row] += 1
            else:
                out.perhaps_logged.add((who, value))
    except BaseException as fault:
        out.faults.append(fault)


def note(out: Outcome, who: int, reply: bytes, row: int, number: int) -> None:
    if not reply.startswith(b"0\t"):
        out.errors[reply] += 1
    elif row:
        assert reply == b"0\t1\t1"
        out.added[row] += 1
    else:
        out.logged.add((who, number))


def add_by_sql(node: PrivateServer, goes_on: Callable[[], bool], out: Outcome, seed: int) -> None:
    draw = random.Random(seed)
    connection = node.connect(database="hs")
    connection.autocommit(True)
    with connection, connection.cursor() as cursor:
        while goes_on():
            row = draw.choice((1, 2, 3))
            try:
                cursor.execute("UPDATE t SET v = v + 1 WHERE id = %s", [row])
                out.added[row] += 1
            except pymysql.MySQLError:
                pass


def run(seconds: float, jobs: list[Callable[[Callable[[], bool]], None]]) -> None:
    end = time.monotonic() + seconds
    threads = [threading.Thread(target=job, args=(lambda: time.monotonic() < end,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 120)
        assert not thread.is_alive(), "somebody waits without end"


def check(cluster: Cluster, out: Outcome) -> None:
    assert not out.faults
    cluster.wait_until_applied()
    sums = [node.sql("CHECKSUM TABLE hs.t, hs.log") for node in cluster.nodes]
    assert sums.count(sums[0]) == len(sums)
    for row, value in cluster.nodes[0].sql("SELECT id, v FROM hs.t"):
        assert out.added[row] <= value <= out.added[row] + out.unknown[row]
    there = set(cluster.nodes[0].sql("SELECT who, n FROM hs.log"))
    assert out.logged <= there <= out.logged | out.perhaps_logged


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> float:
    return float(request.config.getoption("--seconds"))


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--seed"))


def writers(cluster: Cluster, out: Outcome, seed: int) -> Iterator[Callable[[Callable[[], bool]], None]]:
    for who in range(CLIENTS):
        node = cluster.nodes[who % len(cluster.nodes)]
        yield lambda goes_on, node=node, who=who: write(node, who, goes_on, out, seed)


def test_transactions_that_give_way_are_executed_again(
    cluster: Cluster, seconds: float, seed: int
) -> None:
    out = Outcome()
    first, second = cluster.nodes
    aborts = [int(status(node, "wsrep_local_bf_aborts")) for node in cluster.nodes]
    sql = [lambda goes_on, node=node: add_by_sql(node, goes_on, out, seed) for node in (first, second)]
    run(seconds, [*writers(cluster, out, seed), *sql])
    check(cluster, out)
    assert not out.errors
    assert sum(int(status(node, "wsrep_local_bf_aborts")) for node in cluster.nodes) > sum(aborts)


def alter(node: PrivateServer, goes_on: Callable[[], bool], seed: int) -> None:
    draw = random.Random(seed)
    connection = node.connect(database="hs")
    with connection, connection.cursor() as cursor:
        for number in iter(int, 1):
            if not goes_on():
                return
            cursor.execute(
                draw.choice(
                    [
                        f"ALTER TABLE t ADD x{time.monotonic_ns()} INT",
                        f"ALTER TABLE log COMMENT '{number}'",
                        "ALTER TABLE t FORCE",
                        "OPTIMIZE TABLE log",
                    ]
                )
            )
            cursor.execute("SELECT SLEEP(0.2)")


def kill(nodes: list[PrivateServer], goes_on: Callable[[], bool]) -> None:
    while goes_on():
        for node in nodes:
            for (session,) in node.sql(
                "SELECT id FROM information_schema.processlist"
                " WHERE user = 'handlersocket' AND state LIKE '%hs-wr%'"
            ):
                with suppress(pymysql.OperationalError):  # it has ended by itself
                    node.sql(f"KILL QUERY {session}")


def test_ddl_and_kills_lose_nothing(cluster: Cluster, seconds: float, seed: int) -> None:
    out = Outcome()
    ddl = [lambda goes_on: alter(cluster.nodes[0], goes_on, seed)]
    kills = [lambda goes_on: kill(cluster.nodes, goes_on)]
    run(seconds, [*writers(cluster, out, seed), *ddl, *kills])
    check(cluster, out)
    assert set(out.errors) <= {b"1\t1\tinterrupted", b"1\t1\tlock_tables"}, out.errors


@pytest.mark.parametrize("victim", [0, 1])
def test_a_node_that_is_killed_loses_nothing_acknowledged(
    cluster: Cluster, seconds: float, seed: int, victim: int
) -> None:
    out = Outcome()
    node, other = cluster.nodes[victim], cluster.nodes[1 - victim]
    # With two nodes, the one that is left may not go on by itself otherwise.
    other.sql("SET GLOBAL wsrep_provider_options = 'pc.weight=2'")
    killed_after = time.monotonic() + seconds / 2

    def end(goes_on: Callable[[], bool]) -> None:
        while time.monotonic() < killed_after:
            time.sleep(0.01)
        node.kill9()

    run(seconds, [*writers(cluster, out, seed), end])
    assert status(other, "wsrep_cluster_status") == "Primary"
    cluster.start_again(node)
    other.sql("SET GLOBAL wsrep_provider_options = 'pc.weight=1'")
    check(cluster, out)
