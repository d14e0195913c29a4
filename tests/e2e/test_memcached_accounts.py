"""Accounts of the server for clients of memcached: SASL PLAIN over TLS, and what an account may do."""

from __future__ import annotations

import ssl
import struct
from collections.abc import Iterator

import pytest
from certificates import Certificates
from memcached_client import TABLE, Raw, answer, packet
from private_accounts import identified_by, make_account
from private_server import PrivateServer, free_port
from test_tls import certificates, context  # noqa: F401

FLAGS = struct.pack(">II", 0, 0)


class TlsRaw(Raw):
    def __init__(self, port: int, tls: ssl.SSLContext) -> None:
        super().__init__(port)
        self.socket = tls.wrap_socket(self.socket)


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def guarded(certificates: Certificates, port: int) -> Iterator[PrivateServer]:  # noqa: F811
    """A server that asks clients of memcached for an account."""
    with PrivateServer(
        variables={
            "handlersocket_memcached_port": port,
            "handlersocket_authentication_wr": "account",
            **certificates.variables("server"),
        }
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql(TABLE)
        running.sql("CREATE TABLE hs.hidden (k INT PRIMARY KEY, v TEXT) COMMENT 'hs: name=hidden'")
        running.sql("INSERT INTO hs.cache (k, v) VALUES ('a', 'one')")
        running.sql("INSERT INTO hs.hidden VALUES (1, 'one')")
        for user, rights in (("reader", "SELECT"), ("writer", "SELECT, INSERT, UPDATE, DELETE")):
            make_account(running, user, identified_by("se'cret"), [f"{rights} ON hs.cache"])
        yield running


def log_in(client: Raw, user: bytes, password: bytes = b"se'cret") -> int:
    client.send(packet(0x21, b"PLAIN", b"", b"\0" + user + b"\0" + password))
    return answer(client)[0]


@pytest.fixture
def client(guarded: PrivateServer, port: int, certificates: Certificates) -> TlsRaw:  # noqa: F811
    return TlsRaw(port, context(certificates))


def test_before_the_login_nothing_is_told(client: TlsRaw) -> None:
    for line in (b"get x:a", b"stats", b"mg x:a v", b"delete x:a", b"flush_all"):
        assert client.line(line + b"\r\n") == b"CLIENT_ERROR unauthenticated"
    client.ask(b"set x:a 0 0 1\r\n1\r\n", b"CLIENT_ERROR unauthenticated\r\n")
    client.send(packet(0x00, b"x:a"))
    assert answer(client)[0] == 0x20
    client.send(packet(0x20))
    assert answer(client)[2] == b"PLAIN"
    assert client.line(b"version\r\n").startswith(b"VERSION 2.")


def test_a_wrong_password_or_user_is_refused(client: TlsRaw) -> None:
    assert log_in(client, b"reader", b"wrong") == 0x20
    assert log_in(client, b"nobody") == 0x20
    assert log_in(client, b"") == 0x20
    client.send(packet(0x21, b"PLAIN", b"", b"no zeros"))
    assert answer(client)[0] == 0x20
    client.send(packet(0x21, b"SCRAM-SHA-1", b"", b"\0reader\0se'cret"))
    assert answer(client)[0] == 0x20
    client.ask(b"get x:a\r\n", b"CLIENT_ERROR unauthenticated\r\n")


def test_a_password_is_not_taken_in_clear(guarded: PrivateServer, port: int) -> None:
    client = Raw(port)
    client.send(packet(0x21, b"PLAIN", b"", b"\0reader\0se'cret"))
    status, _, body, _ = answer(client)
    assert status != 0
    assert b"TLS" in body
    client.ask(b"get x:a\r\n", b"CLIENT_ERROR unauthenticated\r\n")


def test_an_account_does_what_it_may(guarded: PrivateServer, client: TlsRaw) -> None:
    assert log_in(client, b"reader") == 0
    client.ask(b"get x:a\r\n", b"VALUE x:a 0 3\r\none\r\nEND\r\n")
    for command in (b"set x:a 0 0 1\r\n1", b"append x:a 0 0 1\r\n1", b"delete x:a", b"touch x:a 0", b"ms x:b 1\r\n1"):
        told = client.line(command + b"\r\n")
        assert told == b"SERVER_ERROR the account has no privilege for this", (command, told)
    assert guarded.sql("SELECT k, v FROM hs.cache") == [("a", b"one")]


def test_an_account_that_has_reached_a_limit_is_told_so(guarded: PrivateServer, client: TlsRaw) -> None:
    guarded.sql("CREATE USER few IDENTIFIED BY 'se\\'cret' WITH MAX_QUERIES_PER_HOUR 1")
    guarded.sql("GRANT SELECT ON hs.cache TO few")
    assert log_in(client, b"few") == 0
    client.ask(b"get x:a\r\n", b"VALUE x:a 0 3\r\none\r\nEND\r\n")
    assert client.line(b"get x:a\r\n") == b"SERVER_ERROR the account has reached a limit of its own"


def test_a_table_that_the_account_does_not_see_is_not_there(guarded: PrivateServer, client: TlsRaw) -> None:
    assert log_in(client, b"writer") == 0
    client.ask(b"get hidden:1 x:a nothing:1\r\n", b"VALUE x:a 0 3\r\none\r\nEND\r\n")
    for name in (b"hidden", b"nothing"):
        client.ask(b"delete %s:1\r\n" % name, b"NOT_FOUND\r\n")
        client.ask(b"append %s:1 0 0 1\r\n1\r\n" % name, b"NOT_STORED\r\n")
        assert client.line(b"set %s:1 0 0 1\r\n1\r\n" % name).startswith(b"SERVER_ERROR the key is of no table")
    assert guarded.sql("SELECT * FROM hs.hidden") == [(1, "one")]
    client.ask(b"set x:b 0 0 3\r\ntwo\r\n", b"STORED\r\n")
    client.send(packet(0x01, b"x:b", FLAGS, b"three"))
    assert answer(client)[0] == 0
    client.ask(b"delete x:b\r\n", b"DELETED\r\n")


def test_another_login_is_another_account(client: TlsRaw) -> None:
    assert log_in(client, b"writer") == 0
    client.ask(b"touch x:a 0\r\n", b"TOUCHED\r\n")
    assert log_in(client, b"reader") == 0
    assert client.line(b"touch x:a 0\r\n") == b"SERVER_ERROR the account has no privilege for this"
    assert log_in(client, b"reader", b"wrong") == 0x20
    client.ask(b"get x:a\r\n", b"CLIENT_ERROR unauthenticated\r\n")
