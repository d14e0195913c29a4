"""Clients of Redis that send much, in pieces, or what is no command: the server stays as it is."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from private_server import PrivateServer
from resp_client import Resp, RespError, message


@pytest.fixture
def port(server: PrivateServer, database: str, resp_port: int) -> Iterator[int]:
    """The port, and a table."""
    server.sql(
        "CREATE TABLE hs.kv (k VARBINARY(64) PRIMARY KEY, v LONGBLOB) COMMENT 'hs: name=kv'"
    )
    yield resp_port


def send_in_pieces(client: Resp, sent: bytes, replies_before: int) -> None:
    """A first piece, the answers to it, and then the rest."""
    cut = sent.index(b"EXEC") - 10
    client.socket.sendall(sent[:cut])
    for _ in range(replies_before):
        client.read()
    client.socket.sendall(sent[cut:])


def test_a_long_transaction_may_come_in_pieces(server: PrivateServer, port: int) -> None:
    sets = [message("SET", f"kv:{i}", str(i)) for i in range(5000)]
    sent = message("MULTI") + b"".join(sets) + message("EXEC")
    with Resp(port) as client:
        send_in_pieces(client, sent, len(sets))
        assert client.read() == "QUEUED"
        assert client.read() == ["OK"] * len(sets)
    assert server.sql("SELECT COUNT(*) FROM hs.kv") == [(len(sets),)]


def test_a_transaction_may_have_long_values(server: PrivateServer, port: int) -> None:
    value = "x" * 1_000_000
    with Resp(port) as client:
        assert client("MULTI") == "OK"
        for i in range(3):
            assert client("SET", f"kv:{i}", value) == "QUEUED"
        assert client("EXEC") == ["OK"] * 3
    assert server.sql("SELECT COUNT(*) FROM hs.kv WHERE LENGTH(v) = 1000000") == [(3,)]


def test_a_transaction_of_too_many_commands_does_nothing(server: PrivateServer, port: int) -> None:
    count = 10_001
    sets = b"".join(message("SET", f"kv:{i}", "1") for i in range(count))
    with Resp(port) as client:
        client.socket.sendall(message("MULTI") + sets + message("EXEC"))
        replies = [client.read() for _ in range(count + 2)]
        assert replies[:-2] == ["OK"] + ["QUEUED"] * 10_000
        assert "more than 10000 commands" in str(replies[-2])
        assert str(replies[-1]).startswith("EXECABORT")
        assert client("PING") == "PONG"
    assert server.sql("SELECT COUNT(*) FROM hs.kv") == [(0,)]


def test_the_first_command_may_be_long(port: int) -> None:
    with Resp(port) as client:
        assert client("SET", "kv:a", "x" * 1_000_000) == "OK"


def test_each_message_without_a_login_has_its_answer(server: PrivateServer, port: int) -> None:
    server.sql("SET GLOBAL handlersocket_authentication_wr = account")
    try:
        with Resp(port) as client:
            replies = client.pipeline([("MULTI",), ("SET", "kv:a", "1"), ("EXEC",), ("GET", "kv:a")])
            assert replies == [RespError("NOAUTH Authentication required.")] * 4
    finally:
        server.sql("SET GLOBAL handlersocket_authentication_wr = DEFAULT")


def test_what_is_too_long_for_a_small_bound_ends_the_connection(
    server: PrivateServer, port: int
) -> None:
    server.sql("SET GLOBAL handlersocket_max_request_size = 1024")
    try:
        with Resp(port) as client:
            assert client("SET", "kv:a", "1") == "OK"
            for sent in (b"x" * 2000, b"x" * 2000 + b"\r\n", message("SET", "kv:a", "x" * 2000)):
                with Resp(port) as other:
                    other.socket.sendall(sent)
                    bound = server.sql("SELECT @@handlersocket_max_request_size")
                    assert "longer than" in str(other.read()), bound
                    assert other.ended()
            assert client("GET", "kv:a") == b"1"
    finally:
        server.sql("SET GLOBAL handlersocket_max_request_size = DEFAULT")


def test_fields_are_bounded(server: PrivateServer, port: int) -> None:
    columns = ", ".join(f"c{i} INT" for i in range(500))
    server.sql(f"CREATE TABLE hs.wide (k INT PRIMARY KEY, {columns}) COMMENT 'hs: name=wide'")
    with Resp(port) as client:
        assert client("HSET", "wide:1", "c1", "5") == 1
        assert client("HMGET", "wide:1", *["c1", "c2"] * 2000) == [b"5", None] * 2000
        many = RespError("ERR more than 4096 fields in one command")
        assert client("HMGET", "wide:1", *["c1"] * 4097) == many
        assert client("HDEL", "wide:1", *["c1"] * 4097) == many
        assert client("HSET", "wide:1", *["c1", "6"] * 4097) == many
        assert client("HGET", "wide:1", "c1") == b"5"


def test_a_command_that_fails_in_a_transaction_fails_alone(port: int) -> None:
    commands = [("MULTI",), ("INCRBY", "kv:a", "x"), ("SET", "kv:a", "1"), ("INCR", "kv:none", "x")]
    with Resp(port) as client:
        in_one = client.pipeline([*commands[:3], ("EXEC",)])
        one_by_one = [client(*command) for command in [*commands[:3], ("EXEC",)]]
        refused = RespError("ERR value is not an integer or out of range")
        assert in_one == one_by_one == ["OK", "QUEUED", "QUEUED", [refused, "OK"]]
        in_one = client.pipeline([*commands, ("EXEC",)])
        one_by_one = [client(*command) for command in [*commands, ("EXEC",)]]
        wrong = RespError("ERR wrong number of arguments for 'incr' command")
        aborted = RespError("EXECABORT Transaction discarded because of previous errors.")
        assert in_one == one_by_one == ["OK", "QUEUED", "QUEUED", wrong, aborted]


def test_a_session_that_may_take_no_more_memory_says_so(server: PrivateServer, database: str, resp_port: int) -> None:
    """The server ends what takes too much memory: here the opening of a table with many expressions."""
    columns = ", ".join(f"c{number} INT DEFAULT (1 + {number})" for number in range(400))
    server.sql(f"CREATE TABLE hs.kv (k INT PRIMARY KEY, v INT, {columns}) COMMENT 'hs: name=kv value=v'")
    server.sql("INSERT INTO hs.kv (k, v) VALUES (1, 7)")
    told = set()
    with Resp(resp_port) as client, server.connect() as connection, connection.cursor() as sql:
        assert client("GET", "kv:1") == b"7"
        # (With less the server dies of each new session, also of SQL's.)
        for most in range(40_000, 80_000, 1_000):
            why = f"ERR SQL error 1290: The MariaDB server is running with the --max-session-mem-used={most} option"
            sql.execute("FLUSH TABLES hs.kv")
            sql.execute(f"SET GLOBAL max_session_mem_used = {most}")
            try:
                replies = [client("GET", "kv:1"), client("MGET", "kv:1", "kv:1")]
            finally:
                sql.execute("SET GLOBAL max_session_mem_used = DEFAULT")
            told |= {"denied" if str(reply).startswith(why) else str(reply) for reply in replies}
            # A session takes the settings anew once a second.
            until = time.monotonic() + 60
            while client("GET", "kv:1") != b"7":
                assert time.monotonic() < until
    assert told == {"denied", "b'7'", "[b'7', b'7']"}
