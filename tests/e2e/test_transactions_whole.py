"""Transactions that come in one piece, which share a commit with what else is ready."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pymysql
from binlog import end_of_log, log_events
from hs_client import Client, line, sql_holds, status, wait_for_a_lock_wait
from private_server import PrivateServer
from test_transactions import OK, begin, find, found, insert, opened, table, table_rows, update

COMMIT = line("T", "C")
__all__ = ["opened", "table"]  # fixtures


def test_several_are_one_transaction_of_the_log(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    committed = status(server, "transactions_committed")
    place = end_of_log(server)
    one = [begin(), find(1), insert(4, 40), COMMIT]
    two = [begin(), find(4), update(4, 41), update(1, 11), COMMIT, find(4)]
    replies = client.pipeline([*one, insert(5, 50), *two])
    assert replies[:4] == [OK, found((1, 10)), OK, OK]
    assert replies[4:] == [OK, OK, found((4, 40)), b"0\t1\t1", b"0\t1\t1", OK, found((4, 41))]
    events = log_events(server, place)
    assert events.count("Gtid") == events.count("Xid") == 1, events
    assert status(server, "transactions_committed") - committed == 2
    assert table_rows(server) == [(1, 11), (2, 20), (3, 30), (4, 41), (5, 50)]


def test_a_row_that_another_session_holds_holds_up_none_that_read_it(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    assert client.pipeline([find(3)]) == [found((3, 30))]
    with sql_holds(server, "UPDATE hs.t SET v = 99 WHERE id = 1"):
        replies = client.pipeline([begin(), find(1), update(2, 21), COMMIT])
        assert replies == [OK, found((1, 10)), b"0\t1\t1", OK]
    assert table_rows(server) == [(1, 10), (2, 21), (3, 30)]


def test_one_that_must_wait_is_done_once(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    """A trigger writes also for a row that stays as it is, of which the reply tells no change."""
    server.sql("CREATE TABLE hs.log (n INT AUTO_INCREMENT PRIMARY KEY, id INT)")
    server.sql(
        "CREATE TRIGGER hs.log_t BEFORE UPDATE ON hs.t FOR EACH ROW"
        " INSERT INTO hs.log (id) VALUES (NEW.id)"
    )
    client, other = opened(), opened()
    assert client.pipeline([find(3)]) == [found((3, 30))]
    replies: list[bytes] = []
    with sql_holds(server, "UPDATE hs.t SET v = 30 WHERE id = 3 OR id = 3 AND v < 0") as holder:
        with holder.cursor() as cursor:
            cursor.execute("SELECT * FROM hs.t WHERE id = 3 FOR UPDATE")
        waits = threading.Thread(
            target=lambda: replies.extend(
                client.pipeline([begin(), update(1, 10), insert(4, 40), update(3, 31), COMMIT])
            )
        )
        waits.start()
        wait_for_a_lock_wait(server)
        assert other.pipeline([find(2), insert(9, 90)]) == [found((2, 20)), OK]
        holder.rollback()
    waits.join()
    assert [reply[:3] for reply in replies] == [b"0\t1"] * 5
    assert table_rows(server) == [(1, 10), (2, 20), (3, 31), (4, 40), (9, 90)]
    assert server.sql("SELECT id FROM hs.log ORDER BY n") == [(1,), (3,)]


def test_a_compare_and_set_inside_is_one(
    server: PrivateServer, opened: Callable[..., Client]
) -> None:
    client = opened()
    client.open("hs.t", ["id", "v"], filters=["v"])
    swap = line(1, "=", 1, 1, 1, 0, "F", "=", 0, 10, "U", 1, 11)
    replies = client.pipeline([begin(), swap, swap, update(2, 21), COMMIT])
    assert replies == [OK, b"0\t1\t1", b"0\t1\t0", b"0\t1\t1", OK]


def test_transfers_beside_those_of_sql_keep_the_sum() -> None:
    """Few rows and two threads, so that transactions meet on rows in every way."""
    variables = {"handlersocket_threads_wr": 2, "log_bin": "log"}
    with PrivateServer(variables=variables) as own:
        own.sql("CREATE DATABASE hs")
        own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL)")
        own.sql("INSERT INTO hs.t SELECT seq, 1000 FROM hs.seq_1_to_5")
        own.sql("CREATE TABLE hs.done (id INT AUTO_INCREMENT PRIMARY KEY, who INT, source INT, target INT)")
        wrong: list[object] = []
        committed: list[int] = []

        def by_port(number: int) -> None:
            draw = random.Random(number)
            with Client(own.port_wr) as client:
                client.open("hs.t", ["id", "v"])
                client.open("hs.done", ["who", "source", "target"], id=2)
                for _ in range(80):
                    source, target = draw.sample(range(1, 6), 2)
                    replies = client.pipeline(
                        [
                            begin(),
                            find(source),
                            line(1, "=", 1, source, 1, 0, "-", 0, 1),
                            line(1, "=", 1, target, 1, 0, "+", 0, 1),
                            line(2, "+", 3, number, source, target),
                            COMMIT,
                        ]
                    )
                    if replies[-1] == OK:
                        committed.append(number)

        def by_sql(number: int) -> None:
            draw = random.Random(number)
            connection = own.connect(database="hs", autocommit=False)
            with connection, connection.cursor() as cursor:
                for _ in range(40):
                    source, target = draw.sample(range(1, 6), 2)
                    try:
                        cursor.execute("UPDATE t SET v = v - 1 WHERE id = %s", (source,))
                        cursor.execute("UPDATE t SET v = v + 1 WHERE id = %s", (target,))
                        cursor.execute(
                            "INSERT INTO done (who, source, target) VALUES (%s, %s, %s)",
                            (number, source, target),
                        )
                        connection.commit()
                        committed.append(number)
                    except pymysql.err.OperationalError:
                        connection.rollback()

        def run(work: Callable[[int], None], number: int) -> None:
            try:
                work(number)
            except BaseException as failure:
                wrong.append(failure)

        threads = [threading.Thread(target=run, args=(by_port, n)) for n in range(8)]
        threads += [threading.Thread(target=run, args=(by_sql, n)) for n in range(100, 103)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, wrong[0]
        assert own.sql("SELECT COUNT(*) FROM hs.done") == [(len(committed),)]
        missing = own.sql(
            "SELECT id, v - 1000 + (SELECT COUNT(*) FROM hs.done WHERE source = t.id)"
            " - (SELECT COUNT(*) FROM hs.done WHERE target = t.id) FROM hs.t"
        )
        assert missing == [(key, 0) for key in range(1, 6)]
        assert committed.count(0) > 0
