"""The plugin's threads as the server and its administrator see them."""

from __future__ import annotations

import ctypes
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hs_client import Client
from private_server import PrivateServer


@pytest.fixture
def own() -> Iterator[PrivateServer]:
    with PrivateServer(
        variables={"handlersocket_threads": 1, "handlersocket_threads_wr": 1}
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        running.sql("INSERT INTO hs.t VALUES (1, 1), (2, 2), (3, 3)")
        yield running


def thread_ids(server: PrivateServer) -> dict[str, int]:
    """The operating system's threads of the server that are the plugin's, by name."""
    threads = {}
    for task in Path(f"/proc/{server.pid}/task").iterdir():
        name = (task / "comm").read_text().strip()
        if name.startswith("hs-"):
            threads[name] = int(task.name)
    return threads


@pytest.mark.parametrize(
    "name, fault", [("hs-rd-0", signal.SIGSEGV), ("hs-wr-accept", signal.SIGBUS)]
)
def test_a_fault_in_a_thread_leaves_the_servers_report(
    own: PrivateServer, name: str, fault: signal.Signals
) -> None:
    with Client(own.port) as client:
        client.open("hs.t", ["v"])
        assert client.find("=", [1]) == [(b"1",)]
        assert ctypes.CDLL(None).tgkill(own.pid, thread_ids(own)[name], fault) == 0
        assert client.at_eof()
    while own.running:
        time.sleep(0.02)
    assert "Sorry, we probably made a mistake, and this is a bug." in own.error_log()
