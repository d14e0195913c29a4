"""Drivers of Redis, unchanged: each one's program goes through the session of README.md."""

from __future__ import annotations

import pytest
from conftest import Ports, Run

# The name that it leaves in the table, what is fetched for it, and its command.
DRIVERS = {
    "redis-py": ("python", "{installed}/venv/bin/python", "{here}/python/redis_py.py"),
    "go-redis": ("go", "{installed}/driver"),
    "ioredis": ("node", "node", "{here}/node/ioredis.js"),
    "node-redis": ("node", "node", "{here}/node/node_redis.js"),
    "jedis": ("java", "java", "-cp", "{installed}/lib/*:{installed}/classes", "JedisDriver"),
    "phpredis": ("", "php", "{here}/php/phpredis.php"),
    "redis-rb": ("", "/usr/bin/ruby", "{here}/ruby/redis_rb.rb"),
}


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_session(tables: Ports, run: Run, driver: str) -> None:
    installed, *command = DRIVERS[driver]
    assert run(tables.redis, *command, installed=installed).startswith(f"ok {driver}")
    server = tables.server
    assert server.sql("SELECT id, html, at FROM hs.page") == [(b"left", driver.encode(), None)]
    assert server.sql("SELECT * FROM hs.user UNION ALL SELECT *, 0 FROM hs.count") == []
