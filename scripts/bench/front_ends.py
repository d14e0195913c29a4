"""The section front_ends: clients of memcached on the rows of a table, beside memcached itself."""

from __future__ import annotations

import ports

from bench.load import Case
from bench.lookups import COUNT, shape_name
from bench.run import Run

OURS = "memcached ours"
PLACE = "ours-memcached"
SHAPES = ((100, 1), (32, 1), (32, 8), (1, 1))
MULTIGET = f"get of {COUNT} keys"
# A row as the load generator's value has it: one text.
TABLE = (
    "CREATE OR REPLACE TABLE test.line (user_id INT UNSIGNED PRIMARY KEY, line VARCHAR(400))"
    " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COMMENT 'hs: name=user value=line'"
)
FILL = (
    "INSERT INTO test.line SELECT user_id, CONCAT_WS(CHAR(9), user_name, user_email, created)"
    " FROM test.user"
)


def cases() -> list[Case]:
    """Lookups of one key, and of a hundred with one command, of the same values."""
    keys = ("--workload", "in", "--in", str(COUNT))
    made = []
    for target, server in ((OURS, PLACE), ("memcached", "")):
        made += [Case(shape_name(*shape), target, *shape, server=server) for shape in SHAPES]
        made.append(Case(MULTIGET, target, 10, arguments=keys, server=server))
    return made


def front_ends(run: Run) -> None:
    """All of them, and then the port is closed again."""
    database = run.servers.database("ours")
    database.sql(TABLE)
    database.sql(FILL)
    port = ports.free_port()
    database.sql(f"SET GLOBAL handlersocket_memcached_port = '{port}'")
    run.servers.add_port(PLACE, "ours", port)
    run.rounds("front_ends", cases())
    database.sql("SET GLOBAL handlersocket_memcached_port = '0'")
    database.sql("DROP TABLE test.line")
