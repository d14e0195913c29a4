"""The section front_ends: clients of Redis and memcached on the rows of a table, beside these two themselves."""

from __future__ import annotations

import ports
from private_server import PrivateServer

from bench import machine, tables, writes
from bench.load import Case
from bench.lookups import COUNT, shape_name
from bench.options import DIRECTORY
from bench.run import Run
from bench.settings import WITH_LOG

SHAPES = ((100, 1), (32, 8), (32, 32), (1, 1))
MULTIGET = f"{COUNT} keys with one command"
HEAT_UP = 2_000_000  # lookups before anything is measured
PROTOCOLS = ("redis", "memcached")
# The servers that are compared when something is stored, by their targets.
STORES = {"redis ours": "ours" + WITH_LOG, "redis ours unlogged": "ours", "redis always": "redis-always"}
STORE_CONNECTIONS = (30, 100)
LOOKED_UP = "line"
STORED = "stored"


def ours(protocol: str) -> str:
    """The target of our port for its clients."""
    return f"{protocol} ours"


def place(protocol: str, server: str = "ours") -> str:
    """The name of that port of a server."""
    return f"{server}-{protocol}"


def store_name(connections: int) -> str:
    """The name of the cases that store a value, so that it is on the disk when it is answered."""
    return f"SET, durable, {connections} connections"


def cases() -> list[Case]:
    """Lookups of one key, and of a hundred with one command, of the same values."""
    keys = ("--workload", "in", "--in", str(COUNT))
    made = []
    for protocol in PROTOCOLS:
        for target, server in ((ours(protocol), place(protocol)), (protocol, "")):
            made += [Case(shape_name(*shape), target, *shape, server=server) for shape in SHAPES]
            made.append(Case(MULTIGET, target, 10, arguments=keys, server=server))
    # What is compared comes close together.
    names = [shape_name(*shape) for shape in SHAPES] + [MULTIGET]
    return sorted(made, key=lambda case: names.index(case.name))


def stores() -> list[Case]:
    """One value each, over one that is there."""
    return [
        Case(
            store_name(connections),
            target,
            connections,
            arguments=("--workload", "update"),
            server=place("redis", server) if server.startswith("ours") else server,
            rows=writes.ROWS,
            writes=True,
        )
        for connections in STORE_CONNECTIONS
        for target, server in STORES.items()
    ]


def front_ends(run: Run) -> None:
    """All of them, and then the ports are closed again."""
    _look_up(run)
    _store(run)


def _look_up(run: Run) -> None:
    database = run.servers.database("ours")
    database.sql(_table(LOOKED_UP))
    database.sql(
        f"INSERT INTO test.{LOOKED_UP} SELECT user_id, CONCAT_WS(CHAR(9), user_name, user_email, created)"
        " FROM test.user"
    )
    tables.settle(database)
    for protocol in PROTOCOLS:
        port = _open(run, database, protocol, "ours")
        load = ("--connections", "32", "--depth", "32", "--rows", str(run.options.rows))
        requests = ("--requests", str(min(HEAT_UP, 4 * run.options.rows)))
        run.servers.hs_bench("--target", protocol, "--port", str(port), *load, *requests)
    run.rounds("front_ends", cases())
    for protocol in PROTOCOLS:
        _close(database, protocol)
    database.sql(f"DROP TABLE test.{LOOKED_UP}")


def _store(run: Run) -> None:
    """Each round has tables of its own, as the section writes has."""
    databases = {name: run.servers.database(name) for name in STORES.values() if name.startswith("ours")}
    for name, database in databases.items():
        _open(run, database, "redis", name)

    def before(case: Case) -> Case:
        name = STORES[case.target]
        if WITH_LOG in name:
            databases[name].sql("RESET MASTER")  # else old logs would fill the disk
        return case

    found = stores()
    run.start(found)
    for number in range(1, run.options.rounds + 1):
        for database in databases.values():
            database.sql(_table(STORED))
            database.sql(
                f"INSERT INTO test.{STORED} SELECT seq, REPEAT('-', 60) FROM test.seq_1_to_{writes.ROWS}"
            )
            tables.settle(database)
        run.round("front_ends", found, number, before)
    for name, database in databases.items():
        _close(database, "redis")
        database.sql(f"DROP TABLE test.{STORED}")
    run.servers.stop("ours" + WITH_LOG)
    run.results.note("front_ends", "sync_us", round(machine.sync_us(DIRECTORY), 1))


def _table(table: str) -> str:
    """A row as the load generator's value has it: one text."""
    return (
        f"CREATE OR REPLACE TABLE test.{table} (user_id INT UNSIGNED PRIMARY KEY, line VARCHAR(400))"
        " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT 'hs: name=user value=line'"
    )


def _variable(protocol: str) -> str:
    return "handlersocket_resp_port" if protocol == "redis" else f"handlersocket_{protocol}_port"


def _open(run: Run, database: PrivateServer, protocol: str, server: str) -> int:
    port = ports.free_port()
    database.sql(f"SET GLOBAL {_variable(protocol)} = '{port}'")
    run.servers.add_port(place(protocol, server), server, port)
    return port


def _close(database: PrivateServer, protocol: str) -> None:
    database.sql(f"SET GLOBAL {_variable(protocol)} = '0'")
