"""Lets the tests import the private server and the client, and takes their options."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "scripts"), str(TESTS / "e2e"), str(TESTS / "durability")]

import on_mysql  # noqa: E402
from private_server import PrivateServer  # noqa: E402
from servers import durable  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=5, help="how often the server is killed")
    parser.addoption("--long", action="store_true", help="also tests that take minutes")
    parser.addoption("--seed", type=int, default=1, help="of everything that is drawn")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes minutes, runs with --long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    on_mysql.leave_out(items)
    if config.getoption("--long"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """The seed of everything that a test draws."""
    return int(request.config.getoption("--seed"))


@pytest.fixture
def primary() -> Iterator[PrivateServer]:
    """A server that promises durability: both logs are flushed with every commit."""
    with PrivateServer(variables=durable()) as server:
        yield server
