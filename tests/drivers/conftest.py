"""The servers of these tests, and how a driver's program is started."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(REPOSITORY / "scripts"), str(REPOSITORY / "tests/e2e"), str(HERE)]

import tunnel  # noqa: E402
from certificates import Certificates  # noqa: E402
from memcached_client import TABLE as CACHE  # noqa: E402
from private_accounts import identified_by, make_account  # noqa: E402
from private_server import PrivateServer, free_port  # noqa: E402
from test_tls import certificates  # noqa: E402, F401

INSTALLED = REPOSITORY / "build/drivers"
INSTALL_SECONDS = 900
DRIVER_SECONDS = 120
PASSWORD = "se'cret"
TABLES = (
    "page (id VARBINARY(64) PRIMARY KEY, html MEDIUMBLOB, at BIGINT NULL, KEY (at)) "
    "COMMENT 'hs: name=page value=html ttl=at'",
    "user (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT '', visits INT NOT NULL DEFAULT 0) "
    "COMMENT 'hs: name=user'",
    "count (id VARBINARY(64) PRIMARY KEY, n BIGINT NOT NULL DEFAULT 0) COMMENT 'hs: name=count'",
)


@dataclass(frozen=True)
class Ports:
    """A server and its ports for clients of Redis and memcached."""

    server: PrivateServer
    redis: int
    memcached: int


def ports() -> dict[str, object]:
    """Variables that open both."""
    return {"handlersocket_resp_port": free_port(), "handlersocket_memcached_port": free_port()}


@pytest.fixture(scope="session")
def plain() -> Iterator[Ports]:
    """A server that asks for no login."""
    variables = ports()
    with PrivateServer(variables={**variables, "log_bin": "log"}) as server:
        yield Ports(server, *variables.values())  # type: ignore[arg-type]
        assert server.running, server.error_log()[-3000:]


@pytest.fixture
def tables(plain: Ports) -> Iterator[Ports]:
    """That server with the tables of the session, empty."""
    plain.server.make_database("hs")
    for table in TABLES:
        plain.server.sql(f"CREATE TABLE hs.{table}")
    plain.server.sql(CACHE)
    yield plain
    plain.server.sql("DROP DATABASE hs")


@pytest.fixture(scope="module")
def guarded(certificates: Certificates) -> Iterator[Ports]:  # noqa: F811
    """A server that asks for an account, over TLS."""
    variables = ports()
    options = {"handlersocket_authentication_wr": "account", **certificates.variables("server")}
    with PrivateServer(variables={**variables, **options}) as server:
        server.make_database("hs")
        for table in TABLES:
            server.sql(f"CREATE TABLE hs.{table}")
        server.sql(CACHE)
        grants = ["SELECT, INSERT, UPDATE, DELETE ON hs.*"]
        make_account(server, "driver", identified_by(PASSWORD), grants)
        yield Ports(server, *variables.values())  # type: ignore[arg-type]
        assert server.running, server.error_log()[-3000:]


@pytest.fixture(scope="module")
def tls_tunnel(guarded: Ports, certificates: Certificates) -> Iterator[int]:  # noqa: F811
    """A port that takes clear text to the guarded one for memcached, by TLS."""
    with tunnel.running(guarded.memcached, certificates.path("ca")) as port:
        yield port


Run = Callable[..., str]


@pytest.fixture
def run(guarded: Ports, certificates: Certificates, tls_tunnel: int) -> Run:  # noqa: F811
    """Runs a driver's program with what README.md says: what it prints."""

    def started(server_port: int, *command: str, installed: str = "", **environment: str) -> str:
        if installed:
            done = subprocess.run(
                [str(HERE / "install"), installed], capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
            )
            assert done.returncode == 0, done.stderr
        memcached = "MEMCACHED" in environment
        about = {
            "PORT": str(server_port),
            "GUARDED_PORT": str(tls_tunnel if memcached else guarded.redis),
            "CA": certificates.path("ca"),
            "REFUSED": str(HERE / "refused.tsv"),
            "INSTALLED": str(INSTALLED / installed),
        }
        done = subprocess.run(
            [word.format(here=HERE, installed=INSTALLED / installed) for word in command],
            env={**os.environ, **about, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=DRIVER_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return started
