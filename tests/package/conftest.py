"""Fixtures: the packages, and machines to install them on."""

from __future__ import annotations

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

from machine import Machine, make_root  # noqa: E402

# What a test needs of a machine that has MariaDB already.
SERVER = ["mariadb-server", "netcat-openbsd", "ucf"]


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
    """The version of the server that the package has the library for: 10.11.18."""
    listed = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, check=True, text=True)
    (version,) = re.findall(r"/handlersocket2-([0-9.]+)\.so$", listed.stdout, re.M)
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


@pytest.fixture
def machine(stock: Path, tmp_path: Path) -> Iterator[Machine]:
    """A machine with MariaDB, which runs and has a table."""
    opened = Machine(stock, tmp_path / "root")
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
