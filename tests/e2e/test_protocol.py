"""The wire protocol against a real server: framing, escaping, order of replies, errors."""

from __future__ import annotations

import random

import pytest
from hs_client import Client, line, rows
from private_server import PrivateServer


@pytest.fixture
def items(server: PrivateServer, database: str) -> str:
    server.sql(
        "CREATE TABLE hs.items (id INT PRIMARY KEY, a VARBINARY(300), b INT NULL, c VARCHAR(10) NOT NULL"
        " DEFAULT 'c', KEY cc (c), KEY bc (b, c), FULLTEXT KEY words (c)) "
    )
    server.sql("INSERT INTO hs.items VALUES (1, 'one', 1, 'x'), (2, NULL, NULL, ''), (3, '', 3, 'z')")
    return "hs.items"


ERRORS = [
    (b"", b"2\t1\tcmd"),
    (b"X", b"2\t1\tcmd"),
    (b"p\t1", b"2\t1\tcmd"),
    (b"Q", b"2\t1\tcmd"),
    (b"/", b"2\t1\tcmd"),
    (b"-1\t=\t1\t1", b"2\t1\tcmd"),
    (b"9\t=\t1\t1", b"2\t1\tstmtnum"),
    (b"4294967295\t=\t1\t1", b"2\t1\tstmtnum"),
    (b"99999999999999999999\t=\t1\t1", b"2\t1\tnumber"),
    (b"1\t==\t1\t1", b"2\t1\top"),
    (b"1\t\t1\t1", b"2\t1\top"),
    (b"1\t=\t0", b"2\t1\tklen"),
    (b"1\t=", b"2\t1\tklen"),
    (b"1\t=\t2\t1\t1", b"2\t1\tkpnum"),
    (b"1\t>=\t1", b"2\t1\tmissing_value"),
    (b"1\t=\t1\ta\x01", b"2\t1\tescape"),
    (b"1\t=\t1\t1\t-1", b"2\t1\tnumber"),
    (b"1\t=\t1\t1\t4294967296", b"2\t1\tnumber"),
    (b"1\t=\t1\t1\t1\t0\tU\t1\t2\t3\t4", b"2\t1\treadonly"),
    (b"1\t=\t1\t1\t1\t0\tX", b"2\t1\treadonly"),
    (b"1\t+\t1\t1", b"2\t1\treadonly"),
    (b"1\t=\t4294967295\t1", b"2\t1\tfldnum"),
    (b"P\t2\ths\tnone\tPRIMARY\tid", b"1\t1\topen_table"),
    (b"P\t2\tnone\titems\tPRIMARY\tid", b"1\t1\topen_table"),
    (b"P\t2\t\t\t\t", b"1\t1\topen_table"),
    (b"P\t2", b"1\t1\topen_table"),
    (b"P\t2\ths\titems\tprimary\tid", b"2\t1\tidxnum"),
    (b"P\t2\ths\titems\twords\tid", b"2\t1\tidxnum"),
    (b"P\t2\ths\titems\tPRIMARY\tID", b"2\t1\tfld"),
    (b"P\t2\ths\titems\tPRIMARY\tid,", b"2\t1\tfld"),
    (b"P\t2\ths\titems\tPRIMARY\tid\tnope", b"2\t1\tfld"),
    (b"P\t2\t" + b"d" * 1000 + b"\titems\tPRIMARY\tid", b"1\t1\topen_table"),
    (b"P\t2\tmysql\tglobal_priv\tPRIMARY\tHost", b"1\t1\topen_table"),
    (b"P\t2\tmysql\tuser\tPRIMARY\tHost", b"1\t1\topen_table"),
    (b"P\t2\tinformation_schema\tTABLES\tPRIMARY\tTABLE_NAME", b"1\t1\topen_table"),
    (b"P\t2\tperformance_schema\taccounts\tPRIMARY\tUSER", b"1\t1\topen_table"),
    (b"P\t2\t..\t../mysql/user\tPRIMARY\tid", b"1\t1\topen_table"),
]


@pytest.mark.parametrize(("request_line", "reply"), ERRORS)
def test_a_bad_request_gets_its_error_and_the_connection_survives(
    reader: Client, items: str, request_line: bytes, reply: bytes
) -> None:
    reader.open(items, ["id", "a", "b", "c"])
    assert reader.raw(request_line) == reply
    assert reader.raw(b"1\t=\t1\t1") == b"0\t4\t1\tone\t1\tx"


def test_all_errors_pipelined_are_answered_in_order(reader: Client, items: str) -> None:
    reader.open(items, ["id"])
    assert reader.pipeline([request + b"\n" for request, _ in ERRORS]) == [r for _, r in ERRORS]


def test_views_and_sequences_are_refused_and_the_server_lives(
    server: PrivateServer, reader: Client, items: str
) -> None:
    server.sql("CREATE VIEW hs.v AS SELECT * FROM hs.items")
    server.sql("CREATE SEQUENCE hs.s")
    for name in (b"v", b"s"):
        assert reader.raw(b"P\t1\ths\t" + name + b"\tPRIMARY\tid") == b"1\t1\topen_table"
    assert server.sql("SELECT 1") == [(1,)]


def test_null_and_the_empty_string_are_distinct(reader: Client, items: str) -> None:
    reader.open(items, ["a", "b", "c"])
    assert reader.raw(b"1\t=\t1\t2") == b"0\t3\t\0\t\0\t"
    assert reader.raw(b"1\t=\t1\t3") == b"0\t3\t\t3\tz"


def test_every_byte_travels_both_ways_unchanged(
    server: PrivateServer, writer: Client, reader: Client, items: str
) -> None:
    everything = bytes(range(256))
    writer.open(items, ["id", "a"])
    assert writer.request(1, "+", 2, 10, everything) == b"0\t1"
    assert server.sql("SELECT a FROM hs.items WHERE id = 10") == [(everything,)]
    reader.open(items, ["a"])
    assert reader.find("=", [10]) == [(everything,)]
    for byte in range(256):
        assert writer.request(1, "=", 1, 10, 1, 0, "U", 10, bytes([byte])) == b"0\t1\t1"
        # A single NUL byte as a value is sent escaped; alone and raw it means NULL.
        assert reader.find("=", [10]) == [(bytes([byte]),)]


def test_one_carriage_return_before_the_line_feed_is_dropped(reader: Client, items: str) -> None:
    reader.open(items, ["id"], index="cc")
    reader.send(b"1\t=\t1\tx\r\n")
    assert reader.read_line() == b"0\t1\t1"
    reader.send(b"1\t=\t1\tx\r\r\n")
    assert reader.read_line() == b"0\t1"


def test_a_line_sent_byte_by_byte_is_answered_once_it_is_complete(reader: Client, items: str) -> None:
    request = b"P\t1\ths\titems\tPRIMARY\tid\n1\t=\t1\t1\n"
    for i in range(len(request)):
        reader.send(request[i : i + 1])
    assert [reader.read_line(), reader.read_line()] == [b"0\t1", b"0\t1\t1"]


def test_a_hundred_thousand_pipelined_finds_are_answered_in_order(
    server: PrivateServer, reader: Client, database: str
) -> None:
    server.sql("CREATE TABLE hs.many (id INT PRIMARY KEY, v INT NOT NULL)")
    server.sql("INSERT INTO hs.many SELECT seq, seq * 7 FROM seq_1_to_1000", database="hs")
    reader.open("hs.many", ["v"])
    rng = random.Random(7)
    keys = [rng.randint(1, 1100) for _ in range(100_000)]
    requests = [b"1\t=\t1\t%d\n" % key for key in keys]
    received: list[bytes] = []
    step = 5_000
    for i in range(0, len(requests), step):
        received += reader.pipeline(requests[i : i + step])
    assert received == [b"0\t1" + (b"\t%d" % (k * 7) if k <= 1000 else b"") for k in keys]


def test_later_requests_of_a_pipeline_see_the_earlier_ones(writer: Client, items: str) -> None:
    writer.open(items, ["id", "c"])
    replies = writer.pipeline(
        [
            line(1, "+", 2, 20, "first"),
            line(1, "=", 1, 20),
            line(1, "=", 1, 20, 1, 0, "U", 20, "second"),
            line(1, "=", 1, 20),
            line(1, "+", 2, 20, "again"),
            line(1, "=", 1, 20, 1, 0, "D"),
            line(1, "=", 1, 20),
        ]
    )
    assert replies == [
        b"0\t1",
        b"0\t2\t20\tfirst",
        b"0\t1\t1",
        b"0\t2\t20\tsecond",
        b"1\t1\t121",
        b"0\t1\t1",
        b"0\t2",
    ]


def test_reopening_an_id_replaces_it_and_a_failed_reopening_keeps_it(
    reader: Client, items: str
) -> None:
    reader.open(items, ["id"])
    reader.open(items, ["c"])
    assert reader.find("=", [1]) == [(b"x",)]
    assert reader.raw(b"P\t1\ths\tnone\tPRIMARY\tid") == b"1\t1\topen_table"
    assert reader.find("=", [1]) == [(b"x",)]


def test_sparse_and_huge_index_ids_are_cheap(reader: Client, items: str) -> None:
    reader.open(items, ["id"], id=4294967295)
    assert reader.find("=", [1], id=4294967295) == [(b"1",)]
    assert reader.raw(b"P\t4294967296\ths\titems\tPRIMARY\tid") == b"2\t1\tnumber"


def test_index_ids_belong_to_their_connection(
    server: PrivateServer, reader: Client, items: str
) -> None:
    reader.open(items, ["id"])
    with Client(server.port) as other:
        assert other.raw(b"1\t=\t1\t1") == b"2\t1\tstmtnum"


def test_half_closed_connections_get_their_answers(server: PrivateServer, items: str) -> None:
    import socket

    with Client(server.port) as client:
        client.send(b"P\t1\ths\titems\tPRIMARY\tid\n1\t=\t1\t1\n1\t=\t1")
        client.socket.shutdown(socket.SHUT_WR)
        assert [client.read_line(), client.read_line()] == [b"0\t1", b"0\t1\t1"]
        assert client.at_eof()


def test_the_unused_sql_operator_is_answered_with_an_error(writer: Client, items: str) -> None:
    writer.open(items, ["b"])
    assert writer.raw(b"1\tS\t1\tx") == b"2\t1\tnotimpl"
    assert writer.raw(b"1\tS\t0") == b"2\t1\tklen"
    assert rows(writer.raw(b"1\t=\t1\t1")) == [(b"1",)]


METHODS = "GET POST PUT OPTIONS HEAD DELETE CONNECT PATCH TRACE".split()


def from_a_browser(method: str, end: bytes, body: bytes) -> bytes:
    head = [f"{method} / HTTP/1.1".encode(), b"Host: 127.0.0.1", b"Content-Type: text/plain", b""]
    return b"".join(line + end for line in head) + body


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("method", METHODS)
def test_a_browser_can_not_write(
    server: PrivateServer, items: str, method: str, end: bytes
) -> None:
    body = b"P\t1\ths\titems\tPRIMARY\tid\n1\t+\t1\t100\n"
    sent = from_a_browser(method, end, body)
    with Client(server.port_wr) as at_once, Client(server.port_wr) as byte_by_byte:
        at_once.send(sent)
        assert at_once.at_eof()
        for number in range(len(sent)):
            try:
                byte_by_byte.send(sent[number : number + 1])
            except OSError:
                break  # it was closed long ago
        assert byte_by_byte.at_eof()
    assert server.sql("SELECT COUNT(*) FROM hs.items WHERE id = 100") == [(0,)]


def test_a_host_header_ends_any_connection_after_the_replies_before_it(
    server: PrivateServer, items: str
) -> None:
    with Client(server.port_wr) as client:
        client.open("hs.items", ["id"])
        client.send(b"1\t+\t1\t101\nhost: x\n1\t+\t1\t102\n")
        assert client.read_line() == b"0\t1"
        assert client.at_eof()
    assert server.sql("SELECT id FROM hs.items WHERE id > 100") == [(101,)]
    assert int(server.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_connections_foreign'")[0][1]) > 0
    assert "was closed: it speaks HTTP" in server.error_log()
