"""Whatever ends the writing, at any moment: what was answered is there, and in the binary log."""

from __future__ import annotations

import pytest
from hs_client import kill
from private_server import PrivateServer
from servers import assert_log_replays
from writers import Load, Writer, check_all, create_tables

WRITERS = 8
ROUNDS = 3


def shut_down(server: PrivateServer) -> None:
    server.sql("SHUTDOWN")
    assert server.stop() == 0  # waits


def uninstall(server: PrivateServer) -> None:
    server.sql("UNINSTALL PLUGIN handlersocket")


def refuse_writes(server: PrivateServer) -> None:
    server.sql("SET GLOBAL read_only = 1")
    position = server.sql("SELECT @@GLOBAL.gtid_binlog_pos")
    written = server.sql("CHECKSUM TABLE hs.own, hs.shared, hs.counters")
    for _ in range(5):
        assert server.sql("SELECT @@GLOBAL.gtid_binlog_pos") == position
    assert server.sql("CHECKSUM TABLE hs.own, hs.shared, hs.counters") == written


def kill_workers(server: PrivateServer) -> None:
    for verb in ("KILL QUERY", "KILL") * 20:
        for (thread,) in server.sql(
            "SELECT id FROM information_schema.processlist WHERE user = 'handlersocket'"
        ):
            kill(server, verb, thread)


def go_on(server: PrivateServer) -> None:
    """Makes it serve writes again."""
    if not server.running:
        assert server.exit_code == 0
        server.start()
    server.sql("SET GLOBAL read_only = 0")
    if not server.sql("SELECT 1 FROM information_schema.plugins WHERE plugin_name = 'handlersocket'"):
        server.sql("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")


@pytest.mark.parametrize(
    "end", [PrivateServer.stop, shut_down, uninstall, refuse_writes, kill_workers]
)
def test_nothing_answered_is_lost_when_writing_ends(
    primary: PrivateServer, seed: int, end: object
) -> None:
    assert callable(end)
    create_tables(primary, WRITERS)
    writers = [Writer(number, seed) for number in range(WRITERS)]
    for _ in range(ROUNDS):
        with Load(primary, writers) as load:
            load.wait_for(300)
            end(primary)
        go_on(primary)
        check_all(primary, writers)
    assert_log_replays(primary)
