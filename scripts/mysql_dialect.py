"""Lets statements that are written for MariaDB run on MySQL, where it has the same by another name.

The tests and the sample table use MariaDB's tables of sequences (seq_1_to_9), and look at its binary
log. PrivateServer.connect() has connections to a MySQL use this cursor.
"""

from __future__ import annotations

import re

from pymysql.cursors import Cursor

# More rows than any statement takes from a sequence.
SESSION = "SET SESSION cte_max_recursion_depth = 10000000"

_SEQUENCE = re.compile(r"(?:\b\w+\.)?\b(seq_(\d+)_to_(\d+))\b(?!\s*AS\b)")
_NUMBERS = (
    r"(WITH RECURSIVE numbers (seq) AS (SELECT \2 UNION ALL SELECT seq + 1 FROM numbers"
    r" WHERE seq < \3) SELECT seq FROM numbers) AS \1"
)
_OTHER_NAMES = {
    "SHOW MASTER STATUS": "SHOW BINARY LOG STATUS",
    "@@GLOBAL.gtid_binlog_pos": "@@GLOBAL.gtid_executed",
}


def translate(statement: str) -> str:
    """The statement as MySQL has it."""
    for name, other in _OTHER_NAMES.items():
        statement = statement.replace(name, other)
    return _SEQUENCE.sub(_NUMBERS, statement)


class MysqlCursor(Cursor):
    """A cursor that translates what it executes."""

    def mogrify(self, query: str, args: object = None) -> str:
        """The statement that is sent for `query` and its values."""
        return str(super().mogrify(translate(query), args))
