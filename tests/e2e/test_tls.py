"""TLS on the same ports, by the server's own certificate and policy."""

from __future__ import annotations

import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hs_client import Client
from private_server import PrivateServer


class Certificates:
    """A certificate authority in a directory, and what it has signed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.make("ca")

    def make(self, name: str, *, signed_by: str | None = None, days: int = 10) -> None:
        """`<name>.pem` and `<name>-key.pem`; the server's user must be able to read them."""
        request = ["openssl", "req", "-new", "-nodes", "-newkey", "ec"]
        request += ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", f"/CN={name}"]
        request += ["-keyout", self.path(f"{name}-key")]
        if signed_by is None:
            request += ["-x509", "-days", str(days), "-out", self.path(name)]
            self._run(request)
        else:
            self._run([*request, "-out", self.path(f"{name}-request")])
            sign = ["openssl", "x509", "-req", "-in", self.path(f"{name}-request")]
            sign += ["-CA", self.path(signed_by), "-CAkey", self.path(f"{signed_by}-key")]
            sign += ["-CAcreateserial", "-days", str(days), "-out", self.path(name)]
            self._run(sign)
        for file in self.directory.glob("*.pem"):
            file.chmod(0o644)

    def path(self, name: str) -> str:
        return str(self.directory / f"{name}.pem")

    @staticmethod
    def _run(command: list[str]) -> None:
        subprocess.run(command, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    directory = tmp_path_factory.mktemp("certificates")
    for folder in (directory, *directory.parents):
        if folder.is_relative_to("/tmp") and folder != Path("/tmp"):
            folder.chmod(0o755)
    made = Certificates(directory)
    made.make("server", signed_by="ca")
    made.make("client", signed_by="ca")
    return made


@pytest.fixture(scope="module")
def tls_server(certificates: Certificates) -> Iterator[PrivateServer]:
    """A server with certificates."""
    with PrivateServer(
        variables={
            "handlersocket_threads": 1,
            "handlersocket_threads_wr": 1,
            "ssl_ca": certificates.path("ca"),
            "ssl_cert": certificates.path("server"),
            "ssl_key": certificates.path("server-key"),
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


def status(server: PrivateServer, name: str) -> int:
    """A status variable of the plugin."""
    return int(server.sql(f"SHOW GLOBAL STATUS LIKE 'handlersocket_{name}'")[0][1])


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
