"""Clients of Redis as people use them, on rows of tables: those that Debian has."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from private_server import PrivateServer

TABLES = (
    "CREATE TABLE hs.page (id VARBINARY(64) PRIMARY KEY, html MEDIUMBLOB, at BIGINT NULL) "
    "COMMENT 'hs: name=page value=html ttl=at'",
    "CREATE TABLE hs.user (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT '', visits INT "
    "NOT NULL DEFAULT 0) COMMENT 'hs: name=user'",
)


@pytest.fixture
def port(server: PrivateServer, database: str, resp_port: int) -> Iterator[int]:
    """The port, and the tables."""
    for table in TABLES:
        server.sql(table)
    yield resp_port


def test_redis_py(server: PrivateServer, port: int) -> None:
    redis = pytest.importorskip("redis", reason="python3-redis is not installed")
    client = redis.Redis(port=port, client_name="web", health_check_interval=1)
    assert client.set("page:a", b"<\x00\xff>", ex=100)
    assert client.get("page:a") == b"<\x00\xff>"
    assert 99 <= client.ttl("page:a") <= 101
    assert client.set("page:a", "x", nx=True) is None
    assert client.mget("page:a", "page:b") == [b"<\x00\xff>", None]
    assert client.hset("user:1", mapping={"name": "ada", "visits": 1}) == 2
    assert client.hincrby("user:1", "visits", 4) == 5
    assert client.hgetall("user:1") == {b"id": b"1", b"name": b"ada", b"visits": b"5"}
    assert sorted(client.scan_iter()) == [b"page:a", b"user:1"]
    with client.pipeline() as pipe:
        pipe.watch("user:1")
        visits = int(pipe.hget("user:1", "visits"))
        pipe.multi()
        pipe.hset("user:1", "visits", visits + 1)
        server.sql("UPDATE hs.user SET name = 'bob'")
        with pytest.raises(redis.WatchError):
            pipe.execute()
    with client.pipeline(transaction=True) as pipe:
        assert pipe.incrby("user:2", 1).set("page:b", "2").get("page:b").execute(False)[1:] == [
            True, b"2"
        ]  # fmt: skip
    assert client.transaction(lambda pipe: (pipe.multi(), pipe.set("page:c", "3")), "page:c") == [True]
    with pytest.raises(redis.ResponseError, match="is not served"):
        client.eval("return 1", 0)
    assert client.info("server")["redis_mode"] == "standalone"
    assert client.client_getname() == "web"
    assert client.client_info()["id"] == client.client_id()
    assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    assert client.delete("page:a", "page:b", "page:none") == 2
    assert server.sql("SELECT id FROM hs.page") == [(b"c",)]


PERL = """
use strict; use Redis;
my $r = Redis->new(server => "127.0.0.1:$ARGV[0]", name => "perl");
$r->set("page:p" => "from Perl");
print join(",", $r->get("page:p"), $r->incr("user:0") // "none", $r->exists("page:p")), "\\n";
"""

PHP = """
require 'Predis/Autoloader.php'; Predis\\Autoloader::register();
$c = new Predis\\Client(['host' => '127.0.0.1', 'port' => (int) $argv[1]]);
$c->setex('page:h', 100, 'from PHP');
$c->hmset('user:7', ['name' => 'php', 'visits' => 3]);
$all = $c->transaction(function ($t) { $t->hincrby('user:7', 'visits', 2); $t->get('page:h'); });
echo implode(',', [$c->get('page:h'), $all[0], $all[1], $c->hget('user:7', 'name')]), "\\n";
"""


def run(*command: str) -> str:
    """What the program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_perl(server: PrivateServer, port: int) -> None:
    probe = ["/usr/bin/perl", "-MRedis", "-e", "1"]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        pytest.skip("libredis-perl is not installed")
    server.sql("ALTER TABLE hs.user COMMENT 'hs: name=user value=visits'")
    assert run("/usr/bin/perl", "-e", PERL, str(port)) == "from Perl,1,1\n"


def test_predis(port: int) -> None:
    if shutil.which("php") is None:
        pytest.skip("PHP is not installed")
    found = subprocess.run(
        ["php", "-r", "exit(stream_resolve_include_path('Predis/Autoloader.php') ? 0 : 1);"],
        capture_output=True, check=False,
    )  # fmt: skip
    if found.returncode != 0:
        pytest.skip("php-predis is not installed")
    assert run("php", "-r", PHP, "--", str(port)) == "from PHP,5,from PHP,php\n"
