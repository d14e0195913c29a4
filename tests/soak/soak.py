#!/usr/bin/python3
"""Churn for a long time: connect, open, find, change, alter, drop and create, disconnect; and whether
memory and the table cache stay as they are.

tests/soak/soak.py --seconds 600 [--seed 1]     prints a line now and then; exits with 1 when the
                                                server has grown by more than --growth MiB since
                                                the warm-up, the first quarter of the time
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "scripts"), str(HERE.parent / "e2e")]

from hs_client import Client  # noqa: E402
from private_server import PrivateServer  # noqa: E402
from server_files import SERVER_ROOT, is_mysql  # noqa: E402

TABLES = 8
CONNECTIONS = 20  # of each round
COLUMNS = ["id", "v", "b"]
ENGINES = ["InnoDB", "InnoDB", "MyISAM"] if is_mysql(SERVER_ROOT) else ["InnoDB", "InnoDB", "Aria", "MyISAM"]
CREATE = (
    "CREATE OR REPLACE TABLE hs.t{} (id INT PRIMARY KEY, v INT, b TEXT, KEY v (v)) ENGINE={}"
)


@dataclass(frozen=True)
class Sample:
    """What a server holds at one moment."""

    rounds: int
    resident_kib: int
    threads: int
    open_tables: int
    opened_tables: int
    definitions: int

    def __str__(self) -> str:
        return (
            f"round {self.rounds}: {self.resident_kib / 1024:.1f} MiB, {self.threads} threads,"
            f" Open_tables {self.open_tables}, Opened_tables {self.opened_tables},"
            f" Open_table_definitions {self.definitions}"
        )


def make_server() -> PrivateServer:
    """A small server, so that what grows is seen."""
    return PrivateServer(
        variables={
            "handlersocket_threads": 2,
            "handlersocket_threads_wr": 2,
            "innodb_buffer_pool_size": "16M",
            "innodb_flush_log_at_trx_commit": 0,
            "table_open_cache": 100,
            "performance_schema": False,
        }
    )


class Churn:
    """Rounds of clients that come, work and go, while their tables change."""

    def __init__(self, server: PrivateServer, seed: int) -> None:
        self.server = server
        self.rng = random.Random(seed)
        self.rounds = 0
        server.make_database("hs")
        self._fill_the_pool_of_transactions()
        for number in range(TABLES):
            self._create(number)

    def _fill_the_pool_of_transactions(self) -> None:
        """MySQL's InnoDB makes 16 transactions at its start, and some 4,000 (30 MiB) when a 17th is needed."""
        with ExitStack() as connections:
            for _ in range(20):
                connection = connections.enter_context(self.server.connect())
                connection.cursor().execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")

    def _create(self, number: int) -> None:
        engine = self.rng.choice(ENGINES)
        self.server.sql(CREATE.format(number, engine))

    def round(self) -> None:
        """One round. Replies are not checked here: other tests do that."""
        self.rounds += 1
        clients = [
            Client(self.rng.choice([self.server.port, self.server.port_wr]))
            for _ in range(CONNECTIONS)
        ]
        for client in clients:
            self._work(client)
        number = self.rng.randrange(TABLES)
        kind = self.rng.random()
        if kind < 0.4:
            self._create(number)
        elif kind < 0.6:
            self.server.sql(f"ALTER TABLE hs.t{number} FORCE")
        elif kind < 0.8:
            self.server.sql(f"TRUNCATE TABLE hs.t{number}")
        elif kind < 0.9:
            self.server.sql("FLUSH TABLES")
        for client in clients:
            self._work(client)
            client.close()

    def _work(self, client: Client) -> None:
        rng = self.rng
        for id_ in range(rng.randint(1, 3)):
            names = rng.sample(COLUMNS, rng.randint(1, 3))
            table = f"t{rng.randrange(TABLES + 1)}"  # one of them does not exist
            client.request("P", id_, "hs", table, rng.choice(["PRIMARY", "v"]), ",".join(names))
            key = rng.randint(1, 200)
            client.request(id_, "+", len(names), *[rng.randint(1, 200) for _ in names])
            client.request(id_, rng.choice(["=", ">=", "<"]), 1, key, rng.randint(1, 50), 0)
            client.request(id_, "=", 1, key, 1, 0, "D")

    def sample(self) -> Sample:
        """What the server holds now."""
        status = Path(f"/proc/{self.server.pid}/status").read_text(encoding="ascii")
        cache = dict(self.server.sql("SHOW GLOBAL STATUS LIKE '%open%'"))
        return Sample(
            self.rounds,
            int(status.split("VmRSS:")[1].split()[0]),
            int(status.split("Threads:")[1].split()[0]),
            int(cache["Open_tables"]),
            int(cache["Opened_tables"]),
            int(cache["Open_table_definitions"]),
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growth", type=float, default=8, help="MiB that are allowed (8)")
    parser.add_argument("--every", type=float, default=30, help="seconds between two lines")
    options = parser.parse_args()
    with make_server() as server:
        churn = Churn(server, options.seed)
        begin = time.monotonic()
        warm: Sample | None = None
        shown = begin
        while (now := time.monotonic()) < begin + options.seconds:
            churn.round()
            if warm is None and now > begin + options.seconds / 4:
                warm = churn.sample()
                print("warm:", warm, flush=True)
            if now > shown + options.every:
                shown = now
                print(f"{now - begin:6.0f} s", churn.sample(), flush=True)
        last = churn.sample()
        print("last:", last)
    grown = (last.resident_kib - (warm or last).resident_kib) / 1024
    print(f"grown by {grown:.1f} MiB since the warm-up")
    return 0 if grown <= options.growth else 1


if __name__ == "__main__":
    sys.exit(main())
