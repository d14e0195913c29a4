"""Inserts in all their forms, as SQL."""

from __future__ import annotations

from decimal import Decimal

from cases import Request
from columns import Column, Value
from database import Database, SqlError
from outcome import Outcome
from probes import as_number
from schema import Table

DUPLICATE = (1062, 1586)


class Puts:
    """Performs inserts on the twin of a table."""

    def __init__(self, sql: Database, table: Table, zero_is_generated: bool) -> None:
        self.sql = sql
        self.table = table
        self.zero_is_generated = zero_is_generated
        self._has_triggers = "triggers" in table.features
        self._counted = next((c for c in table.columns if c.auto_increment), None)

    def perform(self, request: Request) -> Outcome:
        """The outcome of the request in SQL."""
        if self._counted:
            self.sql("SET @@last_insert_id = 0")
        rows_before = self._row_count() if request.form in ("+U", "+R") else 0
        before = self._checksum() if request.form == "+U" else None
        next_id = self._next_id() if request.form in ("+I", "+U") else None
        try:
            count = self.sql(self._statement(request))
        except SqlError as error:
            sets_nothing = request.form == "+U" and not self._setting(request)
            if (request.form == "+I" or sets_nothing) and error.number in DUPLICATE:
                if self._has_triggers:  # what BEFORE triggers have done stays
                    self._insert_ignore(request, next_id)
                return self._ignored(request)
            raise
        if request.returns_new:
            rows = list(self.sql._connection._result.rows or ())
            return Outcome(rows=rows, groups=[0] * len(rows), total=len(rows))
        answered_id = self.sql.insert_id
        generated = int(self.sql.one("SELECT LAST_INSERT_ID()") or 0) if self._counted else 0
        if request.form == "+":
            return Outcome(count=generated if self._counted else None)
        grown = self._row_count() - rows_before if request.form in ("+U", "+R") else 0
        if request.form == "+U":
            # SQL also counts rows that the engine finds to be as they were.
            count = 1 if grown else 2 if self._checksum() != before else 0
        elif request.form == "+R" and self.table.versioned and not self.table.by_transaction:
            # With FOUND_ROWS the server leaves out the old rows that it replaced.
            count = count + 1 - grown
        else:
            count = count or 1
        if request.form == "+U" and count != 1:
            generated = answered_id if count == 2 else 0
        return Outcome(count=count, id=generated if self._counted else None)

    def _ignored(self, request: Request) -> Outcome:
        if request.returns_new:
            return Outcome(rows=[], groups=[])
        return Outcome(count=0, id=0 if self._counted else None)

    def _insert_ignore(self, request: Request, next_id: bytes | None) -> None:
        """Fires BEFORE triggers. `next_id`: what the INSERT that failed may have taken of InnoDB's counter."""
        given = zip(request.spec.columns, request.values)
        value = next((v for c, v in given if c is self._counted), None)
        if next_id and self._counted and self._generates(self._counted, value):
            # One statement takes one id, not two.
            self.sql(f"SET insert_id = {next_id.decode()}")
        self.sql(self._statement(request).replace("INSERT", "INSERT IGNORE", 1))

    def _next_id(self) -> bytes | None:
        """Of a table whose counter moves even when an INSERT fails, and that the twin asks twice."""
        if not (self._counted and self._has_triggers and self.table.engine == "InnoDB"):
            return None
        return self.sql.one(
            "SELECT AUTO_INCREMENT FROM information_schema.TABLES"
            " WHERE TABLE_SCHEMA = 'tw' AND TABLE_NAME = 't'"
        )

    def _checksum(self) -> bytes | None:
        return self.sql.rows("CHECKSUM TABLE t EXTENDED")[0][1]

    def _row_count(self) -> int:
        return int(self.sql.one("SELECT COUNT(*) FROM t") or 0)

    def _statement(self, request: Request) -> str:
        columns = request.spec.columns
        given = columns[: len(request.values)]
        names = ", ".join(c.quoted for c in given)
        row = ", ".join(c.literal(v) for c, v in zip(given, request.values))
        verb = "REPLACE" if request.form == "+R" else "INSERT"
        statement = f"{verb} INTO t ({names}) VALUES ({row})"
        if request.form == "+U" and (setting := self._setting(request)):
            statement += f" ON DUPLICATE KEY UPDATE {setting}"
        if request.returns_new:
            statement += " RETURNING " + ", ".join(c.shown() for c in columns)
        return statement

    def _setting(self, request: Request) -> str:
        setting = self._given_setting(request)
        if not setting and self._has_triggers:
            column = next(c for c in self.table.columns if c.writable)
            return f"{column.quoted} = {column.quoted}"  # fires the triggers of an update
        return setting

    def _given_setting(self, request: Request) -> str:
        columns = request.spec.columns
        if request.updates is not None:
            setting = [f"{c.quoted} = {c.literal(v)}" for c, v in zip(columns, request.updates)]
        else:
            # VALUES() would be what BEFORE triggers have made of the values.
            setting = [
                f"{c.quoted} = {c.literal(v) if self._has_triggers else f'VALUES({c.quoted})'}"
                for c, v in zip(columns, request.values)
                if not (v is None and not c.writable) and not (c is self._counted and self._generates(c, v))
            ]
        return ", ".join(setting)

    def _generates(self, column: Column, value: Value) -> bool:
        if value is None:
            return True
        number = as_number(value)
        return self.zero_is_generated and (number is None or abs(number) < Decimal("0.5"))
