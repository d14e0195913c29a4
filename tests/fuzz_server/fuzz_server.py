#!/usr/bin/env python3
"""Byte-level fuzzing of a real server.

    /usr/bin/python3 tests/fuzz_server/fuzz_server.py [--seconds N] [--seed S] [--no-administrator]

Clients send requests, valid and damaged, to both ports of a private server while an administrator
changes the tables. Afterwards everything must be in order: see Fuzz.check().
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "scripts"), str(REPOSITORY / "tests/e2e")]

import fuzz_tables  # noqa: E402
from fuzz_clients import Administrator, Finding, FuzzClient  # noqa: E402
from hs_client import Client  # noqa: E402
from private_server import PrivateServer  # noqa: E402

MIB = 1 << 20
CLIENTS = 3
MAX_GROWTH = 300 * MIB
EXPECTED_ERRORS = re.compile(r"\[ERROR\] (?:mariadbd: Table .* is marked as crashed|$)")
VARIABLES: dict[str, object] = {
    "handlersocket_threads": 2,
    "handlersocket_threads_wr": 2,
    "handlersocket_wrlock_timeout": 2,
    "innodb_lock_wait_timeout": 1,
    "lock_wait_timeout": 2,
    "innodb_flush_log_at_trx_commit": 0,
    "log_bin": "log",
    "max_heap_table_size": "16M",
}


class Fuzz:
    """One run on a running server."""

    def __init__(self, server: PrivateServer, seed: int, administrator: bool = True) -> None:
        self.server = server
        self.seed = seed
        self._connection = server.connect()
        self._sql = self._connection.cursor()
        tables = fuzz_tables.create(self._sql)
        self._kept = fuzz_tables.checksums(self._sql)
        ports = (server.port, server.port_wr)
        self._clients = [FuzzClient(f"{seed}/{i}", tables, ports) for i in range(CLIENTS)]
        self._administrator = Administrator(f"{seed}/sql", server.connect)
        self._runs: list[Callable[[Callable[[], bool]], None]] = [c.run for c in self._clients]
        if administrator:
            self._runs.append(self._administrator.run)
        self._failures: list[BaseException] = []

    @property
    def requests(self) -> int:
        """How many were sent."""
        return sum(client.requests for client in self._clients)

    def run(self, seconds: float) -> None:
        """Raises Finding, and leaves what was sent last in a directory that it names."""
        resident = 0
        deadline = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._guarded, args=(run, deadline), daemon=True)
            for run in self._runs
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(1)
                resident = resident or self._resident_bytes()
        try:
            if not self.server.running:
                raise Finding(f"the server has ended with {self.server.exit_code}")
            if self._failures:
                raise self._failures[0]
            self.check(resident)
        except Exception as error:
            raise Finding(f"seed {self.seed}: {error!r}; see {self._keep_evidence()}") from error

    def check(self, resident_before: int) -> None:
        """Raises Finding unless the server is in order, as it must be after any requests."""
        self._sql.execute("SET lock_wait_timeout = 20")
        if broken := fuzz_tables.broken(self._sql):
            raise Finding(f"CHECK TABLE: {broken}")
        if fuzz_tables.checksums(self._sql) != self._kept:
            raise Finding("a table has changed that no client may change")
        self._check_orderly_client()
        if (growth := self._resident_bytes() - resident_before) > MAX_GROWTH:
            raise Finding(f"{growth // MIB} MiB more memory than before")
        errors = [line for line in self.server.error_log().split("\n") if "[ERROR]" in line]
        if unexpected := [line for line in errors if not EXPECTED_ERRORS.search(line)]:
            raise Finding("in the error log: " + "\n".join(unexpected[:5]))

    def _check_orderly_client(self) -> None:
        self._sql.execute(f"DELETE FROM {fuzz_tables.WRITTEN}.orderly")
        with Client(self.server.port_wr) as writer, Client(self.server.port) as reader:
            writer.open(f"{fuzz_tables.WRITTEN}.orderly", ["id", "v"])
            if (reply := writer.request(1, "+", 2, 7, "sevén")) != b"0\t1":
                raise Finding(f"an insert is answered by {reply!r}")
            for name in (fuzz_tables.WRITTEN, fuzz_tables.KEPT):
                reader.open(f"{name}.orderly", ["id", "v"])
                found = reader.find(">=", [0], limit=10)
                self._sql.execute(f"SELECT id, v FROM {name}.orderly ORDER BY id")
                expected = [
                    (str(id_).encode(), None if v is None else v.encode())
                    for id_, v in self._sql.fetchall()
                ]
                if found != expected or not expected:
                    raise Finding(f"a find gives {found}, and SQL {expected}")

    def _guarded(self, run: Callable[[Callable[[], bool]], None], deadline: float) -> None:
        try:
            run(lambda: bool(self._failures) or time.monotonic() > deadline)
        except Exception as error:
            self._failures.append(error)

    def _resident_bytes(self) -> int:
        try:
            statm = Path(f"/proc/{self.server.pid}/statm").read_text(encoding="ascii")
            return int(statm.split()[1]) * 4096
        except OSError:
            return 0

    def _keep_evidence(self) -> Path:
        directory = Path(tempfile.mkdtemp(prefix="hs-fuzz-"))
        for number, client in enumerate(self._clients):
            for age, (port, data) in enumerate(reversed(client.sent)):
                (directory / f"client{number}-{age:02}-{port}").write_bytes(data)
        (directory / "statements.sql").write_text(";\n".join(self._administrator.done) + ";\n")
        (directory / "error.log").write_text(self.server.error_log())
        return directory


def main() -> int:
    """Returns 1 on a finding."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--no-administrator", action="store_true", help="no SQL meanwhile")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with PrivateServer(variables=VARIABLES) as server:
        fuzz = Fuzz(server, options.seed, not options.no_administrator)
        try:
            fuzz.run(options.seconds)
        except Finding as finding:
            print(f"FOUND SOMETHING: {finding}")
            return 1
        print(f"ok, {fuzz.requests} requests in {options.seconds:g} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
