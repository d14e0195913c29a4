"""./package: what it refuses before it installs or builds anything."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("arguments", "environment", "complaint"),
    [
        ("--server mariadb-11.8", {}, "for mysql-9.7, not for mariadb-11.8 "),
        ("--mariadb 11.8.6 --server mariadb-11.8", {}, "for mysql-9.7, not for mariadb-11.8 "),
        ("--server", {}, "for mysql-9.7, not for nothing "),
        ("", {"HS_SERVER": "mariadb-11.8"}, "for mysql-9.7, not for mariadb-11.8 "),
        ("--server mysql-9.7 --mariadb 10.11.18", {}, "--mariadb and --source are not for mysql-9.7"),
        ("--source file", {"HS_SERVER": "mysql-9.7"}, "--mariadb and --source are not for mysql-9.7"),
    ],
)
def test_what_no_package_is_built_for_is_refused(
    arguments: str, environment: dict[str, str], complaint: str
) -> None:
    done = subprocess.run(
        [REPOSITORY / "package", *arguments.split()],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert complaint in done.stderr
