"""kill -9 at any moment: what was answered is there, in the tables and in the binary log.

    ./test durability -k killed --kills 50 [--seed N]
"""

from __future__ import annotations

import random

import pytest
from private_server import PrivateServer
from servers import binary_logs, checksums, empty_server, replay
from writers import Load, Writer, check_all, create_tables

WRITERS = 8


def test_no_answered_change_is_lost_when_the_server_is_killed(
    primary: PrivateServer, seed: int, request: pytest.FixtureRequest
) -> None:
    kills = request.config.getoption("--kills")
    rng = random.Random(seed)
    primary.variables |= {"max_binlog_size": 128 * 1024}  # so that the log is rotated, too
    primary.restart()
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    with empty_server() as copy:
        replayed = 0
        for kill in range(kills):
            with Load(primary, writers) as load:
                load.wait_for(rng.randint(50, 1500))
                primary.kill9()
            primary.start()
            check_all(primary, writers)
            logs = binary_logs(primary)
            replay(logs[replayed:], copy)
            assert checksums(copy) == checksums(primary), f"after kill {kill}"
            primary.sql("FLUSH BINARY LOGS")
            replayed = len(logs)
