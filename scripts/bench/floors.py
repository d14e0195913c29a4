"""What figures are held against inside the server: the handler calls (tools/floor)."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import ports
from private_server import PrivateServer
from server_files import ServerError

from bench import load
from bench.load import Case, Measurement, Place
from bench.machine import Usage
from bench.run import DISK_WORK, Before, Run, nothing

LIBRARY = "hs_floor.so"
SERVE, SERVE_WRITES = "hs_floor_serve", "hs_floor_serve_writes"
FUNCTIONS = ("hs_floor", "hs_floor_insert", SERVE, SERVE_WRITES, "hs_floor_update")
TARGET = "floor"
INSIDE = "null inside"
PATIENCE_SECONDS = 10  # that the null server inside waits for a client


def measure(
    run: Run,
    section: str,
    number: int,
    case: str,
    function: str,
    numbers: Callable[[], Sequence[int]],
    table: str = "test.user",
    server: str = "ours",
    disk_work: float = 0.0,
) -> None:
    """Calls one of the functions and keeps what it says. The first of `numbers`: how many calls.

    They are asked for before each attempt: one that inserts needs new keys.

    `disk_work`: the part of a core that the kernel may use for the disk meanwhile.
    """
    database = run.servers.database(server)
    _load(run, database)
    name = table.partition(".")[2]

    def take() -> Measurement:
        called = numbers()
        statement = f"SELECT {function}({', '.join(map(str, called))}, '{name}')"
        before = Usage.now(run.servers.pids())
        microseconds = database.sql(statement)[0][0]
        if microseconds is None:
            raise ServerError(f"{statement} failed: a row was missing, or there already")
        usage = Usage.now(run.servers.pids()) - before
        figures = {
            "server_cpu_us": float(microseconds),
            "per_second": called[0] / usage.elapsed,
            "requests": called[0],
            "errors": 0,
        }
        others = round(usage.others / usage.elapsed, 3)
        return Measurement(case, TARGET, 0, 0, number, figures, [statement], others, 0)

    run.quietest(section, take, run.options.quiet + disk_work)


def measure_inside(
    run: Run, section: str, number: int, cases: Sequence[Case], before: Before = nothing
) -> None:
    """The null server with the handler calls, inside the server that the cases name.

    Inserts and updates as well: with the binary log, and one commit for all connections.
    """
    for name in {case.place for case in cases}:
        _load(run, run.servers.database(name))

    def take(case: Case) -> Measurement:
        ready = before(case)
        usual = run.servers.place(case.place)
        with _serving(run.servers.database(case.place), writes=case.writes) as port:
            place = Place(usual.pid, port, port, pinned=usual.pinned)
            return load.measure(ready, place, number, run.options, run.servers.pids())

    for case in cases:
        limit = run.options.quiet + (DISK_WORK if case.writes else 0)
        run.quietest(section, partial(take, case), limit)


@contextmanager
def _serving(database: PrivateServer, *, writes: bool) -> Iterator[int]:
    """The port of the null server inside, which ends when its clients have gone."""
    port = ports.free_port()
    found: list[object] = []
    function, table = (SERVE_WRITES, "written") if writes else (SERVE, "user")
    statement = f"SELECT {function}({port}, {PATIENCE_SECONDS}, 1, 0, '{table}')"
    server = threading.Thread(target=lambda: found.extend(database.sql(statement)[0]))
    server.start()
    try:
        _wait_for(port)
        yield port
    finally:
        server.join()
    if found in ([], [None]):
        raise ServerError(f"the null server inside failed: {statement}")


def _wait_for(port: int) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if ports.accepts("127.0.0.1", port):
            return
        time.sleep(0.01)
    raise ServerError(f"the null server inside does not listen on port {port}")


def _load(run: Run, server: PrivateServer) -> None:
    """Makes the functions known to a server. First drops them: then the old library is not mapped."""
    for function in FUNCTIONS:
        server.sql(f"DROP FUNCTION IF EXISTS {function}")
    shutil.copyfile(
        run.options.build / "tools/floor" / LIBRARY, server.directory / "plugins" / LIBRARY
    )
    for function in FUNCTIONS:
        server.sql(f"CREATE FUNCTION {function} RETURNS REAL SONAME '{LIBRARY}'")
