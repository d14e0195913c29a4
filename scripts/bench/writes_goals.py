"""The goals of durable writes: the time of one commit, and SQL, with what is possible of them."""

from __future__ import annotations

from dataclasses import dataclass

from bench import figures, floors, markdown, writes
from bench.figures import Group, Spread, combined, groups, ratio
from bench.goal import Bound, Goal, Held, beside, spread_of
from bench.results import Results

Groups = dict[tuple[str, str], Group]

INSIDE = markdown.plain(floors.INSIDE)
THREADS = {"ours": "one write thread", "ours default": "write threads by default"}


@dataclass(frozen=True)
class Written:
    """Inserts or updates of one kind: what their rate is held against."""

    what: str
    commit: Goal  # connections ÷ time of one commit
    inside: Goal  # the null server inside, which commits once for all connections
    sql: Goal

    @property
    def goals(self) -> list[Goal]:
        """Those that have something to reach."""
        return [goal for goal in (self.commit, self.sql) if goal.limit is not None]


def written(results: Results) -> list[Written]:
    """All durable writes with the binary log on; those of the slower disk behind the others."""
    made = []
    for section, disk in (("writes", ""), ("slow", slower(results))):
        found = groups(results, section)
        for workload in ("insert", "update"):
            one = found.get((writes.case_name(workload, "on", 1), "ours"))
            for connections in writes.CONNECTIONS[1:]:
                case = writes.case_name(workload, "on", connections)
                sql = faster_sql(found, case)
                inside = found.get((case, floors.INSIDE))
                for target, threads in THREADS.items():
                    ours = found.get((case, target))
                    if ours is None:
                        continue
                    what = f"{disk}{workload}s per second, {connections} connections, {threads}"
                    made.append(_written(what, connections, ours, one, inside, sql))
    return made


def faster_sql(found: Groups, case: str) -> Group | None:
    """By prepared statements or by text, whichever is faster in the median."""
    sql = [group for name in writes.SQL if (group := found.get((case, name))) is not None]
    return max(sql, key=lambda group: group.spread(figures.rate).median, default=None)


def _written(
    what: str,
    connections: int,
    ours: Group,
    one: Group | None,
    inside: Group | None,
    sql: Group | None,
) -> Written:
    def of_commits(group: Group | None) -> Spread | None:
        parts = {"rate": (group, figures.rate), "one": (one, figures.rate)}
        return combined(parts, lambda rate, one: rate / (connections * one))

    name = "connections ÷ time of one commit"
    at_commit_speed = combined({"one": (one, figures.rate)}, lambda one: connections * one)
    commit = Goal(
        f"{what}: of {name}",
        0.85 if connections == writes.CONNECTIONS[1] else None,
        of_commits(ours),
        held=Held(name, at_commit_speed, spread_of(ours, figures.rate), "/s"),
        bound=Bound(INSIDE, of_commits(inside)),
    )
    return Written(
        what,
        commit,
        beside(f"{what}: of the {INSIDE}", None, ours, inside, figures.rate, (INSIDE, "/s")),
        beside(
            f"{what}: of SQL's",
            3,
            ours,
            sql,
            figures.rate,
            ("the faster SQL", "/s"),
            bound=Bound(INSIDE, ratio(inside, sql, figures.rate)),
        ),
    )


def slower(results: Results) -> str:
    """What the names of the slower disk begin with."""
    delay = results.about("slow").get("sync_delay_ms", 0)
    return f"syncs {delay:g} ms slower: "
