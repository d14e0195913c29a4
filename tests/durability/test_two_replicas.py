"""Two replicas with semi-sync: one becomes the primary when that is killed, the other follows it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hs_client import Client, line
from private_server import PrivateServer
from servers import (
    checksums,
    durable,
    follow,
    promote,
    slave_status,
    wait_for_replica,
    wait_until_applied,
)
from writers import Load, Writer, check_all, create_tables

WRITERS = 6


def received(replica: PrivateServer) -> int:
    """The number of the last change that the replica has received; all are of one domain."""
    return int(slave_status(replica)["Gtid_IO_Pos"].rpartition("-")[2])


@pytest.fixture
def replicas(primary: PrivateServer) -> Iterator[list[PrivateServer]]:
    """Two, of which at least one has every change that was answered."""
    made = []
    for number in (2, 3):
        own = durable(server_id=number) | {"read_only": True, "rpl_semi_sync_slave_enabled": True}
        made.append(PrivateServer(variables=own))
        made[-1].start()
        follow(made[-1], primary)
        wait_for_replica(made[-1], primary)
    primary.sql("SET GLOBAL rpl_semi_sync_master_timeout = 60000")
    primary.sql("SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC")
    primary.sql("SET GLOBAL rpl_semi_sync_master_enabled = 1")
    yield made
    for replica in made:
        replica.close()


def test_what_was_answered_is_on_the_replica_that_has_received_most(
    primary: PrivateServer, replicas: list[PrivateServer], seed: int
) -> None:
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    with Load(primary, writers) as load:
        load.wait_for(1000)
        primary.kill9()
    for replica in replicas:
        wait_until_applied(replica)
    other, promoted = sorted(replicas, key=received)
    check_all(promoted, writers)
    promote(promoted)
    other.sql("STOP SLAVE")
    follow(other, promoted)
    with Load(promoted, writers) as load:
        load.wait_for(300)
    check_all(promoted, writers)
    wait_for_replica(other, promoted)
    assert checksums(other) == checksums(promoted)

    # What a client writes on the one, it reads on the other.
    with Client(promoted.port_wr) as writer, Client(other.port) as reader:
        writer.open("hs.counters", ["n"])
        reader.open("hs.counters", ["n"])
        for _ in range(100):
            changed, named = writer.pipeline([line(1, "=", 1, 1, 1, 0, "+", 1), line("G", "L")])
            assert changed == b"0\t1\t1"
            (wanted,) = writer.find("=", [1])
            gtid = named.decode().split("\t")[2]
            waited, found = reader.pipeline([line("G", "W", gtid, 60000), line(1, "=", 1, 1)])
            assert (waited, found) == (b"0\t1\t1", b"0\t1\t%s" % wanted[0])
