"""Drivers of memcached, unchanged: each one's program goes through the session of README.md."""

from __future__ import annotations

import pytest
from conftest import Ports, Run

# The name that it leaves in the table, what is fetched for it, and its command.
DRIVERS = {
    "pymemcache": ("python", "{installed}/venv/bin/python", "{here}/python/pymemcache_driver.py"),
    "memjs": ("node", "node", "{here}/node/memjs.js"),
    "spymemcached": ("java", "java", "-cp", "{installed}/lib/*:{installed}/classes", "SpymemcachedDriver"),
    "php-memcached": ("", "php", "{here}/php/memcached.php"),
    "pylibmc": ("", "/usr/bin/python3", "{here}/python/pylibmc_driver.py"),
    "dalli": ("", "/usr/bin/ruby", "{here}/ruby/dalli.rb"),
}


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_session(tables: Ports, run: Run, driver: str) -> None:
    installed, *command = DRIVERS[driver]
    assert run(tables.memcached, *command, installed=installed, MEMCACHED="1").startswith(f"ok {driver}")
    assert tables.server.sql("SELECT k, v FROM hs.cache") == [("left", driver.encode())]
