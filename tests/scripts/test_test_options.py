"""./test: what it refuses before it installs or builds anything."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SUITES = "e2e durability fuzz_server conformance differential torture clients"
SERVERS = "mariadb-10.11 mariadb-11.8 mysql-9.7"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--server all e2e unit", f"--server goes with {SUITES}, and not with unit"),
        ("--server mariadb-11.8 lint", f"--server goes with {SUITES}, and not with lint"),
        ("--server all e2e --asan", "--asan goes with one server"),
        ("--server all package", f"--server goes with {SUITES}, and not with package"),
        ("--server mysql-9.7 package e2e galera", f"--server goes with {SUITES}, and not with galera"),
        ("--server mysql-9.7 conformance", "conformance does not run on mysql-9.7"),
        ("--server both e2e", f"--server takes one of {SERVERS}, not both"),
        ("--server", f"--server takes one of {SERVERS}, not nothing"),
        ("everything", "everything is no suite; there are: lint scripts"),
    ],
)
def test_what_cannot_be_run_is_refused(arguments: str, complaint: str) -> None:
    done = subprocess.run(
        [REPOSITORY / "test", *arguments.split()],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"error: {complaint}")
