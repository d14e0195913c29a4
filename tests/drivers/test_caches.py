"""Caches of Django and Rails, and PHP's sessions, unchanged, on tables: docs/caches.md."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import REPOSITORY, Ports, Run

PAGE = REPOSITORY / "docs/caches.md"


def table(name: str) -> str:
    """The statement of the page that makes it."""
    found = re.search(rf"^    CREATE TABLE test\.{name} \((?:.|\n)*?;$", PAGE.read_text(encoding="utf-8"), re.M)
    assert found
    return found[0].replace("test.", "hs.")


@pytest.fixture
def cached(plain: Ports) -> Ports:
    """A server with the tables of the page, empty."""
    plain.server.make_database("hs")
    plain.server.sql(table("cache"))
    plain.server.sql(table("session"))
    return plain


def test_django(cached: Ports, run: Run) -> None:
    command = ("{installed}/venv/bin/python", "{here}/python/django_cache.py")
    said = run(cached.redis, *command, installed="python", MEMCACHED=str(cached.memcached))
    assert said.startswith("ok Django 4.2")
    assert cached.server.sql("SELECT id FROM hs.cache WHERE expires_at > NOW() OR expires_at IS NULL") == []


def test_rails(cached: Ports, run: Run) -> None:
    said = run(cached.redis, "/usr/bin/ruby", "{here}/ruby/rails_cache.rb", MEMCACHED=str(cached.memcached))
    assert said.startswith("ok Rails 6")
    assert cached.server.sql("SELECT id FROM hs.cache") == []


def places(ports: Ports) -> dict[str, str]:
    """What session.save_path is for each handler."""
    return {"redis": f"tcp://127.0.0.1:{ports.redis}?prefix=session:", "memcached": f"127.0.0.1:{ports.memcached}"}


@pytest.mark.parametrize("handler", ["redis", "memcached"])
def test_a_session_of_php(cached: Ports, run: Run, handler: str) -> None:
    def request(command: str) -> str:
        return run(0, "php", "{here}/php/session.php", handler, places(cached)[handler], "abc", command)

    assert [request("count") for _ in range(3)] == ["1", "2", "3"]
    rows = cached.server.sql("SELECT id, data, TIMESTAMPDIFF(SECOND, NOW(), expires_at) FROM hs.session")
    assert rows[0][:2] == ("abc", b"count|i:3;")
    assert 0 < rows[0][2] <= 101
    cached.server.sql("UPDATE hs.session SET data = 'count|i:41;'")
    assert request("count") == "42"
    request("destroy")
    assert cached.server.sql("SELECT id FROM hs.session WHERE expires_at > NOW()") == []


def test_requests_of_one_session_wait_for_each_other_by_memcached(cached: Ports, run: Run) -> None:
    command = ("php", str(Path("{here}/php/session.php")), "memcached", places(cached)["memcached"], "abc", "count")
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda _: run(0, *command, WORK_US="20000"), range(12)))
    assert sorted(map(int, counts)) == list(range(1, 13))


def test_a_lock_of_phps_sessions_by_redis_is_not_given_back(cached: Ports, run: Run) -> None:
    locking = ("php", "-d", "redis.session.locking_enabled=1")
    run(0, *locking, "{here}/php/session.php", "redis", places(cached)["redis"], "abc", "count")
    assert cached.server.sql("SELECT id FROM hs.session ORDER BY id") == [("abc",), ("abc_LOCK",)]
