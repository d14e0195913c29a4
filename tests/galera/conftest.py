"""The cluster of these tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "scripts"), str(TESTS / "e2e"), str(TESTS / "galera")]

from galera_cluster import Cluster, started  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seconds", type=float, default=8, help="how long each storm lasts")
    parser.addoption("--seed", type=int, default=1, help="of everything that is drawn")


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three nodes, of which the second writes no binary log."""
    with started(tmp_path_factory.mktemp("cluster")) as made:
        yield made
        for node in made.nodes:
            assert node.stop() == 0
            assert "Inconsistent" not in node.error_log()


@pytest.fixture
def database(cluster: Cluster) -> None:
    """The tables of each test, on both nodes."""
    first = cluster.nodes[0]
    first.sql("CREATE OR REPLACE DATABASE hs")
    first.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v BIGINT NOT NULL)")
    first.sql(
        "CREATE TABLE hs.log (id BIGINT AUTO_INCREMENT PRIMARY KEY, who INT, n INT, UNIQUE (who, n))"
    )
    first.sql("INSERT INTO hs.t VALUES (1, 0), (2, 0), (3, 0)")
    cluster.wait_until_applied()
