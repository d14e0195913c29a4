"""Lets statements that are written for MariaDB run on MySQL, where it has the same by another name.

The tests and the sample table use MariaDB's tables of sequences (seq_1_to_9), look at its binary log,
and write CREATE OR REPLACE. PrivateServer.connect() has connections to a MySQL use this cursor. A statement
that needs what MySQL has in no form raises NotOnMysql.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

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
    "RESET MASTER": "RESET BINARY LOGS AND GTIDS",
    "@@GLOBAL.gtid_binlog_pos": "@@GLOBAL.gtid_executed",
    "@@gtid_binlog_pos": "@@GLOBAL.gtid_executed",
    "CONNECTION ADMIN": "CONNECTION_ADMIN",
    "FLUSH SSL": "ALTER INSTANCE RELOAD TLS",
    "@@last_gtid": "@@GLOBAL.gtid_executed",
    " PERSISTENT FOR ALL": "",
    "@@GLOBAL.gtid_current_pos": "@@GLOBAL.gtid_executed",
    "MASTER_GTID_WAIT(": "WAIT_FOR_EXECUTED_GTID_SET(",
    "CHANGE MASTER TO": "CHANGE REPLICATION SOURCE TO",
    "MASTER_USE_GTID = slave_pos": "SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1",
    ", MASTER_DEMOTE_TO_SLAVE = %s": "",
    **{f" MASTER_{what} =": f" SOURCE_{what} =" for what in ("HOST", "PORT", "USER", "PASSWORD")},
    **{f"{verb} SLAVE": f"{verb} REPLICA" for verb in ("START", "STOP", "RESET", "SHOW")},
    "pl_semi_sync_master_": "pl_semi_sync_source_",
    "pl_semi_sync_slave_": "pl_semi_sync_replica_",
    "utf8mb4_unicode_nopad_ci": "utf8mb4_0900_ai_ci",
    "utf8mb4_nopad_bin": "utf8mb4_0900_bin",
    "utf8mb4_uca1400_ai_ci": "utf8mb4_0900_ai_ci",
    "tx_isolation": "transaction_isolation",
}
# The plugins in each of our files. MySQL installs them one by one.
_PLUGINS = {
    "handlersocket2": ["handlersocket"],
    "handlersocket2_tables": [
        f"HANDLERSOCKET_{table}" for table in ("CONNECTIONS", "INDEXES", "LATENCY", "LATENCY_BUCKETS", "TTL")
    ],
}
_SONAME = re.compile(r"\s*(UN)?INSTALL SONAME '(handlersocket2\w*)(\.so)?'", re.IGNORECASE)
_OR_REPLACE = re.compile(
    r"\s*CREATE OR REPLACE (DATABASE|TABLE|USER|PROCEDURE|FUNCTION|TRIGGER)\s+"
    r"((?:`(?:[^`]|``)+`|'[^']*'|[\w.@])+)",
    re.IGNORECASE,
)
_DEFAULT_ROLE = re.compile(r"(SET DEFAULT ROLE \S+) FOR ", re.IGNORECASE)
_FOR_ONE_STATEMENT = re.compile(r"\s*SET STATEMENT (\w+)\s*=\s*(\S+) FOR ", re.IGNORECASE)

_IF_THERE = re.compile(r"\b(ADD|DROP) (COLUMN|KEY|INDEX|CONSTRAINT) IF (?:NOT )?EXISTS\b")

# MariaDB's options of a server, and MySQL's; None: it needs none.
_OTHER_OPTIONS = {
    "log_warnings": None,
    "innodb_log_file_size": "innodb_redo_log_capacity",
    "slave_parallel_threads": "replica_parallel_workers",
    "slave_parallel_mode": None,
    "rpl_semi_sync_slave_enabled": "rpl_semi_sync_replica_enabled",
    "init_rpl_role": None,
}

# What a statement has, and what MySQL therefore lacks.
_ABSENT = {
    re.compile(pattern, re.IGNORECASE): what
    for pattern, what in {
        r"SYSTEM VERSIONING|PERIOD FOR SYSTEM_TIME": "no system versioning",
        r"PERIOD FOR|WITHOUT OVERLAPS": "no application-time periods",
        r"ENGINE\s*=\s*Aria": "no Aria",
        r"^\s*CREATE\b.*\bTABLE\b.*\b(UUID|INET4|INET6)\b": "no types UUID, INET4 and INET6",
        r"^\s*CREATE\b.*\bTABLE\b.*(\)|TEXT|BLOB)\s*COMPRESSED\b": "no compressed columns",
        r"^\s*CREATE (OR REPLACE )?SEQUENCE|NEXTVAL\(": "no sequences",
        r"^\s*BACKUP (STAGE|LOCK|UNLOCK)": "no BACKUP STAGE",
        r"IDENTIFIED VIA": "no such method of accounts",
        r"query_cache_": "no query cache",
        r"INSTALL SONAME '(?!handlersocket2)": "no such plugin",
        r"innodb_snapshot_isolation": "no innodb_snapshot_isolation",
        r"max_statement_time": "no max_statement_time",
        r"max_session_mem_used": "no max_session_mem_used",
        r"\buserstat\b": "no userstat",
        r"\bwsrep_": "no Galera",
        r"ENGINE\s*=\s*(MyISAM|MEMORY)\b.*\bPARTITION BY": "no partitions of MyISAM and MEMORY",
        r"\b(BEFORE|AFTER) \w+( OR \w+)+ ON\b": "no triggers on several events",
        r"^\s*(INSERT|REPLACE|DELETE)\b.*\bRETURNING\b": "no RETURNING",
    }.items()
}


def options(given: Mapping[str, object]) -> dict[str, object]:
    """The options of a server as MySQL has them."""
    named = ((_OTHER_OPTIONS.get(name, name), value) for name, value in given.items())
    return {name: value for name, value in named if name is not None}


class NotOnMysql(Exception):
    """MySQL has nothing that the statement would do the same with."""


def translate(statement: str) -> str:
    """The statement as MySQL has it."""
    for pattern, what in _ABSENT.items():
        if pattern.search(statement):
            raise NotOnMysql(f"MySQL has {what}")
    statement = _FOR_ONE_STATEMENT.sub("", _OR_REPLACE.sub(r"CREATE \1 \2", statement))
    statement = _IF_THERE.sub(r"\1 \2", statement).replace("RENAME TABLE IF EXISTS", "RENAME TABLE")
    statement = _DEFAULT_ROLE.sub(r"\1 TO ", statement)
    if plugins := _each_plugin(statement):
        return plugins[-1]
    for name, other in _OTHER_NAMES.items():
        statement = statement.replace(name, other)
    return _SEQUENCE.sub(_NUMBERS, statement)


def _each_plugin(statement: str) -> list[str]:
    """The statements of an (UN)INSTALL SONAME of one of our files; of another statement none."""
    match = _SONAME.match(statement)
    if match is None:
        return []
    removes, file, _ending = match.groups()
    if removes:
        return [f"UNINSTALL PLUGIN {plugin}" for plugin in _PLUGINS[file]]
    return [f"INSTALL PLUGIN {plugin} SONAME '{file}.so'" for plugin in _PLUGINS[file]]


def before(statement: str) -> list[str]:
    """What is executed before the statement, which OR REPLACE or SONAME says in one."""
    if plugins := _each_plugin(statement):
        return plugins[:-1]
    match = _OR_REPLACE.match(statement)
    if match is None:
        return []
    kind, name = match.groups()
    names = [name]
    if kind.upper() == "USER":
        names += re.findall(r",\s*([^\s,]+)", statement[match.end() :].split(" IDENTIFIED")[0])
    return [f"DROP {kind} IF EXISTS {one}" for one in names]


def _for_one(statement: str) -> tuple[str, str] | None:
    """The statements around one with settings of its own, SET STATEMENT … FOR."""
    match = _FOR_ONE_STATEMENT.match(statement)
    if match is None:
        return None
    name, value = match.groups()
    return f"SET @hs_kept = @@SESSION.{name}, SESSION {name} = {value}", f"SET SESSION {name} = @hs_kept"


class MysqlCursor(Cursor):
    """A cursor that translates what it executes."""

    def mogrify(self, query: str | bytes, args: object = None) -> str | bytes:
        """The statement that is sent for `query` and its values. executemany() gives bytes: rows to insert."""
        return query if not isinstance(query, str) else str(super().mogrify(translate(query), args))

    def execute(self, query: str | bytes, args: object = None) -> int:
        """Executes it, and what MySQL needs before it and behind it."""
        if not isinstance(query, str):
            return int(super().execute(query, args))
        for statement in before(query):
            self.connection.query(statement)
        around = _for_one(query)
        if around is None:
            return int(super().execute(query, args))
        self.connection.query(around[0])
        try:
            return int(super().execute(query, args))
        finally:
            self.connection.query(around[1])
