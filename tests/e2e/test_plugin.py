"""The plugin's life inside the server: load, refuse, unload, shutdown, crash."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from hs_client import Client, line, wait_for_a_lock_wait
from on_mysql import IS_MYSQL
from private_server import PrivateServer, free_port

TABLE = "CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL)"
# The port that the server keeps for its administrators.
SECOND_PORT = "admin_port" if IS_MYSQL else "extra_port"


@pytest.fixture
def own() -> Iterator[PrivateServer]:
    """A server of the test's own, with the plugin and a table."""
    threads = {"handlersocket_threads": 2, "handlersocket_threads_wr": 4}
    with PrivateServer(variables=threads | {"log_bin": "log"}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql(TABLE)
        yield server


def load(server: PrivateServer, stop: threading.Event, acknowledged: list[int], start: int) -> None:
    """Inserts ascending ids until the connection ends; remembers those that were answered."""
    try:
        with Client(server.port_wr) as client:
            client.open("hs.t", ["id", "v"])
            number = start
            while not stop.is_set():
                if client.request(1, "+", 2, number, 1) == b"0\t1":
                    acknowledged.append(number)
                number += 1
    except (EOFError, ConnectionError):
        pass


def with_load(server: PrivateServer, action: str) -> list[int]:
    """Runs `action` (kill9, stop, uninstall) while four connections insert; the answered ids."""
    stop = threading.Event()
    answered: list[list[int]] = [[] for _ in range(4)]
    threads = [
        threading.Thread(target=load, args=(server, stop, answered[i], i * 1_000_000))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    while min(len(ids) for ids in answered) < 50:
        assert all(thread.is_alive() for thread in threads)
    if action == "kill9":
        server.kill9()
    elif action == "stop":
        assert server.stop() == 0
    else:
        server.sql("UNINSTALL PLUGIN handlersocket")
    for thread in threads:
        thread.join()
    return [number for ids in answered for number in ids]


def test_the_plugin_is_active_and_stable(server: PrivateServer) -> None:
    plugin = "FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'handlersocket'"
    shown = server.sql(f"SELECT PLUGIN_STATUS, PLUGIN_LIBRARY {plugin}")
    assert shown == [("ACTIVE", "handlersocket2.so")]
    if not IS_MYSQL:  # there plugins have no maturity
        assert server.sql(f"SELECT PLUGIN_MATURITY {plugin}") == [("Stable",)]


def test_variables_have_the_originals_names_and_status_counts(
    server: PrivateServer, reader: Client
) -> None:
    variables = dict(server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'"))
    original = (
        "verbose address port port_wr epoll threads threads_wr timeout backlog sndbuf rcvbuf readsize"
        " accept_balance wrlock_timeout plain_secret plain_secret_wr"
    )
    assert {f"handlersocket_{name}" for name in original.split()} <= set(variables)
    assert variables["handlersocket_address"] == "127.0.0.1"

    def requests() -> int:
        return int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_requests'")[0][1])

    before = requests()
    for _ in range(10):
        reader.raw(b"X")
    assert requests() == before + 10


def test_by_default_only_loopback_listens(own: PrivateServer) -> None:
    with open(f"/proc/{own.pid}/net/tcp", encoding="ascii") as table:
        listening = {
            tuple(entry.split()[1].split(":"))
            for entry in table.readlines()[1:]
            if entry.split()[3] == "0A"
        }
    for port in (own.port, own.port_wr):
        assert ("0100007F", f"{port:04X}") in listening
        assert ("00000000", f"{port:04X}") not in listening


def test_uninstall_under_traffic_closes_every_connection_and_install_serves_again(
    own: PrivateServer,
) -> None:
    with Client(own.port) as idle:
        idle.open("hs.t", ["id"])
        acknowledged = with_load(own, "uninstall")
        assert idle.at_eof()
    stored = {row[0] for row in own.sql("SELECT id FROM hs.t")}
    assert set(acknowledged) <= stored
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", own.port))
    own.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
    with Client(own.port) as client:
        client.open("hs.t", ["id"])
        assert client.find("=", [acknowledged[0]]) == [(str(acknowledged[0]).encode(),)]


def test_uninstall_interrupts_a_request_that_waits_for_a_row(own: PrivateServer) -> None:
    own.sql("INSERT INTO hs.t VALUES (1, 1)")
    blocker = own.connect(database="hs")
    blocker.begin()
    with blocker.cursor() as cursor:
        cursor.execute("SELECT * FROM t WHERE id = 1 FOR UPDATE")
    with Client(own.port_wr) as client:
        client.open("hs.t", ["v"])
        client.send(line(1, "=", 1, 1, 1, 0, "U", 2))
        wait_for_a_lock_wait(own)
        own.sql("UNINSTALL PLUGIN handlersocket")
        assert client.at_eof() or client.read_line().startswith(b"1\t1\t")
    blocker.rollback()
    blocker.close()
    assert own.sql("SELECT v FROM hs.t") == [(1,)]


def test_shutdown_under_load_is_clean_and_loses_no_acknowledged_write(own: PrivateServer) -> None:
    acknowledged = with_load(own, "stop")
    assert "Shutdown complete" in own.error_log(this_start_only=True)
    own.start()
    stored = {row[0] for row in own.sql("SELECT id FROM hs.t")}
    assert set(acknowledged) <= stored


def test_a_crash_loses_no_acknowledged_write(own: PrivateServer) -> None:
    acknowledged: list[int] = []
    for round_ in range(3):
        own.sql("TRUNCATE TABLE hs.t")
        acknowledged = with_load(own, "kill9")
        own.start()
        stored = {row[0] for row in own.sql("SELECT id FROM hs.t")}
        assert set(acknowledged) <= stored, round_
        # At most one request of each connection was under way.
        assert len(stored - set(acknowledged)) <= 4


def test_tables_that_were_open_at_a_crash_are_repaired(own: PrivateServer) -> None:
    for engine, option in (("MyISAM", ""), ("Aria", "TRANSACTIONAL=0")):
        own.sql(f"CREATE TABLE hs.{engine} (id INT PRIMARY KEY, v INT) ENGINE={engine} {option}")
        with Client(own.port_wr) as client:
            client.open(f"hs.{engine}", ["id", "v"])
            own.sql("FLUSH TABLES")
            assert client.request(1, "+", 2, 1, 1) == b"0\t1"
            assert client.request(1, "+", 2, 2, 2) == b"0\t1"
    own.kill9()
    own.variables |= {"myisam_recover_options": "BACKUP,QUICK"}
    own.start()
    with Client(own.port) as client:
        for engine in ("MyISAM", "Aria"):
            client.open(f"hs.{engine}", ["v"])
            # The last rows of such a table may be lost in a crash; what is left is served.
            rows = own.sql(f"SELECT v FROM hs.{engine} ORDER BY id")
            assert client.find(">=", [0], 10) == [(str(v).encode(),) for (v,) in rows]


def test_kill_of_a_threads_entry_ends_its_batch_only(own: PrivateServer) -> None:
    own.sql("INSERT INTO hs.t VALUES (1, 1)")
    with Client(own.port) as reader, Client(own.port_wr) as writer:
        reader.open("hs.t", ["v"])
        writer.open("hs.t", ["v"])
        for verb in ("KILL", "KILL QUERY"):
            threads = own.sql(
                "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'handlersocket'"
            )
            # One for each of handlersocket_threads and _wr, on each port one that stands by, and
            # the one that purges.
            assert len(threads) == (2 + 1) + (4 + 1) + 1
            for (thread,) in threads:
                own.sql(f"{verb} {thread}")
        for _ in range(3):
            assert reader.find("=", [1]) == [(b"1",)]
            assert writer.raw(b"1\t=\t1\t1\t1\t0\tU\t1") == b"0\t1\t1"


def test_a_busy_port_is_said_in_one_sentence(own: PrivateServer) -> None:
    own.sql("UNINSTALL PLUGIN handlersocket")
    with socket.create_server(("127.0.0.1", own.port)):
        with pytest.raises(Exception, match=str(own.port)):
            own.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
    assert str(own.port) in own.error_log()
    own.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")


def test_status_counts_requests_rows_and_errors_by_kind(own: PrivateServer) -> None:
    names = "finds inserts updates deletes rows_found rows_changed errors_server errors_request"

    def status() -> list[int]:
        found = dict(own.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket%'"))
        return [int(found[f"Handlersocket_{name}"]) for name in names.split()]

    own.sql("CREATE OR REPLACE TABLE hs.kinds (id INT PRIMARY KEY, v INT)")
    before = status()
    with Client(own.port_wr) as client:
        client.open("hs.kinds", ["id", "v"])
        for id_ in (1, 2, 2):
            client.request(1, "+", 2, id_, 0)
        client.request(1, ">", 1, 0, 10, 0)
        client.request(1, ">", 1, 0, 10, 0, "+", 0, 1)
        client.request(1, "=", 1, 2, 1, 0, "D")
        client.request(7, "=", 1, 2)
        assert client.request(1, "+", 3, 4, 0, 0) == b"2\t1\tfldnum"  # counts as no insert
    assert [now - then for now, then in zip(status(), before)] == [1, 3, 1, 1, 2, 5, 1, 2]
    own.sql("DROP TABLE hs.kinds")


@pytest.mark.parametrize(
    "variable, setting, address",
    [
        ("handlersocket_port", "port", "127.0.0.1"),
        ("handlersocket_port_wr", "port", "localhost"),
        ("handlersocket_port", SECOND_PORT, "127.0.0.1"),
        ("handlersocket_socket", "socket", "127.0.0.1"),
    ],
)
def test_a_place_of_the_servers_own_is_left_to_the_server(
    variable: str, setting: str, address: str
) -> None:
    with PrivateServer(plugin="none") as server:
        second = free_port()
        place = {"port": server.sql_port, SECOND_PORT: second, "socket": server.socket}[setting]
        server.arguments = [
            f"--{SECOND_PORT}={second}",
            "--plugin-load-add=handlersocket2.so",
            f"--handlersocket-address={address}",
            f"--handlersocket-port={free_port()}",
            f"--handlersocket-port-wr={free_port()}",
            f"--{variable.replace('_', '-')}={place}",
        ]
        server.restart()
        assert server.sql("SELECT 1") == [(1,)]
        said = f"handlersocket: {variable} is the server's own {setting}, {place}: choose another"
        assert said in server.error_log(this_start_only=True)
        assert server.sql("SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'handlersocket'") == [(0,)]


@pytest.mark.parametrize("address", ["::1", "localhost", "0.0.0.0"])
def test_other_addresses(address: str) -> None:
    try:
        socket.getaddrinfo(address, 0)
    except OSError:
        pytest.skip(f"{address} has no address on this machine")
    port = free_port()
    options = [
        "--plugin-load-add=handlersocket2.so",
        f"--handlersocket-address={address}",
        f"--handlersocket-allow-unauthenticated={int(address == '0.0.0.0')}",
        f"--handlersocket-port={port}",
        "--handlersocket-port-wr=",
    ]
    with PrivateServer(plugin="none", arguments=options):
        host = "127.0.0.1" if address == "0.0.0.0" else address
        with socket.create_connection((host, port), timeout=30) as client:
            client.sendall(b"X\n")
            assert client.recv(100) == b"2\t1\tcmd\n"


def test_a_bad_address_leaves_the_server_without_the_plugin_but_alive() -> None:
    with PrivateServer(plugin="none") as server:
        port = free_port()
        server.arguments = [
            "--plugin-load-add=handlersocket2.so",
            "--handlersocket-address=no.such.host.invalid",
            f"--handlersocket-port={port}",
        ]
        server.restart()
        assert server.sql("SELECT 1") == [(1,)]
        assert "no.such.host.invalid" in server.error_log(this_start_only=True)
