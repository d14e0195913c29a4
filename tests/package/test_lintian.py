"""The packages as Debian's own checker sees them."""

from __future__ import annotations

import subprocess

from conftest import IS_MYSQL, PACKAGES


def test_lintian_finds_nothing() -> None:
    packages = [
        path for path in PACKAGES.glob("*.deb")
        if "-dbgsym_" not in path.name and ("-mysql_" in path.name) == IS_MYSQL
    ]
    assert packages
    found = subprocess.run(
        ["lintian", "--fail-on=warning,error", "--tag-display-limit=0", *packages], capture_output=True, text=True
    )
    assert (found.returncode, found.stdout) == (0, "")
