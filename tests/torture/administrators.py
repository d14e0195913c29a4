"""Administrators: SQL connections that execute drawn statements meanwhile."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import mysql_dialect
import pymysql
from hang import TIMEOUT_S, Hang
from private_server import PrivateServer
from wild_tables import IS_MYSQL

Stop = Callable[[], bool]
Execute = Callable[[str], list[Any] | None]
Work = Callable[[random.Random, Execute], None]  # one round

SESSION = (
    "SET lock_wait_timeout = 5, innodb_lock_wait_timeout = 3, max_statement_time = 0,"
    " sql_mode = 'STRICT_TRANS_TABLES', foreign_key_checks = 1, unique_checks = 1,"
    " tx_isolation = 'REPEATABLE-READ', alter_algorithm = DEFAULT, max_session_mem_used = DEFAULT"
)
SESSION_ON_MYSQL = (
    "SET lock_wait_timeout = 5, innodb_lock_wait_timeout = 3, max_execution_time = 0,"
    " sql_mode = 'STRICT_TRANS_TABLES', foreign_key_checks = 1, unique_checks = 1,"
    " transaction_isolation = 'REPEATABLE-READ'"
)
# What a statement that was refused or killed may have left.
CLEANUP = ["ROLLBACK", "UNLOCK TABLES", "BACKUP STAGE END", "BACKUP UNLOCK", "DO RELEASE_ALL_LOCKS()", "SET foreign_key_checks = 1"]
CLEANUP += ["UNLOCK INSTANCE"] if IS_MYSQL else []
LOST = (2006, 2013, 2003, 2002)
HUNG = "timed out"


class Administrator:
    """Does one kind of work, round after round."""

    def __init__(
        self, name: str, seed: str, server: PrivateServer, work: Work, database: str
    ) -> None:
        self.name = name
        self.replies: Counter[str] = Counter()
        self.threads: list[int] = []  # as the error log calls them
        self.done: deque[str] = deque(maxlen=30)
        self._seed, self._server, self._work, self._database = seed, server, work, database
        self._connection: Any = None
        self._refused = False

    @property
    def last(self) -> str:
        """The statement that it executes, or the last one."""
        return self.done[-1] if self.done else ""

    def run(self, stop: Stop) -> None:
        """Until `stop`. Raises Hang, or what pymysql raises when the server is gone."""
        number = 0
        while not stop():
            self._refused = False
            self._work(random.Random(f"{self._seed}/{number}"), self._execute)
            number += 1
            for statement in CLEANUP if self._refused else []:
                self._execute(statement)
        if self._connection:
            self._connection.close()

    def _execute(self, statement: str) -> list[Any] | None:
        self.done.append(statement)
        try:
            if self._connection is None:
                self._connect()
            with self._connection.cursor() as cursor:
                cursor.execute(statement)
                rows = list(cursor.fetchall())
            self.replies["done"] += 1
            return rows
        except mysql_dialect.NotOnMysql:
            self._refused = True
            self.replies["not on MySQL"] += 1
            return None
        except pymysql.err.MySQLError as error:
            self._refused = True
            code = error.args[0] if error.args else 0
            self.replies[str(code)] += 1
            if HUNG in str(error):
                raise Hang(f"{statement!r} does not end within {TIMEOUT_S} s") from error
            if code in LOST or isinstance(error, pymysql.err.InterfaceError):
                self._connection = None
                if not self._server.running:
                    raise
            return None

    def _connect(self) -> None:
        self._connection = self._server.connect(read_timeout=TIMEOUT_S, connect_timeout=TIMEOUT_S)
        self.threads.append(self._connection.thread_id())
        with self._connection.cursor() as cursor:
            cursor.execute(SESSION_ON_MYSQL if IS_MYSQL else SESSION)
            cursor.execute(f"USE {self._database}")
