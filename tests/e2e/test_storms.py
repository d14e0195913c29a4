"""DDL, locks and flushes under full read and write load: each statement gets through, and clients see
nothing but right rows or an error that says to try again."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

import pymysql
import pytest
import server_files
from binlog import statement_errors
from hs_client import Client, kill, line
from private_server import PrivateServer

KEYS = 500
THREADS = 4
PIPELINE = 5
IDLE = 100
HANG_S = 60  # far more than any statement takes; the times are printed
# Errors after which docs/errors.md says to try again, and those of a name that is gone for now.
RETRYABLE = {b"1\t1\tlock_tables", b"1\t1\tinterrupted"}
GONE = {b"1\t1\topen_table", b"2\t1\tidxnum", b"2\t1\tfld"}


def check_of(value: int) -> int:
    """What column c holds beside v."""
    return (value * 7919 + 13) % 1_000_003


CREATE = "CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL, c INT NOT NULL, KEY v (v))"


def fill(server: PrivateServer, table: str = "hs.t") -> None:
    server.sql(
        f"INSERT INTO {table} (id, v, c) SELECT seq, seq, (seq * 7919 + 13) % 1000003"
        f" FROM hs.seq_1_to_{KEYS}"
    )


@pytest.fixture(scope="module")
def stormy() -> Iterator[PrivateServer]:
    with PrivateServer(
        variables={
            "handlersocket_threads": 2,
            "handlersocket_threads_wr": 2,
            "log_bin": "log",
            "sync_binlog": 0,
            "innodb_flush_log_at_trx_commit": 2,
        }
    ) as server:
        server.sql("CREATE DATABASE hs")
        yield server
        assert server.running, server.error_log()[-3000:]


class Load:
    """Clients of both ports that read and write until stop(), and judge every reply."""

    def __init__(self, server: PrivateServer, seed: int, may_vanish: bool) -> None:
        self.server = server
        self.allowed = RETRYABLE | (GONE if may_vanish else set())
        self.replies: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._stop = threading.Event()
        # Each index is opened before the first statement that takes the table away.
        readers = [self._opened(server.port, ["id", "v", "c"]) for _ in range(THREADS)]
        writers = [self._opened(server.port_wr, ["v", "c"]) for _ in range(THREADS)]
        work = [(self._read, client) for client in readers] + [(self._write, client) for client in writers]
        self._threads = [
            threading.Thread(target=self._run, args=(function, client, random.Random(seed + number)))
            for number, (function, client) in enumerate(work)
        ]
        ports = (server.port, server.port_wr) * (IDLE // 2)
        self.idle = [self._opened(port, ["id", "v", "c"]) for port in ports]
        for thread in self._threads:
            thread.start()
        self.wait_for_progress()

    @staticmethod
    def _opened(port: int, columns: list[str]) -> Client:
        client = Client(port)
        client.open("hs.t", columns)
        return client

    def wait_for_progress(self) -> None:
        """Waits until each kind of client has got further answers."""
        for kind in ("read", "written"):
            before = self.replies[kind]
            until = time.monotonic() + HANG_S
            while self.replies[kind] < before + 20 and not self.wrong:
                assert time.monotonic() < until, f"no client got anything {kind}"

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        for client in self.idle:
            client.close()
        assert not self.wrong, self.wrong[:5]

    def _run(self, work: Callable[[Client, random.Random], None], client: Client, rng: random.Random) -> None:
        try:
            with client:
                work(client, rng)
        except Exception as error:  # noqa: BLE001
            self.wrong.append(repr(error))

    def _judge(self, reply: bytes, key: int, kind: str) -> None:
        if reply in self.allowed:
            self.replies[reply.decode()] += 1
        elif kind == "written" and reply in (b"0\t1\t1", b"0\t1\t0"):
            self.replies[kind] += 1
        elif kind == "read" and self._is_row(reply.split(b"\t"), key):
            self.replies[kind] += 1
        else:
            self.wrong.append(f"{kind} {key}: {reply!r}")

    @staticmethod
    def _is_row(tokens: list[bytes], key: int) -> bool:
        if tokens == [b"0", b"3"]:
            return True  # no such row now
        return (
            len(tokens) == 5
            and tokens[:2] == [b"0", b"3"]
            and int(tokens[2]) == key
            and int(tokens[4]) == check_of(int(tokens[3]))
        )

    def _read(self, client: Client, rng: random.Random) -> None:
        while not self._stop.is_set():
            keys = [rng.randint(1, KEYS) for _ in range(PIPELINE)]
            client.send(b"".join(line(1, "=", 1, key) for key in keys))
            for key in keys:
                self._judge(client.read_line(), key, "read")

    def _write(self, client: Client, rng: random.Random) -> None:
        while not self._stop.is_set():
            keys = [rng.randint(1, KEYS) for _ in range(PIPELINE)]
            values = [rng.randint(0, 1_000_000) for _ in keys]
            client.send(
                b"".join(
                    line(1, "=", 1, key, 1, 0, "U", value, check_of(value))
                    for key, value in zip(keys, values)
                )
            )
            for key in keys:
                self._judge(client.read_line(), key, "written")


def finish(cursor: pymysql.cursors.Cursor, statement: str) -> None:
    """Executes it. On MariaDB 11.8 an ALTER may end with 1032 under load, also that of SQL alone: docs/servers.md."""
    for _ in range(50 if server_files.SERVER == "mariadb-11.8" else 0):
        try:
            cursor.execute(statement)
            return
        except pymysql.err.OperationalError as error:
            if error.args[0] != 1032:
                raise
    cursor.execute(statement)


def execute(server: PrivateServer, statements: list[str]) -> None:
    """Runs statements on one connection, which fails instead of hanging. Prints how long each took."""
    connection: pymysql.connections.Connection = server.connect()
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_wait_timeout = {HANG_S}")
            for statement in statements:
                begin = time.monotonic()
                finish(cursor, statement)
                print(f"{time.monotonic() - begin:8.3f} s  {statement}")
    finally:
        connection.close()


KEEPING_THE_TABLE = {
    "instant": ["ALTER TABLE hs.t ADD COLUMN x INT FIRST, ALGORITHM=INSTANT", "ALTER TABLE hs.t DROP COLUMN x, ALGORITHM=INSTANT"],
    "inplace": ["ALTER TABLE hs.t ADD KEY c (c), ALGORITHM=INPLACE", "ALTER TABLE hs.t DROP KEY c"],
    "copy": ["ALTER TABLE hs.t FORCE, ALGORITHM=COPY"],
    "reordered": ["ALTER TABLE hs.t MODIFY c INT NOT NULL FIRST", "ALTER TABLE hs.t MODIFY v BIGINT NOT NULL AFTER c", "ALTER TABLE hs.t MODIFY v INT NOT NULL AFTER id"],
    "engine": ["ALTER TABLE hs.t ENGINE=Aria", "ALTER TABLE hs.t ENGINE=InnoDB"],
    "maintenance": ["OPTIMIZE TABLE hs.t", "ANALYZE TABLE hs.t", "CHECK TABLE hs.t"],
    "flush": ["FLUSH TABLES", "FLUSH TABLES hs.t", "FLUSH TABLES hs.t FOR EXPORT", "UNLOCK TABLES"],
    "global read lock": ["FLUSH TABLES WITH READ LOCK", "SELECT SUM(v) FROM hs.t", "UNLOCK TABLES"],
    "lock tables": ["LOCK TABLES hs.t WRITE", "SELECT SUM(v) FROM hs.t", "UNLOCK TABLES"],
    "backup": ["BACKUP STAGE START", "BACKUP STAGE FLUSH", "BACKUP STAGE BLOCK_DDL", "BACKUP STAGE BLOCK_COMMIT", "BACKUP STAGE END"],
    "read_only": ["SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0"],
}  # fmt: skip

LOSING_THE_TABLE = {
    "truncate": ["TRUNCATE TABLE hs.t"],
    "drop": ["DROP TABLE hs.t", CREATE],
    "rename": ["RENAME TABLE hs.t TO hs.away", "RENAME TABLE hs.away TO hs.t"],
    "swap": ["CREATE TABLE hs.other LIKE hs.t", "RENAME TABLE hs.t TO hs.old, hs.other TO hs.t", "DROP TABLE hs.old"],
    "column": ["ALTER TABLE hs.t RENAME COLUMN v TO w", "ALTER TABLE hs.t RENAME COLUMN w TO v"],
    "primary key": ["ALTER TABLE hs.t DROP PRIMARY KEY", "ALTER TABLE hs.t ADD PRIMARY KEY (id)"],
    "partitions": ["ALTER TABLE hs.t PARTITION BY HASH (id) PARTITIONS 4", "ALTER TABLE hs.t ADD PARTITION PARTITIONS 2", "ALTER TABLE hs.t TRUNCATE PARTITION p0", "ALTER TABLE hs.t REMOVE PARTITIONING"],
    "database": ["DROP DATABASE hs", "CREATE DATABASE hs", CREATE],
}  # fmt: skip

CASES = [
    *((name, statements, False) for name, statements in KEEPING_THE_TABLE.items()),
    *((name, statements, True) for name, statements in LOSING_THE_TABLE.items()),
]


@pytest.mark.parametrize(("name", "statements", "may_vanish"), CASES, ids=[case[0] for case in CASES])
def test_gets_through_and_clients_see_right_rows(
    stormy: PrivateServer, name: str, statements: list[str], may_vanish: bool
) -> None:
    stormy.make_database("hs")
    stormy.sql(CREATE)
    fill(stormy)
    load = Load(stormy, 1, may_vanish)
    try:
        for _ in range(2):
            execute(stormy, statements)
            if stormy.sql("SELECT COUNT(*) FROM hs.t") == [(0,)]:
                fill(stormy)
            load.wait_for_progress()
    finally:
        load.stop()
    print(dict(load.replies))
    wrong = "SELECT COUNT(*) FROM hs.t WHERE c <> (v * 7919 + 13) % 1000003"
    assert stormy.sql(wrong) == [(0,)]


def test_a_trigger_that_comes_meanwhile_is_never_skipped(stormy: PrivateServer) -> None:
    stormy.make_database("hs")
    stormy.sql(CREATE)
    fill(stormy)
    stormy.sql("CREATE TABLE hs.log (n INT AUTO_INCREMENT PRIMARY KEY, id INT, v INT)")
    load = Load(stormy, 2, may_vanish=False)
    try:
        for _ in range(5):
            execute(
                stormy,
                [
                    "CREATE TRIGGER hs.u AFTER UPDATE ON hs.t FOR EACH ROW"
                    " INSERT INTO hs.log (id, v) VALUES (NEW.id, NEW.v)"
                ],
            )
            load.wait_for_progress()
            execute(stormy, ["DROP TRIGGER hs.u"])
            load.wait_for_progress()
        execute(stormy, ["TRUNCATE hs.log"])
        execute(
            stormy,
            [
                "CREATE TRIGGER hs.u AFTER UPDATE ON hs.t FOR EACH ROW"
                " INSERT INTO hs.log (id, v) VALUES (NEW.id, NEW.v)"
            ],
        )
        written = load.replies["written"]
        load.wait_for_progress()
    finally:
        load.stop()
    assert stormy.sql("SELECT COUNT(*) FROM hs.log")[0][0] >= load.replies["written"] - written
    # What each row is now, the log has last.
    wrong = (
        "SELECT COUNT(*) FROM (SELECT id, MAX(n) AS n FROM hs.log GROUP BY id) AS last"
        " JOIN hs.log USING (n) JOIN hs.t ON t.id = log.id WHERE t.v <> log.v"
    )
    assert stormy.sql(wrong) == [(0,)]


OWN_THREADS = "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'handlersocket'"


def kill_threads(server: PrivateServer, verb: str) -> None:
    for (thread,) in server.sql(OWN_THREADS):
        kill(server, verb, thread)


def test_threads_that_are_killed_go_on(stormy: PrivateServer) -> None:
    stormy.make_database("hs")
    stormy.sql(CREATE)
    fill(stormy)
    load = Load(stormy, 3, may_vanish=False)
    try:
        for verb, _ in itertools.product(("KILL", "KILL QUERY"), range(10)):
            kill_threads(stormy, verb)
            load.wait_for_progress()
    finally:
        load.stop()


DONE = b"0\t1"
SAVEPOINTS, KILLERS, LOST_BLOCKS, MAX_BLOCKS = 50, 3, 5, 20_000


def test_a_savepoint_that_is_killed_stops_no_replica(stormy: PrivateServer) -> None:
    """Each block is kept as a whole, or lost as a whole with its savepoints."""
    stormy.make_database("hs")
    stormy.sql("CREATE TABLE hs.t (id INT AUTO_INCREMENT PRIMARY KEY, v INT)")
    end = threading.Event()

    def go_on_killing() -> None:
        with stormy.connect() as connection, connection.cursor() as sql:
            while not end.is_set():
                sql.execute(OWN_THREADS)
                for (thread,) in sql.fetchall():
                    with suppress(pymysql.err.OperationalError):  # it has ended
                        sql.execute(f"KILL QUERY {thread}")

    killers = [threading.Thread(target=go_on_killing) for _ in range(KILLERS)]
    kept: dict[int, int] = {}
    lost = 0
    with Client(stormy.port_wr) as client:
        client.open("hs.t", ["v"])
        steps = [line("T", "S", f"s{number}") for number in range(SAVEPOINTS)]
        for killer in killers:
            killer.start()
        try:
            for block in range(MAX_BLOCKS):
                row = line(1, "+", 1, block)
                replies = client.pipeline([line("T", "B"), row, *steps, row, line("T", "C")])
                inserted = sum(reply.count(b"\t") == 2 and reply.startswith(b"0") for reply in replies)
                if replies[-1] == DONE and inserted:
                    kept[block] = inserted
                elif replies[-1] != DONE:
                    assert replies[-1] == b"1\t1\ttransaction_lost"
                    lost += 1
                if lost == LOST_BLOCKS:
                    break
        finally:
            end.set()
            for killer in killers:
                killer.join()
    assert lost == LOST_BLOCKS
    assert statement_errors(stormy) == {0}
    assert dict(stormy.sql("SELECT v, COUNT(*) FROM hs.t GROUP BY v")) == kept
def increment(client: Client, table: int) -> list[bytes]:
    """Requests that add 1 to the row, and further ones; each says whether it has."""
    return client.pipeline([line(table, "=", 1, 1, 1, 0, "+", 1)] * PIPELINE)


def compare_and_set(client: Client, table: int) -> list[bytes]:
    """Reads the row's number, and sets the next one if it still is that."""
    found = client.request(table, "=", 1, 1)
    if not found.startswith(b"0\t1\t"):
        return [found]
    number = int(found.split(b"\t")[2])
    return [client.request(table, "=", 1, 1, 1, 0, "F", "=", 0, number, "U", number + 1)]


COUNTED = 300


@pytest.mark.parametrize("count", [increment, compare_and_set])
def test_what_was_counted_is_what_was_answered(
    stormy: PrivateServer, count: Callable[[Client, int], list[bytes]]
) -> None:
    """Of many connections that count in the same rows, while tables are altered and threads killed."""
    stormy.make_database("hs")
    for table in "ab":
        stormy.sql(f"CREATE TABLE hs.{table} (id INT PRIMARY KEY, n INT NOT NULL)")
        stormy.sql(f"INSERT INTO hs.{table} VALUES (1, 0)")
    answered: Counter[int] = Counter()
    wrong: list[object] = []

    def work(client: Client, rng: random.Random) -> None:
        try:
            client.open("hs.a", ["n"], id=0, filters=["n"])
            client.open("hs.b", ["n"], id=1, filters=["n"])
            while min(answered[0], answered[1]) < COUNTED and not wrong:
                table = rng.randrange(2)
                for reply in count(client, table):
                    if reply == b"0\t1\t1":
                        with lock:
                            answered[table] += 1
                    elif reply != b"0\t1\t0" and reply not in RETRYABLE:
                        wrong.append(reply)
        except Exception as error:  # noqa: BLE001
            wrong.append(repr(error))

    lock = threading.Lock()
    clients = [Client(stormy.port_wr) for _ in range(2 * THREADS)]
    threads = [
        threading.Thread(target=work, args=(client, random.Random(number)))
        for number, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        execute(stormy, ["ALTER TABLE hs.a FORCE, ALGORITHM=COPY", "FLUSH TABLES", "ALTER TABLE hs.b FORCE"])
        kill_threads(stormy, "KILL QUERY")
    for client in clients:
        client.close()
    assert not wrong, wrong[:5]
    for number, table in enumerate("ab"):
        assert stormy.sql(f"SELECT n FROM hs.{table}") == [(answered[number],)]
