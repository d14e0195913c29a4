"""What tools ask of a server of Redis: connections, settings, numbers, and redis-cli in its modes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from private_server import PrivateServer
from resp_client import Resp, RespError, lines_of


@pytest.fixture
def redis(server: PrivateServer, database: str, resp_port: int) -> Iterator[Resp]:
    """A client, and two tables."""
    server.sql("CREATE TABLE hs.kv (k VARBINARY(64) PRIMARY KEY, v MEDIUMBLOB) COMMENT 'hs: name=kv'")
    server.sql("CREATE TABLE hs.h (k INT PRIMARY KEY, a INT, b INT) COMMENT 'hs: name=h'")
    with Resp(resp_port) as client:
        yield client


def info(client: Resp, *sections: str) -> dict[str, str]:
    """INFO, as clients read it."""
    lines = [line for line in client("INFO", *sections).decode().split("\r\n") if line and line[0] != "#"]
    return dict(line.split(":", 1) for line in lines)


def address(client: Resp) -> str:
    """Where the client comes from."""
    host, port = client.socket.getsockname()
    return f"{host}:{port}"


def test_client_list_has_the_connections_of_the_port(redis: Resp, resp_port: int) -> None:
    with Resp(resp_port) as other:
        other("CLIENT", "SETNAME", "the-other")
        number = other("CLIENT", "ID")
        listed = {int(one["id"]): one for one in lines_of(redis("CLIENT", "LIST"))}
        assert listed[number]["name"] == "the-other"
        assert listed[number]["addr"] == address(other)
        assert listed[number]["laddr"] == f"127.0.0.1:{resp_port}"
        assert listed[number]["user"] == "default"
        own = redis("CLIENT", "ID")
        assert [one["id"] for one in lines_of(redis("CLIENT", "LIST", "ID", own, number))] == [str(own), str(number)]
        mine = lines_of(redis("CLIENT", "INFO"))[0]
        assert (mine["id"], mine["cmd"], mine["addr"]) == (str(own), "client|info", address(redis))
        assert own in listed
        assert redis("CLIENT", "LIST", "TYPE", "pubsub") == b""
        assert {int(one["id"]) for one in lines_of(redis("CLIENT", "LIST", "TYPE", "normal"))} == set(listed)
    assert redis("CLIENT", "LIST", "ID", "x") == RespError("ERR Invalid client ID")
    assert redis("CLIENT", "LIST", "TYPE", "x") == RespError("ERR Unknown client type 'x'")
    assert redis("CLIENT", "LIST", "FOO") == RespError("ERR syntax error")


def test_a_name_is_shown_to_sql_until_it_is_taken_back(server: PrivateServer, redis: Resp) -> None:
    number = redis("CLIENT", "ID")
    question = f"SELECT client FROM information_schema.handlersocket_connections WHERE id = {number}"
    redis("HELLO", "3", "SETNAME", "mine")
    redis("PING")
    assert server.sql(question) == [("mine",)]
    assert redis("RESET") == "RESET"
    redis("PING")
    assert server.sql(question) == [(None,)]


def test_client_kill_ends_connections(redis: Resp, resp_port: int) -> None:
    with Resp(resp_port) as first, Resp(resp_port) as second, Resp(resp_port) as third:
        assert first("PING") == "PONG"
        assert redis("CLIENT", "KILL", address(first)) == "OK"
        assert first.ended()
        # The client may have seen its end before the server has let the connection go.
        while (answer := redis("CLIENT", "KILL", address(first))) == "OK":
            pass
        assert answer == RespError("ERR No such client")
        assert redis("CLIENT", "KILL", "ID", second("CLIENT", "ID")) == 1
        assert second.ended()
        own = third("CLIENT", "ID")
        assert third("CLIENT", "KILL", "ID", own) == 0
        assert third("CLIENT", "KILL", "ID", own, "SKIPME", "no") == 1
        assert third.ended()
    assert redis("CLIENT", "KILL", "ID", "0") == RespError("ERR client-id should be greater than 0")
    assert redis("CLIENT", "KILL", "FOO", "1") == RespError("ERR syntax error")
    assert redis("CLIENT", "KILL", "TYPE", "master") == 0
    assert redis("CLIENT", "KILL", "USER", "nobody") == 0


def test_a_connection_is_killed_while_it_waits_for_a_lock(
    server: PrivateServer, redis: Resp, resp_port: int
) -> None:
    redis("SET", "kv:a", "1")
    with server.connect() as sql, sql.cursor() as cursor, Resp(resp_port) as waiting:
        number = waiting("CLIENT", "ID")
        cursor.execute("BEGIN")
        cursor.execute("UPDATE hs.kv SET v = 'by SQL'")
        waiting.socket.sendall(b"SET kv:a 2\r\n")
        assert redis("CLIENT", "KILL", "ID", number) == 1
        assert waiting.ended()
        cursor.execute("ROLLBACK")
    assert redis("GET", "kv:a") == b"1"


def test_a_client_of_a_transaction_may_end_itself(redis: Resp) -> None:
    own = redis("CLIENT", "ID")
    block = [("MULTI",), ("CLIENT", "KILL", "ID", own, "SKIPME", "no"), ("SET", "kv:a", "1"), ("EXEC",)]
    assert redis.pipeline(block) == ["OK", "QUEUED", "QUEUED", [1, "OK"]]
    assert redis.ended()


def test_info_tells_what_is_true(server: PrivateServer, redis: Resp, resp_port: int) -> None:
    told = info(redis)
    assert told["redis_version"].startswith("7.")
    assert int(told["process_id"]) == server.pid
    assert int(told["maxclients"]) == server.sql("SELECT @@handlersocket_max_connections")[0][0]
    assert int(told["maxmemory"]) == server.sql("SELECT @@handlersocket_max_memory")[0][0]
    with Resp(resp_port) as other:
        more = info(other, "clients")
        assert set(more) == {"connected_clients", "maxclients", "blocked_clients"}
        assert int(more["connected_clients"]) >= 2
    before = int(info(redis, "stats")["total_commands_processed"])
    redis.pipeline([("PING",)] * 100)
    assert int(info(redis, "stats")["total_commands_processed"]) >= before + 100
    redis.pipeline([("SET", f"kv:{i}", "1") for i in range(3)])
    assert "db0" not in info(redis)
    assert info(redis, "keyspace") == {"db0": "keys=3"}
    assert redis("INFO", "nothing") == b""


def test_config_get_has_what_tools_ask(redis: Resp) -> None:
    assert redis("CONFIG", "GET", "save") == [b"save", b""]
    assert redis("CONFIG", "GET", "appendonly") == [b"appendonly", b"yes"]
    assert redis("CONFIG", "GET", "maxmemory*")[::2] == [b"maxmemory", b"maxmemory-policy"]
    for word in ("SET", "REWRITE", "RESETSTAT"):
        assert "is not served" in str(redis("CONFIG", word, "a", "b"))


@pytest.mark.parametrize("command", ["ACL", "CLIENT", "COMMAND", "CONFIG", "MEMORY", "MODULE", "OBJECT"])
def test_help_names_what_is_served(redis: Resp, command: str) -> None:
    assert "HELP" in str(redis(command, "NOTHING"))
    first, *lines = redis(command, "HELP")
    assert first == f"{command} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"
    assert lines[-2:] == ["HELP", "    Print this help."]
    assert all(line.startswith("    ") for line in lines[1::2])
    for name in lines[:-2:2]:
        told = str(redis(command, name))
        assert "unknown subcommand" not in told
        assert not told.startswith(f"ERR {command} {name} is not served")
    assert redis.pipeline([("MULTI",), (command, "HELP"), ("EXEC",)])[-1] == [[first, *lines]]


def test_client_info_has_the_names_that_clients_know(redis: Resp) -> None:
    """go-redis refuses others, and redis-py wants the numbers."""
    told = dict(word.split("=", 1) for word in redis("CLIENT", "INFO").decode().split())
    known = {"id", "addr", "laddr", "fd", "name", "age", "idle", "flags", "db", "sub", "psub", "ssub", "multi", "qbuf",
             "qbuf-free", "argv-mem", "multi-mem", "rbs", "rbp", "obl", "oll", "omem", "tot-mem", "events", "cmd", "user",
             "redir", "resp", "lib-name", "lib-ver"}  # fmt: skip
    assert set(told) <= known
    numbers = ("id", "age", "idle", "db", "sub", "psub", "multi", "qbuf", "qbuf-free", "obl", "argv-mem", "oll", "omem", "tot-mem")
    assert all(told[name].lstrip("-").isdigit() for name in numbers)


def test_hello_tells_the_same_version_as_info(redis: Resp) -> None:
    assert redis("HELLO", "3")[b"version"].decode() == info(redis)["redis_version"]


def test_a_session_of_a_graphical_tool(redis: Resp) -> None:
    redis("SET", "kv:a", "1")
    assert redis("HELLO", "3")[b"server"] == b"handlersocket"
    assert redis("CLIENT", "SETINFO", "LIB-NAME", "tool") == "OK"
    assert "tool" in redis("CLIENT", "INFO").decode()
    assert redis("MODULE", "LIST") == []
    assert redis("ACL", "WHOAMI") == b"default"
    assert redis("CLIENT", "NO-EVICT", "ON") == "OK"
    assert redis("COMMAND", "COUNT") == len(redis("COMMAND")) == len(redis("COMMAND", "LIST"))
    assert redis("COMMAND", "GETKEYS", "MSET", "kv:a", "1", "kv:b", "2") == [b"kv:a", b"kv:b"]
    assert redis("COMMAND", "INFO", "get", "nothing")[1] is None
    assert redis("COMMAND", "DOCS", "get")[b"get"][b"group"] == b"string"
    assert redis("SCAN", "0", "MATCH", "kv:*", "COUNT", "100", "TYPE", "string") == [b"0", [b"kv:a"]]
    assert redis("TYPE", "kv:a") == "string"
    assert redis("TTL", "kv:a") == -1
    assert redis("MEMORY", "USAGE", "kv:a", "SAMPLES", "0") >= 2
    assert redis("OBJECT", "ENCODING", "kv:a") == b"raw"
    assert redis("OBJECT", "REFCOUNT", "kv:a") == 1
    for refused in ("MONITOR", "SLOWLOG GET", "LATENCY LATEST", "ROLE", "WAIT 0 0", "SUBSCRIBE c", "BLPOP l 0",
                    "EVAL x 0", "KEYS *", "FLUSHALL", "ACL LIST", "XREAD", "OBJECT IDLETIME kv:a"):  # fmt: skip
        told = redis(*refused.split(" "))
        assert isinstance(told, RespError), refused
        assert "served" in str(told), told
    assert redis("PING") == "PONG"


def test_a_new_table_is_there_for_scan_and_dbsize(server: PrivateServer, redis: Resp) -> None:
    redis("SET", "kv:a", "1")
    assert redis("DBSIZE") == 1
    for i in range(20):
        server.sql(f"CREATE TABLE hs.new{i} (k INT PRIMARY KEY, v INT) COMMENT 'hs: name=new{i}'")
        server.sql(f"INSERT INTO hs.new{i} VALUES (1, 1)")
        assert redis("DBSIZE") == i + 2
        assert b"new%d:1" % i in redis("SCAN", "0", "COUNT", "100")[1]
    server.sql("DROP TABLE hs.new0, hs.new1")
    assert redis("DBSIZE") == 19
    server.sql("RENAME TABLE hs.new2 TO hs.moved")
    server.sql("ALTER TABLE hs.new3 COMMENT 'hs: name=other'")
    found = redis("SCAN", "0", "COUNT", "100")[1]
    assert len(found) == 19
    assert {b"new2:1", b"other:1"} <= set(found)


def test_clients_are_told_that_a_server_is_read_only(server: PrivateServer, redis: Resp) -> None:
    told = RespError("READONLY You can't write against a read only replica.")
    redis("SET", "kv:a", "1")
    redis("HSET", "h:1", "a", "1")
    assert info(redis, "replication") == {"role": "master"}
    server.sql("SET GLOBAL read_only = 1")
    try:
        for command in ("SET kv:a 2", "SET kv:b 2 NX", "MSET kv:a 2", "DEL kv:a", "INCR kv:a", "HSET h:1 a 2",
                        "HINCRBY h:1 a 1", "APPEND kv:a 2", "HDEL h:1 a", "GETDEL kv:a"):  # fmt: skip
            assert redis(*command.split(" ")) == told, command
        assert redis("GET", "kv:a") == b"1"
        assert info(redis, "replication") == {"role": "slave"}
        block = redis.pipeline([("MULTI",), ("SET", "kv:a", "2"), ("EXEC",)])
        assert block[-1] == [told]
    finally:
        server.sql("SET GLOBAL read_only = 0")
    assert redis("SET", "kv:a", "2") == "OK"


def test_redis_cli_in_all_its_modes(redis: Resp, resp_port: int) -> None:
    if shutil.which("redis-cli") is None:
        pytest.skip("redis-tools is not installed")
    for i in range(30):
        redis("SET", f"kv:{i}", "x" * i)
        redis("HSET", f"h:{i}", "a", "1")

    def run(*options: str) -> str:
        command = ("redis-cli", "-p", str(resp_port), *options)
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert "rror" not in done.stdout + done.stderr, done
        return done.stdout

    assert len(run("--scan").split()) == 60
    assert sorted(run("--scan", "--pattern", "kv:1*").split()) == sorted(f"kv:{i}" for i in (1, *range(10, 20)))
    big = run("--bigkeys")
    assert "Sampled 60 keys" in big
    assert "Biggest string found" in big
    assert 'kv:29' in big
    assert "Sampled 60 keys" in run("--memkeys")
    # As with a Redis that keeps no frequencies.
    hot = subprocess.run(("redis-cli", "-p", str(resp_port), "--hotkeys"), capture_output=True, text=True, timeout=60)
    assert "LFU" in hot.stdout + hot.stderr
    assert run("--latency", "-i", "0.1").split()[0].isdigit()
    # It would keep its lines until there are 4 KiB of them, which takes it most of a minute.
    command = ("stdbuf", "-oL", "redis-cli", "-p", str(resp_port), "--stat", "-i", "0.1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as running:
        assert running.stdout is not None
        told = [running.stdout.readline() for _ in range(3)]
        running.kill()
    assert b"clients" in told[1]
    assert b"rror" not in told[2]


def test_redis_benchmark_measures_what_is_served(redis: Resp, resp_port: int) -> None:
    if shutil.which("redis-benchmark") is None:
        pytest.skip("redis-tools is not installed")
    for command in (["PING"], ["SET", "kv:__rand_int__", "x"], ["GET", "kv:__rand_int__"], ["EXISTS", "kv:1"],
                    ["MSET", "kv:__rand_int__", "x", "kv:a", "y"], ["HSET", "kv:__rand_int__", "v", "1"]):  # fmt: skip
        done = subprocess.run(
            ["redis-benchmark", "-p", str(resp_port), "-n", "1000", "-c", "10", "-P", "4", "-q", "-r", "50", *command],
            check=True, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert "requests per second" in done.stdout
        assert "WARNING" not in done.stdout + done.stderr
        assert "rror" not in done.stdout + done.stderr
