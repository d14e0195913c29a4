#!/usr/bin/python3
"""The differential test: drawn tables and requests, through the port and as SQL on a twin table.

tests/differential/run.py --seconds 60              as many tables as fit
tests/differential/run.py --seed 7 --case 12        table 12 of seed 7, again
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "scripts"), str(HERE.parent / "e2e")]

from private_server import PrivateServer  # noqa: E402
from server_files import PLUGIN_FILE  # noqa: E402

from report import Tally  # noqa: E402
from runner import Runner  # noqa: E402

SHOWN_OF_EACH = int(os.environ.get("DIFFERENTIAL_SHOWN", "2"))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    parser.add_argument(
        "--seed", type=int, default=None, help="default: a new one, which is printed"
    )
    parser.add_argument(
        "--cases", type=int, default=0, help="end after so many requests, whatever the time"
    )
    parser.add_argument("--case", type=int, default=None, help="only this table of the seed")
    parser.add_argument("--keep", action="store_true", help="keep the server's directory")
    parser.add_argument("--plugin", type=Path, default=None, help="another handlersocket2.so")
    return parser.parse_args()


def make_server(plugin: Path | None = None, raw: bool = False) -> PrivateServer:
    """A server that does not wait for the disk. With `raw` text travels as bytes, and without a log."""
    of_kind = {"handlersocket_character_set": "binary"} if raw else {"log_bin": "log"}
    return PrivateServer(
        variables={
            "handlersocket_threads": 1,
            "handlersocket_threads_wr": 1,
            "handlersocket_ttl_purge_rows": 0,
            **of_kind,
            "sync_binlog": 0,
            "innodb_flush_log_at_trx_commit": 0,
            "innodb_doublewrite": 0,
            "innodb_file_per_table": 0,
            "max_allowed_packet": 64 << 20,
            "innodb_lock_wait_timeout": 10,
        },
        plugin_file=plugin or PLUGIN_FILE,
    )


def is_raw(number: int) -> bool:
    """Which tables of a seed are for handlersocket_character_set=binary."""
    return number % 4 == 3


def run(
    seed: int,
    seconds: float,
    cases: int = 0,
    case: int | None = None,
    plugin: Path | None = None,
    keep: bool = False,
) -> Tally:
    """Runs tables until the time is over."""
    tally = Tally()
    kinds = [False, True] if case is None else [is_raw(case)]
    servers = [make_server(plugin, raw) for raw in kinds]
    try:
        runners = {}
        for raw, server in zip(kinds, servers):
            server.start()
            runners[raw] = Runner(server, seed, tally, raw)
        if case is not None:
            runners[is_raw(case)].run_table(case)
            return tally
        deadline, number = time.monotonic() + seconds, 0
        while (
            time.monotonic() < deadline
            and not (cases and tally.cases >= cases)
            and tally.crashes < 10
        ):
            runners[is_raw(number)].run_table(number)
            number += 1
        return tally
    finally:
        for server in servers:
            if keep:
                server.stop()
                print(f"kept: {server.directory}")
            else:
                server.close()


def summarise(tally: Tally) -> None:
    """Prints failures, most serious first, a few of each."""
    shown: Counter[str] = Counter()
    order = {"crash": 0, "hang": 1, "check": 2, "rows": 3, "reply": 4}
    for failure in sorted(tally.failures, key=lambda f: order.get(f.kind, 9)):
        shown[failure.signature] += 1
        if shown[failure.signature] <= SHOWN_OF_EACH:
            print(failure, flush=True)
    for signature, count in shown.most_common():
        print(f"{count:6} {signature}")
    print(f"features: {dict(tally.features)}")
    for name, count in sorted((tally.reasons + tally.known).items()):
        print(f"meant or known: {count:6} {name}")


def main() -> int:
    """The exit status is 0 when nothing differs that is not meant or known."""
    wanted = arguments()
    seed = wanted.seed if wanted.seed is not None else random.randrange(1 << 31)
    print(f"seed {seed}", flush=True)
    started = time.monotonic()
    tally = run(seed, wanted.seconds, wanted.cases, wanted.case, wanted.plugin, wanted.keep)
    summarise(tally)
    print(
        f"seed {seed}: {tally.cases} requests on {tally.tables} tables ({tally.refused} refused),"
        f" {len(tally.failures)} failed, {tally.known.total()} known, {time.monotonic() - started:.0f} s"
    )
    return 1 if tally.failures or not tally.cases else 0


if __name__ == "__main__":
    sys.exit(main())
