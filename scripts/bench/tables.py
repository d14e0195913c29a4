"""Tables like test.user for sections that write, or need other sizes, filled by the fastest way."""

from __future__ import annotations

import time

import sample_table
from private_server import PrivateServer

CHUNK_ROWS = 200_000
SETTLE_SECONDS = 300
FEW_PAGES = 200
FLUSH_PAGES = 50_000  # a second

_CREATE = """
CREATE OR REPLACE TABLE {table} (
  user_id INT UNSIGNED PRIMARY KEY,
  user_name VARCHAR(50),
  user_email VARCHAR({email}),
  created DATETIME
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
"""
_FILL = """
INSERT INTO {table}
SELECT seq, IF(seq = {sample}, '{name}', CONCAT('user name ', seq)),
       {email},
       '{created}'
FROM seq_{first}_to_{last}
"""


def create(server: PrivateServer, table: str, rows: int, *, value_size: int = 0) -> None:
    """Makes the table anew, with the rows 1 to `rows`; not written to the binary log."""
    length = max(255, value_size)
    server.sql("SET STATEMENT sql_log_bin = 0 FOR " + _CREATE.format(table=table, email=length))
    extend(server, table, 1, rows, value_size=value_size)


def extend(
    server: PrivateServer, table: str, first: int, last: int, *, value_size: int = 0
) -> None:
    """Adds the rows `first` to `last`."""
    name, email, created = sample_table.SAMPLE_ROW
    value = f"IF(seq = {sample_table.SAMPLE_ID}, '{email}', CONCAT('user', seq, '@example.com'))"
    if value_size:
        value = f"RPAD({value}, {value_size}, 'x')"
    connection = server.connect(database="test")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET sql_log_bin = 0, unique_checks = 0, foreign_key_checks = 0")
            cursor.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 0")
            for low in range(first, last + 1, CHUNK_ROWS):
                statement = _FILL.format(
                    table=table,
                    sample=sample_table.SAMPLE_ID,
                    name=name,
                    email=value,
                    created=created,
                    size=value_size,
                    first=low,
                    last=min(low + CHUNK_ROWS - 1, last),
                )
                cursor.execute(statement)
            cursor.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 1")
    finally:
        connection.close()


def settle(server: PrivateServer) -> None:
    """Waits until what was filled is on disk, so that nothing is written while others measure."""
    names = ("innodb_io_capacity_max", "innodb_io_capacity", "innodb_max_dirty_pages_pct")
    before = server.sql(f"SELECT {', '.join('@@' + name for name in names)}")[0]
    for name, value in zip(names, (FLUSH_PAGES, FLUSH_PAGES, 0), strict=True):
        server.sql(f"SET GLOBAL {name} = {value}")
    dirty = "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'"
    deadline = time.monotonic() + SETTLE_SECONDS
    while int(server.sql(dirty)[0][1]) > FEW_PAGES and time.monotonic() < deadline:
        time.sleep(0.1)
    for name, value in reversed(list(zip(names, before, strict=True))):
        server.sql(f"SET GLOBAL {name} = {value}")


def drop(server: PrivateServer, table: str) -> None:
    """Drops the table."""
    server.sql(f"SET STATEMENT sql_log_bin = 0 FOR DROP TABLE IF EXISTS {table}")
