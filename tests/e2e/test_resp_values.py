"""What clients of Redis write is what SQL would store, in the row that they name and in no other."""

from __future__ import annotations

import threading
from typing import Any

import pymysql
import pytest
from private_server import PrivateServer
from resp_client import Resp, RespError


def make_table(server: PrivateServer, columns: str, words: str = "name=t") -> None:
    """The table hs.t, anew."""
    server.sql(f"CREATE OR REPLACE TABLE hs.t ({columns}) COMMENT 'hs: {words}'")


@pytest.fixture
def redis(database: str, resp_port: int) -> Any:
    """A client."""
    with Resp(resp_port) as client:
        yield client


# A column, the key of a row, and keys that its column would make that one of.
CHANGED_KEYS = [
    ("INT", "1", ("1.4", "0.6", "1abc", "9999999999")),
    ("DECIMAL(5,2)", "1.00", ("1.001", "0.999")),
    ("DATE", "2020-01-01", ("2020-01-01 00:00:01",)),
    ("DATETIME", "2020-01-01 00:00:00", ("2020-01-01 00:00:00.4",)),
    ("ENUM('a','b')", "a", ("1",)),
    ("BINARY(3)", b"a\0\0", ("a", b"a\0")),
]


@pytest.mark.parametrize(("column", "key", "others"), CHANGED_KEYS)
def test_a_key_that_its_column_would_change_is_refused(
    server: PrivateServer, redis: Resp, column: str, key: Any, others: tuple[Any, ...]
) -> None:
    def named(part: Any) -> bytes:
        return b"t:" + (part if isinstance(part, bytes) else part.encode())

    make_table(server, f"k {column} PRIMARY KEY, v VARCHAR(20)")
    assert redis("SET", named(key), "1") == "OK"
    before = server.sql("SELECT * FROM hs.t")
    for other in others:
        for command in (("SET", named(other), "2"), ("SETNX", named(other), "2"),
                        ("SET", named(other), "2", "GET"), ("MSET", named(other), "2"),
                        ("APPEND", named(other), "2"), ("INCR", named(other)),
                        ("HSET", named(other), "v", "2"), ("HINCRBY", named(other), "v", "2"),
                        ("INCRBYFLOAT", named(other), "2")):  # fmt: skip
            assert isinstance(redis(*command), RespError), command
        assert redis("GET", named(other)) is None
        assert redis("DEL", named(other)) == 0
    assert server.sql("SELECT * FROM hs.t") == before


def test_a_zero_is_no_key_where_an_id_would_be_made_of_it(
    server: PrivateServer, redis: Resp
) -> None:
    make_table(server, "k INT PRIMARY KEY AUTO_INCREMENT, v INT")
    assert redis("SET", "t:0", "1").args[0].startswith("ERR the key cannot be that of a row")
    assert redis("SET", "t:7", "1") == "OK"
    assert server.sql("SELECT * FROM hs.t") == [(7, 1)]


def test_a_row_that_is_there_keeps_its_key_as_it_is(server: PrivateServer, redis: Resp) -> None:
    padded = "CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
    make_table(server, f"k VARCHAR(20) {padded} PRIMARY KEY, v VARCHAR(20)")
    assert redis("SET", "t:Abc", "1") == "OK"
    for command in (("SET", "t:ABC", "2"), ("MSET", "t:ABC", "3"), ("SET", "t:ABC ", "4", "GET")):
        redis(*command)
    assert server.sql("SELECT k, v FROM hs.t") == [("Abc", "4")]


# A column, what is in it, and what is added.
COUNTED = [
    ("FLOAT", "16777216", "0.5"),
    ("FLOAT", "0.1234567", "1"),
    ("DOUBLE", "0.1", "0.2"),
    ("DOUBLE", "1e300", "1e299"),
    ("DECIMAL(65,30)", "12345678901234567890123456789012345.123456789012345678901234567890", "0.1"),
    ("DECIMAL(10,2)", "1.25", "-1.255"),
    ("DECIMAL(20,0)", "12345678901234567890", "1"),
    ("BIGINT", "9007199254740993", "1"),
    ("BIGINT UNSIGNED", "18446744073709551614", "1"),
    ("INT", "7", "0.5"),
    ("INT", "-7", "1.5e1"),
]


@pytest.mark.parametrize(("column", "old", "amount"), COUNTED)
def test_numbers_are_counted_as_sql_counts(
    server: PrivateServer, redis: Resp, column: str, old: str, amount: str
) -> None:
    make_table(server, f"k INT PRIMARY KEY, v {column}, w {column}", "name=t value=v")
    server.sql(f"INSERT INTO hs.t VALUES (1, {old}, {old}), (2, {old}, {old}), (3, NULL, NULL)")
    server.sql(f"UPDATE hs.t SET v = v + {amount}, w = w + {amount} WHERE k = 2")
    assert isinstance(redis("INCRBYFLOAT", "t:1", amount), bytes)
    assert isinstance(redis("HINCRBYFLOAT", "t:1", "w", amount), bytes)
    # Compared as numbers by SQL: the text of a FLOAT would hide what is lost.
    assert server.sql(
        "SELECT COUNT(DISTINCT v + 0e0), COUNT(DISTINCT w + 0e0), COUNT(DISTINCT v) FROM hs.t "
        "WHERE k < 3"
    ) == [(1, 1, 1)]
    assert isinstance(redis("INCRBYFLOAT", "t:3", amount), bytes)
    server.sql(f"INSERT INTO hs.t VALUES (4, {amount}, NULL)")
    assert server.sql("SELECT COUNT(DISTINCT v + 0e0) FROM hs.t WHERE k > 2") == [(1,)]


@pytest.mark.parametrize(
    ("column", "low", "high"),
    [
        (f"{name}INT{sign}", 0 if sign else -(2 ** (bits - 1)), 2 ** (bits if sign else bits - 1) - 1)
        for name, bits in (("TINY", 8), ("SMALL", 16), ("MEDIUM", 24), ("", 32), ("BIG", 64))
        for sign in ("", " UNSIGNED")
    ],
)
def test_counting_ends_at_the_limits_of_integers(
    server: PrivateServer, redis: Resp, column: str, low: int, high: int
) -> None:
    make_table(server, f"k INT PRIMARY KEY, v {column}")
    server.sql(f"INSERT INTO hs.t VALUES (1, {high}), (2, {low}), (3, NULL)")
    before = server.sql("SELECT * FROM hs.t")
    overflow = RespError("ERR increment or decrement would overflow")
    for command in (("INCR", "t:1"), ("INCRBY", "t:1", 2**63 - 1), ("HINCRBY", "t:1", "v", 1),
                    ("DECR", "t:2"), ("DECRBY", "t:2", 2**63 - 1), ("HINCRBY", "t:2", "v", -1),
                    ("INCRBYFLOAT", "t:1", "1"), ("HINCRBYFLOAT", "t:2", "v", "-1")):  # fmt: skip
        assert redis(*command) == overflow, command
    assert server.sql("SELECT * FROM hs.t") == before
    assert redis("INCR", "t:3") == 1
    assert redis("HINCRBY", "t:4", "v", "100") == 100


def test_an_amount_that_cannot_be_added_is_told_as_such(server: PrivateServer, redis: Resp) -> None:
    server.sql("CREATE TABLE hs.n (k INT PRIMARY KEY, v BIGINT, d DECIMAL(65, 30)) COMMENT 'hs: name=n value=v'")
    server.sql("INSERT INTO hs.n VALUES (1, 5, 5)")
    for key in ("n:1", "n:2"):
        for field, amount in (("v", "1e30"), ("v", "-1e30"), ("d", "0.12345678901234567890123")):
            reply = redis("HINCRBYFLOAT", key, field, amount)
            assert reply == RespError("ERR the increment is too large, or has too many digits, for the column")
        assert redis("HINCRBYFLOAT", key, "v", "1e19") == RespError("ERR increment or decrement would overflow")
    assert server.sql("SELECT k, v, d FROM hs.n") == [(1, 5, 5)]


def test_text_is_counted_as_redis_counts(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "k INT PRIMARY KEY, v VARCHAR(40)")
    for text in ("007", "+5", " 5", "5 ", "", "1e3", "2.5", "9223372036854775808"):
        redis("SET", "t:1", text)
        assert isinstance(redis("INCR", "t:1"), RespError), text
        assert redis("HINCRBY", "t:1", "v", "1") == RespError("ERR hash value is not an integer")
        assert redis("GET", "t:1") == text.encode()
    server.sql("UPDATE hs.t SET v = NULL")
    assert redis("INCR", "t:1") == 1
    assert redis("INCRBYFLOAT", "t:1", "0.1") == b"1.1"
    assert redis("HINCRBYFLOAT", "t:2", "v", "3.0e3") == b"3000"
    assert redis("HINCRBYFLOAT", "t:2", "v", "x") == RespError("ERR value is not a valid float")


def test_every_byte_is_kept_in_keys_and_values(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "k VARBINARY(300) PRIMARY KEY, v VARBINARY(300)")
    keys = [b"a" * before + bytes([byte]) + b"z" * behind
            for byte in range(256) for before in (0, 1) for behind in (0, 1)]  # fmt: skip
    assert redis.pipeline([("SET", b"t:" + key, key) for key in keys]) == ["OK"] * len(keys)
    assert redis("MGET", *[b"t:" + key for key in keys]) == keys
    assert server.sql("SELECT COUNT(*), SUM(k = v) FROM hs.t") == [(len(set(keys)),) * 2]
    scanned, cursor = [], b"0"
    while True:
        cursor, found = redis("SCAN", cursor, "COUNT", "37")
        scanned += found
        if cursor == b"0":
            break
    assert sorted(scanned) == sorted({b"t:" + key for key in keys})


def test_scan_names_no_row_by_a_key_that_means_another(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "a VARCHAR(9), b VARCHAR(9), v INT, PRIMARY KEY (a, b)")
    server.sql("INSERT INTO hs.t VALUES ('x', 'y:z', 1), ('x:y', 'z', 2)")
    assert redis("GET", "t:x:y:z") == b"1"
    assert redis("SCAN", "0") == [b"0", [b"t:x:y:z"]]


def test_each_write_makes_a_new_version(server: PrivateServer, redis: Resp) -> None:
    make_table(
        server,
        "k INT PRIMARY KEY, v BIGINT, w VARCHAR(9), c BIGINT UNSIGNED NOT NULL DEFAULT 0, "
        "u INT UNIQUE",
        "name=t value=v cas=c",
    )
    versions = {0}
    for command in (("SET", "t:1", "1"), ("SET", "t:1", "2"), ("SET", "t:1", "3", "XX"),
                    ("MSET", "t:1", "4"), ("INCR", "t:1"), ("INCRBYFLOAT", "t:1", "1"),
                    ("HSET", "t:1", "w", "5"), ("HINCRBY", "t:1", "w", "1"), ("HINCRBY", "t:1", "v", "1"),
                    ("APPEND", "t:1", "0"), ("HDEL", "t:1", "w"), ("GETSET", "t:1", "1")):  # fmt: skip
        assert not isinstance(redis(*command), RespError), command
        versions.add(server.sql("SELECT c FROM hs.t")[0][0])
    assert len(versions) == 13
    assert redis("HSET", "t:1", "c", "7") == 0
    assert server.sql("SELECT c FROM hs.t") == [(7,)]


@pytest.mark.parametrize("other", ["", ", u INT UNIQUE"])
def test_clients_that_insert_the_same_row_do_not_meet(
    server: PrivateServer, redis: Resp, resp_port: int, other: str
) -> None:
    make_table(server, f"k INT PRIMARY KEY, v INT, w TEXT{other}", "name=t value=v")
    rows, clients = 100, 8
    failures: list[Any] = []

    def work() -> None:
        with Resp(resp_port) as client:
            for row in range(rows):
                replies = [
                    client("INCR", f"t:{row}"),
                    client("HSET", f"t:{row + 1000}", "w", "x"),
                    client("SET", f"t:{row + 2000}", "5"),
                    client("APPEND", f"t:{row + 3000}", 1),
                ]
                failures.extend(one for one in replies if isinstance(one, RespError))

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert server.sql(f"SELECT COUNT(*), MIN(v), MAX(v) FROM hs.t WHERE k < {rows}") == [
        (rows, clients, clients)
    ]
    assert server.sql("SELECT COUNT(*), COUNT(DISTINCT v) FROM hs.t WHERE k >= 3000") == [(rows, 1)]


def test_a_row_that_is_there_needs_no_more_values(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "k INT PRIMARY KEY, v INT, w INT NOT NULL", "name=t value=v")
    assert str(redis("SET", "t:1", "1")).startswith("ERR SQL error 1364:")
    assert redis("HSET", "t:1", "w", "7") == 1
    assert redis("SET", "t:1", "1") == "OK"
    assert redis("MSET", "t:1", "2") == "OK"
    assert redis("SETNX", "t:1", "3") == 0
    assert redis("SET", "t:1", "4", "GET") == b"2"
    assert server.sql("SELECT * FROM hs.t") == [(1, 4, 7)]


def test_a_computed_column_cannot_be_written(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "k INT PRIMARY KEY, v INT, g INT AS (v + 1) STORED")
    assert redis("HSET", "t:1", "v", "1") == 1
    assert redis("HGET", "t:1", "g") == b"2"
    for command in (("HSET", "t:1", "g", "5"), ("HDEL", "t:1", "g"), ("HINCRBY", "t:1", "g", "1")):
        assert isinstance(redis(*command), RespError), command
    assert redis("SET", "t:1", "5") == "OK"
    assert server.sql("SELECT * FROM hs.t") == [(1, 5, 6)]


def test_what_is_computed_is_refused_where_sql_would_only_warn(server: PrivateServer, redis: Resp) -> None:
    mode = server.sql("SELECT @@GLOBAL.sql_mode")[0][0]
    server.sql("SET GLOBAL sql_mode = ''")
    try:
        make_table(server, "k INT PRIMARY KEY, v INT, g INT AS (v + 1) STORED", "name=t value=g")
        assert redis("HSET", "t:1", "v", "1") == 1
        for command in (("SET", "t:1", "5"), ("MSET", "t:1", "5"), ("APPEND", "t:1", "5"), ("INCR", "t:1"),
                        ("INCRBYFLOAT", "t:1", "1")):  # fmt: skip
            assert redis(*command) == RespError("ERR the table's value is computed"), command
        for command in (("HSET", "t:1", "g", "5"), ("HINCRBY", "t:1", "g", "1"), ("HSETNX", "t:2", "g", "1")):
            assert redis(*command) == RespError("ERR the column 'g' is computed"), command
        assert redis("GET", "t:1") == b"2"
    finally:
        server.sql(f"SET GLOBAL sql_mode = '{mode}'")
    assert server.sql("SELECT * FROM hs.t") == [(1, 1, 2)]


@pytest.mark.parametrize("column", ["DATETIME NULL", "DATETIME(6) NULL", "DATETIME NOT NULL DEFAULT 0"])
def test_dates_of_expiry_end_with_the_year_9999(
    server: PrivateServer, redis: Resp, column: str
) -> None:
    make_table(server, f"k INT PRIMARY KEY, v INT, e {column}, KEY (e)", "name=t value=v ttl=e")
    assert redis("SET", "t:1", "1", "EX", "100") == "OK"
    assert redis("EXPIRE", "t:1", "4000000000") == 1
    assert 4_000_000_000 - redis("TTL", "t:1") in (0, 1)
    assert redis("EXPIREAT", "t:1", "253300000000") == 1
    assert redis("EXPIRETIME", "t:1") == 253_300_000_000
    for command in (("EXPIREAT", "t:1", "253402300800"), ("PEXPIREAT", "t:1", 2**63 - 1),
                    ("EXPIREAT", "t:1", "9000000000000000"), ("GETEX", "t:1", "EXAT", "300000000000"),
                    ("SET", "t:1", "2", "EXAT", "300000000000")):  # fmt: skip
        assert str(redis(*command)).startswith("ERR SQL error 1441:"), command
    assert redis("EXPIRETIME", "t:1") == 253_300_000_000
    assert redis("GET", "t:1") == b"1"


@pytest.mark.parametrize("column", ["DATETIME NULL", "TIMESTAMP NULL", "BIGINT NULL"])
def test_what_expires_now_is_gone_at_once(server: PrivateServer, redis: Resp, column: str) -> None:
    make_table(server, f"k INT PRIMARY KEY, v INT, e {column}, KEY (e)", "name=t value=v ttl=e")
    for command in (("EXPIRE", "t:1", "0"), ("EXPIRE", "t:1", "-5"), ("PEXPIRE", "t:1", "-1"),
                    ("EXPIREAT", "t:1", "0"), ("PEXPIREAT", "t:1", "1")):  # fmt: skip
        assert redis("SET", "t:1", "1") == "OK"
        assert redis.pipeline([command, ("GET", "t:1"), ("EXISTS", "t:1")]) == [1, None, 0], command


def test_scan_passes_over_tables_whose_keys_have_no_order(
    server: PrivateServer, redis: Resp
) -> None:
    make_table(server, "k INT PRIMARY KEY, v INT")
    server.sql("CREATE TABLE hs.m (k INT PRIMARY KEY, v INT) ENGINE = MEMORY COMMENT 'hs: name=m'")
    assert redis("SET", "t:1", "1") == redis("SET", "m:1", "1") == "OK"
    assert redis("SCAN", "0") == [b"0", [b"t:1"]]
    assert redis("DBSIZE") == 1


@pytest.mark.parametrize("key", ["k", "n, k", "k, n"])
@pytest.mark.parametrize("order", ["", " DESC"])
def test_scan_passes_over_keys_whose_texts_are_rounded(server: PrivateServer, redis: Resp, key: str, order: str) -> None:
    """16777216 in a FLOAT is printed as 16777200, which is another key."""
    make_table(server, "k INT PRIMARY KEY, v INT")
    for name, column, values in (("f", "FLOAT", ["0.1", "16777216"]), ("fixed", "FLOAT(10,2)", ["0.1", "123456.78"])):
        server.sql(
            f"CREATE TABLE hs.{name} (id INT AUTO_INCREMENT PRIMARY KEY, k {column} NOT NULL, n INT NOT NULL DEFAULT 1, v INT,"
            f" UNIQUE ({key}{order})) COMMENT 'hs: name={name} key={key.replace(' ', '')} value=v sep=/'"
        )
        for value in values:
            server.sql(f"INSERT INTO hs.{name} (k, v) VALUES ({value}, 7)")
    assert redis("SET", "t:1", "1") == "OK"
    found = all_keys(redis)
    assert len(found) == 3 and found[-1] == b"t:1"
    assert [redis("GET", one) for one in found] == [b"7", b"7", b"1"]
    assert redis("DBSIZE") == 3


def all_keys(redis: Resp) -> list[bytes]:
    """What SCAN finds, in its order."""
    found, cursor = [], b"0"
    while True:
        cursor, keys = redis("SCAN", cursor, "COUNT", "2")
        found += keys
        if cursor == b"0":
            return found


@pytest.mark.parametrize(
    ("column", "keys"),
    [
        ("INT", ["7", "3", "0", "-2", "-9"]),
        ("BIGINT UNSIGNED", ["18446744073709551615", "7", "0"]),
        ("DECIMAL(9,2)", ["7.50", "0.10", "-3.00"]),
        ("VARBINARY(9)", ["zz", "b", "a"]),
        ("VARCHAR(9) COLLATE utf8mb4_general_ci", ["zz", "b", "a", "", "\t"]),
        ("DATETIME(6)", ["9999-12-31 23:59:59.999999", "2020-01-01 00:00:00.000000"]),
        ("TIMESTAMP", ["2037-01-01 00:00:00", "2020-01-01 00:00:00"]),
    ],
)
def test_scan_finds_all_keys_of_a_descending_index(
    server: PrivateServer, redis: Resp, column: str, keys: list[str]
) -> None:
    make_table(server, f"k {column}, l INT, v INT, PRIMARY KEY (k DESC, l)", "name=t value=v sep=/")
    for key in keys:
        assert redis("MSET", f"t/{key}/1", "1", f"t/{key}/2", "2") == "OK"
    assert all_keys(redis) == [f"t/{key}/{number}".encode() for key in keys for number in (1, 2)]
    assert redis("DBSIZE") == 2 * len(keys)


@pytest.mark.parametrize(
    ("column", "keys"),
    [
        ("VARCHAR(9) COLLATE utf8mb4_bin", ["\0\0", "\0", "\t", "", "a"]),
        ("VARCHAR(9) COLLATE utf8mb4_nopad_bin", ["", "\0", "\0\0", " ", "a", "a "]),
        ("VARCHAR(9) COLLATE utf8mb4_general_nopad_ci", ["", "\0", "\t", " ", "b"]),
        ("VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_nopad_bin", ["", "\0", "a"]),
        ("VARCHAR(9) COLLATE uca1400_ai_ci", ["\t", "", "a"]),
    ],
)
def test_scan_begins_with_the_first_key_of_every_collation(
    server: PrivateServer, redis: Resp, column: str, keys: list[str]
) -> None:
    make_table(server, f"k {column} PRIMARY KEY, v INT", "name=t value=v")
    for key in keys:
        assert redis("SET", f"t:{key}", "1") == "OK"
    assert all_keys(redis) == [f"t:{key}".encode() for key in keys]
    assert redis("DBSIZE") == len(keys)


@pytest.mark.parametrize("order", ["", "DESC"])
def test_scan_leaves_out_rows_that_no_key_means(server: PrivateServer, redis: Resp, order: str) -> None:
    make_table(server, f"a INT NULL, b VARCHAR(9) NULL, v INT, UNIQUE KEY (a {order}, b)", "name=t key=a,b value=v")
    server.sql("INSERT INTO hs.t VALUES (NULL,'x',1),(NULL,NULL,1),(1,NULL,1),(1,NULL,1),(1,'',1),(1,'a',1),(2,'',1),(2,NULL,1)")
    keys = [[b"t:1:", b"t:1:a"], [b"t:2:"]]
    if order:
        keys.reverse()
    assert all_keys(redis) == keys[0] + keys[1]


def test_a_set_is_not_read_against_the_order_of_redis(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "g INT, m VARBINARY(9), p INT NOT NULL, PRIMARY KEY (g DESC, m), KEY s (g DESC, p, m)")
    for number, member in enumerate("abcde"):
        assert redis("HSET", f"t:1:{member}", "p", number) == 1
    assert redis("ZRANGE", "t:1", "0", "1", "WITHSCORES") == [b"a", b"0", b"b", b"1"]
    assert redis("ZCOUNT", "t:1", "1", "2") == 2
    commands = (("ZRANGE", "t:1", "0", "-1"), ("ZCARD", "t:1"), ("ZCOUNT", "t:1", "0", "9"), ("ZSCORE", "t:1", "a"),
                ("ZRANGE", "t:1", "-", "+", "BYLEX"))  # fmt: skip
    for parts in ("g, p DESC, m", "g, p, m DESC", "g, p DESC, m DESC"):
        server.sql(f"ALTER TABLE hs.t DROP KEY s, ADD KEY s ({parts})")
        for command in commands[:4]:
            assert str(redis(*command)).startswith("ERR the table has no order for a sorted set"), (parts, command)
    server.sql("ALTER TABLE hs.t DROP KEY s")
    assert redis("ZRANGE", "t:1", "[b", "[c", "BYLEX") == [b"b", b"c"]
    server.sql("ALTER TABLE hs.t DROP PRIMARY KEY, ADD PRIMARY KEY (g, m DESC)")
    for command in commands:
        assert str(redis(*command)).startswith("ERR the table has no order for a sorted set"), command


def test_the_system_tables_are_as_tables_that_do_not_exist(redis: Resp) -> None:
    for table in ("mysql.global_priv", "mysql.db", "mysql.no_such_table"):
        for _ in range(2):
            assert redis("GET", f"{table}:localhost:root") is None
            told = str(redis("SET", f"{table}:localhost:root", "{}"))
            assert told == f"ERR no table has the key '{table}:localhost:root'"


def test_a_table_without_the_right_index_is_no_sorted_set(
    server: PrivateServer, redis: Resp
) -> None:
    make_table(server, "a INT, b VARCHAR(9), v INT NOT NULL, PRIMARY KEY (a, b), KEY (a, v)")
    server.sql("INSERT INTO hs.t VALUES (1, 'x', 5)")
    for command in (("ZRANGE", "t:1", "0", "-1"), ("ZCARD", "t:1"), ("ZSCORE", "t:1", "x")):
        assert str(redis(*command)).startswith("ERR the table has no order for a sorted set")
    server.sql("ALTER TABLE hs.t ADD KEY (a, v, b)")
    assert redis("ZRANGE", "t:1", "0", "-1", "WITHSCORES") == [b"x", b"5"]
    assert redis("ZRANGEBYLEX", "t:1", "-", "+") == RespError(
        "ERR this sorted set is in the order of scores, not of members"
    )
    assert str(redis("ZADD", "t:1", "1", "y")).startswith("ERR ZADD is not served: ")
    assert redis("ZCARD", "t:1:2") == redis("ZCARD", "none:1") == 0


def test_a_refusal_goes_by_what_the_table_is_now(server: PrivateServer, redis: Resp) -> None:
    """A command that is answered without a request to the table."""
    for _ in range(5):
        make_table(server, "a INT, b INT, v INT, PRIMARY KEY (a, b)")
        assert redis("SET", "t:1:2", "1") == "OK"
        assert redis("SET", "t:1", "1") == RespError("ERR no table has the key 't:1'")
        make_table(server, "a INT PRIMARY KEY, v INT, e BIGINT NULL, KEY (e)", "name=t value=v,e")
        assert redis("SET", "t:1", "1|9999999999") == "OK"
        assert isinstance(redis("INCR", "t:1"), RespError)
        server.sql("ALTER TABLE hs.t COMMENT 'hs: name=t value=v'")
        assert redis("INCR", "t:1") == 2
        assert isinstance(redis("EXPIRE", "t:1", "100"), RespError)
        server.sql("ALTER TABLE hs.t COMMENT 'hs: name=t value=v ttl=e'")
        assert redis("EXPIRE", "t:1", "100") == 1
        assert isinstance(redis("HSET", "t:1", "w", "1"), RespError)
        server.sql("ALTER TABLE hs.t ADD COLUMN w INT")
        assert redis("HSET", "t:1", "w", "1") == 1
        assert redis("GET", "t:1:2") is None
        server.sql(
            "ALTER TABLE hs.t DROP PRIMARY KEY, ADD PRIMARY KEY (a, v), COMMENT 'hs: name=t value=w'"
        )
        assert redis("EXISTS", "t:1:2") == 1


def test_numbers_are_counted_behind_the_zeros_that_fill_them_up(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "k INT PRIMARY KEY, v INT ZEROFILL, w DECIMAL(5,0) ZEROFILL", "name=t value=v")
    assert redis.pipeline([("INCR", "t:1"), ("INCRBY", "t:1", "41"), ("DECRBY", "t:1", "42")]) == [1, 42, 0]
    assert redis.pipeline([("HINCRBY", "t:1", "w", "7"), ("HINCRBY", "t:1", "w", "99992")]) == [7, 99999]
    assert redis("INCR", "t:1") == 1
    assert server.sql("SELECT v + 0, w + 0 FROM hs.t") == [(1, 99999)]


@pytest.mark.parametrize("column", ["INT UNSIGNED", "BIGINT UNSIGNED", "DECIMAL(5,0) UNSIGNED"])
def test_what_is_below_zero_is_not_rounded_to_it(server: PrivateServer, redis: Resp, column: str) -> None:
    make_table(server, f"k INT PRIMARY KEY, v {column}", "name=t value=v")
    server.sql("INSERT INTO hs.t VALUES (1, 2)")
    with pytest.raises(pymysql.err.DataError):
        server.sql("UPDATE hs.t SET v = v - 2.25")
    for command in (("INCRBYFLOAT", "t:1", "-2.25"), ("HINCRBYFLOAT", "t:1", "v", "-2.0001")):
        assert redis(*command) == RespError("ERR increment or decrement would overflow")
    assert server.sql("SELECT * FROM hs.t") == [(1, 2)]
    assert redis("INCRBYFLOAT", "t:1", "-1.75") == b"0"


LOOSE = "k VARCHAR(9) PRIMARY KEY, d DECIMAL(9,2), r DOUBLE, f DOUBLE(9,2), b BIGINT UNSIGNED, l DECIMAL(30,0)"


@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM"])
def test_a_count_that_has_no_answer_changes_nothing(server: PrivateServer, redis: Resp, engine: str) -> None:
    server.sql(f"CREATE TABLE hs.t ({LOOSE}) ENGINE={engine} COMMENT 'hs: name=t value=d'")
    server.sql("INSERT INTO hs.t VALUES ('a', 1, 1.5, 1, 9223372036854775807, 9223372036854775807)")
    server.sql("INSERT INTO hs.t (k, r) VALUES ('n', 999999999999999)")
    before = server.sql("SELECT * FROM hs.t ORDER BY k")
    no_integer, overflow = "ERR hash value is not an integer", "ERR increment or decrement would overflow"
    for key in ("t:a", "t:n", "t:new"):
        assert redis("INCR", key) == RespError("ERR value is not an integer or out of range")
        for column in ("d", "f"):
            assert redis("HINCRBY", key, column, "1") == RespError(no_integer)
    for key, column, told in (
        ("t:a", "r", no_integer), ("t:n", "r", no_integer), ("t:a", "b", overflow), ("t:a", "l", overflow)
    ):  # fmt: skip
        assert redis("HINCRBY", key, column, "1") == RespError(told)
        # What has changed nothing undoes nothing.
        block = [("MULTI",), ("HINCRBY", key, column, "1"), ("HINCRBY", "t:other", "b", "1"), ("EXEC",)]
        assert redis.pipeline(block)[-1] == [RespError(told), 1]
        assert redis("DEL", "t:other") == 1
    assert server.sql("SELECT * FROM hs.t ORDER BY k") == before
    assert redis("HINCRBY", "t:a", "b", "-1") == 9223372036854775806
    assert redis("HINCRBY", "t:n", "r", "-1") == 999999999999998
    assert redis("INCRBYFLOAT", "t:a", "0.5") == b"1.50"
    # The digits behind the point are of the table as it is now.
    server.sql("ALTER TABLE hs.t MODIFY d DECIMAL(9,0)")
    assert redis("INCR", "t:new") == 1
    server.sql("ALTER TABLE hs.t MODIFY d DECIMAL(9,1)")
    assert redis("INCR", "t:new") == RespError("ERR value is not an integer or out of range")


@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM"])
def test_values_that_do_not_fit_are_found_before_the_first_row(server: PrivateServer, redis: Resp, engine: str) -> None:
    server.sql(f"CREATE TABLE hs.t (k INT PRIMARY KEY, a INT, b INT) ENGINE={engine} COMMENT 'hs: name=t'")
    told = redis("MSET", "t:1", "1|2", "t:2", "3")
    assert str(told).startswith("ERR the value has not as many parts as the table has columns for it: 2")
    assert redis.pipeline([("MULTI",), ("MSET", "t:1", "1|2", "t:2", "3"), ("SET", "t:3", "5|6"), ("EXEC",)])[-1] == [told, "OK"]
    assert server.sql("SELECT * FROM hs.t") == [(3, 5, 6)]


def test_a_row_that_stays_longer_than_milliseconds_count_has_time_left(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "k INT PRIMARY KEY, v INT, at BIGINT NOT NULL", "name=t value=v ttl=at")
    server.sql("INSERT INTO hs.t VALUES (1, 1, 9223372036854775807), (2, 2, 9223372036854776)")
    for key in ("t:1", "t:2"):
        assert redis("GET", key) is not None
        assert redis("TTL", key) > 9 * 10**15 and redis("PTTL", key) > 9 * 10**18
        assert redis("PEXPIRETIME", key) == 2**63 - 1
    assert redis("EXPIRETIME", "t:1") == 2**63 - 1


def test_no_client_reads_more_time_than_it_has_asked_for(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "k INT PRIMARY KEY, v INT, at DATETIME", "name=t value=v ttl=at")
    for milliseconds in range(60_001, 62_000, 97):  # at all times within a second
        redis.pipeline([("SET", "t:1", "1", "PX", milliseconds)])
        assert 0 < redis("PTTL", "t:1") <= milliseconds
        assert 0 < redis("TTL", "t:1") <= milliseconds // 1000 + 1


def test_a_count_and_its_version_are_one_change(server: PrivateServer, redis: Resp) -> None:
    """Triggers run once, and the reply is what is there."""
    make_table(
        server, "k INT PRIMARY KEY, v INT, c BIGINT NOT NULL DEFAULT 0, changes INT NOT NULL DEFAULT 0",
        "name=t value=v cas=c",
    )  # fmt: skip
    server.sql(
        "CREATE TRIGGER hs.counts BEFORE UPDATE ON hs.t FOR EACH ROW SET NEW.changes = OLD.changes + 1, NEW.v = NEW.v + 1"
    )
    server.sql("INSERT INTO hs.t (k, v) VALUES (1, 10), (2, NULL)")
    versions = {0}
    for command, reply in ((("INCR", "t:1"), 12), (("INCRBYFLOAT", "t:1", "0"), b"13"),
                           (("HINCRBY", "t:1", "v", "-3"), 11), (("INCR", "t:2"), 2)):  # fmt: skip
        assert redis(*command) == reply
        versions.update(c for (c,) in server.sql("SELECT c FROM hs.t"))
    assert len(versions) == 5
    assert server.sql("SELECT v, changes FROM hs.t ORDER BY k") == [(11, 3), (2, 1)]


_ROW_TIMES = (
    ", rs TIMESTAMP(6) GENERATED ALWAYS AS ROW START, re TIMESTAMP(6) GENERATED ALWAYS AS ROW END,"
    " PERIOD FOR SYSTEM_TIME (rs, re)"
)


@pytest.mark.parametrize("engine", ["InnoDB", "Aria", "MyISAM"])
@pytest.mark.parametrize("times", ["", _ROW_TIMES])
def test_keys_mean_the_rows_of_a_versioned_table_that_are_no_history(
    server: PrivateServer, redis: Resp, engine: str, times: str
) -> None:
    server.sql(
        f"CREATE OR REPLACE TABLE hs.t (a INT, b VARCHAR(9), v INT, PRIMARY KEY (a, b){times}) ENGINE = {engine}"
        " WITH SYSTEM VERSIONING COMMENT 'hs: name=t value=v'"
    )
    assert redis("SET", "t:1:x", "1") == "OK"
    assert redis.pipeline([("INCR", "t:1:x"), ("SET", "t:1:x", "7", "GET"), ("GET", "t:1:x")]) == [2, b"2", b"7"]
    assert redis.pipeline([("SETNX", "t:1:x", "8"), ("DEL", "t:1:x"), ("EXISTS", "t:1:x")]) == [0, 1, 0]
    assert redis("SETNX", "t:1:x", "9") == 1
    assert server.sql("SELECT a, b, v FROM hs.t") == [(1, "x", 9)]
    history = server.sql("SELECT v FROM hs.t FOR SYSTEM_TIME ALL WHERE v <> 9 ORDER BY v")
    assert history == [(1,), (2,), (7,)]


def test_append_tells_the_length_that_is_there_then(server: PrivateServer, redis: Resp) -> None:
    for column, first, more, length in (
        ("CHAR(9)", "ab", "  ", 2), ("VARCHAR(9)", "ab", "  ", 4), ("DECIMAL(9,2)", "1", "5", 4),
        ("DOUBLE", "1.5", "0", 3), ("JSON", "[1]", " ", None),
    ):  # fmt: skip
        make_table(server, f"k INT PRIMARY KEY, v {column}")
        assert redis("APPEND", "t:1", first) == redis("STRLEN", "t:1")
        told = redis("APPEND", "t:1", more)
        assert told == redis("STRLEN", "t:1")
        assert length is None or told == length


def test_a_row_that_could_not_be_locked_in_time_is_to_be_tried_again(server: PrivateServer, redis: Resp) -> None:
    make_table(server, "k INT PRIMARY KEY, v INT")
    server.sql("INSERT INTO hs.t VALUES (1, 1)")
    server.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    told = "TRYAGAIN the row could not be locked in time (engine error 146)"
    try:
        with server.connect() as other, other.cursor() as sql:
            sql.execute("BEGIN")
            sql.execute("UPDATE hs.t SET v = 2")
            assert redis("SET", "t:1", "3") == RespError(told)
            assert redis.pipeline([("MULTI",), ("INCR", "t:1"), ("EXEC",)])[-1] == [RespError(told)]
            sql.execute("ROLLBACK")
    finally:
        server.sql("SET GLOBAL innodb_lock_wait_timeout = DEFAULT")
    assert redis("SET", "t:1", "3") == "OK"
