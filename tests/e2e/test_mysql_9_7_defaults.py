"""Defaults of MySQL that depend on who inserts the row: those of the port's account, as in SQL."""

from __future__ import annotations

from collections.abc import Iterator

import pymysql
import pytest
import server_files
from hs_client import Client, line
from private_server import PrivateServer

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)
IN = b"0\t1"
NAMES = ("USER()", "CURRENT_USER()", "SESSION_USER()", "SYSTEM_USER()", "CURRENT_ROLE()", "DATABASE()")
COLUMNS = "".join(f", c{i} VARCHAR(300) DEFAULT ({name})" for i, name in enumerate(NAMES))
TABLE = f"(id INT PRIMARY KEY, v INT{COLUMNS}, number BIGINT DEFAULT (CONNECTION_ID()), up VARCHAR(300) DEFAULT (UPPER(CONCAT(v, CURRENT_USER()))))"
TABLES = ("t", "triggered", "parent", "myisam")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateServer]:
    sockets = tmp_path_factory.mktemp("s")
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads_wr": 1,
        "handlersocket_socket": sockets / "r",
        "handlersocket_socket_wr": sockets / "w",
    }
    with PrivateServer(variables=variables) as running:
        running.sql("CREATE DATABASE hs")
        for name in TABLES:
            running.sql(f"CREATE TABLE hs.{name} {TABLE}" + (" ENGINE=MyISAM" if name == "myisam" else ""))
        running.sql("CREATE TABLE hs.log (who VARCHAR(300), current VARCHAR(300))")
        running.sql(
            "CREATE TRIGGER hs.tt AFTER INSERT ON hs.triggered FOR EACH ROW"
            " INSERT INTO hs.log VALUES (USER(), CURRENT_USER())"
        )
        running.sql("CREATE TABLE hs.child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES hs.parent (id))")
        for role in ("one", "two"):
            running.sql(f"CREATE ROLE {role}")
        for user, host, roles in (("ada", "%", "one, two"), ("bob", "localhost", "two"), ("eve", "local%", "")):
            running.sql(f"CREATE USER {user}@'{host}' IDENTIFIED BY 'p'")
            running.sql(f"GRANT ALL ON hs.* TO {user}@'{host}'")
            if roles:
                running.sql(f"GRANT {roles} TO {user}@'{host}'")
                running.sql(f"SET DEFAULT ROLE {roles} TO {user}@'{host}'")
        yield running
        assert running.running, running.error_log()[-3000:]


def connect(server: PrivateServer, user: str, table: str) -> Client:
    client = Client.local(server.variables["handlersocket_socket_wr"])
    assert client.request("A", 4, user, "p") == IN
    client.open(f"hs.{table}", ["id", "v"])
    return client


def by_sql(server: PrivateServer, user: str, table: str, *rows: tuple[int, int]) -> int:
    """Inserts the rows in one statement. The number of the connection."""
    with pymysql.connect(unix_socket=str(server.socket), user=user, password="p", autocommit=True) as connection:
        connection.cursor().executemany(f"INSERT INTO hs.{table} (id, v) VALUES (%s, %s)", rows)
        return int(connection.thread_id())


def written(server: PrivateServer, table: str, *ids: int) -> list[tuple[object, ...]]:
    """What the defaults have made of these rows, but for the number of the connection."""
    columns = ", ".join(f"c{i}" for i in range(len(NAMES)))
    where = ", ".join(map(str, ids))
    return list(server.sql(f"SELECT v, {columns}, up FROM hs.{table} WHERE id IN ({where}) ORDER BY id"))


@pytest.mark.parametrize("table", TABLES)
def test_a_row_has_the_defaults_of_its_account(server: PrivateServer, table: str) -> None:
    """Requests of several accounts come together, and are of one kind."""
    server.sql(f"DELETE FROM hs.{table}")
    server.sql("DELETE FROM hs.log")
    users = ("ada", "bob", "eve")
    clients = [connect(server, user, table) for user in users]
    for number, client in enumerate(clients):
        client.send(b"".join(line(1, "+", 2, 10 * n + number, number) for n in range(20)))
    for client in clients:
        assert [client.read_line() for _ in range(20)] == [b"0\t1"] * 20
    for number, user in enumerate(users):
        own = [10 * n + number for n in range(20)]
        wanted = by_sql(server, user, table, (1000 + number, number), (2000 + number, number))
        (row,) = set(written(server, table, 1000 + number, 2000 + number))
        assert set(written(server, table, *own)) == {row}
        assert row[1] == f"{user}@localhost" and row[-1] == f"{number}{row[2]}".upper()
        ids = ", ".join(map(str, own))
        numbers = server.sql(f"SELECT DISTINCT number FROM hs.{table} WHERE id IN ({ids})")
        assert len(numbers) == 1 and numbers[0][0] != wanted
    assert server.sql(f"SELECT COUNT(DISTINCT number), COUNT(DISTINCT c4) FROM hs.{table}") == [(6, 3)]
    if table == "triggered":
        assert set(server.sql("SELECT * FROM hs.log")) == {(f"{user}@localhost", "root@localhost") for user in users}
    for client in clients:
        client.close()


def test_every_way_to_insert_a_row_has_them(server: PrivateServer) -> None:
    server.sql("DELETE FROM hs.t")
    by_sql(server, "ada", "t", (1, 7))
    with connect(server, "ada", "t") as client:
        for number, form in enumerate(("+", "+I", "+U", "+R", "+!"), 2):
            assert client.request(1, form, 2, number, 7).startswith(b"0\t")
        assert client.request("T", "B") == IN
        assert client.request(1, "+", 2, 8, 7) == IN
        assert client.request("T", "C") == IN
        assert client.request(1, "=", 1, 8, 1, 0, "U", 9, 7) == b"0\t1\t1"
    every = written(server, "t", 1, 2, 3, 4, 5, 6, 9)
    assert every == [every[0]] * 7
    # Whoever replaces a row is the one who inserts it; an update leaves it as it is.
    with connect(server, "bob", "t") as client:
        assert client.request(1, "+R", 2, 1, 7).startswith(b"0\t")
        assert client.request(1, "+U", 2, 2, 7, 2, 2, 8).startswith(b"0\t")
    replaced, updated = written(server, "t", 1, 2)
    assert (replaced[1], updated[1]) == ("bob@localhost", "ada@localhost")


def test_without_an_account_there_is_nobody_to_name() -> None:
    with PrivateServer() as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT, w VARCHAR(300) DEFAULT (CURRENT_USER()))")
        own.sql("INSERT INTO hs.t VALUES (1, 1, 'w')")
        with Client(own.port_wr) as client:
            client.open("hs.t", ["id", "v"])
            for form in ("+", "+I", "+U", "+R"):
                assert client.request(1, form, 2, 2, 2) == b"1\t1\tunsupported_table"
            assert client.request(1, "=", 1, 1) == b"0\t2\t1\t1"
            assert client.request(1, "=", 1, 1, 1, 0, "U", 1, 2) == b"0\t1\t1"
            assert own.sql("SELECT * FROM hs.t") == [(1, 2, "w")]
            assert client.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t1"
