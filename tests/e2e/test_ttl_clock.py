"""Rows expire by the server's clock, also when somebody sets it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import server_files
from hs_client import Client
from private_server import PrivateServer

DAYS = (1, 10, 100)
COLUMNS = {
    "DATETIME(6) NULL": "NOW(6) + INTERVAL {} DAY",
    "TIMESTAMP(3) NULL": "NOW(3) + INTERVAL {} DAY",
    "BIGINT NULL": "UNIX_TIMESTAMP() + 86400 * {}",
}


class Clock:
    """What the server takes for the time: now, and so many days more."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.set(0)

    def set(self, days: int) -> None:
        """The server never sees a half of it."""
        new = self.file.with_suffix(".new")
        new.write_text(f"{days:+}d\n")
        new.replace(self.file)


@pytest.fixture(scope="module")
def clock(tmp_path_factory: pytest.TempPathFactory) -> Clock:
    return Clock(tmp_path_factory.mktemp("clock") / "offset")


@pytest.fixture(scope="module")
def clocked(clock: Clock) -> Iterator[PrivateServer]:
    if server_files.sanitizer_environment():
        pytest.skip("libfaketime and the sanitizers replace the same functions")
    (library,) = Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")
    environment = {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(clock.file),
        "FAKETIME_NO_CACHE": "1",
        # As on a machine, where nobody can set the clock by which threads wait.
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    with PrivateServer(variables={"log_bin": "log"}, environment=environment) as server:
        server.sql("CREATE DATABASE hs")
        yield server


@pytest.fixture(params=COLUMNS)
def later(request: pytest.FixtureRequest, clock: Clock, clocked: PrivateServer) -> str:
    """A new table with a row for each of DAYS; gives the column's value for {} days from now."""
    clock.set(0)
    clocked.sql("SET GLOBAL handlersocket_ttl_purge_rows = 0")
    clocked.sql("DROP TABLE IF EXISTS hs.t")
    clocked.sql(
        f"CREATE TABLE hs.t (id INT PRIMARY KEY, e {request.param}, KEY (e)) COMMENT 'hs: ttl=e'"
    )
    value = COLUMNS[request.param]
    for day in DAYS:
        clocked.sql(f"INSERT INTO hs.t VALUES ({day}, {value.format(day)})")
    return value


def wait_for_rows(server: PrivateServer, rows: list[tuple[int]]) -> None:
    while server.sql("SELECT id FROM hs.t ORDER BY id") != rows:
        pass


def test_the_ports_see_what_has_not_expired_by_the_clock_as_it_is_set(
    clock: Clock, clocked: PrivateServer, later: str
) -> None:
    with Client(clocked.port) as reads, Client(clocked.port_wr) as writes:
        for client in (reads, writes):
            client.open("hs.t", ["id"])
        for days in (0, 5, 50, 5, -500, 500, 0):
            clock.set(days)
            left = [(str(day).encode(),) for day in DAYS if day > days]
            assert [client.find(">=", [0], 9) for client in (reads, writes)] == [left, left], days


def test_the_purge_follows_a_clock_that_is_set(
    clock: Clock, clocked: PrivateServer, later: str
) -> None:
    Client(clocked.port).open("hs.t", ["id"])
    clocked.sql("SET GLOBAL handlersocket_ttl_purge_rows = DEFAULT")
    clock.set(5)
    wait_for_rows(clocked, [(10,), (100,)])
    # What expires in front of the place that the purge has reached is found, too.
    clock.set(-50)
    clocked.sql(f"INSERT INTO hs.t VALUES (1, {later.format(-1)})")
    wait_for_rows(clocked, [(10,), (100,)])
    clock.set(50)
    wait_for_rows(clocked, [(100,)])
    assert clocked.sql(
        "SELECT BEHIND_SECONDS, LAST_ERROR FROM information_schema.HANDLERSOCKET_TTL"
        " WHERE TABLE_SCHEMA = 'hs' AND TABLE_NAME = 't'"
    ) == [(0, None)]
