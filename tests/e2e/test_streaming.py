"""Replies too long to be kept: they are complete, and are sent while other connections are served."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hs_client import Client, line
from private_server import PrivateServer

ROWS = 250_000
VALUE = 200
KIB = 1024


@pytest.fixture(scope="module")
def big() -> Iterator[PrivateServer]:
    """One thread, and a table whose rows make a reply of about 50 MB."""
    with PrivateServer(
        variables={"handlersocket_threads": 1, "innodb_buffer_pool_size": 256 << 20}
    ) as running:
        running.sql("CREATE DATABASE hs")
        running.sql(f"CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR({VALUE}))")
        running.sql(
            f"INSERT INTO hs.t SELECT seq, RPAD(SHA2(seq, 256), {VALUE}, seq) FROM hs.seq_1_to_{ROWS}"
        )
        yield running
        assert running.running, running.error_log()[-3000:]


def expected(server: PrivateServer) -> str:
    """The digest of the reply to EVERYTHING."""
    digest = hashlib.md5(b"0\t2")
    for key, value in server.sql("SELECT id, v FROM hs.t ORDER BY id"):
        digest.update(b"\t%d\t%s" % (key, value.encode()))
    return digest.hexdigest()


EVERYTHING = line(1, ">=", 1, 0, ROWS, 0)


def opened(server: PrivateServer) -> Client:
    client = Client(server.port)
    client.open("hs.t", ["id", "v"])
    return client


def memory_kib(server: PrivateServer, field: str) -> int:
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(status.split(f"{field}:")[1].split()[0])


def test_a_huge_reply_is_complete_and_not_kept_in_memory(big: PrivateServer) -> None:
    with opened(big) as client:
        for _ in range(2):  # the first one warms up
            Path(f"/proc/{big.pid}/clear_refs").write_text("5")  # VmHWM starts anew
            before = memory_kib(big, "VmRSS")
            client.send(EVERYTHING)
            digest = hashlib.md5()
            size = 0
            while True:
                chunk = client.socket.recv(1 << 20)
                size += len(chunk)
                if chunk.endswith(b"\n"):
                    break
                assert chunk
                digest.update(chunk)
            digest.update(chunk[:-1])
            assert digest.hexdigest() == expected(big)
        assert size > 40_000 * KIB
        assert memory_kib(big, "VmHWM") - before < 20_000


def test_while_one_scans_for_long_the_others_are_served(big: PrivateServer) -> None:
    with opened(big) as scans, opened(big) as other:
        # Nothing of it is read yet, and nothing at all of a scan that returns no row.
        scans.send(EVERYTHING + line(1, ">=", 1, 0, 1, ROWS + 1))
        for key in range(1, 101):
            assert other.find("=", [key])[0][0] == b"%d" % key
        reply = scans.read_line()
        assert hashlib.md5(reply).hexdigest() == expected(big)
        assert scans.read_line() == b"0\t2"


def test_a_table_is_altered_while_a_client_does_not_read_its_rows(big: PrivateServer) -> None:
    before = expected(big)
    with opened(big) as slow:
        slow.send(EVERYTHING)
        big.sql("ALTER TABLE hs.t ADD COLUMN w INT, ALGORITHM=INSTANT")
        assert hashlib.md5(slow.read_line()).hexdigest() == before
    big.sql("ALTER TABLE hs.t DROP COLUMN w")


def test_more_than_max_reply_size_is_an_error(big: PrivateServer) -> None:
    big.sql(f"INSERT INTO hs.t SELECT seq, REPEAT('x', {VALUE}) FROM hs.seq_{ROWS + 1}_to_{2 * ROWS}")
    with opened(big) as client:
        client.send(line(1, ">=", 1, 0, 2 * ROWS, 0))
        assert client.read_line() == b"2\t1\treply_too_long"
        assert client.find("=", [1])[0][0] == b"1"
    big.sql(f"DELETE FROM hs.t WHERE id > {ROWS}")
