"""The log of slow requests: what is in it, who reads it, how it rotates."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pymysql
import pytest
import server_files
from hs_client import Client, line, wait_for_a_lock_wait
from on_mysql import IS_MYSQL
from private_server import PrivateServer

_NAME = "mysqldumpslow" if IS_MYSQL else "mariadb-dumpslow"
DUMPSLOW = ["perl", server_files.SERVER_ROOT / "usr/bin" / _NAME]


@pytest.fixture
def own() -> Iterator[PrivateServer]:
    """A server that logs every request."""
    variables = {"handlersocket_slow_log": 1, "handlersocket_long_query_time": 0}
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT NOT NULL, KEY v (v))")
        server.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2)")
        yield server


def await_entry(log: Path, text: str) -> str:
    """The content of the log once the text is in it."""
    while not log.exists() or text not in (content := log.read_text(encoding="utf-8")):
        pass
    return content


def test_the_servers_dumpslow_reads_it(own: PrivateServer) -> None:
    with Client(own.port) as reader, Client(own.port_wr) as writer:
        reader.open("hs.t", ["id", "v"], index="v")
        writer.open("hs.t", ["v"])
        for _ in range(3):
            reader.find(">=", [1], 2, 0)
        writer.request(1, "=", 1, 1, 1, 0, "U", 77777)
        writer.request(1, "=", 1, 1, 1, 0, "U", "not a number")
    log = own.data_directory / "handlersocket-slow.log"
    content = await_entry(log, "failed;\n")
    assert "77777" not in content and "not a number" not in content
    summary = subprocess.run(
        [*DUMPSLOW, log],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "find `hs`.`t` by `v`" in summary
    assert "Count: 3 " in summary and ("Rows=2.0" if IS_MYSQL else "Rows_sent=2.0") in summary
    assert "update `hs`.`t` by `PRIMARY` failed" in summary
    assert "handlersocket[handlersocket]@127.0.0.1" in summary


def test_a_wait_for_a_row_is_lock_time(own: PrivateServer) -> None:
    own.sql("SET GLOBAL handlersocket_long_query_time = 0.25")
    blocker = own.connect(database="hs")
    blocker.begin()
    with Client(own.port_wr) as writer, blocker.cursor() as cursor:
        writer.open("hs.t", ["v"])
        cursor.execute("SELECT * FROM t WHERE id = 2 FOR UPDATE")
        writer.send(line(1, "=", 1, 2, 1, 0, "U", 3))
        wait_for_a_lock_wait(own)
        cursor.execute("SELECT SLEEP(0.5)")
        blocker.rollback()
        assert writer.read_line() == b"0\t1\t1"
    blocker.close()
    content = await_entry(own.data_directory / "handlersocket-slow.log", "update `hs`.`t`")
    times = content[: content.index("update `hs`.`t`")].rpartition("# Query_time: ")[2].split()
    took, waited = float(times[0]), float(times[2])
    assert took >= waited >= 0.25
    status = dict(own.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket%'"))
    assert int(status["Handlersocket_lock_waits"]) == 1
    assert int(status["Handlersocket_slow_requests"]) >= 1
    assert int(status["Handlersocket_slow_log_dropped"]) == 0


def test_after_the_file_was_moved_away_a_new_one_is_written(own: PrivateServer) -> None:
    log = own.data_directory / "handlersocket-slow.log"
    with Client(own.port) as reader:
        reader.open("hs.t", ["id"])
        reader.find("=", [1])
        await_entry(log, "find `hs`.`t`")
        log.rename(log.with_suffix(".1"))
        while not log.exists():
            reader.find("=", [1])
        own.sql("SET GLOBAL handlersocket_slow_log = OFF")
        before = own.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_slow_requests'")
        reader.find("=", [1])
        assert own.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_slow_requests'") == before


def test_no_file_of_the_servers_own_is_written(own: PrivateServer, tmp_path: Path) -> None:
    files = [path.name for path in own.data_directory.iterdir() if path.is_file()]
    names = [name for name in files if not name.endswith(".log")]
    assert "ibdata1" in names
    other = tmp_path / "other"
    other.write_text("precious\n")
    other.chmod(0o666)
    for name in [*names, "ibdata9", "hs/t.ibd", str(own.data_directory / "x"), str(other), "my.cnf"]:
        with pytest.raises(pymysql.err.MySQLError) as caught:
            own.sql("SET GLOBAL handlersocket_slow_log_file = %s", [name])
        assert caught.value.args[1].startswith(f"handlersocket: cannot write {name}: ")
    own.stop()
    assert other.read_text() == "precious\n"
    for name in ("ibdata9", "x", "my.cnf"):
        assert not (own.data_directory / name).exists()


def test_an_earlier_log_is_continued_after_a_restart(own: PrivateServer) -> None:
    log = own.data_directory / "handlersocket-slow.log"
    for times in (1, 2):
        with Client(own.port) as reader:
            reader.open("hs.t", ["id"])
            reader.find("=", [1])
        while await_entry(log, "find `hs`.`t`").count("find `hs`.`t`") < times:
            pass
        own.restart()
