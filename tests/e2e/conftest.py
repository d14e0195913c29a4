"""Fixtures: one real, private mariadbd with the plugin for the whole run, and clients for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import mysql_dialect  # noqa: E402
import on_mysql  # noqa: E402
from hs_client import Client  # noqa: E402
from loader import Loader  # noqa: E402
from private_server import PrivateServer, free_port  # noqa: E402


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """On MySQL some tests are skipped, each with its reason."""
    on_mysql.leave_out(items)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A test whose statements MySQL has not is skipped, too: mysql_dialect.py has the list."""
    outcome = yield
    if call.excinfo is not None and call.excinfo.errisinstance(mysql_dialect.NotOnMysql):
        report = outcome.get_result()  # type: ignore[attr-defined]
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {call.excinfo.value}")


@pytest.fixture(scope="session")
def server() -> Iterator[PrivateServer]:
    """The shared server. Tests that stop, kill or reconfigure a server start their own."""
    variables = {"handlersocket_threads": 2, "handlersocket_threads_wr": 2, "log_bin": "log"} | on_mysql.SQL_MODE
    with PrivateServer(variables=variables) as running:
        yield running
        assert running.running, running.error_log()[-3000:]


@pytest.fixture
def database(server: PrivateServer) -> Iterator[str]:
    """An empty database `hs`, dropped afterwards."""
    server.make_database("hs")
    yield "hs"
    server.sql("DROP DATABASE IF EXISTS hs")


@pytest.fixture(scope="module")
def resp_port(server: PrivateServer) -> Iterator[int]:
    """The port for clients of Redis, opened while the server runs."""
    port = free_port()
    server.sql(f"SET GLOBAL handlersocket_resp_port = '{port}'")
    yield port
    server.sql("SET GLOBAL handlersocket_resp_port = DEFAULT")


@pytest.fixture
def loader() -> Iterator[Loader]:
    """A server with the plugin's file alone: not started, and without a library."""
    made = Loader()
    try:
        yield made
    finally:
        made.server.close()


@pytest.fixture
def connect(server: PrivateServer) -> Iterator[Callable[[int], Client]]:
    """Makes clients for a port; all are closed after the test."""
    clients: list[Client] = []

    def make(port: int) -> Client:
        clients.append(Client(port))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def reader(server: PrivateServer, connect: Callable[[int], Client], database: str) -> Client:
    """A connection to the read port."""
    return connect(server.port)


@pytest.fixture
def writer(server: PrivateServer, connect: Callable[[int], Client], database: str) -> Client:
    """A connection to the write port."""
    return connect(server.port_wr)


@pytest.fixture
def no_purge(server: PrivateServer) -> Iterator[None]:
    """Rows that have expired stay where they are."""
    server.sql("SET GLOBAL handlersocket_ttl_purge_rows = 0")
    yield
    server.sql("SET GLOBAL handlersocket_ttl_purge_rows = DEFAULT")


@pytest.fixture
def functions_may_write(server: PrivateServer) -> Iterator[None]:
    """Functions of schemas may write, although the binary log is on."""
    server.sql("SET GLOBAL log_bin_trust_function_creators = 1")
    yield
    server.sql("SET GLOBAL log_bin_trust_function_creators = 0")
