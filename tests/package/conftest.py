"""Fixtures: the packages, and machines to install them on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = REPOSITORY / "build/packages"
ROOTS = REPOSITORY / "build/package_roots"
sys.path.insert(0, str(Path(__file__).parent))

from machine import Failed, Machine, MysqlMachine, make_root  # noqa: E402

# ./test --server mysql-9.7 package is about the package for MySQL, and the suite otherwise about all others.
IS_MYSQL = os.environ.get("HS_SERVER", "").startswith("mysql-")
collect_ignore = (
    ["test_package.py", "test_clients.py", "test_container.py"] if IS_MYSQL else ["test_mysql_package.py"]
)

# What a test needs of a machine that has MariaDB already.
SERVER = ["mariadb-server", "netcat-openbsd", "ucf"]
MYSQL = ["apparmor", "mysql-server", "netcat-openbsd", "ucf"]
MARIADB = ("mariadb-server_", "mariadb-server-core_", "mariadb-client_", "mariadb-client-core_")


def package_file(name: str) -> Path:
    found = list(PACKAGES.glob(f"{name}_*.deb"))
    assert len(found) == 1, f"./package makes {name}"
    return found[0]


@pytest.fixture(scope="session")
def package() -> Path:
    """The plugin's package."""
    return package_file("handlersocket2")


@pytest.fixture(scope="session")
def built_for(package: Path) -> str:
    """The version of Debian 12's server that the package has a library for: 10.11.18."""
    listed = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, check=True, text=True)
    (version,) = re.findall(r"/handlersocket2-(10\.11\.[0-9]+)\.so$", listed.stdout, re.M)
    return str(version)


@pytest.fixture(scope="session")
def pins(built_for: str) -> dict[str, str]:
    """What keeps a machine at that version."""
    return {"mariadb-* libmariadb*": f"1:{built_for}-*"}


@pytest.fixture(scope="session")
def stock(built_for: str, pins: dict[str, str]) -> Path:
    """Debian 12 with that version of MariaDB, as Debian installs it."""
    root = ROOTS / f"bookworm-{built_for}"
    if not root.exists():
        make_root(root, "bookworm", SERVER, pins)
    return root


@pytest.fixture(scope="session")
def next_stock() -> Path:
    """Debian 13 with the MariaDB for which the package has a library. apt may have a later one only."""
    root = ROOTS / "trixie"
    if not root.exists():
        lines = (REPOSITORY / "scripts/lib/mariadb-11.8.sha256").read_text().splitlines()
        files = {path: sum for sum, path in map(str.split, lines) if Path(path).name.startswith(MARIADB)}
        (version,) = {re.search("_([0-9.]+)-", path)[1] for path in files}  # type: ignore[index]
        make_root(root, "trixie", SERVER[1:], {"mariadb-*": f"1:{version}-*"}, files)
    return root


@pytest.fixture
def machine(stock: Path, tmp_path: Path) -> Iterator[Machine]:
    """Debian 12 with MariaDB, which runs and has a table."""
    yield from running(stock, tmp_path)


@pytest.fixture
def next_machine(next_stock: Path, tmp_path: Path) -> Iterator[Machine]:
    """The same on Debian 13."""
    yield from running(next_stock, tmp_path)


@pytest.fixture(scope="session")
def mysql_package() -> Path:
    """The package for MySQL."""
    return package_file("handlersocket2-mysql")


@pytest.fixture(scope="session")
def mysql_built_for(mysql_package: Path) -> str:
    """The version of MySQL that it is for: 9.7.4."""
    listed = subprocess.run(["dpkg-deb", "-c", mysql_package], capture_output=True, check=True, text=True)
    (version,) = re.findall(r"/handlersocket2-([0-9.]+)\.so$", listed.stdout, re.M)
    return str(version)


@pytest.fixture(scope="session")
def mysql_stock(mysql_built_for: str) -> Path:
    """Debian sid with that version of MySQL, as Debian installs it."""
    root = ROOTS / f"sid-{mysql_built_for}"
    if not root.exists():
        try:
            make_root(root, "sid", MYSQL, {})
        except Failed as failure:
            pytest.skip(f"no Debian sid with MySQL can be had: {str(failure).splitlines()[-1]}")
    asked = ["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${Version}", "mysql-server-core"]
    version = subprocess.run(asked, capture_output=True, check=True, text=True).stdout
    if not version.startswith(f"{mysql_built_for}-"):
        shutil.rmtree(root)
        pytest.skip(f"Debian sid has MySQL {version}, and the package is for {mysql_built_for}")
    return root


@pytest.fixture
def mysql_machine(mysql_stock: Path, tmp_path: Path) -> Iterator[Machine]:
    """Debian sid with MySQL, which runs and has a table."""
    yield from running(mysql_stock, tmp_path, MysqlMachine)


def running(base: Path, tmp_path: Path, kind: type[Machine] = Machine) -> Iterator[Machine]:
    opened = kind(base, tmp_path / "root")
    try:
        opened.start()
        opened.sql(
            "CREATE DATABASE shop; CREATE TABLE shop.user (id INT PRIMARY KEY, name VARCHAR(20));"
            "INSERT INTO shop.user VALUES (1, 'one'), (2, 'two');"
            "CREATE USER app@localhost IDENTIFIED BY 'pass word'; GRANT ALL ON shop.* TO app@localhost;"
        )
        yield opened
    finally:
        opened.close()
        shutil.rmtree(tmp_path, ignore_errors=True)
