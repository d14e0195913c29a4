"""The page's section on clients of other protocols."""

from __future__ import annotations

from bench import front_ends, markdown, writes
from bench.figures import groups
from bench.results import Results

TEXT = """\
## Clients of Redis and memcached

[Clients of Redis](redis.md) and [of memcached](memcached.md) on the rows of a table, and on Redis and memcached themselves with the
same keys and values of some 60 bytes. The case of {count} keys is one `MGET` or `get`. `SET` writes {rows:,} values again and again, each of
which is on the disk before it is answered: here with the binary log and without, in Redis by `appendfsync always`.

{table}

"""


def link(results: Results) -> str:
    """For the page's contents; nothing when there is no such section."""
    title = "clients of Redis and memcached"
    return f", [{title}](#clients-of-redis-and-memcached)" if text(results) else ""


def text(results: Results) -> str:
    """The section; nothing when it was not measured."""
    if not groups(results, "front_ends"):
        return ""
    return TEXT.format(
        count=front_ends.COUNT,
        rows=writes.ROWS,
        table=markdown.measurements(results, "front_ends"),
    )
