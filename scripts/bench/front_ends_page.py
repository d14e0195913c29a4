"""The page's section on clients of other protocols."""

from __future__ import annotations

from bench import front_ends, markdown
from bench.figures import groups
from bench.results import Results

TEXT = """\
## Clients of memcached

[Clients of memcached](memcached.md) on the rows of a table (`handlersocket_memcached_port`), and on memcached itself with the same
keys and values of some 60 bytes. The last case asks for {count} keys with one `get`.

{table}

"""


def link(results: Results) -> str:
    """For the page's contents; nothing when there is no such section."""
    return ", [clients of memcached](#clients-of-memcached)" if text(results) else ""


def text(results: Results) -> str:
    """The section; nothing when it was not measured."""
    if not groups(results, "front_ends"):
        return ""
    return TEXT.format(
        count=front_ends.COUNT, table=markdown.measurements(results, "front_ends")
    )
