"""The plugin's threads as the server and its administrator see them."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
from hs_client import Client, line, wait_for_a_lock_wait
from on_mysql import IS_MYSQL
from private_server import PrivateServer


PROCESSES = (
    "SELECT ID, COMMAND, DB, STATE, INFO FROM information_schema.PROCESSLIST"
    " WHERE USER = 'handlersocket'"
)
# One of the threads that execute requests, as the system has it.
EXECUTOR = "hs_exec" if IS_MYSQL else "hs-rd-0"
# MySQL shows no database for them.
DATABASE = None if IS_MYSQL else "hs"
# The states of one that executes, and of one that waits for a table.
WORKING = "handlersocket: hs-"
FOR_A_TABLE = "Waiting for table metadata lock"
# What the server's report of a crash says.
A_BUG = "Most likely, you have hit a bug" if IS_MYSQL else "Sorry, we probably made a mistake, and this is a bug."
# The server's threads that it counts as running although they have nothing to do.
SERVERS_OWN = (
    "SELECT ID FROM information_schema.PROCESSLIST WHERE COMMAND <> 'Sleep'"
    " AND ID <> CONNECTION_ID() AND USER <> 'handlersocket'"
)


@pytest.fixture
def own() -> Iterator[PrivateServer]:
    with PrivateServer(
        variables={"handlersocket_threads": 1, "handlersocket_threads_wr": 1}
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        running.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2), (3, 3)")
        yield running


def thread_ids(server: PrivateServer) -> dict[str, int]:
    """The plugin's threads as the operating system has them, by name."""
    threads = {}
    for task in Path(f"/proc/{server.pid}/task").iterdir():
        name = (task / "comm").read_text().strip()
        if name.startswith(("hs-", "hs_")):
            threads[name] = int(task.name)
    return threads


@pytest.mark.parametrize(
    "name, fault", [(EXECUTOR, signal.SIGSEGV), ("hs-wr-accept", signal.SIGBUS)]
)
def test_a_fault_in_a_thread_leaves_the_servers_report(
    own: PrivateServer, name: str, fault: signal.Signals
) -> None:
    with Client(own.port) as client:
        client.open("hs.t", ["v"])
        assert client.find("=", [1]) == [(b"1",)]
        assert ctypes.CDLL(None).tgkill(own.pid, thread_ids(own)[name], fault) == 0
        assert client.at_eof()
    while own.running:
        time.sleep(0.02)
    assert A_BUG in own.error_log()


def busy(server: PrivateServer) -> list[tuple]:
    """The entries of threads that do something, but for their ids."""
    return [entry[1:] for entry in server.sql(PROCESSES) if entry[1] != "Sleep"]


def wait_for_entry(server: PrivateServer, info: str, state: str = WORKING) -> int:
    """Waits until a thread executes that in that state, and returns its entry's id."""
    while True:
        for id, command, database, its_state, its_info in server.sql(PROCESSES):
            if (command, database, its_info) == ("Query", DATABASE, info) and state in its_state:
                return id


def running_threads(server: PrivateServer) -> int:
    """How many threads the server counts as running, the one that says so among them."""
    return int(server.sql("SHOW GLOBAL STATUS LIKE 'Threads_running'")[0][1])


def test_threads_that_have_nothing_to_do_sleep_and_are_not_counted_as_running(
    own: PrivateServer,
) -> None:
    # The thread that purges looks at all definitions when it begins.
    entries = own.sql(PROCESSES)
    while {entry[1] for entry in entries} != {"Sleep"}:
        entries = own.sql(PROCESSES)
    executors = {f"hs-{port}-{number}" for port in ("rd", "wr") for number in (0, 1)}
    names = executors | {"hs-ttl-purge"}
    assert sorted(entry[3] for entry in entries) == sorted(f"handlersocket: {name}" for name in names)
    with Client(own.port) as client:
        client.open("hs.t", ["v"])
        assert client.find("=", [1]) == [(b"1",)]
        while busy(own):
            pass
        # What it did last is still there.
        assert (DATABASE, "find hs.t") in {(entry[2], entry[4]) for entry in own.sql(PROCESSES)}
    # The server's own threads begin and end something between the two questions.
    while running_threads(own) != 1 + len(own.sql(SERVERS_OWN)):
        pass


def test_who_waits_for_a_row_is_found_and_killed(own: PrivateServer) -> None:
    holder = own.connect()
    holder.begin()
    with holder.cursor() as cursor:
        cursor.execute("SELECT * FROM hs.t WHERE id = 1 FOR UPDATE")
    with Client(own.port_wr) as client:
        client.open("hs.t", ["v"])
        client.send(line(1, "=", 1, 1, 1, 0, "U", 7))
        wait_for_a_lock_wait(own)  # before that it is tried without waiting, and a KILL may fall behind
        own.sql(f"KILL QUERY {wait_for_entry(own, 'update hs.t')}")
        assert client.read_line() == b"1\t1\tinterrupted"
    holder.close()


def test_who_waits_for_a_table_is_found_and_killed(own: PrivateServer) -> None:
    with own.connect().cursor() as holder, Client(own.port) as client:
        client.open("hs.t", ["v"])
        holder.execute("LOCK TABLES hs.t WRITE")
        client.send(line(1, "=", 1, 1))
        entry = wait_for_entry(own, "open hs.t", FOR_A_TABLE)
        own.sql(f"KILL {entry}")
        assert client.read_line() == b"1\t1\tinterrupted"
        holder.execute("UNLOCK TABLES")


def test_what_takes_long_is_found_and_killed_whatever_was_before_it_in_its_batch(
    own: PrivateServer,
) -> None:
    own.sql("CREATE TABLE hs.other (id INT PRIMARY KEY)")
    with Client(own.port) as client:
        client.open("hs.other", ["id"], id=2)
        client.open("hs.t", ["v"])
        keys = range(1_000_000, 1_400_000)
        scan = line(1, "=", 1, 0, 10, 0, "@", 0, len(keys), *keys)
        replies: list[bytes] = []
        # A KILL that comes between two requests kills none of them, as in SQL.
        while b"1\t1\tinterrupted" not in replies:
            client.send(line(2, "=", 1, 1) + scan * 20)
            own.sql(f"KILL QUERY {wait_for_entry(own, 'find hs.t')}")
            replies = [client.read_line() for _ in range(21)]
            assert replies[0] == b"0\t1"
            assert set(replies[1:]) <= {b"0\t1", b"1\t1\tinterrupted"}


def test_what_the_process_list_shows_is_not_in_the_binary_log(own: PrivateServer) -> None:
    own.variables |= {"log_bin": "log"}
    own.restart()
    with Client(own.port_wr) as client:
        client.open("hs.t", ["id", "v"])
        assert client.request(1, "+", 2, 9, 9) == b"0\t1"
    ((file, *_),) = own.sql("SHOW MASTER STATUS")
    events = own.sql("SHOW BINLOG EVENTS IN %s", [file])
    kinds = {event[2] for event in events}
    assert kinds & {"Write_rows_v1", "Write_rows"}
    assert not kinds & {"Annotate_rows", "Rows_query"}


def test_the_list_is_read_while_indexes_come_and_go(own: PrivateServer) -> None:
    for number in range(30):
        own.sql(f"CREATE TABLE hs.t{number} LIKE hs.t")
    with own.connect().cursor() as cursor:
        for round_ in range(40):
            with Client(own.port) as client:
                for number in range(30):
                    client.open(f"hs.t{number}", ["id", "v"] if round_ % 2 else ["v"])
                    assert client.find("=", [1]) == []
                    cursor.execute("SHOW FULL PROCESSLIST")
                    cursor.fetchall()


def test_the_list_is_read_while_the_threads_end_and_begin(own: PrivateServer) -> None:
    """A state is shown whole, also where the list is printed when its thread has ended."""
    ended = threading.Event()
    broken: list[object] = []

    def read_list(query: str) -> None:
        with own.connect() as connection, connection.cursor() as cursor:
            while not ended.is_set():
                try:
                    cursor.execute(query)
                except pymysql.MySQLError as error:  # the text is no text
                    broken.append(error)
                    continue
                entries = [entry for entry in cursor.fetchall() if entry[1] == "handlersocket"]
                broken.extend(entry for entry in entries if not (entry[6] or "handlersocket: ").isascii())
                broken.extend(entry for entry in entries if "?" in (entry[6] or ""))

    queries = ("SHOW FULL PROCESSLIST", "SHOW FULL PROCESSLIST", "SELECT * FROM information_schema.PROCESSLIST")
    readers = [threading.Thread(target=read_list, args=(query,)) for query in queries]
    for reader in readers:
        reader.start()
    for _ in range(15):
        own.sql("UNINSTALL PLUGIN handlersocket")
        own.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
    ended.set()
    for reader in readers:
        reader.join()
    assert broken == []
