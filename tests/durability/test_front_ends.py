"""kill -9 while clients of Redis and memcached write: what was answered is there."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import pytest
from memcached_client import Raw
from private_server import PrivateServer, free_port
from resp_client import Resp
from servers import assert_log_replays, durable
from small_disk import SmallDisk, wait_until_full, waiting_for_room

KIB = 1024
CLIENTS = 4  # of each protocol

T = TypeVar("T")


@contextmanager
def a_server(**variables: object) -> Iterator[PrivateServer]:
    """One with both ports and their tables."""
    ports = {f"handlersocket_{name}_port": free_port() for name in ("resp", "memcached")}
    with PrivateServer(variables=durable() | ports | variables) as running:
        running.make_database("hs")
        running.sql("CREATE TABLE hs.text (k VARBINARY(20) PRIMARY KEY, v VARBINARY(20)) COMMENT 'hs: name=text'")
        running.sql("CREATE TABLE hs.count (k VARBINARY(20) PRIMARY KEY, v BIGINT) COMMENT 'hs: name=count'")
        yield running


@pytest.fixture
def server() -> Iterator[PrivateServer]:
    with a_server() as running:
        yield running


class Client:
    """Writes 1, 2, 3… as a text and as a count, until its server is gone."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.answered = 0  # the last number that both rows were told to have
        self.fault: BaseException | None = None

    def run(self, server: PrivateServer, answered: Callable[[], None]) -> None:
        try:
            write = self.redis(server) if self.name.startswith("r") else self.memcached(server)
            for done in write:
                self.answered = done
                answered()
        except (OSError, EOFError, ValueError):  # the server was killed
            pass
        except BaseException as fault:
            self.fault = fault

    def redis(self, server: PrivateServer) -> Iterator[int]:
        with Resp(int(server.variables["handlersocket_resp_port"])) as connection:
            number = self.answered
            while True:
                number += 1
                if number % 2:
                    told = connection("MSET", f"text:{self.name}", number, f"count:{self.name}", number)
                else:
                    told = [connection("SET", f"text:{self.name}", number), connection("INCR", f"count:{self.name}")]
                assert told in ("OK", ["OK", number]), told
                yield number

    def memcached(self, server: PrivateServer) -> Iterator[int]:
        connection = Raw(int(server.variables["handlersocket_memcached_port"]))
        number = self.answered
        while True:
            number += 1
            text = b"set text:%s 0 0 %d\r\n%d\r\n" % (self.name.encode(), len(str(number)), number)
            if line(connection, text) != b"STORED":
                raise AssertionError(number)
            count = b"ma count:%s N0 J1 v\r\n" % self.name.encode()
            assert line(connection, count).startswith(b"VA "), number
            assert line(connection, b"") == b"%d" % number
            yield number


def line(connection: Raw, request: bytes) -> bytes:
    try:
        return connection.line(request)
    except AssertionError as ended:  # the connection has
        raise EOFError from ended


def run(clients: list[Client], server: PrivateServer) -> tuple[list[threading.Thread], threading.Semaphore]:
    """Their threads, and what they release for each answer."""
    answers = threading.Semaphore(0)
    threads = [threading.Thread(target=one.run, args=(server, answers.release)) for one in clients]
    for thread in threads:
        thread.start()
    return threads, answers


def wait_for(answers: threading.Semaphore, count: int) -> None:
    for _ in range(count):
        assert answers.acquire(timeout=120)


def kill(server: PrivateServer, clients: list[Client], threads: list[threading.Thread]) -> None:
    server.kill9()
    for thread in threads:
        thread.join(120)
    assert [one.fault for one in clients if one.fault] == []


def check(server: PrivateServer, clients: list[Client]) -> None:
    """What they were told is there, and what was under way at most."""
    rows = {
        table: {key.decode(): int(value) for key, value in server.sql(f"SELECT k, v FROM hs.{table}")}
        for table in ("text", "count")
    }
    for one in clients:
        text, count = rows["text"].get(one.name, 0), rows["count"].get(one.name, 0)
        # What was under way may have been done, each of its commands as a whole.
        assert one.answered <= count <= text <= one.answered + 1, one.name
        one.answered = text
        if text != count:
            server.sql(f"REPLACE INTO hs.count VALUES ('{one.name}', {text})")


def test_what_clients_of_redis_and_memcached_were_told_is_there_after_a_kill(
    server: PrivateServer, seed: int, request: pytest.FixtureRequest
) -> None:
    draw = random.Random(seed)
    clients = [Client(f"{kind}{number}") for kind in "rm" for number in range(CLIENTS)]
    for _ in range(request.config.getoption("--kills")):
        threads, answers = run(clients, server)
        wait_for(answers, draw.randint(50, 1500))
        kill(server, clients, threads)
        server.start()
        check(server, clients)


def served(clients: list[Client], read: Callable[[], T]) -> T:
    """What `read` gives while writes wait for room.

    A read that comes into the same batch as a write waits with it. There are no more writes than clients.
    """
    for _ in clients:
        with suppress(TimeoutError):
            return read()
    return read()


def read_by_redis(server: PrivateServer, clients: list[Client]) -> list[bytes | None]:
    with Resp(int(server.variables["handlersocket_resp_port"]), timeout=10) as reader:
        found: list[bytes | None] = reader("MGET", *(f"text:{one.name}" for one in clients))
        return found


def read_by_memcached(server: PrivateServer) -> bytes:
    reader = Raw(int(server.variables["handlersocket_memcached_port"]))
    reader.socket.settimeout(10)
    return line(reader, b"mg text:nobody v\r\n")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(tmp_path / "disk", 16)
    yield disk
    disk.unmount()


@pytest.mark.parametrize("killed", [True, False])
def test_a_full_disk_costs_clients_of_redis_and_memcached_nothing_but_time(small_disk: SmallDisk, killed: bool) -> None:
    clients = [Client(f"{kind}{number}") for kind in "rm" for number in range(CLIENTS)]
    with a_server(log_bin=small_disk.path / "log") as server:
        small_disk.fill(leave=300 * KIB)
        threads, answers = run(clients, server)
        wait_until_full(server)
        waiting = waiting_for_room(server)
        # Reads are served meanwhile, though these ports share the threads of the writers.
        assert all(one is None or int(one) > 0 for one in served(clients, lambda: read_by_redis(server, clients)))
        assert served(clients, lambda: read_by_memcached(server)) == b"EN"
        if killed:
            kill(server, clients, threads)
            small_disk.make_room()
            server.start()
        else:
            small_disk.make_room()
            while answers.acquire(blocking=False):
                pass
            for id in waiting:
                server.sql(f"KILL QUERY {id}")  # tries again at once instead of after a minute
            wait_for(answers, 1000)
            kill(server, clients, threads)
            server.start()
        check(server, clients)
        if not killed:  # else the server has left half an event at the end of its log, which it passes over
            assert_log_replays(server)
