"""A session moves from thread to thread with its transaction, also when it is killed in between.

Made with tools/moving_session, a function that lives in the server: each step that it is asked for
is made on a new thread, and between two steps the session is in no thread.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pymysql
import pytest
from private_server import PrivateServer

LIBRARY = "hs_moving_session.so"
ENTRY = "SELECT ID FROM information_schema.PROCESSLIST WHERE STATE = 'handlersocket: moving'"

Step = Callable[..., str]


@pytest.fixture
def own() -> Iterator[PrivateServer]:
    with PrivateServer(variables={"log_bin": "log"}) as running:
        source = running.plugin_file.parent / "tests" / LIBRARY
        if not source.exists():
            pytest.skip(f"{source} is not built")
        shutil.copy(source, running.directory / "plugins" / LIBRARY)
        running.sql(f"CREATE FUNCTION hs_moving_session RETURNS STRING SONAME '{LIBRARY}'")
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        running.sql("INSERT INTO hs.t VALUES (1, 1)")
        yield running


@pytest.fixture
def step(own: PrivateServer) -> Iterator[Step]:
    """Lets the session take a step; all are asked for on one connection."""
    connection = own.connect()
    with connection, connection.cursor() as sql:

        def take(name: str, key: int = 0) -> str:
            sql.execute("SELECT hs_moving_session(%s, %s)", (name, key))
            answer = sql.fetchone()[0]
            return answer.decode() if isinstance(answer, bytes) else answer

        yield take
        # The server does not end before it; in a test of that the connection is gone.
        with suppress(pymysql.err.OperationalError):
            take("end")


def ids(server: PrivateServer) -> list[int]:
    return [row[0] for row in server.sql("SELECT id FROM hs.t ORDER BY id")]


def entry(server: PrivateServer) -> int:
    return int(server.sql(ENTRY)[0][0])


def test_a_transaction_goes_on_in_other_threads(own: PrivateServer, step: Step) -> None:
    assert step("make") == "ok"
    assert step("insert", 2) == "ok"
    assert ids(own) == [1], "it is not committed"
    with pytest.raises(pymysql.err.OperationalError, match="1205"):
        own.sql("SELECT * FROM hs.t WHERE id = 2 FOR UPDATE NOWAIT")
    assert step("find", 2) == "2", "it sees its own row"
    assert step("insert", 3) == "ok"
    assert step("commit") == "ok"
    assert ids(own) == [1, 2, 3]
    events = [event[2] for event in own.sql("SHOW BINLOG EVENTS")]
    assert events.count("Xid") - 1 == 1, "one transaction, behind that of the first row"


def test_a_transaction_is_rolled_back_by_another_thread(own: PrivateServer, step: Step) -> None:
    step("make")
    assert step("insert", 2) == "ok"
    assert step("rollback") == "ok"
    assert step("find", 2) == "none"
    assert step("insert", 2) == "ok"
    assert step("commit") == "ok"
    assert ids(own) == [1, 2]


def test_a_view_of_the_data_goes_with_its_session(own: PrivateServer, step: Step) -> None:
    step("make reader")
    assert step("find", 1) == "1"
    own.sql("UPDATE hs.t SET v = 9")
    assert step("find", 1) == "1"
    assert step("commit") == "ok"
    assert step("find", 1) == "9"


def test_a_session_that_ends_in_no_thread_leaves_nothing(own: PrivateServer, step: Step) -> None:
    step("make")
    assert step("insert", 2) == "ok"
    assert step("end") == "ok"
    # The thread of the SQL connection that ended it goes on with its own.
    assert step("stale wakes") == "0"
    own.sql("INSERT INTO hs.t VALUES (2, 3)")
    own.sql("ALTER TABLE hs.t ADD w INT")
    assert own.sql(ENTRY) == []


@pytest.mark.parametrize("kill", ["KILL QUERY", "KILL"])
def test_a_kill_that_comes_in_no_thread_is_seen_in_the_next(
    own: PrivateServer, step: Step, kill: str
) -> None:
    step("make")
    assert step("insert", 2) == "ok"
    own.sql(f"{kill} {entry(own)}")
    assert step("find", 2) == "Interrupted"
    assert step("rollback") == "ok"
    assert step("find", 2) == "none"
    assert step("commit") == "ok"
    # As in SQL, a kill that comes when nothing runs ends nothing.
    own.sql(f"{kill} {entry(own)}")
    assert step("find", 1) == "1"
    assert step("stale wakes") == "0"
    assert ids(own) == [1]


def test_kills_at_any_moment_wake_no_thread_that_the_session_has_left(
    own: PrivateServer, step: Step
) -> None:
    step("make")
    killed = entry(own)
    stop = threading.Event()

    def kill() -> None:
        connection = own.connect()
        with connection, connection.cursor() as sql:
            while not stop.is_set():
                sql.execute(f"KILL {killed}")

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        for _ in range(300):
            assert step("find", 1) in ("1", "Interrupted")
            assert step("rollback") == "ok"
    finally:
        stop.set()
        killer.join()
    assert step("stale wakes") == "0"
    step("find", 1)
    step("commit")
    assert step("find", 1) == "1"


def test_a_shutdown_that_comes_in_no_thread_is_seen(own: PrivateServer, step: Step) -> None:
    step("make")
    assert step("insert", 2) == "ok"
    assert step("end with the server") == "ok"
    own.stop()
    assert own.exit_code == 0
    assert "hs_moving_session: at the end find gave Shutdown" in own.error_log()
    own.start()
    assert ids(own) == [1]
