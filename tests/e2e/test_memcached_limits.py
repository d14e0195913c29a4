"""Clients of memcached at the limits: long keys and values, every byte, much at once, writers that compete, time."""

from __future__ import annotations

import struct
import threading
import time

import pytest
from memcached_client import Raw, answer, cache, packet, port, raw  # noqa: F401
from private_server import PrivateServer

EVERY_BYTE = bytes(range(256))
FLAGS = struct.pack(">II", 0, 0)


def test_a_key_has_at_most_250_bytes(server: PrivateServer, raw: Raw) -> None:
    server.sql(
        "CREATE TABLE hs.long_keys (k VARBINARY(300) PRIMARY KEY, v INT) COMMENT 'hs: name=l value=v'"
    )
    longest = b"l:" + b"k" * 248
    raw.ask(b"set %s 0 0 1\r\n1\r\n" % longest, b"STORED\r\n")
    raw.ask(b"mg %s v\r\n" % longest, b"VA 1\r\n1\r\n")
    raw.send(packet(0x00, longest))
    assert answer(raw)[0] == 0
    assert raw.line(b"get %sk\r\n" % longest).startswith(b"CLIENT_ERROR")
    assert raw.line(b"set %sk 0 0 1\r\n1\r\n" % longest).startswith(b"CLIENT_ERROR")
    assert raw.line(b"mg %sk v\r\n" % longest).startswith(b"CLIENT_ERROR")
    raw.send(packet(0x00, longest + b"k"))
    assert answer(raw)[0] == 4
    assert server.sql("SELECT LENGTH(k) FROM hs.long_keys") == [(248,)]


def test_numbers_that_are_too_large_are_refused_and_change_nothing(server: PrivateServer, cache: Raw) -> None:
    for line in (
        b"set x:a 4294967296 0 1\r\n1", b"set x:a -1 0 1\r\n1", b"set x:a 0 9223372036854775808 1\r\n1",
        b"set x:a 0 0 4294967296", b"set x:a 0 0 -1", b"set x:a 0 0 18446744073709551617",
        b"cas x:a 0 0 1 18446744073709551616\r\n1", b"incr x:a 18446744073709551616", b"incr x:a -1",
        b"touch x:a 9223372036854775808", b"ma x:a N99999999999999999999", b"ma x:a D18446744073709551616",
        b"mg x:a T9223372036854775808", b"md x:a C18446744073709551616",
    ):  # fmt: skip
        assert cache.line(line + b"\r\n").startswith((b"CLIENT_ERROR", b"ERROR")), line
    assert server.sql("SELECT * FROM hs.cache") == []
    cache.ask(b"version\r\n", cache.line(b"version\r\n") + b"\r\n")


@pytest.mark.parametrize("exptime", (2**31 - 1, 2**31, 2**32, 253402300800, 2**62, 2**63 - 1, -(2**63)))
@pytest.mark.parametrize("column", ("INT", "BIGINT UNSIGNED", "DATETIME", "TIMESTAMP"))
def test_a_time_is_kept_or_refused(server: PrivateServer, raw: Raw, column: str, exptime: int) -> None:
    server.sql(f"CREATE TABLE hs.t (k INT PRIMARY KEY, v TEXT, e {column} NULL) COMMENT 'hs: name=t ttl=e'")
    told = raw.line(b"set t:1 0 %d 1\r\n1\r\n" % exptime)
    rows = server.sql("SELECT CAST(e AS CHAR) FROM hs.t")
    if exptime < 0:
        assert told == b"STORED"
        raw.ask(b"get t:1\r\n", b"END\r\n")
    elif told == b"STORED":
        moment = "e" if "INT" in column else "TIMESTAMPDIFF(SECOND, '1970-01-01', e)"
        kept = server.sql(f"SELECT CAST({moment} AS SIGNED) FROM hs.t")[0][0]
        zones = 0 if "INT" in column else 86400
        assert abs(kept - exptime) <= zones
    else:
        assert told.startswith(b"SERVER_ERROR")
        assert rows == []


def test_every_byte_is_a_value_and_in_binary_a_key(server: PrivateServer, raw: Raw) -> None:
    server.sql("CREATE TABLE hs.bytes (k VARBINARY(300) PRIMARY KEY, v BLOB) COMMENT 'hs: name=b value=v'")
    raw.ask(b"set b:1 0 0 256\r\n" + EVERY_BYTE + b"\r\n", b"STORED\r\n")
    raw.ask(b"get b:1\r\n", b"VALUE b:1 0 256\r\n" + EVERY_BYTE + b"\r\nEND\r\n")
    raw.ask(b"append b:1 0 0 256\r\n" + EVERY_BYTE + b"\r\n", b"STORED\r\n")
    assert server.sql("SELECT v FROM hs.bytes") == [(EVERY_BYTE * 2,)]
    for byte in EVERY_BYTE:
        key = b"b:" + bytes([byte, byte])
        raw.send(packet(0x01, key, FLAGS, bytes([byte])))
        assert answer(raw)[0] == 0
        raw.send(packet(0x0C, key))
        assert answer(raw)[2] == bytes(4) + key + bytes([byte])
    assert server.sql("SELECT COUNT(*) FROM hs.bytes WHERE LENGTH(k) = 2 AND LEFT(k, 1) = v") == [(256,)]


def test_a_large_value_is_stored_whole_or_not_at_all(server: PrivateServer, raw: Raw) -> None:
    server.sql("CREATE TABLE hs.large (k INT PRIMARY KEY, v LONGBLOB) COMMENT 'hs: name=l value=v'")
    raw.ask(b"get l:1\r\n", b"END\r\n")
    large = EVERY_BYTE * 20000
    raw.ask(b"set l:1 0 0 %d\r\n%s\r\n" % (len(large), large), b"STORED\r\n")
    raw.ask(b"get l:1\r\n", b"VALUE l:1 0 %d\r\n%s\r\nEND\r\n" % (len(large), large))
    raw.send(packet(0x01, b"l:2", FLAGS, large))
    assert answer(raw)[0] == 0
    assert server.sql("SELECT k, LENGTH(v) FROM hs.large") == [(1, len(large)), (2, len(large))]
    server.sql("SET GLOBAL handlersocket_max_request_size = 1000000")
    try:
        told = b"SERVER_ERROR object too large for cache\r\n"
        raw.ask(b"set l:1 0 0 %d\r\n" % len(large), told)
        assert raw.socket.recv(1) == b""
    finally:
        server.sql("SET GLOBAL handlersocket_max_request_size = DEFAULT")
    assert server.sql("SELECT LENGTH(v) FROM hs.large WHERE k = 1") == [(len(large),)]


def test_ten_thousand_commands_on_the_way_are_answered_in_turn(server: PrivateServer, cache: Raw) -> None:
    cache.send(b"".join(b"set x:%d 0 0 %d noreply\r\n%d\r\n" % (i, len(str(i)), i) for i in range(10000)))
    cache.ask(b"mn\r\n", b"MN\r\n")
    assert server.sql("SELECT COUNT(*), SUM(k = v) FROM hs.cache") == [(10000, 10000)]
    expected = b"".join(b"VALUE x:%d 0 %d\r\n%d\r\nEND\r\n" % (i, len(str(i)), i) for i in range(10000))
    sender = threading.Thread(target=cache.send, args=(b"".join(b"get x:%d\r\n" % i for i in range(10000)),))
    sender.start()
    assert cache.read(len(expected)) == expected
    sender.join()


def test_a_get_has_a_thousand_keys(cache: Raw) -> None:
    for i in range(0, 1000, 2):
        cache.send(b"set x:%d 0 0 1 noreply\r\n1\r\n" % i)
    found = b"".join(b"VALUE x:%d 0 1\r\n1\r\n" % i for i in range(0, 1000, 2))
    cache.ask(b"get " + b" ".join(b"x:%d" % i for i in range(1000)) + b"\r\n", found + b"END\r\n")


def test_nothing_is_lost_when_writers_compare_and_set(server: PrivateServer, cache: Raw, port: int) -> None:
    cache.ask(b"set x:n 0 0 1\r\n0\r\n", b"STORED\r\n")
    cache.ask(b"set x:m 0 0 1\r\n0\r\n", b"STORED\r\n")
    failures: list[bytes] = []

    def count(times: int) -> None:
        client = Raw(port)
        while times > 0:
            first = client.line(b"gets x:n\r\n").split(b" ")
            number = int(client.read(int(first[3]) + 7).split(b"\r\n")[0]) + 1
            told = client.line(
                b"cas x:n 0 0 %d %s\r\n%d\r\n" % (len(str(number)), first[4], number)
            )
            times -= told == b"STORED"
            if told not in (b"STORED", b"EXISTS"):
                failures.append(told)
                return
        for _ in range(50):
            told = client.line(b"incr x:m 1\r\n")
            if not told.isdigit():
                failures.append(told)

    threads = [threading.Thread(target=count, args=(25,)) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert failures == []
    assert dict(server.sql("SELECT k, v FROM hs.cache")) == {"n": b"150", "m": b"300"}


def test_a_count_without_a_row_is_made_once_by_many_clients(server: PrivateServer, cache: Raw, port: int) -> None:
    told: list[bytes] = []

    def count() -> None:
        client = Raw(port)
        for i in range(40):
            told.append(client.line(b"ma x:c%d N0 J1\r\n" % i))

    threads = [threading.Thread(target=count) for _ in range(5)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert set(told) == {b"HD"}
    assert server.sql("SELECT COUNT(*), SUM(v) FROM hs.cache") == [(40, 200)]


def test_a_row_is_gone_when_its_time_is_over(server: PrivateServer, cache: Raw) -> None:
    cache.ask(b"set x:a 0 1 1\r\n1\r\n", b"STORED\r\n")
    cache.ask(b"set x:b 0 1000 1\r\n1\r\n", b"STORED\r\n")
    deadline = time.monotonic() + 60
    while cache.line(b"mg x:a\r\n") == b"HD":
        assert time.monotonic() < deadline
    cache.ask(b"incr x:a 1\r\n", b"NOT_FOUND\r\n")
    cache.ask(b"replace x:a 0 0 1\r\n1\r\n", b"NOT_STORED\r\n")
    cache.ask(b"add x:a 0 0 1\r\n2\r\n", b"STORED\r\n")
    cache.ask(b"mg x:a t v\r\n", b"VA 1 t-1\r\n2\r\n")
    left = cache.line(b"me x:b\r\n").split(b" ")[2]
    assert 900 <= int(left.removeprefix(b"exp=")) <= 1000


def test_a_number_that_its_text_does_not_have_whole_is_not_counted(server: PrivateServer, raw: Raw) -> None:
    server.sql("CREATE TABLE hs.f (k INT PRIMARY KEY, v FLOAT) COMMENT 'hs: name=f'")
    raw.ask(b"set f:1 0 0 8\r\n16777216\r\n", b"STORED\r\n")
    assert raw.line(b"incr f:1 1\r\n").startswith(b"CLIENT_ERROR cannot increment")
    server.sql("CREATE TABLE hs.u (k INT PRIMARY KEY, v BIGINT UNSIGNED) COMMENT 'hs: name=u'")
    raw.ask(b"set u:1 0 0 20\r\n18446744073709551614\r\n", b"STORED\r\n")
    raw.ask(b"incr u:1 1\r\n", b"18446744073709551615\r\n")
    raw.ask(b"incr u:1 1\r\n", b"0\r\n")


def test_stats_tell_what_is_true(server: PrivateServer, raw: Raw) -> None:
    raw.send(b"stats\r\n")
    told = b""
    while not told.endswith(b"END\r\n"):
        told += raw.socket.recv(1 << 16)
    stats = dict(line.split(b" ")[1:] for line in told.split(b"\r\n")[:-2])
    pid = (server.data_directory / server.sql("SELECT @@pid_file")[0][0]).read_text().strip()
    assert stats[b"pid"] == pid.encode()
    assert abs(int(stats[b"time"]) - time.time()) < 60


def test_a_get_of_many_tables_with_a_broken_one_is_one_answer(server: PrivateServer, raw: Raw) -> None:
    tables = [f"t{i}" for i in range(20)]
    for name in tables:
        server.sql(f"CREATE TABLE hs.{name} (k INT PRIMARY KEY, v INT) COMMENT 'hs: name={name}'")
        raw.ask(b"set %s:1 0 0 1\r\n1\r\n" % name.encode(), b"STORED\r\n")
    keys = b" ".join(b"%s:%d" % (name.encode(), i) for i in range(200) for name in tables)
    whole = b"".join(b"VALUE %s:1 0 1\r\n1\r\n" % name.encode() for name in tables) + b"END\r\n"
    raw.ask(b"get %s\r\n" % keys, whole)
    server.sql("ALTER TABLE hs.t7 COMMENT 'hs: name=t7 value=nothing'")
    told = raw.line(b"get %s\r\n" % keys)
    assert told.startswith(b"SERVER_ERROR the table's comment: "), told
    raw.ask(b"mn\r\n", b"MN\r\n")  # and nothing behind it
    raw.ask(b"get t1:1 t2:1\r\n", b"VALUE t1:1 0 1\r\n1\r\nVALUE t2:1 0 1\r\n1\r\nEND\r\n")
    server.sql("DROP TABLE hs.t7")
    raw.ask(b"get %s\r\n" % keys, whole.replace(b"VALUE t7:1 0 1\r\n1\r\n", b""))
    server.sql("CREATE TABLE hs.t7 (k INT PRIMARY KEY, v INT) COMMENT 'hs: name=t7'")
    server.sql("INSERT INTO hs.t7 VALUES (1, 1)")
    raw.ask(b"get %s\r\n" % keys, whole)
