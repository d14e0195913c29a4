"""A client reads on a replica what it has written on the primary, by the GTID of its change."""

from __future__ import annotations

import threading

import gtids
import on_mysql
import pytest
from hs_client import Client, line
from private_server import PrivateServer
from servers import follow, promote, wait_for_replica
from test_replica import PARALLEL, replica_of

ROUNDS = 150


def create(primary: PrivateServer) -> None:
    primary.make_database("hs")
    primary.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    primary.sql("INSERT INTO hs.t SELECT seq, 0 FROM hs.seq_1_to_8")


def last(client: Client) -> str:
    return client.request("G", "L").decode().split("\t")[2]


@pytest.mark.parametrize("applies", [{}, PARALLEL], ids=["one thread", "optimistic"])
def test_what_was_written_is_read_on_the_replica_under_load(
    primary: PrivateServer, applies: dict[str, object]
) -> None:
    create(primary)
    wrong: list[object] = []

    def write_and_read(key: int, replica: PrivateServer) -> None:
        port = replica.port if key % 2 else replica.port_wr
        with Client(primary.port_wr) as writer, Client(port) as reader:
            writer.open("hs.t", ["id", "v"])
            reader.open("hs.t", ["v"])
            for value in range(1, ROUNDS + 1):
                change = line(1, "=", 1, key, 1, 0, "U", key, value)
                done, named = writer.pipeline([change, line("G", "L")])
                gtid = named.decode().split("\t")[2]
                replies = reader.pipeline([line(1, "=", 1, key), line("G", "W", gtid, 60000), line(1, "=", 1, key)])
                if done != b"0\t1\t1" or replies[1:] != [b"0\t1\t1", b"0\t1\t%d" % value]:
                    wrong.append((key, value, done, gtid, replies))

    with replica_of(primary, **applies) as replica:
        wait_for_replica(replica, primary)
        threads = [threading.Thread(target=write_and_read, args=(key, replica)) for key in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_a_wait_lasts_until_the_replica_goes_on(primary: PrivateServer) -> None:
    create(primary)
    with replica_of(primary, handlersocket_threads=1) as replica, Client(primary.port_wr) as writer:
        wait_for_replica(replica, primary)
        replica.sql("STOP SLAVE SQL_THREAD")
        writer.open("hs.t", ["id", "v"])
        writer.request(1, "=", 1, 1, 1, 0, "U", 1, 5)
        gtid = last(writer)
        with Client(replica.port) as reader, Client(replica.port) as other:
            reader.open("hs.t", ["v"])
            other.open("hs.t", ["v"])
            reader.send(line("G", "W", gtid, 60000) + line(1, "=", 1, 1))
            assert other.request("G", "W", gtid, 20) == b"0\t1\t0"
            assert other.request(1, "=", 1, 1) == b"0\t1\t0"
            assert other.request("G", "W", f"{gtid},{gtids.NEVER}", 20) == b"0\t1\t0"
            replica.sql("START SLAVE SQL_THREAD")
            assert reader.read_line() == b"0\t1\t1"
            assert reader.read_line() == b"0\t1\t5"
            assert other.request("G", "W", gtid, 0) == b"0\t1\t1"


def test_several_domains_are_all_waited_for(primary: PrivateServer) -> None:
    create(primary)
    with replica_of(primary) as replica, Client(replica.port) as reader:
        wait_for_replica(replica, primary)
        reader.open("hs.t", ["v"])
        connection = primary.connect()
        with connection, connection.cursor() as sql:
            named = []
            for domain in (3, 4):
                sql.execute(f"SET SESSION gtid_domain_id = {domain}")
                sql.execute(f"UPDATE hs.t SET v = {domain} WHERE id = {domain}")
                connection.commit()
                sql.execute("SELECT @@last_gtid")
                named.append(sql.fetchall()[0][0])
        assert reader.request("G", "W", ",".join(named), 60000) == b"0\t1\t1"
        assert [reader.find("=", [domain]) for domain in (3, 4)] == [[(b"3",)], [(b"4",)]]


def test_positions_hold_on_a_promoted_replica_and_on_the_old_primary(primary: PrivateServer) -> None:
    create(primary)
    with replica_of(primary) as replica:
        with Client(primary.port_wr) as writer:
            writer.open("hs.t", ["id", "v"])
            writer.request(1, "=", 1, 1, 1, 0, "U", 1, 5)
            first = last(writer)
        wait_for_replica(replica, primary)
        promote(replica)
        with Client(replica.port_wr) as writer, Client(replica.port) as reader:
            assert reader.request("G", "W", first, 0) == b"0\t1\t1"
            writer.open("hs.t", ["id", "v"])
            writer.request(1, "=", 1, 1, 1, 0, "U", 1, 6)
            second = last(writer)
            own = replica.sql("SELECT @@server_uuid")[0][0] if on_mysql.IS_MYSQL else "0-2-"
            assert second.startswith(own)
            assert reader.request("G", "W", f"{second}", 0) == b"0\t1\t1"
        with Client(primary.port) as reader:
            reader.open("hs.t", ["v"])
            assert reader.request("G", "W", first, 1000) == b"0\t1\t1"
            assert reader.request("G", "W", second, 20) == b"0\t1\t0"
            primary.sql("SET GLOBAL read_only = 1")
            follow(primary, replica, demoted=True)
            assert reader.request("G", "W", second, 60000) == b"0\t1\t1"
            assert reader.find("=", [1]) == [(b"6",)]


@pytest.mark.parametrize("log", ["first", "begun anew"])
def test_what_waits_for_a_semisync_replica_is_not_there_yet(primary: PrivateServer, log: str) -> None:
    """The log has it, and a replica may have it, but no one sees it on the primary. In a log that was begun
    anew the numbers are those of earlier transactions."""
    create(primary)
    if log == "begun anew":
        with Client(primary.port_wr) as writer:
            writer.open("hs.t", ["v"])
            assert [writer.request(1, "=", 1, 2, 1, 0, "U", n) for n in range(50)] == [b"0\t1\t1"] * 50
        primary.sql("RESET MASTER")
        create(primary)
    with replica_of(primary, rpl_semi_sync_slave_enabled=True) as replica:
        wait_for_replica(replica, primary)
        primary.sql("SET GLOBAL rpl_semi_sync_master_timeout = 60000")
        primary.sql("SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC")
        primary.sql("SET GLOBAL rpl_semi_sync_master_enabled = 1")
        replica.sql("STOP SLAVE")
        before = primary.sql("SELECT @@GLOBAL.gtid_binlog_pos")[0][0]
        writing = threading.Thread(target=primary.sql, args=("UPDATE hs.t SET v = 5 WHERE id = 1",))
        with Client(primary.port) as reader:
            reader.open("hs.t", ["v"])
            writing.start()
            while (named := primary.sql("SELECT @@GLOBAL.gtid_binlog_pos")[0][0]) == before:
                pass
            reader.send(line("G", "W", named, 60000) + line(1, "=", 1, 1))
            with Client(primary.port) as other:
                other.open("hs.t", ["v"])
                assert other.request("G", "W", named, 50) == b"0\t1\t0"
                assert other.find("=", [1]) == [(b"0",)]
            replica.sql("START SLAVE")
            assert reader.read_line() == b"0\t1\t1"
            assert reader.read_line() == b"0\t1\t5"
            writing.join()
