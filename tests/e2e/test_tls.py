"""TLS on the same ports, by the server's own certificate and policy."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import Certificates
from hs_client import Client, line, status
from private_server import PrivateServer


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    directory = tmp_path_factory.mktemp("certificates")
    for folder in (directory, *directory.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    made = Certificates(directory)
    made.make("server", signed_by="ca")
    made.make("client", signed_by="ca")
    made.make("expired", signed_by="ca", days=-1)
    made.make("foreign")
    return made


@pytest.fixture(scope="module")
def tls_server(certificates: Certificates) -> Iterator[PrivateServer]:
    """A server with certificates."""
    with PrivateServer(
        variables={
            "handlersocket_threads": 1,
            "handlersocket_threads_wr": 1,
            **certificates.variables("server"),
        }
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (k INT PRIMARY KEY, v LONGTEXT) ENGINE=InnoDB")
        running.sql("INSERT INTO hs.t VALUES (1, 'one'), (2, 'two')")
        yield running


def context(
    certificates: Certificates, version: ssl.TLSVersion | None = None, client: str | None = None
) -> ssl.SSLContext:
    """What a client needs to know the server."""
    made = ssl.create_default_context(cafile=certificates.path("ca"))
    made.check_hostname = False
    if version is not None:
        made.minimum_version = made.maximum_version = version
    if client is not None:
        made.load_cert_chain(certificates.path(client), certificates.path(f"{client}-key"))
    return made


class TlsClient(Client):
    """A Client whose socket is a TLS connection."""

    def __init__(self, port: int, tls: ssl.SSLContext) -> None:
        super().__init__(port)
        self.socket = tls.wrap_socket(self.socket)

    def end(self) -> None:
        """Says that nothing more is sent; what comes can still be read."""
        with contextlib.suppress(ssl.SSLError):
            self.socket.unwrap()


class SlowHands:
    """TLS by hand over a socket, so that the test chooses what is sent together."""

    def __init__(self, port: int, tls: ssl.SSLContext) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = tls.wrap_bio(self.incoming, self.outgoing)

    def send(self, piece: int) -> None:
        """Sends what is due, so many bytes at a time."""
        data = self.outgoing.read()
        for begin in range(0, len(data), piece):
            self.socket.sendall(data[begin : begin + piece])

    def shake_hands(self, piece: int) -> None:
        while True:
            try:
                self.tls.do_handshake()
            except ssl.SSLWantReadError:
                self.send(piece)
                self.incoming.write(self.socket.recv(1 << 16))
            else:
                return self.send(piece)

    def ask(self, request: bytes, piece: int) -> bytes:
        self.tls.write(request)
        self.send(piece)
        reply = b""
        while not reply.endswith(b"\n"):
            try:
                reply += self.tls.read(1 << 16)
            except ssl.SSLWantReadError:
                self.incoming.write(self.socket.recv(1 << 16))
        return reply


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_requests_over_tls_are_answered_as_others_are(
    tls_server: PrivateServer, certificates: Certificates, version: ssl.TLSVersion
) -> None:
    before = status(tls_server, "tls_accepts")
    with TlsClient(tls_server.port_wr, context(certificates, version)) as client:
        assert client.socket.version() == version.name.replace("_", ".")
        client.open("hs.t", ["k", "v"])
        assert client.find("=", [1]) == [(b"1", b"one")]
        assert client.request(1, "+", 2, 10, "ten") == b"0\t1"
        assert client.request(1, "=", 1, 10, 1, 0, "D") == b"0\t1\t1"
        shown = tls_server.sql(
            "SELECT TLS_VERSION, TLS_CIPHER FROM information_schema.HANDLERSOCKET_CONNECTIONS"
        )
        assert shown == [(client.socket.version(), client.socket.cipher()[0])]
    with Client(tls_server.port) as plain:
        plain.open("hs.t", ["k", "v"])
        assert plain.find("=", [2]) == [(b"2", b"two")]
    assert status(tls_server, "tls_accepts") == before + 1


def test_openssl_itself_gets_answers_and_an_orderly_end(
    tls_server: PrivateServer, certificates: Certificates
) -> None:
    """A client that ends its input gets all replies, and the server's close_notify behind them."""
    command = ["openssl", "s_client", "-quiet", "-verify_return_error", "-verify", "2"]
    command += ["-connect", f"127.0.0.1:{tls_server.port}", "-CAfile", certificates.path("ca")]
    asked = b"P\t1\ths\tt\tPRIMARY\tk,v\n" + b"1\t=\t1\t1\n1\t=\t1\t2\n"
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(asked)
        client.stdin.flush()
        got = [client.stdout.readline() for _ in range(3)]
        client.kill()
    assert got == [b"0\t1\n", b"0\t2\t1\tone\n", b"0\t2\t2\ttwo\n"]


def test_records_and_the_first_byte_may_come_in_any_pieces(
    tls_server: PrivateServer, certificates: Certificates
) -> None:
    for piece in (1, 7, 1000):
        hands = SlowHands(tls_server.port, context(certificates))
        hands.shake_hands(piece)
        assert hands.ask(b"P\t1\ths\tt\tPRIMARY\tk,v\n", piece) == b"0\t1\n"
        assert hands.ask(b"1\t=\t1\t1\n", piece) == b"0\t2\t1\tone\n"
        hands.socket.close()


def test_ten_thousand_pipelined_requests_are_answered_in_order(
    tls_server: PrivateServer, certificates: Certificates
) -> None:
    with TlsClient(tls_server.port, context(certificates)) as client:
        client.open("hs.t", ["k", "v"])
        for _ in range(10):
            answers = client.pipeline([b"1\t=\t1\t1\n", b"1\t=\t1\t2\n"] * 500)
            assert answers == [b"0\t2\t1\tone", b"0\t2\t2\ttwo"] * 500


def test_a_megabyte_goes_both_ways(tls_server: PrivateServer, certificates: Certificates) -> None:
    value = os.urandom(1 << 19).hex()
    with TlsClient(tls_server.port_wr, context(certificates)) as client:
        client.open("hs.t", ["k", "v"])
        assert client.request(1, "+", 2, 20, value) == b"0\t1"
        assert client.find("=", [20]) == [(b"20", value.encode())]
        assert client.request(1, "=", 1, 20, 1, 0, "D") == b"0\t1\t1"


def test_a_slow_reader_gets_many_megabytes_whole_and_holds_up_no_other(
    tls_server: PrivateServer, certificates: Certificates
) -> None:
    tls_server.sql("CREATE TABLE hs.big (k INT PRIMARY KEY, v TEXT) ENGINE=InnoDB")
    tls_server.sql("INSERT INTO hs.big SELECT seq, REPEAT(CHAR(97 + seq % 26), 10000)"
                   " FROM hs.seq_1_to_2000")
    with TlsClient(tls_server.port, context(certificates)) as slow, TlsClient(
        tls_server.port, context(certificates)
    ) as other:
        slow.open("hs.big", ["k", "v"])
        other.open("hs.t", ["k", "v"])
        slow.send(line(1, ">=", 1, 1, 2000, 0))
        for _ in range(20):
            assert other.find("=", [1]) == [(b"1", b"one")]
        reply = slow.read_line().split(b"\t")
        assert reply[2::2] == [str(k).encode() for k in range(1, 2001)]
        assert reply[3::2] == [bytes((97 + k % 26,)) * 10000 for k in range(1, 2001)]
    tls_server.sql("DROP TABLE hs.big")


@pytest.mark.parametrize("client", ["expired", "foreign"])
def test_a_certificate_that_the_authority_does_not_vouch_for_is_refused(
    tls_server: PrivateServer, certificates: Certificates, client: str
) -> None:
    before = status(tls_server, "tls_failed")
    tls = context(certificates, ssl.TLSVersion.TLSv1_2, client)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        TlsClient(tls_server.port, tls)
    with TlsClient(tls_server.port, context(certificates, client="client")) as known:
        known.open("hs.t", ["k", "v"])
    assert status(tls_server, "tls_failed") == before + 1


def test_a_session_is_resumed_where_certificates_are_asked_for(
    tls_server: PrivateServer, certificates: Certificates
) -> None:
    tls = context(certificates, ssl.TLSVersion.TLSv1_2, "client")
    with TlsClient(tls_server.port, tls) as first:
        first.open("hs.t", ["k", "v"])
        session = first.socket.session
    raw = socket.create_connection(("127.0.0.1", tls_server.port), timeout=60)
    with tls.wrap_socket(raw, session=session) as second:
        assert second.session_reused
        second.sendall(b"P\t1\ths\tt\tPRIMARY\tk,v\n")
        assert second.recv(100) == b"0\t1\n"


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16",
        b"\x16\x03\x01",
        b"\x16garbage of some length, with no sense\n" * 10,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 100,
        b"\x16\x03\x01\x00\x04\x01\x01\xff\xff",
        b"\x16\x03\x01\x02\x00\x01\nP\t1\ths\tt\tPRIMARY\tk\n",
    ],
)
def test_what_only_begins_as_tls_is_closed_and_counted(
    tls_server: PrivateServer, sent: bytes
) -> None:
    before = status(tls_server, "tls_failed")
    with Client(tls_server.port) as client:
        client.send(sent)
        client.socket.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while more := client.socket.recv(1000):
                answer += more
        assert answer == b"" or answer[0] == 0x15  # an alert
    assert status(tls_server, "tls_failed") == before + 1


def test_a_handshake_that_stands_still_ends_after_the_login_timeout(
    tls_server: PrivateServer,
) -> None:
    tls_server.sql("SET GLOBAL handlersocket_login_timeout = 2")
    try:
        with Client(tls_server.port) as client:
            client.send(b"\x16\x03\x01")
            assert client.at_eof()
    finally:
        tls_server.sql("SET GLOBAL handlersocket_login_timeout = DEFAULT")


def test_flush_ssl_is_for_new_connections(
    tls_server: PrivateServer, certificates: Certificates
) -> None:
    def names(client: TlsClient) -> str:
        return str(client.socket.getpeercert()["serialNumber"])

    with TlsClient(tls_server.port, context(certificates)) as old:
        old.open("hs.t", ["k", "v"])
        certificates.make("server", signed_by="ca")
        tls_server.sql("FLUSH SSL")
        with TlsClient(tls_server.port, context(certificates)) as new:
            assert names(new) != names(old)
            new.open("hs.t", ["k", "v"])
        assert old.find("=", [1]) == [(b"1", b"one")]


def test_secure_transport_can_be_required_at_any_time(
    tls_server: PrivateServer, certificates: Certificates
) -> None:
    with Client(tls_server.port) as before:
        before.open("hs.t", ["k", "v"])
        tls_server.sql("SET GLOBAL require_secure_transport = ON")
        try:
            with Client(tls_server.port_wr) as plain:
                assert plain.raw(b"P\t1\ths\tt\tPRIMARY\tk,v") == b"3\t1\tinsecure_transport"
                assert plain.at_eof()
            with TlsClient(tls_server.port_wr, context(certificates)) as client:
                client.open("hs.t", ["k", "v"])
            assert before.find("=", [1]) == [(b"1", b"one")]
        finally:
            tls_server.sql("SET GLOBAL require_secure_transport = OFF")
    with Client(tls_server.port_wr) as plain:
        plain.open("hs.t", ["k", "v"])


def test_a_thousand_connections_leave_nothing_behind(
    tls_server: PrivateServer, certificates: Certificates
) -> None:
    def sockets() -> int:
        """The server opens and closes files of its own meanwhile."""
        count = 0
        for descriptor in Path(f"/proc/{tls_server.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                count += str(descriptor.readlink()).startswith("socket:")
        return count

    def round_of(count: int) -> None:
        tls = context(certificates)
        for number in range(count):
            with TlsClient(tls_server.port, tls) as client:
                client.open("hs.t", ["k", "v"])
                if number % 2:
                    client.end()

    with Client(tls_server.port) as watcher:
        watcher.open("hs.t", ["k", "v"])

        def memory() -> int:
            while status(tls_server, "connections_open") != 1:
                pass
            # The thread destroys what it has closed before it answers this.
            assert watcher.find("=", [1]) == [(b"1", b"one")]
            return status(tls_server, "memory")

        round_of(50)
        # Behind its answer the thread may still hold buffers of the request: idle it holds the least of many looks.
        before = min(memory() for _ in range(20)), sockets()
        round_of(1000)
        while memory() > before[0]:
            pass
        while sockets() > before[1]:  # that of the last SQL connection may still be closed
            pass


def test_a_server_without_tls_closes_with_an_alert() -> None:
    with PrivateServer(variables={"skip_ssl": None}) as server:
        before = status(server, "tls_failed")
        with Client(server.port) as client, pytest.raises(ssl.SSLError, match="alert"):
            ssl._create_unverified_context().wrap_socket(client.socket)
        assert status(server, "tls_failed") == before + 1


def test_versions_are_those_of_the_server_and_shutdown_ends_tls_connections(
    certificates: Certificates,
) -> None:
    with PrivateServer(
        variables={
            "ssl_cert": certificates.path("server"),
            "ssl_key": certificates.path("server-key"),
            "tls_version": "TLSv1.3",
        }
    ) as running:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            TlsClient(running.port, context(certificates, ssl.TLSVersion.TLSv1_2))
        clients = [TlsClient(running.port, context(certificates)) for _ in range(10)]
        for client in clients:
            assert client.raw(b"A\t1\t") == b"0\t1"
        assert running.stop() == 0
        for client in clients:
            assert client.at_eof()
            client.close()


def test_accounts_log_in_over_tls_with_a_password_or_a_certificate(
    certificates: Certificates,
) -> None:
    with PrivateServer(
        variables={
            "handlersocket_threads": 1,
            "handlersocket_threads_wr": 1,
            "handlersocket_authentication": "account",
            **certificates.variables("server"),
        }
    ) as server:
        requirements = {
            "any": "SSL",
            "holder": "X509",
            "named": "SUBJECT '/CN=client'",
            "other": "SUBJECT '/CN=server'",
            "issued": "ISSUER '/CN=ca' AND SUBJECT '/CN=client'",
            "stranger": "ISSUER '/CN=another' AND SUBJECT '/CN=client'",
        }
        server.sql("INSTALL SONAME 'auth_ed25519'")
        server.sql("CREATE USER signs IDENTIFIED VIA ed25519 USING PASSWORD('p') REQUIRE X509")
        for user, required in requirements.items():
            server.sql(f"CREATE USER {user} IDENTIFIED BY 'p' REQUIRE {required}")
        allowed = {
            None: {"any"},
            "client": {"any", "holder", "named", "issued"},
        }
        for port, certificate in itertools.product((server.port, server.port_wr), allowed):
            tls = context(certificates, client=certificate)
            for user in requirements:
                wanted = b"0\t1" if user in allowed[certificate] else b"3\t1\tunauth"
                with TlsClient(port, tls) as client:
                    assert client.request("A", 4, user, "p") == wanted, (certificate, user)
                    assert client.log_in(user, "p") == wanted
            with TlsClient(port, tls) as client:
                wanted = b"0\t1" if certificate else b"3\t1\tunauth"
                assert client.log_in("signs", "p", "ed25519") == wanted
        with Client(server.port) as plain:
            assert plain.log_in("any", "p") == b"3\t1\tunauth"
            assert plain.request("A", 4, "any", "p") == b"3\t1\tauthtype"
