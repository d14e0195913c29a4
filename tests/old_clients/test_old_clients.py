"""Old HandlerSocket clients, unchanged, against our plugin and against the stock one.

Each driver (see README.md) gets an empty table, goes through the same session with its client and
compares every answer; what it leaves in the table is then read by SQL. Running on the stock plugin
as well proves the drivers themselves.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
CLIENTS = REPOSITORY / "build/old_clients"
sys.path.insert(0, str(REPOSITORY / "scripts"))

from private_server import PrivateServer  # noqa: E402

CANNOT_BE_HAD = 77  # the exit code of `install` for a missing tool or an unreachable registry
INSTALL_SECONDS = 900
DRIVER_SECONDS = 90

# What a driver inserts, and what is left after its updates and its delete.
INSERTED = [
    (1, "alice", None, 10),
    (2, "bob", "", 20),
    (3, "hé日本😀", "ünï", 30),
    (4, "bytes", "a\tb\nc\0d\x01e", 40),
    (5, "bob", "second bob", 50),
]
CHANGED = [INSERTED[0], (2, "robert", None, 21), INSERTED[2], (5, "bob", "", 51)]


@dataclass(frozen=True)
class Driver:
    """How one driver is started: `client` is a folder of tests/old_clients and of build/old_clients; "": ours."""

    name: str
    client: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    leaves: tuple[tuple[object, ...], ...] = tuple(CHANGED)


def python_driver(name: str, file: str, leaves: list[tuple[object, ...]]) -> Driver:
    modules = str(CLIENTS / "python/modules")
    environment = (
        ("PYTHONPATH", modules),
        ("JYTHONPATH", modules),
        ("PYTHONDONTWRITEBYTECODE", "1"),
    )
    command = ("{interpreter}", str(HERE / "python" / file))
    return Driver(name, "python", command, environment, tuple(leaves))


DRIVERS = [
    python_driver("python", "driver.py", CHANGED),
    python_driver("python_handlersocket", "driver_handlersocket.py", INSERTED),
    Driver(
        "node",
        "node",
        ("node", str(HERE / "node/driver.js")),
        (("HS_CLIENT_HOME", str(CLIENTS / "node")),),
    ),
    Driver("java", "java", ("java", "-cp", f"{CLIENTS}/java/lib/*:{CLIENTS}/java/classes", "Driver")),
    Driver(
        "perl",
        "perl",
        ("perl", "-Mblib=" + str(CLIENTS / "perl/module"), str(HERE / "perl/driver.pl")),
    ),
    Driver("cpp", "cpp", (str(CLIENTS / "cpp/driver"),)),
]

# The new module of an old name.
NEW_PERL = Driver("perl", "", ("perl", f"-I{REPOSITORY}/clients/perl/lib", str(HERE / "perl/driver.pl")))

# Those whose client knows filters, IN, increments and the forms that return the old row; and the
# plugins that answer them.
EXTENDED_DRIVERS = [driver for driver in DRIVERS if driver.name in ("python", "node", "perl")]
EXTENDED_PLUGINS = ["ours", "stock"]


def by_name(driver: Driver) -> str:
    return driver.name


@pytest.fixture(scope="module", params=["ours", "stock"])
def server(request: pytest.FixtureRequest) -> Iterator[PrivateServer]:
    with PrivateServer(plugin=request.param) as running:
        running.sql("CREATE DATABASE IF NOT EXISTS test")
        yield running


def install(client: str) -> None:
    """Fetches the client, or skips the test with the reason why it cannot be had here."""
    result = subprocess.run(
        [HERE / "install", client],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=INSTALL_SECONDS,
        check=False,
    )
    if result.returncode == CANNOT_BE_HAD:
        pytest.skip(f"{client}: {result.stderr.strip().splitlines()[-1]}")
    assert result.returncode == 0, result.stderr


def make_table(server: PrivateServer, name: str) -> str:
    table = f"hs_client_{name}"
    server.sql(f"DROP TABLE IF EXISTS test.{table}")
    server.sql(
        f"CREATE TABLE test.{table} (id INT UNSIGNED PRIMARY KEY, name VARCHAR(50),"
        " note VARCHAR(255) NULL, n INT DEFAULT 0, KEY name_idx (name))"
        " ENGINE=InnoDB CHARACTER SET utf8mb4"
    )
    return table


def run(server: PrivateServer, driver: Driver, *, extended: bool = False) -> str:
    """One driver from an empty table to the end; returns its line."""
    if driver.client:
        install(driver.client)
    table = make_table(server, driver.name)
    command = list(driver.command)
    if command[0] == "{interpreter}":
        command[0] = (CLIENTS / driver.client / "interpreter").read_text().strip()
    environment = {name: value for name, value in os.environ.items() if name != "HS_EXTENDED"}
    environment.update(driver.environment)
    if extended:
        environment["HS_EXTENDED"] = "1"
    result = subprocess.run(
        [*command, "127.0.0.1", str(server.port), str(server.port_wr), table],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        timeout=DRIVER_SECONDS,
        check=False,
    )
    output = result.stdout.decode(errors="replace").strip()
    assert result.returncode == 0, output + "\n" + result.stderr.decode(errors="replace")
    left = server.sql(f"SELECT id, name, note, n FROM test.{table} ORDER BY id")
    assert tuple(left) == driver.leaves
    return output


@pytest.mark.parametrize("driver", DRIVERS, ids=by_name)
def test_a_session(server: PrivateServer, driver: Driver) -> None:
    """Connect, open, insert, find, update, delete and the errors, every answer compared."""
    assert run(server, driver).startswith(f"ok {driver.name} ")


@pytest.mark.parametrize("server", EXTENDED_PLUGINS, indirect=True)
@pytest.mark.parametrize("driver", EXTENDED_DRIVERS, ids=by_name)
def test_an_extended_session(server: PrivateServer, driver: Driver) -> None:
    """The same, and then filters, IN, increments and old rows, as far as the client has them."""
    assert run(server, driver, extended=True).startswith(f"ok {driver.name} ")


@pytest.mark.parametrize("extended", [False, True])
def test_the_new_module_of_an_old_name_takes_the_place_of_the_old_one(server: PrivateServer, extended: bool) -> None:
    assert run(server, NEW_PERL, extended=extended).startswith("ok perl ")


def test_the_command_line_client(server: PrivateServer) -> None:
    """hsclient opens an index and finds in one write, and prints one line for each row."""
    install("cpp")
    table = make_table(server, "hsclient")
    server.sql(f"INSERT INTO test.{table} VALUES (1, 'a', 'x', 7), (2, 'b', '', 8), (3, 'c', 'z', 9)")
    options = {
        "host": "127.0.0.1",
        "port": server.port,
        "dbname": "test",
        "table": table,
        "fields": "id,name,note,n",
        "op": ">=",
        "k0": 2,
        "limit": 5,
    }
    result = subprocess.run(
        [CLIENTS / "cpp/hsclient", *(f"{name}={value}" for name, value in options.items())],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DRIVER_SECONDS,
        check=False,
    )
    assert (result.returncode, result.stdout) == (0, "REC: 2 b  8\nREC: 3 c z 9\n")
