"""./package: what it refuses before it installs or builds anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("arguments", "environment", "named"),
    [
        ("--server mariadb-11.8", {}, "mariadb-11.8"),
        ("--mariadb 11.8.6 --server mariadb-11.8", {}, "mariadb-11.8"),
        ("--server mysql-9.7", {}, "mysql-9.7"),
        ("--server", {}, "nothing"),
        ("", {"HS_SERVER": "mariadb-11.8"}, "mariadb-11.8"),
    ],
)
def test_a_package_for_another_server_is_refused(
    arguments: str, environment: dict[str, str], named: str
) -> None:
    done = subprocess.run(
        [REPOSITORY / "package", *arguments.split()],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert f"packages are built for mariadb-10.11 and mariadb-11.8 at once, not for {named} " in done.stderr
