"""DDL and locks of SQL get through, whatever connections of the ports hold open."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from hs_client import Client
from private_server import PrivateServer


@pytest.fixture
def table(server: PrivateServer, database: str) -> str:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL, w INT NULL, KEY v (v))")
    server.sql("INSERT INTO hs.t SELECT seq, seq * 2, 7 FROM seq_1_to_1000", database="hs")
    return "hs.t"


@pytest.fixture
def impatient(server: PrivateServer) -> Iterator[Callable[[str], None]]:
    """Runs SQL that fails, instead of hanging, when it has to wait long for a lock."""
    connection = server.connect(database="hs")

    def run(statement: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION lock_wait_timeout = 20")
            cursor.execute(statement)

    yield run
    connection.close()


DDL = [
    "ALTER TABLE t ADD COLUMN x INT, ALGORITHM=INSTANT",
    "ALTER TABLE t ADD INDEX x (x), ALGORITHM=INPLACE",
    "ALTER TABLE t MODIFY x BIGINT, ALGORITHM=COPY",
    "OPTIMIZE TABLE t",
    "RENAME TABLE t TO t2, t2 TO t",
    "LOCK TABLES t WRITE",
    "UNLOCK TABLES",
    "FLUSH TABLES",
    "FLUSH TABLES WITH READ LOCK",
    "UNLOCK TABLES",
    "BACKUP STAGE START",
    "BACKUP STAGE BLOCK_COMMIT",
    "BACKUP STAGE END",
    "TRUNCATE TABLE t",
    "DROP TABLE t",
]


def test_idle_clients_with_open_indexes_block_nothing(
    server: PrivateServer,
    reader: Client,
    writer: Client,
    table: str,
    impatient: Callable[[str], None],
) -> None:
    for client in (reader, writer):
        client.open(table, ["id", "v"])
        assert client.find("=", [5]) == [(b"5", b"10")]
    for statement in DDL:
        impatient(statement)


def test_an_idle_thread_holds_no_lock(
    server: PrivateServer, reader: Client, writer: Client, table: str
) -> None:
    """Waits until the locks are gone, which is when the thread has nothing to do."""
    server.sql("INSTALL SONAME 'metadata_lock_info'")
    try:
        for client in (reader, writer):
            client.open(table, ["id"])
            client.find("=", [1])
        query = "SELECT LOCK_MODE FROM information_schema.METADATA_LOCK_INFO WHERE TABLE_SCHEMA = 'hs'"
        for _ in range(10_000):
            if not server.sql(query):
                break
        else:
            raise AssertionError(server.sql(query))
        # The next request opens the tables again.
        assert reader.find("=", [1]) == [(b"1",)]
    finally:
        server.sql("UNINSTALL SONAME 'metadata_lock_info'")


def test_ddl_gets_through_under_load_and_no_answer_is_wrong(
    server: PrivateServer, table: str, impatient: Callable[[str], None]
) -> None:
    stop = threading.Event()
    wrong: list[bytes] = []
    answered = [0, 0]

    def read() -> None:
        with Client(server.port) as client:
            client.open(table, ["v"])
            key = 0
            while not stop.is_set():
                key = key % 1000 + 1
                reply = client.raw(b"1\t=\t1\t%d" % key)
                if reply == b"0\t1\t%d" % (key * 2):
                    answered[0] += 1
                elif reply != b"1\t1\tlock_tables":
                    wrong.append(reply)

    def write() -> None:
        with Client(server.port_wr) as client:
            client.open(table, ["w"])
            key = 0
            while not stop.is_set():
                key = key % 1000 + 1
                reply = client.raw(b"1\t=\t1\t%d\t1\t0\tU\t%d" % (key, key))
                if reply == b"0\t1\t1":
                    answered[1] += 1
                elif reply != b"1\t1\tlock_tables":
                    wrong.append(reply)

    threads = [threading.Thread(target=target) for target in (read, read, write)]
    for thread in threads:
        thread.start()
    try:
        for round_ in range(3):
            impatient(f"ALTER TABLE t ADD COLUMN x{round_} INT FIRST, ALGORITHM=INSTANT")
            impatient("ALTER TABLE t ADD INDEX w (w)")
            impatient("ALTER TABLE t DROP INDEX w")
            impatient("ALTER TABLE t FORCE, ALGORITHM=COPY")
            impatient("OPTIMIZE TABLE t")
            impatient("FLUSH TABLES WITH READ LOCK")
            impatient("UNLOCK TABLES")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert min(answered) > 0


def test_an_open_index_means_what_its_names_mean_now(
    server: PrivateServer, reader: Client, table: str
) -> None:
    reader.open(table, ["id", "v"])
    assert reader.find("=", [5]) == [(b"5", b"10")]
    server.sql("ALTER TABLE hs.t ADD COLUMN front VARCHAR(10) NOT NULL DEFAULT 'f' FIRST")
    assert reader.find("=", [5]) == [(b"5", b"10")]
    server.sql("ALTER TABLE hs.t RENAME COLUMN v TO gone")
    assert reader.raw(b"1\t=\t1\t5") == b"2\t1\tfld"
    server.sql("ALTER TABLE hs.t RENAME COLUMN gone TO v")
    assert reader.find("=", [5]) == [(b"5", b"10")]
    server.sql("ALTER TABLE hs.t DROP PRIMARY KEY")
    assert reader.raw(b"1\t=\t1\t5") == b"2\t1\tidxnum"
    server.sql("DROP TABLE hs.t")
    assert reader.raw(b"1\t=\t1\t5") == b"1\t1\topen_table"
    server.sql("CREATE TABLE hs.t (v VARCHAR(10), id VARCHAR(10) PRIMARY KEY)")
    server.sql("INSERT INTO hs.t VALUES ('new', '5')")
    assert reader.find("=", [5]) == [(b"5", b"new")]


def test_writes_wait_for_a_locked_table_and_go_on_afterwards(
    server: PrivateServer, writer: Client, table: str
) -> None:
    writer.open(table, ["v"])
    locker = server.connect(database="hs")
    try:
        with locker.cursor() as cursor:
            cursor.execute("LOCK TABLES t WRITE")
            writer.send(b"1\t=\t1\t5\t1\t0\tU\t99\n")
            cursor.execute("SELECT v FROM t WHERE id = 5")
            assert cursor.fetchall() == ((10,),)
            cursor.execute("UNLOCK TABLES")
        assert writer.read_line() == b"0\t1\t1"
    finally:
        locker.close()
    assert server.sql("SELECT v FROM hs.t WHERE id = 5") == [(99,)]
