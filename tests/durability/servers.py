"""Servers for these tests, what is in their tables, and their binary logs."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import replication
from private_server import PrivateServer
from replication import slave_status, variables

TIMEOUT_S = 120


def durable(server_id: int = 1) -> dict[str, object]:
    """Variables of a server that loses no commit, and writes a binary log with GTIDs."""
    return {
        **variables(server_id),
        "handlersocket_threads": 2,
        "handlersocket_threads_wr": 4,
    }


def tables(server: PrivateServer, database: str = "hs") -> list[str]:
    """The names of the tables that hold rows."""
    return [
        f"{database}.{name}"
        for (name,) in server.sql(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
            " AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY table_name",
            [database],
        )
    ]


def checksums(server: PrivateServer, database: str = "hs") -> dict[str, int]:
    """CHECKSUM TABLE of every table."""
    return dict(server.sql("CHECKSUM TABLE " + ", ".join(tables(server, database))))


def binary_logs(server: PrivateServer) -> list[Path]:
    """The files of the binary log, oldest first."""
    folder = Path(server.sql("SELECT @@log_bin_basename")[0][0]).parent
    return [folder / row[0] for row in server.sql("SHOW BINARY LOGS")]


def replay(logs: Sequence[Path], target: PrivateServer, options: Sequence[str] = ()) -> None:
    """mariadb-binlog | mariadb"""
    read = subprocess.Popen(
        [*target.program("mariadb-binlog"), "--no-defaults", *options, *logs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    write = subprocess.run(
        [*target.program("mariadb"), "--no-defaults", f"--socket={target.socket}", "--user=root"],
        stdin=read.stdout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
        check=False,
    )
    _, errors = read.communicate(timeout=TIMEOUT_S)
    assert (read.returncode, write.returncode) == (0, 0), errors.decode() + write.stdout.decode()


def empty_server() -> PrivateServer:
    """An empty server to replay a log onto. It may lose everything: with MySQL's own settings each
    transaction would wait for the disk."""
    return PrivateServer(plugin="none", variables={"innodb_flush_log_at_trx_commit": 0, "sync_binlog": 0})


def assert_log_replays(server: PrivateServer) -> None:
    """The binary log, replayed onto an empty server, gives the same rows."""
    with empty_server() as copy:
        replay(binary_logs(server), copy)
        assert checksums(copy) == checksums(server)


def status(server: PrivateServer, name: str) -> int:
    """A global status variable."""
    return int(server.sql(f"SHOW GLOBAL STATUS LIKE '{name}'")[0][1])


def follow(replica: PrivateServer, primary: PrivateServer, demoted: bool = False) -> None:
    """Starts replication by GTID; `demoted`: the replica was a primary itself."""
    primary.sql("CREATE USER IF NOT EXISTS replica@'127.0.0.1' IDENTIFIED BY 'secret'")
    primary.sql("GRANT REPLICATION SLAVE ON *.* TO replica@'127.0.0.1'")
    demotes = [] if replication.IS_MYSQL else [int(demoted)]
    replica.sql(
        "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %s, MASTER_USER = 'replica',"
        " MASTER_PASSWORD = 'secret', MASTER_USE_GTID = slave_pos, MASTER_DEMOTE_TO_SLAVE = %s",
        [primary.sql_port, *demotes],
    )
    replica.sql("START SLAVE")


def wait_for_replica(replica: PrivateServer, primary: PrivateServer) -> None:
    """Waits until the replica has applied everything that is in the primary's binary log."""
    wait_until_applied(replica, primary.sql("SELECT @@GLOBAL.gtid_binlog_pos")[0][0])


def wait_until_applied(replica: PrivateServer, position: str = "") -> None:
    """Waits until the replica has applied a GTID position; without one, all that it has received
    from a primary that is gone."""
    if not position:
        replica.sql("STOP SLAVE IO_THREAD")
        position = slave_status(replica)["Gtid_IO_Pos"]
    replication.wait_until_applied(replica, position)


def promote(replica: PrivateServer) -> None:
    """Makes a primary of it."""
    replica.sql("STOP SLAVE")
    replica.sql("RESET SLAVE ALL")
    replica.sql("SET GLOBAL read_only = 0")
