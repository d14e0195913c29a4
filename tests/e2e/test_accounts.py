"""Logins with accounts of the server: who comes in, who does not, and what that costs others."""

from __future__ import annotations

import os
import pwd
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import on_mysql
import pytest
from accounts import IN, OUT, MakeAccount, audited, made_accounts
from hs_client import Client, native_response, status
from private_accounts import identified_by
from private_server import PrivateServer, ServerError

PASSWORD = "a b\tc'\"ü"
ENDS_WITHIN_S = 30


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    """A server that asks for accounts on both ports and on two Unix sockets."""
    sockets = tmp_path_factory.mktemp("s")
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 2,
        "handlersocket_threads_wr": 2,
        "handlersocket_socket": sockets / "r",
        "handlersocket_socket_wr": sockets / "w",
        "general_log": 1,
        "general_log_file": sockets / "general.log",
        "log_warnings": 2,
    }
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(50), w INT)")
        server.sql("INSERT INTO hs.t VALUES (1, 'one', 10), (2, 'two', 20)")
        yield server
        assert server.running, server.error_log()[-3000:]


@pytest.fixture
def account(accounts: PrivateServer) -> Iterator[MakeAccount]:
    """Makes accounts, with SELECT on hs.t; all are dropped after the test."""
    usual = identified_by(PASSWORD)
    with made_accounts(accounts, "SELECT ON hs.t") as make:
        yield lambda user, how="", **more: make(user, how or usual, **more)


def native(server: PrivateServer, user: str, password: str = PASSWORD) -> bytes:
    with Client(server.port) as client:
        return client.log_in(user, password)


def plain(server: PrivateServer, user: str, password: str = PASSWORD) -> bytes:
    with Client.local(server.variables["handlersocket_socket"]) as client:
        return client.request("A", 4, user, password)


def test_the_right_password_lets_in_and_nothing_works_before(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada")
    with Client(accounts.port) as client:
        client.prepare_login()
        for request in (b"P\t1\ths\tt\tPRIMARY\tid,v", b"1\t=\t1\t1", b"A\t3\t00"):
            assert client.raw(request) == OUT
        assert client.raw(b"A\t1\tsecret") == b"3\t1\tauthtype"
        assert client.log_in("ada", PASSWORD) == IN
        client.open("hs.t", ["id", "v"])
        assert client.raw(b"1\t=\t1\t1") == b"0\t2\t1\tone"


def test_hello_tells_how_to_log_in_and_then_what_the_server_can_do(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada")
    version = str(accounts.sql("SELECT VERSION()")[0][0]).encode()
    with Client(accounts.port) as client:
        methods = b"mysql_native_password,ed25519,unix_socket,password"
        assert client.raw(b"H\t2\ttests 1.0") == b"0\t3\t2\tHandlerSocket 2\t" + methods
        assert client.log_in("ada", PASSWORD) == IN
        reply = client.raw(b"H\t2\ttests 1.0").split(b"\t")
        assert reply[:4] == [b"0", b"6", b"2", b"HandlerSocket 2"]
        assert reply[5:7] == [version, b"login,descending,all,count,describe,upsert,returning,gtid,transaction,ttl"]  # this server has no certificate
        shown = accounts.sql(
            "SELECT * FROM information_schema.HANDLERSOCKET_CONNECTIONS WHERE ID = %s",
            (int(reply[7]),),
        )
        assert "ada" in shown[0] and "tests 1.0" in shown[0], shown


def test_wrong_passwords_and_unknown_users_are_refused_alike(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada")
    before = status(accounts, "logins_failed")
    for user in ("ada", "nosuch"):
        with Client(accounts.port) as client:
            challenge = client.request("A", 2, user).split(b"\t")
            assert challenge[:3] == [b"0", b"2", b"mysql_native_password"]
            bytes_ = bytes.fromhex(challenge[3].decode())
            assert len(bytes_) == 20 and 0 not in bytes_
            assert client.request("A", 3, native_response(bytes_, "wrong")) == OUT
            assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == OUT
    assert status(accounts, "logins_failed") - before == 2
    assert native(accounts, "ada") == IN


def test_an_answer_to_another_challenge_is_refused(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada")
    with Client(accounts.port) as one, Client(accounts.port) as other:
        challenge = bytes.fromhex(one.request("A", 2, "ada").split(b"\t")[3].decode())
        other.request("A", 2, "ada")
        response = native_response(challenge, PASSWORD)
        assert other.request("A", 3, response) == OUT
        assert one.request("A", 3, response) == IN
        assert one.request("A", 3, response) == OUT


def test_a_password_is_taken_on_a_unix_socket_and_nowhere_in_clear(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada")
    assert plain(accounts, "ada") == IN
    assert plain(accounts, "ada", "wrong") == OUT
    with Client(accounts.port) as client:
        assert client.request("A", 4, "ada", PASSWORD) == b"3\t1\tauthtype"
        assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == OUT


def test_an_account_without_a_password_needs_none(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("open", "IDENTIFIED BY ''")
    assert native(accounts, "open", "") == IN
    assert native(accounts, "open", "x") == OUT
    assert plain(accounts, "open", "") == IN


def test_locked_and_expired_accounts_and_those_of_other_hosts_stay_out(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    password = "IDENTIFIED BY 'p'"
    account("locked", f"{password} ACCOUNT LOCK")
    account("expired", f"{password} PASSWORD EXPIRE")
    account("elsewhere", password, host="192.0.2.1")
    account("local", password, host="localhost")
    account("tls", f"{password} REQUIRE SSL")
    for user in ("locked", "expired", "elsewhere", "tls"):
        # On MySQL this login goes over TLS.
        assert native(accounts, user, "p") == (IN if user == "tls" and on_mysql.IS_MYSQL else OUT), user
        assert plain(accounts, user, "p") == OUT, user
    # Without name resolution, which this server does not do, TCP has the address alone.
    assert native(accounts, "local", "p") == OUT
    assert plain(accounts, "local", "p") == IN


def test_too_many_connections_of_an_account_are_refused_until_one_has_gone(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("few", "IDENTIFIED BY 'p' WITH MAX_USER_CONNECTIONS 2")
    with Client(accounts.port) as first, Client(accounts.port) as second:
        assert first.log_in("few", "p") == second.log_in("few", "p") == IN
        assert native(accounts, "few", "p") == OUT
    until = time.monotonic() + ENDS_WITHIN_S
    while native(accounts, "few", "p") != IN:
        assert time.monotonic() < until


def test_a_user_of_the_system_comes_in_by_the_unix_socket(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    me = pwd.getpwuid(os.geteuid()).pw_name
    accounts.sql("SELECT 1")
    existing = accounts.sql("SELECT 1 FROM mysql.user WHERE User = %s", (me,))
    if not existing:
        account(me, "IDENTIFIED VIA unix_socket", host="localhost")
    account("other", "IDENTIFIED VIA unix_socket", host="localhost")
    path = accounts.variables["handlersocket_socket"]
    with Client.local(path) as client:
        if not existing:
            assert client.request("A", 2, me, "unix_socket,mysql_native_password") == IN
            assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == IN
        assert client.request("A", 2, "other", "unix_socket") == OUT
        assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == OUT


def test_a_default_role_counts(accounts: PrivateServer, account: MakeAccount) -> None:
    account("roled", "IDENTIFIED BY 'p'", grant="")
    accounts.sql("CREATE ROLE reading")
    try:
        accounts.sql("GRANT SELECT ON hs.t TO reading")
        accounts.sql("GRANT reading TO 'roled'@'%'")
        with Client(accounts.port) as client:
            assert client.log_in("roled", "p") == IN
            assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"1\t1\topen_table"
        accounts.sql("SET DEFAULT ROLE reading FOR 'roled'@'%'")
        with Client(accounts.port) as client:
            assert client.log_in("roled", "p") == IN
            assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == IN
    finally:
        accounts.sql("DROP ROLE reading")


def test_another_login_on_a_connection_takes_the_place_of_the_first(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada")
    account("poor", "IDENTIFIED BY 'p'", grant="SELECT (id) ON hs.t")
    with Client(accounts.port) as client:
        assert client.log_in("ada", PASSWORD) == IN
        client.open("hs.t", ["id", "v"])
        assert client.raw(b"1\t=\t1\t1") == b"0\t2\t1\tone"
        assert client.log_in("poor", "p") == IN
        assert client.raw(b"1\t=\t1\t1") == b"1\t1\taccess_denied 1143"
        assert client.log_in("poor", "wrong") == OUT
        assert client.raw(b"1\t=\t1\t1") == OUT


def test_a_connection_is_shown_under_its_user_until_it_is_logged_out(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada")

    def shown() -> list[tuple[object, ...]]:
        table = "information_schema.HANDLERSOCKET_CONNECTIONS"
        return accounts.sql(f"SELECT USER FROM {table} WHERE ID = {newest}")

    with Client(accounts.port) as client:
        assert client.log_in("ada", PASSWORD) == IN
        ((newest,),) = accounts.sql(
            "SELECT MAX(ID) FROM information_schema.HANDLERSOCKET_CONNECTIONS WHERE USER = 'ada'"
        )
        assert shown() == [("ada",)]
        assert client.raw(b"A\t3\tno hexadecimal") == OUT
        assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == OUT
        assert shown() == [(None,)]


def test_the_write_port_asks_for_accounts_as_the_read_port_does(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("writes", "IDENTIFIED BY 'p'", grant="SELECT, INSERT, DELETE ON hs.t")
    with Client(accounts.port_wr) as client:
        client.prepare_login()
        assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid,v") == OUT
        assert client.log_in("writes", "p") == IN
        client.open("hs.t", ["id", "v"])
        assert client.raw(b"1\t+\t2\t9\tnine") == b"0\t1"
        assert client.raw(b"1\t=\t1\t9\t1\t0\tU\t9\tnein") == b"1\t1\taccess_denied 1142"
        assert client.raw(b"1\t=\t1\t9\t1\t0\tD") == b"0\t1\t1"


def test_an_account_that_may_write_on_a_read_only_server_does(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("common", "IDENTIFIED BY 'p'", grant="SELECT, INSERT, DELETE ON hs.t")
    account("admin", "IDENTIFIED BY 'p'", grant="SELECT, INSERT, DELETE ON hs.t")
    accounts.sql("GRANT READ ONLY ADMIN ON *.* TO 'admin'@'%'")
    accounts.sql("SET GLOBAL read_only = 1")
    try:
        with Client(accounts.port_wr) as common, Client(accounts.port_wr) as admin:
            for client, user in ((common, "common"), (admin, "admin")):
                assert client.log_in(user, "p") == IN
                client.open("hs.t", ["id", "v"])
            for _ in range(2):
                assert common.raw(b"1\t+\t2\t8\tx") == b"1\t1\tlock_tables"
                assert admin.raw(b"1\t+\t2\t8\tx") == b"0\t1"
                assert common.raw(b"1\t=\t1\t8\t1\t0\tD") == b"1\t1\tlock_tables"
                assert admin.raw(b"1\t=\t1\t8\t1\t0\tD") == b"0\t1\t1"
    finally:
        accounts.sql("SET GLOBAL read_only = 0")


def test_an_account_makes_as_many_requests_in_an_hour_as_it_may(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("asks", "IDENTIFIED BY 'p' WITH MAX_QUERIES_PER_HOUR 3")
    account(
        "changes",
        "IDENTIFIED BY 'p' WITH MAX_UPDATES_PER_HOUR 2",
        grant="SELECT, UPDATE ON hs.t",
    )
    beyond = b"1\t1\taccess_denied 1226"
    with Client(accounts.port) as client:
        assert client.log_in("asks", "p") == IN
        client.open("hs.t", ["id"])
        replies = [client.raw(b"1\t=\t1\t1") for _ in range(5)]
        assert replies == [b"0\t1\t1"] * 3 + [beyond] * 2
    with Client(accounts.port_wr) as client:
        assert client.log_in("changes", "p") == IN
        client.open("hs.t", ["w"])
        replies = [client.raw(b"1\t=\t1\t1\t1\t0\tU\t5") for _ in range(4)]
        assert replies == [b"0\t1\t1"] * 2 + [beyond] * 2
        assert client.raw(b"1\t=\t1\t1") == b"0\t1\t5"


def test_server_audit_sees_logins_and_their_ends(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("seen")
    with audited(accounts, "CONNECT") as lines:
        assert native(accounts, "seen", "wrong") == OUT
        assert native(accounts, "seen") == IN
        wanted = ["FAILED_CONNECT", "CONNECT", "DISCONNECT"]
        until = time.monotonic() + ENDS_WITHIN_S
        while (events := [fields[6] for fields in lines("seen")]) != wanted:
            assert time.monotonic() < until, events
            time.sleep(0.05)


def test_a_flood_of_failed_and_half_finished_logins_stops_no_other_client(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada")
    with Client(accounts.port) as client:
        assert client.log_in("ada", PASSWORD) == IN
        client.open("hs.t", ["id", "v"])
        half = [Client(accounts.port) for _ in range(200)]
        guesses = [Client(accounts.port) for _ in range(200)]
        try:
            for one in half:
                one.send(b"A\t2\tada\nA\t3")
            for one in guesses:
                one.send(b"A\t2\tada\nA\t3\t" + b"00" * 20 + b"\n")
            for _ in range(500):
                assert client.raw(b"1\t=\t1\t2") == b"0\t2\t2\ttwo"
            for one in guesses:
                one.read_line()
                assert one.read_line() in (OUT, b"1\t1\ttoo_many_logins")
            assert native(accounts, "ada") == IN
        finally:
            for one in (*half, *guesses):
                one.close()


def test_no_password_is_in_any_log_or_variable(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    secret = "Xyzzy12345"
    accounts.sql("SET SESSION sql_log_off = 1")
    account("quiet", f"IDENTIFIED BY PASSWORD '*{'0' * 40}'")
    assert plain(accounts, "quiet", secret) == OUT
    with Client(accounts.port) as client:
        client.request("A", 4, "quiet", secret)
    shown = str(accounts.sql("SHOW GLOBAL VARIABLES")) + str(accounts.sql("SHOW GLOBAL STATUS"))
    shown += str(accounts.sql("SHOW FULL PROCESSLIST"))
    shown += str(accounts.sql("SELECT * FROM information_schema.HANDLERSOCKET_CONNECTIONS"))
    shown += accounts.error_log()
    shown += Path(accounts.variables["handlersocket_socket"]).with_name("general.log").read_text()
    assert secret not in shown
    assert "quiet" in shown  # the general log has the attempt


def test_shutdown_waits_for_a_login_that_takes_long(tmp_path: Path) -> None:
    released = tmp_path / "released"
    os.mkfifo(released)
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
        "handlersocket_socket": tmp_path / "r",
    }
    with PrivateServer(variables=variables) as server:
        # In the place of PAM's own program, which ends when the test says so, and lets in.
        tool = server.directory / "plugins/auth_pam_tool_dir/auth_pam_tool"
        tool.parent.mkdir()
        tool.write_text(f"#!/bin/sh\nread line < {released}\nprintf E\n")
        tool.chmod(0o755)
        server.sql("INSTALL SONAME 'auth_pam'")
        server.sql("CREATE USER 'slow'@'localhost' IDENTIFIED VIA pam")
        server.sql("CREATE ROLE of_slow")
        server.sql("GRANT of_slow TO 'slow'@'localhost'")
        server.sql("SET DEFAULT ROLE of_slow FOR 'slow'@'localhost'")
        with Client.local(tmp_path / "r") as client:
            client.send(b"A\t4\tslow\tp\n")
            with open(released, "w") as release:  # waits until the program reads
                os.kill(server.pid, signal.SIGTERM)
                until = time.monotonic() + 2
                while time.monotonic() < until:
                    assert "InnoDB: Starting shutdown" not in server.error_log()
                    time.sleep(0.05)
                release.write("\n")
            assert server.stop() == 0, server.error_log()[-3000:]
        assert "got signal" not in server.error_log()


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        (
            {"handlersocket_authentication": "secret"},
            "handlersocket_authentication is secret, but no secret is set",
        ),
        (
            {"handlersocket_authentication": "account", "handlersocket_plain_secret": "s"},
            "handlersocket_authentication is account, but a secret is set",
        ),
        (
            {"handlersocket_authentication_wr": "none", "handlersocket_plain_secret": "s"},
            "handlersocket_authentication_wr is none, but a secret is set",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    variables: dict[str, object], sentence: str
) -> None:
    server = PrivateServer(variables=variables)
    try:
        with pytest.raises(ServerError):
            server.start()
        assert sentence in server.error_log()
    finally:
        server.close()
