"""Two replicas with semi-sync: one becomes the primary when that is killed, the other follows it.

The statements are those of docs/scaling.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hs_client import Client, line
from private_server import PrivateServer
from servers import (
    checksums,
    durable,
    slave_status,
    wait_for_replica,
    wait_until_applied,
)
from writers import Load, Writer, check_all, create_tables

WRITERS = 6
PAGE = Path(__file__).resolve().parents[2] / "docs/scaling.md"
# The page's blocks of statements, in its order.
PRIMARY, ENABLE, REPLICA, STOP, PROMOTE, FOLLOW = re.findall(r"\n\n((?:    .*\n)+)", PAGE.read_text())


def execute(server: PrivateServer, block: str, port: int = 0) -> None:
    """Executes statements of the page, with the port of a primary."""
    for statement in block.splitlines():
        server.sql(statement.strip().rstrip(";").replace("3306", str(port)))


def received(replica: PrivateServer) -> int:
    """The number of the last change that the replica has received; all are of one domain."""
    return int(slave_status(replica)["Gtid_IO_Pos"].rpartition("-")[2])


@pytest.fixture
def replicas(primary: PrivateServer) -> Iterator[list[PrivateServer]]:
    """Two, of which at least one has every change that was answered."""
    made = []
    execute(primary, PRIMARY)
    for number in (2, 3):
        made.append(PrivateServer(variables=durable(server_id=number) | {"read_only": True}))
        made[-1].start()
        execute(made[-1], REPLICA, primary.sql_port)
        wait_for_replica(made[-1], primary)
    execute(primary, ENABLE)
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
        execute(replica, STOP)
        wait_until_applied(replica, slave_status(replica)["Gtid_IO_Pos"])
    other, promoted = sorted(replicas, key=received)
    check_all(promoted, writers)
    execute(promoted, PROMOTE)
    execute(other, FOLLOW, promoted.sql_port)
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
