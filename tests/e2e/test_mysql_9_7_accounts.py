"""Accounts of MySQL: caching_sha2_password over TLS and on a Unix socket, roles, partial revokes, and
rights on tables and columns, each beside what SQL lets the account do."""

from __future__ import annotations

import hashlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pymysql
import pytest
import server_files
from hs_client import Client, line, rows
from private_server import PrivateServer

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)
IN, OUT = b"0\t1", b"3\t1\tunauth"
PASSWORD = "a b\tc'\"ü"
SHA2 = "caching_sha2_password"
NO_TABLE = b"1\t1\topen_table"


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    sockets = tmp_path_factory.mktemp("s")
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 2,
        "handlersocket_threads_wr": 2,
        "handlersocket_socket": sockets / "r",
        "handlersocket_socket_wr": sockets / "w",
        "log_bin": "log",
        "partial_revokes": 1,
    }
    with PrivateServer(variables=variables) as server:
        for database in ("hs", "other"):
            server.sql(f"CREATE DATABASE {database}")
            server.sql(f"CREATE TABLE {database}.t (id INT PRIMARY KEY, v INT, w INT, KEY v (v, w))")
            server.sql(f"INSERT INTO {database}.t VALUES (1, 10, 100), (2, 20, 200)")
        yield server
        assert server.running, server.error_log()[-3000:]


Make = Callable[..., str]


@pytest.fixture
def make(accounts: PrivateServer) -> Iterator[Make]:
    """Makes an account with these privileges; it goes with the test."""
    made: list[str] = []

    def account(user: str, *grants: str, how: str = "", host: str = "%") -> str:
        password = PASSWORD.replace("'", "''")
        accounts.sql(f"CREATE USER '{user}'@'{host}' {how or f'IDENTIFIED BY {chr(39)}{password}{chr(39)}'}")
        made.append(f"'{user}'@'{host}'")
        for grant in grants:
            accounts.sql(f"GRANT {grant} TO '{user}'@'{host}'")
        return user

    yield account
    for name in made:
        accounts.sql(f"DROP USER IF EXISTS {name}")


def local(server: PrivateServer, writes: bool = False) -> Client:
    return Client.local(server.variables["handlersocket_socket" + ("_wr" if writes else "")])


def secure(server: PrivateServer) -> Client:
    """A connection over TLS, by the certificate that the server has made."""
    client = Client(server.port)
    client.begin_tls()
    return client


def plain(server: PrivateServer, user: str, password: str = PASSWORD) -> bytes:
    with local(server) as client:
        return client.request("A", 4, user, password)


def scrambled(nonce: bytes, password: str) -> bytes:
    once = hashlib.sha256(password.encode()).digest()
    mask = hashlib.sha256(hashlib.sha256(once).digest() + nonce).digest()
    return bytes(a ^ b for a, b in zip(once, mask))


def by_challenge(client: Client, user: str, password: str) -> tuple[bytes, int]:
    """Logs in by challenges; also how many there were."""
    reply, asked = client.request("A", 2, user, SHA2), 0
    while reply.startswith(b"0\t2\t"):
        _, _, method, challenge = reply.decode().split("\t")
        assert method == SHA2
        question, asked = bytes.fromhex(challenge), asked + 1
        answer = password.encode() + b"\0" if question == b"\x04" else scrambled(question, password)
        reply = client.request("A", 3, answer.hex())
    return reply, asked


def test_a_password_is_taken_over_tls_and_on_a_unix_socket(accounts: PrivateServer, make: Make) -> None:
    user = make("plain", "SELECT ON hs.t")
    for connect in (local, secure):
        with connect(accounts) as client:
            assert client.request("P", 1, "hs", "t", "PRIMARY", "id,v") == OUT
            assert client.request("A", 4, user, PASSWORD) == IN
            client.open("hs.t", ["id", "v"])
            assert client.find("=", [1]) == [(b"1", b"10")]
        with connect(accounts) as client:
            assert client.request("A", 4, user, PASSWORD + "x") == OUT
            assert client.request("P", 1, "hs", "t", "PRIMARY", "id,v") == OUT
    with Client(accounts.port) as client:
        assert client.request("A", 4, user, PASSWORD) == b"3\t1\tauthtype"


def test_the_first_challenge_asks_for_the_password_and_the_second_does_not(
    accounts: PrivateServer, make: Make
) -> None:
    """The server's cache knows the account once it has seen its password."""
    user = make("asked", "SELECT ON hs.t")
    for expected in (2, 1):
        with secure(accounts) as client:
            assert by_challenge(client, user, PASSWORD) == (IN, expected)
    with local(accounts) as client:
        assert by_challenge(client, user, "wrong")[0] == OUT
    accounts.sql("FLUSH PRIVILEGES")
    with local(accounts) as client:
        assert by_challenge(client, user, PASSWORD) == (IN, 2)


def test_nothing_logs_in_in_clear(accounts: PrivateServer, make: Make) -> None:
    user = make("clear", "SELECT ON hs.t")
    empty = make("empty", "SELECT ON hs.t", how="IDENTIFIED BY ''")
    with Client(accounts.port) as client:
        assert client.request("A", 2, user, SHA2) == b"3\t1\tauthtype"
        # The answer of a method that no account here has.
        for name in (user, empty):
            assert client.request("A", 2, name).startswith(b"0\t2\tmysql_native_password\t")
            assert client.request("A", 3, "") == OUT
    assert plain(accounts, empty, "") == IN
    assert plain(accounts, empty, "x") == OUT


def test_who_may_not_come_in_does_not(accounts: PrivateServer, make: Make) -> None:
    usual = "IDENTIFIED BY 'p'"
    assert plain(accounts, "nobody", "p") == OUT
    assert plain(accounts, "", "p") == OUT
    assert plain(accounts, make("locked", how=usual + " ACCOUNT LOCK"), "p") == OUT
    assert plain(accounts, make("expired", how=usual + " PASSWORD EXPIRE"), "p") == OUT
    assert plain(accounts, make("elsewhere", how=usual, host="10.1.2.3"), "p") == OUT
    assert plain(accounts, make("x509", how=usual + " REQUIRE X509"), "p") == OUT
    secured = make("secured", how=usual + " REQUIRE SSL")
    assert plain(accounts, secured, "p") == OUT
    with secure(accounts) as client:
        assert client.request("A", 4, secured, "p") == IN
    thrice = make("thrice", how=usual + " FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME 1")
    assert [plain(accounts, thrice, word) for word in ("a", "b", "c", "p")] == [OUT] * 4
    second = make("second", how=usual)
    accounts.sql(f"ALTER USER {second} IDENTIFIED BY 'q' RETAIN CURRENT PASSWORD")
    assert plain(accounts, second, "p") == plain(accounts, second, "q") == IN


def test_connections_of_an_account_are_counted_until_they_end(accounts: PrivateServer, make: Make) -> None:
    user = make("two", how="IDENTIFIED BY 'p' WITH MAX_USER_CONNECTIONS 2")
    with local(accounts) as first, local(accounts) as second, local(accounts) as third:
        assert first.request("A", 4, user, "p") == IN
        assert second.request("A", 4, user, "p") == IN
        assert third.request("A", 4, user, "p") == OUT
        with pytest.raises(pymysql.err.OperationalError):
            pymysql.connect(unix_socket=str(accounts.socket), user=user, password="p")
    with local(accounts) as client:
        while client.request("A", 4, user, "p") != IN:
            pass


def test_requests_of_an_hour_are_counted(accounts: PrivateServer, make: Make) -> None:
    user = make("few", "SELECT ON hs.t", how="IDENTIFIED BY 'p' WITH MAX_QUERIES_PER_HOUR 4")
    with local(accounts) as client:
        assert client.request("A", 4, user, "p") == IN
        client.open("hs.t", ["id"])
        replies = [client.request(1, "=", 1, 1) for _ in range(6)]
        assert replies[0] == b"0\t1\t1" and b"access_denied" in replies[-1]


CASES: tuple[tuple[tuple[str, ...], dict[str, bool]], ...] = (
    ((), {}),
    (("SELECT ON *.*",), {"=": True}),
    (("SELECT ON hs.*",), {"=": True}),
    (("SELECT ON hs.t",), {"=": True}),
    (("SELECT (id, v) ON hs.t",), {"=": False, "= v": True}),
    (("SELECT (v) ON hs.t",), {"=": False, "= v": False}),
    (("INSERT ON hs.t",), {"+": True}),
    (("INSERT (id) ON hs.t",), {"+": False, "+ id": True}),
    (("UPDATE ON hs.t", "SELECT ON hs.t"), {"=": True, "U": True}),
    (("UPDATE (v) ON hs.t", "SELECT ON hs.t"), {"=": True, "U": False, "U v": True}),
    (("DELETE ON hs.t", "SELECT ON hs.t"), {"=": True, "D": True}),
    (("ALL ON other.*",), {}),
)


@pytest.mark.parametrize("by_role", [False, True], ids=["itself", "role"])
@pytest.mark.parametrize("number", range(len(CASES)))
def test_an_account_may_do_what_its_privileges_say(
    accounts: PrivateServer, make: Make, number: int, by_role: bool
) -> None:
    grants, allowed = CASES[number]
    user = make("user")
    if by_role:
        accounts.sql("CREATE ROLE r")
        accounts.sql(f"GRANT r TO {user}")
        accounts.sql(f"SET DEFAULT ROLE r TO {user}")
    for grant in grants:
        accounts.sql(f"GRANT {grant} TO {'r' if by_role else user}")
    try:
        with local(accounts, writes=True) as client:
            assert client.request("A", 4, user, PASSWORD) == IN
            client.send(line("P", 1, "hs", "t", "PRIMARY", "id,v,w") + line("P", 2, "hs", "t", "PRIMARY", "id,v"))
            client.send(line("P", 3, "hs", "t", "PRIMARY", "id") + line("P", 4, "hs", "t", "PRIMARY", "v"))
            opened = [client.read_line() for _ in range(4)]
            sees = any("hs." in grant or "*.*" in grant for grant in grants)
            assert opened == [IN if sees else NO_TABLE] * 4
            outcomes = {
                "=": client.request(1, "=", 1, 1),
                "= v": client.request(2, "=", 1, 1),
                "U": client.request(1, "=", 1, 1, 1, 0, "U", 1, 11, 100),
                "U v": client.request(4, "=", 1, 1, 1, 0, "U", 12),
                "+": client.request(1, "+", 3, 3, 3, 3),
                "+ id": client.request(3, "+", 1, 4),
                "D": client.request(3, "=", 1, 2, 1, 0, "D"),
            }
        done = {name for name, reply in outcomes.items() if reply.startswith(b"0\t")}
        wanted = {name for name, is_allowed in allowed.items() if is_allowed}
        # A privilege for the whole table is one for its columns.
        for name, part in (("=", "= v"), ("+", "+ id"), ("U", "U v")):
            if name in wanted:
                wanted.add(part)
        assert done == wanted, outcomes
    finally:
        accounts.sql("DELETE FROM hs.t")
        accounts.sql("INSERT INTO hs.t VALUES (1, 10, 100), (2, 20, 200)")
        if by_role:
            accounts.sql("DROP ROLE r")


def wait_for(client: Client, request: bytes, expected: Callable[[bytes], bool]) -> None:
    """Asks until the answer is as expected: rights are known half a second later at most."""
    deadline = time.monotonic() + 20
    while not expected(client.raw(request)):
        assert time.monotonic() < deadline, client.raw(request)


def denied(reply: bytes) -> bool:
    return not reply.startswith(b"0\t")


def granted(reply: bytes) -> bool:
    return reply.startswith(b"0\t")


def test_rights_come_and_go_on_connections_that_are_open(accounts: PrivateServer, make: Make) -> None:
    user = make("changing", "SELECT ON *.*")
    find = b"1\t=\t1\t1"
    with local(accounts) as client:
        assert client.request("A", 4, user, PASSWORD) == IN
        client.open("hs.t", ["id", "v"])
        assert granted(client.raw(find))
        accounts.sql(f"REVOKE SELECT ON hs.* FROM {user}")  # a partial revoke
        wait_for(client, find, denied)
        assert client.request("P", 2, "other", "t", "PRIMARY", "id") == IN
        accounts.sql(f"GRANT SELECT ON hs.* TO {user}")
        wait_for(client, find, granted)
        accounts.sql(f"REVOKE SELECT ON *.* FROM {user}")
        wait_for(client, find, denied)
        accounts.sql(f"GRANT SELECT (id, v) ON hs.t TO {user}")
        wait_for(client, find, granted)
        accounts.sql(f"DROP USER {user}")
        wait_for(client, find, denied)


# What an account, its default role and a mandatory role have, and what is revoked from each of them in part.
REVOKED: tuple[dict[str, tuple[str, ...]], ...] = (
    {"partial": ("GRANT SELECT ON *.*", "REVOKE SELECT ON hs.*")},
    {"partial": ("GRANT SELECT, INSERT ON *.*", "REVOKE SELECT ON hs.*")},
    {"partial": ("GRANT SELECT ON *.*", "REVOKE SELECT ON hs.*", "GRANT SELECT ON hs.t")},
    {"partial": ("GRANT SELECT ON *.*", "REVOKE SELECT ON hs.*", "GRANT SELECT (id) ON hs.t")},
    {"played": ("GRANT SELECT, INSERT ON *.*", "REVOKE SELECT ON hs.*")},
    {"partial": ("GRANT SELECT ON *.*", "REVOKE SELECT ON hs.*"), "played": ("GRANT SELECT ON *.*",)},
    {"partial": ("GRANT SELECT ON *.*", "REVOKE SELECT ON hs.*"), "played": ("GRANT SELECT ON hs.t",)},
    {"partial": ("GRANT SELECT ON *.*", "REVOKE SELECT ON hs.*"), "always": ("GRANT SELECT ON hs.*",)},
    {"always": ("GRANT SELECT, INSERT ON *.*", "REVOKE INSERT ON hs.*"), "played": ("GRANT INSERT ON other.*",)},
    {"always": ("GRANT SELECT ON *.*", "REVOKE SELECT ON other.*"), "played": ("GRANT INSERT ON *.*",)},
)


@pytest.mark.parametrize("all_roles", [0, 1])
def test_a_privilege_that_is_revoked_in_part_is_that_of_sql(
    accounts: PrivateServer, make: Make, all_roles: int
) -> None:
    """The mandatory role counts only where all roles are active from the login on."""
    asks = {"SELECT id, v FROM {} WHERE id = 9": (1, "=", 1, 9), "INSERT INTO {} (id, v) VALUES (1, 1)": (1, "+", 2, 1, 1)}
    accounts.sql(f"SET GLOBAL activate_all_roles_on_login = {all_roles}")
    try:
        for grants in REVOKED:
            make("partial", how="IDENTIFIED BY 'p'")
            for role in ("played", "always"):
                accounts.sql(f"CREATE ROLE {role}")
            accounts.sql("GRANT played TO partial")
            accounts.sql("SET DEFAULT ROLE played TO partial")
            accounts.sql("SET GLOBAL mandatory_roles = 'always'")
            for name, statements in grants.items():
                for statement in statements:
                    accounts.sql(f"{statement} {'FROM' if statement.startswith('REVOKE') else 'TO'} {name}")
            with (
                local(accounts, writes=True) as client,
                accounts.connect(user="partial", password="p") as connection,
                connection.cursor() as cursor,
            ):
                assert client.request("A", 4, "partial", "p") == IN
                for table in ("hs.t", "other.t"):
                    opened = client.request("P", 1, *table.split("."), "PRIMARY", "id,v") == IN
                    for statement, request in asks.items():
                        number = 0
                        try:
                            cursor.execute(statement.format(table))
                        except pymysql.MySQLError as error:
                            number = error.args[0]
                        is_allowed = number not in (1142, 1143)
                        by_port = opened and b"access_denied" not in client.request(*request)
                        assert by_port == is_allowed, (grants, table, statement, number)
            accounts.sql("SET GLOBAL mandatory_roles = ''")
            accounts.sql("DROP USER partial")
            accounts.sql("DROP ROLE played, always")
    finally:
        accounts.sql("SET GLOBAL activate_all_roles_on_login = DEFAULT")
        accounts.sql("SET GLOBAL mandatory_roles = DEFAULT")
        accounts.sql("DROP ROLE IF EXISTS played, always")


def test_rights_of_a_role_come_and_go(accounts: PrivateServer, make: Make) -> None:
    user = make("playing")
    find = b"1\t=\t1\t1"
    accounts.sql("CREATE ROLE player")
    try:
        accounts.sql(f"GRANT player TO {user}")
        accounts.sql(f"SET DEFAULT ROLE player TO {user}")
        accounts.sql("GRANT SELECT ON hs.t TO player")
        with local(accounts) as client:
            assert client.request("A", 4, user, PASSWORD) == IN
            client.open("hs.t", ["id", "v"])
            assert granted(client.raw(find))
            accounts.sql("REVOKE SELECT ON hs.t FROM player")
            wait_for(client, find, denied)
            accounts.sql("GRANT SELECT ON *.* TO player")
            wait_for(client, find, granted)
        accounts.sql(f"REVOKE player FROM {user}")
        with local(accounts) as client:
            assert client.request("A", 4, user, PASSWORD) == IN
            assert client.request("P", 1, "hs", "t", "PRIMARY", "id") == NO_TABLE
    finally:
        accounts.sql("DROP ROLE player")


def test_all_roles_may_be_active_from_the_login_on(accounts: PrivateServer, make: Make) -> None:
    user = make("everything")
    accounts.sql("CREATE ROLE every")
    accounts.sql("SET GLOBAL activate_all_roles_on_login = 1")
    try:
        accounts.sql("GRANT SELECT ON hs.t TO every")
        accounts.sql(f"GRANT every TO {user}")
        with local(accounts) as client:
            assert client.request("A", 4, user, PASSWORD) == IN
            client.open("hs.t", ["id", "v"])
            until = time.monotonic() + 1
            while time.monotonic() < until:  # also when the rights are asked for anew
                assert client.find("=", [1]) == [(b"1", b"10")]
    finally:
        accounts.sql("SET GLOBAL activate_all_roles_on_login = 0")
        accounts.sql("DROP ROLE every")


def test_an_account_is_kept_out_while_the_server_is_offline(accounts: PrivateServer, make: Make) -> None:
    usual, admin = make("usual", "SELECT ON hs.t"), make("admin", "SELECT ON hs.t", "CONNECTION_ADMIN ON *.*")
    find = b"1\t=\t1\t1"
    with local(accounts) as client, local(accounts) as other:
        for one, user in ((client, usual), (other, admin)):
            assert one.request("A", 4, user, PASSWORD) == IN
            one.open("hs.t", ["id"])
            assert one.request(1, "=", 1, 1) == b"0\t1\t1"
        accounts.sql("SET GLOBAL offline_mode = 1")
        try:
            wait_for(client, find, b"1\t1\taccess_denied 1142".__eq__)
            assert plain(accounts, usual) == OUT
            assert plain(accounts, admin) == IN
            assert other.request(1, "=", 1, 1) == b"0\t1\t1"
        finally:
            accounts.sql("SET GLOBAL offline_mode = 0")
        wait_for(client, find, granted)
        assert plain(accounts, usual) == IN


def test_nobody_logs_in_to_a_server_without_accounts(tmp_path: Path) -> None:
    variables = {"handlersocket_authentication": "account", "handlersocket_socket": tmp_path / "r"}
    with PrivateServer(variables=variables, arguments=["--skip-grant-tables"]) as server:
        for user in ("root", "nobody"):
            assert plain(server, user, "") == OUT
        server.sql("FLUSH PRIVILEGES")
        server.sql("CREATE USER one IDENTIFIED BY 'p'")
        assert [plain(server, "one", word) for word in ("p", "q")] == [IN, OUT]
        assert server.running


def test_an_account_is_told_of_what_it_sees(accounts: PrivateServer, make: Make) -> None:
    user = make("looking", "SELECT (id, w) ON hs.t", how="IDENTIFIED BY 'p'")
    with local(accounts) as client:
        assert client.request("A", 4, user, "p") == IN
        connection = pymysql.connect(unix_socket=str(accounts.socket), user=user, password="p")
        with connection, connection.cursor() as cursor:
            cursor.execute("SHOW DATABASES")
            seen = sorted((row[0].encode(),) for row in cursor.fetchall() if row[0] != "information_schema")
            cursor.execute("SHOW COLUMNS FROM hs.t")
            columns = [row[0].encode() for row in cursor.fetchall()]
        assert rows(client.request("D")) == seen
        assert [row[0] for row in rows(client.request("D", "hs"))] == [b"t"]
        assert [row[0] for row in rows(client.request("D", "hs", "t"))] == columns == [b"id", b"w"]
        assert client.request("D", "other") == client.request("D", "other", "t") == NO_TABLE


def test_many_logins_and_grants_at_once_hold_up_nobody(accounts: PrivateServer, make: Make) -> None:
    users = [make(f"many{number}", "SELECT ON hs.t", how="IDENTIFIED BY 'p'") for number in range(4)]
    wrong: list[object] = []

    def come_and_go(user: str) -> None:
        for _ in range(40):
            with local(accounts) as client:
                if client.request("A", 4, user, "p") != IN:
                    wrong.append("login")
                client.send(line("P", 1, "hs", "t", "PRIMARY", "id") + line(1, "=", 1, 1))
                if client.read_line() != IN or client.read_line() != b"0\t1\t1":
                    wrong.append("find")

    threads = [threading.Thread(target=come_and_go, args=[user]) for user in users]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        accounts.sql(f"GRANT INSERT ON hs.t TO {users[0]}")
        accounts.sql(f"REVOKE INSERT ON hs.t FROM {users[0]}")
        accounts.sql("FLUSH PRIVILEGES")
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_client_that_leaves_in_the_middle_of_a_login_takes_nothing_along(
    accounts: PrivateServer, make: Make
) -> None:
    user = make("leaving", "SELECT ON hs.t")
    for _ in range(20):
        with local(accounts) as client:
            assert client.request("A", 2, user, SHA2).startswith(b"0\t2\t" + SHA2.encode())
            client.socket.shutdown(socket.SHUT_RDWR)
    assert plain(accounts, user) == IN
