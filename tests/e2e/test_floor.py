"""The handler calls that the benchmark holds its figures against (tools/floor) do what they say."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator

import ports
import pytest
import sample_table
from hs_client import Client
from private_server import PrivateServer

LIBRARY = "hs_floor.so"
FUNCTIONS = ("hs_floor", "hs_floor_insert", "hs_floor_update", "hs_floor_serve_writes")
ROWS = 500


@pytest.fixture
def own() -> Iterator[PrivateServer]:
    with PrivateServer(variables={"log_bin": "log"}) as running:
        source = running.plugin_file.parent / "tools/floor" / LIBRARY
        if not source.exists():
            pytest.skip(f"{source} is not built")
        shutil.copy(source, running.directory / "plugins" / LIBRARY)
        for function in FUNCTIONS:
            running.sql(f"CREATE FUNCTION {function} RETURNS REAL SONAME '{LIBRARY}'")
        sample_table.make(running, ROWS, lambda _: None)
        yield running


def call(server: PrivateServer, function: str, *arguments: int) -> float | None:
    numbers = ", ".join(map(str, arguments))
    return server.sql(f"SELECT {function}({numbers}, 'user')")[0][0]


def rows(server: PrivateServer) -> dict[int, tuple[object, ...]]:
    found = server.sql("SELECT user_id, user_name, user_email, created FROM test.user")
    return {row[0]: row[1:] for row in found}


def test_lookups_find_their_rows_and_change_nothing(own: PrivateServer) -> None:
    before = rows(own)
    for batch in (1, 64):
        microseconds = call(own, "hs_floor", 1000, batch, ROWS, 1)
        assert microseconds is not None
        assert microseconds > 0
    assert rows(own) == before


def test_a_row_that_is_missing_gives_null(own: PrivateServer) -> None:
    assert call(own, "hs_floor", 1000, 10, 1_000_000, 1) is None
    assert call(own, "hs_floor_update", 1000, 10, 1_000_000, 1) is None


def test_inserts_are_committed_in_rows_like_the_others(own: PrivateServer) -> None:
    before = rows(own)
    microseconds = call(own, "hs_floor_insert", 250, 100, ROWS + 1, 0)
    assert microseconds is not None
    after = rows(own)
    assert set(after) - set(before) == set(range(ROWS + 1, ROWS + 251))
    assert after[ROWS + 1][:2] == (f"user name {ROWS + 1}", f"user{ROWS + 1}@example.com")
    assert call(own, "hs_floor_insert", 1, 1, ROWS + 1, 0) is None  # it is there
    assert len(rows(own)) == len(after)


def test_updates_set_one_column_of_random_rows(own: PrivateServer) -> None:
    before = rows(own)
    assert call(own, "hs_floor_update", 300, 100, ROWS, 1) is not None
    after = rows(own)
    changed = {key for key, row in after.items() if row != before[key]}
    assert 100 < len(changed) <= 300
    assert all(after[key][1] != before[key][1] for key in changed)
    assert all((row[0], row[2]) == (before[key][0], before[key][2]) for key, row in after.items())


def test_writes_over_the_network_are_committed_together_and_logged(own: PrivateServer) -> None:
    before, port = rows(own), ports.free_port()
    found: list[float | None] = []
    server = threading.Thread(
        target=lambda: found.append(call(own, "hs_floor_serve_writes", port, 60, 1, 0))
    )
    server.start()
    while not ports.accepts("127.0.0.1", port):
        pass
    with Client(port) as first, Client(port) as second:
        for client in (first, second):
            client.send(b"P\t1\ttest\tuser\tPRIMARY\tuser_email\n")
        assert (first.read_line(), second.read_line()) == (b"0\t1", b"0\t1")
        first.send(b"1\t+\t4\t%d\tname\ta@example.com\t2010-02-03 11:22:33\n" % (ROWS + 1))
        second.send(b"1\t=\t1\t7\t1\t0\tU\tb@example.com\n")
        assert (first.read_line(), second.read_line()) == (b"0\t1", b"0\t1\t1")
    server.join()
    assert found == [2]
    after = rows(own)
    assert after[ROWS + 1][:2] == ("name", "a@example.com")
    assert after[7][:2] == (before[7][0], "b@example.com")
    events = {event[2] for event in own.sql("SHOW BINLOG EVENTS")}
    assert {"Write_rows_v1", "Update_rows_v1"} <= events


def test_wrong_arguments_are_an_error(own: PrivateServer) -> None:
    for arguments in ("", "1, 1, 1, 1", "0, 1, 1, 1, 'user'", "1, 1, 1, 1, NULL"):
        with pytest.raises(Exception, match="hs_floor"):
            own.sql(f"SELECT hs_floor({arguments})")
