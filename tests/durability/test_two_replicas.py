"""Two replicas with semi-sync: one becomes the primary when that is killed, the other follows it.

The statements are those of docs/scaling.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import replication
from hs_client import Client, line
from private_server import PrivateServer
from servers import checksums, durable, wait_for_replica
from writers import Load, Writer, check_all, create_tables

WRITERS = 6
PAGE = Path(__file__).resolve().parents[2] / "docs/scaling.md"


def test_the_page_has_these_statements() -> None:
    section = PAGE.read_text().partition("\n## Replicas\n")[2].partition("\n## ")[0]
    shown = re.findall(r"\n\n((?:    [A-Z].*;\n)+)", section)
    assert [re.sub("^    ", "", block, flags=re.M) for block in shown] == [
        block.lstrip("\n") for block in replication.BLOCKS
    ]


@pytest.fixture
def replicas(primary: PrivateServer) -> Iterator[list[PrivateServer]]:
    """Two, of which at least one has every change that was answered."""
    made = [
        PrivateServer(variables=durable(server_id=number) | {"read_only": True}).start()
        for number in (2, 3)
    ]
    replication.begin(primary, made)
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
    promoted, (other,) = replication.promote_one(replicas)
    check_all(promoted, writers)
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
