"""The private MySQL of scripts/provision --server mysql-9.7, where it has been unpacked."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import server_files
from private_server import PrivateServer

pytestmark = pytest.mark.skipif(
    not server_files.MYSQL_ROOT.exists(), reason="scripts/provision --server mysql-9.7 gets MySQL"
)
HEADERS = server_files.MYSQL_ROOT.parent / "headers"


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateServer]:
    with PrivateServer(plugin="none", server_root=server_files.MYSQL_ROOT) as running:
        running.sql("CREATE DATABASE test")
        yield running


def test_it_keeps_its_rows_over_a_clean_end_and_a_kill(server: PrivateServer) -> None:
    server.sql("CREATE TABLE test.kept (id INT PRIMARY KEY)")
    server.sql("INSERT INTO test.kept VALUES (1)")
    server.restart()
    server.sql("INSERT INTO test.kept VALUES (2)")
    server.kill9()
    assert server.exit_code == -signal.SIGKILL
    server.start()
    assert server.sql("SELECT id FROM test.kept ORDER BY id") == [(1,), (2,)]


def test_it_listens_on_loopback_alone(server: PrivateServer) -> None:
    listens = {
        row.split()[1].split(":")[0]
        for row in Path(f"/proc/{server.pid}/net/tcp").read_text(encoding="ascii").splitlines()
        if row.split()[1].endswith(f":{server.sql_port:04X}") and row.split()[3] == "0A"
    }
    assert listens == {"0100007F"}
    assert server.sql("SELECT @@port, @@bind_address") == [(server.sql_port, "127.0.0.1")]
    # The second protocol would have a port of its own.
    assert server.sql("SHOW GLOBAL VARIABLES LIKE 'mysqlx%'") == []


def test_it_names_its_transactions(server: PrivateServer) -> None:
    """Where nothing else is said there is a binary log, unlike in MariaDB."""
    assert server.sql("SELECT @@log_bin, @@gtid_mode") == [(1, "ON")]


def test_its_headers_are_of_its_version(server: PrivateServer) -> None:
    ((version,),) = server.sql("SELECT VERSION()")
    generated = (HEADERS / "generated/mysql_version.h").read_text(encoding="ascii")
    told = re.search(r'#define MYSQL_SERVER_VERSION\s+"([^"]+)"', generated)
    assert told is not None
    assert version.split("-")[0] == told[1].split("-")[0]
    for header in ("generated/mysqld_error.h", "source/sql/sql_class.h"):
        assert (HEADERS / header).exists()
