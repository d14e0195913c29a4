"""TLS with clients of every kind.

Over Unix sockets, of old versions, with wrong certificates, killed, stalled within the handshake, and
while the server's certificate is exchanged.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pymysql
import pytest
from certificates import Certificates
from hs_client import Client, line, status, wait_for_a_lock_wait
from private_server import PrivateServer
from test_tls import (
    SlowHands,
    TlsClient,
    certificates,
    context,
)

__all__ = ["certificates"]  # a fixture

OPEN = b"P\t1\ths\tt\tPRIMARY\tk,v\n"
TABLE = "information_schema.HANDLERSOCKET_CONNECTIONS"


@pytest.fixture(scope="module")
def own(
    certificates: Certificates, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PrivateServer]:
    """A server with certificates, and with Unix sockets."""
    sockets = tmp_path_factory.mktemp("s")
    variables = {
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
        "handlersocket_socket": sockets / "r",
        "handlersocket_socket_wr": sockets / "w",
        **certificates.variables("server"),
    }
    with PrivateServer(variables=variables) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (k INT PRIMARY KEY, v INT) ENGINE=InnoDB")
        running.sql("INSERT INTO hs.t VALUES (1, 10), (2, 20)")
        yield running
        assert running.running, running.error_log()[-3000:]


def s_client(server: PrivateServer, *arguments: str) -> tuple[bytes, str]:
    """What `openssl s_client` prints: the server's answers, and what it says of the connection."""
    place = f"127.0.0.1:{server.port}"
    done = subprocess.run(
        ["openssl", "s_client", "-ign_eof", "-brief", "-connect", place, *arguments],
        input=OPEN + b"1\t=\t1\t1\n",
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.stdout, done.stderr.decode()


def killed(client: Client) -> bool:
    """Whether the connection ends, in whatever way."""
    try:
        return client.at_eof()
    except (ConnectionResetError, ssl.SSLError):
        return True


def test_tls_over_a_unix_socket_is_tls(own: PrivateServer, certificates: Certificates) -> None:
    for name, port in (("handlersocket_socket", own.port), ("handlersocket_socket_wr", own.port_wr)):
        client = TlsClient.__new__(TlsClient)
        client.__dict__.update(Client.local(own.variables[name]).__dict__)
        client.socket = context(certificates).wrap_socket(client.socket)
        with client, Client(port) as beside:
            client.open("hs.t", ["k", "v"])
            beside.open("hs.t", ["k", "v"])
            assert client.find("=", [2]) == beside.find("=", [2]) == [(b"2", b"20")]
            shown = own.sql(f"SELECT HOST, TLS_VERSION FROM {TABLE} ORDER BY ID")
            assert shown[0] == ("localhost", "TLSv1.3")
            assert shown[1][1] in ("", None)


def test_a_tls_connection_is_killed(own: PrivateServer, certificates: Certificates) -> None:
    for port in (own.port, own.port_wr):
        with TlsClient(port, context(certificates)) as stays:
            with TlsClient(port, context(certificates)) as goes:
                stays.open("hs.t", ["k", "v"])
                goes.open("hs.t", ["k", "v"])
                ((number,),) = own.sql(f"SELECT MAX(ID) FROM {TABLE}")
                own.sql(f"SET GLOBAL handlersocket_kill = {number}")
                assert killed(goes)
            assert stays.find("=", [1]) == [(b"1", b"10")]


def test_a_connection_is_killed_within_its_handshake(
    own: PrivateServer, certificates: Certificates
) -> None:
    hands = SlowHands(own.port, context(certificates))
    with pytest.raises(ssl.SSLWantReadError):
        hands.tls.do_handshake()
    hands.send(1000)
    assert hands.socket.recv(5)[0] == 0x16  # the server's part
    ((number,),) = own.sql(f"SELECT MAX(ID) FROM {TABLE}")
    own.sql(f"SET GLOBAL handlersocket_kill = {number}")
    with contextlib.suppress(ConnectionResetError):
        while hands.socket.recv(1 << 16):
            pass
    hands.socket.close()
    assert own.sql(f"SELECT COUNT(*) FROM {TABLE} WHERE ID = {number}") == [(0,)]


def test_kill_query_interrupts_what_a_tls_client_waits_for(
    own: PrivateServer, certificates: Certificates
) -> None:
    """The worker is killed as any thread of the server is; the client gets an answer."""
    with TlsClient(own.port_wr, context(certificates)) as client:
        client.open("hs.t", ["v"])
        holder = own.connect()
        try:
            with holder.cursor() as cursor:
                cursor.execute("BEGIN")
                cursor.execute("SELECT * FROM hs.t WHERE k = 1 FOR UPDATE")
            client.send(line(1, "=", 1, 1, 1, 0, "U", 11))
            find = (
                "SELECT ID FROM information_schema.PROCESSLIST "
                "WHERE INFO LIKE 'update hs.t%' AND COMMAND = 'Query'"
            )
            wait_for_a_lock_wait(own)
            while not (worker := own.sql(find)):
                pass
            own.sql(f"KILL QUERY {worker[0][0]}")
            assert client.read_line().startswith(b"1\t1\t")
        finally:
            holder.close()
        assert client.find("=", [1]) == [(b"10",)]


def test_a_client_that_stalls_within_the_handshake_holds_up_no_other(
    own: PrivateServer, certificates: Certificates
) -> None:
    before = status(own, "tls_failed")
    own.sql("SET GLOBAL handlersocket_login_timeout = 2")
    try:
        stalled = [SlowHands(own.port, context(certificates)) for _ in range(50)]
        for number, hands in enumerate(stalled):
            with pytest.raises(ssl.SSLWantReadError):
                hands.tls.do_handshake()
            # Half of them stop within their hello, half behind the server's part.
            data = hands.outgoing.read()
            hands.socket.sendall(data if number % 2 else data[: len(data) // 2])
        with TlsClient(own.port, context(certificates)) as other:
            other.open("hs.t", ["k", "v"])
            assert other.find("=", [1]) == [(b"1", b"10")]
        for hands in stalled:
            with contextlib.suppress(ConnectionResetError):
                while hands.socket.recv(1 << 16):
                    pass
            hands.socket.close()
    finally:
        own.sql("SET GLOBAL handlersocket_login_timeout = DEFAULT")
    assert status(own, "tls_failed") == before + len(stalled)


@pytest.mark.parametrize("version", ["tls1_2", "tls1_3"])
def test_openssl_gets_answers_by_either_version(
    own: PrivateServer, certificates: Certificates, version: str
) -> None:
    authority = ("-CAfile", certificates.path("ca"), "-verify_return_error")
    command = ["openssl", "s_client", "-quiet", f"-{version}", *authority]
    command += ["-connect", f"127.0.0.1:{own.port}"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(OPEN + b"1\t=\t1\t1\n")
        client.stdin.flush()
        assert [client.stdout.readline() for _ in range(2)] == [b"0\t1\n", b"0\t2\t1\t10\n"]
        client.kill()


@pytest.mark.parametrize("version", ["tls1", "tls1_1"])
def test_versions_that_are_out_of_use_are_refused(own: PrivateServer, version: str) -> None:
    before = status(own, "tls_failed")
    answer, said = s_client(own, f"-{version}", "-cipher", "DEFAULT@SECLEVEL=0")
    assert answer == b""
    assert "alert protocol version" in said or "handshake failure" in said, said
    assert status(own, "tls_failed") == before + 1


@pytest.mark.parametrize("version", ["tls1_2", "tls1_3"])
@pytest.mark.parametrize("client", ["expired", "foreign"])
def test_openssl_with_a_wrong_certificate_gets_an_alert_and_no_row(
    own: PrivateServer, certificates: Certificates, version: str, client: str
) -> None:
    files = ("-cert", certificates.path(client), "-key", certificates.path(f"{client}-key"))
    before = status(own, "tls_failed")
    answer, said = s_client(own, f"-{version}", *files)
    assert answer == b""
    assert "alert" in said, said
    assert status(own, "tls_failed") == before + 1


def test_flush_ssl_under_load_breaks_no_connection(
    own: PrivateServer, certificates: Certificates
) -> None:
    wrong: list[str] = []
    tls = context(certificates)
    done = threading.Event()
    rounds = [0, 0]

    def stays(number: int) -> None:
        with TlsClient(own.port, tls) as client:
            client.open("hs.t", ["k", "v"])
            while not done.is_set():
                if client.find("=", [2]) != [(b"2", b"20")]:
                    wrong.append("a wrong row")
                rounds[number] += 1

    def comes(number: int) -> None:
        while not done.is_set():
            with TlsClient(own.port, tls) as client:
                client.open("hs.t", ["k", "v"])
                if client.find("=", [1]) != [(b"1", b"10")]:
                    wrong.append("a wrong row")
            rounds[number] += 1

    def careful(work: Callable[[int], None], number: int) -> None:
        try:
            work(number)
        except (OSError, EOFError, AssertionError) as error:
            wrong.append(repr(error))

    threads = [
        threading.Thread(target=careful, args=(work, number))
        for number, work in enumerate((stays, comes))
    ]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            seen = list(rounds)
            own.sql("FLUSH SSL")
            while not wrong and (rounds[0] == seen[0] or rounds[1] == seen[1]):
                pass
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_the_certificate_that_a_flush_cannot_read_leaves_the_old_one(
    own: PrivateServer, certificates: Certificates
) -> None:
    path = Path(certificates.path("server"))
    good = path.read_bytes()
    path.write_bytes(b"no certificate")
    try:
        with pytest.raises(pymysql.MySQLError):
            own.sql("FLUSH SSL")
        with TlsClient(own.port, context(certificates)) as client:
            client.open("hs.t", ["k", "v"])
            assert client.find("=", [1]) == [(b"1", b"10")]
    finally:
        path.write_bytes(good)
    own.sql("FLUSH SSL")
    with socket.create_connection(("127.0.0.1", own.port), timeout=60) as plain:
        context(certificates).wrap_socket(plain).close()
