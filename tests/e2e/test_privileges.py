"""What accounts may do through the ports is what they may do in SQL, before and after it changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import on_mysql
import pymysql
import pytest
from hs_client import Client, wait_for_a_lock_wait
from private_server import PrivateServer

PASSWORD = "p"
TABLES = ("hs.t", "hs.u", "h_s.t", "hxs.t")
# Long after the second that a change may take to be seen.
SEEN_WITHIN_S = 30
# docs/operations.md: what is taken away takes effect within a second.
TAKES_EFFECT_WITHIN_S = 1

# Each line: the privileges of one account.
GRANTS = (
    (),
    ("SELECT ON *.*",),
    ("SELECT ON hs.*",),
    ("SELECT ON hs.t",),
    ("SELECT (a, b) ON hs.t",),
    ("SELECT (b) ON hs.t",),
    ("SELECT (a, b, c) ON hs.t",),
    ("SELECT (a, c) ON hs.t",),
    ("SELECT (c, d) ON hs.t",),
    ("SELECT (a, c, d) ON hs.t", "SELECT ON hs.u"),
    ("INSERT ON hs.t",),
    ("INSERT (a) ON hs.t",),
    ("INSERT (a, b) ON hs.t",),
    ("INSERT (b) ON hs.t", "SELECT (b) ON hs.t"),
    ("INSERT ON hs.*", "SELECT ON hs.t"),
    ("UPDATE ON hs.t",),
    ("UPDATE (b) ON hs.t", "SELECT (a) ON hs.t"),
    ("UPDATE (b) ON hs.t", "SELECT (a, b) ON hs.t"),
    ("UPDATE (b, c) ON hs.t", "SELECT (a) ON hs.t"),
    ("UPDATE (c) ON hs.t", "SELECT ON hs.t"),
    ("UPDATE ON hs.*", "SELECT ON hs.t"),
    ("UPDATE ON *.*", "SELECT (a) ON hs.t"),
    ("SELECT ON *.*", "INSERT ON hs.*", "UPDATE ON hs.*", "DELETE ON hs.*"),
    ("SELECT ON *.*", "INSERT (a) ON hs.t", "UPDATE (b) ON hs.t"),
    ("INSERT ON *.*", "SELECT (b) ON hs.t"),
    ("INSERT ON hs.t", "UPDATE ON hs.t"),
    ("INSERT ON hs.t", "UPDATE ON hs.t", "SELECT (b) ON hs.t"),
    ("INSERT ON hs.t", "UPDATE (b) ON hs.t", "SELECT ON hs.t"),
    ("INSERT (a, b) ON hs.t", "UPDATE ON hs.t", "SELECT ON hs.t"),
    ("INSERT (a, b) ON hs.t", "UPDATE (a, b) ON hs.t", "DELETE ON hs.t", "SELECT ON hs.t"),
    ("DELETE ON hs.t",),
    ("DELETE ON hs.t", "SELECT (a) ON hs.t"),
    ("DELETE ON hs.t", "SELECT (a, c) ON hs.t"),
    ("DELETE ON *.*",),
    ("ALL ON hs.*",),
    (r"ALL ON `h\_s`.*",),
    ("SELECT ON `h_s`.*",),
    ("SELECT ON `h%`.*", "INSERT ON hs.u"),
    ("ALL ON *.*",),
    ("INSERT ON *.*",),
    ("CREATE ON hs.t",),
    ("REFERENCES (a) ON hs.t",),
    ("DROP ON hs.*",),
    ("EXECUTE ON hs.*",),
    ("SHOW DATABASES ON *.*",),
    ("ROLE table_reader",),
    ("ROLE outer_reader", "UPDATE (b) ON hs.t"),
    ("ROLE column_reader", "INSERT (a) ON hs.t"),
    ("ROLE global_reader",),
)
ROLES = {
    "table_reader": "SELECT ON hs.t",
    "outer_reader": "table_reader",
    "column_reader": "SELECT (a, b) ON hs.t",
    "global_reader": "SELECT ON *.*",
}


class Ask(NamedTuple):
    """One request, and the SQL statements of which each must be allowed for it."""

    name: str
    writes: bool
    columns: str
    request: bytes
    sql: tuple[str, ...]
    index: str = "PRIMARY"
    filters: str = ""


FIND = "SELECT {} FROM {{}} WHERE {}"
ASKS = (
    Ask("find", False, "a,b", b"1\t=\t1\t999", (FIND.format("a, b", "a = 999"),)),
    Ask(
        "find with a filter", False, "b", b"1\t=\t1\t999\t1\t0\tF\t=\t0\t1",
        (FIND.format("b", "a = 999 AND c = 1"),), filters="c",
    ),
    Ask("find by part of a key", False, "c", b"1\t=\t1\t999", (FIND.format("c", "c = 999"),), "cd"),
    Ask(
        "find by a whole key", False, "c", b"1\t=\t2\t999\t1",
        (FIND.format("c", "c = 999 AND d = 1"),), "cd",
    ),
    Ask("find on the write port", True, "a,b", b"1\t=\t1\t999", (FIND.format("a, b", "a = 999"),)),
    Ask("insert", True, "a,b", b"1\t+\t2\t1\t1", ("INSERT INTO {} (a, b) VALUES (1, 1)",)),
    Ask("insert of one column", True, "a,b", b"1\t+\t1\t1", ("INSERT INTO {} (a) VALUES (1)",)),
    Ask("insert ignore", True, "a,b", b"1\t+I\t2\t1\t1", ("INSERT INTO {} (a, b) VALUES (1, 1)",)),
    Ask(
        "upsert", True, "a,b", b"1\t+U\t2\t1\t1",
        ("INSERT INTO {} (a, b) VALUES (1, 1) ON DUPLICATE KEY UPDATE a = 1, b = 1",),
    ),
    Ask(
        "upsert of one column", True, "b,a", b"1\t+U\t2\t1\t1\t1\t5",
        ("INSERT INTO {} (b, a) VALUES (1, 1) ON DUPLICATE KEY UPDATE b = 5",),
    ),
    Ask("replace", True, "a,b", b"1\t+R\t2\t1\t1", ("REPLACE INTO {} (a, b) VALUES (1, 1)",)),
    Ask(
        "insert that returns the row", True, "a,b", b"1\t+!\t1\t1",
        ("INSERT INTO {} (a) VALUES (1) RETURNING a, b",),
    ),
    Ask(
        "replace that returns the row", True, "a,b", b"1\t+R!\t2\t1\t1",
        ("REPLACE INTO {} (a, b) VALUES (1, 1) RETURNING a, b",),
    ),
    Ask(
        "upsert that returns the row", True, "b,a,c", b"1\t+U!\t2\t1\t1\t1\t1",
        ("INSERT INTO {} (b, a) VALUES (1, 1) ON DUPLICATE KEY UPDATE b = 1 RETURNING b, a, c",),
    ),
    Ask(
        "update", True, "b", b"1\t=\t1\t999\t1\t0\tU\t5", ("UPDATE {} SET b = 5 WHERE a = 999",)
    ),
    Ask(
        "update of two columns", True, "b,c", b"1\t=\t1\t999\t1\t0\tU\t5\t6",
        ("UPDATE {} SET b = 5, c = 6 WHERE a = 999",),
    ),
    Ask(
        "update with a filter", True, "b", b"1\t=\t1\t999\t1\t0\tF\t=\t0\t1\tU\t5",
        ("UPDATE {} SET b = 5 WHERE a = 999 AND c = 1",), filters="c",
    ),
    Ask(
        "increment", True, "b", b"1\t=\t1\t999\t1\t0\t+\t5",
        ("UPDATE {} SET b = b + 5 WHERE a = 999",),
    ),
    Ask(
        "update that returns the row", True, "b", b"1\t=\t1\t999\t1\t0\tU?\t5",
        ("UPDATE {} SET b = 5 WHERE a = 999", FIND.format("b", "a = 999")),
    ),
    Ask(
        "update that returns the row afterwards", True, "b", b"1\t=\t1\t999\t1\t0\tU!\t5",
        ("UPDATE {} SET b = 5 WHERE a = 999", FIND.format("b", "a = 999")),
    ),
    Ask("delete", True, "b", b"1\t=\t1\t999\t1\t0\tD", ("DELETE FROM {} WHERE a = 999",)),
    Ask(
        "delete with a filter", True, "b", b"1\t=\t1\t999\t1\t0\tF\t=\t0\t1\tD",
        ("DELETE FROM {} WHERE a = 999 AND c = 1",), filters="c",
    ),
)

DENIED = {1142, 1143, 1044}
# SQL on MySQL denies this account an UPDATE all the same.
BOTH_KINDS = ("UPDATE ON hs.*", "SELECT ON hs.t")


def differs_on_mysql(ask: Ask, grants: tuple[str, ...], of_sql: int, reply: bytes) -> bool:
    """Whether the answer may be another than SQL's there. An upsert needs SELECT on what it compares, where
    SQL needs none, and there is no RETURNING that tells what SQL would deny."""
    if not on_mysql.IS_MYSQL:
        return False
    if reply.startswith(b"1\t1\taccess_denied"):
        return "upsert" in ask.name or "returns" in ask.name
    return of_sql == 1143 and grants == BOTH_KINDS and ask.sql[0].startswith("UPDATE")


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateServer]:
    """A server that asks for accounts, with one account for each line of GRANTS."""
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_threads": 2,
        "handlersocket_threads_wr": 2,
    }
    with PrivateServer(variables=variables) as running:
        for table in TABLES:
            running.sql(f"CREATE DATABASE IF NOT EXISTS {table.split('.')[0]}")
            running.sql(
                f"CREATE TABLE {table} (a INT PRIMARY KEY, b INT, c INT, d INT, KEY cd (c, d))"
            )
            running.sql(f"INSERT INTO {table} VALUES (1, 1, 1, 1)")
        for role in ROLES:
            running.sql(f"CREATE ROLE {role}")
        for role, grant in ROLES.items():
            running.sql(f"GRANT {grant} TO {role}")
        for number, grants in enumerate(GRANTS):
            make_account(running, f"u{number}", grants)
        yield running
        assert running.running, running.error_log()[-3000:]


def make_account(server: PrivateServer, user: str, grants: tuple[str, ...]) -> None:
    server.sql(f"CREATE USER '{user}'@'%' IDENTIFIED BY '{PASSWORD}'")
    for grant in grants:
        if grant.startswith("ROLE "):
            role = grant.split()[1]
            server.sql(f"GRANT {role} TO '{user}'@'%'")
            server.sql(f"SET DEFAULT ROLE {role} FOR '{user}'@'%'")
        else:
            server.sql(f"GRANT {grant} TO '{user}'@'%'")


def connect(server: PrivateServer, port: int, user: str) -> Client:
    client = Client(port)
    assert client.log_in(user, PASSWORD) == b"0\t1"
    return client


def of_this_server(statements: tuple[str, ...]) -> Iterator[str]:
    """MySQL has no RETURNING: who may write and may read the columns gets them."""
    for statement in statements:
        written, _, returned = statement.partition(" RETURNING ")
        yield written if on_mysql.IS_MYSQL else statement
        if returned and on_mysql.IS_MYSQL:
            yield FIND.format(returned, "a = 999")


def sql_answer(connection: Any, statements: tuple[str, ...], table: str) -> int:
    """The number of the error with which SQL denies one of the statements; 0: none."""
    for statement in of_this_server(statements):
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement.format(table))
        except pymysql.err.MySQLError as error:
            if error.args[0] in DENIED:
                return int(error.args[0])
            assert error.args[0] == 1062, error
    return 0


def shows(connection: Any, table: str) -> bool:
    database, name = table.split(".")
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SHOW TABLES FROM {database} LIKE '{name}'")
            return bool(cursor.fetchall())
    except pymysql.err.OperationalError as error:
        assert error.args[0] in DENIED
        return False


def port_answer(client: Client, ask: Ask, table: str) -> bytes:
    database, name = table.split(".")
    reply = client.request("P", 1, database, name, ask.index, ask.columns, ask.filters)
    return client.raw(ask.request) if reply == b"0\t1" else reply


def test_every_account_may_do_what_it_may_do_in_sql(server: PrivateServer) -> None:
    differences = []
    allowed = 0
    for number, grants in enumerate(GRANTS):
        user = f"u{number}"
        sql = server.connect(user=user, password=PASSWORD, unix_socket=None, port=server.sql_port)
        reader = connect(server, server.port, user)
        writer = connect(server, server.port_wr, user)
        for table in TABLES:
            is_there = shows(sql, table)
            for ask in ASKS:
                number_of_sql = sql_answer(sql, ask.sql, table)
                reply = port_answer(writer if ask.writes else reader, ask, table)
                if not is_there:
                    wanted = reply == b"1\t1\topen_table" and number_of_sql != 0
                elif number_of_sql != 0:
                    wanted = reply == b"1\t1\taccess_denied %d" % number_of_sql
                else:
                    wanted = reply.startswith(b"0\t") or reply == b"1\t1\t121"
                    allowed += 1
                if not wanted and not differs_on_mysql(ask, grants, number_of_sql, reply):
                    differences.append(f"{grants} {table} {ask.name}: {number_of_sql} {reply!r}")
        for connection in (sql, reader, writer):
            connection.close()
    assert not differences, "\n".join(differences)
    assert allowed > 100


def await_answer(ask: Callable[[], bytes], wanted: bytes) -> None:
    until = time.monotonic() + SEEN_WITHIN_S
    while (reply := ask()) != wanted:
        assert time.monotonic() < until, (reply, wanted)
        time.sleep(0.05)


ROW = b"0\t2\t1\t1"
GONE = b"1\t1\topen_table"
TABLE_DENIED = b"1\t1\taccess_denied 1142"
COLUMN_DENIED = b"1\t1\taccess_denied 1143"


@pytest.mark.parametrize(
    ("grant", "revoke"),
    [
        ("SELECT ON hs.t", "SELECT ON hs.t"),
        ("SELECT ON hs.*", "SELECT ON hs.*"),
        ("SELECT ON *.*", "SELECT ON *.*"),
    ],
)
def test_what_is_granted_and_revoked_is_seen_on_an_open_connection(
    server: PrivateServer, grant: str, revoke: str
) -> None:
    make_account(server, "changing", (grant,))
    try:
        with connect(server, server.port, "changing") as client:
            client.open("hs.t", ["a", "b"])
            find = lambda: client.raw(b"1\t=\t1\t1")  # noqa: E731
            assert find() == ROW
            server.sql(f"REVOKE {revoke} FROM 'changing'@'%'")
            await_answer(find, GONE)
            server.sql("GRANT SELECT (a) ON hs.t TO 'changing'@'%'")
            await_answer(find, COLUMN_DENIED)
            server.sql("GRANT INSERT ON hs.t TO 'changing'@'%'")
            server.sql("REVOKE SELECT (a) ON hs.t FROM 'changing'@'%'")
            await_answer(find, TABLE_DENIED)
            server.sql(f"GRANT {grant} TO 'changing'@'%'")
            await_answer(find, ROW)
            server.sql("DROP USER 'changing'@'%'")
            await_answer(find, GONE)
    finally:
        server.sql("DROP USER IF EXISTS 'changing'@'%'")


def test_what_is_revoked_is_seen_inside_a_transaction(server: PrivateServer) -> None:
    make_account(server, "changing", ("SELECT ON hs.*", "INSERT ON hs.*"))
    try:
        for port in (server.port, server.port_wr):
            with connect(server, port, "changing") as client:
                client.open("hs.t", ["a", "b"])
                find = lambda: client.raw(b"1\t=\t1\t1")  # noqa: E731, B023
                assert client.raw(b"T\tB\tRO") == b"0\t1"
                assert find() == ROW
                server.sql("REVOKE SELECT ON hs.* FROM 'changing'@'%'")
                await_answer(find, TABLE_DENIED)
                server.sql("GRANT SELECT ON hs.* TO 'changing'@'%'")
                await_answer(find, ROW)
    finally:
        server.sql("DROP USER 'changing'@'%'")


def test_what_is_revoked_while_a_request_waits_is_seen_by_the_one_behind_it(server: PrivateServer) -> None:
    make_account(server, "changing", ("SELECT ON hs.t", "UPDATE ON hs.t"))
    sql = server.connect(database="hs")
    try:
        with connect(server, server.port_wr, "changing") as client, sql.cursor() as cursor:
            client.open("hs.t", ["a", "b"])
            sql.begin()
            cursor.execute("UPDATE t SET b = b WHERE a = 1")
            client.send(b"1\t=\t1\t1\t1\t0\tU\t1\t1\n" + b"1\t=\t1\t1\n")
            wait_for_a_lock_wait(server)
            server.sql("REVOKE SELECT ON hs.t FROM 'changing'@'%'")
            time.sleep(TAKES_EFFECT_WITHIN_S)
            sql.rollback()
            assert client.read_line() == b"0\t1\t1"  # it was begun before
            assert client.read_line() == TABLE_DENIED
    finally:
        sql.close()
        server.sql("DROP USER 'changing'@'%'")


def test_a_role_that_is_revoked_or_dropped_counts_no_more(server: PrivateServer) -> None:
    server.sql("CREATE ROLE passing")
    server.sql("GRANT SELECT ON *.* TO passing")
    make_account(server, "roled", ("ROLE passing", "INSERT ON hs.t"))
    try:
        with connect(server, server.port, "roled") as client:
            client.open("hs.t", ["a", "b"])
            find = lambda: client.raw(b"1\t=\t1\t1")  # noqa: E731
            assert find() == ROW
            server.sql("REVOKE passing FROM 'roled'@'%'")
            await_answer(find, TABLE_DENIED)
            server.sql("GRANT passing TO 'roled'@'%'")
            await_answer(find, ROW)
            server.sql("DROP ROLE passing")
            await_answer(find, TABLE_DENIED)
    finally:
        server.sql("DROP USER 'roled'@'%'")
        server.sql("DROP ROLE IF EXISTS passing")


def test_grants_that_change_under_load_are_seen_and_concern_no_other_account(
    server: PrivateServer,
) -> None:
    make_account(server, "changing", ("SELECT ON hs.t", "INSERT ON hs.t"))
    make_account(server, "steady", ("SELECT ON hs.t",))
    stop = threading.Event()
    latest: dict[str, bytes] = {}
    wrong: list[bytes] = []

    def load(name: str, port: int) -> None:
        user = name.split()[0]
        allowed = {ROW} if user == "steady" else {ROW, TABLE_DENIED}
        with connect(server, port, user) as client:
            client.open("hs.t", ["a", "b"])
            while not stop.is_set():
                replies = client.pipeline([b"1\t=\t1\t1\n"] * 20)
                wrong.extend(set(replies) - allowed)
                latest[name] = replies[-1]

    clients = [(f"{user} {port}", port) for user in ("changing", "steady")
               for port in (server.port, server.port_wr)]
    threads = [threading.Thread(target=load, args=client) for client in clients]
    for thread in threads:
        thread.start()

    def await_all(wanted: bytes) -> None:
        until = time.monotonic() + SEEN_WITHIN_S
        while [latest.get(name) for name, _ in clients] != [wanted] * 2 + [ROW] * 2:
            assert time.monotonic() < until, latest
            time.sleep(0.02)

    try:
        await_all(ROW)
        for _ in range(5):
            server.sql("REVOKE SELECT ON hs.t FROM 'changing'@'%'")
            await_all(TABLE_DENIED)
            server.sql("GRANT SELECT ON hs.t TO 'changing'@'%'")
            await_all(ROW)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        server.sql("DROP USER 'changing'@'%', 'steady'@'%'")
    assert not wrong, wrong


def test_privileges_that_are_reloaded_are_seen(server: PrivateServer) -> None:
    make_account(server, "loaded", ("SELECT ON hs.*",))
    try:
        with connect(server, server.port, "loaded") as client:
            client.open("hs.t", ["a", "b"])
            find = lambda: client.raw(b"1\t=\t1\t1")  # noqa: E731
            assert find() == ROW
            server.sql("DELETE FROM mysql.db WHERE User = 'loaded'")
            server.sql("FLUSH PRIVILEGES")
            await_answer(find, GONE)
    finally:
        server.sql("DROP USER 'loaded'@'%'")


def test_a_table_that_is_not_seen_gives_nothing_away(server: PrivateServer) -> None:
    make_account(server, "blind", ())
    try:
        for port in (server.port, server.port_wr):
            with connect(server, port, "blind") as client:
                for table in ("t", "nosuch"):
                    for index, column in (("PRIMARY", "a"), ("nosuch", "a"), ("PRIMARY", "nosuch")):
                        assert client.request("P", 1, "hs", table, index, column) == GONE
    finally:
        server.sql("DROP USER 'blind'@'%'")


def test_anonymous_accounts_have_their_own_privileges(server: PrivateServer) -> None:
    server.sql(f"CREATE USER ''@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'")
    server.sql("GRANT SELECT ON hs.t TO ''@'127.0.0.1'")
    try:
        with connect(server, server.port, "whoever") as client:
            client.open("hs.t", ["a", "b"])
            assert client.raw(b"1\t=\t1\t1") == ROW
            assert client.request("P", 2, "hs", "u", "PRIMARY", "a") == GONE
            server.sql("REVOKE SELECT ON hs.t FROM ''@'127.0.0.1'")
            await_answer(lambda: client.raw(b"1\t=\t1\t1"), GONE)
    finally:
        server.sql("DROP USER ''@'127.0.0.1'")


def test_requests_of_several_accounts_in_one_batch_do_not_mix(server: PrivateServer) -> None:
    make_account(server, "may", ("SELECT ON hs.t", "INSERT ON hs.t", "DELETE ON hs.t"))
    make_account(server, "may_not", ("SELECT ON hs.t",))
    rounds = 50
    try:
        may = [connect(server, server.port_wr, "may") for _ in range(4)]
        may_not = [connect(server, server.port_wr, "may_not") for _ in range(4)]
        for client in (*may, *may_not):
            client.open("hs.t", ["a", "b"])
        for turn in range(rounds):
            for number, client in enumerate((*may, *may_not)):
                client.send(b"1\t+\t2\t%d\t7\n" % (1000 + 10 * turn + number))
            assert [client.read_line() for client in may] == [b"0\t1"] * 4
            assert [client.read_line() for client in may_not] == [TABLE_DENIED] * 4
        assert server.sql("SELECT COUNT(*) FROM hs.t WHERE a >= 1000") == [(4 * rounds,)]
        for client in (*may, *may_not):
            client.close()
    finally:
        server.sql("DELETE FROM hs.t WHERE a >= 1000")
        server.sql("DROP USER 'may'@'%', 'may_not'@'%'")
