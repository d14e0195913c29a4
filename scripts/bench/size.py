"""The section size: lookups and inserts in tables of 1, 10, 20 and 50 million rows.

At each size the lookups are measured once more with huge pages.
"""

from __future__ import annotations

import argparse
import shutil
import threading
from dataclasses import replace

from run_report import say, step
from server_files import ServerError

from bench import huge_pages, lookups, tables
from bench.load import Case
from bench.options import DIRECTORY
from bench.run import Run
from bench.servers import PLUGINS
from bench.settings import AGAIN, GIB, HUGE, THP, pool_gib

TABLE = "test.sized"
SIZES = (1_000_000, 10_000_000, 20_000_000, 50_000_000)
TARGETS = ("ours", "stock", "sql prepared")
CONNECTIONS = (32, 32)  # and depth, of the plugins' lookups
SQL_CONNECTIONS = 32
BYTES_PER_ROW = 150  # on disk, rounded up
# The same rows in the same server started again, as it was and with huge pages.
PAGES = {"ours again": "ours" + AGAIN, "ours large pages": "ours" + HUGE, "ours thp": "ours" + THP}
BESIDE_POOL = GIB // 2  # bytes of huge pages that the server needs besides the buffer pool
HEAT_SHARE = 6  # one lookup for so many rows: some twenty for each page


def case_name(workload: str, rows: int) -> str:
    """The name of the cases that are compared."""
    return f"{workload}, {rows:,} rows"


def in_process_name(rows: int) -> str:
    """The name of the handler calls in a table of that size."""
    return f"in process, {rows:,} rows"


def pages_name(rows: int) -> str:
    """The name of the cases with huge pages and without."""
    return f"huge pages, {rows:,} rows"


def sizes(options: argparse.Namespace) -> list[int]:
    """The sizes that were asked for, if disk and memory have room for them."""
    wanted = [rows for rows in SIZES if rows <= options.most_rows] or [options.most_rows]
    free = shutil.disk_usage(DIRECTORY).free
    found = []
    for rows in wanted:
        needed = len(PLUGINS) * rows * BYTES_PER_ROW
        if needed * 1.2 > free:
            say(f"size: {rows:,} rows need {needed / 1e9:.0f} GB of disk, and are left out")
        elif rows * BYTES_PER_ROW > pool_gib() * GIB:
            say(f"size: {rows:,} rows do not fit the buffer pool, and are left out")
        else:
            found.append(rows)
    return found


def size(run: Run) -> None:
    """Each size in turn; the tables grow from one to the next."""
    filled = 0
    for name in PLUGINS:
        run.servers.place(name)
    for rows in sizes(run.options):
        with step(f"filling {TABLE} with {rows:,} rows, and heating it up"):
            _grow(run, filled, rows)
        filled = rows
        _measure(run, rows)
        _measure_pages(run, rows)
    for name in PLUGINS:
        tables.drop(run.servers.database(name), TABLE)


def _grow(run: Run, filled: int, rows: int) -> None:
    """Fills both servers at the same time, on all cores: the hash index takes long."""
    failures: list[Exception] = []

    def grow(name: str) -> None:
        server = run.servers.database(name)
        try:
            if filled == 0:
                tables.create(server, TABLE, rows)
            else:
                server.sql(f"DELETE FROM {TABLE} WHERE user_id > {filled}")  # what was inserted
                tables.extend(server, TABLE, filled + 1, rows)
            tables.settle(server)
            run.servers.heat(name, rows, max(rows // HEAT_SHARE, 1_000_000), TABLE)
        except Exception as error:  # of any kind: the main thread reports it
            failures.append(error)

    for name in PLUGINS:
        run.servers.unpin(name)
    threads = [threading.Thread(target=grow, args=(name,)) for name in PLUGINS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in PLUGINS:
        run.servers.pin(name)
    if failures:
        raise ServerError(f"{TABLE} could not be filled: {failures[0]}")


def _measure(run: Run, rows: int) -> None:
    at = ("--table", TABLE)
    cases = []
    for target in TARGETS:
        depth = 1 if target.startswith("sql") else CONNECTIONS[1]
        cases.append(Case(case_name("lookups", rows), target, CONNECTIONS[0], depth, at, rows=rows))
    insert = ("--workload", "insert", *at)
    name = case_name("inserts", rows)
    cases += [
        Case(name, target, SQL_CONNECTIONS, 1, insert, rows=rows, writes=True) for target in TARGETS
    ]

    def before(case: Case) -> Case:
        if not case.writes:
            return case
        last = run.servers.database(case.place).sql(f"SELECT MAX(user_id) FROM {TABLE}")[0][0]
        return replace(case, arguments=(*case.arguments, "--first-key", str(int(last) + 1)))

    run.start(cases)
    for number in range(1, run.options.rounds + 1):
        name = in_process_name(rows)
        lookups.floor(run, "size", number, name, table=TABLE, rows=rows)
        run.round("size", cases, number, before)


def _measure_pages(run: Run, rows: int) -> None:
    """Lookups as before, with huge pages where the machine has them. The server starts anew."""
    run.servers.stop("ours")
    for target, name in PAGES.items():
        needed = pool_gib() * GIB + BESIDE_POOL if name.endswith(HUGE) else 0
        with huge_pages.reserved(needed) as there:
            if needed and not there:
                say("size: the machine has not as many huge pages, so large_pages is left out")
                continue
            server = run.servers.database(name)
            with step(f"heating its {TABLE} up"):
                server.sql(f"SELECT SUM(LENGTH(user_email)) FROM {TABLE}")  # reads in order
                run.servers.heat(name, rows, max(rows // HEAT_SHARE, 1_000_000), TABLE)
            if needed and not huge_pages.used(server.pid):
                say("size: the server got no huge pages, so large_pages is left out")
            else:
                _measure_lookups(run, rows, target, name)
            run.servers.stop(name)
    run.servers.place("ours")


def _measure_lookups(run: Run, rows: int, target: str, name: str) -> None:
    arguments = ("--table", TABLE)
    case = Case(pages_name(rows), target, *CONNECTIONS, arguments, server=name, rows=rows)
    for number in range(1, run.options.rounds + 1):
        run.measure("size", case, number)
