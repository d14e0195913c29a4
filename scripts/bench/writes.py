"""The section writes: durable inserts and updates, with the binary log and without."""

from __future__ import annotations

from bench import machine, tables
from bench.load import Case
from bench.options import DIRECTORY
from bench.run import Run
from bench.servers import PLUGINS, WITH_LOG

TABLE = "test.written"
ROWS = 100_000
CONNECTIONS = (1, 30, 100)
LOGGED = ("ours", "sql prepared", "sql text", "stock")
NOT_LOGGED = ("ours", "stock", "sql prepared")


def case_name(workload: str, log: str, connections: int) -> str:
    """The name of the cases that are compared; `log` is on or off."""
    noun = "connection" if connections == 1 else "connections"
    return f"{workload}, binary log {log}, {connections} {noun}"


def _cases(log: str) -> list[Case]:
    found = []
    for workload in ("insert", "update"):
        for connections in CONNECTIONS:
            for target in LOGGED if log == "on" else NOT_LOGGED:
                server = "stock" if target == "stock" else "ours"
                case = Case(
                    case_name(workload, log, connections),
                    target,
                    connections,
                    arguments=("--workload", workload, "--table", TABLE),
                    server=server + (WITH_LOG if log == "on" else ""),
                    rows=ROWS,
                    writes=True,
                )
                found.append(case)
    return found


def writes(run: Run) -> None:
    """All cases. Each begins with the same rows in a table that was just made."""

    def before(case: Case) -> Case:
        server = run.servers.database(case.place)
        tables.create(server, TABLE, ROWS)
        if case.place.endswith(WITH_LOG):
            server.sql("RESET MASTER")  # else old logs would fill the disk
        return case

    for log in ("on", "off"):
        run.rounds("writes", _cases(log), before)
        run.results.note("writes", "sync_us", round(machine.sync_us(DIRECTORY), 1))
    for name in PLUGINS:
        run.servers.stop(name + WITH_LOG)
        tables.drop(run.servers.database(name), TABLE)
