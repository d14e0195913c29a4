"""The short form of tests/soak: clients that come and go leave nothing behind."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
import server_files

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "soak"))

from soak import Churn, make_server  # noqa: E402

# The server's pools and its allocator grow for long, and ever more slowly: MySQL's from round 200 to 1,700 by
# 10 MiB, MariaDB's from round 100 to 250 by 3 to 8 MiB. What counts is the smaller growth of two windows: a leak
# shows in both.
WARM_UP = 250 if server_files.is_mysql(server_files.SERVER_ROOT) else 100
ROUNDS = 150
WINDOWS = 2
GROWTH_KIB = 8 << 10


@pytest.mark.skipif(bool(server_files.REPORTS), reason="the sanitizers keep what was freed")
def test_memory_stays_flat_while_clients_and_tables_come_and_go() -> None:
    with make_server() as server:
        churn = Churn(server, seed=1)
        for _ in range(WARM_UP):
            churn.round()
        samples = [churn.sample()]
        for _ in range(WINDOWS):
            for _ in range(ROUNDS):
                churn.round()
            samples.append(churn.sample())
        print(*samples, sep="\n")
        growths = [after.resident_kib - before.resident_kib for before, after in pairwise(samples)]
        assert min(growths) < GROWTH_KIB
        before, after = samples[0], samples[-1]
        assert after.open_tables <= 100
        assert after.threads <= before.threads + 5
