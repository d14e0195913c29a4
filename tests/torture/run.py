#!/usr/bin/python3
"""The torture: requests of every kind on tables of every kind, under DDL, KILL and changed settings.

tests/torture/run.py --seconds 60 --seed 1      the same seed draws the same for each client

Afterwards the server must be alive and its tables sound, every acknowledged write must be there, and
the binary log must give the same rows. The exit status is 0 then. Else the seed, what is wrong and
the end of the error log are printed, and the server's directory is kept.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

HERE = Path(__file__).resolve().parent
sys.path[:0] = [
    str(HERE),
    *(str(HERE.parents[1] / name) for name in ("scripts", "tests/e2e", "tests/fuzz_server", "tests/durability")),
]

import disturbances  # noqa: E402
import ledger_tables  # noqa: E402
import verdict  # noqa: E402
import wild_ddl  # noqa: E402
import wild_tables  # noqa: E402
from administrators import Administrator  # noqa: E402
from hang import Hang  # noqa: E402
from ledger_clients import LedgerClient, LedgerReader  # noqa: E402
from post_mortem import allow_cores, answers, crash_report, hang_report, log_tail  # noqa: E402
from private_server import PrivateServer, ServerError  # noqa: E402
from server_files import PLUGIN_FILE, SERVER  # noqa: E402
from wild_clients import WildClient  # noqa: E402

MAX_WRONG = 60  # then it ends early
# Otherwise the server keeps rolled back rows of partitioned tables: see docs/servers.md.
OF_SERVER: dict[str, dict[str, object]] = {
    "mariadb-10.11": {},
    "mysql-9.7": {"restrict_fk_on_non_standard_key": "OFF"},
}
NO_ONLINE_ALTER = {"old_mode": "UTF8_IS_UTF8MB3,LOCK_ALTER_TABLE_COPY"}
GRACE_S = 90  # until all threads have ended; more than the longest wait for a reply


class Actor(Protocol):
    """Works in a thread of its own until it is told to stop."""

    name: str

    def run(self, stop: Callable[[], bool]) -> None:
        """Raises when something is wrong."""

    @property
    def last(self) -> str:
        """What it did last."""


def variables(seed: int) -> dict[str, object]:
    """Settings of the server; some are drawn."""
    rng = random.Random(f"{seed}/server")
    return {
        "server_id": 1,
        "log_bin": "log",
        "binlog_format": "ROW",
        "binlog_ignore_db": wild_tables.UNLOGGED,
        "sync_binlog": 0,
        "max_binlog_size": rng.choice(["64K", "1M", "1G"]),
        "innodb_flush_log_at_trx_commit": 0,
        "innodb_buffer_pool_size": rng.choice(["8M", "64M"]),
        "innodb_rollback_on_timeout": rng.randrange(2),
        "innodb_lock_wait_timeout": 1,
        "innodb_fast_shutdown": 1,
        "lock_wait_timeout": 5,
        "sql_mode": disturbances.STRICT,
        **OF_SERVER.get(SERVER, NO_ONLINE_ALTER),
        "max_heap_table_size": "16M",
        "core_file": None,
        "handlersocket_character_set": rng.choice(["utf8mb4", "utf8mb4", "binary"]),
        "handlersocket_wrlock_timeout": 2,
        "handlersocket_threads": rng.choice([1, 2, 4]),
        "handlersocket_threads_wr": rng.choice([1, 2, 4]),
        "handlersocket_max_threads": rng.choice([4, 8, 64]),
        "handlersocket_max_changed_rows": rng.choice([10, 100, 1000000]),
        "handlersocket_max_rows": rng.choice([100, 4294967295]),
        "handlersocket_max_in_keys": rng.choice([5, 1048576]),
        "handlersocket_max_reply_size": rng.choice([8192, 67108864]),
        "handlersocket_max_request_size": rng.choice([4096, 67108864]),
        "handlersocket_max_buffered": rng.choice([4096, 262144]),
        "handlersocket_readsize": rng.choice([0, 100]),
        "handlersocket_spin_us": rng.choice([0, 50]),
        "handlersocket_transaction_timeout": rng.choice([1, 2, 10]),
        "handlersocket_max_transactions": rng.choice([2, 100]),
    }


class Torture:
    """One run on a running server."""

    def __init__(self, server: PrivateServer, seed: int, clients: int) -> None:
        self.server = server
        self.failures: list[str] = []
        self._hung = False
        with server.connect() as connection, connection.cursor() as sql:
            tables = wild_tables.create(sql)
            for statement in ledger_tables.statements():
                sql.execute(statement)
        ports = (server.port, server.port_wr)
        self.wild = [WildClient(f"wild {i}", f"{seed}/wild/{i}", tables, ports) for i in range(clients)]
        self.ledger = [
            LedgerClient(f"ledger {i}", i + 1, f"{seed}/ledger/{i}", server.port_wr)
            for i in range(clients)
        ]
        self.reader = LedgerReader("reader", f"{seed}/reader", server.port, clients)
        self.administrators = [
            Administrator(name, f"{seed}/{name}", server, work, database)
            for name, work, database in self._works()
        ]
        self.judges = [*self.wild, *self.ledger, self.reader]
        self.actors: list[Any] = [*self.judges, *self.administrators]

    def _works(self) -> list[tuple[str, Callable[[random.Random, Any], None], str]]:
        def wild(rng: random.Random, execute: Any) -> None:
            for statement in wild_ddl.draw(rng):
                if execute(statement) is None and statement.startswith(wild_tables.MUST):
                    break

        def kept(rng: random.Random, execute: Any) -> None:
            for statement in ledger_tables.draw(rng, wild_ddl.pause(rng)):
                execute(statement)

        data = self.server.data_directory
        return [
            ("ddl 1", wild, wild_tables.DATABASE),
            ("ddl 2", wild, wild_tables.DATABASE),
            ("ddl of the ledger", kept, ledger_tables.DATABASE),
            ("settings", disturbances.settings, wild_tables.DATABASE),
            ("kill", disturbances.kill, wild_tables.DATABASE),
            ("tablespaces", lambda r, e: disturbances.tablespaces(r, e, data), wild_tables.UNLOGGED),
        ]

    def run(self, seconds: float) -> None:
        """Runs everything for so long, and collects in `failures` what is wrong."""
        deadline = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._guarded, args=(actor, deadline), daemon=True)
            for actor in self.actors
        ]
        for thread in threads:
            thread.start()
        for thread, actor in zip(threads, self.actors, strict=True):
            while thread.is_alive() and self.server.running and not self._hung:
                thread.join(0.5)
                if time.monotonic() > deadline + GRACE_S:
                    self._hung = True
                    self.failures.append(f"{actor.name} does not end; its last: {actor.last}")
        if not answers(self.server):
            self.failures.insert(0, f"the server has ended with {self.server.exit_code}")
        elif self._hung:
            self.failures.append(hang_report(self.server))
        self.failures += self._wrong()[:MAX_WRONG]
        if self.server.running and not self._hung:
            self._check()
        if not self.server.running:
            self.failures.append(crash_report(self.server))

    def _wrong(self) -> list[str]:
        return [f"{actor.name}: {found}" for actor in self.judges for found in actor.wrong]

    def _guarded(self, actor: Any, deadline: float) -> None:
        def stop() -> bool:
            enough = self._hung or len(self._wrong()) > MAX_WRONG or bool(self.failures)
            return enough or time.monotonic() > deadline or not self.server.running

        try:
            actor.run(stop)
        except Hang as error:
            self._hung = True
            self.failures.append(f"{actor.name}: {error}; its last: {actor.last}")
        except Exception:  # noqa: BLE001
            if answers(self.server):
                self.failures.append(f"{actor.name}: {traceback.format_exc()}")

    def _check(self) -> None:
        accounts = [client.account for client in self.ledger]
        checks: list[Callable[[], list[str]]] = [
            lambda: verdict.settle(self.server),
            lambda: verdict.log(self.server),
            lambda: verdict.tables(self.server),
            lambda: verdict.ledger(self.server, accounts),
            lambda: verdict.replayed(self.server),
        ]
        for check in checks:
            try:
                self.failures += check()
            except Exception:  # noqa: BLE001
                self.failures.append(traceback.format_exc()[-600:])
            if not answers(self.server):
                self.failures.insert(0, f"the server has ended with {self.server.exit_code} while it was checked")
                return

    def summary(self) -> str:
        """How much was done."""
        lines = []
        for title, counters in {
            "wild clients": [client.replies for client in self.wild],
            "ledger clients": [client.account.replies for client in self.ledger],
            "reader": [self.reader.replies],
            **{a.name: [a.replies] for a in self.administrators},
        }.items():
            total: Counter[str] = sum(counters, Counter())
            shown = ", ".join(f"{name} {count}" for name, count in total.most_common(20))
            lines.append(f"{title}: {total.total()} ({shown})")
        sql = {a.name: a.threads for a in self.administrators}
        lines.append(f"threads of SQL: {sql}")
        groups = [group for client in self.ledger for group in client.account.groups]
        lines.append(f"groups of rows: {len(groups)}, {sum(g.unclear for g in groups)} unclear")
        return "\n".join(lines)


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument("--seed", type=int, default=1, help="what is drawn (default 1)")
    parser.add_argument("--clients", type=int, default=2, help="of each kind (default 2)")
    parser.add_argument("--plugin", type=Path, default=PLUGIN_FILE, help="another handlersocket2.so")
    parser.add_argument("--keep", action="store_true", help="keep the server's directory")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    allow_cores()
    directory = Path(tempfile.mkdtemp(prefix="hs-torture-"))
    begin = time.monotonic()
    with PrivateServer(
        directory, variables=variables(options.seed), plugin_file=options.plugin
    ) as server:
        torture = Torture(server, options.seed, options.clients)
        torture.run(options.seconds)
        print(torture.summary())
        try:
            server.stop()
        except ServerError as error:
            torture.failures.append(f"the server does not stop: {error}")
    for failure in torture.failures[: 3 * MAX_WRONG]:
        print(f"FOUND: {failure}")
    if torture.failures:
        print("the end of the error log:\n" + "\n".join(log_tail(server)))
    if torture.failures or options.keep:
        print(f"kept: {directory}")
    else:
        shutil.rmtree(directory, ignore_errors=True)
    print(
        f"seed {options.seed}: {len(torture.failures)} failures, {time.monotonic() - begin:.0f} s"
    )
    return 1 if torture.failures else 0


if __name__ == "__main__":
    sys.exit(main())
