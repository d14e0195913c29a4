"""The goals of clients of Redis and memcached: what they get here, of what they get there."""

from __future__ import annotations

from collections.abc import Iterator

from bench import figures, front_ends
from bench.figures import Group, combined, groups, ratio
from bench.goal import Bound, Goal
from bench.lookups import shape_name
from bench.results import Results

DEPTH_1 = shape_name(100, 1)
DEPTH_8 = shape_name(32, 8)
DEPTH_32 = shape_name(32, 32)

# The case, the protocol, and what the other's CPU time for one request must be, of ours.
LOOKUPS = (
    (DEPTH_32, "redis", 1.0),
    (front_ends.MULTIGET, "redis", 1.0),
    (DEPTH_1, "memcached", 1.0),
    (DEPTH_8, "memcached", 2.0),
    (front_ends.MULTIGET, "memcached", 1.0),
)
STORED = 2.0  # times as many per second
# How often the disk is waited for between two requests of a connection.
SYNCS = {"on": 2, "off": 1}


def front_ends_goals(results: Results) -> Iterator[Goal]:
    """All of them."""
    found = groups(results, "front_ends")
    for case, protocol, limit in LOOKUPS:
        theirs, ours = found.get((case, protocol)), found.get((case, front_ends.ours(protocol)))
        what = f"CPU for {case}: {protocol}'s of ours, by its own clients"
        yield Goal(what, limit, ratio(theirs, ours, figures.cpu))
    for connections in front_ends.STORE_CONNECTIONS:
        case = front_ends.store_name(connections)
        theirs = found.get((case, "redis always"))
        for target, log in (("redis ours", "on"), ("redis ours unlogged", "off")):
            what = f"{case}, binary log {log}: per second, of Redis' (appendfsync always)"
            measured = ratio(found.get((case, target)), theirs, figures.rate)
            yield Goal(what, STORED, measured, bound=_bound(results, connections, SYNCS[log], theirs))


def _bound(results: Results, connections: int, syncs: int, theirs: Group | None) -> Bound | None:
    """What the disk allows: all connections are answered by the same syncs, and nothing else takes time."""
    sync_us = results.about("front_ends").get("sync_us", 0) if theirs else 0
    if not sync_us:
        return None
    most = connections * 1e6 / (syncs * sync_us)
    return Bound("the disk", combined({"theirs": (theirs, figures.rate)}, lambda theirs: most / theirs))
