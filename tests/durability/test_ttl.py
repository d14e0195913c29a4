"""Rows that expire, on a primary and its replica, and when the server dies while it deletes them."""

from __future__ import annotations

from hs_client import Client
from private_server import PrivateServer
from servers import checksums, promote, wait_for_replica
from test_replica import replica_of

STATE = "SELECT ROWS_PURGED, LAST_ERROR FROM information_schema.HANDLERSOCKET_TTL WHERE TABLE_NAME = 't'"


def create(primary: PrivateServer, rows: int) -> None:
    primary.make_database("hs")
    primary.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, e DATETIME NULL, KEY (e)) COMMENT 'hs: ttl=e'")
    primary.sql(f"INSERT INTO hs.t SELECT seq, IF(seq % 2, NULL, '2000-01-01') FROM hs.seq_1_to_{rows}")
    with Client(primary.port) as client:
        client.open("hs.t", ["id"])  # so that the purge knows it at once


def test_the_primary_purges_and_the_replica_follows(primary: PrivateServer) -> None:
    primary.sql("SET GLOBAL handlersocket_ttl_purge_rows = 0")
    create(primary, 1000)
    # The replica is not read-only, and purges nothing all the same.
    with replica_of(primary, read_only=False) as replica:
        wait_for_replica(replica, primary)
        with Client(replica.port) as reader:
            reader.open("hs.t", ["id"])
            assert len(reader.find(">", [0], 10000)) == 500
        while replica.sql(STATE) != [(0, "the server is a replica")]:
            pass
        assert replica.sql("SELECT COUNT(*) FROM hs.t") == [(1000,)]
        primary.sql("SET GLOBAL handlersocket_ttl_purge_rows = DEFAULT")
        while primary.sql("SELECT COUNT(*) FROM hs.t") != [(500,)]:
            pass
        wait_for_replica(replica, primary)
        assert checksums(replica) == checksums(primary)
        # What takes the place of a row that has expired does so on the replica, too.
        primary.sql("SET GLOBAL handlersocket_ttl_purge_rows = 0")
        primary.sql("UPDATE hs.t SET e = '2000-01-01'")
        with Client(primary.port_wr) as writer:
            writer.open("hs.t", ["id"])
            for key in range(1, 100):
                assert writer.request(1, "+", 1, key) == b"0\t1"
        wait_for_replica(replica, primary)
        assert checksums(replica) == checksums(primary)
        promote(replica)
        while replica.sql("SELECT COUNT(*), COUNT(e) FROM hs.t") != [(99, 0)]:
            pass


def test_a_server_that_dies_while_it_purges_goes_on(primary: PrivateServer) -> None:
    create(primary, 100)
    primary.sql("INSERT INTO hs.t SELECT seq, '2000-01-01' FROM hs.seq_1001_to_60000")
    with replica_of(primary) as replica:
        for _ in range(3):
            ((before,),) = primary.sql("SELECT COUNT(*) FROM hs.t")
            while primary.sql("SELECT COUNT(*) FROM hs.t")[0][0] == before > 50:
                pass
            primary.kill9()
            primary.start()
        while primary.sql("SELECT COUNT(*), COUNT(e) FROM hs.t") != [(50, 0)]:
            pass
        assert primary.sql("CHECK TABLE hs.t EXTENDED")[-1][-1] == "OK"
        replica.sql("STOP SLAVE")
        replica.sql("START SLAVE")
        wait_for_replica(replica, primary)
        assert checksums(replica) == checksums(primary)
