"""The loader while it is loaded, unloaded and asked at once, and with option files that are wrong."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pymysql
import pytest
from hs_client import Client
from loader import RELOAD, Loader
from on_mysql import IS_MYSQL

ROUNDS = 25
SEED = 20261125

# What a statement may be told while the plugin comes and goes: there is no such table, variable or plugin,
# the tables have no library, or the plugin is still there (1125 is MySQL's).
TOLD = {1109, 1123, 1125, 1193, 1305, 1968}
ENDS = b"1\t1\tshutdown"


def test_the_server_lives_while_the_plugin_comes_and_goes_under_all_of_its_users(loader: Loader) -> None:
    loader.put()
    loader.server.start()
    sql = loader.server.sql
    sql("CREATE DATABASE hs")
    sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    sql("INSERT INTO hs.t VALUES (1, 10)")
    failed: list[BaseException] = []
    answered: list[bool] = []
    over = threading.Event()

    def state(statement: str) -> None:
        try:
            sql(statement)
        except pymysql.err.MySQLError as error:
            if error.args[0] not in TOLD and "handlersocket: " not in str(error):
                raise

    def comes_and_goes() -> None:
        draw = random.Random(SEED)
        for _ in range(ROUNDS):
            for file in draw.sample(["handlersocket2.so", "handlersocket2_tables.so"], 2):
                state(f"UNINSTALL SONAME '{file}'")
            if draw.random() < 0.3:
                loader.library.unlink()
                state("INSTALL SONAME 'handlersocket2.so'")
            loader.put()
            for file in draw.sample(["handlersocket2.so", "handlersocket2_tables.so"], 2):
                state(f"INSTALL SONAME '{file}'")

    def asks(statement: str) -> Callable[[], None]:
        def ask() -> None:
            while not over.is_set():
                state(statement)

        return ask

    def finds() -> None:
        while not over.is_set():
            try:
                with Client(loader.port) as client:
                    opened = client.raw(b"P\t1\ths\tt\tPRIMARY\tv")
                    found = client.raw(b"1\t=\t1\t1")
                    assert opened in (b"0\t1", ENDS), opened
                    assert found in (b"0\t1\t10", ENDS), found
                    answered.append(found != ENDS)
            except (OSError, EOFError):
                pass  # the port is closed at present

    def guarded(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                failed.append(error)
                over.set()

        return run

    beside = [
        *(asks(RELOAD),) * 2,
        asks("SET GLOBAL handlersocket_max_rows = 5000"),
        asks("SET GLOBAL handlersocket_plain_secret = ''"),
        asks("SHOW GLOBAL STATUS LIKE 'handlersocket%'"),
        asks("SELECT * FROM information_schema.HANDLERSOCKET_CONNECTIONS"),
        *(finds,) * 3,
    ]
    threads = [threading.Thread(target=guarded(work)) for work in beside]
    for thread in threads:
        thread.start()
    guarded(comes_and_goes)()
    over.set()
    for thread in threads:
        thread.join()
    assert not failed, (failed, loader.lines()[-12:])
    assert loader.server.running
    state("INSTALL SONAME 'handlersocket2.so'")
    sql(RELOAD)
    assert loader.status() == ("running", "")
    with Client(loader.port) as client:
        client.open("hs.t", ["v"])
        assert client.find("=", [1]) == [(b"10",)]
    assert any(answered)
    assert loader.server.stop() == 0


# Options as an option file may have them, and what the error log says of each. MySQL starts with one that is
# wrong only where it is "loose".
_OPTION = "--loose-handlersocket" if IS_MYSQL else "--handlersocket"
REFUSED_BY_THE_SERVER = {
    f"{_OPTION}-character-set=klingon": "Error while setting value 'klingon' to 'handlersocket-character-set'",
    f"{_OPTION}-threads=abc": "Error while setting value 'abc' to 'handlersocket-threads'",
    f"{_OPTION}-epoll": "option '--handlersocket-epoll' requires an argument",
}
REFUSED_BY_THE_PLUGIN = {f"{_OPTION}-port={'9' * 5000}": "handlersocket: the port 9999"}
MENDED = {
    f"{_OPTION}-threads=99999999": "unsigned value 99999999 adjusted to 3000",
    f"{_OPTION}-long-query-time=-3": "value -3 adjusted to 0",
    "--loose-handlersocket-of-tomorrow=1": "unknown variable 'loose-handlersocket-of-tomorrow=1'",
}


@pytest.mark.parametrize("has_library", [False, True])
def test_no_value_of_an_option_keeps_the_server_from_starting(has_library: bool) -> None:
    for option, said in (REFUSED_BY_THE_SERVER | REFUSED_BY_THE_PLUGIN | MENDED).items():
        loader = Loader(option)
        try:
            if has_library:
                loader.put()
            loader.server.start()
            is_there = option in MENDED or (option in REFUSED_BY_THE_PLUGIN and not has_library)
            assert bool(loader.server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket_port'")) == is_there, option
            if is_there:
                assert loader.status()[0] == ("running" if has_library else "no library")
            if option not in REFUSED_BY_THE_PLUGIN or has_library:
                assert said in loader.server.error_log(this_start_only=True)
            assert loader.server.stop() == 0
        finally:
            loader.server.close()
