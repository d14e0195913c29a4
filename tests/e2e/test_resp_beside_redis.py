"""The same commands to a real Redis 7 and to the RESP port: the replies are the same, but for those
that are listed here with the reason."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from private_server import PrivateServer, free_port
from resp_client import Resp

TRANSCRIPT = Path(__file__).with_name("resp_transcript.txt")

TABLES = (
    "CREATE TABLE hs.kv (k VARBINARY(64) PRIMARY KEY, v MEDIUMBLOB) COMMENT 'hs: name=kv'",
    "CREATE TABLE hs.s (k VARBINARY(64) PRIMARY KEY, v BLOB, e BIGINT NULL) "
    "COMMENT 'hs: name=s value=v ttl=e'",
    "CREATE TABLE hs.h (k VARBINARY(64) PRIMARY KEY, a VARCHAR(99), b VARCHAR(99), c VARCHAR(99)) "
    "COMMENT 'hs: name=h'",
)

# By the command; None: every reply to it.
ALLOWED = {
    "HELLO": "the server's name and the connection's number are its own",
    "HELLO 3": "in a transaction it would change the form of replies in their middle",
    "AUTH a b": "in a transaction a login would wait with locks held",
    "EXEC": "behind a HELLO or AUTH that was refused",
}


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Resp]:
    """A Redis that keeps nothing."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not installed")
    port = free_port()
    command = ["redis-server", "--port", str(port), "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            for _ in range(200):
                try:
                    client = Resp(port)
                    break
                except ConnectionRefusedError:
                    time.sleep(0.05)
            else:
                raise AssertionError("redis-server does not answer")
            with client:
                yield client
        finally:
            process.terminate()


def test_replies_are_those_of_redis(server: PrivateServer, database: str, redis: Resp) -> None:
    for table in TABLES:
        server.sql(table)
    port = free_port()
    server.sql(f"SET GLOBAL handlersocket_resp_port = '{port}'")
    differ: list[str] = []
    compared = 0
    try:
        with Resp(port) as ours:
            for line in TRANSCRIPT.read_text().splitlines():
                arguments = [
                    word.replace("_EMPTY_", "").replace("_SP_", " ") for word in line.split()
                ]
                mine, theirs = ours(*arguments), redis(*arguments)
                compared += 1
                if line in ALLOWED or (mine == theirs and type(mine) is type(theirs)):
                    continue
                differ.append(f"{line}: {mine!r}, Redis: {theirs!r}")
    finally:
        server.sql("SET GLOBAL handlersocket_resp_port = DEFAULT")
    assert not differ, "\n".join(differ)
    assert compared > 250


def test_a_block_with_a_wrong_subcommand_is_refused_as_by_redis(
    server: PrivateServer, database: str, resp_port: int, redis: Resp
) -> None:
    server.sql(TABLES[0])
    with Resp(resp_port) as ours:
        for wrong in ("OBJECT FOO x", "OBJECT ENCODING", "CONFIG GET", "CONFIG FOO", "COMMAND COUNT x",
                      "MEMORY USAGE", "CLIENT ID x", "CLIENT FOO", "ACL WHOAMI x", "MODULE FOO"):  # fmt: skip
            block = [("MULTI",), ("SET", "kv:a", "1"), tuple(wrong.split()), ("EXEC",), ("GET", "kv:a")]
            assert ours.pipeline(block) == redis.pipeline(block), wrong


NUMBERS = ("0", "1", "-1", "10", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
           "1.5", "-0.1", "1e3", "007", "x", "")  # fmt: skip


def drawn_value(draw: random.Random) -> bytes:
    """Bytes, or what may be a number."""
    if draw.random() < 0.5:
        return draw.choice(NUMBERS).encode()
    return draw.randbytes(draw.choice((0, 1, 7, 300)))


def drawn_of_string(draw: random.Random, key: str, expires: bool) -> tuple[Any, ...]:
    """A command for a string; `expires`: maybe one of expiry."""
    number = draw.choice(NUMBERS)
    soon = str(draw.randint(100, 100_000))
    commands: list[tuple[Any, ...]] = [
        ("GET", key), ("STRLEN", key), ("EXISTS", key, key), ("TYPE", key), ("DEL", key),
        ("GETDEL", key), ("SET", key, drawn_value(draw)), ("GETSET", key, drawn_value(draw)),
        ("SETNX", key, drawn_value(draw)), ("APPEND", key, drawn_value(draw)),
        ("GETRANGE", key, draw.randint(-5, 5), draw.randint(-5, 5)), ("INCR", key), ("DECR", key),
        ("INCRBY", key, number), ("DECRBY", key, number), ("INCRBYFLOAT", key, number),
        ("SET", key, drawn_value(draw), *draw.sample(("NX", "XX", "GET"), draw.randint(0, 3))),
        ("MSET", key, drawn_value(draw), key[:-1] + "0", drawn_value(draw)),
        ("MGET", key, key[:-1] + "0", "none:1"), ("SUBSTR", key, "0", "-1"), ("TTL", key),
    ]  # fmt: skip
    if expires:
        unit = draw.choice(("EX", "PX"))
        later = soon + "000" if unit == "PX" else soon
        options = draw.sample(("NX", "XX", "GT", "LT"), draw.choice((0, 0, 1, 1, 2)))
        commands += [
            ("SET", key, drawn_value(draw), unit, later), ("SETEX", key, soon, drawn_value(draw)),
            ("SET", key, drawn_value(draw), "KEEPTTL"), ("EXPIRE", key, soon, *options),
            ("PEXPIRE", key, soon + "000", *options), ("PERSIST", key), ("PTTL", key),
            ("GETEX", key, unit, later), ("GETEX", key, "PERSIST"), ("GETEX", key),
            ("EXPIRE", key, number.replace("10", "1000") if number > "1" else "x"),
        ]  # fmt: skip
    return draw.choice(commands)


def drawn_of_hash(draw: random.Random, key: str) -> tuple[Any, ...]:
    """A command for a hash. Those that tell whether the key is there would tell of the row."""
    field, other = draw.sample(("a", "b", "c"), 2)
    text = draw.choice(NUMBERS)
    return draw.choice([
        ("HGET", key, field), ("HMGET", key, field, other, "none"), ("HEXISTS", key, field),
        ("HSTRLEN", key, field), ("HSET", key, field, text), ("HSET", key, field, text, other, "9"),
        ("HMSET", key, field, text), ("HSETNX", key, field, text), ("HDEL", key, field, "none"),
        ("HINCRBY", key, field, text), ("HINCRBYFLOAT", key, field, text),
    ])  # fmt: skip


def drawn_command(draw: random.Random) -> tuple[Any, ...]:
    """A command for one of a few keys."""
    kind = draw.choice("ksh")
    if kind == "h":
        return drawn_of_hash(draw, f"h:{draw.randint(0, 2)}")
    name = "kv" if kind == "k" else "s"
    return drawn_of_string(draw, f"{name}:{draw.randint(0, 4)}", kind == "s")


def is_alike(command: tuple[Any, ...], mine: Any, theirs: Any) -> bool:
    """Whether two replies are the same. Times to live may have been asked for a moment apart."""
    if isinstance(mine, int) and isinstance(theirs, int) and command[0] in ("TTL", "PTTL"):
        second = 1000 if command[0] == "PTTL" else 1
        return mine == theirs or (min(mine, theirs) > 0 and abs(mine - theirs) <= 3 * second)
    return mine == theirs and type(mine) is type(theirs)


@pytest.mark.parametrize("seed", range(4))
def test_drawn_commands_have_the_replies_of_redis(
    server: PrivateServer, database: str, resp_port: int, redis: Resp, seed: int
) -> None:
    for table in TABLES:
        server.sql(table)
    draw = random.Random(seed)
    differ: list[str] = []
    with Resp(resp_port) as ours:
        for _ in range(60):
            commands = [drawn_command(draw) for _ in range(40)]
            if draw.random() < 0.3:
                commands = [("MULTI",), *commands, ("EXEC",)]
            mine, theirs = ours.pipeline(commands), redis.pipeline(commands)
            if commands[0] == ("MULTI",) and isinstance(mine[-1], list):
                assert len(mine[-1]) == len(theirs[-1])
                commands, mine, theirs = commands[1:-1], mine[-1], theirs[-1]
            differ += [
                f"{command}: {one!r}, Redis: {other!r}"
                for command, one, other in zip(commands, mine, theirs)
                if not is_alike(command, one, other)
            ]
    assert not differ, "\n".join(differ[:20])


SETS = (
    "CREATE TABLE hs.board (game INT, player VARBINARY(20), points INT NOT NULL, "
    "PRIMARY KEY (game, player), KEY (game, points, player)) COMMENT 'hs: name=board'",
    "CREATE TABLE hs.all_time (player VARBINARY(20) PRIMARY KEY, points DOUBLE NOT NULL, "
    "KEY (points, player)) COMMENT 'hs: name=all'",
    "CREATE TABLE hs.tag (page VARCHAR(9), tag VARBINARY(20), PRIMARY KEY (page, tag)) "
    "COMMENT 'hs: name=tag'",
)


def drawn_of_set(draw: random.Random, key: str, has_scores: bool) -> tuple[Any, ...]:
    """A command that reads a sorted set."""
    rank = [str(draw.randint(-45, 45)) for _ in range(2)]
    scores_drawn = ("-inf", "+inf", "(-3", "2.5", "(7", "10", "1e1", "-20", "99", "infinity", "(-Infinity", "1e400",
                    "(0", "0", "-0", "", "(", " 1", "0x4")  # fmt: skip
    score = draw.choices(scores_drawn, k=2)
    member = draw.choices(("-", "+", "[m3", "(m3", "[", b"[m\xff", "(m20"), k=2)
    limit = ("LIMIT", draw.randint(-1, 5), draw.randint(-1, 9)) if draw.random() < 0.4 else ()
    scores = ("WITHSCORES",) if draw.random() < 0.5 else ()
    rev = ("REV",) if draw.random() < 0.5 else ()
    members = [f"m{draw.randint(0, 40)}" for _ in range(3)]
    commands: list[tuple[Any, ...]] = [
        ("ZCARD", key), ("ZSCORE", key, members[0]), ("ZMSCORE", key, *members),
        ("ZRANGE", key, *rank, *rev, *scores), ("ZREVRANGE", key, *rank, *scores),
        ("ZRANGE", key, "1", "2", *limit, "XX"), ("ZRANGE", key, "x", "1"), ("ZCOUNT", key, "x", "1"),
        ("ZCOUNT", key, *score), ("ZRANGE", key, *score, "BYSCORE", *rev, *limit, *scores),
        ("ZRANGEBYSCORE", key, *score, *scores, *limit),
        ("ZREVRANGEBYSCORE", key, *score, *limit, *scores),
    ]  # fmt: skip
    if not has_scores:
        commands += [
            ("ZLEXCOUNT", key, *member), ("ZRANGE", key, *member, "BYLEX", *rev, *limit),
            ("ZRANGEBYLEX", key, *member, *limit), ("ZREVRANGEBYLEX", key, *member, *limit),
            ("ZRANGEBYLEX", key, "m", "+"), ("ZRANGE", key, "-", "+", "BYLEX", "WITHSCORES"),
        ]  # fmt: skip
    return draw.choice(commands)


@pytest.mark.parametrize("version", ["2", "3"])
def test_sorted_sets_are_read_as_by_redis(
    server: PrivateServer, database: str, resp_port: int, redis: Resp, version: str
) -> None:
    draw = random.Random(int(version))
    for table in SETS:
        server.sql(table)
    with Resp(resp_port) as ours:
        for i in range(40):
            game, points = draw.randint(1, 2), draw.randint(-9, 12)
            for key, row, score in (
                (f"board:{game}", f"board VALUES ({game}, 'm{i}', {points})", points),
                ("all:", f"all_time VALUES ('m{i}', {points})", points),
                (f"tag:p{game}", f"tag VALUES ('p{game}', 'm{i}')", 0),
            ):
                server.sql(f"INSERT INTO hs.{row}")
                redis("ZADD", key, score, f"m{i}")
        ours("HELLO", version)
        redis("HELLO", version)
        commands = [
            drawn_of_set(draw, key, not key.startswith("tag"))
            for key in ("board:1", "board:2", "board:3", "all:", "tag:p1", "tag:p2", "tag:p3")
            for _ in range(150)
        ]
        mine, theirs = ours.pipeline(commands), redis.pipeline(commands)
    differ = [
        f"{command}: {one!r}, Redis: {other!r}"
        for command, one, other in zip(commands, mine, theirs)
        if one != other
    ]
    assert not differ, "\n".join(differ[:20])
    assert sum(bool(one) and isinstance(one, list) for one in mine) > 100
