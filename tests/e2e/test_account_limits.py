"""What the server's limits and its audit make of the requests of accounts: the time of a request,
the requests of an hour, the tables that an account touches."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from accounts import IN, OUT, MakeAccount, audited, made_accounts
from hs_client import Client, status, wait_for_a_lock_wait
from private_server import PrivateServer

ENDS_WITHIN_S = 30
ROWS = 400_000
TOO_LONG = b"1\t1\tsql_1969 Query execution was interrupted (max_statement_time exceeded)"
BEYOND = b"1\t1\taccess_denied 1226"


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateServer]:
    """A server that asks for accounts on the read port and on the write port."""
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
    }
    with PrivateServer(variables=variables) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        running.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2), (3, 3)")
        running.sql("CREATE TABLE hs.u LIKE hs.t")
        running.sql("INSERT INTO hs.u VALUES (1, 1)")
        running.sql("CREATE TABLE hs.big (id INT PRIMARY KEY, v INT)")
        running.sql(f"INSERT INTO big SELECT seq, 0 FROM seq_1_to_{ROWS}", database="hs")
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture
def account(server: PrivateServer) -> Iterator[MakeAccount]:
    """Makes accounts that may do everything with hs; all are dropped after the test."""
    with made_accounts(server, "SELECT, INSERT, UPDATE, DELETE ON hs.*") as make:
        yield lambda user, limit="": make(user, f"IDENTIFIED BY 'p' {limit}")


def connect(port: int, user: str, table: str = "hs.t") -> Client:
    client = Client(port)
    assert client.log_in(user, "p") == IN
    client.open(table, ["id", "v"], filters=["v"])
    return client


# Goes over every row and finds none.
SCAN = b"1\t>\t1\t0\t1\t0\tF\t=\t0\t1"
ADD_ONE = b"1\t>\t1\t0\t%d\t0\t+\t0\t1" % ROWS


def test_a_request_takes_no_longer_than_a_statement_of_the_account_may(
    server: PrivateServer, account: MakeAccount
) -> None:
    account("quick", "WITH MAX_STATEMENT_TIME 0.01")
    account("patient")
    with connect(server.port, "quick", "hs.big") as quick:
        with connect(server.port, "patient", "hs.big") as patient:
            for _ in range(3):
                quick.send(SCAN + b"\n1\t=\t1\t7\n")
                patient.send(SCAN + b"\n")
                assert quick.read_line() == TOO_LONG
                assert quick.read_line() == b"0\t2\t7\t0"  # the next request has its own time
                assert patient.read_line() == b"0\t2"


def test_changes_of_a_request_that_takes_too_long_are_undone_and_those_of_others_stay(
    server: PrivateServer, account: MakeAccount
) -> None:
    account("quick", "WITH MAX_STATEMENT_TIME 0.05")
    account("patient")
    with connect(server.port_wr, "quick", "hs.big") as quick:
        with connect(server.port_wr, "patient") as patient:
            for value in (10, 20):
                patient.send(b"1\t=\t1\t3\t1\t0\tU\t3\t%d\n" % value)
                quick.send(ADD_ONE + b"\n")
                assert patient.read_line() == b"0\t1\t1"
                assert quick.read_line() == TOO_LONG
                assert server.sql("SELECT v FROM hs.t WHERE id = 3") == [(value,)]
                assert server.sql("SELECT MAX(v) FROM hs.big") == [(0,)]
            assert quick.raw(b"1\t=\t1\t1") == b"0\t2\t1\t0"


def test_a_request_waits_for_a_lock_no_longer_than_its_account_may(
    server: PrivateServer, account: MakeAccount
) -> None:
    account("quick", "WITH MAX_STATEMENT_TIME 0.2")
    sql = server.connect(autocommit=False)
    try:
        with connect(server.port_wr, "quick") as quick, sql.cursor() as cursor:
            cursor.execute("UPDATE hs.t SET v = v WHERE id = 1")
            began = time.monotonic()
            assert quick.raw(b"1\t=\t1\t1\t1\t0\tU\t1\t5") == TOO_LONG
            assert time.monotonic() - began < ENDS_WITHIN_S  # not innodb_lock_wait_timeout
            assert quick.raw(b"1\t=\t1\t2\t1\t0\tU\t2\t2") == b"0\t1\t1"
            sql.rollback()
            assert quick.raw(b"1\t=\t1\t1\t1\t0\tU\t1\t5") == b"0\t1\t1"
    finally:
        sql.close()


def test_the_servers_own_limit_holds_for_accounts_without_one(
    server: PrivateServer, account: MakeAccount
) -> None:
    account("common")
    account("patient", "WITH MAX_STATEMENT_TIME 100")
    server.sql("SET GLOBAL max_statement_time = 0.01")
    try:
        with connect(server.port, "common", "hs.big") as common:
            with connect(server.port, "patient", "hs.big") as patient:
                until = time.monotonic() + ENDS_WITHIN_S
                while common.raw(SCAN) != TOO_LONG:  # settings are taken anew now and then
                    assert time.monotonic() < until
                assert patient.raw(SCAN) == b"0\t2"
    finally:
        server.sql("SET GLOBAL max_statement_time = 0")


def test_a_request_that_waits_and_is_executed_again_counts_once(
    server: PrivateServer, account: MakeAccount
) -> None:
    account("few", "WITH MAX_QUERIES_PER_HOUR 3 MAX_UPDATES_PER_HOUR 2")
    sql = server.connect(autocommit=False)
    try:
        with connect(server.port_wr, "few") as few, sql.cursor() as cursor:
            for _ in range(2):
                cursor.execute("UPDATE hs.t SET v = v WHERE id = 1")
                few.send(b"1\t=\t1\t1\t1\t0\tU\t1\t5\n")
                wait_for_a_lock_wait(server)
                sql.rollback()
                assert few.read_line() == b"0\t1\t1"
            assert few.raw(b"1\t=\t1\t2") == b"0\t2\t2\t2"
            assert few.raw(b"1\t=\t1\t2") == BEYOND
    finally:
        sql.close()


def test_only_requests_that_touch_rows_or_describe_count(server: PrivateServer, account: MakeAccount) -> None:
    account("few", "WITH MAX_QUERIES_PER_HOUR 6 MAX_UPDATES_PER_HOUR 2")
    with connect(server.port_wr, "few") as few:
        for number in range(10):
            few.open("hs.t", ["id", "v"], id=number)
            assert few.raw(b"H\t2").startswith(b"0\t")
            assert few.raw(b"G\tL").startswith((b"0\t1", b"1\t1\tno_binary_log"))
            assert few.raw(b"G\tW\t\t0") == b"0\t1\t1"
            replies = few.pipeline([b"T\tB\n", b"T\tS\ts\n", b"T\tU\ts\n", b"T\tC\n"])
            assert replies == [b"0\t1"] * 4
            assert few.raw(b"99\t=\t1\t1") == b"2\t1\tstmtnum"
        # Changes count even when they find nothing, as in SQL.
        assert few.pipeline([b"1\t=\t1\t99\t1\t0\tD\n"] * 3) == [b"0\t1\t0", b"0\t1\t0", BEYOND]
        assert few.raw(b"D\ths\tt").startswith(b"0\t")
        assert few.raw(b"1\t=\t1\t2\t0\t0\tC").startswith(b"0\t1\t")
        assert few.raw(b"1\t=\t1\t2") == b"0\t2\t2\t2"
        assert few.raw(b"1\t=\t1\t2") == BEYOND
        assert few.raw(b"D\ths\tt") == BEYOND


def test_a_request_that_is_executed_again_after_a_deadlock_counts_once(
    server: PrivateServer, account: MakeAccount
) -> None:
    account("few", "WITH MAX_QUERIES_PER_HOUR 3 MAX_UPDATES_PER_HOUR 2")
    server.sql("CREATE OR REPLACE TABLE hs.d (id INT PRIMARY KEY, v INT)")
    server.sql("INSERT INTO hs.d VALUES (1, 0), (2, 0)")
    before = status(server, "retries")
    sql = server.connect(database="hs")
    try:
        with connect(server.port_wr, "few", "hs.d") as few, sql.cursor() as cursor:
            for round_ in (1, 2):
                sql.begin()
                # Many rows written, so that the other side is the cheaper victim.
                cursor.execute("INSERT INTO d SELECT seq + %s, 0 FROM seq_1_to_500", [round_ * 1000])
                cursor.execute("UPDATE d SET v = v + 1 WHERE id = 2")
                few.send(b"1\t>=\t1\t1\t2\t0\t+\t0\t10\n")  # locks row 1, and waits for row 2
                wait_for_a_lock_wait(server)
                cursor.execute("UPDATE d SET v = v + 1 WHERE id = 1")
                sql.commit()
                assert few.read_line() == b"0\t1\t2"
            assert status(server, "retries") == before + 2
            assert few.raw(b"1\t=\t1\t2") == b"0\t2\t2\t22"
            assert few.raw(b"1\t=\t1\t2") == BEYOND
    finally:
        sql.close()


def test_a_parked_request_whose_time_is_over_ends_with_the_error_of_the_limit() -> None:
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
        "handlersocket_max_threads": 2,  # one of them may wait
    }
    with PrivateServer(variables=variables) as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        own.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2)")
        own.sql("CREATE USER patient IDENTIFIED BY 'p'")
        own.sql("CREATE USER brief IDENTIFIED BY 'p' WITH MAX_STATEMENT_TIME 0.3")
        own.sql("GRANT ALL ON hs.* TO patient, brief")
        blocker = own.connect(database="hs")
        blocker.begin()
        with connect(own.port_wr, "patient") as patient, connect(own.port_wr, "brief") as brief:
            with blocker.cursor() as cursor:
                cursor.execute("UPDATE t SET v = v WHERE id <= 2")
            patient.send(b"1\t=\t1\t1\t1\t0\tU\t1\t5\n")
            wait_for_a_lock_wait(own)
            assert brief.raw(b"1\t=\t1\t2\t1\t0\tU\t2\t6") == TOO_LONG
            assert status(own, "parked") > 0
            blocker.rollback()
            assert patient.read_line() == b"0\t1\t1"
            assert brief.raw(b"1\t=\t1\t2\t1\t0\tU\t2\t6") == b"0\t1\t1"
            assert own.sql("SELECT v FROM hs.t") == [(5,), (6,)]
        blocker.close()


def test_an_account_does_not_count_for_a_client_without_one_behind_a_parked_transaction() -> None:
    variables = {
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
        "handlersocket_max_threads": 1,  # none may wait
    }
    with PrivateServer(variables=variables) as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        own.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2)")
        own.sql("CREATE USER few IDENTIFIED BY 'p' WITH MAX_QUERIES_PER_HOUR 3")
        own.sql("GRANT ALL ON hs.* TO few")
        blocker = own.connect(database="hs")
        blocker.begin()
        with Client(own.port_wr) as waiting, Client(own.port_wr) as other:
            for client in (waiting, other):
                client.open("hs.t", ["id", "v"])
            # Both keep the terms that they came on.
            own.sql("SET GLOBAL handlersocket_authentication_wr = account")
            with connect(own.port_wr, "few") as few, blocker.cursor() as cursor:
                cursor.execute("UPDATE t SET v = v WHERE id = 1")
                assert waiting.raw(b"T\tB") == b"0\t1"
                assert few.raw(b"1\t=\t1\t2") == b"0\t2\t2\t2"
                before = status(own, "parked")
                waiting.send(b"1\t=\t1\t1\t1\t0\tU\t1\t5\n")
                while status(own, "parked") == before:
                    pass
                assert [other.raw(b"1\t=\t1\t2") for _ in range(5)] == [b"0\t2\t2\t2"] * 5
                blocker.rollback()
                assert waiting.read_line() == b"0\t1\t1"
                assert waiting.raw(b"T\tC") == b"0\t1"
                assert few.raw(b"1\t=\t1\t2") == b"0\t2\t2\t2"
        blocker.close()


def test_the_slow_log_names_the_account(server: PrivateServer, account: MakeAccount) -> None:
    account("ada")
    log = server.data_directory / "handlersocket-slow.log"
    server.sql("SET GLOBAL handlersocket_slow_log = ON, GLOBAL handlersocket_long_query_time = 0")
    try:
        with connect(server.port, "ada", "hs.u") as ada:
            assert ada.raw(b"1\t=\t1\t1") == b"0\t2\t1\t1"
            until = time.monotonic() + ENDS_WITHIN_S
            while not log.exists() or "find `hs`.`u` by `PRIMARY`;" not in log.read_text():
                assert time.monotonic() < until
        assert "# User@Host: ada[ada] @ 127.0.0.1 []" in log.read_text()
    finally:
        server.sql("SET GLOBAL handlersocket_slow_log = OFF, GLOBAL handlersocket_long_query_time = 10")


def test_server_audit_sees_which_account_touches_which_table(
    server: PrivateServer, account: MakeAccount
) -> None:
    for user in ("ada", "bob"):
        account(user)
    with audited(server, "TABLE") as lines:

        def events(user: str) -> list[tuple[str, ...]]:
            return [(fields[6], fields[3], *fields[7:9]) for fields in lines(user)]

        with connect(server.port, "ada") as ada, connect(server.port, "bob", "hs.u") as bob:
            with connect(server.port_wr, "bob") as writes:
                host = "127.0.0.1"
                one_batch = b"1\t=\t1\t1\n" * 20
                ada.send(one_batch)
                bob.send(one_batch)
                for client in (ada, bob):
                    for _ in range(20):
                        assert client.read_line().startswith(b"0\t2\t1\t")
                assert set(events("ada")) == {("READ", host, "hs", "t")}
                assert set(events("bob")) == {("READ", host, "hs", "u")}
                assert len(events("ada")) < 20 and len(events("bob")) < 20
                assert writes.raw(b"1\t=\t1\t2\t1\t0\tU\t2\t2") == b"0\t1\t1"
                assert events("bob")[-1] == ("WRITE", host, "hs", "t")
                seen = len(events("ada"))
                assert ada.request("P", 2, "hs", "nosuch", "PRIMARY", "id") == b"1\t1\topen_table"
                assert len(events("ada")) == seen
    await_uninstalled(server)


def await_uninstalled(server: PrivateServer) -> None:
    """Until no session keeps server_audit any more."""
    plugins = "SELECT PLUGIN_STATUS FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'SERVER_AUDIT'"
    until = time.monotonic() + ENDS_WITHIN_S
    while server.sql(plugins):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_session_that_gives_its_tables_back_to_ddl_keeps_no_audit_plugin(
    server: PrivateServer, account: MakeAccount
) -> None:
    account("ada")
    locker = server.connect(database="hs", autocommit=False)
    altering = server.connect(database="hs")
    alter = threading.Thread(target=lambda: altering.query("ALTER TABLE t COMMENT 'new'"))
    with audited(server, "TABLE"), connect(server.port_wr, "ada") as ada, locker.cursor() as cursor:
        cursor.execute("SELECT v FROM t WHERE id = 1 FOR UPDATE")
        ada.send(b"1\t=\t1\t1\t1\t0\tU\t1\t7\n")
        wait_for_a_lock_wait(server)
        alter.start()
        waits = "SELECT 1 FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table metadata%'"
        until = time.monotonic() + ENDS_WITHIN_S
        while not server.sql(waits):
            assert time.monotonic() < until
        locker.rollback()
        assert ada.read_line() == b"0\t1\t1"
        alter.join()
    locker.close()  # an idle session of SQL keeps it
    altering.close()
    await_uninstalled(server)


def test_the_time_limit_ends_a_wait_for_a_tables_definition_with_its_own_error(
    server: PrivateServer, account: MakeAccount
) -> None:
    account("brief", "WITH MAX_STATEMENT_TIME 0.2")
    locker = server.connect(database="hs")
    with connect(server.port, "brief") as client, locker.cursor() as cursor:
        cursor.execute("LOCK TABLES u WRITE")
        assert client.request("P", 2, "hs", "u", "PRIMARY", "v") == TOO_LONG
        assert client.request(1, "=", 1, 2) == b"0\t2\t2\t2"
        cursor.execute("UNLOCK TABLES")
    locker.close()


COUNTED = (
    "TOTAL_CONNECTIONS, CONCURRENT_CONNECTIONS, SELECT_COMMANDS, EMPTY_QUERIES, UPDATE_COMMANDS,"
    " ROWS_SENT, ROWS_INSERTED, ROWS_UPDATED, ROWS_DELETED, ACCESS_DENIED"
)


def test_user_and_client_statistics_count_the_work_of_accounts(
    server: PrivateServer, account: MakeAccount
) -> None:
    user = account("counted")
    query = f"SELECT {COUNTED} FROM information_schema.USER_STATISTICS WHERE USER = '{user}'"
    of_clients = (
        "SELECT SUM(ROWS_INSERTED), SUM(BYTES_RECEIVED), SUM(BYTES_SENT)"
        " FROM information_schema.CLIENT_STATISTICS WHERE CLIENT IN ('127.0.0.1', 'localhost')"
    )
    server.sql("SET GLOBAL userstat = 1")
    try:
        server.sql("FLUSH CLIENT_STATISTICS")
        with connect(server.port, user) as reader, connect(server.port_wr, user) as writer:
            for key in (1, 2, 9):
                reader.find("=", [key])
            insert = b"1\t+\t2\t%d\t1\n"
            replies = writer.pipeline([insert % key for key in (50, 51, 50)])
            assert replies == [b"0\t1", b"0\t1", b"1\t1\t121"]
            assert writer.request(1, ">=", 1, 50, 9, 0, "U", 50, 7) == b"1\t1\t121"
            assert writer.request(1, "=", 1, 50, 1, 0, "U", 50, 7) == b"0\t1\t1"
            assert writer.request(1, ">=", 1, 50, 9, 0, "D") == b"0\t1\t2"
            assert server.sql(query) == [(2, 2, 3, 1, 6, 2, 2, 1, 2, 0)]
            ((inserted, received, sent),) = server.sql(of_clients)
            assert inserted == 2 and received > 100 and sent > 20
        while server.sql(query)[0][1] != 0:
            pass
        with Client(server.port) as stranger:
            assert stranger.log_in(user, "wrong") == OUT
        assert server.sql(query)[0][-1] == 1
        server.sql("SET GLOBAL userstat = 0")
        with connect(server.port, user) as reader:
            reader.find("=", [1])
        assert server.sql(query)[0][:3] == (2, 0, 3)
    finally:
        server.sql("SET GLOBAL userstat = 0")
