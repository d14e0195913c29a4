"""The tables on which anything may happen: making them, filling them, and putting them back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import fuzz_tables
import mysql_dialect
from fuzz_tables import Table
from server_files import SERVER_ROOT, is_mysql

DATABASE = "hs"
UNLOGGED = "unlogged"  # the binary log leaves it out: tables that are imported are there
IMPORTED = ["imported", "imported_range"]

IS_MYSQL = is_mysql(SERVER_ROOT)


def _is_on_this_server(statement: str) -> bool:
    if not IS_MYSQL:
        return True
    try:
        mysql_dialect.translate(statement)
    except mysql_dialect.NotOnMysql:
        return False
    return re.search(r"w TEXT, UNIQUE KEY w \(w\)", statement) is None  # not a whole TEXT


_TEXT = (Path(__file__).resolve().parent / "wild.sql").read_text(encoding="utf-8")
_LINES = [line.rstrip(";") for line in _TEXT.split("\n") if line and line[:2] != "--"]
_STATEMENTS = [line for line in _LINES if _is_on_this_server(line)]

# By name: the statements that make the table anew, its triggers included.
DEFINITIONS: dict[str, list[str]] = {}
for _statement in _STATEMENTS:
    if found := re.match(r"CREATE TABLE (\w+)", _statement):
        DEFINITIONS[found[1]] = [_statement]
    elif found := re.match(r"CREATE TRIGGER \w+ .* ON (\w+) FOR", _statement):
        DEFINITIONS[found[1]].append(_statement)
    elif found := re.match(r"ALTER TABLE (\w+)", _statement):
        DEFINITIONS[found[1]].append(_statement)

PARENTS = ["parent", "checked", "cascading", "tree", "chicken", "egg", "inno", "computed", "counted"]

CHILDREN = [name for name, made in DEFINITIONS.items() if "FOREIGN KEY" in str(made)]


def has_relatives(name: str) -> bool:
    """Whether the table may be in a foreign key."""
    return name.removesuffix("_away") in {*PARENTS, *CHILDREN} or name.startswith("newborn_")


# When a statement that begins so is refused, the statements behind it are left out.
MUST = "/* must */ "


def in_turn(*statements: str) -> list[str]:
    """For what makes a child of a table, and what changes how a parent is stored. A child that SQL makes
    while its parent moves to another engine is logged first, and a replica then refuses the parent's move."""
    return ["DO GET_LOCK('parents', 5)", *statements, "DO RELEASE_LOCK('parents')"]


def drop_child(name: str, parents: list[str]) -> list[str]:
    """DROP TABLE, with the parents locked against changes. The server removes a child from InnoDB
    before it logs that: a parent row that is deleted between the two, also by SQL, stops a replica."""
    locks = ", ".join(f"{table} WRITE" for table in dict.fromkeys([*parents, name]))
    return [MUST + f"LOCK TABLES {locks}", f"DROP TABLE {name}", "UNLOCK TABLES"]


def fill(name: str) -> str:
    """Inserts those of the rows 1 to 12 that are not there."""
    second = "(seq + 1) DIV 2" if re.search(r"FOREIGN KEY \(v\)", str(DEFINITIONS.get(name))) else "seq % 7"
    return f"INSERT IGNORE INTO {name} (id, v, w) SELECT seq, {second}, seq FROM seq_1_to_12"


def restore(name: str) -> list[str]:
    """Makes the table as it was at first, whatever became of it."""
    children = drop_child(name, PARENTS) if name in CHILDREN else []
    return [
        "SET foreign_key_checks = 0",
        *children,
        f"DROP VIEW IF EXISTS {name}",
        f"DROP TABLE IF EXISTS {name}, {name}_away",
        *DEFINITIONS[name],
        fill(name),
        "SET foreign_key_checks = 1",
    ]


def create(sql: Any) -> list[Table]:
    """Makes all tables on a pymysql cursor and returns what a client can know of them."""
    sql.execute(f"CREATE OR REPLACE DATABASE {DATABASE} CHARACTER SET utf8mb4")
    sql.execute(f"USE {DATABASE}")
    for statement in ["SET foreign_key_checks = 0", *_STATEMENTS, *map(fill, DEFINITIONS)]:
        sql.execute(statement)
    tables = fuzz_tables.read(sql, DATABASE)
    sql.execute(f"CREATE OR REPLACE DATABASE {UNLOGGED} CHARACTER SET utf8mb4")
    sql.execute(f"USE {UNLOGGED}")
    for name, like in zip(IMPORTED, ("inno", "inno_range"), strict=True):
        for statement in (
            f"CREATE TABLE {name} LIKE {DATABASE}.{like}",
            f"INSERT INTO {name} SELECT * FROM {DATABASE}.{like}",
        ):
            sql.execute(statement)
    imported = fuzz_tables.read(sql, UNLOGGED)
    for table in imported:
        table.name = f"{UNLOGGED}.{table.name}"
    return tables + imported
