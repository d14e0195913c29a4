"""The goals of durable writes: the time of one commit, the CPU time of a batch, and SQL."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from bench import figures, limits, lookups, writes
from bench.figures import Group, combined, groups
from bench.goal import Bound, Goal, Held, beside, spread_of
from bench.results import Results

Groups = dict[tuple[str, str], Group]

BATCH_CPU = "the CPU time of a batch"
THREADS = {"ours": "one write thread", "ours default": "write threads by default"}


@dataclass(frozen=True)
class Written:
    """Inserts or updates of one kind: what their rate is held against."""

    what: str
    commit: Goal  # connections ÷ time of one commit
    batch: Goal  # the same, with the CPU time of a batch
    sql: Goal

    @property
    def goals(self) -> list[Goal]:
        """Those that have something to reach."""
        return [goal for goal in (self.commit, self.sql) if goal.limit is not None]


def written(results: Results) -> list[Written]:
    """All durable writes with the binary log on; those of the slower disk behind the others."""
    found = {name: groups(results, name) for name in ("lookups", "limits", "writes", "slow")}
    null = found["lookups"].get((lookups.shape_name(100, 1), "null"))
    floors = {
        workload: found["limits"].get((limits.in_process_name(workload), "floor"))
        for workload in ("insert", "update")
    }
    made = []
    for section, disk in (("writes", ""), ("slow", slower(results))):
        if not found[section]:
            continue
        for workload, floor in floors.items():
            one = found[section].get((writes.case_name(workload, "on", 1), "ours"))
            for connections in writes.CONNECTIONS[1:]:
                case = writes.case_name(workload, "on", connections)
                sql = faster_sql(found[section], case)
                for target, threads in THREADS.items():
                    what = f"{disk}{workload}s per second, {connections} connections, {threads}"
                    ours = found[section].get((case, target))
                    commit, batch = _commits(what, connections, ours, one, null, floor)
                    names = ("the faster SQL", "/s")
                    beside_sql = beside(
                        f"{what}: of SQL's",
                        3,
                        ours,
                        sql,
                        figures.rate,
                        names,
                        bound=_bound_of_sql(connections, sql, one, null, floor),
                    )
                    made.append(Written(what, commit, batch, beside_sql))
    return made


def faster_sql(found: Groups, case: str) -> Group | None:
    """By prepared statements or by text, whichever is faster in the median."""
    sql = [group for name in writes.SQL if (group := found.get((case, name))) is not None]
    return max(sql, key=lambda group: group.spread(figures.rate).median, default=None)


def at_commit_speed(connections: int, one: float) -> float:
    """Requests per second when each connection gets one done in the time of a commit.

    `one`: requests per second of one connection.
    """
    return connections * one


def with_batch_cpu(connections: int, one: float, null: float, floor: float) -> float:
    """The same, when the other requests of a batch come first, each with its CPU time in µs."""
    return connections / (1 / one + (connections - 1) * (null + floor) / 1e6)


def _commits(
    what: str,
    connections: int,
    ours: Group | None,
    one: Group | None,
    null: Group | None,
    floor: Group | None,
) -> tuple[Goal, Goal]:
    rate = {"ours": (ours, figures.rate), "one": (one, figures.rate)}
    cpu = {"null": (null, figures.cpu), "floor": (floor, figures.cpu)}
    disk = partial(at_commit_speed, connections)
    both = partial(with_batch_cpu, connections)
    ours_rate = spread_of(ours, figures.rate)
    name = "connections ÷ time of one commit"
    with_cpu = f"{name}, with {BATCH_CPU}"
    commit = Goal(
        f"{what}: of {name}",
        0.85 if connections == writes.CONNECTIONS[1] else None,
        combined(rate, lambda ours, one: ours / disk(one)),
        held=Held(name, combined({"one": rate["one"]}, disk), ours_rate, "/s"),
        bound=Bound(
            BATCH_CPU,
            combined(
                {"one": rate["one"], **cpu},
                lambda one, null, floor: both(one, null, floor) / disk(one),
            ),
        ),
    )
    batch = Goal(
        f"{what}: of that with {BATCH_CPU}",
        None,
        combined(
            {**rate, **cpu}, lambda ours, one, null, floor: ours / both(one, null, floor)
        ),
        held=Held(with_cpu, combined({"one": rate["one"], **cpu}, both), ours_rate, "/s"),
    )
    return commit, batch


def _bound_of_sql(
    connections: int,
    sql: Group | None,
    one: Group | None,
    null: Group | None,
    floor: Group | None,
) -> Bound:
    """How many times SQL's rate is possible, with the CPU time of a batch."""
    parts = {
        "sql": (sql, figures.rate),
        "one": (one, figures.rate),
        "null": (null, figures.cpu),
        "floor": (floor, figures.cpu),
    }
    both = partial(with_batch_cpu, connections)
    return Bound(
        BATCH_CPU,
        combined(parts, lambda sql, one, null, floor: both(one, null, floor) / sql),
    )


def slower(results: Results) -> str:
    """What the names of the slower disk begin with."""
    delay = results.about("slow").get("sync_delay_ms", 0)
    return f"syncs {delay:g} ms slower: "
