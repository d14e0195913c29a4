"""Logins to MySQL in every way that an account can restrict or extend them. Each is tried beside SQL, and
SQL's verdict is the port's: whether the account comes in, and which tables it sees then."""

from __future__ import annotations

import contextlib
import getpass
import ssl
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pymysql
import pytest
import server_files
from certificates import Certificates
from hs_client import Client, rows
from private_server import PrivateServer
from test_tls import certificates, context  # noqa: F401

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)
IN = b"0\t1"
# Each has the table `t`, and an account sees those that it has a privilege on.
DATABASES = ("one", "two", "three", "four")
P = "IDENTIFIED BY 'p'"

Seen = frozenset[str] | None  # None: it does not come in


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[PrivateServer]:  # noqa: F811
    certificates.make("other-ca")
    certificates.make("stranger", signed_by="other-ca")
    certificates.make("another", signed_by="ca")
    sockets = tmp_path_factory.mktemp("s")
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
        "handlersocket_socket": sockets / "r",
        **certificates.variables("server"),
    }
    with PrivateServer(variables=variables) as running:
        for database in DATABASES:
            running.sql(f"CREATE DATABASE {database}")
            running.sql(f"CREATE TABLE {database}.t (id INT PRIMARY KEY)")
        yield running
        assert running.running, running.error_log()[-3000:]


Make = Callable[..., str]


@pytest.fixture
def make(server: PrivateServer) -> Iterator[Make]:
    """Makes an account that may read the table of a database; it goes with the test."""
    made: list[str] = []

    def account(user: str, how: str = P, *, sees: Sequence[str] = ("one",), host: str = "%") -> str:
        name = f"'{user}'@'{host}'"
        server.sql(f"CREATE USER {name} {how}")
        made.append(name)
        for database in sees:
            server.sql(f"GRANT SELECT ON {database}.t TO {name}")
        return user

    yield account
    for name in made:
        server.sql(f"DROP USER IF EXISTS {name}")


@pytest.fixture
def tls(certificates: Certificates) -> Callable[..., ssl.SSLContext]:  # noqa: F811
    return lambda client=None, **more: context(certificates, client=client, **more)


def by_sql(
    server: PrivateServer, user: str, password: str, tls: ssl.SSLContext | None, source: str
) -> tuple[Seen, contextlib.AbstractContextManager[object] | None]:
    """What the account sees, and its connection. Without TLS it comes by the Unix socket."""
    way: dict[str, object] = {"unix_socket": str(server.socket)}
    if tls is not None:
        way = {"host": "127.0.0.1", "port": server.sql_port, "ssl": tls, "bind_address": source}
    try:
        connection = pymysql.connect(user=user, password=password, **way)  # type: ignore[arg-type]
    except (pymysql.err.Error, ssl.SSLError, OSError):
        return None, None
    with connection.cursor() as cursor:
        try:
            cursor.execute("SELECT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_NAME = 't'")
        except pymysql.err.Error:  # in the sandbox of an expired password
            connection.close()
            return None, None
        return frozenset(row[0] for row in cursor.fetchall()), connection


def by_port(
    server: PrivateServer, user: str, password: str, tls: ssl.SSLContext | None, source: str
) -> tuple[Seen, Client | None]:
    """The same on the port."""
    try:
        if tls is None:
            client = Client.local(server.variables["handlersocket_socket"])
        else:
            client = Client(server.port, source=source)
            client.socket = tls.wrap_socket(client.socket)
        reply = client.request("A", 4, user, password)
    except (EOFError, ssl.SSLError, OSError):
        return None, None
    if reply != IN:
        # Nothing that an account must be there for is answered then.
        with contextlib.suppress(EOFError):
            assert client.request("P", 1, "one", "t", "PRIMARY", "id") == b"3\t1\tunauth"
        client.close()
        return None, None
    seen = {name.decode() for (name,) in rows(client.request("D")) if name and name.decode() in DATABASES}
    for database in DATABASES:
        reply = client.request("P", 1, database, "t", "PRIMARY", "id")
        assert (reply == IN) == (database in seen), (database, reply)
    return frozenset(seen), client


def both(
    server: PrivateServer, user: str, password: str = "p", *,
    tls: ssl.SSLContext | None = None, source: str = "127.0.0.1", twin: str | None = None,
) -> Seen:
    """What SQL and the port say alike. `twin`: the account on the port, if that is another one."""
    seen, connection = by_sql(server, user, password, tls, source)
    if connection is not None:
        connection.close()  # type: ignore[attr-defined]
    on_port, client = by_port(server, twin or user, password, tls, source)
    if client is not None:
        client.close()
    assert on_port == seen, (user, on_port, seen)
    return seen


ONE: Seen = frozenset({"one"})


def test_what_an_account_requires_of_tls_is_asked(
    server: PrivateServer, make: Make, tls: Callable[..., ssl.SSLContext]
) -> None:
    ways: dict[str, ssl.SSLContext | None] = {
        "socket": None,
        "none": tls(),
        "client": tls("client"),
        "another": tls("another"),
        "tls 1.2": tls("client", version=ssl.TLSVersion.TLSv1_2),
    }
    ways["other cipher"] = tls("client", version=ssl.TLSVersion.TLSv1_2)
    assert ways["other cipher"] is not None
    ways["other cipher"].set_ciphers("ECDHE-ECDSA-AES256-GCM-SHA384")
    requirements = {
        "NONE": {"socket", "none", "client", "another", "tls 1.2", "other cipher"},
        "SSL": {"none", "client", "another", "tls 1.2", "other cipher"},
        "X509": {"client", "another", "tls 1.2", "other cipher"},
        "SUBJECT '/CN=client'": {"client", "tls 1.2", "other cipher"},
        "SUBJECT '/CN=nobody'": set(),
        "ISSUER '/CN=ca'": {"client", "another", "tls 1.2", "other cipher"},
        "ISSUER '/CN=other-ca'": set(),
        "SUBJECT '/CN=another' AND ISSUER '/CN=ca'": {"another"},
        "CIPHER 'ECDHE-ECDSA-AES256-GCM-SHA384'": {"other cipher"},
        "CIPHER 'ECDHE-ECDSA-AES256-GCM-SHA384' AND SUBJECT '/CN=another'": set(),
    }
    for number, (requirement, wanted) in enumerate(requirements.items()):
        user = make(f"tls{number}", f"{P} REQUIRE {requirement}")
        came = {name for name, way in ways.items() if both(server, user, tls=way) is not None}
        assert came == wanted, requirement
        assert both(server, user, "wrong", tls=ways["client"]) is None


def test_a_certificate_of_nobody_known_is_none(
    server: PrivateServer, make: Make, tls: Callable[..., ssl.SSLContext]
) -> None:
    for number, requirement in enumerate(("NONE", "X509", "SUBJECT '/CN=stranger'", "ISSUER '/CN=other-ca'")):
        user = make(f"strange{number}", f"{P} REQUIRE {requirement}")
        for client in ("stranger", "foreign", "expired"):
            assert both(server, user, tls=tls(client)) is None


def test_a_server_may_require_a_secure_way(
    server: PrivateServer, make: Make, tls: Callable[..., ssl.SSLContext]
) -> None:
    user = make("safe")
    server.sql("SET GLOBAL require_secure_transport = 1")
    try:
        assert both(server, user) == both(server, user, tls=tls()) == ONE
        with Client(server.port) as client:
            assert client.request("A", 4, user, "p") == b"3\t1\tinsecure_transport"
    finally:
        server.sql("SET GLOBAL require_secure_transport = 0")


def test_of_several_accounts_of_a_name_it_is_the_one_whose_host_fits_best(
    server: PrivateServer, make: Make, tls: Callable[..., ssl.SSLContext]
) -> None:
    hosts = {"%": "one", "127.0.0.0/255.255.255.0": "two", "127.0.0.3": "three", "localhost": "four"}
    for host, database in hosts.items():
        make("many", f"IDENTIFIED BY '{database}'", sees=[database], host=host)
    came: dict[str, set[str]] = {}
    for source in ("", "127.0.0.1", "127.0.0.3", "127.0.1.1"):
        for database in DATABASES:
            way = tls() if source else None
            if both(server, "many", database, tls=way, source=source) is not None:
                came.setdefault(source, set()).add(database)
    assert came == {"": {"four"}, "127.0.0.1": {"two"}, "127.0.0.3": {"three"}, "127.0.1.1": {"one"}}


@pytest.mark.parametrize("host", ["127.0.0.%", "127.0.0._", "127.0.0.0/24", "127.%", "10.%", "::1", "%.example"])
def test_a_pattern_of_hosts_lets_in_whom_it_fits(
    server: PrivateServer, make: Make, tls: Callable[..., ssl.SSLContext], host: str
) -> None:
    make("somewhere", host=host)
    came = {
        source
        for source in ("", "127.0.0.1", "127.0.0.33", "127.0.1.1")
        if both(server, "somewhere", tls=tls() if source else None, source=source) is not None
    }
    assert came == {
        "127.0.0.%": {"127.0.0.1", "127.0.0.33"},
        "127.0.0._": {"127.0.0.1"},
        "127.0.0.0/24": {"127.0.0.1", "127.0.0.33"},
        "127.%": {"127.0.0.1", "127.0.0.33", "127.0.1.1"},
    }.get(host, set())


def test_an_anonymous_account_takes_those_whom_no_other_takes(server: PrivateServer, make: Make) -> None:
    make("", "IDENTIFIED BY 'anon'", sees=["two"], host="localhost")
    make("known", host="%")
    assert both(server, "stranger", "anon") == frozenset({"two"})
    # The account for this host is before the one of this name.
    assert both(server, "known", "anon") == frozenset({"two"})
    assert both(server, "known") is None
    assert both(server, "stranger", "wrong") is None


def test_an_expired_password_lets_nobody_in(server: PrivateServer, make: Make) -> None:
    expired = make("expired", f"{P} PASSWORD EXPIRE")
    assert both(server, expired) is None
    server.sql("ALTER USER expired IDENTIFIED BY 'q'")
    assert [both(server, expired, word) for word in "pq"] == [None, ONE]


def test_there_is_no_sandbox_for_an_expired_password(tmp_path: Path) -> None:
    """SQL lets the account in then, to set its password, and it may do nothing else there."""
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_socket": tmp_path / "r",
        "disconnect_on_expired_password": 0,
    }
    with PrivateServer(variables=variables) as own:
        own.sql("CREATE DATABASE one")
        own.sql("CREATE TABLE one.t (id INT PRIMARY KEY)")
        own.sql(f"CREATE USER expired {P} PASSWORD EXPIRE")
        own.sql("GRANT SELECT ON one.t TO expired")
        assert both(own, "expired") is None


def test_failed_logins_lock_an_account_as_in_sql(server: PrivateServer, make: Make) -> None:
    locking = f"{P} FAILED_LOGIN_ATTEMPTS 3 PASSWORD_LOCK_TIME UNBOUNDED"
    for user in ("tried", "twin"):
        make(user, locking)

    def tries(*passwords: str) -> list[bool]:
        return [both(server, "tried", word, twin="twin") is not None for word in passwords]

    # One that succeeds begins the count anew.
    assert tries("a", "b", "p", "a", "b", "p") == [False, False, True, False, False, True]
    assert tries("a", "b", "c", "p", "p") == [False] * 5
    for user in ("tried", "twin"):
        server.sql(f"ALTER USER {user} ACCOUNT UNLOCK")
    assert tries("p", "a", "p") == [True, False, True]
    # Ways in and tries are counted together.
    make("mixed", locking)
    assert by_sql(server, "mixed", "a", None, "")[0] is None
    assert by_port(server, "mixed", "b", None, "")[0] is None
    assert by_sql(server, "mixed", "c", None, "")[0] is None
    assert both(server, "mixed") is None
    server.sql("FLUSH PRIVILEGES")
    assert both(server, "mixed") == ONE


def test_two_passwords_are_taken_until_the_old_one_is_discarded(
    server: PrivateServer, make: Make, tls: Callable[..., ssl.SSLContext]
) -> None:
    user = make("renewed")
    server.sql(f"ALTER USER {user} IDENTIFIED BY 'q' RETAIN CURRENT PASSWORD")
    for way in (None, tls()):
        assert both(server, user, "p", tls=way) == both(server, user, "q", tls=way) == ONE
        assert both(server, user, "r", tls=way) is None
    server.sql(f"ALTER USER {user} IDENTIFIED BY 'r' RETAIN CURRENT PASSWORD")
    assert [both(server, user, word) for word in "pqr"] == [None, ONE, ONE]
    server.sql(f"ALTER USER {user} DISCARD OLD PASSWORD")
    assert [both(server, user, word) for word in "pqr"] == [None, None, ONE]


def test_an_account_of_two_factors_is_not_let_in_by_the_first(
    server: PrivateServer, make: Make, tls: Callable[..., ssl.SSLContext]
) -> None:
    """The second would be content with whoever is at the other end of the Unix socket."""
    server.sql("INSTALL PLUGIN auth_socket SONAME 'auth_socket.so'")
    server.sql("SET GLOBAL authentication_policy = '*,*,'")
    try:
        who = getpass.getuser()
        near = make("near", f"{P} AND IDENTIFIED WITH auth_socket AS '{who}'", host="localhost")
        far = make("far", f"{P} AND IDENTIFIED WITH auth_socket AS '{who}'")
        for password in ("p", "", "wrong"):
            assert both(server, near, password) is None
            assert both(server, far, password, tls=tls("client")) is None
        # By that method alone it is let in.
        alone = make("alone", f"IDENTIFIED WITH auth_socket AS '{who}'", host="localhost")
        assert both(server, alone, "") == both(server, alone) == ONE
        assert both(server, make("away", "IDENTIFIED WITH auth_socket"), "", tls=tls()) is None
    finally:
        server.sql("SET GLOBAL authentication_policy = '*,,'")
        server.sql("DROP USER IF EXISTS near@localhost, far, alone@localhost, away")
        server.sql("UNINSTALL PLUGIN auth_socket")


@pytest.mark.parametrize("limit", ["MAX_CONNECTIONS_PER_HOUR 2", "MAX_USER_CONNECTIONS 2"])
def test_as_many_connections_as_the_account_may_have(server: PrivateServer, make: Make, limit: str) -> None:
    for user in ("counted", "twin"):
        make(user, f"{P} WITH {limit}")
    for log_in, user in ((by_sql, "counted"), (by_port, "twin")):
        came = [log_in(server, user, "p", None, "") for _ in range(3)]
        assert [seen for seen, _ in came] == [ONE, ONE, None]
        # A login that fails does not count.
        assert log_in(server, user, "wrong", None, "")[0] is None
        for _, connection in came:
            if connection is not None:
                connection.close()  # type: ignore[attr-defined]
    # SQL and the port share the count.
    make("shared", f"{P} WITH {limit}")
    _, first = by_sql(server, "shared", "p", None, "")
    _, second = by_port(server, "shared", "p", None, "")
    assert first is not None and second is not None
    assert both(server, "shared") is None
    first.close()  # type: ignore[attr-defined]
    second.close()


@pytest.mark.parametrize("all_roles", [0, 1])
def test_roles_are_those_that_sql_activates(server: PrivateServer, make: Make, all_roles: int) -> None:
    user = make("acting")
    for role, database in (("must", "two"), ("granted", "three"), ("usual", "four")):
        server.sql(f"CREATE ROLE {role}")
        server.sql(f"GRANT SELECT ON {database}.t TO {role}")
    server.sql(f"GRANT granted, usual TO {user}")
    server.sql(f"SET DEFAULT ROLE usual TO {user}")
    server.sql("SET GLOBAL activate_all_roles_on_login = %s", [all_roles])
    try:
        for mandatory in ("", "must"):
            server.sql("SET GLOBAL mandatory_roles = %s", [mandatory])
            seen = both(server, user)
            assert seen is not None and {"one", "four"} <= seen
            assert ("three" in seen) == bool(all_roles)
        assert "two" in seen
        server.sql(f"REVOKE usual FROM {user}")
        assert "four" not in (both(server, user) or ())
        server.sql("SET GLOBAL activate_mandatory_roles = 0")
        both(server, user)
    finally:
        server.sql("SET GLOBAL activate_mandatory_roles = 1")
        server.sql("SET GLOBAL activate_all_roles_on_login = 0")
        server.sql("SET GLOBAL mandatory_roles = ''")
        server.sql("DROP ROLE must, granted, usual")


@pytest.mark.parametrize("maps", [0, 1], ids=["no mapping", "mapping"])
def test_a_proxy_is_the_account_that_sql_makes_of_it(
    server: PrivateServer, make: Make, tls: Callable[..., ssl.SSLContext], maps: int
) -> None:
    make("front", "IDENTIFIED WITH sha256_password BY 'p'", sees=["one"])
    make("behind", "IDENTIFIED BY 'secret'", sees=["two", "three"], host="127.%")
    server.sql("GRANT PROXY ON 'behind'@'127.%' TO front")
    server.sql("SET GLOBAL check_proxy_users = %s, GLOBAL sha256_password_proxy_users = %s", [maps, maps])
    its_own, of_behind = ONE, frozenset({"two", "three"})
    mapped = of_behind if maps else its_own
    try:
        assert both(server, "front", tls=tls()) == mapped
        assert both(server, "front", "secret", tls=tls()) is None
        assert both(server, "behind", "secret", tls=tls()) == of_behind
        # It is not the password of the account behind it that counts, nor its lock, but what that asks of TLS.
        server.sql("ALTER USER 'behind'@'127.%' ACCOUNT LOCK PASSWORD EXPIRE")
        assert both(server, "front", tls=tls()) == mapped
        server.sql("ALTER USER 'behind'@'127.%' REQUIRE X509")
        assert both(server, "front", tls=tls()) == (None if maps else its_own)
        assert both(server, "front", tls=tls("client")) == mapped
        server.sql("ALTER USER 'behind'@'127.%' REQUIRE NONE")
        server.sql("ALTER USER front ACCOUNT LOCK")
        assert both(server, "front", tls=tls()) is None
        server.sql("ALTER USER front ACCOUNT UNLOCK PASSWORD EXPIRE")
        assert both(server, "front", tls=tls()) is None
        server.sql("ALTER USER front IDENTIFIED WITH sha256_password BY 'p'")
        if maps:
            assert_rights_follow(server, tls())
        assert both(server, "front", tls=tls()) == mapped
        server.sql("REVOKE PROXY ON 'behind'@'127.%' FROM front")
        assert both(server, "front", tls=tls()) == its_own
    finally:
        server.sql("SET GLOBAL check_proxy_users = 0, GLOBAL sha256_password_proxy_users = 0")


def assert_rights_follow(server: PrivateServer, tls: ssl.SSLContext) -> None:
    """An open connection of the proxy has what the account behind it has, and follows it."""
    seen, client = by_port(server, "front", "p", tls, "127.0.0.1")
    assert client is not None and seen == frozenset({"two", "three"})
    with client:
        client.open("two.t", ["id"])
        for change, begin in (("REVOKE SELECT ON two.t FROM", b"1\t1\t"), ("GRANT SELECT ON two.t TO", b"0\t1")):
            server.sql(f"{change} 'behind'@'127.%'")
            deadline = time.monotonic() + 20
            while not client.request(1, "=", 1, 1).startswith(begin):
                assert time.monotonic() < deadline


def test_an_account_that_nobody_can_log_in_to(server: PrivateServer, make: Make) -> None:
    server.sql("INSTALL PLUGIN mysql_no_login SONAME 'mysql_no_login.so'")
    try:
        user = make("nologin", "IDENTIFIED WITH mysql_no_login")
        role = make("norole", "ACCOUNT LOCK")
        for password in ("", "p"):
            assert both(server, user, password) is None
            assert both(server, role, password) is None
    finally:
        server.sql("DROP USER nologin")
        server.sql("UNINSTALL PLUGIN mysql_no_login")
