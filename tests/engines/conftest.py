"""A server with every engine that Debian has for it, and clients for its ports."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "scripts"), str(TESTS / "e2e"), str(TESTS / "engines")]

from hs_client import Client  # noqa: E402
from private_server import PrivateServer  # noqa: E402

# ./test engines has unpacked them beside the server.
FILES = "archive blackhole connect federatedx mroonga oqgraph rocksdb s3 sphinx spider".split()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=1, help="of everything that is drawn")


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--seed"))


@pytest.fixture(scope="session")
def server() -> Iterator[PrivateServer]:
    variables: dict[str, object] = {
        "plugin_maturity": "experimental",
        "secure_file_priv": "",  # CONNECT wants to choose its files
        "log_bin": "log",
        "handlersocket_threads": 2,
        "handlersocket_threads_wr": 2,
    }
    with PrivateServer(variables=variables) as running:
        for name in FILES:
            running.sql(f"INSTALL SONAME 'ha_{name}'")
        yield running
        assert running.running, running.error_log()[-5000:]


@pytest.fixture
def database(server: PrivateServer) -> Iterator[None]:
    server.sql("CREATE OR REPLACE DATABASE hs CHARACTER SET utf8mb4")
    server.sql("CREATE OR REPLACE DATABASE far CHARACTER SET utf8mb4")
    yield
    server.sql("DROP DATABASE hs")
    server.sql("DROP DATABASE far")


@pytest.fixture
def writer(server: PrivateServer, database: None) -> Iterator[Client]:
    with Client(server.port_wr) as client:
        yield client


@pytest.fixture
def reader(server: PrivateServer, database: None) -> Iterator[Client]:
    with Client(server.port) as client:
        yield client
