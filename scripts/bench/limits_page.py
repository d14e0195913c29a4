"""The page's section on limits: each figure beside the floor that it is held against."""

from __future__ import annotations

from bench import figures, limits, markdown, size, writes
from bench.figures import Group, groups
from bench.limits_goals import read_goals
from bench.results import Results
from bench.writes_goals import written

TEXT = """\
## Limits

What the figures of this page are held against, in the same run and in turns. A floor is a figure that cannot be passed:
the *null server*, the *handler calls in process*, their sum, both in one process (the *null server inside*), and for
durable writes the *time of one commit*. "Ratio" is the median of the rounds' ratios. Where a floor forbids a goal, the table says what is possible by it, and how close this
plugin comes to that. "–": no goal, for information.

{table}

Durable writes, with the binary log on. Goals are 0.85 of connections ÷ time of one commit at {few} connections, and 3 times
SQL's.

{written}

- The time of one commit is that of an insert (an update) on one connection. Connections ÷ that time is what they get done
  when all of them share each commit.
- The null server inside executes them by handler calls on one thread, with the binary log: it waits for the requests of
  all connections, commits once, and sends the replies. So it spends nothing but the system calls, the engine's work and
  the commit. A server that executes one batch while another one commits can pass it.
- The handler calls of writes are the same inserts and updates in a loop inside the server, {batch} in a transaction and
  without a binary log: {writes}.
- One connection: while requests come that fast, the server looks for the next one before it sleeps
  (`handlersocket_spin_us`), which costs CPU time and saves latency. The table has both with it and without.
- Lookups and updates in one batch go to the write port. A lookup there locks its row, and its answer waits for the commit
  of the updates that were before it.
- Rows on disk: a table of {cold_rows:,} rows that is several times as large as the buffer pool; {cold} connections, and
  server and load generator share all cores. "Hits" are lookups for which no page was read.
  [The page on that](benchmarks-misses.md) has more.
{pages}
### All figures of this section

{figures}

"""


def link(results: Results) -> str:
    """For the page's contents; nothing when there is no such section."""
    return ", [limits](#limits)" if groups(results, "limits") else ""


def text(results: Results) -> str:
    """The section; nothing when it was not measured."""
    if not groups(results, "limits"):
        return ""
    return TEXT.format(
        table=markdown.limit_table(read_goals(results)),
        few=writes.CONNECTIONS[1],
        written=_written(results),
        batch=limits.WRITES_BATCH,
        writes=_writes(results),
        cold_rows=results.about("limits").get("cold_rows", 0),
        cold=limits.COLD_CONNECTIONS,
        pages=_pages(results),
        figures=markdown.measurements(results, "limits"),
    )


def _writes(results: Results) -> str:
    """The CPU time of each handler call."""
    found = groups(results, "limits")
    parts = []
    for workload in ("insert", "update"):
        group = found.get((limits.in_process_name(workload), "floor"))
        if group is not None:
            parts.append(f"{markdown.number(group.spread(figures.cpu).median)} µs for an {workload}")
    return ", ".join(parts) or markdown.NOTHING


def _written(results: Results) -> str:
    """A row for each kind of writes, with the ratios to all that they are held against."""
    head = ["per second", "here"]
    for name in ("connections ÷ commit", "null server inside", "the faster SQL"):
        head += [name, "ratio"]
    rows = []
    for each in written(results):
        held = each.commit.held
        if each.commit.measured is None or held is None or held.ours is None:
            continue
        cells = [markdown.number(held.ours.median)]
        for goal in (each.commit, each.inside, each.sql):
            floor = goal.held.floor if goal.held else None
            cells.append(markdown.number(floor.median) if floor else "–")
            cells.append(markdown.goal_cell(goal))
        rows.append([each.what.replace(" per second", ""), *cells])
    return markdown.table(head, rows) if rows else f"*{markdown.NOTHING}*"


def _pages(results: Results) -> str:
    """What huge pages bring, or that the machine has none."""
    found = groups(results, "size")
    rows = []
    for count in size.SIZES:
        name = size.pages_name(count)
        plain = found.get((name, "ours again"))
        if plain is None:
            continue
        cells = [_cpu(found.get((name, target))) for target in size.PAGES]
        rows.append([f"{count:,} rows", *cells])
    if not rows:
        return ""
    head = ["CPU for a lookup, µs", "as elsewhere", "large_pages", "THP for malloc"]
    table = markdown.table(head, rows)
    missing = not any(target == "ours large pages" for _, target in found)
    sentence = "With `large_pages` the buffer pool is in huge pages, reserved before the start."
    if missing:
        sentence = "This machine could not reserve huge pages for the buffer pool (`large_pages`)."
    return f"""
### Huge pages

{sentence}
"THP for malloc" is `GLIBC_TUNABLES=glibc.malloc.hugetlb=1`: other memory of the server, the hash index among it, may get
transparent huge pages. Lookups on 32 connections, depth 32; each server started anew with the same rows, and heated up.

{table}
"""


def _cpu(group: Group | None) -> str:
    return "–" if group is None else markdown.spread(group.spread(figures.cpu))
