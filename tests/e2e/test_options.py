"""Start options: shared secrets and the character set of values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from hs_client import Client
from private_server import PrivateServer

TABLE = "CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, KEY v (v))"


@contextlib.contextmanager
def make(variables: dict[str, object]) -> Iterator[PrivateServer]:
    """A server with these variables and the table."""
    with PrivateServer(variables={"handlersocket_threads": 1, **variables}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql(TABLE)
        yield server


def test_without_the_secret_nothing_is_served_and_it_is_shown_nowhere() -> None:
    with make({"handlersocket_plain_secret": "open sesame"}) as server:
        for port in (server.port, server.port_wr):
            with Client(port) as client:
                assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"3\t1\tunauth"
                assert client.raw(b"1\t=\t1\t1") == b"3\t1\tunauth"
                assert client.raw(b"X") == b"2\t1\tcmd"
                assert client.raw(b"A\t1\topen") == b"3\t1\tunauth"
                assert client.raw(b"A\t2\topen sesame") == b"3\t1\tauthtype"
                assert client.raw(b"A\t1\topen sesame") == b"0\t1"
                client.open("hs.t", ["id"])
                assert client.raw(b"A\t1\twrong") == b"3\t1\tunauth"
                assert client.raw(b"1\t=\t1\t1") == b"3\t1\tunauth"
        shown = server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket_plain_secret%'")
        assert "sesame" not in str(shown) + server.error_log()


def test_each_port_can_have_a_secret_of_its_own_or_none() -> None:
    secrets = {"handlersocket_plain_secret": "", "handlersocket_plain_secret_wr": "w"}
    with make(secrets) as server:
        with Client(server.port) as reader, Client(server.port_wr) as writer:
            reader.open("hs.t", ["id"])
            assert reader.raw(b"A\t1\t") == b"0\t1"
            assert writer.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"3\t1\tunauth"
            assert writer.raw(b"A\t1\tw") == b"0\t1"
            writer.open("hs.t", ["id"])


def test_values_are_utf8_or_on_demand_the_columns_own_bytes() -> None:
    for character_set, sent in (("utf8mb4", "ä".encode()), ("binary", b"\xe4")):
        with make({"handlersocket_character_set": character_set}) as server:
            with Client(server.port_wr) as client:
                client.open("hs.t", ["id", "v"])
                client.open("hs.t", ["v"], index="v", id=2)
                assert client.request(1, "+", 2, 1, sent) == b"0\t1"
                assert server.sql("SELECT v, HEX(v) FROM hs.t") == [("ä", "E4")]
                assert client.find("=", [sent], id=2) == [(sent,)]
