"""Transactions of 50 clients: isolated, and kept or undone as a whole, whenever the server is killed.

    ./test durability -k transactions --kills 50 [--seed N]
"""

from __future__ import annotations

import random
from contextlib import ExitStack

import pytest
from private_server import PrivateServer
from servers import checksums, wait_for_replica
from test_replica import PARALLEL, replica_of
from transactors import (
    Auditor,
    Booker,
    Doctor,
    Teller,
    Transactor,
    check_bank,
    check_hospital,
    create_bank,
    create_hospital,
)
from writers import Load

MANY = {"handlersocket_transaction_timeout": 60, "innodb_lock_wait_timeout": 2}


def wrong(*loads: Load) -> list[str]:
    return [sentence for load in loads for sentence in load.wrong()]


def test_transfers_in_transactions_are_kept_or_undone_as_a_whole(
    primary: PrivateServer, seed: int, request: pytest.FixtureRequest
) -> None:
    kills = request.config.getoption("--kills")
    rng = random.Random(seed)
    primary.variables |= MANY
    primary.restart()
    create_bank(primary)
    tellers = [Teller(number, seed) for number in range(44)]
    auditors = [Auditor(number, seed, single=number < 6) for number in range(8)]
    with replica_of(primary, **PARALLEL) as replica:
        wait_for_replica(replica, primary)
        with Load(replica, auditors[:2], replica.port) as far:
            for _ in range(kills):
                with ExitStack() as stack:
                    load = stack.enter_context(Load(primary, tellers))
                    audits = [
                        stack.enter_context(Load(primary, auditors[2:6], primary.port)),
                        stack.enter_context(Load(primary, auditors[6:], primary.port_wr)),
                    ]
                    load.wait_for(rng.randint(200, 900))
                    primary.kill9()
                assert wrong(*audits) == []
                primary.start()
                check_bank(primary, tellers)
                replica.sql("STOP SLAVE")
                replica.sql("START SLAVE")
                wait_for_replica(replica, primary)
                assert checksums(replica) == checksums(primary)
        assert wrong(far) == []
        check_bank(replica, tellers)
    assert all(auditor.answered > 10 for auditor in auditors)


def test_what_serializable_transactions_keep_true_is_true_after_a_kill(
    primary: PrivateServer, seed: int, request: pytest.FixtureRequest
) -> None:
    rng = random.Random(seed)
    primary.variables |= MANY
    primary.restart()
    create_hospital(primary)
    doctors = [Doctor(number, seed) for number in range(25)]
    bookers = [Booker(number, seed) for number in range(25)]
    clients: list[Transactor] = [*doctors, *bookers]
    for _ in range(request.config.getoption("--kills")):
        with Load(primary, clients) as load:
            load.wait_for(rng.randint(300, 1500))
            primary.kill9()
        primary.start()
        check_hospital(primary, clients)
