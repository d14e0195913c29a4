"""Many clients of three nodes change the same rows, and every change that was acknowledged is there once."""

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
from galera_cluster import Cluster, status
from hs_client import Client, line
from private_server import PrivateServer

pytestmark = pytest.mark.usefixtures("database")
CLIENTS = 6
INTERRUPTED = b"1\t1\tinterrupted"
DEADLOCK = b"1\t1\tsql_1213"
CERTIFYING = "Waiting for certification"


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


def run(
    seconds: float,
    jobs: list[Callable[[Callable[[], bool]], None]],
    enough: Callable[[], bool] = lambda: True,
) -> None:
    """For the time, and until there was enough of what the storm is for."""
    end = time.monotonic() + seconds
    latest = end + 120

    def goes_on() -> bool:
        now = time.monotonic()
        return now < end or (now < latest and not enough())

    threads = [threading.Thread(target=job, args=(goes_on,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + 240)
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
    aborts = [int(status(node, "wsrep_local_bf_aborts")) for node in cluster.nodes]
    sql = [lambda goes_on, node=node: add_by_sql(node, goes_on, out, seed) for node in cluster.nodes]
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


def test_a_node_that_loses_the_others_during_commits_calls_nothing_undone_that_they_commit(
    cluster: Cluster, seconds: float, seed: int
) -> None:
    """Connections that wait for such a commit are closed: its outcome is not known."""
    out = Outcome()
    third = cluster.nodes[2]
    losses = 0

    def is_ready() -> bool:
        return status(third, "wsrep_ready") == "ON"

    def lose_the_others(goes_on: Callable[[], bool]) -> None:
        nonlocal losses
        while goes_on():
            third.sql("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'")
            while is_ready():
                pass
            third.sql("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'")
            while not is_ready():
                pass
            losses += 1

    def write_on(node: PrivateServer, who: int, goes_on: Callable[[], bool]) -> None:
        while goes_on():
            write(node, who, goes_on, out, seed)
            who += CLIENTS

    def write_on_all(who: int) -> Callable[[Callable[[], bool]], None]:
        return lambda goes_on: write_on(cluster.nodes[who % len(cluster.nodes)], who, goes_on)

    run(
        seconds,
        [lose_the_others, *(write_on_all(who) for who in range(CLIENTS))],
        lambda: bool(out.faults) or losses > 3,
    )
    assert losses > 3
    check(cluster, out)
    refusals = {b"sql_1047", b"lock_tables", b"sql_1180", b"sql_1213"}
    assert {error.split()[2] for error in out.errors} <= refusals


RUNNING = (
    "SELECT id, state FROM information_schema.processlist"
    " WHERE user = 'handlersocket' AND command = 'Query' AND info REGEXP '^(insert|update) hs'"
)


def kill(node: PrivateServer, goes_on: Callable[[], bool], killed: Counter[str]) -> None:
    """Kills what changes the tables, in whatever state it is. `killed`: how many in each state."""
    with node.connect() as connection, connection.cursor() as cursor:
        while goes_on():
            cursor.execute(RUNNING)
            for session, state in cursor.fetchall():
                with suppress(pymysql.OperationalError):  # it has ended by itself
                    cursor.execute(f"KILL QUERY {session}")
                    killed[state] += 1
            cursor.execute("SELECT SLEEP(0.01)")  # or nothing else would be done


@pytest.mark.parametrize("draw", range(3))
def test_ddl_and_kills_lose_nothing(cluster: Cluster, seconds: float, seed: int, draw: int) -> None:
    out, killed = Outcome(), Counter[str]()
    ddl = [lambda goes_on: alter(cluster.nodes[0], goes_on, seed + draw)]
    kills = [lambda goes_on, node=node: kill(node, goes_on, killed) for node in cluster.nodes]
    run(
        seconds,
        [*writers(cluster, out, seed + draw), *ddl, *kills],
        lambda: out.errors[INTERRUPTED] > 0 and killed[CERTIFYING] > 0,
    )
    check(cluster, out)
    # A request is tried three times where a KILL and another node's transaction end it together.
    assert {reply.split(b" ")[0] for reply in out.errors} <= {INTERRUPTED, b"1\t1\tlock_tables", DEADLOCK}, out.errors
    assert out.errors[INTERRUPTED] > 0 and killed[CERTIFYING] > 0, killed


def test_ddl_of_one_node_alone_ends_under_load(cluster: Cluster, seconds: float, seed: int) -> None:
    """Its node commits nothing meanwhile, and it waits for the tables of what would commit."""
    out = Outcome()
    first = cluster.nodes[0]

    def rebuild(goes_on: Callable[[], bool]) -> None:
        with first.connect(database="hs") as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION wsrep_OSU_method = RSU")
            while goes_on():
                cursor.execute("ALTER TABLE t FORCE")

    first.sql("SET GLOBAL handlersocket_wrlock_timeout = 1")
    try:
        run(seconds, [*writers(cluster, out, seed), rebuild])
    finally:
        first.sql("SET GLOBAL handlersocket_wrlock_timeout = DEFAULT")
    check(cluster, out)
    assert set(out.errors) <= {b"1\t1\tlock_tables"}


@pytest.mark.parametrize("victim", [0, 1, 2])
def test_a_node_that_is_killed_loses_nothing_acknowledged(
    cluster: Cluster, seconds: float, seed: int, victim: int
) -> None:
    out = Outcome()
    node = cluster.nodes[victim]
    killed_after = time.monotonic() + seconds / 2

    def end(goes_on: Callable[[], bool]) -> None:
        while time.monotonic() < killed_after:
            time.sleep(0.01)
        node.kill9()

    run(seconds, [*writers(cluster, out, seed), end])
    assert not out.errors
    cluster.start_again(node)
    check(cluster, out)


def add_and_ask(node: PrivateServer, row: int, goes_on: Callable[[], bool], out: Outcome) -> None:
    """Each change has a GTID that comes behind those of the client's changes before."""
    last = 0
    try:
        with Client(node.port_wr, timeout_s=120) as client:
            client.open("hs.gaps", ["v"], "k")
            while goes_on():
                answer = client.request(1, "=", 1, 10 * row, 1, 0, "+", 1)
                # On a machine that is slow it gives way until its time is over.
                if answer.startswith((b"1\t1\tsql_1205", b"1\t1\tsql_1213")):
                    continue
                assert answer == b"0\t1\t1"
                out.added[row] += 1
                number = int(client.request("G", "L").rpartition(b"-")[2])
                assert number > last, (number, last)
                last = number
    except BaseException as fault:
        out.faults.append(fault)


def fill_gaps(node: PrivateServer, goes_on: Callable[[], bool]) -> None:
    with node.connect(database="hs") as connection, connection.cursor() as cursor:
        while goes_on():
            with suppress(pymysql.MySQLError):
                cursor.execute("INSERT INTO gaps (k, v) VALUES (9, 0), (11, 0), (19, 0), (21, 0), (29, 0)")


def test_a_change_that_the_server_has_executed_again_has_its_gtid(
    cluster: Cluster, seconds: float
) -> None:
    """It does so with one that was certified and then has to give way, for the gap that it has locked."""
    out = Outcome()
    first, second, _ = cluster.nodes
    first.sql(
        "CREATE TABLE hs.gaps (id BIGINT AUTO_INCREMENT PRIMARY KEY, k INT NOT NULL, v BIGINT NOT NULL, KEY (k))"
    )
    first.sql("INSERT INTO hs.gaps (k, v) VALUES (10, 0), (20, 0), (30, 0)")
    cluster.wait_until_applied()

    def replays() -> int:
        return int(status(first, "wsrep_local_replays"))

    before = replays()
    asks = [lambda goes_on, row=row: add_and_ask(first, row, goes_on, out) for row in (1, 2, 3) * 2]
    run(
        seconds,
        [*asks, *(lambda goes_on: fill_gaps(second, goes_on) for _ in range(3))],
        lambda: bool(out.faults) or replays() > before + 10,
    )
    assert not out.faults
    assert replays() > before + 10
    cluster.wait_until_applied()
    for node in cluster.nodes:
        stored = dict(node.sql("SELECT k DIV 10, v FROM hs.gaps WHERE k IN (10, 20, 30)"))
        assert stored == dict(out.added)
