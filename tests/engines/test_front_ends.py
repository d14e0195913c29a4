"""Clients of Redis and memcached get from every engine what they get from InnoDB.

Two tables are alike but for their engine and the name that their keys begin with.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Union

import pytest
from memcached_client import Raw
from private_server import PrivateServer, free_port
from resp_client import Resp, RespError

Word = Union[str, int]

COMMANDS = 3000
BTREE = " USING BTREE"
# The names of two tables are of one length, and no part of a word in a reply.
PAGES = (
    "(k VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL, v VARBINARY(40), f INT UNSIGNED NOT NULL DEFAULT 0,"
    " c BIGINT UNSIGNED NOT NULL DEFAULT 0, e BIGINT NULL, PRIMARY KEY{using} (k), KEY e{using} (e)) ENGINE={engine}"
    " COMMENT 'hs: name={name} value=v flags=f cas=c ttl=e' {partitions}"
)
BOARDS = (
    "(g INT NOT NULL, m VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL, points INT NOT NULL DEFAULT 0, note VARCHAR(10),"
    " PRIMARY KEY{using} (g, m), KEY score{using} (g, points, m)) ENGINE={engine} COMMENT 'hs: name={name}' {partitions}"
)
ENGINES = {
    "Aria": ("Aria", "", ""),
    "Aria, not transactional": ("Aria TRANSACTIONAL=0", "", ""),
    "MyISAM": ("MyISAM", "", ""),
    "MyISAM, partitions": ("MyISAM", "", "PARTITION BY KEY ({column}) PARTITIONS 3"),
    "MEMORY": ("MEMORY", BTREE, ""),
    "MyRocks": ("ROCKSDB", "", ""),
    "MyRocks, partitions": ("ROCKSDB", "", "PARTITION BY KEY ({column}) PARTITIONS 3"),
}
LATE = 4_000_000_000  # a time of expiry that no test reaches


@pytest.fixture(scope="module")
def ports(server: PrivateServer) -> Iterator[tuple[int, int]]:
    """Of the clients of Redis and of memcached."""
    resp, memcached = free_port(), free_port()
    server.sql(f"SET GLOBAL handlersocket_resp_port = '{resp}', GLOBAL handlersocket_memcached_port = '{memcached}'")
    yield resp, memcached
    server.sql("SET GLOBAL handlersocket_resp_port = '0', GLOBAL handlersocket_memcached_port = '0'")


class Drawn:
    """Draws commands. `@` stands where a key has the name of its table. None changes several rows and
    fails at one of them, since engines without rollback then keep those before it."""

    def __init__(self, seed: int, name: str) -> None:
        self.draw = random.Random(f"{seed}/{name}")

    def key(self) -> str:
        return f"@p:k{self.draw.randint(0, 25)}"

    def row(self) -> str:
        return f"@b:{self.draw.randint(1, 3)}:m{self.draw.randint(0, 12)}"

    def value(self) -> str:
        return self.draw.choice(["", "1", "17", "-3", "text", "2.5", "x" * 41, "y" * 40])

    def fits(self) -> str:
        return self.draw.choice(["", "1", "17", "text"])

    def redis(self) -> list[Word]:
        pick = self.draw.choice
        number = self.draw.randint(-4, 9)
        last = pick(["-inf", "+inf", "3", "(2", "9"])
        return pick(
            [
                lambda: ["GET", self.key()],
                lambda: ["MGET", *(self.key() for _ in range(5))],
                lambda: ["SET", self.key(), self.value(), *pick([[], ["NX"], ["XX"], ["GET"], ["EXAT", LATE], ["KEEPTTL"]])],
                lambda: ["SET", self.key(), self.value(), "NX", "GET"],
                lambda: ["SET", self.key(), self.fits(), "EXAT", 1],
                lambda: ["MSET", self.key(), self.fits(), self.key(), self.fits()],
                lambda: ["APPEND", self.key(), self.value()],
                lambda: ["INCRBY", self.key(), number],
                lambda: ["DEL", *(self.key() for _ in range(pick([1, 1, 3])))],
                lambda: ["GETDEL", self.key()],
                lambda: ["EXPIREAT", self.key(), pick([1, LATE, LATE + 5]), *pick([[], ["NX"], ["XX"], ["GT"], ["LT"]])],
                lambda: ["EXPIRETIME", self.key()],
                lambda: ["PERSIST", self.key()],
                lambda: ["EXISTS", self.key(), self.key()],
                lambda: ["HSET", self.row(), "points", number, *pick([[], ["note", self.fits()], ["note", "w" * 11]])],
                lambda: ["HSETNX", self.row(), "note", self.fits()],
                lambda: ["HINCRBY", self.row(), "points", number],
                lambda: ["HGETALL", self.row()],
                lambda: ["HDEL", self.row(), "note"],
                lambda: ["DEL", self.row()],
                lambda: ["ZRANGE", f"@b:{pick([1, 2, 3, 4])}", 0, pick([-1, 2]), *pick([[], ["REV"], ["WITHSCORES"]])],
                lambda: ["ZRANGEBYSCORE", f"@b:{pick([1, 2])}", pick(["-inf", "0", "(2"]), last, *pick([[], ["LIMIT", 1, 3]])],
                lambda: ["ZCOUNT", f"@b:{pick([1, 2])}", pick(["-inf", "0"]), last],
                lambda: ["ZSCORE", f"@b:{pick([1, 2])}", f"m{self.draw.randint(0, 12)}"],
                lambda: ["SCAN", 0, "MATCH", pick(["@p:*", "@b:*"]), "COUNT", 1000],
            ]
        )()

    def transaction(self) -> list[list[Word]]:
        watched = [["WATCH", self.key(), self.row()]] if self.draw.random() < 0.4 else []
        inside = [["GET", self.key()], ["SET", self.key(), self.fits()], ["DEL", self.row()], ["HINCRBY", self.row(), "points", 2]]
        return [*watched, ["MULTI"], *self.draw.sample(inside, 3), [self.draw.choice(["EXEC", "EXEC", "DISCARD"])]]

    def memcached(self) -> str:
        pick = self.draw.choice
        key, value = self.key(), self.value()
        stored = f"{key} {pick([0, 7])} {pick([0, LATE])} {len(value)}\r\n{value}\r\n"
        return pick(
            [
                lambda: f"{pick(['set', 'add', 'replace', 'append', 'prepend'])} {stored}",
                lambda: f"gets {' '.join(self.key() for _ in range(pick([1, 4])))}\r\n",
                lambda: f"{pick(['incr', 'decr'])} {key} {self.draw.randint(0, 20)}\r\n",
                lambda: f"delete {key}\r\n",
                lambda: f"touch {key} {pick([LATE, -1])}\r\n",
                lambda: f"gat {LATE} {key}\r\n",
                lambda: f"mg {key} v f c k\r\n",
                lambda: f"ms {key} {len(value)} c F5 M{pick('SERAP')}\r\n{value}\r\n",
                lambda: f"ma {key} N0 J5 v c\r\n",
                lambda: f"md {key} C{self.draw.randint(1, 5)}\r\n",
                lambda: f"cas {stored.replace(chr(13), f' {self.draw.randint(1, 5)}' + chr(13), 1)}",
            ]
        )()


def named(word: Word, name: str) -> Word:
    return word.replace("@", name) if isinstance(word, str) else word


def plain(reply: object, name: str) -> object:
    """The reply without the name of the table, and without versions of rows, which no two writes share."""
    if isinstance(reply, bytes):
        return re.sub(rb"\d{15,}", b"VERSION", reply.replace(name.encode(), b"@"))
    if isinstance(reply, RespError):
        return str(reply).replace(name, "@")
    if isinstance(reply, list):
        return [plain(one, name) for one in reply]
    return reply


def asked(client: Resp, commands: Sequence[Sequence[Word]], name: str) -> list[object]:
    return [plain(reply, name) for reply in client.pipeline([[named(word, name) for word in one] for one in commands])]


def memcached_asked(client: Raw, command: str, name: str) -> object:
    """The replies up to that to `mn`."""
    client.send(str(named(command, name)).encode() + b"mn\r\n")
    got = b""
    while not got.endswith(b"MN\r\n"):
        got += client.read(1)
    return plain(got, name)


def content(server: PrivateServer, name: str) -> list[list[tuple[object, ...]]]:
    return [
        server.sql(f"SELECT k, v, f, e FROM hs.{name}p WHERE e IS NULL OR e >= {LATE} ORDER BY k"),
        server.sql(f"SELECT g, m, points, note FROM hs.{name}b ORDER BY g, m"),
    ]


@pytest.mark.parametrize("name", ENGINES)
def test_drawn_commands_are_answered_as_for_innodb(
    server: PrivateServer, database: None, ports: tuple[int, int], seed: int, name: str
) -> None:
    engine, using, partitions = ENGINES[name]
    for prefix, words in (("zq", (engine, using, partitions)), ("zj", ("InnoDB", "", ""))):
        for kind, column, columns in (("p", "k", PAGES), ("b", "m", BOARDS)):
            made = columns.format(engine=words[0], using=words[1], partitions=words[2].format(column=column), name=prefix + kind)
            server.sql(f"CREATE TABLE hs.{prefix}{kind} {made}")
    drawn = Drawn(seed, name)
    resp, memcached = Resp(ports[0]), Raw(ports[1])
    for step in range(COMMANDS):
        kind = drawn.draw.random()
        replies: list[object]
        if kind < 0.35:
            command = drawn.memcached()
            replies = [memcached_asked(memcached, command, prefix) for prefix in ("zq", "zj")]
            assert replies[0] == replies[1], (step, command)
        else:
            commands = drawn.transaction() if kind < 0.45 else [drawn.redis() for _ in range(drawn.draw.choice([1, 1, 5]))]
            replies = [asked(resp, commands, prefix) for prefix in ("zq", "zj")]
            assert replies[0] == replies[1], (step, commands)
        if step % 50 == 49:
            assert content(server, "zq") == content(server, "zj"), step
        if step % 700 == 699:
            server.sql(f"ALTER TABLE hs.zqb ADD COLUMN y{step} INT")
            server.sql(f"ALTER TABLE hs.zjb ADD COLUMN y{step} INT")
    assert content(server, "zq") == content(server, "zj")
    resp.close()
    memcached.socket.close()


# Without a comment all columns but the key are the value.
OF_A_FAR_ROW = "(k VARCHAR(20) COLLATE utf8mb4_bin NOT NULL PRIMARY KEY, v VARCHAR(20))"
# `@` stands for the name of the table and the separator.
FAR_REDIS = """
SET @a 1|SET @a 2|SET @a 3 NX|SETNX @a 4|GET @a|SET @a 5 XX|SET @z 5 XX|SET @a 6 GET|SET @a 7 NX GET|SETNX @b 1|SETNX @b 1
MSET @a 7 @c 8 @a 9|MGET @a @b @c @d|HSETNX @a v 9|HSET @a v 9|HSET @d v 1|HINCRBY @d v 2|INCR @a|INCR @e|APPEND @a 1|APPEND @f 1
GETSET @a 2|GETDEL @a|DEL @b @c @c|EXISTS @a @b @d @d|HGETALL @d|HDEL @d v|STRLEN @e|GETRANGE @f 0 -1|SET @f abcdefghijklmnopqrstuvwxyz
"""
FAR_MEMCACHED = """
set @a 0 0 1;5|add @a 0 0 1;6|add @g 0 0 1;6|replace @a 0 0 1;7|replace @y 0 0 1;7|get @a @g @y|incr @a 1|append @a 0 0 1;1
ma @h N0 J5 v|ma @h N0 J5 v|delete @g|delete @g|ms @i 1 ME;1|ms @i 1 ME;1|ms @i 1 MS;2|mg @i v
"""


def asked_of_a_far_table(ports: tuple[int, int], name: str) -> list[object]:
    """Each command and its reply, then those of two transactions."""
    told: list[object] = []
    with Resp(ports[0]) as client:
        for command in FAR_REDIS.strip().replace("\n", "|").split("|"):
            told.append((command, plain(client(*command.replace("@", name).split()), name)))
        for watched in (f"{name}e", f"{name}none"):
            client("WATCH", watched)
            block = [["MULTI"], ["SET", f"{name}e", "1"], ["INCR", f"{name}e"], ["SETNX", f"{name}e", "5"], ["DEL", f"{name}f"], ["EXEC"]]
            told.append(plain(client.pipeline(block), name))
    client_of_memcached = Raw(ports[1])
    for command in FAR_MEMCACHED.strip().replace("\n", "|").split("|"):
        told.append((command, memcached_asked(client_of_memcached, command.replace(";", "\r\n").replace("@", name) + "\r\n", name)))
    client_of_memcached.socket.close()
    return told


@pytest.mark.parametrize("engine", ["FEDERATED", "SPIDER"])
def test_rows_of_another_server_are_set_as_those_of_innodb(
    server: PrivateServer, database: None, ports: tuple[int, int], engine: str
) -> None:
    """Neither engine tells which row is in the way of a new one."""
    with PrivateServer() as far:
        far.sql("CREATE DATABASE far CHARACTER SET utf8mb4")
        far.sql(f"CREATE TABLE far.t {OF_A_FAR_ROW}")
        far.sql("CREATE USER far@'127.0.0.1' IDENTIFIED BY 'secret'")
        far.sql("GRANT ALL ON far.* TO far@'127.0.0.1'")
        server.sql(
            "CREATE OR REPLACE SERVER far FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1', DATABASE 'far',"
            f" USER 'far', PASSWORD 'secret', PORT {far.sql_port})"
        )
        # Spider has a use of its own for the comment.
        place = "CONNECTION='far/t'" if engine == "FEDERATED" else "COMMENT='wrapper \"mysql\", srv \"far\", table \"t\"'"
        server.sql(f"CREATE TABLE hs.far {OF_A_FAR_ROW} ENGINE={engine} {place}")
        server.sql(f"CREATE TABLE hs.own {OF_A_FAR_ROW}")
        assert asked_of_a_far_table(ports, "hs.far:") == asked_of_a_far_table(ports, "hs.own:")
        assert far.sql("SELECT * FROM far.t ORDER BY k") == server.sql("SELECT * FROM hs.own ORDER BY k") != []
        server.sql("DROP TABLE hs.far")
        server.sql("DROP SERVER far")
