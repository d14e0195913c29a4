"""Batches of lookups and durable updates, beside the same updates alone."""

from __future__ import annotations

from bench import lookups, writes
from bench.load import Case

SHAPES = ((30, 1), (10, 32))  # connections, and depth


def name(mixed: bool, connections: int, depth: int) -> str:
    """The names of the cases with half of the requests lookups, and with updates alone."""
    what = "half lookups, half updates" if mixed else "updates alone"
    return f"{what}, {lookups.shape_name(connections, depth)}"


def cases(server: str) -> list[Case]:
    """All of them, on a server with the binary log."""
    return [_case(server, mixed, *shape) for shape in SHAPES for mixed in (False, True)]


def _case(server: str, mixed: bool, connections: int, depth: int) -> Case:
    workload = ("--workload", "mixed", "--writes", "0.5") if mixed else ("--workload", "update")
    return Case(
        name(mixed, connections, depth),
        "ours",
        connections,
        depth,
        arguments=(*workload, "--table", writes.TABLE),
        server=server,
        rows=writes.ROWS,
        writes=True,
    )
