"""Servers for these tests, what is in their tables, and their binary logs."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from private_server import PrivateServer

TIMEOUT_S = 120


def durable(server_id: int = 1) -> dict[str, object]:
    """Variables of a server that loses no commit, and writes a binary log with GTIDs."""
    return {
        "server_id": server_id,
        "log_bin": "log",
        "log_slave_updates": True,
        "gtid_strict_mode": True,
        "sync_binlog": 1,
        "innodb_flush_log_at_trx_commit": 1,
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
    return [server.data_directory / row[0] for row in server.sql("SHOW BINARY LOGS")]


def replay(logs: Sequence[Path], target: PrivateServer, options: Sequence[str] = ()) -> None:
    """mariadb-binlog | mariadb"""
    binaries = target.server_root / "usr/bin"
    read = subprocess.Popen(
        [binaries / "mariadb-binlog", "--no-defaults", *options, *logs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    write = subprocess.run(
        [binaries / "mariadb", "--no-defaults", f"--socket={target.socket}", "--user=root"],
        stdin=read.stdout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
        check=False,
    )
    _, errors = read.communicate(timeout=TIMEOUT_S)
    assert (read.returncode, write.returncode) == (0, 0), errors.decode() + write.stdout.decode()
