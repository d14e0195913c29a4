"""A full disk: no answered change is lost, no client hangs, and service comes back by itself."""

from __future__ import annotations

import resource
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hs_client import Client, line
from private_server import PrivateServer
from server_files import IS_DEFAULT, SERVER_ROOT, is_mysql
from servers import assert_log_replays, durable, status
from small_disk import SmallDisk, wait_until_full, waiting_for_room
from writers import Load, Writer, check_all, create_tables

WRITERS = 8
KIB = 1024

MakeDisk = Callable[..., SmallDisk]


@pytest.fixture
def make_disk(tmp_path: Path) -> Iterator[MakeDisk]:
    """Makes a file system of so many MiB, as a folder of this name."""
    disks: list[SmallDisk] = []

    def make(mebibytes: int, name: str = "disk") -> SmallDisk:
        disks.append(SmallDisk(tmp_path / name, mebibytes))
        return disks[-1]

    yield make
    for disk in disks:
        disk.unmount()


@pytest.fixture
def full_log(make_disk: MakeDisk, seed: int) -> Iterator[tuple[PrivateServer, SmallDisk, Load]]:
    """Writers that all wait for room for the binary log."""
    disk = make_disk(16)
    with PrivateServer(variables=durable() | {"log_bin": disk.path / "log"}) as server:
        create_tables(server, WRITERS)
        disk.fill(leave=300 * KIB)
        with Load(server, [Writer(number, seed) for number in range(WRITERS)]) as load:
            wait_until_full(server)
            try:
                yield server, disk, load
            finally:
                server.kill9()  # a test that has failed may have left it waiting


def test_commits_wait_for_room_for_the_binary_log_and_a_kill_does_not_break_it(
    full_log: tuple[PrivateServer, SmallDisk, Load],
) -> None:
    server, disk, load = full_log
    (waiting,) = waiting_for_room(server)
    # Reads are served meanwhile.
    with Client(server.port) as reader:
        reader.open("hs.shared", ["mark"])
        assert len(reader.find("=", [1], 1000)) == 20
    for verb in ("KILL QUERY", "KILL") * 3:
        server.sql(f"{verb} {waiting}")
        assert waiting_for_room(server) == [waiting]
    assert server.error_log().count("Retry in 60 secs") < 20
    disk.make_room()
    server.sql(f"KILL QUERY {waiting}")  # tries again at once instead of after a minute
    load.wait_for(1000)
    load.finish()
    check_all(server, load.writers)
    assert_log_replays(server)


def test_a_crash_with_a_full_disk_loses_nothing(
    full_log: tuple[PrivateServer, SmallDisk, Load],
) -> None:
    server, disk, load = full_log
    server.kill9()
    load.finish()
    disk.make_room()
    server.start()
    check_all(server, load.writers)
    with Load(server, load.writers) as again:
        again.wait_for(200)
    check_all(server, load.writers)


@pytest.mark.long
@pytest.mark.parametrize("action", ["nothing", "UNINSTALL PLUGIN handlersocket", "stop"])
def test_waiting_for_room_ends_by_itself(
    full_log: tuple[PrivateServer, SmallDisk, Load], action: str
) -> None:
    """The server looks for room once a minute."""
    server, disk, load = full_log
    waiting_for_room(server)
    ending = threading.Thread(
        target={"nothing": lambda: None, "stop": lambda: server.stop(300)}.get(
            action, lambda: server.sql(action)
        )
    )
    ending.start()
    disk.make_room()
    ending.join()
    if action == "nothing":
        load.wait_for(1000)
    load.finish()
    if action == "stop":
        assert server.exit_code == 0
        server.start()
    check_all(server, load.writers)
    assert_log_replays(server)


class Filler:
    """Inserts rows of some size until that has failed a few times."""

    def __init__(self, server: PrivateServer, number: int, size: int) -> None:
        self.acknowledged: set[int] = set()
        self.errors: set[bytes] = set()
        self._server = server
        self._ids = iter(range(number * 1_000_000, (number + 1) * 1_000_000))
        self._size = size
        self._failed = 0

    def run(self) -> None:
        with Client(self._server.port_wr) as client:
            client.open("hs.big", ["id", "data"])
            while self._failed < 3:
                self.insert(client, 4)

    def insert(self, client: Client, count: int) -> None:
        ids = [next(self._ids) for _ in range(count)]
        replies = client.pipeline([line(1, "+", 2, id_, b"x" * self._size) for id_ in ids])
        self.acknowledged |= {id_ for id_, reply in zip(ids, replies) if reply == b"0\t1"}
        self.errors |= set(replies) - {b"0\t1"}
        self._failed += b"0\t1" not in replies


def fill_in_parallel(server: PrivateServer, size: int) -> list[Filler]:
    fillers = [Filler(server, number, size) for number in range(4)]
    threads = [threading.Thread(target=filler.run) for filler in fillers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return fillers


def ids(server: PrivateServer) -> set[int]:
    return {id_ for (id_,) in server.sql("SELECT id FROM hs.big")}


def test_a_full_data_directory_is_an_error_until_there_is_room(
    make_disk: MakeDisk, tmp_path: Path
) -> None:
    disk = make_disk(250 if is_mysql(SERVER_ROOT) else 140)
    elsewhere = {"log_bin": tmp_path / "log", "tmpdir": tmp_path, "innodb_log_file_size": "16M"}
    with PrivateServer(disk.path / "server", variables=durable() | elsewhere) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.big (id INT PRIMARY KEY, data LONGBLOB)")
        disk.fill(leave=20 << 20)
        # (InnoDB ends the server when it finds no room to undo an insert with pages of its own.)
        fillers = fill_in_parallel(server, 4000)
        assert {error for filler in fillers for error in filler.errors} == {b"1\t1\t135"}
        assert ids(server) == {id_ for filler in fillers for id_ in filler.acknowledged}
        disk.make_room()
        with Client(server.port_wr) as client:
            client.open("hs.big", ["id", "data"])
            fillers[0].insert(client, 20)
        expected = {id_ for filler in fillers for id_ in filler.acknowledged}
        assert len(expected) > 20 and ids(server) == expected
        assert_log_replays(server)
        server.restart()
        assert ids(server) == expected
        assert server.sql("CHECK TABLE hs.big EXTENDED")[-1][-1] == "OK"


def test_a_change_of_myisam_that_waits_for_room_holds_up_no_reads(make_disk: MakeDisk, tmp_path: Path) -> None:
    disk = make_disk(100)
    elsewhere = {"log_bin": tmp_path / "log", "tmpdir": tmp_path, "innodb_log_file_size": "16M"}
    elsewhere["handlersocket_threads_wr"] = 1
    with PrivateServer(disk.path / "server", variables=durable() | elsewhere) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.small (id INT PRIMARY KEY, data LONGBLOB)")
        server.sql("INSERT INTO hs.small VALUES (1, 'x')")
        server.sql("CREATE TABLE hs.big (id INT PRIMARY KEY, data LONGBLOB) ENGINE=MyISAM")
        with Client(server.port_wr, timeout_s=120) as waiting, Client(server.port_wr, timeout_s=10) as reader:
            waiting.open("hs.big", ["id", "data"])
            reader.open("hs.small", ["id", "data"])
            disk.fill(leave=64 * KIB)
            waiting.send(line("1", "+", "2", "1", "x" * (200 * KIB)))
            waiting_for_room(server)
            for _ in range(3):
                assert reader.request("1", "=", "1", "1") == b"0\t2\t1\tx"
            disk.make_room()
            assert waiting.read_line() == b"0\t1"
        assert server.sql("SELECT id, LENGTH(data) FROM hs.big") == [(1, 200 * KIB)]


def test_a_full_disk_for_large_transactions_fails_only_the_request_that_needs_it(
    make_disk: MakeDisk, tmp_path: Path
) -> None:
    """A transaction too large for the log's cache in memory needs a file, and so does a batch. It is
    in tmpdir, or since MariaDB 11.7 in a folder beside the log."""
    disk = make_disk(4, "disk" if IS_DEFAULT else "#binlog_cache_files")
    options = {"tmpdir": disk.path, "log_bin": tmp_path / "log", "binlog_cache_size": 32 * KIB}
    with PrivateServer(variables=durable() | options) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.big (id INT PRIMARY KEY, data LONGBLOB)")
        disk.fill()
        with Client(server.port_wr) as client:
            client.open("hs.big", ["id", "data"])
            for place in (0, 50, 99):
                ids_ = [1000 * place + number for number in range(100)]
                large = ids_[place]
                requests = [
                    line(1, "+", 2, id_, b"x" * (200 * KIB if id_ == large else KIB)) for id_ in ids_
                ]
                replies = dict(zip(ids_, client.pipeline(requests)))
                assert b"No space left on device" in replies.pop(large)
                assert set(replies.values()) == {b"0\t1"}
                assert ids(server) & set(ids_) == set(replies)
        assert status(server, "Handlersocket_retries") > 0
        disk.make_room()
        assert_log_replays(server)


def test_an_error_in_writing_the_binary_log_is_the_clients_error_until_it_is_over() -> None:
    """A limit to the size of files takes the place of an error of the device."""
    options = {"innodb_log_file_size": "16M", "max_heap_table_size": "16M"}
    with PrivateServer(variables=durable() | options) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.big (id INT PRIMARY KEY, data LONGBLOB)")
        make_the_log_the_largest_file(server)
        ((_, size, *_),) = server.sql("SHOW MASTER STATUS")
        unlimited = resource.RLIM_INFINITY
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size + 200 * KIB, unlimited))
        fillers = fill_in_parallel(server, 1000)
        errors = {error.split(b" ")[0] for filler in fillers for error in filler.errors}
        assert errors <= {b"1\t1\tsql_3", b"1\t1\tsql_1026"} and errors
        assert ids(server) == {id_ for filler in fillers for id_ in filler.acknowledged}
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
        with Client(server.port_wr) as client:
            client.open("hs.big", ["id", "data"])
            fillers[0].insert(client, 20)
        expected = {id_ for filler in fillers for id_ in filler.acknowledged}
        assert ids(server) == expected
        # (The server itself leaves a log that cannot be read on from there; with SQL, too.)
        server.restart()
        assert ids(server) == expected


def make_the_log_the_largest_file(server: PrivateServer) -> None:
    connection = server.connect(database="hs")
    with connection, connection.cursor() as sql:
        sql.execute("SET SESSION binlog_format = ROW")
        sql.execute(
            "CREATE TABLE pad (v VARCHAR(60000)) ENGINE=MEMORY CHARACTER SET latin1"
            " SELECT REPEAT('x', 60000) v FROM seq_1_to_40"
        )
        for letter in "abcdef":
            sql.execute("UPDATE pad SET v = REPEAT(%s, 60000)", [letter])
