"""What figures are held against inside the server: the handler calls in a loop (tools/floor)."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from private_server import PrivateServer

from bench.load import Measurement
from bench.machine import Usage
from bench.run import Run

LIBRARY = "hs_floor.so"
FUNCTIONS = ("hs_floor", "hs_floor_insert", "hs_floor_update")
TARGET = "floor"


def measure(
    run: Run,
    section: str,
    number: int,
    case: str,
    function: str,
    numbers: Sequence[int],
    table: str = "test.user",
    server: str = "ours",
    disk_work: float = 0.0,
) -> None:
    """Calls one of the functions and keeps what it says. The first of `numbers`: how many calls.

    `disk_work`: the part of a core that the kernel may use for the disk meanwhile.
    """
    database = run.servers.database(server)
    _load(run, database)
    name = table.partition(".")[2]
    statement = f"SELECT {function}({', '.join(map(str, numbers))}, '{name}')"

    def take() -> Measurement:
        before = Usage.now(run.servers.pids())
        microseconds = float(database.sql(statement)[0][0])
        usage = Usage.now(run.servers.pids()) - before
        figures = {
            "server_cpu_us": microseconds,
            "per_second": numbers[0] / usage.elapsed,
            "requests": numbers[0],
            "errors": 0,
        }
        others = round(usage.others / usage.elapsed, 3)
        return Measurement(case, TARGET, 0, 0, number, figures, [statement], others, 0)

    run.quietest(section, take, run.options.quiet + disk_work)


def _load(run: Run, server: PrivateServer) -> None:
    """Makes the functions known to a server. First drops them: then the old library is not mapped."""
    for function in FUNCTIONS:
        server.sql(f"DROP FUNCTION IF EXISTS {function}")
    shutil.copyfile(
        run.options.build / "tools/floor" / LIBRARY, server.directory / "plugins" / LIBRARY
    )
    for function in FUNCTIONS:
        server.sql(f"CREATE FUNCTION {function} RETURNS REAL SONAME '{LIBRARY}'")
