"""Fixtures: a private server with sample rows, and hs as a stranger would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from private_server import PrivateServer  # noqa: E402

PROGRAM = Path(os.environ.get("HS_PROGRAM", REPOSITORY / "build/release/clients/hs/hs"))

Run = Callable[..., subprocess.CompletedProcess[bytes]]

TABLES = """
CREATE TABLE test.user (user_id INT UNSIGNED PRIMARY KEY, user_name VARCHAR(50), user_email VARCHAR(255),
  created DATETIME, KEY by_name (user_name)) DEFAULT CHARSET utf8mb4;
INSERT INTO test.user SELECT seq, CONCAT('user name ', seq), CONCAT('user', seq, '@example.com'),
  '2010-02-03 11:22:33' FROM seq_1_to_200;
UPDATE test.user SET user_name = 'Yukari Takeba', user_email = 'yukari.takeba@dena.jp' WHERE user_id = 101;
CREATE TABLE test.event (user INT, at INT, what VARCHAR(10), PRIMARY KEY (user, at));
INSERT INTO test.event VALUES (7, 10, 'login'), (7, 20, 'buy'), (7, 30, 'logout'), (8, 15, 'login');
CREATE TABLE test.visits (id INT AUTO_INCREMENT PRIMARY KEY, page VARCHAR(50) UNIQUE, visits INT,
  last VARCHAR(20)) DEFAULT CHARSET utf8mb4;
CREATE TABLE test.kinds (k VARCHAR(60) COLLATE utf8mb4_bin PRIMARY KEY, b BLOB, d DOUBLE, n DECIMAL(10, 2),
  t VARCHAR(300)) DEFAULT CHARSET utf8mb4;
"""


@pytest.fixture(scope="session")
def server() -> Iterator[PrivateServer]:
    """One server for all tests."""
    with PrivateServer(variables={"log_bin": "log"}) as running:
        running.sql("CREATE DATABASE IF NOT EXISTS test CHARACTER SET utf8mb4")
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture
def rows(server: PrivateServer) -> PrivateServer:
    """The server with the tables of TABLES as they are there."""
    for table in ("user", "event", "visits", "kinds", "copy"):
        server.sql(f"DROP TABLE IF EXISTS test.{table}")
    for statement in TABLES.split(";\n"):
        if statement.strip():
            server.sql(statement, database="test")
    return server


def environment(server: PrivateServer | None, home: Path) -> dict[str, str]:
    """An environment without options of others."""
    kept = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS") if name in os.environ}
    url = {"HS_URL": f"hs://127.0.0.1:{server.port}/test?write_port={server.port_wr}"} if server else {}
    return {**kept, **url, "HOME": str(home), "LC_ALL": "C.UTF-8"}


def runner(server: PrivateServer | None, home: Path) -> Run:
    """Runs hs with these words; input, env and others go to subprocess.run."""

    def run(*words: str | bytes, **more: object) -> subprocess.CompletedProcess[bytes]:
        env = {**environment(server, home), **more.pop("env", {})}  # type: ignore[dict-item]
        return subprocess.run(
            [PROGRAM, *words], capture_output=True, env=env, timeout=60, **more  # type: ignore[call-overload]
        )

    return run


@pytest.fixture
def hs(rows: PrivateServer, tmp_path: Path) -> Run:
    """hs, led to the server with the tables."""
    return runner(rows, tmp_path)
