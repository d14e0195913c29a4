"""A cache's mix of commands by both protocols at once, with keys that expire: no reader sees what SQL does not.

Each thread has keys of its own, which it reads and writes by Redis and by memcached, and knows what must be in each. The counters
belong to all threads.
"""

from __future__ import annotations

import random
import threading
import time
from typing import Optional

import pytest
from memcached_client import Raw
from private_server import PrivateServer, free_port
from resp_client import Resp

TABLES = (
    "CREATE TABLE hs.mix (k VARBINARY(60) PRIMARY KEY, v VARBINARY(4000) NOT NULL, f INT UNSIGNED NOT NULL DEFAULT 0, "
    "c BIGINT UNSIGNED NOT NULL DEFAULT 0, e BIGINT NULL, KEY (e)) COMMENT 'hs: name=mix value=v flags=f cas=c ttl=e'",
    "CREATE TABLE hs.counter (k INT PRIMARY KEY, n BIGINT UNSIGNED NOT NULL DEFAULT 0) COMMENT 'hs: name=counter'",
)
FOUND = "SELECT v FROM hs.mix WHERE k = %s AND (e IS NULL OR e = 0 OR e > UNIX_TIMESTAMP())"
THREADS, STEPS, KEYS, COUNTERS = 4, 300, 12, 3
TIMES = (0, 0, 0, 1, 2, 100, 100, -1)  # seconds to live: none, few, many, over already
# A second is the unit of the column, and SQL's clock is read a moment later.
DOUBT_S = 2.0


class Entry:
    """What a key has, and when that ends."""

    def __init__(self, value: bytes, seconds: int) -> None:
        self.value = value
        self.end = time.time() + seconds if seconds else None

    def state(self, begun: float) -> Optional[bool]:
        """Whether the key was there from `begun` until now; None: it is in doubt."""
        if self.end is None or time.time() < self.end - DOUBT_S:
            return True
        return False if begun > self.end + DOUBT_S else None


class Worker:
    """One thread with a connection of each protocol and one for SQL."""

    def __init__(self, number: int, seed: int, server: PrivateServer, ports: tuple[int, int]) -> None:
        self.draw = random.Random(seed * 100 + number)
        self.number = number
        self.redis, self.memcached = Resp(ports[0]), Raw(ports[1])
        self.sql = server.connect(database="hs")
        self.known: dict[bytes, Entry] = {}
        self.counted = [0] * COUNTERS
        self.compared = self.absent = 0
        self.wrong: list[tuple[object, ...]] = []

    def run(self) -> None:
        for _ in range(STEPS):
            key = b"%d-%d" % (self.number, self.draw.randrange(KEYS))
            self.draw.choice((self.by_redis, self.by_redis, self.by_memcached, self.by_memcached, self.count))(key)
            self.compare(key)

    # --- what is written; the reply is compared with what must come -------------------------------------

    def by_redis(self, key: bytes) -> None:
        name, value, seconds = b"mix:" + key, self.value(), self.draw.choice(TIMES)
        kind = self.draw.choice(("SET", "NX", "APPEND", "EXPIRE", "PERSIST", "DEL"))
        begun, there = self.before(key)
        if kind in ("SET", "NX"):
            seconds = abs(seconds)  # Redis refuses to store what is over
            life = ("PX", 1000 * seconds) if seconds else ()
            reply = self.redis("SET", name, value, *life, *(("NX",) if kind == "NX" else ()))
            self.after(key, begun, reply, None if kind == "NX" and there else "OK", value, seconds)
        elif kind == "APPEND":
            old = self.known[key].value if there else b""
            reply = self.redis("APPEND", name, value)
            self.after(key, begun, reply, len(old) + len(value), old + value)
        elif kind == "EXPIRE":
            reply = self.redis("EXPIRE", name, seconds or 100)
            self.after(key, begun, reply, int(there), None, seconds or 100)
        elif kind == "PERSIST":
            has_end = there and self.known[key].end is not None
            self.after(key, begun, self.redis("PERSIST", name), int(has_end), None, 0)
        else:
            reply = self.redis("DEL", name)
            self.after(key, begun, reply, int(there))
            self.known.pop(key, None)

    def by_memcached(self, key: bytes) -> None:
        name, value, seconds = b"mix:" + key, self.value(), self.draw.choice(TIMES)
        kind = self.draw.choice((b"set", b"add", b"replace", b"append", b"touch", b"delete"))
        begun, there = self.before(key)
        data = b"%b %b 7 %d %d\r\n%b\r\n" % (kind, name, seconds, len(value), value)
        if kind in (b"set", b"add", b"replace"):
            stored = kind == b"set" or (kind == b"add") != there
            reply = self.memcached.line(data)
            self.after(key, begun, reply, b"STORED" if stored else b"NOT_STORED", value, seconds)
        elif kind == b"append":
            old = self.known[key].value if there else b""
            reply = self.memcached.line(data)
            self.after(key, begun, reply, b"STORED" if there else b"NOT_STORED", old + value)
        elif kind == b"touch":
            reply = self.memcached.line(b"touch %b %d\r\n" % (name, seconds))
            self.after(key, begun, reply, b"TOUCHED" if there else b"NOT_FOUND", None, seconds)
        else:
            reply = self.memcached.line(b"delete %b\r\n" % name)
            self.after(key, begun, reply, b"DELETED" if there else b"NOT_FOUND")
            self.known.pop(key, None)

    def count(self, _: bytes) -> None:
        which = self.draw.randrange(COUNTERS)
        if self.draw.random() < 0.5:
            self.redis("INCRBY", "counter:%d" % which, 2)
        else:
            assert self.memcached.line(b"incr counter:%d 2\r\n" % which).isdigit()
        self.counted[which] += 2

    def value(self) -> bytes:
        return bytes(self.draw.choices(b"ab\0\r\n\xff", k=self.draw.randrange(1, 40)))

    def before(self, key: bytes) -> tuple[float, bool]:
        """The time, and whether the key is there; one in doubt is deleted first."""
        entry, begun = self.known.get(key), time.time()
        if entry is not None and entry.state(begun) is None:
            self.redis("DEL", b"mix:" + key)
            entry = None
            self.known.pop(key)
        return begun, entry is not None and entry.state(begun) is True

    def after(
        self, key: bytes, begun: float, reply: object, wanted: object,
        value: Optional[bytes] = None, seconds: Optional[int] = None,
    ) -> None:  # fmt: skip
        """Compares the reply and notes what the key has now. `seconds` None: its end stays."""
        entry = self.known.get(key)
        if entry is not None and entry.state(begun) is None:  # it came into doubt meanwhile
            self.redis("DEL", b"mix:" + key)
            self.known.pop(key)
            return
        if reply != wanted:
            self.wrong.append((key, reply, wanted))
        there = entry is not None and entry.state(begun) is True
        if reply in (None, 0, b"NOT_STORED", b"NOT_FOUND"):
            return
        made = Entry(value if value is not None else entry.value if entry else b"", seconds or 0)
        if seconds is None and there and entry is not None:
            made.end = entry.end
        self.known[key] = made

    # --- what is read -----------------------------------------------------------------------------------

    def compare(self, key: bytes) -> None:
        """By Redis, memcached and SQL."""
        entry, begun = self.known.get(key), time.time()
        found = (self.redis("GET", b"mix:" + key), self.read_memcached(key), self.read_sql(key))
        state = False if entry is None else entry.state(begun)
        if state is None:
            return
        wanted = entry.value if state and entry is not None else None
        self.compared += 1
        self.absent += wanted is None
        if found != (wanted,) * 3:
            self.wrong.append((key, *found, wanted))

    def read_memcached(self, key: bytes) -> Optional[bytes]:
        head = self.memcached.line(b"get mix:%b\r\n" % key)
        if head == b"END":
            return None
        return self.memcached.read(int(head.split()[3]) + len(b"\r\nEND\r\n"))[: -len(b"\r\nEND\r\n")]

    def read_sql(self, key: bytes) -> Optional[bytes]:
        with self.sql.cursor() as cursor:
            cursor.execute(FOUND, (key,))
            row = cursor.fetchone()
        return None if row is None else bytes(row[0])

    def close(self) -> None:
        self.redis.close()
        self.memcached.socket.close()
        self.sql.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_both_protocols_and_sql_see_the_same_while_keys_expire(
    server: PrivateServer, database: str, resp_port: int, seed: int
) -> None:
    memcached_port = free_port()
    server.sql(f"SET GLOBAL handlersocket_memcached_port = '{memcached_port}'")
    for table in TABLES:
        server.sql(table)
    server.sql(f"INSERT INTO hs.counter SELECT seq, 0 FROM seq_0_to_{COUNTERS - 1}", database="hs")
    workers = [Worker(number, seed, server, (resp_port, memcached_port)) for number in range(THREADS)]
    try:
        threads = [threading.Thread(target=worker.run) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [worker.wrong for worker in workers] == [[]] * THREADS
        assert sum(worker.compared for worker in workers) > THREADS * STEPS / 2
        assert all(worker.absent for worker in workers)
        sums = [sum(column) for column in zip(*(worker.counted for worker in workers))]
        assert [number for (number,) in server.sql("SELECT n FROM hs.counter ORDER BY k")] == sums
        # What has few seconds to live goes by itself, and the purge takes it from SQL, too.
        deadline = time.monotonic() + 120
        while server.sql("SELECT COUNT(*) FROM hs.mix WHERE e > 0 AND e <= UNIX_TIMESTAMP() + 10") != [(0,)]:
            assert time.monotonic() < deadline
        for worker in workers:
            for key in worker.known:
                worker.compare(key)
        assert [worker.wrong for worker in workers] == [[]] * THREADS
    finally:
        for worker in workers:
            worker.close()
        server.sql("SET GLOBAL handlersocket_memcached_port = '0'")
