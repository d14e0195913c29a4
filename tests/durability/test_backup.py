"""A backup under write load shows one moment, and its locks stop the ports' commits like SQL's."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hs_client import Client, line
from private_server import PrivateServer
from servers import TIMEOUT_S, checksums, durable, follow, status, wait_for_replica
from writers import Load, Writer, create_tables

WRITERS = 6


def mariadb_backup(server: PrivateServer, *arguments: str | Path) -> str:
    """Runs mariadb-backup and returns its output."""
    program = server.server_root / "usr/bin/mariadb-backup"
    if not program.exists():
        pytest.skip("mariadb-backup of the server's version could not be fetched")
    done = subprocess.run(
        [*server.program(program.name), "--no-defaults", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
        check=False,
    )
    output = done.stdout.decode(errors="replace")
    assert done.returncode == 0, output[-3000:]
    return output


class Pair:
    """Writes a number to one table and, when that is answered, to another one."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.wrong: list[bytes] = []

    def run(self, port: int, stop: threading.Event) -> None:
        with Client(port) as client:
            client.open("hs.first", ["n"])
            client.open("hs.second", ["n"], id=2)
            while not stop.is_set():
                for id_ in (1, 2):
                    reply = client.raw(b"%d\t=\t1\t%d\t1\t0\t+\t1" % (id_, self.number))
                    if reply != b"0\t1\t1":
                        self.wrong.append(reply)


@contextmanager
def pairs_at_work(server: PrivateServer) -> Iterator[None]:
    """Pairs of rows that differ by one at most, and never the wrong way round."""
    for table in ("first", "second"):
        server.sql(f"CREATE TABLE hs.{table} (id INT PRIMARY KEY, n BIGINT NOT NULL)")
        server.sql(f"INSERT INTO hs.{table} SELECT seq, 0 FROM seq_1_to_4", database="hs")
    stop = threading.Event()
    pairs = [Pair(number) for number in range(1, 5)]
    threads = [threading.Thread(target=pair.run, args=(server.port_wr, stop)) for pair in pairs]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert [pair.wrong for pair in pairs] == [[]] * 4


def test_mariadb_backup_under_write_load_is_one_moment(
    primary: PrivateServer, seed: int, tmp_path: Path
) -> None:
    target = tmp_path / "restored/data"
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    with Load(primary, writers) as load, pairs_at_work(primary):
        load.wait_for(500)
        done = [len(writer.done) for writer in writers]
        (target.parent).mkdir()
        mariadb_backup(
            primary,
            "--backup",
            f"--target-dir={target}",
            f"--socket={primary.socket}",
            "--user=root",
        )
        load.wait_for(100)
    assert load.wrong() == []
    mariadb_backup(primary, "--prepare", f"--target-dir={target}")
    (binlog_info,) = target.glob("*_binlog_info")  # the program's own name begins it, or its old one
    position = binlog_info.read_text().split()[2]
    with PrivateServer(target.parent, variables=durable(server_id=2)) as restored:
        for writer, begin in zip(writers, done):
            writer.check_past(restored, begin)
        for first, second in restored.sql("SELECT f.n, s.n FROM hs.first f JOIN hs.second s USING (id)"):
            assert second <= first <= second + 1
            assert first > 0
        # It shows the moment of that position in the binary log: from there on it can be a replica.
        restored.sql("SET GLOBAL gtid_slave_pos = %s", [position])
        follow(restored, primary)
        wait_for_replica(restored, primary)
        assert checksums(restored) == checksums(primary)


def wait_for_backup_lock(server: PrivateServer, threads: int) -> None:
    """Waits until so many threads wait for the end of the backup."""
    while (
        server.sql(
            "SELECT COUNT(*) FROM information_schema.processlist"
            " WHERE state = 'Waiting for backup lock'"
        )[0][0]
        < threads
    ):
        pass


def test_block_commit_holds_commits_of_both_ports_until_it_ends(primary: PrivateServer) -> None:
    primary.sql("CREATE DATABASE hs")
    primary.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    backup = primary.connect()
    sql_client = primary.connect()
    insert = threading.Thread(target=lambda: sql_client.query("INSERT INTO hs.t VALUES (1)"))
    clients = [Client(primary.port_wr) for _ in range(4)]
    for client in clients:
        client.open("hs.t", ["id"])
    backup.query("BACKUP STAGE START")
    backup.query("BACKUP STAGE BLOCK_COMMIT")
    before = primary.sql("SELECT @@GLOBAL.gtid_binlog_pos")
    insert.start()
    for number, client in enumerate(clients):
        client.send(line(1, "+", 1, 10 + number) + line(1, "+", 1, 20 + number))
    wait_for_backup_lock(primary, 5)
    assert primary.sql("SELECT COUNT(*) FROM hs.t") == [(0,)]
    assert primary.sql("SELECT @@GLOBAL.gtid_binlog_pos") == before
    backup.query("BACKUP STAGE END")
    insert.join()
    assert [client.read_line() for client in clients for _ in range(2)] == [b"0\t1"] * 8
    assert primary.sql("SELECT COUNT(*) FROM hs.t") == [(9,)]
    for connection in (*clients, backup, sql_client):
        connection.close()


def test_a_commit_that_waits_too_long_for_a_backup_is_not_done(primary: PrivateServer) -> None:
    primary.variables |= {"handlersocket_wrlock_timeout": 1}
    primary.restart()
    primary.sql("CREATE DATABASE hs")
    primary.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    backup = primary.connect()
    with backup, Client(primary.port_wr) as client:
        client.open("hs.t", ["id"])
        backup.query("BACKUP STAGE START")
        backup.query("BACKUP STAGE BLOCK_COMMIT")
        requests = [line(1, "+", 1, number) for number in range(10)]
        assert client.pipeline(requests) == [b"1\t1\tlock_tables"] * 10
        backup.query("BACKUP STAGE END")
        assert primary.sql("SELECT * FROM hs.t") == []
        assert client.pipeline(requests) == [b"0\t1"] * 10
    assert status(primary, "Handlersocket_errors") == 10
