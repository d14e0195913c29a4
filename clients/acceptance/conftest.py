"""A real server, the drivers of the clients, and the matrix of clients and behaviours."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "scripts")]

import mysql_dialect  # noqa: E402
from driver import Driver  # noqa: E402
from matrix import Matrix  # noqa: E402
from private_server import PrivateServer  # noqa: E402
from proxy import Proxy  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--language", action="append", default=[], help="a client, by its folder")
    parser.addoption("--table", help="a Markdown file whose matrix is written anew")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Matrix(config.getoption("--table")), "matrix")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "language" in metafunc.fixturenames:
        languages = metafunc.config.getoption("--language")
        if not languages:
            languages = sorted(file.parent.name for file in HERE.parent.glob("*/driver"))
        metafunc.parametrize("language", languages, scope="session")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A test whose statements MySQL has not is skipped: mysql_dialect.py has the list."""
    outcome = yield
    if call.excinfo is not None and call.excinfo.errisinstance(mysql_dialect.NotOnMysql):
        report = outcome.get_result()  # type: ignore[attr-defined]
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {call.excinfo.value}")


@pytest.fixture(scope="session")
def server() -> Iterator[PrivateServer]:
    """A server without accounts and TLS, with a binary log."""
    variables = {"handlersocket_threads": 2, "handlersocket_threads_wr": 2, "log_bin": "log"}
    with PrivateServer(variables=variables) as running:
        running.sql("CREATE DATABASE hs CHARACTER SET utf8mb4")
        yield running


@pytest.fixture
def users(server: PrivateServer) -> None:
    """The table hs.user with ten rows."""
    server.sql("DROP TABLE IF EXISTS hs.user")
    server.sql(
        "CREATE TABLE hs.user (id INT PRIMARY KEY, name VARCHAR(50), n INT NOT NULL DEFAULT 0,"
        " KEY by_name (name, id))"
    )
    server.sql("INSERT INTO hs.user SELECT seq, CONCAT('user ', seq), seq * 10 FROM hs.seq_1_to_10")


MakeDriver = Callable[..., Driver]


@pytest.fixture
def make_driver(language: str, tmp_path: Path) -> Iterator[MakeDriver]:
    """Starts drivers, whose environment names no server and no password."""
    made: list[Driver] = []

    def make(**environment: str) -> Driver:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HS_")}
        kept["HS_OPTION_FILE"] = str(tmp_path / "no.cnf")
        (tmp_path / "no.cnf").touch()
        made.append(Driver(language, {**kept, **environment}))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def url(server: PrivateServer) -> str:
    """The server's URL, to which options can be added."""
    return f"hs://127.0.0.1:{server.port}/hs?write_port={server.port_wr}&timeout=20"


@pytest.fixture
def client(make_driver: MakeDriver, url: str) -> Driver:
    """A client of the server."""
    made = make_driver()
    made.call("connect", url=url)
    return made


@pytest.fixture
def proxies(server: PrivateServer) -> Iterator[tuple[Proxy, Proxy]]:
    """Proxies before the read port and the write port."""
    both = Proxy(server.port), Proxy(server.port_wr)
    yield both
    for one in both:
        one.close()


@pytest.fixture
def behind(make_driver: MakeDriver, proxies: tuple[Proxy, Proxy]) -> Callable[..., Driver]:
    """Connects a client through the proxies."""

    def connect(**options: Any) -> Driver:
        made = make_driver()
        more = "".join(f"&{name}={value}" for name, value in {"timeout": 10, **options}.items())
        read, write = proxies
        made.call("connect", url=f"hs://127.0.0.1:{read.port}/hs?write_port={write.port}{more}")
        return made

    return connect
