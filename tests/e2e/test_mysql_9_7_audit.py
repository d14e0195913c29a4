"""What MySQL's audit plugins and components are told of clients of the ports, beside what they are told of SQL:
logins, ends of connections, tables; that they may refuse it; and that they can be removed. They listen by
tools/audit_trail, which can be loaded as either."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator

import pymysql
import pytest
import server_files
from hs_client import Client, line
from private_server import PrivateServer

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)
IN, OUT = b"0\t1", b"3\t1\tunauth"
LIBRARY = "hs_audit_trail.so"
WAYS = {
    "plugin": (f"INSTALL PLUGIN hs_audit_trail SONAME '{LIBRARY}'", "UNINSTALL PLUGIN hs_audit_trail"),
    "component": ("INSTALL COMPONENT 'file://hs_audit_trail'", "UNINSTALL COMPONENT 'file://hs_audit_trail'"),
}
ENDS_WITHIN_S = 20
OF_CONNECTIONS = ("prepare", "connect", "disconnect")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    sockets = tmp_path_factory.mktemp("s")
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
        "handlersocket_socket": sockets / "r",
        "handlersocket_socket_wr": sockets / "w",
        "log_bin": "log",
    }
    with PrivateServer(variables=variables) as running:
        shutil.copy(running.plugin_file.parent / "tests" / LIBRARY, running.directory / "plugins" / LIBRARY)
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        running.sql("CREATE TABLE hs.u (id INT PRIMARY KEY, v INT)")
        for user in ("ada", "bob"):
            running.sql(f"CREATE USER {user} IDENTIFIED BY 'p' WITH MAX_USER_CONNECTIONS 3")
            running.sql(f"GRANT ALL ON hs.* TO {user}")
        yield running
        assert running.running, running.error_log()[-3000:]


class Trail:
    """What was told since the last look, and what is refused."""

    def __init__(self, server: PrivateServer) -> None:
        self.file = server.data_directory / "audit_trail"
        self.refused = server.data_directory / "audit_trail.refused"
        self.read = 0

    def events(self, *users: str) -> list[list[str]]:
        """Those of these users; of all if none is named."""
        data = self.file.read_bytes() if self.file.exists() else b""
        new, self.read = data[self.read :].decode(), len(data)
        every = [one.split("\t")[:-1] for one in new.splitlines()]
        return [event for event in every if not users or event[2] in users]

    def tables(self) -> list[list[str]]:
        """Those of tables. A connection of before may have ended meanwhile."""
        return [event for event in self.events() if event[0] not in OF_CONNECTIONS]

    def until(self, what: str, user: str) -> list[list[str]]:
        """Those of a user, up to one of this kind."""
        found: list[list[str]] = []
        deadline = time.monotonic() + ENDS_WITHIN_S
        while not any(event[0] == what for event in found):
            found += self.events(user)
            assert time.monotonic() < deadline, found
        return found

    def refuse(self, text: str) -> None:
        self.refused.write_text(text, encoding="utf-8")


@pytest.fixture(params=list(WAYS))
def trail(request: pytest.FixtureRequest, server: PrivateServer) -> Iterator[Trail]:
    server.sql("DELETE FROM hs.t")
    server.sql("DELETE FROM hs.u")
    server.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20)")
    server.sql("INSERT INTO hs.u VALUES (1, 10)")
    made = Trail(server)
    made.refuse("")
    server.sql(WAYS[request.param][0])
    made.events()
    try:
        yield made
    finally:
        made.refuse("")
        remove(server, request.param)


def remove(server: PrivateServer, way: str) -> None:
    """A batch may be about to end whose replies are there. A plugin that is in use is removed when it is not any
    more, and a component is not removed."""
    deadline = time.monotonic() + ENDS_WITHIN_S
    while True:
        try:
            server.sql(WAYS[way][1])
            break
        except pymysql.err.OperationalError as error:
            assert way == "component" and error.args[0] == 3540 and time.monotonic() < deadline
    while server.sql("SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'hs_audit_trail'"):
        assert time.monotonic() < deadline


def is_refused(reply: bytes) -> bool:
    return reply.startswith(b"1\t1\tsql_3164 Aborted by Audit API")


def local(server: PrivateServer, writes: bool = False) -> Client:
    return Client.local(server.variables["handlersocket_socket" + ("_wr" if writes else "")])


def port(server: PrivateServer, user: str, table: str = "hs.t", writes: bool = True) -> Client:
    client = local(server, writes)
    assert client.request("A", 4, user, "p") == IN
    client.open(table, ["id", "v"])
    return client


def sql(server: PrivateServer, user: str, password: str = "p", **more: object) -> pymysql.connections.Connection:
    way: dict[str, object] = more or {"unix_socket": str(server.socket)}
    return pymysql.connect(user=user, password=password, autocommit=True, **way)  # type: ignore[arg-type]


def test_a_login_is_told_as_one_of_sql(server: PrivateServer, trail: Trail) -> None:
    """Also one that fails, and the end of the connection. Only the numbers of the connections differ."""

    def log_in(password: str, over_tls: bool, by_sql: bool) -> None:
        if by_sql:
            more = {"host": "127.0.0.1", "port": server.sql_port, "ssl": {"ssl": {}}} if over_tls else {}
            try:
                sql(server, "ada", password, **more).close()
            except pymysql.err.OperationalError as error:
                assert password == "x" and error.args[0] == 1045
            return
        client = Client(server.port) if over_tls else local(server)
        with client:
            client.begin_tls()
            assert client.request("A", 4, "ada", password) == (OUT if password == "x" else IN)

    for over_tls in (False, True):
        told = []
        for by_sql in (True, False):
            found: list[list[str]] = []
            log_in("x", over_tls, by_sql)
            log_in("p", over_tls, by_sql)
            deadline = time.monotonic() + ENDS_WITHIN_S
            while not any(event[0] == "disconnect" for event in found):
                found += [event for event in trail.events() if event[0] in OF_CONNECTIONS and event[2] != "root"]
                assert time.monotonic() < deadline, found
            numbers = [event.pop(1) for event in found]
            assert numbers[0] == numbers[1] != numbers[2] == numbers[3] == numbers[4]
            # Before it has a user, SQL has no TLS.
            told.append([event[:5] if event[0] == "prepare" else event for event in found])
        assert told[0] == told[1]
        assert [event[0] for event in told[0]] == ["prepare", "connect"] * 2 + ["disconnect"]
        assert [event[-1] for event in told[0] if event[0] != "prepare"] == ["1045", "0", "0"]
        assert told[0][3][1] == "ada" and told[0][3][-2] == ("4" if over_tls else "2")


def test_a_proof_that_no_method_takes_is_a_failed_login(server: PrivateServer, trail: Trail) -> None:
    with Client(server.port) as client:
        assert client.request("A", 2, "ada").startswith(b"0\t2\tmysql_native_password\t")
        assert client.request("A", 3, "00" * 20) == OUT
    assert trail.until("connect", "ada")[-1][-1] == "1045"


REQUESTS: tuple[tuple[str, tuple[object, ...], str], ...] = (
    ("read", ("=", 1, 1), "SELECT v FROM t WHERE id = 1"),
    ("read", ("=", 1, 7), "SELECT v FROM t WHERE id = 7"),
    ("insert", ("+", 2, 5, 5), "INSERT INTO t VALUES (6, 6)"),
    ("insert", ("+I", 2, 5, 5), "INSERT IGNORE INTO t VALUES (6, 6)"),
    ("insert", ("+U", 2, 5, 5, 2, 5, 7), "INSERT INTO t VALUES (6, 6) ON DUPLICATE KEY UPDATE id = 6, v = 7"),
    ("insert", ("+R", 2, 5, 5), "REPLACE INTO t VALUES (6, 6)"),
    ("update", ("=", 1, 1, 1, 0, "U", 1, 9), "UPDATE t SET v = 9 WHERE id = 1"),
    ("update", ("=", 1, 1, 1, 0, "+", 0, 1), "UPDATE t SET v = v + 1 WHERE id = 1"),
    ("delete", ("=", 1, 2, 1, 0, "D"), "DELETE FROM t WHERE id = 2"),
)


def test_a_table_is_told_as_of_a_statement(server: PrivateServer, trail: Trail) -> None:
    with port(server, "ada") as client:
        number = trail.until("connect", "ada")[-1][1]
        with sql(server, "ada", unix_socket=str(server.socket), database="hs") as connection:
            twin = trail.until("connect", "ada")[-1][1]
            cursor = connection.cursor()
            for kind, request, statement in REQUESTS:
                assert client.request(1, *request).startswith(b"0\t")  # type: ignore[arg-type]
                (told,) = trail.tables()
                cursor.execute(statement)
                (wanted,) = trail.tables()
                assert (told.pop(1), wanted.pop(1)) == (number, twin)
                assert told == wanted and told[0] == kind and told[-2:] == ["hs", "t"], statement
    trail.until("disconnect", "ada")


def test_a_find_of_either_port_is_told(server: PrivateServer, trail: Trail) -> None:
    for writes in (False, True):
        with port(server, "bob", "hs.u", writes) as client:
            assert client.request(1, "=", 1, 1) == b"0\t2\t1\t10"
            told = [event[0] for event in trail.until("read", "bob")]
            assert told == ["connect", "read"]
            # What is not there is not used.
            assert client.request("P", 2, "hs", "nosuch", "PRIMARY", "id") == b"1\t1\topen_table"
            assert trail.events("bob") == []
        trail.until("disconnect", "bob")


def test_a_table_is_told_once_in_a_batch_for_each_connection(server: PrivateServer, trail: Trail) -> None:
    with port(server, "ada") as ada, port(server, "bob") as bob:
        numbers = {trail.until("connect", "ada")[-1][1]}
        trail.events()
        requests = line(1, "=", 1, 1) * 40 + line(1, "=", 1, 1, 1, 0, "U", 1, 11) * 40
        for client in (ada, bob):
            client.send(requests)
        for client in (ada, bob):
            assert all(client.read_line().startswith(b"0\t") for _ in range(80))
        told = trail.tables()
        assert {(event[2], event[0]) for event in told} == {
            (user, kind) for user in ("ada", "bob") for kind in ("read", "update")
        }
        assert len(told) < 80 and numbers < {event[1] for event in told}
        assert len({event[1] for event in told}) == 2


def test_what_a_trigger_uses_is_told(server: PrivateServer, trail: Trail) -> None:
    server.sql("CREATE TRIGGER hs.tt AFTER UPDATE ON hs.t FOR EACH ROW INSERT INTO hs.u VALUES (NEW.v, 0)")
    try:
        with port(server, "ada") as client:
            trail.events()
            assert client.request(1, "=", 1, 1, 1, 0, "U", 1, 77) == b"0\t1\t1"
            told = [(event[0], *event[-2:]) for event in trail.tables()]
            assert told == [("update", "hs", "t"), ("insert", "hs", "u")]
            trail.refuse("insert\t")
            assert is_refused(client.request(1, "=", 1, 1, 1, 0, "U", 1, 78))
            assert client.find("=", [1]) == [(b"1", b"77")]
    finally:
        server.sql("DROP TRIGGER hs.tt")


def test_what_is_refused_is_not_done(server: PrivateServer, trail: Trail) -> None:
    with port(server, "ada") as ada, port(server, "bob") as bob, sql(server, "ada", database="hs",
                                                                    unix_socket=str(server.socket)) as connection:
        for kind, request, statement in REQUESTS:
            trail.refuse(f"{kind}\t")
            with pytest.raises(pymysql.err.MySQLError) as error:
                connection.cursor().execute(statement)
            assert error.value.args[0] == 3164
            assert is_refused(ada.request(1, *request))  # type: ignore[arg-type]
            trail.refuse("")
            assert server.sql("SELECT * FROM hs.t") == [(1, 10), (2, 20)]
        # Those around it in the batch are done, and the next one is asked for again.
        trail.refuse("update\t")
        ada.send(line(1, "+", 2, 3, 3) + line(1, "=", 1, 1, 1, 0, "U", 1, 9) * 2 + line(1, "=", 1, 3, 1, 0, "D"))
        replies = [ada.read_line() for _ in range(4)]
        assert [replies[0], replies[3]] == [b"0\t1", b"0\t1\t1"]
        assert is_refused(replies[1]) and is_refused(replies[2])
        # One account is refused, and another is not.
        trail.refuse("ada\t")
        assert bob.request(1, "=", 1, 1, 1, 0, "U", 1, 12) == b"0\t1\t1"
        assert is_refused(ada.request(1, "=", 1, 1))
        trail.refuse("")
        assert ada.request(1, "=", 1, 1) == b"0\t2\t1\t12"


def test_a_transaction_goes_on_behind_what_was_refused(server: PrivateServer, trail: Trail) -> None:
    with port(server, "ada") as client:
        assert client.request("T", "B") == b"0\t1"
        assert client.request(1, "=", 1, 1, 1, 0, "U", 1, 15) == b"0\t1\t1"
        trail.refuse("read\t")
        assert is_refused(client.request(1, "=", 1, 2))
        trail.refuse("")
        assert client.request(1, "=", 1, 2) == b"0\t2\t2\t20"
        assert client.request("T", "C") == b"0\t1"
    assert server.sql("SELECT v FROM hs.t WHERE id = 1") == [(15,)]


def test_requests_without_an_account_are_those_of_the_plugins_own_user() -> None:
    with PrivateServer(variables={"handlersocket_threads": 1}) as own:
        shutil.copy(own.plugin_file.parent / "tests" / LIBRARY, own.directory / "plugins" / LIBRARY)
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        trail = Trail(own)
        trail.refuse("")
        own.sql(WAYS["plugin"][0])
        with Client(own.port) as client:
            client.open("hs.t", ["id", "v"])
            trail.events()
            assert client.request(1, "=", 1, 1) == b"0\t2"
        (told,) = trail.tables()
        assert (told[0], told[2], *told[-2:]) == ("read", "handlersocket", "hs", "t")
        trail.refuse("handlersocket\t")
        with Client(own.port) as client:
            client.open("hs.t", ["id", "v"])
            assert is_refused(client.request(1, "=", 1, 1))


@pytest.mark.parametrize("what", ["prepare\t", "connect\t"])
def test_a_login_that_is_refused_is_none(server: PrivateServer, trail: Trail, what: str) -> None:
    trail.refuse(what)
    with pytest.raises(pymysql.err.MySQLError):
        sql(server, "bob")
    for _ in range(5):  # more than the account may have connections
        with local(server) as client:
            assert client.request("A", 4, "bob", "p") == OUT
            assert client.request("P", 1, "hs", "t", "PRIMARY", "id") == OUT
    trail.refuse("")
    with local(server) as client:
        assert client.request("A", 4, "bob", "p") == IN
    # The end of a connection cannot be refused.
    trail.until("disconnect", "bob")


@pytest.mark.parametrize("way", list(WAYS))
def test_what_listens_can_be_removed_while_sessions_idle(server: PrivateServer, way: str) -> None:
    with port(server, "ada") as ada, port(server, "bob", writes=False) as bob:
        assert ada.request("T", "B") == b"0\t1"
        for _ in range(3):
            server.sql(WAYS[way][0])
            with local(server) as failed:
                assert failed.request("A", 4, "ada", "x") == OUT
            assert ada.request(1, "=", 1, 1).startswith(b"0\t2\t1\t")
            assert ada.request(1, "=", 1, 1, 1, 0, "U", 1, 3) == b"0\t1\t1"
            assert bob.request(1, "=", 1, 1).startswith(b"0\t2\t1\t")
            remove(server, way)
        assert ada.request("T", "R") == b"0\t1"


def test_an_audit_plugin_comes_and_goes_under_load(server: PrivateServer) -> None:
    with port(server, "ada") as ada, port(server, "bob", writes=False) as bob:
        wrong: list[bytes] = []
        for way in [*WAYS] * 15:
            for client in (ada, bob):
                client.send(line(1, "=", 1, 1) * 50)
            server.sql(WAYS[way][0])
            for client in (ada, bob):
                client.send(line(1, "=", 1, 1) * 50)
            remove(server, way)
            for client in (ada, bob):
                wrong += [reply for reply in (client.read_line() for _ in range(100)) if not reply.startswith(b"0\t2\t")]
        assert not wrong
