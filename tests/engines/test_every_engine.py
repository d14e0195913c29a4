"""Every engine answers as InnoDB does, or refuses clearly and changes nothing.

InnoDB's answers are held against SQL's by the suite `differential`.
"""

from __future__ import annotations

import random
import threading

import pytest
from hs_client import Client, line, rows, sql_holds
from private_server import PrivateServer

REQUESTS = 1500
COLUMNS = (
    "id INT NOT NULL, d INT{null}, s VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin{null},"
    " x BIGINT{null}, PRIMARY KEY {using} (id){rev}, KEY d {using} (d, id){rev}, KEY ds {using} (d, s, id),"
    " KEY s {using} (s{prefix}{id})"
)


def table(engine: str, using: str = "", rev: str = "", null: str = " NULL", prefix: str = "") -> str:
    columns = COLUMNS.format(null=null, using=using, rev=rev, prefix=prefix, id="" if prefix else ", id")
    return f"({columns}) ENGINE={engine}"


DESCENDING = (
    "(id INT NOT NULL, d INT, s VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin, x BIGINT,"
    " PRIMARY KEY (id DESC), KEY d (d DESC, id), KEY ds (d, s DESC, id), KEY s (s, id DESC)) ENGINE="
)
HASHED = " PARTITION BY HASH (id) PARTITIONS 3"
# The table of an engine, and the same of InnoDB.
LIKE_INNODB = {
    "Aria": (table("Aria"), table("InnoDB")),
    "Aria, not transactional": (table("Aria TRANSACTIONAL=0"), table("InnoDB")),
    "Aria, descending keys": (DESCENDING + "Aria", DESCENDING + "InnoDB"),
    "MyISAM": (table("MyISAM"), table("InnoDB")),
    "MyISAM, descending keys": (DESCENDING + "MyISAM", DESCENDING + "InnoDB"),
    "MEMORY": (table("MEMORY", using="USING BTREE"), table("InnoDB")),
    "MyRocks": (table("ROCKSDB"), table("InnoDB")),
    "MyRocks, families in reverse": (table("ROCKSDB", rev=" COMMENT 'rev:back'"), table("InnoDB")),
    "MyRocks, partitions": (table("ROCKSDB") + HASHED, table("InnoDB") + HASHED),
}
INDEXES = {1: ("PRIMARY", ["id"]), 2: ("d", ["d", "id"]), 3: ("ds", ["d", "s", "id"]), 4: ("s", ["s", "id"])}
TEXTS = [None, "", "a", "ab", "abc", "b", "zz"]


class Drawn:
    """Draws requests that mean the same for every engine: a change of several rows does not fail at
    one of them, since engines without rollback then keep those before it."""

    def __init__(self, seed: int, name: str) -> None:
        self.draw = random.Random(f"{seed}/{name}")

    def value(self, column: str) -> object:
        if column == "id":
            return self.draw.randint(0, 40)
        return self.draw.choice([None, *range(8)] if column == "d" else TEXTS)

    def key(self, index: int) -> list[object]:
        columns = INDEXES[index][1]
        return [self.value(column) for column in columns[: self.draw.randint(1, len(columns))]]

    def found(self, index: int) -> list[object]:
        key = self.key(index)
        operator = self.draw.choice(["=", "=<", ">", ">=", "<", "<="])
        tokens = [index, operator, len(key), *key, self.draw.choice([1, 3, 100]), self.draw.choice([0, 0, 1])]
        if self.draw.random() < 0.2:
            part = self.draw.randrange(len(key))
            values = [self.value(INDEXES[index][1][part]) for _ in range(3)]
            tokens += [self.draw.choice("@&"), part, 3, *values]
        if self.draw.random() < 0.3:
            tokens += [self.draw.choice("FW"), self.draw.choice(["=", "!=", ">", "<="]), 3, self.draw.randint(0, 9)]
        return tokens

    def request(self) -> tuple[bool, list[object]]:
        """Whether it is a change, and its tokens."""
        kind = self.draw.random()
        if kind < 0.35:
            form = self.draw.choice(["+", "+", "+I", "+U", "+R!", "+!", "+U!"])
            row = [self.value("id"), self.value("d"), self.value("s"), self.draw.randint(0, 9)]
            return True, [1, form, 4, *row]
        if kind < 0.4:
            row = [self.value("id"), self.value("d"), self.value("s"), self.draw.randint(0, 9)]
            return True, [1, "=", 1, self.value("id"), 1, 0, self.draw.choice(["U", "U?", "U!"]), *row]
        found = self.found(self.draw.choice(list(INDEXES)))
        if kind < 0.55:
            found[0] = int(str(found[0])) + 10
            return True, [*found, self.draw.choice(["U", "U!"]), self.value("d"), self.value("s")]
        if kind < 0.6:
            found[0] = int(str(found[0])) + 20
            return True, [*found, self.draw.choice(["+", "-", "+?"]), self.draw.randint(0, 3)]
        if kind < 0.65:
            return True, [*found, self.draw.choice(["D", "D?"])]
        if self.draw.random() < 0.5:
            found[0] = int(str(found[0])) + 20
        return False, [*found, *self.draw.choice([[], [], ["C"]])]


def open_all(client: Client, table: str) -> None:
    for id, (index, _) in INDEXES.items():
        client.open(table, ["id", "d", "s", "x"], index, id, ["id", "d", "s", "x"])
        client.open(table, ["d", "s"], index, id + 10, ["id", "d", "s", "x"])
        client.open(table, ["x"], index, id + 20, ["id", "d", "s", "x"])


def content(server: PrivateServer, table: str) -> list[tuple[object, ...]]:
    return server.sql(f"SELECT id, d, s, x FROM {table} ORDER BY id")


@pytest.mark.parametrize("name", LIKE_INNODB)
def test_drawn_requests_are_answered_as_for_innodb(server: PrivateServer, database: None, seed: int, name: str) -> None:
    for place, definition in zip(("hs", "far"), LIKE_INNODB[name]):
        server.sql(f"CREATE TABLE {place}.t {definition}")
    drawn = Drawn(seed, name)
    with Client(server.port) as reader, Client(server.port_wr) as writer:
        with Client(server.port) as reader_of_same, Client(server.port_wr) as writer_of_same:
            for client in (reader, writer):
                open_all(client, "hs.t")
            for client in (reader_of_same, writer_of_same):
                open_all(client, "far.t")
            for step in range(REQUESTS):
                is_change, tokens = drawn.request()
                ours, same = (writer, writer_of_same) if is_change or step % 2 else (reader, reader_of_same)
                request = line(*tokens)
                assert ours.pipeline([request]) == same.pipeline([request]), (step, repr(tokens))
                if is_change:
                    assert content(server, "hs.t") == content(server, "far.t"), (step, tokens)
                if step % 300 == 299:
                    server.sql(f"ALTER TABLE hs.t ADD COLUMN y{step} INT")
    assert content(server, "hs.t") == content(server, "far.t")


@pytest.mark.parametrize("engine", ["ROCKSDB", "Aria", "MyISAM", "MEMORY"])
def test_requests_that_are_killed_and_altered_under_leave_a_sound_table(
    server: PrivateServer, database: None, seed: int, engine: str
) -> None:
    server.sql(f"CREATE TABLE hs.t {table(engine, using='USING BTREE' if engine == 'MEMORY' else '')}")
    done = threading.Event()
    answered: list[int] = []

    def write(number: int) -> None:
        drawn = Drawn(seed, f"{engine}/{number}")
        with Client(server.port_wr) as client:
            open_all(client, "hs.t")
            while not done.is_set():
                replies = client.pipeline([line(*drawn.request()[1]) for _ in range(20)])
                answered.append(len(replies))

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in writers:
        thread.start()
    try:
        for step in range(12):
            server.sql(f"ALTER TABLE hs.t ADD COLUMN y{step} INT FIRST")
            for (id,) in server.sql("SELECT id FROM information_schema.processlist WHERE user = 'handlersocket'"):
                server.sql(f"KILL QUERY {id}")
            server.sql("FLUSH TABLES")
            server.sql("TRUNCATE TABLE hs.t" if step % 4 == 3 else "SELECT COUNT(*) FROM hs.t")
    finally:
        done.set()
        for thread in writers:
            thread.join()
    assert sum(answered) > 0 and server.running
    assert server.sql("CHECK TABLE hs.t")[-1][-1] in ("OK", "The storage engine for the table doesn't support check")
    # Every index has the same rows.
    wanted = server.sql("SELECT id, d, s, x FROM hs.t")
    for index in ("PRIMARY", "d", "ds", "s"):
        found = server.sql(f"SELECT id, d, s, x FROM hs.t FORCE INDEX ({index}) WHERE id >= 0")
        assert sorted(found, key=repr) == sorted(wanted, key=repr)


def test_myrocks_ends_at_the_last_row_of_a_key_that_is_not_read(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    """It leaves it to the server to compare the next row with the key."""
    server.sql(f"CREATE TABLE hs.t {table('ROCKSDB')}")
    server.sql("INSERT INTO hs.t VALUES (40, 2, 'b', 3), (41, 2, 'b', 7), (42, 2, 'c', 7)")
    for client in (reader, writer):
        open_all(client, "hs.t")
        # Its key stays in the row's memory.
        assert client.find("=", ["b", 40], id=4) == [(b"40", b"2", b"b", b"3")]
        assert client.request(4, "=", 2, "b", 40, 1, 0, "F", "!=", 3, 3, "C") == b"0\t1\t0"
        assert client.request(4, "=", 2, "b", 40, 0, 0, "F", ">", 3, 0, "C") == b"0\t1\t1"
        assert client.request(4, "=", 2, "b", 40, 0, 0, "C") == b"0\t1\t1"
        assert client.find("=", ["b", 40], 9, id=24) == [(b"3",)]
    assert writer.request(24, "=", 2, "b", 40, 9, 0, "+", 10) == b"0\t1\t1"
    assert server.sql("SELECT id, x FROM hs.t ORDER BY id") == [(40, 13), (41, 7), (42, 7)]


def test_myrocks_has_transactions(server: PrivateServer, database: None) -> None:
    server.sql(f"CREATE TABLE hs.t {table('ROCKSDB')}")
    with Client(server.port_wr) as client, Client(server.port_wr) as other:
        for each in (client, other):
            each.open("hs.t", ["id", "x"])
        assert client.request("T", "B") == b"0\t1"
        assert client.request(1, "+", 2, 1, 10) == b"0\t1"
        assert client.find("=", [1]) == [(b"1", b"10")]
        assert server.sql("SELECT COUNT(*) FROM hs.t") == [(0,)]
        assert client.request("T", "R") == b"0\t1"
        assert server.sql("SELECT COUNT(*) FROM hs.t") == [(0,)]
        assert client.pipeline([line("T", "B"), line(1, "+", 2, 2, 20), line("T", "C")]) == [b"0\t1"] * 3
        assert other.find("=", [2]) == [(b"2", b"20")]
        # A request that fails in the middle changes nothing.
        assert client.request(1, "+", 2, 3, 30) == b"0\t1"
        assert client.request(1, ">=", 1, 0, 9, 0, "U", 7, 7) == b"1\t1\t121"
    assert server.sql("SELECT id, x FROM hs.t") == [(2, 20), (3, 30)]


def test_myrocks_counts_what_many_count_at_once(server: PrivateServer, database: None) -> None:
    """A row that another has changed behind the snapshot is counted on in a new transaction."""
    server.sql(f"CREATE TABLE hs.t {table('ROCKSDB')}")
    server.sql("INSERT INTO hs.t (id, x) VALUES (1, 0), (2, 0)")
    replies: list[bytes] = []

    def count() -> None:
        with Client(server.port_wr) as client:
            client.open("hs.t", ["x"])
            for step in range(100):
                one, other = (1, 2) if step % 2 else (2, 1)
                replies.extend(client.pipeline([line(1, "=", 1, id, 1, 0, "+", 1) for id in (one, other, one)]))

    counters = [threading.Thread(target=count) for _ in range(8)]
    for thread in counters:
        thread.start()
    for _ in range(50):
        server.sql("UPDATE hs.t SET x = x + 1 WHERE id = 1")
    for thread in counters:
        thread.join()
    assert set(replies) == {b"0\t1\t1"}
    assert server.sql("SELECT id, x FROM hs.t ORDER BY id") == [(1, 8 * 150 + 50), (2, 8 * 150)]


def lock_waits(server: PrivateServer) -> int:
    return int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_lock_waits'")[0][1])


def test_a_lock_of_a_row_of_myrocks_holds_up_nobody_else() -> None:
    """With one thread: one that stopped would stop all connections."""
    with PrivateServer(variables={"plugin_maturity": "experimental", "handlersocket_threads_wr": 1}) as server:
        server.sql("INSTALL SONAME 'ha_rocksdb'")
        server.sql("SET GLOBAL rocksdb_lock_wait_timeout = 1000")
        server.sql("CREATE DATABASE hs")
        server.sql(f"CREATE TABLE hs.t {table('ROCKSDB')}")
        server.sql("INSERT INTO hs.t (id, x) VALUES (1, 0), (2, 0)")
        clients = [Client(server.port_wr) for _ in range(20)]
        with Client(server.port_wr) as other, sql_holds(server, "UPDATE hs.t SET x = 5 WHERE id = 1") as holder:
            for client in [*clients, other]:
                client.open("hs.t", ["x"])
            for client in clients:
                client.send(line(1, "=", 1, 1, 1, 0, "+", 1))
            while lock_waits(server) == 0:
                pass
            for _ in range(20):
                assert other.request(1, "=", 1, 2, 1, 0, "+", 1) == b"0\t1\t1"
            holder.commit()
        for client in clients:
            assert client.read_line() == b"0\t1\t1"
            client.close()
        assert server.sql("SELECT id, x FROM hs.t ORDER BY id") == [(1, 25), (2, 20)]


def test_myrocks_says_in_its_own_words_what_only_it_knows(server: PrivateServer, writer: Client) -> None:
    server.sql(f"CREATE TABLE hs.t {table('ROCKSDB')}")
    server.sql("INSERT INTO hs.t (id, x) VALUES (1, 0), (2, 0)")
    writer.open("hs.t", ["x"])
    most = server.sql("SELECT @@GLOBAL.rocksdb_max_row_locks")[0][0]
    server.sql("SET GLOBAL rocksdb_max_row_locks = 1")
    try:
        # A session takes such settings once a second.
        while (reply := writer.request(1, ">", 1, 0, 9, 0, "+", 1)) == b"0\t1\t2":
            assert server.running
    finally:
        server.sql(f"SET GLOBAL rocksdb_max_row_locks = {most}")
    assert reply.startswith(b"1\t1\tsql_1296 ") and b"rocksdb_max_row_locks" in reply, reply
    assert server.sql("SELECT MAX(x) - MIN(x) FROM hs.t") == [(0,)]


def test_settings_of_myrocks_that_take_back_what_was_answered_have_no_effect(
    server: PrivateServer, writer: Client, reader: Client
) -> None:
    """With the first new rows are not there until a session ends, with the others a part of what was rolled back is."""
    server.sql(f"CREATE TABLE hs.t {table('ROCKSDB')}")
    settings = {"rocksdb_bulk_load": 1, "rocksdb_commit_in_the_middle": 1, "rocksdb_bulk_load_size": 3}
    defaults = {name: server.sql(f"SELECT @@GLOBAL.{name}")[0][0] for name in settings}
    try:
        for name, value in settings.items():
            server.sql(f"SET GLOBAL {name} = {value}")
            server.sql("FLUSH TABLES")  # sessions that have none open take the settings
            for client in (writer, reader):
                client.open("hs.t", ["id", "x"])
            assert writer.pipeline([line(1, "+", 2, id, id) for id in (2, 1, 9)]) == [b"0\t1"] * 3, name
            assert writer.request(1, "+", 2, 1, 5) == b"1\t1\t121", name
            assert reader.find(">=", [0], 9) == [(b"1", b"1"), (b"2", b"2"), (b"9", b"9")], name
            assert writer.request("T", "B") == b"0\t1"
            assert {writer.request(1, "+", 2, id, 0) for id in range(20, 30)} == {b"0\t1"}, name
            assert writer.request("T", "R") == b"0\t1"
            assert writer.request(1, ">", 1, 0, 9, 0, "D") == b"0\t1\t3", name
            assert server.sql("SELECT COUNT(*) FROM hs.t") == [(0,)], name
    finally:
        for name, value in defaults.items():
            server.sql(f"SET GLOBAL {name} = {value}")


def test_rows_of_myrocks_are_locked_also_where_sql_does_without() -> None:
    """Else both would insert the row. SQL does with this setting."""
    settings = ["--plugin-load-add=ha_rocksdb.so", "--rocksdb-master-skip-tx-api=1"]
    with PrivateServer(variables={"plugin_maturity": "experimental"}, arguments=settings) as server:
        server.sql("CREATE DATABASE hs")
        server.sql(f"CREATE TABLE hs.t {table('ROCKSDB')}")
        with Client(server.port_wr) as first, Client(server.port_wr) as second:
            for client in (first, second):
                client.open("hs.t", ["id", "x"])
            assert first.request("T", "B") == b"0\t1"
            assert first.request(1, "+", 2, 1, 5) == b"0\t1"
            assert second.request(1, "+", 2, 1, 6) == b"1\t1\t146"
            assert first.request("T", "C") == b"0\t1"
            assert second.request(1, "+", 2, 1, 6) == b"1\t1\t121"
        assert server.sql("SELECT id, x FROM hs.t") == [(1, 5)]


@pytest.mark.parametrize("engine", ["MyISAM", "Aria"])
def test_rows_are_added_beside_a_long_select(
    server: PrivateServer, writer: Client, reader: Client, engine: str
) -> None:
    """As by INSERT in SQL."""
    server.sql(f"CREATE TABLE hs.t {table(engine)}")
    server.sql("INSERT INTO hs.t (id) VALUES (1), (2)")  # SELECT locks no table of one row
    for client in (reader, writer):
        client.open("hs.t", ["id"])
    with server.connect(database="hs") as gate, gate.cursor() as cursor:
        cursor.execute("SELECT GET_LOCK('gate', 1)")
        select = threading.Thread(target=server.sql, args=("SELECT GET_LOCK('gate', 60) FROM hs.t",))
        select.start()
        try:
            while not server.sql("SELECT 1 FROM information_schema.processlist WHERE state = 'User lock'"):
                pass
            writer.socket.settimeout(10)
            assert writer.request(1, "+", 1, 3) == b"0\t1"
            assert writer.request(1, "+", 1, 3) == b"1\t1\t121"
            assert reader.find(">=", [0], 9) == [(b"1",), (b"2",), (b"3",)]
        finally:
            cursor.execute("SELECT RELEASE_LOCK('gate')")
            select.join()
    assert server.sql("SELECT id FROM hs.t") == [(1,), (2,), (3,)]


def make_far_table(server: PrivateServer) -> None:
    """What engines that are clients of a server work on."""
    server.sql("CREATE USER IF NOT EXISTS far@'127.0.0.1'")
    server.sql("GRANT ALL ON far.* TO far@'127.0.0.1'")
    server.sql(f"CREATE TABLE far.t {table('InnoDB')}")


NOT_NULL = table("CONNECT TABLE_TYPE=FIX FILE_NAME='t.fix'", null=" NOT NULL")
GRAPH = (
    "(latch VARCHAR(32), origid BIGINT UNSIGNED, destid BIGINT UNSIGNED, weight DOUBLE, seq BIGINT UNSIGNED,"
    " linkid BIGINT UNSIGNED, KEY (latch, origid, destid) USING HASH, KEY (latch, destid, origid) USING HASH)"
    " ENGINE=OQGRAPH data_table='edges' origid='a' destid='b'"
)
REFUSED = {
    "Mroonga": (table("Mroonga"), "PRIMARY"),
    "Mroonga around InnoDB": (table("Mroonga COMMENT='engine \"InnoDB\"'"), "PRIMARY"),
    "CONNECT": (NOT_NULL, "PRIMARY"),
    "OQGRAPH": (GRAPH, "latch"),
    "SphinxSE": ("(id BIGINT UNSIGNED NOT NULL, weight INT NOT NULL, q VARCHAR(99) NOT NULL, KEY (q)) ENGINE=SPHINX", "q"),
    "MERGE": (table("MERGE UNION=(hs.part)").replace("PRIMARY KEY", "KEY id"), "id"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_engines_that_need_a_statement_of_sql_are_refused(
    server: PrivateServer, reader: Client, writer: Client, name: str
) -> None:
    definition, index = REFUSED[name]
    server.sql("CREATE TABLE hs.edges (a BIGINT UNSIGNED NOT NULL, b BIGINT UNSIGNED NOT NULL, PRIMARY KEY (a, b), KEY (b))")
    server.sql(f"CREATE TABLE hs.part {table('MyISAM').replace('PRIMARY KEY', 'KEY id')}")
    server.sql(f"CREATE TABLE hs.t {definition}")
    for client in (reader, writer):
        assert client.request("P", 1, "hs", "t", index, "id") == b"1\t1\tunsupported_table"
    server.sql("DROP TABLE hs.t")  # OQGRAPH's before the one that it reads


def test_a_table_without_an_index_is_refused(server: PrivateServer, reader: Client, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT NOT NULL) ENGINE=CSV")
    for client in (reader, writer):
        assert client.request("P", 1, "hs", "t", "PRIMARY", "id") == b"2\t1\tidxnum"


def test_a_hash_index_takes_whole_keys_only(server: PrivateServer, reader: Client, writer: Client) -> None:
    server.sql(f"CREATE TABLE hs.t {table('MEMORY')}")
    server.sql("INSERT INTO hs.t VALUES (1, 2, 'a', 3), (2, 2, 'b', 4)")
    for client in (reader, writer):
        open_all(client, "hs.t")
        assert client.find("=", [2]) == [(b"2", b"2", b"b", b"4")]
        assert client.request(2, "=", 1, 2) == b"2\t1\top"
        for operator in ("=<", ">", ">=", "<", "<="):
            assert client.request(1, operator, 1, 1) == b"2\t1\top"
    assert writer.request(1, ">", 1, 0, 9, 0, "D") == b"2\t1\top"
    assert server.sql("SELECT COUNT(*) FROM hs.t") == [(2,)]


def test_archive_is_added_to_and_read_and_not_changed(server: PrivateServer, reader: Client, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT NOT NULL AUTO_INCREMENT, x INT, KEY (id)) ENGINE=ARCHIVE")
    for client in (reader, writer):
        client.open("hs.t", ["id", "x"], "id")
    for number in range(1, 6):
        assert writer.request(1, "+", 2, number, 10 * number) == b"0\t1\t0"
    for change in (["U", 1, 2], ["D"], ["+", 0, 1]):
        assert writer.request(1, "=", 1, 1, 1, 0, *change) == b"1\t1\t131", change
    assert reader.request(1, ">", 1, 0) == b"2\t1\top"
    assert [reader.find("=", [number]) for number in (1, 5, 6)] == [[(b"1", b"10")], [(b"5", b"50")], []]
    assert server.sql("SELECT * FROM hs.t") == [(number, 10 * number) for number in range(1, 6)]


def test_blackhole_takes_rows_and_has_none(server: PrivateServer, reader: Client, writer: Client) -> None:
    server.sql(f"CREATE TABLE hs.t {table('BLACKHOLE')}")
    for client in (reader, writer):
        open_all(client, "hs.t")
    assert writer.request(1, "+", 1, 1) == b"0\t1"
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == b"0\t1\t0"
    assert reader.find(">=", [0], 9) == []


def test_sequence_is_read_and_not_changed(server: PrivateServer, reader: Client, writer: Client) -> None:
    for client in (reader, writer):
        client.open("hs.seq_1_to_100_step_3", ["seq"])
        for operator in ("=", ">", ">=", "<", "<="):
            descends = "DESC" if operator[0] == "<" else ""
            wanted = server.sql(f"SELECT seq FROM hs.seq_1_to_100_step_3 WHERE seq {operator} 40 ORDER BY seq {descends}")
            assert [int(seq or 0) for (seq,) in client.find(operator, [40], 99)] == [seq for (seq,) in wanted]
    assert rows(reader.request(1, "=", 1, 4)) == [(b"4",)]
    assert not writer.request(1, "+", 1, 2).startswith(b"0")
    assert not writer.request(1, "=", 1, 4, 1, 0, "D").startswith(b"0")


def test_federated_finds_rows_by_equal_keys_only(server: PrivateServer, reader: Client, writer: Client) -> None:
    """The other server sends the rows of a range in any order."""
    make_far_table(server)
    place = f"mysql://far@127.0.0.1:{server.sql_port}/far/t"
    server.sql(f"CREATE TABLE hs.t {table('FEDERATED')} CONNECTION='{place}'")
    for client in (reader, writer):
        open_all(client, "hs.t")
    for number in range(1, 7):
        assert writer.request(1, "+", 4, number, number % 3, "ab", number) == b"0\t1"
    assert writer.request(1, "+", 1, 6) == b"1\t1\t121"
    for form in ("+I", "+U", "+R"):  # it does not tell whether a row was in the way
        assert writer.request(1, form, 1, 6).startswith(b"1\t1\tunsupported_table"), form
    for client in (reader, writer):
        assert client.find("=", [4]) == [(b"4", b"1", b"ab", b"4")]
        assert sorted(client.find("=", [1], 9, id=2)) == [(b"1", b"1", b"ab", b"1"), (b"4", b"1", b"ab", b"4")]
        for operator in ("=<", ">", ">=", "<", "<="):
            assert client.request(1, operator, 1, 1, 9) == b"2\t1\top"
    assert writer.request(21, "=", 1, 4, 1, 0, "+", 5) == b"0\t1\t1"
    assert writer.request(2, "=", 1, 0, 9, 0, "D") == b"0\t1\t2"
    assert server.sql("SELECT id, x FROM far.t ORDER BY id") == [(1, 1), (2, 2), (4, 9), (5, 5)]


def test_s3_without_a_store_makes_no_table(server: PrivateServer, database: None) -> None:
    server.sql(f"CREATE TABLE hs.t {table('Aria')}")
    with pytest.raises(Exception, match="S3|errno|command"):
        server.sql("ALTER TABLE hs.t ENGINE=S3")
