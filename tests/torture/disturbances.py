"""Disturbances other than DDL: changed settings, KILL, imported tablespaces, locks."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wild_ddl import pause
from wild_tables import IMPORTED, IS_MYSQL, UNLOGGED

STRICT = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
STRICT += "" if IS_MYSQL else ",NO_AUTO_CREATE_USER"
# Each variable is set to one of its values for a moment, and then to the first. foreign_key_checks is
# none of them: without it the ledger's children lose their parents, as in SQL.
SETTINGS: dict[str, list[str]] = {
    "sql_mode": [f"'{STRICT}'", "''", "'STRICT_ALL_TABLES'", "'TRADITIONAL,ANSI'", "'PAD_CHAR_TO_FULL_LENGTH,NO_AUTO_VALUE_ON_ZERO'"],
    "read_only": ["0", "1"],
    "innodb_lock_wait_timeout": ["1", "3", "0"],
    "lock_wait_timeout": ["5", "1"],
    "time_zone": ["SYSTEM", "'+05:00'", "'-11:30'"],
    "max_statement_time": ["0", "0.001", "0.05"],
    "binlog_row_image": ["FULL", "MINIMAL", "NOBLOB"],
    "unique_checks": ["1", "0"],
    "table_open_cache": ["2000", "10"],
    "tx_isolation": ["'REPEATABLE-READ'", "'READ-COMMITTED'", "'SERIALIZABLE'", "'READ-UNCOMMITTED'"],
    "max_heap_table_size": ["16777216", "16384"],
    "binlog_checksum": ["CRC32", "NONE"],
    "innodb_adaptive_hash_index": ["0", "1"],
    "innodb_deadlock_detect": ["1", "0"],
    "slow_query_log": ["0", "1"],
    "general_log": ["0", "1"],
    "userstat": ["0", "1"],
    "handlersocket_verbose": ["10", "0", "10000"],
    "lc_messages": ["'en_US'", "'de_DE'"],
    "max_session_mem_used": ["9223372036854775807", "200000"],
    "old_mode": ["'UTF8_IS_UTF8MB3'", "''"],
    "character_set_server": ["utf8mb4", "latin1"],
    "div_precision_increment": ["4", "0"],
    "autocommit": ["1", "0"],
}  # fmt: skip
if IS_MYSQL:
    for _name in ("max_statement_time", "tx_isolation", "userstat", "max_session_mem_used", "old_mode"):
        del SETTINGS[_name]
    SETTINGS |= {
        "innodb_lock_wait_timeout": ["1", "3"],
        "max_execution_time": ["0", "1", "50"],
        "transaction_isolation": ["'REPEATABLE-READ'", "'READ-COMMITTED'", "'SERIALIZABLE'", "'READ-UNCOMMITTED'"],
        "transaction_read_only": ["0", "1"],
        "super_read_only": ["0, GLOBAL read_only = 0", "1"],
        "offline_mode": ["0", "1"],
        "binlog_rows_query_log_events": ["0", "1"],
        "binlog_row_value_options": ["''", "'PARTIAL_JSON'"],
        "binlog_row_metadata": ["MINIMAL", "FULL"],
        "binlog_transaction_compression": ["0", "1"],
        "session_track_gtids": ["OFF", "ALL_GTIDS"],
        "session_track_transaction_info": ["OFF", "CHARACTERISTICS"],
        "stored_program_cache": ["256", "16"],
        "gtid_mode": ["ON", "ON_PERMISSIVE"],
        "innodb_strict_mode": ["1", "0"],
        "enable_cascade_triggers": ["0", "1"],
        "default_collation_for_utf8mb4": ["utf8mb4_0900_ai_ci", "utf8mb4_general_ci"],
    }  # fmt: skip
THREADS = "SELECT id FROM information_schema.processlist WHERE user = 'handlersocket'"
# Some statements are spared, since the server itself does not survive it when they are killed: those
# that rebuild MyISAM and Aria leave a crashed table, and REBUILD PARTITION loses rows of InnoDB. A query
# is killed by its own number, or else what its connection executes next dies in its place. MySQL has no
# such number; there, the connection that imports tables is left alone.
QUERIES = (
    f"SELECT {'id' if IS_MYSQL else 'query_id'} FROM information_schema.processlist WHERE user = 'root'"
    " AND id <> CONNECTION_ID() AND info RLIKE '^(ALTER|CREATE|DROP|RENAME|TRUNCATE|DO)'"
    " AND info NOT RLIKE 'KEYS|SELECT|PARTITION|aria|isam'"
)
QUERIES += f" AND db <> '{UNLOGGED}'" if IS_MYSQL else ""
KILL_QUERY = "KILL QUERY" if IS_MYSQL else "KILL QUERY ID"
VERBS = ["KILL", "KILL QUERY", "KILL CONNECTION"]
VERBS += [] if IS_MYSQL else ["KILL HARD", "KILL SOFT", "KILL SOFT QUERY"]

Execute = Callable[[str], list[Any] | None]  # rows; None when the server refuses


def settings(rng: random.Random, execute: Execute) -> None:
    """Changes one or two settings for a moment, or begins a new binary log."""
    if rng.random() < 0.15:
        execute(rng.choice(["FLUSH BINARY LOGS", "FLUSH ENGINE LOGS", "FLUSH STATUS", "FLUSH HOSTS"]))
    names = rng.sample(list(SETTINGS), rng.choice((1, 1, 2)))
    values = [rng.choice(SETTINGS[name][1:]) for name in names]
    wait = pause(rng)
    for name, value in zip(names, values, strict=True):
        execute(f"SET GLOBAL {name} = {value}")
    execute(wait)
    for name in names:
        execute(f"SET GLOBAL {name} = {SETTINGS[name][0]}")


def kill(rng: random.Random, execute: Execute) -> None:
    """Kills some of the plugin's threads, or DDL; sometimes the plugin itself is removed."""
    wait, verb, ours = pause(rng), rng.choice(VERBS), rng.random() < 0.85
    share = rng.random()
    if rng.random() < 0.01:
        gone = execute("UNINSTALL PLUGIN handlersocket") is not None
        execute(wait)
        # MySQL refuses it while it is super_read_only.
        while execute("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'") is None and gone:
            execute(wait)
    for (number,) in execute(THREADS if ours else QUERIES) or []:
        if rng.random() < share:
            execute(f"{verb if ours else KILL_QUERY} {number}")
    execute(wait)


def tablespaces(rng: random.Random, execute: Execute, data: Path) -> None:
    """Copies the files of a table, and imports them later."""
    name = rng.choice(IMPORTED)
    folder = data / UNLOGGED
    kept = data.parent / "exported"
    kept.mkdir(exist_ok=True)
    table = f"{UNLOGGED}.{name}"
    wait, change = pause(rng), rng.choice(["FORCE", "AUTO_INCREMENT=5", "ADD KEY k_x (w)", "DROP KEY k_x"])
    exported = execute(f"FLUSH TABLES {table} FOR EXPORT") is not None
    for file in [*folder.glob(f"{name}.*"), *folder.glob(f"{name}#*")]:
        if exported and file.suffix in (".ibd", ".cfg"):
            shutil.copy(file, kept / file.name)
    execute("UNLOCK TABLES")
    execute(wait)
    if rng.random() < 0.3:
        execute(f"ALTER TABLE {table} {change}")
    execute(f"INSERT IGNORE INTO {table} (id, v, w) SELECT seq, seq, seq FROM {UNLOGGED}.seq_1_to_12")
    if execute(f"ALTER TABLE {table} DISCARD TABLESPACE") is None:
        return
    execute(wait)
    for file in kept.glob(f"{name}[.#]*"):
        shutil.copy(file, folder / file.name)
    execute(f"ALTER TABLE {table} IMPORT TABLESPACE")
    execute(wait)
