"""The plugin's variables and memory as MySQL keeps and shows them: SET PERSIST, performance_schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
import server_files
from hs_client import Client, line, server_status, sql_holds, wait_for_a_lock_wait
from private_server import PrivateServer, free_port

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mysql-9.7", reason="./test --server mysql-9.7 runs these"
)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[PrivateServer]:
    """With an options file: without one the server does not read what was persisted, either."""
    options = tmp_path / "my.cnf"
    options.write_text("[mysqld]\n", encoding="utf-8")
    with PrivateServer(defaults_file=options) as server:
        yield server
        assert server.running, server.error_log()[-3000:]


def value(server: PrivateServer, name: str) -> object:
    return server.sql(f"SELECT @@GLOBAL.handlersocket_{name}")[0][0]


def test_what_is_persisted_counts_at_once_and_after_a_restart(own: PrivateServer) -> None:
    port = free_port()
    own.sql("SET PERSIST handlersocket_timeout = 77")
    own.sql("SET PERSIST handlersocket_max_memory = 123456789012")
    own.sql("SET PERSIST handlersocket_long_query_time = 2.5")
    own.sql("SET PERSIST handlersocket_slow_log_file = 'kept.log'")
    own.sql("SET PERSIST handlersocket_authentication_wr = 'account'")
    own.sql(f"SET PERSIST handlersocket_port = '{port}'")
    own.sql("SET PERSIST_ONLY handlersocket_threads_wr = 3")
    own.sql("SET PERSIST_ONLY handlersocket_character_set = 'binary'")
    assert value(own, "threads_wr") != 3
    Client(port).close()
    own.port = port
    own.restart()
    wanted = {
        "timeout": 77, "max_memory": 123456789012, "long_query_time": 2.5, "slow_log_file": "kept.log",
        "authentication_wr": "account", "port": str(port), "threads_wr": 3, "character_set": "binary",
    }  # fmt: skip
    assert {name: value(own, name) for name in wanted} == wanted
    with Client(port) as client:
        assert client.request(1, "=", 1, 1) == b"2\t1\tstmtnum"
    own.sql("RESET PERSIST")
    own.restart()
    assert (value(own, "timeout"), value(own, "character_set")) == (300, "utf8mb4")


@pytest.mark.parametrize("name", ["plain_secret", "plain_secret_wr", "kill"])
def test_what_is_not_shown_cannot_be_persisted(own: PrivateServer, name: str) -> None:
    """What is written down is what the variable shows: that would be the secret after a restart."""
    value = "0" if name == "kill" else "'secret'"
    for how in ("PERSIST", "PERSIST_ONLY"):
        with pytest.raises(pymysql.err.OperationalError, match="1238"):
            own.sql(f"SET {how} handlersocket_{name} = {value}")
    assert own.sql("SELECT * FROM performance_schema.persisted_variables") == []


def test_the_memory_of_sessions_is_that_of_their_threads(own: PrivateServer) -> None:
    own.sql("CREATE DATABASE hs")
    own.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    with Client(own.port_wr) as client:
        client.open("hs.t", ["id", "v"])
        assert client.request(1, "+", 2, 1, 1) == b"0\t1"
        used = own.sql(
            "SELECT t.NAME, SUM(m.CURRENT_NUMBER_OF_BYTES_USED) FROM performance_schema.threads t"
            " JOIN performance_schema.memory_summary_by_thread_by_event_name m USING (THREAD_ID)"
            " WHERE t.NAME LIKE 'thread/handlersocket/%' GROUP BY THREAD_ID, t.NAME"
        )
        assert used
        assert all(name == "thread/handlersocket/executor" and size > 0 for name, size in used)
        assert server_status(own, "Handlersocket_memory") > 0


@pytest.mark.parametrize("order", ["before", "behind"])
def test_the_servers_thread_pool_serves_beside_the_ports(order: str) -> None:
    """It takes the server's callbacks for waits and KILL for itself, without which nothing would end."""
    if order == "before":
        started = PrivateServer(variables={"plugin_load": "thread_pool.so", "handlersocket_threads_wr": 1})
    else:
        started = PrivateServer(
            variables={"handlersocket_threads_wr": 1}, arguments=["--plugin-load-add=thread_pool.so"]
        )
    with started as server:
        assert server.sql("SELECT @@thread_handling") == [("loaded-dynamically",)]
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        server.sql("INSERT INTO hs.t VALUES (1, 1), (2, 1)")
        with Client(server.port_wr) as waiting, Client(server.port_wr) as other:
            for client in (waiting, other):
                client.open("hs.t", ["v"])
            with sql_holds(server, "UPDATE hs.t SET v = 2 WHERE id = 1"):
                waiting.send(line(1, "=", 1, 1, 1, 0, "U", 7))
                wait_for_a_lock_wait(server)
                # The port has another thread for this one, since it knows that the first one waits.
                assert other.request(1, "=", 1, 2, 1, 0, "U", 7) == b"0\t1\t1"
                (id_,) = server.sql(
                    "SELECT t.processlist_id FROM performance_schema.threads t"
                    " JOIN performance_schema.data_lock_waits w ON w.requesting_thread_id = t.thread_id"
                )[0]
                server.sql(f"KILL QUERY {id_}")
                assert waiting.read_line() == b"1\t1\tinterrupted"
        assert server.sql("SELECT * FROM hs.t") == [(1, 1), (2, 7)]
        assert server.stop() == 0
