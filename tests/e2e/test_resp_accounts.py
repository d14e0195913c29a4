"""Accounts of the server for clients of Redis: whom they see and end, and what they may do with columns."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import pytest
from hs_client import Client
from private_server import PrivateServer, free_port
from resp_client import Resp, RespError, lines_of
from test_tls import Certificates, certificates, context  # noqa: F401


class TlsResp(Resp):
    """A connection under TLS, logged in to an account."""

    def __init__(self, port: int, tls: ssl.SSLContext, user: str) -> None:
        super().__init__(port)
        self.file.close()
        self.socket = tls.wrap_socket(self.socket)
        self.file = self.socket.makefile("rb")
        assert self("AUTH", user, "secret") == "OK"


@pytest.fixture(scope="module")
def guarded(certificates: Certificates) -> Iterator[PrivateServer]:  # noqa: F811
    """A server that asks clients of Redis for an account."""
    with PrivateServer(
        variables={
            "handlersocket_resp_port": free_port(),
            "handlersocket_authentication_wr": "account",
            "ssl_ca": certificates.path("ca"),
            "ssl_cert": certificates.path("server"),
            "ssl_key": certificates.path("server-key"),
        }
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql(
            "CREATE TABLE hs.person (id INT PRIMARY KEY, name VARCHAR(20), pay INT, note VARCHAR(20))"
            " COMMENT 'hs: name=person value=name'"
        )
        for user in ("ada", "bob", "sees", "ends"):
            running.sql(f"CREATE USER {user} IDENTIFIED BY 'secret'")
        running.sql("GRANT PROCESS ON *.* TO sees")
        running.sql("GRANT PROCESS, CONNECTION ADMIN ON *.* TO ends")
        yield running


def test_connections_of_others_are_seen_and_ended_by_their_privileges(
    guarded: PrivateServer, certificates: Certificates  # noqa: F811
) -> None:
    port, tls = int(guarded.sql("SELECT @@handlersocket_resp_port")[0][0]), context(certificates)
    with TlsResp(port, tls, "ada") as ada, TlsResp(port, tls, "ada") as second, TlsResp(port, tls, "bob") as bob:
        assert ada("ACL", "WHOAMI") == b"ada"
        mine = {int(one["id"]) for one in lines_of(ada("CLIENT", "LIST"))}
        assert mine == {ada("CLIENT", "ID"), second("CLIENT", "ID")}
        assert ada("CLIENT", "KILL", "ID", bob("CLIENT", "ID")) == 0
        assert ada("CLIENT", "KILL", "USER", "bob") == 0
        assert bob("PING") == "PONG"
        with TlsResp(port, tls, "sees") as sees:
            users = {one["user"] for one in lines_of(sees("CLIENT", "LIST"))}
            assert users == {"ada", "bob", "sees"}
            assert str(sees("CLIENT", "KILL", "ID", bob("CLIENT", "ID"))).startswith("NOPERM ")
            assert str(sees("CLIENT", "KILL", "TYPE", "normal")).startswith("NOPERM ")
            assert bob("PING") == "PONG"
        with TlsResp(port, tls, "ends") as ends:
            assert ends("CLIENT", "KILL", "USER", "bob") == 1
        assert bob.ended()
        assert ada("CLIENT", "KILL", "TYPE", "normal") == 1
        assert second.ended()
        assert ada("PING") == "PONG"


def test_a_connection_is_one_line_whatever_it_calls_itself(
    guarded: PrivateServer, certificates: Certificates  # noqa: F811
) -> None:
    port, tls = int(guarded.sql("SELECT @@handlersocket_resp_port")[0][0]), context(certificates)
    with TlsResp(port, tls, "ada") as ada, Client(guarded.port_wr) as line, TlsResp(port, tls, "sees") as sees:
        line.request("H", "2", "a client 1.0")
        names = {one["name"] for one in lines_of(sees("CLIENT", "LIST"))}
        assert names == {"", "a_client_1.0"}
        assert isinstance(ada("HELLO", "3", "AUTH", "ada", "secret", "SETNAME", "mine"), dict)
        assert "mine" in {one["name"] for one in lines_of(sees("CLIENT", "LIST"))}


def test_a_broken_table_is_told_of_to_those_who_see_it(
    guarded: PrivateServer, certificates: Certificates  # noqa: F811
) -> None:
    port, tls = int(guarded.sql("SELECT @@handlersocket_resp_port")[0][0]), context(certificates)
    guarded.sql("REPLACE INTO hs.person VALUES (1, 'ann', 10, '')")
    guarded.sql("CREATE TABLE hs.broken (k INT PRIMARY KEY, v INT) COMMENT 'hs: name=broken'")
    guarded.sql("ALTER TABLE hs.broken DISCARD TABLESPACE")
    guarded.sql("CREATE USER carol IDENTIFIED BY 'secret'")
    guarded.sql("GRANT SELECT ON hs.person TO carol")
    with TlsResp(port, tls, "carol") as carol:
        assert carol("SCAN", "0") == [b"0", [b"person:1"]]
        assert carol("DBSIZE") == 1
    guarded.sql("GRANT SELECT ON hs.broken TO carol")
    with TlsResp(port, tls, "carol") as carol:
        for command in (("SCAN", "0"), ("DBSIZE",), ("INFO", "keyspace")):
            assert str(carol(*command)).endswith(" (the table is hs.broken)")
        assert carol("MGET", "person:1") == [b"ann"]
    guarded.sql("DROP TABLE hs.broken")
    guarded.sql("DROP USER carol")


def test_a_reset_logs_out(guarded: PrivateServer, certificates: Certificates) -> None:  # noqa: F811
    port, tls = int(guarded.sql("SELECT @@handlersocket_resp_port")[0][0]), context(certificates)
    guarded.sql("REPLACE INTO hs.person VALUES (1, 'ann', 10, '')")
    guarded.sql("GRANT SELECT, UPDATE ON hs.person TO ada")
    out = RespError("NOAUTH Authentication required.")
    with TlsResp(port, tls, "ada") as ada:
        assert ada.pipeline([("GET", "person:1"), ("RESET",), ("GET", "person:1"), ("ACL", "WHOAMI")]) == [b"ann", "RESET", out, out]
        assert ada.pipeline([("AUTH", "bob", "secret"), ("ACL", "WHOAMI"), ("GET", "person:1")]) == ["OK", b"bob", None]
        for command in (("RESET",), ("AUTH", "ada", "secret"), ("WATCH", "person:1"), ("MULTI",)):
            assert not isinstance(ada(*command), RespError)
        told = ada.pipeline([("SET", "person:1", "new", "XX"), ("RESET",), ("EXEC",), ("AUTH", "ada", "secret"), ("EXEC",)])
        assert told == ["QUEUED", "RESET", out, "OK", RespError("ERR EXEC without MULTI")]
        assert ada("GET", "person:1") == b"ann"
    guarded.sql("REVOKE ALL ON hs.person FROM ada")


def test_keys_of_one_table_in_a_command_count_once_for_the_limits_of_an_hour(
    guarded: PrivateServer, certificates: Certificates  # noqa: F811
) -> None:
    port, tls = int(guarded.sql("SELECT @@handlersocket_resp_port")[0][0]), context(certificates)
    guarded.sql("REPLACE INTO hs.person VALUES (1, 'ann', 10, ''), (2, 'bea', 20, '')")
    guarded.sql("CREATE USER few IDENTIFIED BY 'secret' WITH MAX_QUERIES_PER_HOUR 3")
    guarded.sql("GRANT SELECT ON hs.person TO few")
    with TlsResp(port, tls, "few") as few:
        for _ in range(3):
            assert few("MGET", "person:1", "person:3", "person:2", "none:1") == [b"ann", None, b"bea", None]
        beyond = RespError("NOPERM the account has reached a limit of its own (SQL error 1226)")
        assert few("MGET", "person:1", "person:2") == beyond
        for command in ("DBSIZE", "SCAN 0"):  # no empty answer, as where there is no privilege
            assert str(few(*command.split())).startswith(str(beyond)), command


GRANTS = {
    "SELECT (id, name)": {
        "GET person:1": b"ann", "HGET person:1 name": b"ann", "HMGET person:1 id name": [b"1", b"ann"],
        "EXISTS person:1": 1, "TYPE person:1": "string", "DBSIZE": 1, "SCAN 0": [b"0", [b"person:1"]],
        "HGET person:1 pay": "NOPERM", "HGETALL person:1": "NOPERM", "HLEN person:1": "NOPERM", "WATCH person:1": "NOPERM",
        "SET person:1 x": "NOPERM", "SETNX person:2 x": "NOPERM", "DEL person:1": "NOPERM", "HINCRBY person:1 pay 1": "NOPERM",
    },
    "SELECT (name)": {"GET person:1": "NOPERM", "EXISTS person:1": "NOPERM", "SCAN 0": [b"0", []], "DBSIZE": 0},
    "SELECT (id, pay), UPDATE (pay)": {
        "HINCRBY person:1 pay 1": 1001, "HINCRBY person:2 pay 1": "NOPERM", "GET person:1": "NOPERM",
        "HINCRBY person:1 name 1": "NOPERM", "SET person:1 x XX": "NOPERM",
    },
    "INSERT, SELECT (id)": {
        "SETNX person:1 x": 0, "SETNX person:2 x": 1, "SET person:3 x": "NOPERM", "SET person:1 x XX": "NOPERM",
        "SET person:3 x NX": "OK", "HSET person:1 pay 5": "NOPERM", "DEL person:2": "NOPERM", "GET person:1": "NOPERM",
    },
    "DELETE, SELECT (id)": {"DEL person:1 person:2": 1, "GETDEL person:1": "NOPERM", "SETNX person:1 x": "NOPERM"},
}  # fmt: skip


@pytest.mark.parametrize("grant", sorted(GRANTS))
def test_privileges_on_columns_bound_what_a_command_does(
    guarded: PrivateServer, certificates: Certificates, grant: str  # noqa: F811
) -> None:
    port, tls = int(guarded.sql("SELECT @@handlersocket_resp_port")[0][0]), context(certificates)
    guarded.sql("REPLACE INTO hs.person VALUES (1, 'ann', 1000, 'secret')")
    guarded.sql("DELETE FROM hs.person WHERE id > 1")
    guarded.sql("CREATE USER cleo IDENTIFIED BY 'secret'")
    guarded.sql(f"GRANT {grant} ON hs.person TO cleo")
    try:
        with TlsResp(port, tls, "cleo") as cleo:
            for command, expected in GRANTS[grant].items():
                before = guarded.sql("SELECT * FROM hs.person ORDER BY id")
                told = cleo(*command.split(" "))
                if expected == "NOPERM":
                    assert str(told).startswith("NOPERM "), (command, told)
                    assert guarded.sql("SELECT * FROM hs.person ORDER BY id") == before, command
                else:
                    assert told == expected, command
    finally:
        guarded.sql("DROP USER cleo")
