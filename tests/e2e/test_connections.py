"""Thousands of connections to one server: each is served, and none costs a thread."""

from __future__ import annotations

import resource
import selectors
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hs_client import Client
from private_server import PrivateServer

CONNECTIONS = 20_000
SPARE = 1_500  # descriptors for everything else
BYTES_EACH = 8 << 10
OPEN = b"P\t1\ths\tt\tPRIMARY\tid,v\n"
KEYS = 1000


@pytest.fixture(scope="module")
def connections() -> Iterator[int]:
    """How many the process may have: as many as asked for, where the limit can be raised."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + SPARE
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(wanted, before[1])))
    except (ValueError, PermissionError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield min(CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - SPARE)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (before[0], resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    )


@pytest.fixture(scope="module")
def crowded(connections: int) -> Iterator[PrivateServer]:
    with PrivateServer(
        variables={
            "handlersocket_threads": 2,
            "handlersocket_threads_wr": 1,
            "open_files_limit": connections + SPARE,
            "table_open_cache": 200,
        }
    ) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        server.sql(f"INSERT INTO hs.t SELECT seq, seq * 7 FROM hs.seq_1_to_{KEYS}")
        yield server
        assert server.running, server.error_log()[-3000:]


def memory_kib(server: PrivateServer) -> int:
    status = Path(f"/proc/{server.pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0])


def threads(server: PrivateServer) -> int:
    return len(list(Path(f"/proc/{server.pid}/task").iterdir()))


def ask_all(clients: list[socket.socket], requests: list[bytes], replies: list[bytes]) -> None:
    """Every client sends its request before the first reply is read; each gets its own."""
    for client, request in zip(clients, requests):
        client.sendall(request)
    with selectors.DefaultSelector() as selector:
        for number, client in enumerate(clients):
            selector.register(client, selectors.EVENT_READ, number)
        left = len(clients)
        while left:
            ready = selector.select(60)
            assert ready, f"{left} without an answer"
            for key, _ in ready:
                assert isinstance(key.fileobj, socket.socket)
                assert key.fileobj.recv(1000) == replies[key.data]
                selector.unregister(key.fileobj)
                left -= 1


def test_each_of_many_connections_is_served(crowded: PrivateServer, connections: int) -> None:
    with Client(crowded.port) as first:
        first.open("hs.t", ["id", "v"])
        for key in range(1, KEYS + 1):
            assert first.find("=", [key]) == [(b"%d" % key, b"%d" % (7 * key))]
    memory, had = memory_kib(crowded), threads(crowded)
    clients = []
    try:
        for number in range(connections):
            # An address has some 28,000 ports for clients.
            source = (f"127.0.0.{2 + number % 4}", 0)
            clients.append(socket.create_connection(("127.0.0.1", crowded.port), 60, source))
        ask_all(clients, [OPEN] * connections, [b"0\t1\n"] * connections)
        for turn in range(3):
            keys = [1 + (number + turn) % KEYS for number in range(connections)]
            ask_all(
                clients,
                [b"1\t=\t1\t%d\n" % key for key in keys],
                [b"0\t2\t%d\t%d\n" % (key, 7 * key) for key in keys],
            )
        assert threads(crowded) < had + 20  # the server has some of its own that come and go
        assert (memory_kib(crowded) - memory) * 1024 < BYTES_EACH * connections
        open_now = crowded.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_connections_open'")
        assert int(open_now[0][1]) == connections
    finally:
        for client in clients:
            client.close()
    while crowded.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_connections_open'")[0][1] != "0":
        pass


def test_a_storm_of_connections_that_come_and_go(crowded: PrivateServer) -> None:
    """Some clients send nothing, some half a line, some close without reading; the others are served."""
    with Client(crowded.port) as other:
        other.open("hs.t", ["id"])
        for number in range(2000):
            client = socket.create_connection(("127.0.0.1", crowded.port), 60)
            if number % 4 == 1:
                client.sendall(OPEN[:10])
            elif number % 4 == 2:
                client.sendall(OPEN + b"1\t>\t1\t0\t1000\t0\n" * 10)
            elif number % 4 == 3:
                client.sendall(OPEN)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.close()
            if number % 100 == 0:
                assert other.find("=", [7]) == [(b"7",)]
        while crowded.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_connections_open'")[0][1] != "1":
            pass
        assert other.find("=", [8]) == [(b"8",)]


def answer_of(client: socket.socket, requests: bytes, lines: int) -> bytes:
    """What the server sends, up to so many lines or the end of the connection."""
    received = b""
    try:
        client.sendall(requests)
        while received.count(b"\n") < lines and (chunk := client.recv(1000)):
            received += chunk
    except OSError:
        pass  # the server refused it, and closed it with bytes unread
    return received


def test_connections_leave_the_database_its_descriptors(database: str) -> None:
    """Clients of both ports take all connections they can get: SQL, tables and the binary log go on."""
    limit = 3000
    with PrivateServer(
        variables={
            "handlersocket_threads": 2,
            "handlersocket_threads_wr": 1,
            "log_bin": "log",
            "sync_binlog": 0,
            "max_binlog_size": 65536,
        },
        descriptors=limit,
    ) as own:
        own.sql("CREATE DATABASE hs")
        for number in range(60):
            engine = "MyISAM" if number % 2 else "InnoDB"
            own.sql(f"CREATE TABLE hs.t{number} (id INT PRIMARY KEY, v TEXT) ENGINE={engine}")
        own.sql("FLUSH TABLES")
        clients = []
        try:
            with Client(own.port_wr) as writer:
                writer.open("hs.t0", ["id", "v"])
                for number in range(3400):
                    port = own.port if number % 2 else own.port_wr
                    clients.append(socket.create_connection(("127.0.0.1", port), 60))
                for key in range(300):
                    assert writer.raw(b"1\t+\t2\t%d\t%s" % (key, b"x" * 1000)) == b"0\t1"
            assert own.sql("SELECT @@sql_log_bin")[0][0] == 1
            status = dict(own.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_connections%'"))
            assert int(status["Handlersocket_connections_refused"]) >= 3400 - limit // 2
            assert int(status["Handlersocket_connections_open"]) > limit // 4
            sessions = [own.connect() for _ in range(50)]
            for number in range(60):
                assert own.sql(f"SELECT COUNT(*) FROM hs.t{number}")[0][0] == (300 if not number else 0)
            for session in sessions:
                session.close()
        finally:
            for client in clients:
                client.close()
        logged = 0
        logs = [name for name, *_ in own.sql("SHOW BINARY LOGS")]
        assert len(logs) > 3
        for name in logs:
            events = own.sql(f"SHOW BINLOG EVENTS IN '{name}'")
            logged += sum(event[2].startswith("Write_rows") for event in events)
        assert logged == 300
        log = own.error_log()
        assert "Turning logging off" not in log and "Too many open files" not in log
        assert "connections are refused: the process may open 3000 files" in log


def test_clients_without_a_descriptor_are_refused_and_later_taken_again(database: str) -> None:
    limit = 400
    with PrivateServer(variables={"handlersocket_threads": 1, "handlersocket_threads_wr": 1}) as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
        own.sql("INSERT INTO hs.t VALUES (1)")
        resource.prlimit(own.pid, resource.RLIMIT_NOFILE, (limit, limit))
        clients = [socket.create_connection(("127.0.0.1", own.port), 60) for _ in range(limit)]
        # A new client of SQL finds room, too.
        assert own.sql("SELECT * FROM hs.t") == [(1,)]
        ask, served = b"P\t1\ths\tt\tPRIMARY\tid\n1\t=\t1\t1\n", b"0\t1\n0\t1\t1\n"
        assert answer_of(clients[-1], b"", 1) == b"1\t1\ttoo_many_connections\n"
        assert answer_of(clients[0], ask, 2) == served
        for client in clients:
            client.close()
        while own.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_connections_open'")[0][1] != "0":
            pass
        with socket.create_connection(("127.0.0.1", own.port), 60) as late:
            assert answer_of(late, ask, 2) == served
