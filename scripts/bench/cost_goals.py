"""The goals of the section cost."""

from __future__ import annotations

from collections.abc import Iterator

from bench import cost, figures, lookups
from bench.figures import Group, combined, groups, ratio
from bench.goal import Goal, Held, beside
from bench.results import Results

ACCOUNTS = 1.03
COUNTERS = 1.02
TLS_IN_BATCHES = 1.25


def cost_goals(results: Results) -> Iterator[Goal]:
    """All of them."""
    found = groups(results, "cost")
    for shape in cost.SHAPES:
        name = lookups.shape_name(*shape)
        ours = found.get((name, cost.PLAIN))
        head = f"CPU for a lookup, {name}: "
        for target, limit, what, held in (
            (cost.ACCOUNT, ACCOUNTS, "an account with column grants, of no accounts", "no accounts"),
            (cost.UNCOUNTED_TARGET, COUNTERS, "with counters and histograms, of without", "without"),
        ):
            other = found.get((name, target))
            pair = (ours, other) if target == cost.UNCOUNTED_TARGET else (other, ours)
            yield beside(head + what, limit, *pair, figures.cpu, (held, "µs"), at_most=True)
        tls = found.get((name, cost.TLS))
        what = head + "over TLS, of plain"
        limit = None if shape == cost.REDIS_SHAPE else TLS_IN_BATCHES
        yield beside(what, limit, tls, ours, figures.cpu, ("plain", "µs"), at_most=True)
        if shape == cost.REDIS_SHAPE:
            redis = (found.get((name, "redis tls")), found.get((name, "redis")))
            yield _beside_redis(f"{what}, of that ratio of Redis", (tls, ours), redis)


Pair = tuple[Group | None, Group | None]


def _beside_redis(what: str, ours: Pair, redis: Pair) -> Goal:
    named = dict(zip(("tls", "plain", "redis_tls", "redis_plain"), (*ours, *redis), strict=True))
    parts = {name: (group, figures.cpu) for name, group in named.items()}
    measured = combined(
        parts,
        lambda tls, plain, redis_tls, redis_plain: (tls / plain) / (redis_tls / redis_plain),
    )
    held = Held("Redis", ratio(*redis, figures.cpu), ratio(*ours, figures.cpu), "× plain")
    return Goal(what, 1, measured, at_most=True, held=held)
