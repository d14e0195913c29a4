"""The checks after any torture: sound tables, no acknowledged write lost, a log that replays."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import fuzz_tables
import pymysql
import ledger_tables
import servers
import wild_tables
from ledger_clients import Account
from private_server import PrivateServer
from wild_tables import IS_MYSQL

SETTLE_S = 60
REPLAY_S = 300
# Where tables refer to each other MySQL itself logs what cannot be replayed (docs/servers.md). So its
# replica goes on, and the rows of all other tables are compared.
GOES_ON = {"replica_exec_mode": "IDEMPOTENT", "replica_skip_errors": "all"}
LOGGED = [wild_tables.DATABASE, ledger_tables.DATABASE]
DATABASES = [*LOGGED, wild_tables.UNLOGGED]
# Texts that the error log must never have.
NEVER = re.compile(
    r"Turning logging off|handlersocket.*(?:exception|bug|bad_alloc)|got signal|Assertion|marked as crashed"
    r"|\[ERROR\] .*is corrupted|mysqld got|\[ERROR\] InnoDB: .*[Cc]orrupt"
)


def settle(server: PrivateServer) -> list[str]:
    """Waits until requests of connections that are gone have ended, their transactions, and the
    sessions of those."""
    sessions = (
        "SELECT COUNT(*) FROM information_schema.processlist"
        " WHERE user = 'handlersocket' AND state = 'handlersocket: transaction'"
    )
    looks: dict[str, Callable[[], int]] = {
        "connections are": lambda: servers.status(server, "Handlersocket_connections_open"),
        "transactions are": lambda: servers.status(server, "Handlersocket_transactions_open"),
        "sessions of transactions are": lambda: int(server.sql(sessions)[0][0]),
    }
    for what, left in looks.items():
        deadline = time.monotonic() + SETTLE_S
        while left():
            if time.monotonic() > deadline:
                return [f"{what} still open {SETTLE_S} s after their clients are gone"]
            time.sleep(0.05)
    return []


def log(server: PrivateServer) -> list[str]:
    """Lines of the error log that must not be there."""
    return [line for line in server.error_log().split("\n") if NEVER.search(line)][:10]


def tables(server: PrivateServer) -> list[str]:
    """Faults that CHECK TABLE finds."""
    found = []
    with server.connect() as connection, connection.cursor() as sql:
        for database in DATABASES:
            for name in fuzz_tables.names(sql, database):
                sql.execute(f"CHECK TABLE {database}.{name} EXTENDED")
                rows = sql.fetchall()
                if database == wild_tables.UNLOGGED and "iscarded" in repr(rows):
                    continue  # an import has failed, and the rows are gone
                bad = [row for row in rows if row[2].lower() == "error" or row[3] == "Corrupt"]
                found += [f"CHECK TABLE: {rows}"] if bad else []
    return found


def ledger(server: PrivateServer, accounts: Sequence[Account]) -> list[str]:
    """Every row is there that must be, and no other."""
    wrong = []
    for away in servers.tables(server, ledger_tables.DATABASE):
        if away.endswith("_away"):  # its RENAME was killed half-way
            server.sql(f"RENAME TABLE {away} TO {away.removesuffix('_away')}")
    for name in ledger_tables.TABLES:
        stored: dict[int, dict[int, Any]] = {}
        for group, id_, n, u, t in server.sql(
            f"SELECT grp, id, n, u, t FROM {ledger_tables.DATABASE}.{name}"
        ):
            stored.setdefault(group, {})[id_] = (n, u, t)
        for account in accounts:
            for group in account.groups:
                rows = stored.pop(group.number, {}) if group.table == name else None
                if rows is not None and not group.possible(rows):
                    wrong.append(
                        f"{name} group {group.number}: stored {sorted(rows.items())}, answered"
                        f" {sorted(group.rows.items())}, or {len(group.states)} others"
                    )
        wrong += [f"{name} group {number}: no client has written {rows}" for number, rows in stored.items()]
    return wrong + _serials(server, accounts) + _counters(server, accounts) + _generated(server)


def _serials(server: PrivateServer, accounts: Sequence[Account]) -> list[str]:
    wrong = []
    for name in ledger_tables.SERIALS:
        rows = server.sql(f"SELECT tag, id FROM {ledger_tables.DATABASE}.{name} WHERE tag > 0")
        stored = dict(rows)
        told = {tag: id_ for account in accounts for tag, id_ in account.serials[name].items()}
        perhaps = {tag for account in accounts for tag in account.perhaps[name]}
        if len(stored) < len(rows):
            wrong.append(f"{name}: a row was inserted twice")
        lost = {tag: id_ for tag, id_ in told.items() if stored.get(tag) != id_}
        extra = set(stored) - set(told) - perhaps
        if lost or extra:
            refused = {tag: reply for a in accounts for tag, reply in a.refused.items() if tag in extra}
            wrong.append(f"{name}: lost {sorted(lost.items())[:5]}, stored but refused {refused}")
    return wrong


def _counters(server: PrivateServer, accounts: Sequence[Account]) -> list[str]:
    wrong = []
    for name in ledger_tables.COUNTERS:
        ((total,),) = server.sql(f"SELECT SUM(n) FROM {ledger_tables.DATABASE}.{name}")
        least = sum(account.counted[name] for account in accounts)
        most = least + sum(account.uncertain[name] for account in accounts)
        if not least <= total <= most:
            wrong.append(f"{name}: counted to {total}, acknowledged {least} to {most}")
    return wrong


def _generated(server: PrivateServer) -> list[str]:
    """Generated columns with the indexes on them, and what foreign keys keep together."""
    table = f"{ledger_tables.DATABASE}.inno_gen"
    ((rows,),) = server.sql(f"SELECT COUNT(*) FROM {table} FORCE INDEX (PRIMARY)")
    ((good,),) = server.sql(
        f"SELECT COUNT(*) FROM {table} FORCE INDEX (g) WHERE g = n * 2 AND s <=> CONCAT(t, '!')"
    )
    wrong = [] if rows == good else [f"{table}: {rows - good} rows have wrong generated columns"]
    for child in ledger_tables.CHILDREN:
        ((orphans,),) = server.sql(
            f"SELECT COUNT(*) FROM {ledger_tables.DATABASE}.{child} c LEFT JOIN"
            f" {ledger_tables.DATABASE}.inno_parent p USING (grp, id)"
            " WHERE p.id IS NULL AND c.id IS NOT NULL"
        )
        wrong += [f"{child}: {orphans} rows have no parent"] if orphans else []
    return wrong


def replayed(server: PrivateServer) -> list[str]:
    """A replica that begins with the first event of the binary log has the same rows."""
    with PrivateServer(
        server.directory / "replica",
        plugin="none",
        variables={
            "server_id": 2,
            "innodb_flush_log_at_trx_commit": 0,
            "max_heap_table_size": "64M",
            **(GOES_ON if IS_MYSQL else {"slave_net_timeout": 10}),
        },
    ) as copy:
        servers.follow(copy, server)
        deadline = time.monotonic() + REPLAY_S
        position = server.sql("SELECT @@GLOBAL.gtid_binlog_pos")[0][0]
        unordered = int(IS_MYSQL)
        while copy.sql("SELECT MASTER_GTID_WAIT(%s, 1)", [position])[0][0] != 0:
            state = servers.slave_status(copy)
            if _is_unordered(state["Last_SQL_Error"]):
                unordered += 1
                print(f"not judged: {state['Last_SQL_Error']}")
                copy.sql("SET GLOBAL sql_slave_skip_counter = 1")
                copy.sql("START SLAVE")
            elif state["Slave_SQL_Running"] != "Yes" or state["Last_IO_Errno"]:
                return [f"the binary log does not replay: {_why_stopped(copy, state)}"]
            if time.monotonic() > deadline:
                return [f"the binary log is not replayed within {REPLAY_S} s"]
        return list(_differences(server, copy, bool(unordered)))


def _why_stopped(copy: PrivateServer, state: dict[str, object]) -> str:
    """What the replica says. That of MySQL names only the worker that knows more."""
    workers = (
        "SELECT last_error_message FROM performance_schema.replication_applier_status_by_worker"
        " WHERE last_error_number <> 0"
    )
    told = [message for (message,) in copy.sql(workers)] if IS_MYSQL else [state["Last_Error"]]
    return "; ".join(map(str, told)) or str(state["Last_IO_Error"])


def _is_unordered(error: str) -> bool:
    """DDL on a family of tables is done in InnoDB before it is in the log. Between the two another
    session may change a parent, also by SQL. So the order in the log may be an impossible one."""
    found = re.search(r"event on table hs\.(\w+)", error)
    return found is not None and wild_tables.has_relatives(found[1])


def _differences(
    server: PrivateServer, copy: PrivateServer, unordered: bool
) -> Iterable[str]:
    for database in LOGGED:
        names = servers.tables(server, database)
        if names != (others := servers.tables(copy, database)):
            yield f"tables of {database}: {sorted(set(names) ^ set(others))} are not on both servers"
        for name in set(names) & set(others):
            if unordered and database == "hs" and wild_tables.has_relatives(name.split(".")[1]):
                continue
            yield from _difference(server, copy, name)


def _difference(server: PrivateServer, copy: PrivateServer, name: str) -> Iterable[str]:
    try:
        here, there = (_rows(s, name) for s in (server, copy))
    except pymysql.err.MySQLError as error:
        yield f"{name}: {error}"
        return
    if here != there:
        yield (
            f"{name} replayed is different: {here.total()} rows and {there.total()}; only on the"
            f" server {list(here - there)[:3]}, only on the replica {list(there - here)[:3]}"
        )


def _rows(server: PrivateServer, name: str) -> Counter[str]:
    """All rows, those of the past included, as bytes: a COMPRESSED text may be broken."""
    ((_, definition),) = server.sql(f"SHOW CREATE TABLE {name}")
    past = ""
    if "SYSTEM VERSIONING" in definition:
        past = "FOR SYSTEM_TIME ALL"
    with server.connect(use_unicode=False) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {name} {past}")
        return Counter(map(repr, cursor.fetchall()))
