"""Logins in which the account's method has the word: ed25519, several methods, PAM."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import ed25519
import pytest
from accounts import IN, OUT, MakeAccount, made_accounts
from hs_client import Client, line, readable, status
from private_server import PrivateServer

PASSWORD = "a b\tc'\"ü"
ENDS_WITHIN_S = 30
BOTH = ("ed25519", "mysql_native_password")


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    """A server with auth_ed25519 that asks for accounts on both ports and on a Unix socket."""
    sockets = tmp_path_factory.mktemp("s")
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 2,
        "handlersocket_threads_wr": 1,
        "handlersocket_socket": sockets / "r",
        "handlersocket_socket_wr": sockets / "w",
        "log_warnings": 2,
    }
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(50))")
        server.sql("INSERT INTO hs.t VALUES (1, 'one')")
        server.sql("INSTALL SONAME 'auth_ed25519'")
        yield server
        assert server.running, server.error_log()[-3000:]


@pytest.fixture
def account(accounts: PrivateServer) -> Iterator[MakeAccount]:
    """Makes accounts with SELECT on hs.t, `account(user, method)`; all are dropped after the test."""
    with made_accounts(accounts, "SELECT ON hs.t") as make:
        yield lambda user, how, **more: make(user, f"IDENTIFIED VIA {how}", **more)


def using(method: str, password: str = PASSWORD) -> str:
    return f"{method} USING PASSWORD('" + password.replace("'", "''") + "')"


def log_in(server: PrivateServer, user: str, password: str, *methods: str) -> bytes:
    with Client(server.port) as client:
        return client.log_in(user, password, *methods)


def test_an_ed25519_account_logs_in_by_its_signature(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("eddy", using("ed25519"))
    for methods in (("ed25519",), BOTH, BOTH[::-1]):
        with Client(accounts.port) as client:
            reply = client.request("A", 2, "eddy", ",".join(methods)).split(b"\t")
            assert reply[:3] == [b"0", b"2", b"ed25519"] and len(reply[3]) == 64
            assert client.log_in("eddy", PASSWORD, *methods) == IN
            client.open("hs.t", ["id", "v"])
            assert client.raw(b"1\t=\t1\t1") == b"0\t2\t1\tone"
    with Client(accounts.port_wr) as client:
        assert client.log_in("eddy", PASSWORD, "ed25519") == IN
    with Client.local(accounts.variables["handlersocket_socket"]) as client:
        assert client.log_in("eddy", PASSWORD, "ed25519") == IN


def test_a_wrong_signature_is_refused_and_counted(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("eddy", using("ed25519"))
    before = status(accounts, "logins_failed")
    assert log_in(accounts, "eddy", "wrong", "ed25519") == OUT
    with Client(accounts.port) as client:
        for response in ("", "00", "00" * 64, "00" * 65, "0" * 20000):
            assert client.request("A", 2, "eddy", "ed25519").startswith(b"0\t2\ted25519\t")
            assert client.request("A", 3, response) == OUT, response
            assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == OUT
    assert status(accounts, "logins_failed") - before == 6
    assert log_in(accounts, "eddy", PASSWORD, "ed25519") == IN


def test_a_signature_is_good_for_one_challenge_of_one_connection(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("eddy", using("ed25519"))
    with Client(accounts.port) as one, Client(accounts.port) as other:
        challenge = bytes.fromhex(one.request("A", 2, "eddy", "ed25519").split(b"\t")[3].decode())
        other.request("A", 2, "eddy", "ed25519")
        response = ed25519.response(challenge, PASSWORD)
        assert other.request("A", 3, response) == OUT
        assert one.request("A", 3, response) == IN
        assert one.request("A", 3, response) == OUT


def test_a_client_that_can_do_more_logs_in_to_accounts_of_the_old_method(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("ada", using("mysql_native_password"))
    assert log_in(accounts, "ada", PASSWORD, *BOTH) == IN
    assert log_in(accounts, "ada", "wrong", *BOTH) == OUT
    # What the client has not listed it is not asked for.
    with Client(accounts.port) as client:
        assert client.request("A", 2, "ada", "ed25519").startswith(b"0\t2\ted25519\t")
        assert client.request("A", 3, "00" * 64) == OUT


def test_an_account_with_two_methods_takes_either(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("both", f"{using('ed25519', 'e')} OR {using('mysql_native_password', 'n')}")
    assert log_in(accounts, "both", "e", *BOTH) == IN
    assert log_in(accounts, "both", "n", *BOTH) == IN  # is asked a second time
    assert log_in(accounts, "both", "n") == IN
    assert log_in(accounts, "both", "x", *BOTH) == OUT
    with Client.local(accounts.variables["handlersocket_socket"]) as client:
        assert client.request("A", 4, "both", "n") == IN  # ed25519 takes no password
        assert client.request("A", 4, "both", "e") == OUT


def test_nothing_tells_an_unknown_account_from_one_that_cannot_log_in_so(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("eddy", using("ed25519"))
    account("locked", using("ed25519"))
    accounts.sql("ALTER USER 'locked'@'%' ACCOUNT LOCK")
    account("socket", "unix_socket")
    names = ["eddy", "locked", "socket", *(f"nosuch{number}" for number in range(12))]
    clients = [Client(accounts.port) for _ in names]
    try:
        methods = set()
        for name, client in zip(names, clients):
            reply = client.request("A", 2, name, "ed25519").split(b"\t")
            methods.add((*reply[:3], len(reply[3])))
        assert methods == {(b"0", b"2", b"ed25519", 64)}
        for client in clients:
            client.send(b"A\t3\t" + b"00" * 64 + b"\n")
        assert {client.read_line() for client in clients} == {OUT}
    finally:
        for client in clients:
            client.close()


def test_half_finished_logins_stop_no_other_client(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("eddy", using("ed25519"))
    account("ada", using("mysql_native_password"))
    with Client(accounts.port) as client:
        assert client.log_in("ada", PASSWORD) == IN
        client.open("hs.t", ["id", "v"])
        half = [Client(accounts.port) for _ in range(100)]
        try:
            for one in half:
                one.send(b"A\t2\teddy\ted25519\n")
            for _ in range(300):
                assert client.raw(b"1\t=\t1\t1") == b"0\t2\t1\tone"
            for one in half:
                assert one.read_line().startswith(b"0\t2\ted25519\t")
            assert log_in(accounts, "ada", PASSWORD) == IN
            assert log_in(accounts, "eddy", PASSWORD, "ed25519") == IN
            for one in half:
                one.send(b"A\t3\t" + b"00" * 64 + b"\n")
            replies = [one.read_line() for one in half]
            # The oldest were given up for the others.
            assert set(replies) == {b"1\t1\ttoo_many_logins", OUT}
            assert replies.count(OUT) <= 16
        finally:
            for one in half:
                one.close()


def test_a_flood_from_one_address_costs_no_other_address_its_logins(
    accounts: PrivateServer, account: MakeAccount
) -> None:
    account("eddy", using("ed25519"))
    with Client(accounts.port, source="127.0.0.2") as honest:
        reply = honest.request("A", 2, "eddy", "ed25519").decode().split("\t")
        flood = [Client(accounts.port) for _ in range(60)]
        try:
            for one in flood:
                one.send(b"A\t2\teddy\ted25519\n")
            for one in flood:
                assert one.read_line().startswith(b"0\t2\ted25519\t")
            response = ed25519.response(bytes.fromhex(reply[3]), PASSWORD)
            assert honest.request("A", 3, response) == IN
        finally:
            for one in flood:
                one.close()


def test_a_half_finished_login_ends_with_its_connection_and_with_the_server() -> None:
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
    }
    with PrivateServer(variables=variables) as server:
        server.sql("INSTALL SONAME 'auth_ed25519'")
        server.sql(f"CREATE USER eddy@'%' IDENTIFIED VIA {using('ed25519')}")
        with Client(server.port) as client:
            client.request("A", 2, "eddy", "ed25519")
            client.request("A", 2, "eddy", "ed25519")
        with Client(server.port) as killed:
            killed.request("A", 2, "eddy", "ed25519")
            ((id_,),) = server.sql("SELECT MAX(ID) FROM information_schema.HANDLERSOCKET_CONNECTIONS")
            server.sql(f"SET GLOBAL handlersocket_kill = {id_}")
            assert killed.at_eof()
        until = time.monotonic() + ENDS_WITHIN_S
        while status(server, "logins_failed") != 3:
            assert time.monotonic() < until
            time.sleep(0.05)
        with Client(server.port) as client:
            client.request("A", 2, "eddy", "ed25519")
            began = time.monotonic()
            assert server.stop() == 0, server.error_log()[-3000:]
            assert time.monotonic() - began < ENDS_WITHIN_S
        assert "got signal" not in server.error_log()


def test_pam_whose_program_cannot_be_started_refuses_and_ends_no_process(tmp_path: Path) -> None:
    """auth_pam sends SIGKILL to the process that it has not started, whichever that may be."""
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
        "handlersocket_socket": tmp_path / "s",
    }
    with PrivateServer(variables=variables) as server:
        server.sql("INSTALL SONAME 'auth_pam'")
        server.sql("CREATE USER pam@localhost IDENTIFIED VIA pam")
        clients = [Client.local(tmp_path / "s") for _ in range(8)]
        for client in clients:
            client.send(line("A", 4, "pam", "right"))
        assert [client.read_line() for client in clients] == [OUT] * len(clients)
        assert server.running
        for client in clients:
            client.close()


# In the place of PAM's own program, which auth_pam starts for each login. It asks for the password;
# "slow" waits for the test to write to a pipe, as all logins of the user "stuck" do before that, "as
# USER" is another account.
PAM_TOOL = """#!/usr/bin/python3
import os, struct

def read():
    size, = struct.unpack(">H", os.read(0, 2))
    return os.read(0, size) if size else b""

os.read(0, 1)
user, service = read(), read()
if user.startswith(b"stuck"):
    open("{pipe}").read()
prompt = bytes((2 << 1,)) + b"Password: "
os.write(1, b"C" + struct.pack(">H", len(prompt)) + prompt)
password = read().rstrip(b"\\0")
if password == b"slow":
    open("{pipe}").read()
if password.startswith(b"as "):
    os.write(1, b"A" + struct.pack(">H", len(password) - 3) + password[3:])
if password in (b"right", b"slow") or password.startswith(b"as "):
    os.write(1, b"E")
"""


@pytest.fixture(scope="module")
def pam(accounts: PrivateServer) -> Iterator[str]:
    """The pipe that lets slow logins go, on a server with an account `pam`."""
    pipe = accounts.directory / "slow"
    os.mkfifo(pipe)
    tool = accounts.directory / "plugins/auth_pam_tool_dir/auth_pam_tool"
    tool.parent.mkdir()
    tool.write_text(PAM_TOOL.format(pipe=pipe))
    tool.chmod(0o755)
    accounts.sql("INSTALL SONAME 'auth_pam'")
    accounts.sql("CREATE USER pam@localhost IDENTIFIED VIA pam")
    accounts.sql("GRANT SELECT ON hs.t TO pam@localhost")
    yield str(pipe)
    accounts.sql("DROP USER pam@localhost")


def local(server: PrivateServer) -> Client:
    return Client.local(server.variables["handlersocket_socket"])


def test_pam_has_the_password_from_the_client(accounts: PrivateServer, pam: str) -> None:
    with local(accounts) as client:
        assert client.request("A", 4, "pam", "wrong") == OUT
        assert client.request("A", 4, "pam", "") == OUT
        assert client.request("A", 4, "pam", "right") == IN
        client.open("hs.t", ["id", "v"])
        assert client.raw(b"1\t=\t1\t1") == b"0\t2\t1\tone"
    with Client(accounts.port) as client:  # in clear
        assert client.request("A", 4, "pam", "right") == b"3\t1\tauthtype"
        assert client.request("A", 2, "pam", "dialog") == b"3\t1\tauthtype"


def test_what_pam_asks_is_put_to_a_client_that_lists_its_method(
    accounts: PrivateServer, pam: str
) -> None:
    for password, reply in ((b"right", IN), (b"wrong", OUT)):
        with local(accounts) as client:
            assert client.request("A", 2, "pam", "dialog") == b"0\t2\tdialog\t"
            assert client.request("A", 3, (password + b"\0").hex()) == reply


def test_a_proxy_may_do_what_its_account_may_and_no_more(
    accounts: PrivateServer, pam: str
) -> None:
    accounts.sql("CREATE USER proxied@localhost IDENTIFIED BY 'x', other@localhost IDENTIFIED BY 'x'")
    accounts.sql("CREATE USER proxy@localhost IDENTIFIED VIA pam")
    try:
        accounts.sql("GRANT PROXY ON proxied@localhost TO proxy@localhost")
        accounts.sql("GRANT SELECT (id) ON hs.t TO proxied@localhost")
        for socket in ("handlersocket_socket", "handlersocket_socket_wr"):
            with Client.local(accounts.variables[socket]) as client:
                assert client.request("A", 4, "proxy", "as other") == OUT
                assert client.request("A", 4, "proxy", "as nosuch") == OUT
                assert client.request("A", 4, "proxy", "right") == IN
                assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"1\t1\topen_table"
                assert client.request("A", 4, "proxy", "as proxied") == IN
                client.open("hs.t", ["id"])
                assert client.raw(b"1\t=\t1\t1") == b"0\t1\t1"
                opened = client.raw(b"P\t2\ths\tt\tPRIMARY\tid,v")  # on the write port any privilege will do
                reply = client.raw(b"2\t=\t1\t1") if opened == IN else opened
                assert reply == b"1\t1\taccess_denied 1143"
    finally:
        accounts.sql("DROP USER proxied@localhost, other@localhost, proxy@localhost")


def let_go(pam: str, slow: list[Client]) -> list[bytes]:
    """Lets the slow logins go on until all clients have their replies."""
    until = time.monotonic() + ENDS_WITHIN_S
    replies = []
    waiting = set(slow)
    while waiting:
        # Ends the reading of each that reads by now.
        with contextlib.suppress(OSError):
            os.close(os.open(pam, os.O_WRONLY | os.O_NONBLOCK))
        for client in readable(list(waiting), 0.05):
            replies.append(client.read_line())
            waiting.discard(client)
        assert time.monotonic() < until
    return replies


def test_slow_logins_hold_up_no_other(
    accounts: PrivateServer, pam: str, account: MakeAccount
) -> None:
    account("ada", using("mysql_native_password"))
    slow = [local(accounts) for _ in range(10)]
    try:
        for client in slow:
            client.send(b"A\t4\tpam\tslow\n")
        with local(accounts) as client:
            assert client.request("A", 4, "pam", "right") == IN
            assert client.request("A", 4, "ada", PASSWORD) == IN
        assert log_in(accounts, "ada", PASSWORD, *BOTH) == IN
        assert log_in(accounts, "ada", "wrong") == OUT
        for client in slow:
            client.socket.settimeout(0.01)
            with pytest.raises(TimeoutError):
                client.read_line()
            client.socket.settimeout(60)
        assert set(let_go(pam, slow)) == {IN}
    finally:
        for client in slow:
            client.close()


def test_slow_logins_of_one_host_lock_out_no_other_host(
    accounts: PrivateServer, pam: str, account: MakeAccount
) -> None:
    account("ada", using("mysql_native_password"))
    refused = status(accounts, "logins_refused")
    slow = [local(accounts) for _ in range(16 + 128 + 5)]
    try:
        for client in slow:
            client.send(b"A\t4\tpam\tslow\n")
        until = time.monotonic() + ENDS_WITHIN_S
        while status(accounts, "logins_refused") < refused + 5:
            assert time.monotonic() < until
            time.sleep(0.05)
        # 16 are carried out, and 128 wait. There are threads for others.
        for _ in range(5):
            assert log_in(accounts, "ada", PASSWORD) == IN
        replies = let_go(pam, slow)
        assert set(replies) == {IN, b"1\t1\ttoo_many_logins"}
    finally:
        for client in slow:
            client.close()


def test_logins_of_three_hosts_that_hang_lock_out_no_fourth(
    accounts: PrivateServer, pam: str, account: MakeAccount
) -> None:
    account("ada", using("mysql_native_password"))
    account("eddy", using("ed25519"))
    account("stuck", "pam")
    hosts = [f"127.0.0.{number}" for number in (1, 2, 3)]
    stuck = [Client(accounts.port, source=host) for host in hosts for _ in range(40)]
    logging_in = (
        "SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS"
        " WHERE STATE = 'logging in'"
    )

    try:
        for client in stuck:
            client.request("A", 2, "stuck")
            client.send(line("A", 3, "00" * 20))
        until = time.monotonic() + ENDS_WITHIN_S
        # On a busy machine the first of those that wait may have been refused meanwhile.
        while accounts.sql(logging_in)[0][0] + len(readable(stuck)) < len(stuck):
            assert time.monotonic() < until
        for user, methods in (("ada", ()), ("eddy", ("ed25519",)), ("ada", BOTH)):
            began = time.monotonic()
            with Client(accounts.port, source="127.0.0.4") as client:
                assert client.log_in(user, PASSWORD, *methods) == IN
            assert time.monotonic() - began < 10  # handlersocket_login_timeout
        assert set(let_go(pam, stuck)) <= {OUT, b"1\t1\ttoo_many_logins"}
    finally:
        for client in stuck:
            client.close()


def test_the_plugin_can_be_removed_while_clients_owe_their_answers() -> None:
    variables = {
        "handlersocket": "ON",
        "handlersocket_authentication": "account",
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
    }
    with PrivateServer(variables=variables) as server:
        server.sql("INSTALL SONAME 'auth_ed25519'")
        server.sql(f"CREATE USER eddy@'%' IDENTIFIED VIA {using('ed25519')}")
        with Client(server.port) as one, Client(server.port_wr) as other:
            for client in (one, other):
                assert client.request("A", 2, "eddy", "ed25519").startswith(b"0\t2\ted25519\t")
            server.sql("UNINSTALL PLUGIN handlersocket")
            assert one.at_eof() and other.at_eof()
        assert server.sql("SELECT 1") == [(1,)]
