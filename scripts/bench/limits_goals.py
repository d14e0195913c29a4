"""The goals that are held against floors of the same run, or against another server beside it."""

from __future__ import annotations

from collections.abc import Iterator

from bench import batches, figures, floors, limits, lookups, rates, size, writes_goals
from bench.figures import Group, combined, groups, ratio
from bench.goal import Bound, Goal, Held, beside, spread_of
from bench.results import Results

Groups = dict[tuple[str, str], Group]

DEPTH_1 = lookups.shape_name(100, 1)
DEPTH_8 = lookups.shape_name(32, 8)
DEPTH_32 = lookups.shape_name(32, 32)
P50 = figures.latency("p50")
P99 = figures.latency("p99")
SUM = "null server + handler calls in process"
INSIDE = writes_goals.INSIDE


def limits_goals(results: Results) -> list[Goal]:
    """All of them."""
    written = writes_goals.written(results)
    return [*read_goals(results), *(goal for each in written for goal in each.goals)]


def read_goals(results: Results) -> list[Goal]:
    """All but those of written(), in the order of the page."""
    found = {
        section: groups(results, section)
        for section in ("lookups", "ranges", "slow", "size", "rates", "limits")
    }
    return [
        *_lookups(found["lookups"]),
        *_latency(found["rates"]),
        *_alone(found["limits"], found["lookups"]),
        *_ranges(found["ranges"], found["lookups"]),
        *_size(found["size"], found["lookups"]),
        *_batches(found["limits"], ""),
        *_batches(found["slow"], writes_goals.slower(results)),
        *_cold(found["limits"]),
    ]


def _lookups(found: Groups) -> Iterator[Goal]:
    floor = found.get((lookups.IN_PROCESS, "floor"))
    for shape in (DEPTH_1, DEPTH_32):
        ours = found.get((shape, "ours"))
        null = found.get((shape, "null"))
        parts = {"null": (null, figures.cpu), "floor": (floor, figures.cpu)}
        held = Held(
            SUM,
            combined(parts, lambda null, floor: null + floor),
            spread_of(ours, figures.cpu),
            "µs",
        )
        measured = combined(
            {**parts, "ours": (ours, figures.cpu)}, lambda null, floor, ours: ours / (null + floor)
        )
        inside = found.get((shape, floors.INSIDE))
        best = combined(
            {**parts, "inside": (inside, figures.cpu)},
            lambda null, floor, inside: inside / (null + floor),
        )
        bound = Bound(INSIDE, best)
        yield Goal(
            f"CPU for a lookup, {shape}", 1.10, measured, at_most=True, held=held, bound=bound
        )
        what = f"CPU for a lookup, {shape}: of the {INSIDE}"
        yield beside(what, None, ours, inside, figures.cpu, (INSIDE, "µs"), at_most=True)
    for shape, target, name in (
        (DEPTH_1, "redis", "Redis"),
        (DEPTH_8, "redis", "Redis"),
        (DEPTH_32, "redis", "Redis"),
        (DEPTH_1, "memcached", "memcached"),
    ):
        ours, other = found.get((shape, "ours")), found.get((shape, target))
        best = ratio(other, found.get((shape, floors.INSIDE)), figures.cpu)
        yield beside(
            f"CPU for a lookup, {shape}: {name}'s of ours",
            1,
            other,
            ours,
            figures.cpu,
            (name, "µs"),
            ours_above=False,
            strict=True,
            bound=Bound(INSIDE, best),
        )


def _latency(found: Groups) -> Iterator[Goal]:
    name = rates.rate_name(75, "ours")
    ours, redis = found.get((name, "ours")), found.get((name, "redis"))
    what = f"p99 at {name}, of Redis's"
    yield beside(what, 1, ours, redis, P99, ("Redis", "µs"), at_most=True)


def _alone(found: Groups, reads: Groups) -> Iterator[Goal]:
    null = found.get((limits.ALONE, "null"))
    inside = reads.get((limits.ALONE, floors.INSIDE))
    bound = Bound(INSIDE, ratio(inside, reads.get((limits.ALONE, "null")), figures.cpu))
    for target, how, limit in (
        ("ours", "", 1.25),
        ("ours no spin", ", handlersocket_spin_us=0", None),
    ):
        ours = found.get((limits.ALONE, target))
        yield beside(
            f"CPU for a lookup, {limits.ALONE}{how}: of the null server's",
            limit,
            ours,
            null,
            figures.cpu,
            ("null server", "µs"),
            at_most=True,
            bound=bound if limit else None,
        )
        what = f"p50, {limits.ALONE}{how}: of the null server's"
        yield beside(what, None, ours, null, P50, ("null server", "µs"), at_most=True)


def _ranges(found: Groups, reads: Groups) -> Iterator[Goal]:
    finds = found.get((lookups.PIPELINED, "ours"))
    in_ = found.get((f"IN {lookups.COUNT}", "ours"))
    # As many rows with as many system calls: one receive and one send for a hundred.
    parts = {
        "finds": (finds, figures.cpu_per_row),
        "null": (found.get((lookups.PIPELINED, "null")), figures.cpu_per_row),
        "floor": (reads.get((lookups.IN_PROCESS, "floor")), figures.cpu),
    }
    best = combined(parts, lambda finds, null, floor: finds / (null + floor))
    yield beside(
        f"rows per CPU second: IN with {lookups.COUNT} keys, of pipelined finds",
        1.2,
        finds,
        in_,
        figures.cpu_per_row,
        ("pipelined finds", "µs"),
        ours_above=False,
        bound=Bound(f"{SUM}, a hundred rows at a time", best),
    )


def _size(found: Groups, reads: Groups) -> Iterator[Goal]:
    least, *larger = size.SIZES
    ours = {rows: found.get((size.case_name("lookups", rows), "ours")) for rows in size.SIZES}
    floor = {rows: found.get((size.in_process_name(rows), "floor")) for rows in size.SIZES}
    null = reads.get((DEPTH_32, "null"))
    for rows in larger:
        if ours[rows] is None:
            continue
        parts = {
            "null": (null, figures.cpu),
            "floor": (floor[rows], figures.cpu),
            "ours": (ours[least], figures.cpu),
        }
        best = combined(parts, lambda null, floor, ours: (null + floor) / ours)
        yield beside(
            f"CPU for a lookup with {rows:,} rows, of {least:,} rows",
            2.5 if rows == size.SIZES[-1] else None,
            ours[rows],
            ours[least],
            figures.cpu,
            (f"{least:,} rows", "µs"),
            at_most=True,
            bound=Bound(SUM, best),
        )
        what = f"CPU for a lookup with {rows:,} rows, of the handler calls with as many"
        held = ("handler calls in process", "µs")
        yield beside(what, None, ours[rows], floor[rows], figures.cpu, held, at_most=True)
    for rows in size.SIZES:
        name = size.pages_name(rows)
        plain = found.get((name, "ours again"))
        for target, setting in (("ours large pages", "large_pages"), ("ours thp", "THP for malloc")):
            huge = found.get((name, target))
            if huge is not None:
                what = f"CPU for a lookup with {rows:,} rows, {setting}: of those without"
                names = ("pages of 4 KiB", "µs")
                yield beside(what, None, huge, plain, figures.cpu, names, at_most=True)


def _batches(found: Groups, disk: str) -> Iterator[Goal]:
    if not found:
        return
    for shape in batches.SHAPES:
        mixed, updates = (
            found.get((batches.name(is_mixed, *shape), "ours")) for is_mixed in (True, False)
        )
        yield beside(
            f"{disk}requests per second, {batches.name(True, *shape)}: of updates alone",
            1,
            mixed,
            updates,
            figures.rate,
            ("updates alone", "/s"),
        )


def _cold(found: Groups) -> Iterator[Goal]:
    for share in limits.COLD_SHARES:
        ours, sql = (found.get((limits.cold_name(share), name)) for name in limits.COLD_TARGETS)
        hits = spread_of(ours, figures.hits)
        shown = f" ({100 * hits.median:.0f} % hits)" if hits else ""
        what = f"lookups per second, {limits.cold_name(share)}{shown}: of SQL's"
        yield beside(what, 1, ours, sql, figures.rate, ("SQL, prepared", "/s"))
