"""A replica has every change, whatever the format of the binary log and however it applies it."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

import on_mysql
import pytest
from hs_client import Client, line, rows
from private_server import PrivateServer
from servers import (
    binary_logs,
    checksums,
    durable,
    follow,
    promote,
    replay,
    status,
    wait_for_replica,
    wait_until_applied,
)
from writers import Load, Writer, check_all, create_tables

sys.path.append(str(Path(__file__).resolve().parents[1] / "fuzz_server"))
import fuzz_tables  # noqa: E402
from fuzz_clients import FuzzClient  # noqa: E402

STREAMS = 300  # of requests on tables of every kind
WRITERS = 6
PARALLEL = {"slave_parallel_threads": 4, "slave_parallel_mode": "optimistic"}


@contextmanager
def replica_of(primary: PrivateServer, **variables: object) -> Iterator[PrivateServer]:
    """A running replica that refuses writes."""
    own = durable(server_id=2) | {"read_only": True} | variables
    with PrivateServer(variables=own) as server:
        follow(server, primary)
        yield server


def write_tables_of_every_kind(server: PrivateServer, seed: int) -> None:
    """A random workload: valid and invalid values for every type of column, by our port."""
    connection = server.connect()
    with connection, connection.cursor() as sql:
        # The rows that SQL writes are not what is tested, and some have a default of UUID().
        sql.execute("SET SESSION binlog_format = ROW")
        described = fuzz_tables.create(sql)
    streams = islice(count(), STREAMS)
    client = FuzzClient(f"{seed}", described, (server.port, server.port_wr))
    client.run(lambda: next(streams, None) is None)


@pytest.mark.parametrize(
    ("log_format", "applies"),
    [("ROW", {}), ("STATEMENT", PARALLEL), ("MIXED", PARALLEL | {"slave_parallel_mode": "conservative"})],
    ids=["row", "statement, optimistic", "mixed, conservative"],
)
def test_the_replica_has_the_same_rows(
    primary: PrivateServer, seed: int, log_format: str, applies: dict[str, object]
) -> None:
    primary.sql(f"SET GLOBAL binlog_format = {log_format}")
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    with replica_of(primary, **applies) as replica:
        with Load(primary, writers) as load:
            load.wait_for(3000)
        check_all(primary, writers)
        wait_for_replica(replica, primary)
        check_all(replica, writers)
        assert checksums(replica) == checksums(primary)
        write_tables_of_every_kind(primary, seed)
        wait_for_replica(replica, primary)
        for database in ("hs", "keep"):
            assert checksums(replica, database) == checksums(primary, database)


@pytest.mark.parametrize("image", ["FULL", "MINIMAL", "NOBLOB"])
def test_requests_that_fail_among_others_of_their_statement_are_not_in_the_log(
    primary: PrivateServer, seed: int, image: str
) -> None:
    """Runs of one kind of request, many of which break a constraint."""
    primary.sql(f"SET GLOBAL binlog_row_image = {image}")
    primary.make_database("hs")
    primary.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, u INT UNIQUE, n TINYINT DEFAULT 3 CHECK (n < 100),"
        " b TEXT)"
    )
    draw = random.Random(seed)

    def request(kind: str) -> bytes:
        key, unique, number = draw.randrange(200), draw.randrange(200), draw.randrange(110)
        if kind.startswith("+"):
            values = [key, unique, number, "b" * key][: draw.randint(1, 4)]
            return line(1, kind, len(values), *values)
        if kind == "D":
            return line(1, "=", 1, key, 1, 0, "D")
        return line(1, "=", 1, key, 1, 0, "U", key, unique, number)

    with replica_of(primary) as replica, Client(primary.port_wr) as client:
        client.open("hs.t", ["id", "u", "n", "b"])
        failed = 0
        for _ in range(100):
            run = [request(draw.choice(["+", "U", "D", "+U"]))]
            kind = draw.choice(["+", "+", "U", "U", "D", "+I", "+U", "+R"])
            run += [request(kind) for _ in range(50)]
            failed += sum(not reply.startswith(b"0") for reply in client.pipeline(run))
        assert failed > 500
        wait_for_replica(replica, primary)
        assert checksums(replica) == checksums(primary)
        assert primary.sql("CHECK TABLE hs.t EXTENDED")[-1][-1] == "OK"


@pytest.mark.parametrize("image", ["FULL", "MINIMAL", "NOBLOB"])
def test_a_replica_has_replaced_rows_in_its_indexes_on_virtual_columns(
    primary: PrivateServer, image: str
) -> None:
    primary.sql(f"SET GLOBAL binlog_row_image = {image}")
    primary.make_database("hs")
    primary.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, v INT, w TEXT, g INT AS (v + w) VIRTUAL,"
        " h INT AS (v * 2) VIRTUAL, s TEXT AS (CONCAT(w, v)) VIRTUAL, KEY g (g), KEY s (s(5)))"
    )
    by_index = "SELECT id, g FROM hs.t FORCE INDEX (g) WHERE g > -1000 ORDER BY g, id"
    by_text = "SELECT id, s FROM hs.t FORCE INDEX (s) WHERE s LIKE '%1%' ORDER BY s, id"
    with replica_of(primary) as replica, Client(primary.port_wr) as client:
        client.open("hs.t", ["id", "v", "w"])
        requests = [line(1, "+R", 3, key % 5, key, key * key) for key in range(20)]
        requests += [line(1, "+R", 2, key, 1) for key in (1, 7)]
        requests += [line(1, "=", 1, key, 1, 0, "U", key, 10 * key, 11) for key in (0, 1, 2)]
        requests.append(line(1, "=", 1, 3, 1, 0, "D"))
        assert all(reply.startswith(b"0") for reply in client.pipeline(requests))
        wait_for_replica(replica, primary)
        for query in (by_index, by_text):
            assert replica.sql(query) == primary.sql(query)
        assert replica.sql("CHECK TABLE hs.t EXTENDED")[-1][-1] == "OK"
        assert "was not found on update" not in replica.error_log()


def test_a_replica_serves_reads_and_refuses_writes_as_sql_does(
    primary: PrivateServer, seed: int
) -> None:
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    with replica_of(primary) as replica:
        primary.sql("CREATE USER plain@localhost")
        primary.sql("GRANT ALL ON hs.* TO plain@localhost")
        wait_for_replica(replica, primary)
        before = replica.sql("SELECT @@GLOBAL.gtid_current_pos")
        with Client(replica.port_wr) as client:
            client.open("hs.own", ["grp", "id", "n", "mark", "text"])
            client.open("hs.counters", ["n"], id=2)
            assert client.request(1, "+", 5, 1, 1, 1, 1, "x") == b"1\t1\tlock_tables"
            assert client.request(2, ">=", 1, 0, 9, 0, "+", 1) == b"1\t1\tlock_tables"
            assert client.request(2, ">=", 1, 0, 9, 0, "D") == b"1\t1\tlock_tables"
            assert client.find(">=", [0], 1, id=2) == [(b"0",)]
        plain = replica.connect(user="plain", database="hs")
        with plain, plain.cursor() as sql, pytest.raises(Exception, match="read-only"):
            sql.execute("UPDATE counters SET n = n + 1")
        assert replica.sql("SELECT @@GLOBAL.gtid_current_pos") == before

        # Reads go on while the replica applies; DDL gets through on both sides.
        with Client(replica.port) as reader, Load(primary, writers) as load:
            reader.open("hs.shared", ["mark"])
            for step in range(4):
                load.wait_for(300)
                primary.sql(f"ALTER TABLE hs.shared ADD COLUMN x{step} INT NULL FIRST")
                for _ in range(100):
                    found = rows(reader.request(1, "=", 1, 1, 1000))
                    assert len(found) == 20 and len(set(found)) == 1
        wait_for_replica(replica, primary)
        with Client(replica.port) as reader:
            reader.open("hs.own", ["grp", "id", "n", "mark", "text"])
            found = reader.find(">=", [0], 1_000_000)
        expected = primary.sql("SELECT * FROM hs.own ORDER BY grp, id")
        assert found == [tuple(str(value).encode() for value in row) for row in expected]


@pytest.mark.parametrize("log_format", ["ROW", "STATEMENT", "MIXED"])
def test_the_log_replays_to_a_point_in_time(
    primary: PrivateServer, seed: int, log_format: str
) -> None:
    primary.sql(f"SET GLOBAL binlog_format = {log_format}")
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    with Load(primary, writers) as load:
        load.wait_for(500)
    wanted = checksums(primary)
    ((file, position, *_),) = primary.sql("SHOW MASTER STATUS")
    ((gtid,),) = primary.sql("SELECT @@GLOBAL.gtid_binlog_pos")
    # Times in the log are whole seconds: the next change must be in a later one.
    ((moment,),) = primary.sql("SELECT UNIX_TIMESTAMP()")
    while primary.sql("SELECT UNIX_TIMESTAMP() = %s", [moment])[0][0]:
        pass
    with Load(primary, writers) as load:
        load.wait_for(500)
    after = checksums(primary)
    assert after != wanted
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(moment + 1))
    logs = binary_logs(primary)
    assert [log.name for log in logs] == [file]
    until, behind = f"--stop-position={gtid}", f"--start-position={gtid}"
    if on_mysql.IS_MYSQL:
        until, behind = f"--include-gtids={gtid}", f"--exclude-gtids={gtid}"
    for option in (f"--stop-position={position}", until, f"--stop-datetime={at}"):
        with PrivateServer(plugin="none") as restored:
            replay(logs, restored, [option])
            assert checksums(restored) == wanted, option
            if option == until:
                replay(logs, restored, [behind])
                assert checksums(restored) == after


def test_clients_go_on_at_the_promoted_replica_and_the_old_primary_follows_it(
    primary: PrivateServer, seed: int
) -> None:
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    with replica_of(primary) as replica:
        with Load(primary, writers) as load:
            load.wait_for(500)
            primary.sql("SET GLOBAL read_only = 1")
            # Nothing is written after it, whatever the clients send.
            ((position,),) = primary.sql("SELECT @@GLOBAL.gtid_binlog_pos")
            load.wait_for(500)
            assert primary.sql("SELECT @@GLOBAL.gtid_binlog_pos") == [(position,)]
        wait_for_replica(replica, primary)
        check_all(replica, writers)
        promote(replica)
        follow(primary, replica, demoted=True)
        with Load(replica, writers) as load:
            load.wait_for(500)
        check_all(replica, writers)
        wait_for_replica(primary, replica)
        assert checksums(primary) == checksums(replica)


def test_no_answered_change_is_lost_when_a_primary_with_semisync_dies_for_good(
    primary: PrivateServer, seed: int
) -> None:
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    with replica_of(primary, rpl_semi_sync_slave_enabled=True) as replica:
        wait_for_replica(replica, primary)
        primary.sql("SET GLOBAL rpl_semi_sync_master_timeout = 60000")
        primary.sql("SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC")
        primary.sql("SET GLOBAL rpl_semi_sync_master_enabled = 1")
        with Load(primary, writers) as load:
            load.wait_for(1000)
            assert status(primary, "Rpl_semi_sync_master_no_tx") == 0
            primary.kill9()
        wait_until_applied(replica)
        check_all(replica, writers)
        promote(replica)
        with Load(replica, writers) as load:
            load.wait_for(300)
        check_all(replica, writers)
        if on_mysql.IS_MYSQL:
            return  # an old primary keeps what the replica has not acknowledged, and cannot follow it
        # The old primary removes from its log what the replica has not acknowledged.
        primary.variables |= {"rpl_semi_sync_slave_enabled": True, "init_rpl_role": "SLAVE"}
        primary.start()
        follow(primary, replica, demoted=True)
        wait_for_replica(primary, replica)
        assert checksums(primary) == checksums(replica)
