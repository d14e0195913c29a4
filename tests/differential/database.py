"""SQL sides of the test: raw connections, and tables made twice."""

from __future__ import annotations

from typing import Any

import mysql_dialect
import pymysql
from pymysql.constants import CLIENT
from server_files import SERVER_ROOT, is_mysql

Cells = tuple[bytes | None, ...]


class SqlError(Exception):
    """A statement failed."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(f"{number} {text}")
        self.number = number
        self.text = text


class Database:
    """One connection that returns every value as the bytes of the text protocol."""

    def __init__(self, socket: str, name: str = "") -> None:
        self._connection: Any = pymysql.connect(
            unix_socket=socket,
            user="root",
            charset="utf8mb4",
            conv={},
            use_unicode=False,
            autocommit=True,
            client_flag=CLIENT.FOUND_ROWS,
            database=name or None,
        )
        self.log: list[str] = []
        self(
            "SET SESSION max_sort_length = 20000, SESSION sort_buffer_size = 33554432, SESSION lock_wait_timeout = 30"
        )

    def __call__(self, statement: str) -> int:
        """Runs a statement; returns how many rows it matched."""
        self.log.append(statement)
        try:
            if is_mysql(SERVER_ROOT):
                for before in mysql_dialect.before(statement):
                    self._connection.query(before)
                statement = mysql_dialect.translate(statement)
            count: int = self._connection.query(statement.encode("utf8", "surrogateescape"))
            return count
        except pymysql.Error as error:
            if error.args[0] in (2006, 2013, 2014):
                raise
            raise SqlError(error.args[0], str(error.args[-1])) from None
        except mysql_dialect.NotOnMysql as reason:
            raise SqlError(0, str(reason)) from None

    def rows(self, statement: str) -> list[Cells]:
        """Runs a query."""
        self(statement)
        result = self._connection._result
        return list(result.rows or ())

    @property
    def warnings(self) -> int:
        """How many warnings and notes the last statement left."""
        return int(self._connection._result.warning_count)

    @property
    def insert_id(self) -> int:
        """The id that the last statement's answer tells."""
        return int(self._connection._result.insert_id or 0)

    def one(self, statement: str) -> bytes | None:
        """The first value of a query."""
        return self.rows(statement)[0][0]

    def close(self) -> None:
        """Drops the connection."""
        self._connection.close()
