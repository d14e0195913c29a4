"""Variables that change while clients are served."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
from hs_client import Client, status
from private_server import PrivateServer, free_port

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


def test_threads_come_and_go_under_load_and_no_connection_drops() -> None:
    with make() as server, Load(server) as load:
        for name, number in (
            ("threads", 8),
            ("threads_wr", 4),
            ("max_threads", 1),
            ("threads", 1),
            ("threads_wr", 1),
            ("max_threads", 300),
            ("threads_wr", 0),
            ("threads", 3),
        ):
            set_global(server, name, number)
            assert shown(server, name) == str(number)
            load.go_on()
            with Client(server.port) as client:
                client.open("hs.t", ["id"])
                assert client.find("=", [1]) == [(b"1",)]


def served(port: int) -> bool:
    """Whether a new connection to the port is served."""
    try:
        with Client(port) as client:
            client.open("hs.t", ["id"])
            return True
    except (ConnectionError, EOFError):
        return False


def test_ports_and_addresses_change_under_load_and_no_connection_drops() -> None:
    with make() as server, Load(server) as load:
        port, port_wr, other = server.port, server.port_wr, free_port()
        for name, value, open_ports in (
            ("port", str(other), (other, port_wr)),
            ("port_wr", str(port), (other, port)),
            ("port", "", (port,)),
            ("address", "127.0.0.1,127.0.0.2", (port,)),
            ("port", str(port_wr), (port_wr, port)),
            ("allow_unauthenticated", 1, (port_wr, port)),
            ("address", "", (port_wr, port)),
            ("address", "127.0.0.1", (port_wr, port)),
            ("backlog", 100, (port_wr, port)),
        ):
            set_global(server, name, value)
            assert shown(server, name) == {"allow_unauthenticated": "ON"}.get(name, str(value))
            assert {p for p in (port, port_wr, other) if served(p)} == set(open_ports)
            load.go_on()
        log = server.error_log()
        assert f"listening for reads on port {other} on 127.0.0.1" in log
        assert f"no longer listening for reads on port {port} on 127.0.0.1" in log


def test_where_the_server_cannot_listen_a_set_fails_and_changes_nothing() -> None:
    with make() as server, Load(server) as load, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert "is in use (handlersocket_port)" in refusal(server, "port", str(port))
        assert "asks its clients for no secret" in refusal(server, "address", "0.0.0.0")
        assert "has an empty one" in refusal(server, "address", "127.0.0.1,")
        own = server.sql("SELECT @@port")[0][0]
        if own:
            assert "is the server's own port" in refusal(server, "port", str(own))
        own_socket = server.sql("SELECT @@socket")[0][0]
        assert "is the server's own socket" in refusal(server, "socket", own_socket)
        assert "are the same" in refusal(server, "port_wr", str(server.port))
        assert "neither a port number" in refusal(server, "port", "no-such-service")
        assert "no mode of a socket" in refusal(server, "socket_mode", "0888")
        assert "no group" in refusal(server, "socket_group", "no-such-group")
        assert "no secret is set" in refusal(server, "authentication", "secret")
        assert "No such file" in refusal(server, "socket", "/no-such-directory/s")
        load.go_on()
        assert served(server.port) and served(server.port_wr)


def test_a_port_that_another_server_came_to_by_a_set_is_in_use() -> None:
    with make() as server, PrivateServer() as other:
        port = free_port()
        set_global(server, "port", str(port))
        assert "is in use (handlersocket_port)" in refusal(other, "port", str(port))
        assert served(port)


TEXTS = (
    ["address", "port", "port_wr", "socket", "socket_wr", "socket_mode", "socket_group"]
    + ["plain_secret", "plain_secret_wr", "plain_secret_file", "plain_secret_wr_file"]
    + ["slow_log_file", "resp_port", "memcached_port"]
)


def test_a_text_with_a_nul_or_without_end_is_refused_and_changes_nothing() -> None:
    with make({"handlersocket_plain_secret": "sesame"}) as server:
        everything = "SHOW GLOBAL VARIABLES LIKE 'handlersocket_%'"
        before = server.sql(everything)
        texts = server.sql(
            "SELECT VARIABLE_NAME FROM information_schema.SYSTEM_VARIABLES"
            " WHERE VARIABLE_NAME LIKE 'handlersocket_%' AND VARIABLE_TYPE = 'VARCHAR'"
        )
        assert {name.lower() for (name,) in texts} == {f"handlersocket_{name}" for name in TEXTS}
        mistakes = {
            "CONCAT('ab', CHAR(0), 'cd')": "contains a NUL",
            "CHAR(0)": "contains a NUL",
            "CONCAT('ab', CHAR(0))": "contains a NUL",
            "REPEAT('x', 4097)": "has more than 4096 bytes",
            "REPEAT('x', 16000000)": "has more than 4096 bytes",
        }
        for (name,), (value, mistake) in itertools.product(texts, mistakes.items()):
            with pytest.raises(pymysql.err.MySQLError) as caught:
                server.sql(f"SET GLOBAL {name} = {value}")
            assert caught.value.args[1] == f"handlersocket: the value of {name.lower()} {mistake}"
        assert server.sql(everything) == before
        for port in (server.port, server.port_wr):
            with Client(port) as client:
                assert client.raw(b"A\t1\tab") == b"3\t1\tunauth"
                assert client.raw(b"A\t1\tsesame") == b"0\t1"


def test_the_mode_of_a_file_that_replaced_a_socket_stays(tmp_path: Path) -> None:
    path, other = tmp_path / "r", tmp_path / "other"
    other.touch(mode=0o600)
    with make({"handlersocket_socket": path}) as server:
        path.unlink()
        path.symlink_to(other)
        said = refusal(server, "socket_mode", "0666")
        assert f"{path}: its file was removed or replaced (handlersocket_socket)" in said
        assert other.stat().st_mode & 0o777 == 0o600
        path.unlink()
        set_global(server, "socket", "")
        set_global(server, "socket", str(path))
        set_global(server, "socket_mode", "0600")
        assert path.stat().st_mode & 0o777 == 0o600


def test_unix_sockets_come_change_their_mode_and_go(tmp_path: Path) -> None:
    path = tmp_path / "r"
    with make() as server:
        set_global(server, "socket", str(path))
        assert path.stat().st_mode & 0o777 == 0o660
        with Client.local(path) as client:
            client.open("hs.t", ["id"])
            set_global(server, "socket_mode", "0600")
            assert path.stat().st_mode & 0o777 == 0o600
            set_global(server, "socket", "")
            assert not path.exists()
            assert client.find("=", [1]) == [(b"1",)]


def test_secrets_change_for_new_connections_and_are_shown_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("wheat\n")
    file.chmod(0o600)
    with make({"handlersocket_plain_secret": "sesame"}) as server:
        with Client(server.port) as early:
            assert early.raw(b"A\t1\tsesame") == b"0\t1"
            early.open("hs.t", ["id"])
            set_global(server, "plain_secret", "barley")
            assert shown(server, "plain_secret") == "(hidden)"
            for port in (server.port, server.port_wr):
                with Client(port) as late:
                    assert late.raw(b"A\t1\tsesame") == b"3\t1\tunauth"
                    assert late.raw(b"A\t1\tbarley") == b"0\t1"
            assert "both set" in refusal(server, "plain_secret_file", str(file))
            assert "no secret is set" not in refusal(server, "authentication", "none")
            set_global(server, "plain_secret_wr", "")
            with Client(server.port_wr) as writer:
                writer.open("hs.t", ["id"])
            set_global(server, "plain_secret_wr", "DEFAULT")
            set_global(server, "plain_secret", "")
            assert shown(server, "plain_secret") == ""
            assert served(server.port) and served(server.port_wr)
            set_global(server, "plain_secret_file", str(file))
            file.write_text("rye\n")
            for secret in (b"wheat", b"rye"):
                with Client(server.port_wr) as late:
                    assert late.raw(b"A\t1\t" + secret) == b"0\t1"
                server.sql(
                    "SET GLOBAL handlersocket_plain_secret_file ="
                    " @@global.handlersocket_plain_secret_file"
                )
            file.chmod(0o644)
            assert "every user" in refusal(server, "plain_secret_file", str(file))
            with Client(server.port) as late:
                assert late.raw(b"A\t1\trye") == b"0\t1"
            assert early.find("=", [1]) == [(b"1",)]
        everything = str(server.sql("SHOW GLOBAL VARIABLES")) + server.error_log()
        for secret in ("sesame", "barley", "wheat"):
            assert secret not in everything
        server.restart()  # by its options, as ever
        with Client(server.port) as client:
            assert client.raw(b"A\t1\tsesame") == b"0\t1"


def test_a_port_can_come_to_ask_for_accounts_and_no_longer() -> None:
    with make() as server, Client(server.port) as early:
        early.open("hs.t", ["id"])
        server.sql("CREATE USER ada IDENTIFIED BY 'pw'")
        server.sql("GRANT SELECT ON hs.* TO ada")
        set_global(server, "authentication", "account")
        for port in (server.port, server.port_wr):
            with Client(port) as client:
                client.prepare_login()
                assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"3\t1\tunauth"
                assert client.log_in("ada", "pw") == b"0\t1"
                client.open("hs.t", ["id"])
                assert client.find("=", [1]) == [(b"1",)]
        assert early.find("=", [1]) == [(b"1",)]
        set_global(server, "authentication", "auto")
        assert served(server.port)


def test_a_slow_log_that_cannot_be_written_makes_the_set_fail(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    log = tmp_path / "slow.log"
    with make() as server, Load(server) as load:
        set_global(server, "long_query_time", 0)
        set_global(server, "slow_log", 1)
        for path, why in (
            (fifo, "No such device"),
            (tmp_path, "Is a directory"),
            (tmp_path / "gone" / "slow.log", "No such file"),
        ):
            assert why in refusal(server, "slow_log_file", str(path))
        before = status(server, "slow_log_dropped")
        set_global(server, "slow_log_file", "/dev/full")
        load.go_on()
        while status(server, "slow_log_dropped") == before:
            pass
        while "/dev/full (handlersocket_slow_log_file): No space left" not in server.error_log():
            pass
        set_global(server, "slow_log_file", str(log))
        load.go_on()
        while "find `hs`.`t`" not in log.read_text():
            pass


def test_settings_of_an_init_file_hold(tmp_path: Path) -> None:
    path = tmp_path / "r"
    file = tmp_path / "init.sql"
    file.write_text(
        f"SET GLOBAL handlersocket_socket = '{path}';\nSET GLOBAL handlersocket_max_rows = 1;\n"
    )
    with make({"init_file": file}) as server, Client.local(path) as client:
        client.open("hs.t", ["id"])
        assert client.request(1, ">=", 1, 1, 2) == b"2\t1\ttoo_many_rows"
        server.sql("UNINSTALL PLUGIN handlersocket")
        assert client.at_eof()
        server.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
        with Client(server.port) as again:
            again.open("hs.t", ["id"])
            assert len(again.find(">=", [1], limit=2)) == 2


def test_sets_at_once_and_an_uninstall_meanwhile_are_in_order() -> None:
    with make() as server:
        stop = threading.Event()
        failures: list[BaseException] = []

        def change(name: str, values: tuple[object, ...]) -> None:
            try:
                while not stop.is_set():
                    for value in values:
                        set_global(server, name, value)
            except pymysql.err.OperationalError as unknown:
                if unknown.args[0] != 1193:  # the plugin has gone
                    failures.append(unknown)
            except BaseException as failure:  # noqa: BLE001 (told by the main thread)
                failures.append(failure)

        threads = [
            threading.Thread(target=change, args=arguments)
            for arguments in (
                ("address", ("127.0.0.1,127.0.0.2", "127.0.0.1")),
                ("port_wr", ("", str(server.port_wr))),
                ("max_rows", (1, 100)),
                ("plain_secret", ("s", "")),
            )
        ]
        for thread in threads:
            thread.start()
        for _ in range(100):
            server.sql("SHOW GLOBAL STATUS LIKE 'handlersocket%'")
            server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'")
            server.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_INDEXES")
        server.sql("UNINSTALL PLUGIN handlersocket")
        stop.set()
        for thread in threads:
            thread.join()
        assert not failures, failures
