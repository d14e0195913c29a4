"""Attacks on the port for clients of Redis: what changes, breaks or is missing while commands are at work."""

from __future__ import annotations

import random
import select
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import on_mysql
import pytest
from private_server import PrivateServer
from resp_client import Resp, RespError, message

KV = "CREATE TABLE hs.kv (k VARBINARY(64) PRIMARY KEY, v MEDIUMBLOB) COMMENT 'hs: name=kv'"


@pytest.fixture
def redis(server: PrivateServer, database: str, resp_port: int) -> Iterator[Resp]:
    """A client, and a table."""
    server.sql(KV)
    with Resp(resp_port) as client:
        yield client


def test_a_table_that_is_not_served_does_not_hide_the_others(server: PrivateServer, redis: Resp) -> None:
    server.sql("CREATE TABLE hs.part (k INT PRIMARY KEY, v INT) ENGINE = MyISAM")
    server.sql("CREATE TABLE hs.merged (k INT PRIMARY KEY, v INT) ENGINE = MERGE UNION = (hs.part) COMMENT 'hs: name=merged'")
    assert redis("SET", "kv:a", "1") == "OK"
    for _ in range(2):
        assert redis("SCAN", "0") == [b"0", [b"kv:a"]]
        assert redis("DBSIZE") == 1
        assert b"keys=1\r\n" in redis("INFO", "keyspace")
        for command in (("GET", "merged:1"), ("SET", "merged:1", "1"), ("MGET", "kv:a", "merged:1")):
            assert redis(*command) == RespError("ERR the table has a feature that is not served")


def test_a_scan_is_no_longer_than_a_reply_may_be(server: PrivateServer, redis: Resp) -> None:
    server.sql("CREATE TABLE hs.long (k VARCHAR(600) CHARACTER SET latin1 PRIMARY KEY) COMMENT 'hs: name=long'")
    server.sql("INSERT INTO hs.long VALUES " + ",".join(f"('{i:0500}')" for i in range(100)))
    server.sql("SET GLOBAL handlersocket_max_reply_size = 20000")
    try:
        too_long = RespError("ERR the reply would be larger than handlersocket_max_reply_size (the table is hs.long)")
        assert redis("SCAN", "0", "COUNT", "1000") == too_long
        cursor, keys = redis("SCAN", "0", "COUNT", "30")
        assert cursor != b"0"
        assert len(keys) == 30
    finally:
        server.sql("SET GLOBAL handlersocket_max_reply_size = DEFAULT")
    assert len(redis("SCAN", "0", "COUNT", "1000")[1]) == 100


def test_a_value_longer_than_a_reply_is_measured_cut_and_appended_to(server: PrivateServer, redis: Resp) -> None:
    server.sql("CREATE TABLE hs.big (k INT PRIMARY KEY, v MEDIUMBLOB, n BLOB) COMMENT 'hs: name=big value=v'")
    server.sql("INSERT INTO hs.big VALUES (1, REPEAT('x', 30000), 'n')")
    too_long = "ERR the reply would be larger than handlersocket_max_reply_size"
    server.sql("SET GLOBAL handlersocket_max_reply_size = 20000")
    try:
        assert redis("STRLEN", "big:1") == redis("HSTRLEN", "big:1", "v") == 30000
        assert redis("APPEND", "big:1", "y") == 30001
        assert redis("GETRANGE", "big:1", "-2", "-1") == b"xy"
        assert redis("MEMORY", "USAGE", "big:1") > 30000
        assert redis("HSET", "big:1", "v", "z" * 30000, "n", "m") == 0
        assert redis("WATCH", "big:1") == "OK"
        for command in (("GET", "big:1"), ("GETRANGE", "big:1", "0", "-2"), ("HGETALL", "big:1"), ("GETSET", "big:1", "a")):
            assert too_long in str(redis(*command)), command
        block = [("MULTI",), ("STRLEN", "big:1"), ("APPEND", "big:1", "y"), ("GETRANGE", "big:1", "-1", "-1"), ("EXEC",)]
        assert redis.pipeline(block)[-1] == [30000, 30001, b"y"]
        assert redis("SET", "big:1", "short") == "OK"
    finally:
        server.sql("SET GLOBAL handlersocket_max_reply_size = DEFAULT")
    assert redis("GET", "big:1") == b"short"


BLOCK: list[Any] = [("MULTI",), ("SET", "kv:b", "2"), ("EXEC",)]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("statements", "is_done"),
    [
        (["ALTER TABLE hs.kv COMMENT 'hs: name=kv value=v'"], True),
        (["ALTER TABLE hs.kv FORCE"], True),
        (["ALTER TABLE hs.kv ADD w INT DEFAULT 7"], False),
        (["ALTER TABLE hs.kv RENAME TO hs.other"], True),  # the name belongs to the table
        (["ALTER TABLE hs.kv COMMENT 'hs: name=elsewhere'"], False),
        (["TRUNCATE TABLE hs.kv"], False),
        (["DROP TABLE hs.kv"], False),
        (["DROP TABLE hs.kv", KV], False),
        (["DROP TABLE hs.kv", KV, "INSERT INTO hs.kv VALUES ('a', '1')"], True),
        (["DROP TABLE hs.kv", KV, "INSERT INTO hs.kv VALUES ('a', '3')"], False),
    ],
)
def test_a_row_is_watched_across_ddl(
    server: PrivateServer, redis: Resp, statements: list[str], is_done: bool, whole: bool
) -> None:
    redis("SET", "kv:a", "1")
    assert redis("WATCH", "kv:a") == "OK"
    for statement in statements:
        server.sql(statement)
    told = redis.pipeline(BLOCK) if whole else [redis(*one) for one in BLOCK]
    if is_done:
        assert told[-1] == ["OK"]
        assert redis("GET", "kv:b") == b"2"
    else:
        assert told[-1] is None or isinstance(told[-1], RespError), told
        for (table,) in server.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'hs'"):
            assert server.sql(f"SELECT COUNT(*) FROM hs.{table} WHERE k = 'b'") == [(0,)]
    # Nothing is watched any more.
    assert redis.pipeline([("MULTI",), ("PING",), ("EXEC",)])[-1] == ["PONG"]


@pytest.mark.parametrize("wrong", ["AUTH a b", "EXEC now", "WATCH", "DISCARD now", "MULTI now", "GET", "NOTHING", "HELLO 3"])
def test_a_transaction_with_a_refused_command_does_nothing(redis: Resp, wrong: str) -> None:
    told = redis.pipeline([("MULTI",), ("SET", "kv:a", "1"), tuple(wrong.split(" ")), ("EXEC",), ("GET", "kv:a")])
    assert isinstance(told[2], RespError)
    # A wrong EXEC has ended the transaction.
    is_over = wrong == "EXEC now"
    end = "ERR EXEC without MULTI" if is_over else "EXECABORT Transaction discarded because of previous errors."
    assert told[3] == RespError(end)
    assert told[4] is None


def test_a_row_that_was_not_there_is_watched_across_ddl(server: PrivateServer, redis: Resp) -> None:
    redis("WATCH", "kv:a")
    server.sql("DROP TABLE hs.kv")
    told = redis.pipeline(BLOCK)[-1]
    assert [str(one) for one in told] == ["ERR no table has the key 'kv:b'"]
    redis("WATCH", "kv:a")
    server.sql(KV)
    assert redis.pipeline(BLOCK)[-1] == ["OK"]
    redis("WATCH", "kv:a")
    server.sql("INSERT INTO hs.kv VALUES ('a', '1')")
    assert redis.pipeline(BLOCK)[-1] is None


def test_a_row_that_expires_is_another_one(server: PrivateServer, redis: Resp, no_purge: None) -> None:
    server.sql(
        "CREATE TABLE hs.ses (id VARBINARY(20) PRIMARY KEY, data TEXT, at DATETIME NULL, KEY (at))"
        " COMMENT 'hs: name=ses value=data ttl=at'"
    )
    server.sql("INSERT INTO hs.ses VALUES ('a', 'x', NULL), ('gone', 'x', '2001-01-01')")
    redis("WATCH", "ses:a")
    server.sql("UPDATE hs.ses SET at = '2001-01-01' WHERE id = 'a'")
    assert redis.pipeline(BLOCK)[-1] is None
    # What has expired is not there, and does not come to be there when it is deleted.
    redis("WATCH", "ses:gone")
    server.sql("DELETE FROM hs.ses WHERE id = 'gone'")
    assert redis.pipeline(BLOCK)[-1] == ["OK"]
    redis("WATCH", "ses:gone")
    server.sql("INSERT INTO hs.ses VALUES ('gone', 'x', NULL)")
    assert redis.pipeline(BLOCK)[-1] is None


def scan(client: Resp, count: int) -> list[bytes]:
    """All that one scan tells."""
    found: list[bytes] = []
    cursor = b"0"
    while True:
        cursor, part = client("SCAN", cursor, "COUNT", count)
        found += part
        if cursor == b"0":
            return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_scan_tells_what_stays_while_rows_change(server: PrivateServer, redis: Resp, resp_port: int, seed: int) -> None:
    server.sql("CREATE TABLE hs.num (k INT PRIMARY KEY, v INT) COMMENT 'hs: name=num'")
    server.sql("CREATE TABLE hs.two (a INT, b VARCHAR(9), v INT, PRIMARY KEY (a, b)) COMMENT 'hs: name=two value=v'")
    stay = [b"kv:%03d" % i for i in range(0, 300, 3)] + [b"num:%d" % i for i in range(-60, 60, 3)]
    stay += [b"two:%d:%d" % (i, j) for i in range(5) for j in range(5)]
    redis.pipeline([("SET", key, "1") for key in stay])
    over = threading.Event()

    def change() -> None:
        draw = random.Random(seed)
        with Resp(resp_port) as client:
            while not over.is_set():
                number = draw.randrange(100) * 3 + draw.choice([1, 2])
                key = draw.choice([f"kv:{number:03d}", f"num:{number - 150}", f"two:{number % 5}:x{number}"])
                if key.startswith("num") and (number - 150) % 3 == 0:
                    continue
                client(*draw.choice([("SET", key, "2"), ("DEL", key), ("SET", draw.choice(stay), "3")]))

    threads = [threading.Thread(target=change) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for count in (1, 2, 7, 50):
            found = scan(redis, count)
            assert set(stay) <= set(found)
            assert len(found) == len(set(found))
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_a_scan_goes_on_where_a_table_was_altered(server: PrivateServer, redis: Resp) -> None:
    stay = [b"kv:%02d" % i for i in range(20)]
    redis.pipeline([("SET", key, "1") for key in stay])
    found: list[bytes] = []
    cursor = b"0"
    for statement in (
        "ALTER TABLE hs.kv ADD w INT",
        "RENAME TABLE hs.kv TO hs.moved",
        "CREATE TABLE hs.a (k INT PRIMARY KEY, v INT) COMMENT 'hs: name=a'",
        "DELETE FROM hs.moved WHERE k = '11'",
        "DROP TABLE hs.a",
    ):
        cursor, part = redis("SCAN", cursor, "COUNT", "3")
        found += part
        server.sql(statement)
    while cursor != b"0":
        cursor, part = redis("SCAN", cursor, "COUNT", "3")
        found += part
    assert set(stay) - {b"kv:11"} <= set(found)


def test_a_hash_is_scanned_while_its_row_changes(server: PrivateServer, redis: Resp, resp_port: int) -> None:
    server.sql("CREATE TABLE hs.h (k INT PRIMARY KEY, a INT, b INT, c INT) COMMENT 'hs: name=h'")
    redis("HSET", "h:1", "a", "1", "c", "1")
    with Resp(resp_port) as other:
        for i in range(200):
            other.socket.sendall(message("HSET", "h:1", "b", i) + message("HDEL", "h:1", "b"))
            fields = redis("HSCAN", "h:1", "0")[1]
            assert {b"k", b"a", b"c"} <= set(fields[::2]) <= {b"k", b"a", b"b", b"c"}
            assert [other.read(), other.read()][1] == 1


def test_exec_that_is_killed_does_nothing(server: PrivateServer, redis: Resp) -> None:
    redis("SET", "kv:a", "1")
    with server.connect() as sql, sql.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("UPDATE hs.kv SET v = 'by SQL' WHERE k = 'a'")
        redis("MULTI")
        redis("SET", "kv:b", "1")
        redis("SET", "kv:a", "2")
        redis.socket.sendall(message("EXEC"))
        own = "SELECT state FROM information_schema.handlersocket_connections WHERE state = 'waiting for a lock'"
        while not server.sql(own):
            pass
        for (thread,) in server.sql(
            "SELECT id FROM information_schema.processlist WHERE user = 'handlersocket' AND command = 'Query'"
            " AND info LIKE '%hs.kv'"
        ):
            server.sql(f"KILL QUERY {thread}")
        told = redis.read()
        cursor.execute("ROLLBACK")
    assert isinstance(told, RespError)
    assert redis("MGET", "kv:a", "kv:b") == [b"1", None]
    assert redis.pipeline(BLOCK)[-1] == ["OK"]


ENGINES = {
    "InnoDB": "ENGINE=InnoDB",
    "MyISAM": "ENGINE=MyISAM",
    "Aria": "ENGINE=Aria",
    "MEMORY": "ENGINE=MEMORY",
    "partitions": "ENGINE=InnoDB PARTITION BY KEY (k) PARTITIONS 3",
}
SCRIPT: list[tuple[Any, ...]] = [
    ("SET", "e:a", "1"), ("SET", "e:a", "2", "NX"), ("SET", "e:b", "2", "XX"), ("SET", "e:c", "x", "GET"),
    ("SETNX", "e:d", "5"), ("MSET", "e:a", "7", "e:f", "8"), ("INCR", "e:a"), ("INCRBY", "e:new", "5"),
    ("APPEND", "e:c", "yz"), ("APPEND", "e:g", "1"), ("GET", "e:c"), ("MGET", "e:a", "e:nothing", "e:c"),
    ("HSET", "e:a", "w", "9"), ("HINCRBY", "e:a", "w", "-10"), ("HGETALL", "e:a"), ("HSETNX", "e:a", "w", "1"),
    ("HDEL", "e:a", "w"), ("HGET", "e:a", "w"), ("EXPIRE", "e:c", "1000"), ("TTL", "e:c"), ("PERSIST", "e:c"),
    ("TTL", "e:c"), ("DEL", "e:f", "e:nothing"), ("GETDEL", "e:g"), ("EXISTS", "e:a", "e:f", "e:a"),
    ("WATCH", "e:a"), ("MULTI",), ("SET", "e:m", "1"), ("INCR", "e:m"), ("GET", "e:m"), ("EXEC",),
    ("HSET", "e:a", "w", "no number"), ("SET", "e:a", "x" * 300), ("STRLEN", "e:a"), ("DBSIZE",),
]  # fmt: skip


@pytest.mark.parametrize("engine", sorted(set(ENGINES) - {"InnoDB"}))
def test_other_engines_answer_as_innodb(server: PrivateServer, database: str, resp_port: int, engine: str) -> None:
    told, rows = {}, {}
    for name in ("InnoDB", engine):
        server.sql("DROP TABLE IF EXISTS hs.e")
        server.sql(
            "CREATE TABLE hs.e (k VARCHAR(20), v VARCHAR(200), w INT, at DATETIME NULL, PRIMARY KEY (k) USING BTREE, KEY (at))"
            f" COMMENT 'hs: name=e value=v ttl=at' {ENGINES[name]}"
        )
        with Resp(resp_port) as client:
            told[name] = [client(*command) for command in SCRIPT]
            told[name].append(sorted(client("SCAN", "0", "COUNT", "100")[1]))
        rows[name] = sorted(server.sql("SELECT k, v, w FROM hs.e"))
    for command, mine, theirs in zip([*SCRIPT, ("SCAN",)], told[engine], told["InnoDB"]):
        # A second may have begun meanwhile.
        assert (mine > 0) == (theirs > 0) if command[0] == "TTL" else mine == theirs, command
    assert rows[engine] == rows["InnoDB"]


def test_each_error_of_many_at_once_is_of_its_first_row(server: PrivateServer, redis: Resp) -> None:
    server.sql("CREATE TABLE hs.short (k INT PRIMARY KEY, v VARCHAR(2)) COMMENT 'hs: name=short value=v'")
    server.sql("INSERT INTO hs.short VALUES (1, 'a')")
    told = []
    for words in ((), ("GET",), ("XX",), ("NX", "GET")):
        key = "short:2" if "NX" in words else "short:1"
        told += redis.pipeline([("SET", "short:3", "a"), *([("SET", key, "long", *words)] * 5)])[1:]
    assert {str(one) for one in told} == {"ERR SQL error 1406: Data too long for column 'v' at row 1"}


@pytest.mark.parametrize("engine", ["MyISAM", "Aria", "MEMORY"])
def test_a_lock_in_the_middle_of_what_cannot_be_undone_is_waited_for(
    server: PrivateServer, database: str, resp_port: int, engine: str
) -> None:
    for name in ("first", "second"):
        server.sql(
            f"CREATE TABLE hs.{name} (k VARCHAR(20) PRIMARY KEY, v INT) ENGINE={engine} COMMENT 'hs: name={name}'"
        )
    server.sql("INSERT INTO hs.second VALUES ('held', 0)")
    with Resp(resp_port) as client, server.connect() as gate, server.connect() as holder:
        with gate.cursor() as cursor, ThreadPoolExecutor(1) as pool:
            cursor.execute("SELECT GET_LOCK('gate', 60)")
            held = "UPDATE hs.second SET v = GET_LOCK('gate', 60) WHERE k = 'held'"
            holding = pool.submit(lambda: holder.cursor().execute(held))
            while not server.sql("SELECT 1 FROM information_schema.processlist WHERE state = 'User lock'"):
                assert not holding.done()
            client.socket.sendall(
                b"".join(message(*one) for one in [("MULTI",), ("INCR", "first:a"), ("INCR", "second:a"), ("EXEC",)])
            )
            waits = "SELECT 1 FROM information_schema.processlist WHERE state LIKE 'Waiting for table level lock'"
            while not server.sql(waits) and not select.select([client.socket], [], [], 0)[0]:
                pass
            # What it has counted is counted, once, and others are not held up.
            while not server.sql("SELECT 1 FROM hs.first WHERE v = 1"):
                assert holding.running()
            with Resp(resp_port) as other:
                assert other("INCR", "first:b") == 1
            cursor.execute("SELECT RELEASE_LOCK('gate')")
            assert [client.read() for _ in range(4)] == ["OK", "QUEUED", "QUEUED", [1, 1]]
            holding.result()
    assert server.sql("SELECT * FROM hs.first ORDER BY k") == [("a", 1), ("b", 1)]
    assert server.sql("SELECT * FROM hs.second WHERE k = 'a'") == [("a", 1)]


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("is_granted", [True, False])
@pytest.mark.parametrize("first", ["kv", "loose"])
def test_a_row_is_waited_for_beside_what_cannot_be_undone(
    server: PrivateServer, redis: Resp, first: str, is_granted: bool, whole: bool
) -> None:
    server.sql("CREATE TABLE hs.loose (k VARBINARY(64) PRIMARY KEY, v INT) ENGINE = MyISAM COMMENT 'hs: name=loose'")
    server.sql("INSERT INTO hs.kv VALUES ('held', '1')")
    second = "loose" if first == "kv" else "kv"
    block: list[Any] = [
        ("MULTI",), ("INCR", f"{first}:a"), ("INCR", "kv:held"), ("INCR", f"{first}:a"), ("INCR", f"{second}:a"), ("EXEC",)
    ]  # fmt: skip
    server.sql("SET GLOBAL innodb_lock_wait_timeout = " + ("50" if is_granted else "1"))
    try:
        with server.connect() as holder, holder.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("UPDATE hs.kv SET v = '5' WHERE k = 'held'")
            if whole:
                redis.socket.sendall(b"".join(message(*one) for one in block))
            else:
                assert redis.pipeline(block[:-1])[-1] == "QUEUED"
                redis.socket.sendall(message("EXEC"))
            if is_granted:
                while server.sql("SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'") == []:
                    # InnoDB's table is renewed for who has not read it for a while.
                    assert not select.select([redis.socket], [], [], 0.2)[0]
                cursor.execute("COMMIT")
            for _ in range(5 if whole else 0):
                redis.read()
            told = redis.read()
            assert len(told) == 4, told
            assert [told[0], told[2], told[3]] == [1, 2, 1]
            assert told[1] == 6 if is_granted else str(told[1]).startswith("TRYAGAIN"), told
    finally:
        server.sql("SET GLOBAL innodb_lock_wait_timeout = 50")
    assert server.sql("SELECT v FROM hs.loose") == [(1 if first == "kv" else 2,)]
    assert server.sql("SELECT k, v FROM hs.kv ORDER BY k") == [
        (b"a", b"2" if first == "kv" else b"1"), (b"held", b"6" if is_granted else b"1"),
    ]  # fmt: skip


def test_what_a_table_asks_of_its_rows_holds(server: PrivateServer, redis: Resp) -> None:
    server.sql("CREATE TABLE hs.parent (id INT PRIMARY KEY, v INT) COMMENT 'hs: name=parent'")
    server.sql(
        "CREATE TABLE hs.child (id INT PRIMARY KEY, parent INT, amount INT CHECK (amount < 100),"
        " twice INT AS (amount * 2) STORED, FOREIGN KEY (parent) REFERENCES hs.parent (id) ON DELETE CASCADE)"
        " COMMENT 'hs: name=child value=amount'"
    )
    server.sql("CREATE TABLE hs.told (id INT)")
    server.sql(
        "CREATE TRIGGER hs.t BEFORE UPDATE ON hs.child FOR EACH ROW IF NEW.amount = 13 THEN"
        " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'unlucky'; ELSE INSERT INTO hs.told VALUES (NEW.id); END IF"
    )
    assert redis("SET", "parent:1", "1") == "OK"
    assert redis("HSET", "child:1", "parent", "1", "amount", "5") == 2
    no_parent = RespError("ERR the row that a foreign key refers to is not there (engine error 151)")
    assert redis("HSET", "child:2", "parent", "9") == no_parent
    server.sql("CREATE TABLE hs.guest (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES hs.parent (id))")
    server.sql("INSERT INTO hs.guest VALUES (1, 1)")
    has_guest = RespError("ERR another row refers to this one by a foreign key (engine error 152)")
    assert redis("DEL", "parent:1") == has_guest
    server.sql("DROP TABLE hs.guest")
    assert ("3819" if on_mysql.IS_MYSQL else "4025") in str(redis("SET", "child:1", "100"))
    assert "unlucky" in str(redis("SET", "child:1", "13"))
    assert "unlucky" in str(redis("INCRBY", "child:1", "8"))
    assert redis("INCRBY", "child:1", "1") == 6
    assert redis("HGET", "child:1", "twice") == b"12"
    block = redis.pipeline([("MULTI",), ("SET", "child:1", "7"), ("SET", "child:1", "13"), ("SET", "kv:a", "1"), ("EXEC",)])
    assert [str(one) for one in block[-1]][0::2] == ["OK", "OK"]
    assert "unlucky" in str(block[-1][1])
    assert server.sql("SELECT amount FROM hs.child") == [(7,)]
    assert server.sql("SELECT COUNT(*) FROM hs.told") == [(2,)]
    assert redis("DEL", "parent:1") == 1
    assert server.sql("SELECT COUNT(*) FROM hs.child") == [(0,)]


def test_a_row_that_no_partition_takes_is_refused_in_words(server: PrivateServer, redis: Resp) -> None:
    server.sql(
        "CREATE TABLE hs.parts (id INT PRIMARY KEY, v INT) COMMENT 'hs: name=parts'"
        " PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (10))"
    )
    assert redis("SET", "parts:10", "1") == RespError(
        "ERR the table has no partition for the row (engine error 160)"
    )
    assert redis("SET", "parts:9", "1") == "OK"


def test_blocks_that_meet_move_no_amount_twice(server: PrivateServer, redis: Resp, resp_port: int) -> None:
    server.sql("CREATE TABLE hs.acc (k INT PRIMARY KEY, v INT NOT NULL) COMMENT 'hs: name=acc'")
    redis.pipeline([("SET", f"acc:{i}", "1000") for i in range(4)])
    done: list[int] = []

    def move(seed: int) -> None:
        draw = random.Random(seed)
        with Resp(resp_port) as client:
            for _ in range(100):
                one, other = draw.sample(range(4), 2)
                block = [("MULTI",), ("DECR", f"acc:{one}"), ("INCR", f"acc:{other}"), ("INCR", "acc:9"), ("EXEC",)]
                told = client.pipeline(block)[-1] if draw.random() < 0.5 else [client(*step) for step in block][-1]
                done.append(isinstance(told, list))

    threads = [threading.Thread(target=move, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(int(redis("GET", f"acc:{i}")) for i in range(4)) == 4000
    assert int(redis("GET", "acc:9")) == sum(done) == 600


def test_ddl_and_expiry_in_the_middle_of_a_pipeline(server: PrivateServer, redis: Resp, resp_port: int) -> None:
    server.sql(
        "CREATE TABLE hs.ses (id INT PRIMARY KEY, data INT, at DATETIME NULL, KEY (at))"
        " COMMENT 'hs: name=ses value=data ttl=at'"
    )
    over = threading.Event()

    def alter() -> None:
        while not over.is_set():
            for change in ("ADD w INT", "DROP w", "FORCE"):
                server.sql(f"ALTER TABLE hs.ses {change}")

    altering = threading.Thread(target=alter)
    altering.start()
    try:
        for _ in range(10):
            steps: list[Any] = []
            for i in range(50):
                steps += [("SET", f"ses:{i}", "1", "EX", "1000"), ("INCR", f"ses:{i}"), ("EXPIRE", f"ses:{i}", "-1"),
                          ("INCR", f"ses:{i}"), ("GET", f"ses:{i}"), ("DEL", f"ses:{i}")]  # fmt: skip
            told = redis.pipeline(steps)
            assert told == ["OK", 2, 1, 1, b"1", 1] * 50
    finally:
        over.set()
        altering.join()


LIMITS = [
    ("v VARCHAR(10)", [b"x" * 10, "é".encode() * 10], [b"x" * 11, "é".encode() * 11, b"x" * 10 + b" x"]),
    ("v VARBINARY(10)", [b"\xff" * 10], [b"\xff" * 11]),
    ("v TINYBLOB", [b"x" * 255], [b"x" * 256]),
    ("v BLOB", [b"x" * 65535], [b"x" * 65536]),
    ("v TINYINT", [b"127", b"-128"], [b"128", b"-129", b"", b"1x"]),
    ("v TINYINT UNSIGNED", [b"255", b"0"], [b"256", b"-1"]),
    ("v BIGINT UNSIGNED", [b"18446744073709551615"], [b"18446744073709551616", b"-1"]),
    ("v DECIMAL(5,2)", [b"999.99", b"-999.99"], [b"1000.00", b"999.999"]),
    ("v DATE", [b"9999-12-31"], [b"10000-01-01", b"2024-02-30"]),
    ("v ENUM('a','b')", [b"a"], [b"c", b""]),
]


@pytest.mark.parametrize(("column", "good", "bad"), LIMITS, ids=[one[0] for one in LIMITS])
@pytest.mark.parametrize("mode", ["strict", "loose"])
def test_values_at_the_limits_of_their_columns(
    server: PrivateServer, redis: Resp, column: str, good: list[bytes], bad: list[bytes], mode: str
) -> None:
    server.sql(f"CREATE TABLE hs.t (k INT PRIMARY KEY, {column}) CHARSET utf8mb4 COMMENT 'hs: name=t'")
    [(before,)] = server.sql("SELECT @@GLOBAL.sql_mode")
    if mode == "loose":
        server.sql("SET GLOBAL sql_mode = ''")
    try:
        for value in good:
            assert redis("SET", "t:1", value) == "OK"
            assert redis("GET", "t:1") == value
        kept = redis("GET", "t:1")
        for value in bad:
            for command in (("SET", "t:1", value), ("HSET", "t:1", "v", value), ("SET", "t:2", value), ("MSET", "t:1", value)):
                told = redis(*command)
                if mode == "strict":
                    assert isinstance(told, RespError), (command, told)
                    assert redis("GET", "t:1") == kept
                    assert redis("EXISTS", "t:2") == 0
    finally:
        server.sql("SET GLOBAL sql_mode = %s", [before])


def memory_of_clients(server: PrivateServer) -> int:
    """What connections hold, in bytes."""
    return int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_memory'")[0][1])


def test_a_client_that_never_reads_holds_little(server: PrivateServer, redis: Resp, resp_port: int) -> None:
    redis("SET", "kv:big", b"x" * 100_000)
    with Resp(resp_port) as silent:
        silent.socket.setblocking(False)
        asked = message("GET", "kv:big") * 1000
        sent = 0
        try:
            while sent < 50 * len(asked):  # five gigabytes of replies
                sent += silent.socket.send(asked)
        except BlockingIOError:
            pass  # the server reads no more of it
        for _ in range(20):
            assert redis("STRLEN", "kv:big") == 100_000
        assert memory_of_clients(server) < 64 << 20
    assert redis("PING") == "PONG"


def resident(server: PrivateServer) -> int:
    """The memory of the whole process, in bytes."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) << 10


def test_a_connection_keeps_nothing_of_a_command_with_many_keys(
    server: PrivateServer, redis: Resp, resp_port: int
) -> None:
    keys = 250_000  # a pointer for each is 2 MB
    asked = b"*%d\r\n$4\r\nMGET\r\n" % (keys + 1) + b"$1\r\na\r\n" * keys

    def ask(count: int) -> list[Resp]:
        clients = [Resp(resp_port) for _ in range(count)]
        for one in clients:
            one.socket.sendall(asked)
            assert one.file.read(9 + 5 * keys) == b"*%d\r\n" % keys + b"$-1\r\n" * keys
        return clients

    clients = ask(8)
    before = resident(server)
    clients += ask(24)
    grown = resident(server) - before
    for one in clients:
        one.close()
    assert grown < 24 << 20
    assert redis("PING") == "PONG"


def test_a_pipeline_of_a_hundred_thousand_with_big_replies(server: PrivateServer, redis: Resp, resp_port: int) -> None:
    redis("SET", "kv:a", b"x" * 1000)
    replies = 0
    most = 0

    def read() -> None:
        nonlocal replies
        for _ in range(100_000):
            assert len(redis.read()) == 1000
            replies += 1

    reader = threading.Thread(target=read)
    reader.start()
    asked = message("GET", "kv:a") * 1000
    for _ in range(100):
        redis.socket.sendall(asked)
        most = max(most, memory_of_clients(server))
    reader.join()
    assert replies == 100_000
    assert most < 64 << 20


def test_rows_that_are_watched_count_as_memory(server: PrivateServer, redis: Resp) -> None:
    def used() -> int:
        return int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_memory'")[0][1])

    keys = [f"none:{number:02}" + "k" * 1000 for number in range(64)]
    bound = server.sql("SELECT @@handlersocket_max_memory")[0][0]
    assert redis("WATCH", keys[0]) == "OK"
    assert redis.pipeline(BLOCK)[-1] == ["OK"]
    try:
        before = used()
        server.sql("SET GLOBAL handlersocket_max_memory = 1")
        assert str(redis("WATCH", keys[0])).startswith("OOM")
        assert redis.pipeline(BLOCK)[-1] == ["OK"]  # nothing is watched
        server.sql(f"SET GLOBAL handlersocket_max_memory = {bound}")
        for _ in range(3):
            assert redis("WATCH", *keys) == "OK"
            assert used() - before > 64 * 1000
            assert redis.pipeline(BLOCK)[-1] == ["OK"]
        deadline = time.monotonic() + 60
        while used() - before > 64 * 1000 / 2:  # the buffers give back what they had grown to
            assert time.monotonic() < deadline
    finally:
        server.sql(f"SET GLOBAL handlersocket_max_memory = {bound}")


def test_a_transaction_for_which_there_is_no_memory_has_ended(server: PrivateServer, redis: Resp) -> None:
    bound = server.sql("SELECT @@handlersocket_max_memory")[0][0]
    try:
        assert redis.pipeline([("MULTI",), ("SET", "kv:a", "1")]) == ["OK", "QUEUED"]
        server.sql("SET GLOBAL handlersocket_max_memory = 1")
        assert str(redis("EXEC")).startswith("EXECABORT Transaction discarded because of: OOM")
        assert redis("PING") == "PONG"
        assert redis("EXEC") == RespError("ERR EXEC without MULTI")
    finally:
        server.sql(f"SET GLOBAL handlersocket_max_memory = {bound}")
    assert server.sql("SELECT * FROM hs.kv") == []


def test_a_transaction_without_one_of_its_commands_does_nothing(server: PrivateServer, redis: Resp) -> None:
    bound = server.sql("SELECT @@handlersocket_max_memory")[0][0]
    try:
        assert redis("MULTI") == "OK"
        server.sql("SET GLOBAL handlersocket_max_memory = 1")
        told = [redis("SET", f"kv:{number}", "x" * 100) for number in range(200)]
    finally:
        server.sql(f"SET GLOBAL handlersocket_max_memory = {bound}")
    assert told[0] == "QUEUED"
    assert str(told[-1]).startswith("OOM")
    assert redis("EXEC") == RespError("EXECABORT Transaction discarded because of previous errors.")
    assert server.sql("SELECT * FROM hs.kv") == []
    assert redis.pipeline(BLOCK)[-1] == ["OK"]


def test_what_a_transaction_queues_is_of_a_known_client(server: PrivateServer, redis: Resp) -> None:
    """Half of the bound is for clients that are not known.

    5 MB are queued, and up to 9.8 MB are held when their buffer grows: more than strangers may
    hold (8.4 MB), and 2.8 MB less than this client may, which is room for the buffers of
    connections that have just ended.
    """
    bound = server.sql("SELECT @@handlersocket_max_memory")[0][0]
    server.sql(f"SET GLOBAL handlersocket_max_memory = {16 << 20}")
    try:
        assert redis("MULTI") == "OK"
        told = [redis("SET", f"kv:{number}", "x" * 10_000) for number in range(500)]
        assert set(map(str, told)) == {"QUEUED"}
        assert redis("EXEC") == ["OK"] * 500
    finally:
        server.sql(f"SET GLOBAL handlersocket_max_memory = {bound}")


def test_an_index_that_is_switched_off_and_on_again_gives_scores(server: PrivateServer, redis: Resp) -> None:
    server.sql(
        "CREATE TABLE hs.board (g INT, m VARBINARY(9), p INT NOT NULL, PRIMARY KEY (g, m), KEY s (g, p, m))"
        " ENGINE = MyISAM COMMENT 'hs: name=board'"
    )
    server.sql("INSERT INTO hs.board VALUES (1, 'a', 9), (1, 'b', 8)")
    ask = ("ZRANGE", "board:1", "0", "-1", "WITHSCORES")
    for _ in range(3):
        assert redis(*ask) == [b"b", b"8", b"a", b"9"]
        server.sql("ALTER TABLE hs.board DISABLE KEYS")
        assert redis(*ask) == [b"a", b"0", b"b", b"0"]
        server.sql("ALTER TABLE hs.board ENABLE KEYS")
