"""A table that is written through the port, and its twin that is written by SQL: the same statements
made both. What differs afterwards is a bug: rows, row events, counters."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pymysql
from hs_client import Client, Value
from private_server import PrivateServer

FORMS = {"+": "INSERT INTO", "+I": "INSERT INTO", "+U": "INSERT INTO", "+R": "REPLACE INTO"}
DUPLICATE = 1062
NO_CHECK = "The storage engine for the table doesn't support check"
# What the port answers in the place of SQL's errors.
NUMBERS = {1062: b"121", 1452: b"151", 1451: b"152", 1467: b"167", 167: b"167", 1526: b"160"}


class Twin:
    """Databases `hs` and `tw` with equal tables; `t` is the one that is written."""

    def __init__(self, server: PrivateServer, statements: Sequence[str]) -> None:
        self.server = server
        self._sql = server.connect()
        self.cursor = self._sql.cursor()
        for name in ("hs", "tw"):
            self.cursor.execute(f"CREATE OR REPLACE DATABASE {name} CHARACTER SET utf8mb4")
            self.cursor.execute(f"USE {name}")
            for statement in statements:
                self.cursor.execute(statement)
        self.cursor.execute("SET SESSION binlog_format = ROW")
        self._position = self._end_of_log()
        self.port = Client(server.port_wr)
        self.zero_is_generated = True  # sql_mode may say otherwise

    def close(self) -> None:
        """Drops the connections."""
        self.port.close()
        self._sql.close()

    def open(self, columns: Sequence[str], index: str = "PRIMARY") -> None:
        """What put() and the bytes of request() give values to."""
        self.columns = list(columns)
        self.port.open("hs.t", columns, index=index)
        self.cursor.execute("SHOW COLUMNS FROM tw.t WHERE Extra LIKE '%auto_increment%'")
        self.counted = {row[0] for row in self.cursor.fetchall()}

    def put(self, form: str, values: Sequence[Value], updates: Sequence[Value] | None = None) -> bytes:
        """One insert on both sides. Asserts that the outcomes are the same; returns the reply."""
        tokens: list[Value] = [1, form, len(values), *values]
        if updates is not None:
            tokens += [len(updates), *updates]
        reply = self.port.request(*tokens)
        expected = self._by_sql(form, values, updates)
        assert expected(reply), (form, values, updates, reply, expected)
        return reply

    def _by_sql(self, form: str, values: Sequence[Value], updates: Sequence[Value] | None) -> Expected:
        names = self.columns[: len(values)]
        quoted = ", ".join(f"`{name}`" for name in names)
        statement = f"{FORMS[form]} tw.t ({quoted}) VALUES ({', '.join(['%s'] * len(values))})"
        given = list(values)
        if form == "+U":
            if updates is None:
                kept = [n for n, v in zip(names, values) if not (n in self.counted and self._generates(v))]
                setting = [f"`{name}` = VALUES(`{name}`)" for name in kept]
            else:
                setting = [f"`{name}` = %s" for name in self.columns[: len(updates)]]
                given += updates
            if not setting:
                form = "+I"  # nothing is set
            else:
                statement += " ON DUPLICATE KEY UPDATE " + ", ".join(setting)
        try:
            count = self.cursor.execute(statement, given)
        except pymysql.Error as error:
            if form == "+I" and error.args[0] == DUPLICATE:
                return Expected(0, 0, bool(self.counted))
            return Expected(number=error.args[0])
        generated = self.cursor.lastrowid
        is_given = any(n in self.counted and not self._generates(v) for n, v in zip(names, values))
        if is_given and not (form == "+U" and count > 1):
            generated = 0
        return Expected(count, generated, bool(self.counted), form)

    def _generates(self, value: Value) -> bool:
        return value is None or (value == 0 and self.zero_is_generated)

    def assert_same(self, *tables: str) -> None:
        """Asserts that the tables have the same rows, and the log the same events."""
        for table in tables or ("t",):
            ours, theirs = (self._rows(f"{name}.{table}") for name in ("hs", "tw"))
            assert ours == theirs
            self.cursor.execute(f"CHECK TABLE hs.{table} EXTENDED")
            assert self.cursor.fetchall()[-1][-1] in ("OK", NO_CHECK)
            counters = []
            for name in ("hs", "tw"):
                self.cursor.execute(f"SHOW CREATE TABLE {name}.{table}")
                counters.append(re.findall(r"AUTO_INCREMENT=\d+", self.cursor.fetchone()[1]))
            assert counters[0] == counters[1]
        ours, theirs = self.events("hs"), self.events("tw")
        assert ours == theirs

    def _rows(self, table: str) -> list[tuple[Any, ...]]:
        self.cursor.execute(f"SELECT * FROM {table}")
        rows = [tuple("NOW" if is_present(value) else value for value in row) for row in self.cursor.fetchall()]
        return sorted(rows, key=repr)

    def _end_of_log(self) -> tuple[str, int]:
        self.cursor.execute("SHOW MASTER STATUS")
        file, position, *_ = self.cursor.fetchone()
        return file, int(position)

    def events(self, database: str) -> list[str]:
        """The row events of a database since the twin was made, as text."""
        folder = self.server.sql("SELECT @@log_bin_basename")[0][0].rpartition("/")[0]
        file, position = self._position
        shown = subprocess.run(
            [
                *self.server.program("mariadb-binlog"),
                "--no-defaults",
                "--base64-output=decode-rows",
                "-v",
                f"--start-position={position}",
                f"{folder}/{file}",
            ],
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout.decode("utf8", "replace")
        found: list[str] = []
        ours = False
        for row in shown.splitlines():
            if not row.startswith("### ") or "Extra row info" in row:
                continue
            if name := re.match(r"### (?:INSERT INTO|UPDATE|DELETE FROM) `(\w+)`\.", row):
                ours = name[1] == database
            if ours:
                found.append(masked(row.replace(f"`{database}`.", "")))
        return found


def is_present(value: object) -> bool:
    """Whether it is a time of the test."""
    return isinstance(value, datetime) and value.year > 2020


def masked(row: str) -> str:
    """The present time is another one on both sides."""
    return re.sub(r"=('20[2-9]\d-\d\d-\d\d[^']*'|1[7-9]\d{8}(\.\d+)?|2[01]\d{8}(\.\d+)?)$", "=NOW", row)


class Expected:
    """What the port must answer."""

    def __init__(
        self, count: int = 0, generated: int = 0, counted: bool = False, form: str = "", number: int = 0
    ) -> None:
        self.number = number
        self.count = min(count, 2) if form == "+U" else count  # 3: history, too
        self.generated = generated
        self.counted = counted
        self.form = form

    def __call__(self, reply: bytes) -> bool:
        if self.number:
            text = reply.split(b"\t", 2)[2]
            return text == NUMBERS.get(self.number) or text.startswith(b"sql_%d" % self.number)
        if self.form == "+":
            return reply == (b"0\t1\t%d" % self.generated if self.counted else b"0\t1")
        if self.counted:
            return reply == b"0\t2\t%d\t%d" % (self.count, self.generated)
        return reply == b"0\t1\t%d" % self.count

    def __repr__(self) -> str:
        return f"error {self.number}" if self.number else f"{self.count} id {self.generated}"
