"""Writers run at the same time and share durable commits, but not failures."""

from __future__ import annotations

import threading

import on_mysql
from hs_client import Client, line
from private_server import PrivateServer
from servers import assert_log_replays, status

THREADS = 4
ROWS = 10
DEADLOCKS = 10


def test_all_threads_wait_for_the_same_durable_commit(primary: PrivateServer) -> None:
    """The server makes a commit wait until all four are there, for a minute at most."""
    primary.sql("CREATE DATABASE hs")
    primary.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    clients = [Client(primary.port_wr) for _ in range(THREADS)]
    for client in clients:
        client.open("hs.t", ["id"])
    primary.sql(f"SET GLOBAL binlog_commit_wait_count = {THREADS}")
    primary.sql("SET GLOBAL binlog_commit_wait_usec = 60000000")
    names = ("Binlog_commits", "Binlog_group_commits", "Binlog_group_commit_trigger_count")
    before = [status(primary, name) for name in names]
    for number, client in enumerate(clients):
        client.send(line(1, "+", 1, number))
    assert [client.read_line() for client in clients] == [b"0\t1"] * THREADS
    after = [status(primary, name) for name in names]
    assert [new - old for new, old in zip(after, before)] == [THREADS, 1, 1]
    for client in clients:
        client.close()


def test_many_requests_share_one_flush_of_the_logs(primary: PrivateServer) -> None:
    primary.sql("CREATE DATABASE hs")
    primary.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
    clients = [Client(primary.port_wr) for _ in range(THREADS)]
    for client in clients:
        client.open("hs.t", ["id"])
    names = ("Handlersocket_requests", "Binlog_group_commits", "Innodb_data_fsyncs")
    before = [status(primary, name) for name in names]
    for number, client in enumerate(clients):
        client.send(b"".join(line(1, "+", 1, number * 1000 + id_) for id_ in range(250)))
    for client in clients:
        assert [client.read_line() for _ in range(250)] == [b"0\t1"] * 250
    requests, groups, flushes = (
        new - old for new, old in zip([status(primary, name) for name in names], before)
    )
    print(f"{requests} requests, {groups} group commits, {flushes} flushes of files")
    assert requests == 1000
    # The lines may reach the server in more than one piece, hardly in a hundred.
    assert groups <= 100 and flushes <= 200
    for client in clients:
        client.close()


class Requests:
    """A connection whose requests fail in every way, between others that do not."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.added = 0  # to every row
        self.inserted: list[int] = []
        self.wrong: list[tuple[bytes, bytes]] = []

    def run(self, port: int, stop: threading.Event) -> None:
        with Client(port) as client:
            client.open("hs.t", ["id", "n", "u"])
            client.open("hs.t", ["n"], id=2)
            client.open("hs.t", ["u"], id=3)
            id_ = self.number * 1_000_000
            while not stop.is_set():
                id_ += 1
                requests = {
                    line(1, "+", 3, id_, 5, id_): b"0\t1",
                    line(1, "+", 3, 1, 0, id_): b"1\t1\t121",
                    line(2, ">=", 1, 1, ROWS, 0, "+", 1): b"0\t1\t%d" % ROWS,
                    line(1, "+", 3, id_ + 1, -1, id_ + 1): on_mysql.CHECK_VIOLATED,
                    line(3, "=", 1, id_, 1, 0, "U", "1"): b"1\t1\t121",
                    line(2, "=", 1, id_, 1, 0, "U", 6): b"0\t1\t1",
                }
                replies = client.pipeline(list(requests))
                for (request, expected), reply in zip(requests.items(), replies):
                    reply = reply.split(b" ")[0]
                    added = request.startswith(b"2\t>=")
                    self.added += added and reply == expected
                    # Only requests for the same rows may fail, and only after three tries.
                    if reply != expected and not (added and reply in (b"1\t1\t149", b"1\t1\t146")):
                        self.wrong.append((request, reply))
                self.inserted.append(id_)


def update_backwards(server: PrivateServer, stop: threading.Event, done: list[int]) -> None:
    """A SQL client that locks the same rows in the opposite order."""
    connection = server.connect(database="hs", autocommit=False)
    with connection, connection.cursor() as sql:
        while not stop.is_set():
            try:
                for id_ in range(ROWS, 0, -1):
                    sql.execute("UPDATE t SET n = n + 1 WHERE id = %s", [id_])
                connection.commit()
                done[0] += 1
            except connection.OperationalError as error:
                assert error.args[0] in (1213, 1205), error
                connection.rollback()


def deadlocks(server: PrivateServer) -> int:
    if not on_mysql.IS_MYSQL:
        return status(server, "Innodb_deadlocks")
    metric = "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_deadlocks'"
    return int(server.sql(metric)[0][0])


def test_failures_amid_deadlocks_are_each_requests_own(primary: PrivateServer) -> None:
    primary.variables |= {"handlersocket_threads_wr": 1, "innodb_lock_wait_timeout": 1}
    primary.restart()
    primary.sql("CREATE DATABASE hs")
    primary.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, n INT NOT NULL CHECK (n >= 0), u INT UNIQUE)")
    primary.sql(f"INSERT INTO hs.t SELECT seq, 0, seq FROM seq_1_to_{ROWS}", database="hs")
    stop = threading.Event()
    done = [0]
    clients = [Requests(number) for number in range(1, 6)]
    threads = [
        threading.Thread(target=client.run, args=(primary.port_wr, stop)) for client in clients
    ]
    threads.append(threading.Thread(target=update_backwards, args=(primary, stop, done)))
    for thread in threads:
        thread.start()
    while deadlocks(primary) < DEADLOCKS:
        assert all(thread.is_alive() for thread in threads)
    stop.set()
    for thread in threads:
        thread.join()
    assert [client.wrong for client in clients] == [[]] * len(clients)
    added = sum(client.added for client in clients) + done[0]
    assert primary.sql("SELECT DISTINCT n FROM hs.t WHERE id <= %s", [ROWS]) == [(added,)]
    inserted = sorted(id_ for client in clients for id_ in client.inserted)
    assert primary.sql("SELECT id, n, u FROM hs.t WHERE id > %s ORDER BY id", [ROWS]) == [
        (id_, 6, id_) for id_ in inserted
    ]
    assert_log_replays(primary)
