"""The sections lookups, connections and ranges: what is only read."""

from __future__ import annotations

from bench import floors
from bench.load import Case
from bench.run import Run

TARGETS = ("null", "ours", "stock", "memcached", "redis")
SQL = ("sql prepared", "sql text")
SHAPES = ((100, 1), (32, 8), (32, 32), (1, 1))
CONNECTIONS = (1, 10, 50, 100)
FLOOR_LOOKUPS = 1_000_000  # for each second that a measurement takes
IN_PROCESS = "in process"
FLOOR_BATCH = 1024  # as 32 connections at depth 32 give at most
COUNT = 100  # of keys, or of rows
PIPELINED = "finds, pipelined"


def shape_name(connections: int, depth: int) -> str:
    """The name of the cases that have this many connections and requests on the way."""
    noun = "connection" if connections == 1 else "connections"
    return f"{connections} {noun}, depth {depth}"


def lookups(run: Run) -> None:
    """Random lookups at four shapes, beside the floors."""
    cases = []
    inside = [
        Case(shape_name(*shape), floors.INSIDE, *shape, server="ours") for shape in SHAPES
    ]
    for connections, depth in SHAPES:
        name = shape_name(connections, depth)
        targets = TARGETS + (SQL if depth == 1 else ())
        cases += [Case(name, target, connections, depth) for target in targets]
    run.start(cases)
    for number in range(1, run.options.rounds + 1):
        floor(run, "lookups", number)
        run.round("lookups", cases, number)
        floors.measure_inside(run, "lookups", number, inside)


def floor(
    run: Run,
    section: str,
    number: int,
    case: str = IN_PROCESS,
    *,
    table: str = "test.user",
    rows: int = 0,
) -> None:
    """The handler calls in a loop inside the server, for as long as another measurement."""
    count = int(run.options.seconds * FLOOR_LOOKUPS)
    numbers = (count, FLOOR_BATCH, rows or run.options.rows, run.options.seed)
    floors.measure(run, section, number, case, "hs_floor", lambda: numbers, table)


def connections(run: Run) -> None:
    """Throughput and latency over the number of connections."""
    run.rounds(
        "connections",
        [
            Case(shape_name(count, 1), target, count)
            for count in CONNECTIONS
            for target in TARGETS + SQL
        ],
    )


def ranges(run: Run) -> None:
    """A hundred rows: by pipelined finds, by IN, and in the order of the key."""
    in_ = ("--workload", "in", "--in", str(COUNT))
    range_ = ("--workload", "range", "--range", str(COUNT))
    targets = TARGETS[1:]
    cases = [Case(PIPELINED, target, 10, COUNT) for target in TARGETS]
    cases += [Case("finds, one at a time", target, 10) for target in SQL]
    cases += [Case(f"IN {COUNT}", target, 10, arguments=in_) for target in targets + SQL]
    cases += [
        Case(f"range of {COUNT}", target, 10, arguments=range_)
        for target in ("ours", "stock", *SQL)
    ]
    run.rounds("ranges", cases)
