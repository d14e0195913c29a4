"""A transaction through the port, and the same one by SQL. A test that runs with both sides says what
SQL does, and that the port does it, too."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Literal

import pymysql
from hs_client import Client, line, rows
from private_server import PrivateServer

Kind = Literal["port", "read port", "sql"]
KINDS: tuple[Kind, ...] = ("port", "sql")

LEVELS = {
    "RU": "READ UNCOMMITTED",
    "RC": "READ COMMITTED",
    "RR": "REPEATABLE READ",
    "SR": "SERIALIZABLE",
}
# What the port answers where SQL has these errors.
NUMBERS = {
    b"121": 1062,
    b"146": 1205,
    b"149": 1213,
    b"123": 1020,
    b"lock_tables": 1290,  # or a table that could not be locked in time
    b"interrupted": 1317,
}
LOST = "lost"  # the port's only: SQL forgets that there was a transaction


class Side:
    """One client that is in a transaction, on tables `id`, `v` with the primary key `id`."""

    def __init__(self, server: PrivateServer, kind: Kind, table: str = "hs.t", **connection: Any) -> None:
        self.kind = kind
        self.table = table
        self._thread = ThreadPoolExecutor(1)
        self._ids = {table: 1}
        if kind == "sql":
            self.sql = server.connect(**connection)
            self.cursor = self.sql.cursor()
        else:
            self.client = Client(server.port if kind == "read port" else server.port_wr)
            self.client.open(table, ["id", "v"])

    def close(self) -> None:
        """Drops the connection."""
        (self.sql if self.kind == "sql" else self.client).close()
        self._thread.shutdown()

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def later(self, action: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Does it in a thread, since it may wait."""
        return self._thread.submit(action, *arguments)

    def begin(self, level: str = "RR", only: str = "") -> object:
        """Begins a transaction; `only`: RO."""
        if self.kind == "sql":
            self.cursor.execute(f"SET SESSION TRANSACTION ISOLATION LEVEL {LEVELS[level]}")
            self.cursor.execute("START TRANSACTION" + (" READ ONLY" if only else ""))
            return 0
        return self._step("B", level, *([only] if only else []))

    def commit(self) -> object:
        """0, the number of SQL's error, or LOST."""
        return self._execute("COMMIT") if self.kind == "sql" else self._step("C")

    def rollback(self) -> object:
        """0"""
        return self._execute("ROLLBACK") if self.kind == "sql" else self._step("R")

    def savepoint(self, name: str) -> object:
        """0, or the number of SQL's error."""
        return self._execute(f"SAVEPOINT `{name}`") if self.kind == "sql" else self._step("S", name)

    def back_to(self, name: str) -> object:
        """0, or the number of SQL's error."""
        if self.kind == "sql":
            return self._execute(f"ROLLBACK TO `{name}`")
        return self._step("U", name)

    def rows(self, table: str = "") -> object:
        """All rows, or the number of SQL's error."""
        table = table or self.table
        if self.kind == "sql":
            failed = self._execute(f"SELECT id, v FROM {table} ORDER BY id")
            return failed or [(int(a), int(b)) for a, b in self.cursor.fetchall()]
        reply = self.client.pipeline([line(self._id(table), ">=", 1, -1, 1000, 0)])[0]
        if not reply.startswith(b"0\t2"):
            return _number(reply)
        return [(int(a or 0), int(b or 0)) for a, b in rows(reply)]

    def update(self, key: int, value: int, table: str = "") -> object:
        """0, or the number of SQL's error."""
        table = table or self.table
        if self.kind == "sql":
            return self._execute(f"UPDATE {table} SET v = {value} WHERE id = {key}")
        return self._change(table, "=", 1, key, 1, 0, "U", key, value)

    def insert(self, key: int, value: int, table: str = "") -> object:
        """0, or the number of SQL's error."""
        table = table or self.table
        if self.kind == "sql":
            return self._execute(f"INSERT INTO {table} (id, v) VALUES ({key}, {value})")
        return self._change(table, "+", 2, key, value)

    def delete(self, key: int, table: str = "") -> object:
        """0, or the number of SQL's error."""
        table = table or self.table
        if self.kind == "sql":
            return self._execute(f"DELETE FROM {table} WHERE id = {key}")
        return self._change(table, "=", 1, key, 1, 0, "D")

    def _id(self, table: str) -> int:
        if table not in self._ids:
            self._ids[table] = len(self._ids) + 1
            self.client.open(table, ["id", "v"], id=self._ids[table])
        return self._ids[table]

    def _change(self, table: str, *tokens: Any) -> object:
        return _number(self.client.request(self._id(table), *tokens))

    def _step(self, *tokens: Any) -> object:
        return _number(self.client.request("T", *tokens))

    def _execute(self, statement: str) -> object:
        try:
            self.cursor.execute(statement)
        except pymysql.err.MySQLError as error:
            return error.args[0]
        return 0


def _number(reply: bytes) -> object:
    """0, the number of SQL's error, or what the reply says."""
    if reply.startswith(b"0\t"):
        return 0
    text = reply.split(b"\t")[2]
    if text == b"transaction_lost":
        return LOST
    if text.startswith(b"sql_"):
        return int(text[4:].split(b" ")[0])
    return NUMBERS.get(text, text)
