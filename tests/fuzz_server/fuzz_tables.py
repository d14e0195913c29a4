"""The tables of the fuzzer: making them, and what the generator and the checks know of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mysql_dialect
import server_files

WRITTEN = "hs"
KEPT = "keep"

STATEMENTS = (Path(__file__).resolve().parent / "fuzz_tables.sql").read_text(encoding="utf-8")


@dataclass
class Table:
    """What can be said of a table in a request."""

    name: str
    columns: list[str] = field(default_factory=list)
    indexes: dict[str, int] = field(default_factory=dict)  # and their number of columns


def create(sql: Any) -> list[Table]:
    """Makes both databases on a pymysql cursor and returns the tables of one."""
    for database in (WRITTEN, KEPT):
        sql.execute(f"CREATE OR REPLACE DATABASE {database} CHARACTER SET utf8mb4")
        sql.execute(f"USE {database}")
        absent: set[str] = set()
        for line in STATEMENTS.split("\n"):
            if line and not line.startswith("--"):
                _execute(sql, line.rstrip(";"), absent)
    return read(sql, KEPT)


def _execute(sql: Any, statement: str, absent: set[str]) -> None:
    """`absent`: tables that MySQL has in no form, whose statements are passed over."""
    name = re.sub(r"(CREATE|INSERT INTO|UPDATE|TABLE|VIEW|SEQUENCE|\s)+", " ", statement).split()[0]
    if name in absent:
        return
    try:
        if server_files.is_mysql(server_files.SERVER_ROOT):
            statement = statement.replace("UNIQUE KEY x (x)", "UNIQUE KEY x (x(50))")  # not a whole TEXT
        sql.execute(statement)
    except mysql_dialect.NotOnMysql:
        absent.add(name)


def read(sql: Any, database: str) -> list[Table]:
    """The tables of a database, with their columns and indexes."""
    tables: dict[str, Table] = {}
    sql.execute(
        "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s"
        " ORDER BY table_name, ordinal_position",
        (database,),
    )
    for name, column in sql.fetchall():
        tables.setdefault(name, Table(name)).columns.append(column)
    sql.execute(
        "SELECT table_name, index_name, COUNT(*) FROM information_schema.statistics"
        " WHERE table_schema = %s GROUP BY 1, 2 ORDER BY 1, 2",
        (database,),
    )
    for name, index, parts in sql.fetchall():
        tables[name].indexes[index] = parts
    return list(tables.values())


def names(sql: Any, database: str) -> list[str]:
    """The tables of a database that hold rows."""
    sql.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
        " AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY table_name",
        (database,),
    )
    return [name for (name,) in sql.fetchall()]


def checksums(sql: Any) -> list[tuple[str, int]]:
    """Of the tables that are only read, rows of the past included."""
    found: list[tuple[str, int]] = []
    for name in names(sql, KEPT):
        sql.execute(f"CHECKSUM TABLE {KEPT}.{name}")
        found += sql.fetchall()
    return found


def broken(sql: Any) -> list[tuple[Any, ...]]:
    """What CHECK TABLE has to say against the tables, both kinds."""
    found: list[tuple[Any, ...]] = []
    for database in (WRITTEN, KEPT):
        for name in names(sql, database):
            sql.execute(f"CHECK TABLE {database}.{name} EXTENDED")
            found += [row for row in sql.fetchall() if row[2] == "Error" or row[3] == "Corrupt"]
            sql.execute(f"SELECT COUNT(*) FROM {database}.{name}")
    return found
