"""Clients of memcached on the rows of tables: what they store is what SQL sees, and the other way round."""

from __future__ import annotations

import base64
import shutil
import struct
import subprocess
import time

import pytest
from memcached_client import Raw, answer, cache, drop_containers, make_containers, packet, port, raw  # noqa: F401
from private_server import PrivateServer
from pymemcache.client.base import Client
from pymemcache.exceptions import MemcacheServerError

def test_every_classic_command_does_what_it_does_in_memcached(server: PrivateServer, cache: Raw) -> None:
    cache.ask(b"get x:a\r\n", b"END\r\n")
    cache.ask(b"set x:a 5 0 3\r\nabc\r\n", b"STORED\r\n")
    cache.ask(b"get x:a x:b\r\n", b"VALUE x:a 5 3\r\nabc\r\nEND\r\n")
    assert server.sql("SELECT k, v, f, e FROM hs.cache") == [("a", b"abc", 5, None)]
    cache.ask(b"add x:a 0 0 1\r\nz\r\n", b"NOT_STORED\r\n")
    cache.ask(b"add x:b 0 0 1\r\nz\r\n", b"STORED\r\n")
    cache.ask(b"replace x:b 1 0 2\r\nzz\r\n", b"STORED\r\n")
    cache.ask(b"replace x:c 1 0 2\r\nzz\r\n", b"NOT_STORED\r\n")
    cache.ask(b"append x:b 9 9 2\r\n++\r\n", b"STORED\r\n")
    cache.ask(b"prepend x:b 9 9 2\r\n--\r\n", b"STORED\r\n")
    cache.ask(b"append x:c 9 9 2\r\n++\r\n", b"NOT_STORED\r\n")
    cache.ask(b"get x:b\r\n", b"VALUE x:b 1 6\r\n--zz++\r\nEND\r\n")
    cache.ask(b"incr x:b 1\r\n", b"CLIENT_ERROR cannot increment or decrement non-numeric value\r\n")
    cache.ask(b"set x:n 0 0 2\r\n10\r\n", b"STORED\r\n")
    cache.ask(b"incr x:n 5\r\n", b"15\r\n")
    cache.ask(b"decr x:n 99\r\n", b"0\r\n")
    cache.ask(b"decr x:n x\r\n", b"CLIENT_ERROR invalid numeric delta argument\r\n")
    cache.ask(b"set x:n 0 0 20\r\n18446744073709551615\r\n", b"STORED\r\n")
    cache.ask(b"incr x:n 2\r\n", b"1\r\n")
    cache.ask(b"incr x:none 2\r\n", b"NOT_FOUND\r\n")
    cache.ask(b"delete x:n\r\n", b"DELETED\r\n")
    cache.ask(b"delete x:n\r\n", b"NOT_FOUND\r\n")
    cache.ask(b"set x:q 0 0 1 noreply\r\n1\r\nget x:q\r\n", b"VALUE x:q 0 1\r\n1\r\nEND\r\n")
    cache.ask(b"verbosity 1\r\n", b"OK\r\n")
    cache.ask(b"nothing\r\n", b"ERROR\r\n")
    assert cache.line(b"flush_all\r\n").startswith(b"SERVER_ERROR flush_all is not served")
    assert cache.line(b"version\r\n").startswith(b"VERSION 2.")
    cache.send(b"quit\r\n")
    assert cache.socket.recv(1) == b""


def test_a_version_that_has_changed_is_not_overwritten(server: PrivateServer, cache: Raw) -> None:
    cache.ask(b"set x:a 0 0 1\r\n1\r\n", b"STORED\r\n")
    version = server.sql("SELECT c FROM hs.cache")[0][0]
    assert version > 1 << 40
    cache.ask(b"gets x:a\r\n", b"VALUE x:a 0 1 %d\r\n1\r\nEND\r\n" % version)
    cache.ask(b"cas x:a 0 0 1 %d\r\n2\r\n" % (version + 1), b"EXISTS\r\n")
    cache.ask(b"cas x:a 0 0 1 %d\r\n2\r\n" % version, b"STORED\r\n")
    cache.ask(b"cas x:a 0 0 1 %d\r\n3\r\n" % version, b"EXISTS\r\n")
    cache.ask(b"cas x:b 0 0 1 %d\r\n3\r\n" % version, b"NOT_FOUND\r\n")
    assert server.sql("SELECT v FROM hs.cache") == [(b"2",)]


def test_a_count_tells_what_the_column_has_then(server: PrivateServer, cache: Raw) -> None:
    server.sql("CREATE TRIGGER hs.most BEFORE UPDATE ON hs.cache FOR EACH ROW SET NEW.v = LEAST(NEW.v + 0, 10)")
    cache.ask(b"set x:n 0 0 1\r\n7\r\n", b"STORED\r\n")
    cache.ask(b"incr x:n 2\r\n", b"9\r\n")
    cache.ask(b"incr x:n 2\r\n", b"10\r\n")
    cache.ask(b"ma x:n v\r\n", b"VA 2\r\n10\r\n")
    cache.ask(b"ms x:n 1 MA s\r\n0\r\n", b"HD s2\r\n")
    assert server.sql("SELECT v FROM hs.cache WHERE k = 'n'") == [(b"10",)]


def test_times_are_those_of_memcached(server: PrivateServer, cache: Raw) -> None:
    now = int(time.time())
    cache.ask(b"set x:r 0 100 1\r\n1\r\n", b"STORED\r\n")
    cache.ask(b"set x:a 0 %d 1\r\n1\r\n" % (now + 5000000), b"STORED\r\n")
    cache.ask(b"set x:m 0 -1 1\r\n1\r\n", b"STORED\r\n")
    cache.ask(b"get x:m\r\n", b"END\r\n")
    cache.ask(b"add x:m 0 0 1\r\n2\r\n", b"STORED\r\n")
    found = dict(server.sql("SELECT k, e FROM hs.cache"))
    assert 95 <= found["r"] - now <= 160
    assert found["a"] == now + 5000000
    assert found["m"] is None
    cache.ask(b"touch x:r 0\r\n", b"TOUCHED\r\n")
    cache.ask(b"touch x:none 0\r\n", b"NOT_FOUND\r\n")
    assert server.sql("SELECT e FROM hs.cache WHERE k = 'r'") == [(None,)]
    cache.ask(b"gat 1000 x:r x:none\r\n", b"VALUE x:r 0 1\r\n1\r\nEND\r\n")
    assert server.sql("SELECT e > UNIX_TIMESTAMP() + 900 FROM hs.cache WHERE k = 'r'") == [(1,)]


def test_what_is_touched_so_that_it_expires_is_told_once_more(server: PrivateServer, cache: Raw) -> None:
    for request, reply in (
        (b"gat -1 x:k x:none\r\n", b"VALUE x:k 5 1\r\nv\r\nEND\r\n"),
        (b"gat 2592001 x:k\r\n", b"VALUE x:k 5 1\r\nv\r\nEND\r\n"),
        (b"mg x:k v t T-1\r\n", b"VA 1 t-1\r\nv\r\n"),
        (b"mg x:k T-1\r\n", b"HD\r\n"),
    ):
        cache.ask(b"set x:k 5 100 1\r\nv\r\n", b"STORED\r\n")
        cache.ask(request, reply)
        cache.ask(b"get x:k\r\n", b"END\r\n")
    cache.send(packet(0x01, b"x:k", struct.pack(">II", 5, 0), b"v"))
    assert answer(cache)[0] == 0
    cache.send(packet(0x1D, b"x:k", struct.pack(">i", -1)))
    assert answer(cache)[:3] == (0, 0x1D, struct.pack(">I", 5) + b"v")
    cache.ask(b"get x:k\r\n", b"END\r\n")


def test_who_wants_no_reply_reads_none(server: PrivateServer, cache: Raw) -> None:
    cache.ask(
        b"incr x:a -1 noreply\r\ndecr x:a x noreply\r\ntouch x:a x noreply\r\ndelete x:a 5 noreply\r\n"
        b"set x:a x 0 1 noreply\r\n1\r\nadd x:%s 0 0 1 noreply\r\n1\r\nset x:b 0 0 1 noreply\r\n1\r\nget x:a x:b\r\n"
        % (b"k" * 250),
        b"VALUE x:b 0 1\r\n1\r\nEND\r\n",
    )


def test_a_packet_has_dates_after_2038(server: PrivateServer, cache: Raw) -> None:
    server.sql("ALTER TABLE hs.cache MODIFY e BIGINT NULL")
    for at in (2**31 - 1, 2**31, 2**32 - 2):
        cache.send(packet(0x01, b"x:k", struct.pack(">II", 0, at), b"v"))
        assert answer(cache)[0] == 0
        assert server.sql("SELECT e FROM hs.cache") == [(at,)]
        cache.ask(b"get x:k\r\n", b"VALUE x:k 0 1\r\nv\r\nEND\r\n")


def test_a_packet_that_adds_with_a_version_adds_nothing(server: PrivateServer, cache: Raw) -> None:
    cache.send(packet(0x02, b"x:k", struct.pack(">II", 0, 0), b"v", 1))
    assert answer(cache)[0] == 1
    assert server.sql("SELECT * FROM hs.cache") == []
    cache.send(packet(0x02, b"x:k", struct.pack(">II", 0, 0), b"v"))
    version = answer(cache)[3]
    cache.send(packet(0x02, b"x:k", struct.pack(">II", 0, 0), b"w", version + 1))
    assert answer(cache)[0] == 2
    cache.send(packet(0x02, b"x:k", struct.pack(">II", 0, 0), b"w", version))
    assert answer(cache)[0] == 0
    cache.ask(b"get x:k\r\n", b"VALUE x:k 0 1\r\nw\r\nEND\r\n")


def test_a_value_that_is_computed_can_only_be_read(server: PrivateServer, raw: Raw) -> None:
    server.sql(
        "CREATE TABLE hs.t (k INT PRIMARY KEY, v INT NULL, g INT AS (v + 1) STORED) COMMENT 'hs: name=t value=g'"
    )
    server.sql("INSERT INTO hs.t (k, v) VALUES (1, 6)")
    for request in (b"set t:1 0 0 1\r\n5\r\n", b"replace t:1 0 0 1\r\n5\r\n", b"append t:1 0 0 1\r\n5\r\n", b"incr t:1 1\r\n"):
        raw.ask(request, b"SERVER_ERROR the table's value is computed\r\n")
    raw.ask(b"get t:1\r\n", b"VALUE t:1 0 1\r\n7\r\nEND\r\n")


def test_a_row_that_could_not_be_locked_in_time_is_told_as_such(server: PrivateServer, cache: Raw) -> None:
    cache.ask(b"set x:1 0 0 1\r\n1\r\n", b"STORED\r\n")
    server.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    try:
        with server.connect() as other, other.cursor() as sql:
            sql.execute("BEGIN")
            sql.execute("DELETE FROM hs.cache")
            cache.ask(b"incr x:1 1\r\n", b"SERVER_ERROR the row could not be locked in time\r\n")
            sql.execute("ROLLBACK")
    finally:
        server.sql("SET GLOBAL innodb_lock_wait_timeout = DEFAULT")
    cache.ask(b"incr x:1 1\r\n", b"2\r\n")


def test_a_row_that_is_there_needs_no_more_values(server: PrivateServer, raw: Raw) -> None:
    server.sql("CREATE TABLE hs.t (k INT PRIMARY KEY, v INT, w INT NOT NULL) COMMENT 'hs: name=t value=v'")
    assert raw.line(b"set t:1 0 0 1\r\n1\r\n").startswith(b"SERVER_ERROR Field 'w'")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 7)")
    raw.ask(b"set t:1 0 0 1\r\n2\r\n", b"STORED\r\n")
    raw.ask(b"add t:1 0 0 1\r\n3\r\n", b"NOT_STORED\r\n")
    assert server.sql("SELECT * FROM hs.t") == [(1, 2, 7)]


@pytest.mark.parametrize("column", ("DATETIME NULL", "TIMESTAMP NULL"))
def test_a_date_is_a_time_to_live(server: PrivateServer, raw: Raw, column: str) -> None:
    server.sql(f"CREATE TABLE hs.t (k INT PRIMARY KEY, v TEXT, e {column}) COMMENT 'hs: name=t ttl=e'")
    raw.ask(b"set t:1 0 1000 1\r\n1\r\n", b"STORED\r\n")
    left = "SELECT TIMESTAMPDIFF(SECOND, NOW(), e) FROM hs.t"
    assert 900 <= server.sql(left)[0][0] <= 1000
    raw.ask(b"set t:1 0 0 1\r\n1\r\n", b"STORED\r\n")
    assert server.sql(left) == [(None,)]


def test_what_a_column_cannot_hold_is_an_error_and_changes_nothing(server: PrivateServer, cache: Raw) -> None:
    cache.ask(b"set x:a 0 0 1\r\n1\r\n", b"STORED\r\n")
    assert cache.line(b"set x:a 0 0 2001\r\n%s\r\n" % (b"x" * 2001)).startswith(
        b"SERVER_ERROR Data too long for column 'v'"
    )
    cache.ask(
        b"set x:%s 0 0 1\r\n1\r\n" % (b"k" * 101),
        b"SERVER_ERROR the key's column would not keep the key as it is\r\n",
    )
    assert server.sql("SELECT k, v FROM hs.cache") == [("a", b"1")]
    server.sql("CREATE TABLE hs.n (k INT PRIMARY KEY, v TINYINT) COMMENT 'hs: name=n'")
    cache.ask(b"set n:1 0 0 3\r\n126\r\n", b"STORED\r\n")
    cache.ask(b"incr n:1 1\r\n", b"127\r\n")
    assert cache.line(b"incr n:1 1\r\n").startswith(b"SERVER_ERROR Out of range")
    assert cache.line(b"set n:1 0 0 3\r\nabc\r\n").startswith(b"SERVER_ERROR Incorrect integer value")
    assert cache.line(b"set n:1 7 0 1\r\n1\r\n").startswith(b"SERVER_ERROR the table has no column for flags")
    assert cache.line(b"set n:1 0 9 1\r\n1\r\n").startswith(b"SERVER_ERROR the table has no column by which")
    assert cache.line(b"cas n:1 0 0 1 1\r\n1\r\n").startswith(b"SERVER_ERROR the table has no column for versions")
    assert server.sql("SELECT v FROM hs.n") == [(127,)]


def test_a_row_of_another_unique_value_is_never_changed(server: PrivateServer, raw: Raw) -> None:
    server.sql(
        "CREATE TABLE hs.u (k INT PRIMARY KEY, mail VARCHAR(50), UNIQUE (mail)) COMMENT 'hs: name=u'"
    )
    raw.ask(b"set u:1 0 0 1\r\na\r\n", b"STORED\r\n")
    for command in (b"set", b"add"):
        assert raw.line(command + b" u:2 0 0 1\r\na\r\n").startswith(b"SERVER_ERROR another row has the same value")
    raw.ask(b"set u:2 0 0 1\r\nb\r\n", b"STORED\r\n")
    raw.ask(b"set u:2 0 0 1\r\nc\r\n", b"STORED\r\n")
    raw.ask(b"add u:2 0 0 1\r\nd\r\n", b"NOT_STORED\r\n")
    assert raw.line(b"set u:2 0 0 1\r\na\r\n").startswith(b"SERVER_ERROR")
    assert server.sql("SELECT * FROM hs.u ORDER BY k") == [(1, "a"), (2, "c")]


def test_a_foreign_key_is_told_of_in_words(server: PrivateServer, raw: Raw) -> None:
    server.sql("CREATE TABLE hs.parent (id INT PRIMARY KEY, v INT) COMMENT 'hs: name=parent'")
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES hs.parent (id))"
        " COMMENT 'hs: name=child'"
    )
    no_parent = b"SERVER_ERROR the row that a foreign key refers to is not there"
    assert raw.line(b"set child:1 0 0 1\r\n7\r\n") == no_parent
    assert raw.line(b"set parent:7 0 0 1\r\n1\r\n") == b"STORED"
    assert raw.line(b"set child:1 0 0 1\r\n7\r\n") == b"STORED"
    has_child = b"SERVER_ERROR another row refers to this one by a foreign key"
    assert raw.line(b"delete parent:7\r\n") == has_child
    server.sql("DROP TABLE hs.child")


def test_ddl_is_followed_at_once(server: PrivateServer, raw: Raw) -> None:
    raw.ask(b"get t:1\r\n", b"END\r\n")
    assert raw.line(b"set t:1 0 0 1\r\n1\r\n").startswith(b"SERVER_ERROR the key is of no table")
    server.sql("CREATE TABLE hs.t (k INT PRIMARY KEY, a TEXT, b TEXT) COMMENT 'hs: name=t value=a'")
    raw.ask(b"set t:1 0 0 1\r\n1\r\n", b"STORED\r\n")
    server.sql("ALTER TABLE hs.t COMMENT 'hs: name=t value=b'")
    raw.ask(b"set t:1 0 0 1\r\n2\r\n", b"STORED\r\n")
    assert server.sql("SELECT * FROM hs.t") == [(1, "1", "2")]
    server.sql("ALTER TABLE hs.t COMMENT 'hs: name=s value=b'")
    raw.ask(b"get s:1\r\n", b"VALUE s:1 0 1\r\n2\r\nEND\r\n")
    raw.ask(b"get t:1\r\n", b"END\r\n")
    server.sql("RENAME TABLE hs.t TO hs.moved")
    raw.ask(b"get s:1\r\n", b"VALUE s:1 0 1\r\n2\r\nEND\r\n")
    server.sql("ALTER TABLE hs.moved DROP COLUMN b")
    assert raw.line(b"get s:1\r\n") == b"SERVER_ERROR the table's comment: value=b is no column"
    server.sql("DROP TABLE hs.moved")
    raw.ask(b"get s:1\r\n", b"END\r\n")
    server.sql("CREATE TABLE hs.plain (k INT, l INT, a TEXT, b TEXT, PRIMARY KEY (k, l))")
    raw.ask(b"set hs.plain:1:2 0 0 3\r\nx|y\r\n", b"STORED\r\n")
    raw.ask(b"get hs.plain:1:2\r\n", b"VALUE hs.plain:1:2 0 3\r\nx|y\r\nEND\r\n")
    assert raw.line(b"set hs.plain:1:2 0 0 1\r\nx\r\n").startswith(b"CLIENT_ERROR the value has not as many parts")
    assert raw.line(b"set hs.plain:1 0 0 3\r\nx|y\r\n").startswith(b"CLIENT_ERROR the key has too few parts")
    assert server.sql("SELECT * FROM hs.plain") == [(1, 2, "x", "y")]


def test_meta_commands(server: PrivateServer, cache: Raw) -> None:
    cache.ask(b"mg x:a v\r\n", b"EN\r\n")
    cache.ask(b"ms x:a 2 F7 T0 Oab k\r\nhi\r\n", b"HD Oab kx:a\r\n")
    cache.ask(b"mg x:a s v f t Oq k\r\n", b"VA 2 s2 f7 t-1 Oq kx:a\r\nhi\r\n")
    cache.ask(b"mg x:a\r\n", b"HD\r\n")
    version = server.sql("SELECT c FROM hs.cache")[0][0]
    cache.ask(b"mg x:a c\r\n", b"HD c%d\r\n" % version)
    cache.ask(b"ms x:a 1 C1\r\nx\r\n", b"EX\r\n")
    cache.ask(b"ms x:a 1 C%d E77\r\nx\r\n" % version, b"HD\r\n")
    assert server.sql("SELECT v, c FROM hs.cache") == [(b"x", 77)]
    cache.ask(b"ms x:a 1 ME\r\nx\r\n", b"NS\r\n")
    cache.ask(b"ms x:a 1 MA\r\ny\r\n", b"HD\r\n")
    cache.ask(b"mg x:a q v\r\nmg x:no q v\r\nmn\r\n", b"VA 2\r\nxy\r\nMN\r\n")
    key = base64.b64encode(b"x:a")
    cache.ask(b"mg %s b k v\r\n" % key, b"VA 2 k%s b\r\nxy\r\n" % key)
    cache.ask(b"ma x:n N0 J13 v\r\n", b"VA 2\r\n13\r\n")
    cache.ask(b"ma x:n v D10 MD\r\n", b"VA 1\r\n3\r\n")
    cache.ask(b"ma x:none\r\n", b"NF\r\n")
    cache.ask(b"md x:n q\r\nmd x:n\r\n", b"NF\r\n")
    cache.ask(b"mg x:a ?\r\n", b"CLIENT_ERROR invalid flag\r\n")


def test_binary_commands(server: PrivateServer, cache: Raw) -> None:
    def ask(*arguments: object, **more: object) -> tuple[int, int, bytes, int]:
        cache.send(packet(*arguments, **more))  # type: ignore[arg-type]
        return answer(cache)

    flags = struct.pack(">II", 9, 0)
    assert ask(0x00, b"x:a")[0] == 1
    status, _, _, version = ask(0x01, b"x:a", flags, b"hello")
    assert (status, version) == (0, server.sql("SELECT c FROM hs.cache")[0][0])
    assert ask(0x00, b"x:a") == (0, 0, struct.pack(">I", 9) + b"hello", version)
    assert ask(0x0C, b"x:a") == (0, 0x0C, struct.pack(">I", 9) + b"x:a" + b"hello", version)
    assert ask(0x01, b"x:a", flags, b"other", cas=version + 1)[0] == 2
    assert ask(0x02, b"x:a", flags, b"other")[0] == 2
    assert ask(0x05, b"x:n", struct.pack(">QQI", 1, 40, 0))[2] == struct.pack(">Q", 40)
    assert ask(0x05, b"x:n", struct.pack(">QQI", 2, 40, 0))[2] == struct.pack(">Q", 42)
    assert ask(0x05, b"x:none", struct.pack(">QQI", 2, 40, 0xFFFFFFFF))[0] == 1
    assert ask(0x0E, b"x:a", b"", b"!")[0] == 0
    cache.send(packet(0x0D, b"x:none") + packet(0x0D, b"x:a") + packet(0x0A))
    assert answer(cache)[2] == struct.pack(">I", 9) + b"x:a" + b"hello!"
    assert answer(cache)[1] == 0x0A
    assert ask(0x04, b"x:a")[0] == 0
    assert ask(0x04, b"x:a")[0] == 1
    assert ask(0x0B)[2].startswith(b"2.")
    assert ask(0x99)[0] == 0x81
    assert ask(0x01, b"x:a", b"", b"hello")[0] == 4


def test_a_message_may_come_in_any_pieces(cache: Raw) -> None:
    message = b"set x:a 1 0 3\r\na\r\n\r\nget x:a\r\nmg x:a v\r\n"
    reply = b"STORED\r\nVALUE x:a 1 3\r\na\r\n\r\nEND\r\nVA 3\r\na\r\n\r\n"
    for cut in range(1, len(message)):
        cache.send(message[:cut])
        cache.ask(message[cut:], reply)


def test_pymemcache_works_unchanged(server: PrivateServer, cache: Raw, port: int) -> None:
    client = Client(("127.0.0.1", port), timeout=60, connect_timeout=60)
    assert client.set("x:a", b"1", noreply=False)
    assert client.get("x:a") == b"1"
    assert client.set_many({"x:b": b"2", "x:c": b"3"}, noreply=False) == []
    assert client.get_many(["x:a", "x:b", "x:c", "x:d"]) == {"x:a": b"1", "x:b": b"2", "x:c": b"3"}
    value, version = client.gets("x:a")
    assert client.cas("x:a", b"9", version, noreply=False)
    assert client.cas("x:a", b"8", version, noreply=False) is False
    assert client.incr("x:a", 1) == 10
    assert client.touch("x:a", 100, noreply=False)
    assert client.delete("x:a", noreply=False)
    assert client.get("x:a") is None
    with pytest.raises(MemcacheServerError):
        client.flush_all(noreply=False)
    client.close()
    assert server.sql("SELECT k, v FROM hs.cache ORDER BY k") == [("b", b"2"), ("c", b"3")]


@pytest.mark.skipif(shutil.which("memcslap") is None, reason="libmemcached-tools is not installed")
def test_libmemcacheds_programs_work_unchanged(server: PrivateServer, cache: Raw, port: int) -> None:
    for mode in ((), ("--binary",)):
        cache.ask(b"set x:file 0 0 5\r\nhello\r\n", b"STORED\r\n")
        shown = subprocess.run(
            ["memccat", f"--servers=127.0.0.1:{port}", *mode, "x:file"],
            capture_output=True, timeout=60, check=True,
        )
        assert shown.stdout.strip() == b"hello"
        subprocess.run(
            ["memcrm", f"--servers=127.0.0.1:{port}", *mode, "x:file"], timeout=60, check=True
        )
        assert server.sql("SELECT * FROM hs.cache") == []


def test_the_old_plugins_containers_work(server: PrivateServer, port: int, raw: Raw) -> None:
    try:
        make_containers(server)
        server.sql("INSERT INTO innodb_memcache.config_options VALUES ('separator', '|'), ('table_map_delimiter', '.')")
        server.sql(
            "CREATE TABLE hs.demo (c1 VARCHAR(32) PRIMARY KEY, c2 VARCHAR(1024), c3 INT, c4 BIGINT UNSIGNED, c5 INT)"
        )
        server.sql("CREATE TABLE hs.city (id INT, name TEXT, state TEXT, UNIQUE KEY by_id (id))")
        server.sql(
            "INSERT INTO innodb_memcache.containers VALUES"
            " ('aaa', 'hs', 'demo', 'c1', 'c2', 'c3', 'c4', 'c5', 'PRIMARY'),"
            " ('city', 'hs', 'city', 'id', 'name,state', '0', '0', '0', 'by_id')"
        )
        deadline = time.monotonic() + 60
        while raw.line(b"set AA 8 0 5\r\nHELLO\r\n") != b"STORED":
            assert time.monotonic() < deadline
        server.sql("ALTER TABLE hs.demo ADD COLUMN c6 INT")
        raw.ask(b"get @@aaa.AA\r\n", b"VALUE @@aaa.AA 8 5\r\nHELLO\r\nEND\r\n")
        raw.ask(b"set @@city.7 0 0 8\r\nBonn|NRW\r\n", b"STORED\r\n")
        # The last container stays selected.
        raw.ask(b"get 7\r\n", b"VALUE 7 0 8\r\nBonn|NRW\r\nEND\r\n")
        raw.ask(b"get @@aaa\r\n", b"VALUE @@aaa 0 7\r\nhs/demo\r\nEND\r\n")
        raw.ask(b"get AA\r\n", b"VALUE AA 8 5\r\nHELLO\r\nEND\r\n")
        raw.ask(b"get @@none.AA\r\n", b"END\r\n")
        assert server.sql("SELECT * FROM hs.city") == [(7, "Bonn", "NRW")]
        assert server.sql("SELECT c1, c2, c3 FROM hs.demo") == [("AA", "HELLO", 8)]
        server.sql("RENAME TABLE hs.demo TO hs.moved")
        assert raw.line(b"get AA\r\n").endswith(b"the table of the container aaa cannot be opened")
        server.sql("RENAME TABLE hs.moved TO hs.demo")
        raw.ask(b"get AA\r\n", b"VALUE AA 8 5\r\nHELLO\r\nEND\r\n")
    finally:
        drop_containers(server, port)
