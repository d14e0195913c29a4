"""A server that can open no file for its binary log goes on without it: from then on no change is
acknowledged, and no change that was committed before is refused."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hs_client import Client, line
from on_mysql import IS_MYSQL
from private_server import PrivateServer
from servers import durable, empty_server, replay

WRITERS = 4
# Tables of MyISAM need a file for each thread that uses them: another try comes when one is free.
NO_FILE = b"1\t1\topen_table"
SWITCHED_OFF = b"1\t1\tsql_1598 The server has switched its binary log off"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PrivateServer]:
    """A server that begins another binary log often."""
    (tmp_path / "logs").mkdir()
    variables = durable() | {"max_binlog_size": 65536, "log_bin": tmp_path / "logs/log"}
    if IS_MYSQL:
        variables["binlog_error_action"] = "IGNORE_ERROR"  # by default it would end
    with PrivateServer(variables=variables) as running:
        running.sql("CREATE DATABASE hs")
        yield running


class Inserts:
    """A connection that inserts row after row until that is refused."""

    def __init__(self, server: PrivateServer, number: int) -> None:
        self.number = number
        self.acknowledged: set[int] = set()
        self.sent = 0
        self.others: set[bytes] = set()
        self.client = Client(server.port_wr)
        self.client.open("hs.t", ["id", "data"])

    def insert(self) -> bytes:
        id_ = self.number * 1_000_000 + self.sent
        self.sent += 1
        reply = self.client.request(1, "+", 2, id_, "x" * 500)
        if reply == b"0\t1":
            self.acknowledged.add(id_)
        elif reply not in (SWITCHED_OFF, NO_FILE):
            self.others.add(reply)
        return reply

    def run(self) -> None:
        while self.insert() != SWITCHED_OFF and not self.others:
            pass


@contextmanager
def no_new_log(server: PrivateServer, folder: Path) -> Iterator[None]:
    """The server can open no other file for its log meanwhile."""
    if IS_MYSQL:  # InnoDB ends there when it can open no file at all
        away = folder.rename(folder.with_name("away"))
        yield
        away.rename(folder)
        return
    _, hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (3, hard))
    yield
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (hard, hard))


def ids(server: PrivateServer) -> set[int]:
    return {id_ for (id_,) in server.sql("SELECT id FROM hs.t")}


def logged_ids(logs: list[Path]) -> set[int]:
    """The rows of the table as a replica has them."""
    with empty_server() as copy:
        replay(logs, copy)
        return ids(copy)


@pytest.mark.parametrize("engine", ["InnoDB", "MyISAM"])
def test_nothing_is_acknowledged_once_the_binary_log_is_switched_off(
    server: PrivateServer, engine: str
) -> None:
    server.sql(f"CREATE TABLE hs.t (id INT PRIMARY KEY, data VARCHAR(500)) ENGINE={engine}")
    folder = Path(server.sql("SELECT @@log_bin_basename")[0][0]).parent
    writers = [Inserts(server, number) for number in range(WRITERS)]
    for writer in writers:
        assert writer.insert() == b"0\t1"
    reader = Client(server.port)
    reader.open("hs.t", ["id"])
    with no_new_log(server, folder):
        threads = [threading.Thread(target=writer.run) for writer in writers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert "Turning logging off" in server.error_log()
    assert [writer.others for writer in writers] == [set()] * WRITERS
    acknowledged = {id_ for writer in writers for id_ in writer.acknowledged}
    # Every change is refused for good. Reads are served.
    for writer in writers:
        assert writer.insert() == SWITCHED_OFF
        first = writer.number * 1_000_000
        assert writer.client.request(1, "=", 1, first, 1, 0, "D") == SWITCHED_OFF
        assert writer.client.request(1, "=", 1, first, 1, 0, "U", first, "y") == SWITCHED_OFF
        assert writer.client.find("=", [first]) == [(b"%d" % first, b"x" * 500)]
    assert reader.find("=", [0]) == [(b"0",)]
    assert server.error_log().count("the server has switched its binary log off;") == 1
    in_table = ids(server)
    in_log = logged_ids(sorted(folder.glob("log.*[0-9]")))
    assert acknowledged <= in_log <= in_table
    # Requests on their way when it was switched off, at most one of each writer, are in the table.
    assert len(in_table - in_log) < WRITERS
    server.restart()
    with Client(server.port_wr) as client:
        client.open("hs.t", ["id"])
        assert client.pipeline([line(1, "+", 1, -1)]) == [b"0\t1"]


def test_a_log_that_begins_anew_is_not_taken_for_one_that_is_off(server: PrivateServer) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, data VARCHAR(500)) ENGINE=InnoDB")
    writers = [Inserts(server, number) for number in range(WRITERS)]
    stop = threading.Event()

    def insert(writer: Inserts) -> None:
        while not stop.is_set() and writer.insert() == b"0\t1":
            pass

    threads = [threading.Thread(target=insert, args=(writer,)) for writer in writers]
    for thread in threads:
        thread.start()
    for _ in range(10):
        server.sql("RESET MASTER")
        server.sql("FLUSH BINARY LOGS")
    stop.set()
    for thread in threads:
        thread.join()
    assert all(len(writer.acknowledged) == writer.sent for writer in writers)
    assert ids(server) == {id_ for writer in writers for id_ in writer.acknowledged}
