"""Clients of Redis on the rows of ordinary tables (docs/redis.md)."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from private_server import PrivateServer
from resp_client import Resp, RespError, message

TABLES = """
CREATE TABLE hs.kv (k VARBINARY(64) PRIMARY KEY, v MEDIUMBLOB) COMMENT 'hs: name=kv';
CREATE TABLE hs.num (k VARCHAR(20) PRIMARY KEY, v INT) COMMENT 'hs: name=num';
CREATE TABLE hs.big (k VARCHAR(20) PRIMARY KEY, v BIGINT) COMMENT 'hs: name=big';
CREATE TABLE hs.user (id INT PRIMARY KEY, name VARCHAR(10) NOT NULL DEFAULT 'nobody', age INT, born DATE)
  COMMENT 'hs: name=user';
CREATE TABLE hs.pair (a INT, b VARCHAR(9), v VARCHAR(9), w VARCHAR(9), u INT UNIQUE, PRIMARY KEY (a, b))
  COMMENT 'hs: name=pair value=v,w';
CREATE TABLE hs.ses (id VARBINARY(20) PRIMARY KEY, data TEXT, at DATETIME NULL, KEY (at))
  COMMENT 'hs: name=ses value=data ttl=at';
"""


@pytest.fixture
def redis(server: PrivateServer, database: str, resp_port: int) -> Iterator[Resp]:
    """A client, and the tables."""
    for statement in TABLES.split(";"):
        if statement.strip():
            server.sql(statement)
    with Resp(resp_port) as client:
        yield client


def error(text: str) -> RespError:
    """An error reply."""
    return RespError(text)


def test_strings_are_the_rows_that_sql_sees(server: PrivateServer, redis: Resp) -> None:
    assert redis("SET", "kv:a", b"\x00\r\n\xff") == "OK"
    assert server.sql("SELECT k, HEX(v) FROM hs.kv") == [(b"a", "000D0AFF")]
    server.sql("INSERT INTO hs.kv VALUES ('b', 'by SQL')")
    assert redis("MGET", "kv:a", "kv:b", "kv:c", "none:1") == [b"\x00\r\n\xff", b"by SQL", None, None]
    assert redis("SET", "kv:a", "1", "NX") is None
    assert redis("SET", "kv:a", "2", "XX", "GET") == b"\x00\r\n\xff"
    assert redis("SET", "kv:c", "3", "XX") is None
    assert redis("SET", "kv:c", "3", "NX") == "OK"
    assert redis("GETSET", "kv:c", "4") == b"3"
    assert redis("APPEND", "kv:c", "5") == 2
    assert redis("STRLEN", "kv:c") == 2
    assert redis("GETRANGE", "kv:c", "-1", "-1") == b"5"
    assert redis("EXISTS", "kv:a", "kv:a", "kv:x") == 2
    assert redis("GETDEL", "kv:c") == b"45"
    assert redis("DEL", "kv:a", "kv:b", "kv:x") == 2
    assert server.sql("SELECT COUNT(*) FROM hs.kv") == [(0,)]


def test_what_does_not_fit_its_column_is_an_error_and_changes_nothing(
    server: PrivateServer, redis: Resp
) -> None:
    assert redis("SET", "num:a", "7") == "OK"
    for value, number in (("x", 1366), ("2147483648", 1264), ("1x", 1265)):
        reply = redis("SET", "num:a", value)
        assert isinstance(reply, RespError) and str(reply).startswith(f"ERR SQL error {number}:")
    reply = redis("HSET", "user:1", "name", "longer than ten")
    assert str(reply).startswith("ERR SQL error 1406:")
    assert redis("MSET", "num:b", "1", "num:c", "x").args[0].startswith("ERR SQL error 1366:")
    assert server.sql("SELECT * FROM hs.num") == [("a", 7)]
    assert server.sql("SELECT COUNT(*) FROM hs.user") == [(0,)]


def test_counters_count_where_the_row_is(server: PrivateServer, redis: Resp) -> None:
    assert redis("INCR", "num:n") == 1
    assert redis("INCRBY", "num:n", "41") == 42
    assert redis("DECR", "num:n") == 41
    assert redis("DECRBY", "num:n", "-1") == 42
    assert redis("INCRBYFLOAT", "kv:f", "0.1") == b"0.1"
    server.sql("UPDATE hs.num SET v = 2147483647")
    assert redis("INCR", "num:n") == error("ERR increment or decrement would overflow")
    assert redis("SET", "big:n", "9223372036854775807") == "OK"
    assert redis("INCR", "big:n") == error("ERR increment or decrement would overflow")
    assert redis("SET", "kv:t", "text") == "OK"
    assert redis("INCR", "kv:t") == error("ERR value is not an integer or out of range")
    assert server.sql("SELECT v FROM hs.num") == [(2147483647,)]


def test_hashes_are_the_columns_of_a_row(server: PrivateServer, redis: Resp) -> None:
    assert redis("HSET", "user:1", "age", "30", "born", "2001-02-03") == 2
    assert redis("HGETALL", "user:1") == [
        b"id", b"1", b"name", b"nobody", b"age", b"30", b"born", b"2001-02-03"
    ]  # fmt: skip
    assert redis("HSET", "user:1", "name", "ada", "age", "31") == 0
    assert redis("HMGET", "user:1", "name", "none", "AGE") == [b"ada", None, b"31"]
    assert redis("HINCRBY", "user:1", "age", "-1") == 30
    assert redis("HDEL", "user:1", "born", "nothing") == 1
    assert redis("HDEL", "user:1", "name") == error("ERR the column 'name' cannot be NULL")
    assert redis("HEXISTS", "user:1", "born") == 0
    assert redis("HSETNX", "user:1", "born", "2020-01-01") == 1
    assert redis("HSETNX", "user:1", "born", "2021-01-01") == 0
    assert redis("HLEN", "user:1") == 4
    assert redis("HKEYS", "user:1") == [b"id", b"name", b"age", b"born"]
    assert redis("HVALS", "user:1") == [b"1", b"ada", b"30", b"2020-01-01"]
    assert redis("HSCAN", "user:1", "0", "MATCH", "*a*") == [b"0", [b"name", b"ada", b"age", b"30"]]
    assert redis("HSET", "user:1", "id", "2") == error("ERR the column 'id' is of the key")
    assert redis("HSET", "user:1", "x", "2") == error("ERR the table has no column 'x'")
    assert redis("HELLO", "3")[b"proto"] == 3
    assert redis("HGETALL", "user:1")[b"name"] == b"ada"
    assert redis("HGETALL", "user:2") == {}
    assert server.sql("SELECT name, age FROM hs.user") == [("ada", 30)]


def test_a_key_of_several_parts_and_a_value_of_several_columns(
    server: PrivateServer, redis: Resp
) -> None:
    assert redis("SET", "pair:1:x:y", "v|w") == "OK"
    assert redis("GET", "pair:1:x:y") == b"v|w"
    assert server.sql("SELECT a, b, v, w FROM hs.pair") == [(1, "x:y", "v", "w")]
    assert "not as many parts" in str(redis("SET", "pair:1:x:y", "v"))
    assert redis("SET", "pair:1", "v|w") == error("ERR no table has the key 'pair:1'")
    assert redis("GET", "pair:1") is None


def test_a_duplicate_in_another_unique_index_never_changes_the_other_row(
    server: PrivateServer, redis: Resp
) -> None:
    server.sql("CREATE TABLE hs.uni (k INT PRIMARY KEY, v INT UNIQUE) COMMENT 'hs: name=uni'")
    assert redis("SET", "uni:1", "10") == "OK"
    assert redis("SET", "uni:2", "20") == "OK"
    for command in (("SET", "uni:3", "10"), ("SET", "uni:2", "10"), ("SET", "uni:3", "10", "NX"),
                    ("MSET", "uni:2", "10"), ("MSET", "uni:4", "40", "uni:3", "10")):  # fmt: skip
        assert "unique index" in str(redis(*command)), command
    assert redis("SET", "uni:1", "11", "NX") is None
    assert redis("SET", "uni:1", "11") == "OK"
    assert server.sql("SELECT * FROM hs.uni ORDER BY k") == [(1, 11), (2, 20)]


def test_rows_expire_by_the_column_of_ttl(
    server: PrivateServer, redis: Resp, no_purge: None
) -> None:
    assert redis("SET", "ses:a", "data", "EX", "100") == "OK"
    assert redis("TTL", "ses:a") in (99, 100)
    assert server.sql(
        "SELECT at BETWEEN NOW() + INTERVAL 98 SECOND AND NOW() + INTERVAL 101 SECOND FROM hs.ses"
    ) == [(1,)]
    assert redis("EXPIRE", "ses:a", "500", "LT") == 0
    assert redis("EXPIRE", "ses:a", "500", "GT") == 1
    assert redis("PERSIST", "ses:a") == 1
    assert redis("TTL", "ses:a") == -1
    assert server.sql("SELECT at FROM hs.ses") == [(None,)]
    assert redis("GETEX", "ses:a", "EX", "50") == b"data"
    assert redis("SET", "ses:a", "more", "KEEPTTL") == "OK"
    assert redis("TTL", "ses:a") in (49, 50)
    assert redis("SET", "ses:a", "more") == "OK"
    assert redis("TTL", "ses:a") == -1
    assert redis("EXPIREAT", "ses:a", "1000") == 1
    assert redis("GET", "ses:a") is None
    assert redis("TTL", "ses:a") == -2
    assert redis("SET", "ses:a", "again", "NX") == "OK"
    assert redis("SETEX", "ses:b", "10", "x") == "OK"
    assert "no column" in str(redis("SET", "kv:a", "1", "EX", "5"))
    assert redis("TTL", "kv:a") == -2


def test_transactions_and_watched_rows(server: PrivateServer, redis: Resp, resp_port: int) -> None:
    block: list[Any] = [("MULTI",), ("SET", "kv:a", "1"), ("INCR", "num:a"), ("GET", "kv:a"), ("EXEC",)]
    expected = ["OK", "QUEUED", "QUEUED", "QUEUED", ["OK", 1, b"1"]]
    assert redis.pipeline(block) == expected
    expected[-1] = ["OK", 2, b"1"]
    assert [redis(*one) for one in block] == expected
    assert redis("WATCH", "kv:a") == "OK"
    server.sql("UPDATE hs.kv SET v = 'by SQL'")
    assert redis.pipeline(block)[-1] is None
    assert redis.pipeline(block)[-1] == ["OK", 3, b"1"]
    failed = redis.pipeline(
        [("MULTI",), ("SET", "kv:b", "1"), ("MSET", "kv:c", "1", "num:c", "x"), ("EXEC",)]
    )
    assert str(failed[-1]).startswith("EXECABORT")
    assert redis("EXISTS", "kv:b", "kv:c") == 0


def test_a_transaction_is_in_the_binary_log_as_one(server: PrivateServer, redis: Resp) -> None:
    redis("SET", "kv:a", "0")
    redis("SET", "num:a", "0")
    before = server.sql("SELECT @@gtid_binlog_pos")[0][0]
    redis.pipeline([("MULTI",), ("SET", "kv:a", "1"), ("SET", "num:a", "1"), ("EXEC",)])
    after = server.sql("SELECT @@gtid_binlog_pos")[0][0]
    assert int(after.split("-")[-1]) == int(before.split("-")[-1]) + 1


def test_reads_wait_for_no_lock_of_a_row(server: PrivateServer, redis: Resp) -> None:
    redis("SET", "kv:a", "old")
    with server.connect() as sql, sql.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE hs.kv SET v = 'new'")
        assert redis("GET", "kv:a") == b"old"
        assert redis("HGET", "kv:a", "v") == b"old"
        cursor.execute("COMMIT")
        assert redis("GET", "kv:a") == b"new"


def test_a_change_waits_for_the_lock_of_its_row(
    server: PrivateServer, redis: Resp, resp_port: int
) -> None:
    redis("MSET", "kv:a", "0", "num:a", "0")
    with server.connect() as sql, sql.cursor() as cursor, Resp(resp_port) as other:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE hs.num SET v = 5")
        redis.socket.sendall(message("MSET", "kv:a", "1", "num:a", "1"))
        assert other("SET", "kv:b", "1") == "OK"
        cursor.execute("COMMIT")
        assert redis.read() == "OK"
    assert server.sql("SELECT v FROM hs.num") == [(1,)]


def test_many_clients_count_together(server: PrivateServer, redis: Resp, resp_port: int) -> None:
    def count() -> None:
        with Resp(resp_port) as client:
            for _ in range(50):
                client.pipeline([("INCR", "num:n"), ("MSET", "kv:x", "1", "kv:y", "1")])

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert redis("GET", "num:n") == b"400"


def test_a_table_is_followed_through_ddl(server: PrivateServer, redis: Resp) -> None:
    redis("HSET", "user:1", "age", "1")
    server.sql("ALTER TABLE hs.user ADD city VARCHAR(9) DEFAULT 'here', DROP born")
    assert redis("HGETALL", "user:1") == [
        b"id", b"1", b"name", b"nobody", b"age", b"1", b"city", b"here"
    ]  # fmt: skip
    server.sql("ALTER TABLE hs.user COMMENT 'hs: name=user value=age'")
    assert redis("GET", "user:1") == b"1"
    server.sql("RENAME TABLE hs.user TO hs.moved")
    assert redis("GET", "user:1") == b"1"
    server.sql("DROP TABLE hs.moved")
    assert redis("GET", "user:1") is None


def test_scan_goes_over_all_keys(redis: Resp) -> None:
    keys = {b"kv:%03d" % i for i in range(57)} | {b"num:%d" % i for i in range(5)} | {b"user:-3"}
    for key in keys:
        redis("HSET" if key.startswith(b"user") else "SET", key, *(["age"] if b"u" in key[:1] else []), "1")
    assert redis("DBSIZE") == len(keys)
    for pattern in ("*", "kv:*", "*:1*"):
        found: list[bytes] = []
        cursor = b"0"
        while True:
            cursor, part = redis("SCAN", cursor, "MATCH", pattern, "COUNT", "7")
            found += part
            if cursor == b"0":
                break
        wanted = {key for key in keys if pattern == "*" or (pattern == "kv:*" and key[:3] == b"kv:")
                  or (pattern == "*:1*" and key.split(b":")[1][:1] == b"1")}  # fmt: skip
        assert len(found) == len(set(found))
        assert set(found) == wanted
    assert redis("SCAN", "12345678") == error("ERR invalid cursor")


def test_a_pipeline_of_ten_thousand(redis: Resp) -> None:
    redis("SET", "kv:a", "x")
    replies: list[Any] = []

    def read() -> None:
        replies.extend(redis.read() for _ in range(10_000))

    reader = threading.Thread(target=read)
    reader.start()
    redis.socket.sendall(message("GET", "kv:a") * 10_000)
    reader.join()
    assert replies == [b"x"] * 10_000


def test_messages_may_come_byte_by_byte(redis: Resp) -> None:
    for byte in message("SET", "kv:a", "1") + b"GET kv:a\r\n" + message("PING"):
        redis.socket.sendall(bytes([byte]))
    assert [redis.read(), redis.read(), redis.read()] == ["OK", b"1", "PONG"]


def test_what_is_no_message_ends_the_connection(resp_port: int, redis: Resp) -> None:
    for sent, told in (
        (b"*1\r\n:1\r\n", "ERR Protocol error: expected '$', got ':'"),
        (b"*2000000\r\n", "ERR Protocol error: invalid multibulk length"),
        (b"*1\r\n$600000000\r\n", "ERR Protocol error: invalid bulk length"),
    ):
        with Resp(resp_port) as client:
            client.socket.sendall(sent)
            assert client.read() == error(told)
            assert client.ended()


def test_accounts_have_their_privileges(server: PrivateServer, redis: Resp) -> None:
    redis("SET", "kv:a", "1")
    server.sql("CREATE USER ada IDENTIFIED BY 'secret'")
    server.sql("GRANT SELECT ON hs.kv TO ada")
    server.sql("SET GLOBAL handlersocket_authentication_wr = account")
    try:
        with Resp(int(server.sql("SELECT @@handlersocket_resp_port")[0][0])) as client:
            assert client("GET", "kv:a") == error("NOAUTH Authentication required.")
            assert "TLS or a Unix socket" in str(client("AUTH", "ada", "secret"))
            assert client("PING") == error("NOAUTH Authentication required.")
            assert client("QUIT") == "OK"
    finally:
        server.sql("SET GLOBAL handlersocket_authentication_wr = DEFAULT")
        server.sql("DROP USER ada")


def test_redis_cli_and_redis_benchmark_work(redis: Resp, resp_port: int) -> None:
    if shutil.which("redis-cli") is None:
        pytest.skip("redis-tools is not installed")

    def run(*command: str) -> str:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    cli = ("redis-cli", "-p", str(resp_port))
    assert run(*cli, "SET", "kv:a", "1") == "OK\n"
    assert run(*cli, "-3", "HGETALL", "kv:a") == "k a\nv 1\n"
    assert "redis_version:7" in run(*cli, "INFO")
    assert run(*cli, "--scan") == "kv:a\n"
    output = run("redis-benchmark", "-p", str(resp_port), "-n", "2000", "-c", "20", "-P", "8", "-q",
                 "-r", "100", "SET", "kv:__rand_int__", "x")  # fmt: skip
    assert "requests per second" in output
    assert "rror" not in output
