"""Requests of one pipeline that share a statement of the database: the failure of one is no failure
of the others, and SQL and the binary log see the same as if each had its own statement."""

from __future__ import annotations

import pytest
from binlog import log_events
from hs_client import Client, line, rows, sql_holds, wait_for_a_lock_wait
from on_mysql import CHECK_VIOLATED
from private_server import PrivateServer
from server_files import REPORTS

RUN = 60  # requests; a pipeline hardly reaches the server in more than a few pieces


@pytest.fixture
def table(server: PrivateServer, database: str) -> str:
    server.sql(
        "CREATE TABLE hs.t (id INT UNSIGNED PRIMARY KEY, n INT NOT NULL DEFAULT 7,"
        " u VARCHAR(10) NULL UNIQUE, CHECK (n < 1000),"
        " changed TIMESTAMP NOT NULL DEFAULT '2001-01-01' ON UPDATE CURRENT_TIMESTAMP)"
    )
    return "hs.t"


def statements(server: PrivateServer) -> int:
    """How many statements the write port has begun so far."""
    return int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_hs_table_lock'")[0][1])


def test_one_statement_does_for_a_run_of_requests(
    server: PrivateServer, writer: Client, table: str
) -> None:
    writer.open(table, ["id", "n"])
    runs = [
        [line(1, "+", 2, i, i) for i in range(1, RUN + 1)],
        [line(1, "=", 1, i, 1, 0, "U", i, i + 1) for i in range(1, RUN + 1)],
        [line(1, "=", 1, i, 1, 0, "D") for i in range(1, RUN + 1)],
    ]
    for run, reply in zip(runs, [b"0\t1", b"0\t1\t1", b"0\t1\t1"], strict=True):
        before = statements(server)
        assert writer.pipeline(run) == [reply] * RUN
        assert 1 <= statements(server) - before <= 20


def test_requests_of_another_kind_table_or_size_have_a_statement_of_their_own(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("CREATE TABLE hs.m (id INT PRIMARY KEY, n INT) ENGINE=MyISAM")
    server.sql("CREATE TABLE hs.v (id INT PRIMARY KEY, n INT) WITH SYSTEM VERSIONING")
    for number, name in enumerate([table, "hs.m", "hs.v"], start=1):
        writer.open(name, ["id", "n"], id=number)
        assert writer.request(number, "+", 2, 500, 1) == b"0\t1"
    before = statements(server)
    requests = []
    for i in range(1, 21):
        requests += [line(1, "+", 2, i, i), line(1, "=", 1, 500, 1, 0, "U", 500, i)]
    assert writer.pipeline(requests)[1::2] == [b"0\t1\t1"] * 20
    assert statements(server) - before == 40
    for number in (2, 3):
        before = statements(server)
        assert writer.pipeline([line(number, "+", 2, i, i) for i in range(20)]) == [b"0\t1"] * 20
        assert statements(server) - before == 20
    before = statements(server)
    many = [line(1, ">=", 1, 1, 5, 0, "U", None, i) for i in range(20)]
    assert all(reply.startswith(b"1\t1\tsql_") for reply in writer.pipeline(many))
    assert statements(server) - before == 20


def test_an_insert_that_fails_among_others_fails_alone(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("INSERT INTO hs.t (id, u) VALUES (1000, 'taken')")
    writer.open(table, ["id", "n", "u"])
    bad: list[tuple[tuple[object, ...], bytes]] = [
        ((1000, 1, "a"), b"1\t1\t121"),
        ((2000, 1, "taken"), b"1\t1\t121"),
        ((2000, 1000, "a"), CHECK_VIOLATED),
        ((2000, "x", "a"), b"1\t1\tsql_1366"),
        ((2000, None, "a"), b"1\t1\tsql_1048"),
        ((2000, 1, "longer than ten"), b"1\t1\tsql_1406"),
    ]
    requests, replies, expected = [], [], [(1000, 7, "taken")]
    for i in range(1, RUN + 1):
        values, error = bad[i % len(bad)]
        requests += [line(1, "+", 3, i, i, f"u{i}"), line(1, "+", 3, *values)]  # type: ignore[arg-type]
        replies += [b"0\t1", error]
        expected.append((i, i, f"u{i}"))
    got = writer.pipeline(requests)
    assert [reply.split(b" ")[0] for reply in got] == replies
    assert server.sql("SELECT id, n, u FROM hs.t ORDER BY id") == sorted(expected)
    assert server.sql("CHECK TABLE hs.t EXTENDED")[-1][-1] == "OK"


# InnoDB would fill the empty table in bulk then.
def test_what_fails_alone_does_so_while_no_keys_are_to_be_checked(
    server: PrivateServer, writer: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.e (id INT PRIMARY KEY, n INT)")
    server.sql("CREATE TABLE hs.f LIKE hs.e")
    try:
        for checks in ("unique_checks", "foreign_key_checks"):
            server.sql(f"SET GLOBAL {checks} = 0")
        writer.open("hs.e", ["id", "n"], id=1)
        writer.open("hs.f", ["id", "n"], id=2)
        ignored = writer.pipeline([line(1, "+I", 2, id, 1) for id in (1, 1, 5)])
        block = writer.pipeline([line("T", "B"), *[line(2, "+", 2, id, 1) for id in (1, 1, 5)], line("T", "C")])
    finally:
        for checks in ("unique_checks", "foreign_key_checks"):
            server.sql(f"SET GLOBAL {checks} = 1")
    assert ignored == [b"0\t1\t1", b"0\t1\t0", b"0\t1\t1"]
    assert block == [b"0\t1", b"0\t1", b"1\t1\t121", b"0\t1", b"0\t1"]
    for table in "ef":
        assert server.sql(f"SELECT id FROM hs.{table} ORDER BY id") == [(1,), (5,)]


def test_an_update_that_fails_among_others_fails_alone(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql(f"INSERT INTO hs.t (id, n, u) SELECT seq, 0, concat('u', seq) FROM test.seq_1_to_{RUN}")
    writer.open(table, ["n", "u"])
    requests, replies = [], []
    for i in range(1, RUN + 1):
        requests.append(line(1, "=", 1, i, 1, 0, "U", i, f"v{i}"))
        replies.append(b"0\t1\t1")
        other = i % RUN + 1
        # Its unique name is taken; it breaks the check; it does not exist.
        requests.append(line(1, "=", 1, other, 1, 0, "U", 5, f"v{i}"))
        requests.append(line(1, "=", 1, other, 1, 0, "U", 1000, "w"))
        requests.append(line(1, "=", 1, 5000, 1, 0, "U", 5, "w"))
        replies += [b"1\t1\t121", CHECK_VIOLATED, b"0\t1\t0"]
    got = writer.pipeline(requests)
    assert [reply.split(b" ")[0] for reply in got] == replies
    expected = [(i, i, f"v{i}") for i in range(1, RUN + 1)]
    assert server.sql("SELECT id, n, u FROM hs.t ORDER BY id") == expected
    assert server.sql("SELECT COUNT(*) FROM hs.t WHERE changed > '2002-01-01'") == [(RUN,)]
    assert server.sql("CHECK TABLE hs.t EXTENDED")[-1][-1] == "OK"


def test_inserts_of_a_run_may_give_different_numbers_of_values(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("ALTER TABLE hs.t MODIFY id INT UNSIGNED AUTO_INCREMENT")
    writer.open(table, ["u", "n"])
    values = [("a", 1), ("b",), ("c", 2), (None,), ("d", 3), ("a",), ("e",)]
    replies = writer.pipeline([line(1, "+", len(given), *given) for given in values])
    assert replies == [b"0\t1\t%d" % id for id in (1, 2, 3, 4, 5)] + [b"1\t1\t121", b"0\t1\t7"]
    assert server.sql("SELECT id, u, n, changed < '2002-01-01' FROM hs.t ORDER BY id") == [
        (1, "a", 1, 1),
        (2, "b", 7, 1),
        (3, "c", 2, 1),
        (4, None, 7, 1),
        (5, "d", 3, 1),
        (7, "e", 7, 1),
    ]


def test_a_run_in_which_every_request_fails_leaves_nothing_in_the_binary_log(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("INSERT INTO hs.t (id) VALUES (1)")
    writer.open(table, ["id", "n"])
    before = log_events(server)
    assert writer.pipeline([line(1, "+", 2, 1, i) for i in range(RUN)]) == [b"1\t1\t121"] * RUN
    requests = [line(1, "=", 1, 99, 1, 0, "U", 99, i) for i in range(RUN)]
    assert writer.pipeline(requests) == [b"0\t1\t0"] * RUN
    assert log_events(server) == before


def test_a_table_is_opened_in_the_middle_of_a_run(
    server: PrivateServer, writer: Client, table: str
) -> None:
    """Once after requests that have changed nothing, and once after one that has."""
    server.sql("CREATE TABLE hs.s (id INT PRIMARY KEY, n INT)")
    writer.open(table, ["id", "n"])
    writer.open("hs.s", ["id", "n"], id=2)
    for round_, first in enumerate([line(1, "=", 1, 99, 1, 0, "U", 99, 1), line(1, "+", 2, 1, 1)]):
        server.sql("ALTER TABLE hs.s FORCE")  # so that it is closed
        replies = writer.pipeline([first, line(2, "+", 2, round_, 5), first])
        assert replies[1] == b"0\t1"
    assert server.sql("SELECT * FROM hs.s") == [(0, 5), (1, 5)]
    assert server.sql("SELECT id, n FROM hs.t") == [(1, 1)]


def test_a_find_between_changes_sees_those_before_it(
    server: PrivateServer, writer: Client, table: str
) -> None:
    writer.open(table, ["id", "n"])
    requests = []
    for i in range(1, RUN + 1):
        requests += [line(1, "+", 2, i, i), line(1, "=", 1, i, 1, 0)]
        requests += [line(1, "=", 1, i, 1, 0, "+", 0, 5), line(1, "=", 1, i, 1, 0)]
    replies = writer.pipeline(requests)
    assert [rows(reply) for reply in replies[1::4]] == [
        [(str(i).encode(), str(i).encode())] for i in range(1, RUN + 1)
    ]
    assert [rows(reply) for reply in replies[3::4]] == [
        [(str(i).encode(), str(i + 5).encode())] for i in range(1, RUN + 1)
    ]


def test_each_request_has_a_time_of_its_own(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql("ALTER TABLE hs.t ADD at TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6)")
    writer.open(table, ["id", "n"])
    assert set(writer.pipeline([line(1, "+", 2, i, i) for i in range(500)])) == {b"0\t1"}
    assert server.sql("SELECT COUNT(DISTINCT at) > 400 FROM hs.t") == [(1,)]


def test_every_default_that_is_a_time_is_that_of_its_request(
    server: PrivateServer, writer: Client, table: str
) -> None:
    server.sql(
        "CREATE TABLE hs.times (id INT PRIMARY KEY, stamp TIMESTAMP(6) DEFAULT NOW(6),"
        " at DATETIME(6) DEFAULT NOW(6), tomorrow DATETIME(6) DEFAULT (NOW(6) + INTERVAL 1 DAY),"
        " utc DATETIME(6) DEFAULT (UTC_TIMESTAMP(6)))"
    )
    writer.open("hs.times", ["id"])
    assert set(writer.pipeline([line(1, "+", 1, i) for i in range(500)])) == {b"0\t1"}
    same = "at = stamp AND tomorrow = at + INTERVAL 1 DAY"
    assert server.sql(f"SELECT COUNT(*) FROM hs.times WHERE {same}") == [(500,)]
    assert server.sql("SELECT COUNT(DISTINCT utc) > 400 FROM hs.times") == [(1,)]


def test_a_request_is_itself_after_those_before_it_were_executed_again() -> None:
    """Their shared statement finds no room in the log when it ends, which is when another begins."""
    # The end of the statement writes the third event of four rows.
    small = {"log_bin": "log", "binlog_cache_size": 4096, "max_binlog_cache_size": 16384}
    with PrivateServer(variables=small | {"handlersocket_threads_wr": 1}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(2000))")
        server.sql("CREATE TABLE hs.m (id INT PRIMARY KEY, v VARCHAR(2000)) ENGINE=MyISAM")
        with Client(server.port_wr) as client:
            client.open("hs.t", ["id", "v"])
            client.open("hs.m", ["id", "v"], id=2)
            assert client.request(1, "+", 2, 0, "") == b"0\t1"  # opens the tables
            assert client.request(2, "+", 2, 0, "") == b"0\t1"
            for attempt in range(10):  # a batch may be read in two parts on a busy machine
                first = 1 + 11 * attempt
                requests = [line(1, "+", 2, i, "x" * 1900) for i in range(first, first + 11)]
                with sql_holds(server, "UPDATE hs.t SET v = 'held' WHERE id = 0"):
                    client.send(line(1, "=", 1, 0, 1, 0, "U", 0, f"y{attempt}"))
                    wait_for_a_lock_wait(server)  # what comes now is read as a whole
                    client.send(b"".join(requests) + line(2, "+", 2, first, "y"))
                assert client.read_line() == b"0\t1\t1"
                assert [client.read_line() for _ in range(12)] == [b"0\t1"] * 12
                assert server.sql("SELECT COUNT(*) FROM hs.t") == [(first + 11,)]
                assert server.sql("SELECT v FROM hs.m WHERE id > 0") == [("y",)] * (attempt + 1)
                if int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_retries'")[0][1]) > 0:
                    return
    raise AssertionError("nothing was executed again")


@pytest.mark.skipif(bool(REPORTS), reason="under the sanitizers a batch takes long, and ends before it is too large")
def test_a_batch_too_large_for_the_log_leaves_no_incident_in_it() -> None:
    """Replicas stop at an incident. The batch also changes a table that has no rollback."""
    small = {"log_bin": "log", "binlog_cache_size": 4096, "max_binlog_cache_size": 16384}
    with PrivateServer(variables=small | {"handlersocket_threads_wr": 1}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
        server.sql("CREATE TABLE hs.m (id INT PRIMARY KEY) ENGINE=MyISAM")
        with Client(server.port_wr) as client:
            client.open("hs.t", ["id"])
            client.open("hs.m", ["id"], id=2)
            assert client.request(2, "+", 1, 1) == b"0\t1"
            requests = []
            for i in range(200):  # a statement each
                requests += [line(1, "+", 1, i), line(1, "=", 1, i, 1, 0, "D")]
            # A batch ends when it has worked for long, so on a slow machine not each is too large.
            rounds = 0
            while rounds < 5 or not int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_retries'")[0][1]):
                assert client.pipeline(requests) == [b"0\t1", b"0\t1\t1"] * 200
                rounds += 1
        assert "Incident" not in log_events(server)
