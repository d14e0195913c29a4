"""Variables that change while clients are served."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import pymysql
import pytest
from hs_client import Client
from private_server import PrivateServer

TABLE = "CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(2000))"
ROWS = 100


@contextlib.contextmanager
def make(variables: dict[str, object] | None = None) -> Iterator[PrivateServer]:
    """A server with these variables and a table of some rows."""
    threads = {"handlersocket_threads": 2, "handlersocket_threads_wr": 1}
    with PrivateServer(variables=threads | (variables or {})) as server:
        server.sql("CREATE DATABASE hs")
        server.sql(TABLE)
        server.sql(f"INSERT INTO hs.t SELECT seq, CONCAT('v', seq) FROM hs.seq_1_to_{ROWS}")
        yield server


class Load:
    """Clients that find rows and change them until the end; any wrong answer fails the test."""

    def __init__(self, server: PrivateServer, clients: int = 4) -> None:
        self._stop = threading.Event()
        self._failures: list[BaseException] = []
        self._answers = [0] * clients
        self._threads = [
            threading.Thread(target=self._run, args=(server, number)) for number in range(clients)
        ]

    def _run(self, server: PrivateServer, number: int) -> None:
        try:
            with Client(server.port_wr if number % 2 else server.port) as client:
                client.open("hs.t", ["id", "v"])
                key = number + 1
                while not self._stop.is_set():
                    value = f"v{key}"
                    if number % 2:
                        assert client.request(1, "=", 1, key, 1, 0, "U", key, value) == b"0\t1\t1"
                    assert client.find("=", [key]) == [(str(key).encode(), value.encode())]
                    key = key % ROWS + 1
                    self._answers[number] += 1
        except BaseException as failure:  # noqa: BLE001 (told by the main thread)
            self._failures.append(failure)

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        self.go_on()
        return self

    def go_on(self, answers: int = 20) -> None:
        """Returns when each client has had so many more right answers."""
        before = list(self._answers)
        while any(now < old + answers for now, old in zip(self._answers, before)):
            assert not self._failures, self._failures

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert not self._failures, self._failures


def set_global(server: PrivateServer, name: str, value: object) -> None:
    """Sets a variable of the plugin."""
    text = f"'{value}'" if isinstance(value, str) and value != "DEFAULT" else value
    server.sql(f"SET GLOBAL handlersocket_{name} = {text}")


def shown(server: PrivateServer, name: str) -> str:
    """What SHOW VARIABLES says of a variable of the plugin."""
    return str(server.sql(f"SHOW GLOBAL VARIABLES LIKE 'handlersocket_{name}'")[0][1])


def refusal(server: PrivateServer, name: str, value: object) -> str:
    """The error of a SET that fails; the variable stays as it was."""
    before = shown(server, name)
    with pytest.raises(pymysql.err.MySQLError) as caught:
        set_global(server, name, value)
    assert shown(server, name) == before
    return str(caught.value.args[1])


def status(server: PrivateServer, name: str) -> int:
    """One of the plugin's status variables."""
    return int(server.sql(f"SHOW GLOBAL STATUS LIKE 'Handlersocket_{name}'")[0][1])


def test_limits_and_timeouts_change_under_load_and_no_connection_drops() -> None:
    values: dict[str, tuple[object, ...]] = {
        "max_connections": (1, 20000),
        "max_request_size": (1024, 1 << 20),
        "max_reply_size": (4096, 1 << 20),
        "max_open_indexes": (1, 10),
        "max_changed_rows": (1, 100),
        "max_rows": (1, 100),
        "max_in_keys": (1, 100),
        "max_columns": (1, 100),
        "max_buffered": (4096, 1 << 20),
        "max_memory": (1 << 20, 0),
        "timeout": (30, 3600),
        "wrlock_timeout": (1, 100),
        "spin_us": (0, 1000),
        "readsize": (10, 1 << 20),
        "sndbuf": (8192, 0),
        "rcvbuf": (8192, 0),
    }
    with make() as server, Load(server) as load:
        for name, settings in values.items():
            for value in (*settings, "DEFAULT"):
                set_global(server, name, value)
                if value != "DEFAULT":
                    assert shown(server, name) == str(value)
                load.go_on(5)


def test_a_limit_holds_for_the_next_request_and_takes_nothing_away() -> None:
    with make() as server, Client(server.port) as first, Client(server.port) as second:
        for client in (first, second):
            client.open("hs.t", ["id"])
        set_global(server, "max_rows", 1)
        assert first.request(1, ">=", 1, 1, 2) == b"2\t1\ttoo_many_rows"
        set_global(server, "max_connections", 1)
        with Client(server.port) as third:
            assert third.read_line() == b"1\t1\ttoo_many_connections"
        assert second.find("=", [1]) == [(b"1",)]
        set_global(server, "max_rows", "DEFAULT")
        assert len(first.find(">=", [1], limit=2)) == 2


def test_a_shorter_wait_for_tables_holds_within_a_second_or_two() -> None:
    with make() as server, Client(server.port_wr) as writer:
        writer.open("hs.t", ["id", "v"])
        set_global(server, "wrlock_timeout", 0)
        with server.connect() as locker, locker.cursor() as cursor:
            cursor.execute("LOCK TABLES hs.t WRITE")
            # The thread looks at the settings with the first statement of a new second.
            while writer.request(1, "=", 1, 1) != b"1\t1\tlock_tables":
                pass


def test_a_client_that_does_not_authenticate_loses_its_place_and_others_stay() -> None:
    with make({"handlersocket_plain_secret": "s"}) as server, Client(server.port) as guest:
        assert guest.raw(b"A\t1\ts") == b"0\t1"
        guest.open("hs.t", ["id"])
        with Client(server.port) as stranger:
            assert stranger.raw(b"A\t1\tguess") == b"3\t1\tunauth"
            states = server.sql(
                "SELECT STATE FROM information_schema.HANDLERSOCKET_CONNECTIONS ORDER BY ID"
            )
            assert states == [("idle",), ("authenticating",)]
            before = status(server, "logins_timed_out")
            set_global(server, "login_timeout", 1)
            with pytest.raises((EOFError, ConnectionError)):
                while True:
                    assert stranger.raw(b"1\t=\t1\t1") == b"3\t1\tunauth"
        assert status(server, "logins_timed_out") == before + 1
        assert guest.find("=", [1]) == [(b"1",)]
