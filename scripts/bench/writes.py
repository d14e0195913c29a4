"""The section writes: durable inserts, updates, upserts and transactions, with the binary log and
without."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from private_server import PrivateServer

from bench import floors, machine, tables
from bench.load import Case
from bench.options import DIRECTORY
from bench.run import Before, Run
from bench.servers import PLUGINS
from bench.settings import DEFAULT, SLOW, WITH_LOG

TABLE = "test.written"
ROWS = 100_000
CONNECTIONS = (1, 30, 100)
UPSERTS = 30  # connections
TRANSACTIONS = 30
SQL = ("sql prepared", "sql text")
LOGGED = ("ours", "ours default", *SQL, "stock")
NOT_LOGGED = ("ours", "stock", "sql prepared")


def case_name(workload: str, log: str, connections: int) -> str:
    """The name of the cases that are compared; `log` is on or off."""
    noun = "connection" if connections == 1 else "connections"
    return f"{workload}, binary log {log}, {connections} {noun}"


def case(workload: str, log: str, connections: int, target: str, *, slow: bool = False) -> Case:
    """One of them. `slow`: on a server whose syncs take longer."""
    server = "stock" if target == "stock" else "ours"
    server += (WITH_LOG if log == "on" else "") + (SLOW if slow else "")
    return Case(
        case_name(workload, log, connections),
        target,
        connections,
        arguments=("--workload", workload, "--table", TABLE),
        server=server + (DEFAULT if target == "ours default" else ""),
        # The first upserts of a row insert it as often as not.
        rows=2 * ROWS if workload == "upsert" else ROWS,
        writes=True,
    )


def cases(log: str, targets: Sequence[str], *, slow: bool = False) -> list[Case]:
    """All with the binary log on, or off."""
    return [
        case(workload, log, connections, target, slow=slow)
        for workload in ("insert", "update")
        for connections in CONNECTIONS
        for target in targets
    ]


def inside(*, slow: bool = False) -> list[Case]:
    """The same on the null server inside, with the binary log on: what many connections can get."""
    many = [(workload, n) for workload in ("insert", "update") for n in CONNECTIONS[1:]]
    return [
        replace(case(workload, "on", connections, "ours", slow=slow), target=floors.INSIDE)
        for workload, connections in [*many, ("upsert", UPSERTS)]
    ]


def upserts(*, slow: bool = False) -> list[Case]:
    """Against INSERT … ON DUPLICATE KEY UPDATE, with the binary log."""
    return [case("upsert", "on", UPSERTS, target, slow=slow) for target in ("ours", *SQL)]


def transactions(*, slow: bool = False) -> list[Case]:
    """Of a begin, two finds, an update and a commit, in one round trip; SQL's has five."""
    return [case("transaction", "on", TRANSACTIONS, target, slow=slow) for target in ("ours", *SQL)]


def fresh(run: Run) -> Before:
    """What each case needs before it. The first one on a server makes the table anew.

    Each case of upserts does, too: those of the one before have inserted rows.
    """
    made = set()

    def before(one: Case) -> Case:
        server = run.servers.database(one.place)
        if one.place not in made or "upsert" in one.arguments:
            tables.create(server, TABLE, ROWS)
            _lengthen(server)
            made.add(one.place)
        if WITH_LOG in one.place:
            server.sql("RESET MASTER")  # else old logs would fill the disk
        if "insert" not in one.arguments:
            return one
        return replace(one, arguments=(*one.arguments, "--first-key", str(next_key(server))))

    return before


def _lengthen(server: PrivateServer) -> None:
    """Makes each email as long as updates make it.

    Else rows would grow in the first updates alone, whose pages must be split.
    """
    email = f"CONCAT('user', user_id, '+{time.time_ns()}@example.com')"
    server.sql(f"SET STATEMENT sql_log_bin = 0 FOR UPDATE {TABLE} SET user_email = {email}")


def next_key(server: PrivateServer) -> int:
    """Behind the last id of the table."""
    return int(server.sql(f"SELECT MAX(user_id) FROM {TABLE}")[0][0]) + 1


def rounds(
    run: Run, section: str, found: Sequence[Case], floor: Sequence[Case] = ()
) -> None:
    """Measures the cases in turns, in tables that are made anew in each round.

    `floor`: those on the null server inside.
    """
    run.start(found)
    for number in range(1, run.options.rounds + 1):
        before = fresh(run)
        run.round(section, found, number, before)
        floors.measure_inside(run, section, number, floor, before)


def stop(run: Run, found: Iterable[Case]) -> None:
    """Ends the servers that only these cases use, and drops the table in the others."""
    for name in {one.place for one in found}:
        if name in PLUGINS:
            tables.drop(run.servers.database(name), TABLE)
        else:
            run.servers.stop(name)


def writes(run: Run) -> None:
    """On the disk as it is."""
    for log, targets in (("on", LOGGED), ("off", NOT_LOGGED)):
        found = cases(log, targets) + (upserts() + transactions() if log == "on" else [])
        rounds(run, "writes", found, inside() if log == "on" else ())
        stop(run, found)
    run.results.note("writes", "sync_us", round(machine.sync_us(DIRECTORY), 1))
