"""What a client can make grow is bounded, and going past a bound is answered clearly."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Iterator

import pytest
import server_files
from hs_client import Client, rows
from private_server import PrivateServer

KIB = 1024
MIB = 1024 * KIB


@pytest.fixture(scope="module")
def small() -> Iterator[PrivateServer]:
    """A server with narrow limits."""
    variables = {
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
        "handlersocket_max_request_size": 64 * KIB,
        "handlersocket_max_reply_size": 256 * KIB,
        "handlersocket_max_connections": 20,
        "handlersocket_max_open_indexes": 10,
        "handlersocket_max_changed_rows": 50,
        "handlersocket_max_rows": 300,
        "handlersocket_max_in_keys": 30,
        "handlersocket_max_columns": 5,
        "handlersocket_max_buffered": 64 * KIB,
    }
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs CHARACTER SET latin1")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(1000), KEY v (v))")
        server.sql(
            "INSERT INTO hs.t SELECT seq, REPEAT('x', 1000) FROM seq_1_to_1000", database="hs"
        )
        yield server
        assert server.running


@pytest.fixture(autouse=True)
def without_clients(small: PrivateServer) -> None:
    """Starts each test when the clients of the test before are no longer counted."""
    while small.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_connections_open'")[0][1] != "0":
        pass


def resident_bytes(server: PrivateServer) -> int:
    with open(f"/proc/{server.pid}/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


def test_a_request_at_the_limit_is_served_and_one_byte_more_closes_the_connection(
    small: PrivateServer,
) -> None:
    with Client(small.port) as client:
        client.open("hs.t", ["id"], index="v")
        head = b"1\t=\t1\t"
        longest = head + b"k" * (64 * KIB - len(head))
        assert client.raw(longest) == b"0\t1"
        assert client.raw(longest + b"k") == b"2\t1\trequest_too_long"
        assert client.at_eof()


def test_a_line_without_an_end_is_cut_off(small: PrivateServer) -> None:
    with Client(small.port) as client:
        client.send(b"x" * (65 * KIB))
        assert client.read_line() == b"2\t1\trequest_too_long"
        assert client.at_eof()


def test_a_reply_that_would_be_too_long_is_an_error_and_fewer_rows_are_not(
    small: PrivateServer,
) -> None:
    with Client(small.port) as client:
        client.open("hs.t", ["v"])
        assert client.raw(b"1\t>=\t1\t1\t300\t0") == b"2\t1\treply_too_long"
        assert len(rows(client.raw(b"1\t>=\t1\t1\t200\t0"))) == 200


def test_open_indexes_of_a_connection_are_bounded(small: PrivateServer) -> None:
    with Client(small.port) as client:
        for i in range(10):
            client.open("hs.t", ["id"], id=i * 1000)
        assert client.raw(b"P\t7\ths\tt\tPRIMARY\tid") == b"2\t1\ttoo_many_indexes"
        client.open("hs.t", ["v"], id=9000)
        assert client.raw(b"0\t=\t1\t5") == b"0\t1\t5"


def test_connections_are_bounded_and_come_free_again(small: PrivateServer) -> None:
    clients = [Client(small.port) for _ in range(20)]
    for client in clients:
        assert client.raw(b"X") == b"2\t1\tcmd"
    with Client(small.port) as extra:
        assert extra.read_line() == b"1\t1\ttoo_many_connections"
        assert extra.at_eof()
    for client in clients:
        client.close()
    for _ in range(10_000):
        with Client(small.port) as again:
            again.send(b"X\n")
            if again.read_line() == b"2\t1\tcmd":
                return
    raise AssertionError("the closed connections are still counted")


def test_rows_changed_by_one_update_are_bounded(small: PrivateServer) -> None:
    with Client(small.port_wr) as client:
        client.open("hs.t", ["v"])
        assert client.raw(b"1\t>=\t1\t1\t51\t0\tU\tnew") == b"2\t1\ttoo_many_rows"
        assert small.sql("SELECT COUNT(*) FROM hs.t WHERE v = 'new'") == [(0,)]
        assert client.raw(b"1\t>=\t1\t1\t50\t0\tU\tnew") == b"0\t1\t50"
        assert client.raw(b"1\t>=\t1\t1\t50\t0\tU\t" + b"x" * 1000) == b"0\t1\t50"


def test_a_client_that_sends_and_never_reads_costs_bounded_memory(small: PrivateServer) -> None:
    before = resident_bytes(small)
    with Client(small.port) as greedy:
        greedy.open("hs.t", ["v"])
        greedy.socket.settimeout(2)
        request = b"1\t>=\t1\t100\t200\t0\n" * 100
        sent = 0
        with pytest.raises(TimeoutError):
            while sent < 100 * MIB:
                sent += greedy.socket.send(request)
        # Other clients of the same thread are served meanwhile.
        with Client(small.port) as other:
            other.open("hs.t", ["id"])
            assert other.find("=", [500]) == [(b"500",)]
        assert resident_bytes(small) - before < 32 * MIB


def test_a_slow_reader_gets_every_byte(small: PrivateServer) -> None:
    with Client(small.port) as slow:
        slow.open("hs.t", ["id", "v"])
        slow.send(b"1\t>=\t1\t100\t200\t0\n" * 50)
        for _ in range(50):
            assert len(rows(slow.read_line())) == 200


def test_index_ids_and_counts_out_of_range_allocate_nothing(small: PrivateServer) -> None:
    before = resident_bytes(small)
    with Client(small.port_wr) as client:
        client.open("hs.t", ["id", "v"])
        client.open("hs.t", ["id"], id=4000000000)
        assert client.raw(b"1\t=\t4294967295\t1") == b"2\t1\tfldnum"
        assert client.raw(b"1\t+\t99999999\t1") in (b"2\t1\tfldnum", b"2\t1\tmissing_value")
        reply = client.raw(b"1\t=\t1\t1\t1\t0\t@\t0\t4294967295\t1")
        assert reply.startswith(b"2\t1\t")
        reply = client.raw(b"1\t=\t1\t1\t1\t0\t@\t0\t100000000\t1")
        assert reply.startswith(b"2\t1\t")
        assert client.raw(b"1\t>=\t1\t1\t4294967295\t4294967295") == b"0\t2"
        assert resident_bytes(small) - before < 32 * MIB


def test_random_bytes_leave_the_server_and_its_rows_alone(small: PrivateServer) -> None:
    rng = random.Random(20)
    checksum = small.sql("CHECKSUM TABLE hs.t")
    words = [b"P", b"A", b"1", b"0", b"=", b">=", b"U", b"D", b"+", b"@", b"F", b"\x01", b"\0",
             b"hs", b"nosuch", b"PRIMARY", b"id,v", b"4294967296", b"-1", b"\r", b"/", b"Q"]  # fmt: skip
    for round_ in range(300):
        port = small.port if round_ % 2 else small.port_wr
        data = bytearray()
        for _ in range(rng.randint(1, 60)):
            if rng.random() < 0.5:
                data += b"\t".join(rng.choice(words) for _ in range(rng.randint(1, 12))) + b"\n"
            else:
                data += rng.randbytes(rng.randint(1, 50))
        with Client(port) as client:
            client.send(bytes(data))
            client.socket.shutdown(socket.SHUT_WR)
            while client.socket.recv(1 << 16):
                pass
    assert small.sql("CHECKSUM TABLE hs.t") == checksum


def test_rows_of_one_find(small: PrivateServer) -> None:
    for port in (small.port, small.port_wr):
        with Client(port) as client:
            client.open("hs.t", ["id"])
            for limit, offset in ((300, 0), (300, 400), (299, 0)):
                assert len(client.find(">", [offset], limit)) == limit
            assert client.request(1, ">", 1, 0, 301, 0) == b"2\t1\ttoo_many_rows"
            assert len(client.find(">", [900], 10_000)) == 100  # the limit does not count, the rows do
            assert len(client.find(">", [0], 1)) == 1


def test_keys_of_one_in(small: PrivateServer) -> None:
    with Client(small.port) as client:
        client.open("hs.t", ["id"])
        for count in (1, 29, 30):
            keys = list(range(1, count + 1))
            reply = client.request(1, "=", 1, 0, 1000, 0, "@", 0, count, *keys)
            assert reply == b"0\t1\t" + b"\t".join(b"%d" % key for key in keys)
        too_many = client.request(1, "=", 1, 0, 1000, 0, "@", 0, 31, *range(31))
        assert too_many == b"2\t1\ttoo_many_keys"
        assert client.find("=", [1]) == [(b"1",)]


def test_columns_of_one_index(small: PrivateServer) -> None:
    with Client(small.port) as client:
        client.open("hs.t", ["id"] * 5, filters=["id"] * 5)
        for columns, filters in ((6, 1), (1, 6)):
            names = [",".join(["id"] * count) for count in (columns, filters)]
            reply = client.request("P", 1, "hs", "t", "PRIMARY", *names)
            assert reply == b"2\t1\ttoo_many_columns"
        assert client.find("=", [7]) == [(b"7",) * 5]  # the id keeps its old meaning


def test_replies_that_wait_for_a_client(small: PrivateServer) -> None:
    """Requests behind the bound are not even received: they stay in the client's own buffers."""
    with Client(small.port) as slow, Client(small.port) as other:
        for client in (slow, other):
            client.open("hs.t", ["id", "v"])
        request = b"1\t>\t1\t0\t100\t0\n"
        executed = int(small.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_requests'")[0][1])
        slow.socket.setblocking(False)
        sent = 0
        try:
            while sent < 64 * MIB:
                sent += slow.socket.send(request * 1000)
        except BlockingIOError:
            pass
        assert sent < 64 * MIB
        assert other.find("=", [7])[0][0] == b"7"
        before = int(small.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_requests'")[0][1])
        assert before - executed < sent / len(request) / 2


def memory_now(server: PrivateServer) -> int:
    return int(server.sql("SHOW GLOBAL STATUS LIKE 'handlersocket_memory'")[0][1])


@pytest.fixture(scope="module")
def scarce() -> Iterator[PrivateServer]:
    """A server whose connections may hold little memory together."""
    variables = {
        "handlersocket_threads": 2,
        "handlersocket_threads_wr": 1,
        "handlersocket_max_memory": 32 * MIB,
        "handlersocket_plain_secret_wr": "secret",
    }
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v LONGTEXT)")
        server.sql("INSERT INTO hs.t SELECT seq, REPEAT('x', 1000) FROM hs.seq_1_to_100")
        yield server
        assert server.running


def test_a_line_is_short_until_the_client_is_known(scarce: PrivateServer) -> None:
    for port, known in (
        (scarce.port, b"P\t1\ths\tt\tPRIMARY\tid"),
        (scarce.port_wr, b"A\t1\tsecret"),
    ):
        with Client(port) as unknown:
            unknown.send(b"x" * (65 * KIB))
            assert unknown.read_line() == b"2\t1\trequest_too_long"
            assert unknown.at_eof()
        with Client(port) as client:
            assert client.raw(b"x" * (64 * KIB)) in (b"2\t1\tcmd", b"3\t1\tunauth")
            assert client.raw(known) == b"0\t1"
            assert client.raw(b"x" * MIB) == b"2\t1\tcmd"


@pytest.mark.skipif(bool(server_files.REPORTS), reason="the sanitizers take memory of their own")
def test_all_connections_together_hold_bounded_memory_and_small_requests_go_on(
    scarce: PrivateServer,
) -> None:
    before, counted = resident_bytes(scarce), memory_now(scarce)
    clients: list[Client] = []
    try:
        with Client(scarce.port) as other:
            other.open("hs.t", ["id"])
            for number in range(100):
                client = Client(scarce.port)
                clients.append(client)
                client.open("hs.t", ["id"])
                try:
                    client.send(b"y" * MIB)  # of a line that does not end
                except OSError:
                    pass  # closed meanwhile
                assert other.find("=", [number % 100 + 1]) == [(b"%d" % (number % 100 + 1),)]
                assert memory_now(scarce) <= 32 * MIB
            assert clients[-1].read_line() == b"1\t1\tmax_memory"
            assert clients[-1].at_eof()
            assert resident_bytes(scarce) - before < 64 * MIB
    finally:
        for client in clients:
            client.close()
    while memory_now(scarce) > counted + MIB:
        pass
    with Client(scarce.port_wr) as writer:
        assert writer.raw(b"A\t1\tsecret") == b"0\t1"
        writer.open("hs.t", ["id", "v"])
        assert writer.raw(b"1\t+\t2\t1000\t" + b"v" * (8 * MIB)) == b"0\t1"


def test_open_indexes_count_as_memory_while_a_client_has_them(scarce: PrivateServer) -> None:
    counted = memory_now(scarce)
    grown = 0
    for turn in range(8):
        with Client(scarce.port) as client:
            for id in range(1000):
                columns = ["id"] * (turn + 1) + ["v"] * (id % 50)
                client.open("hs.t", columns, id=id)
            grown = grown or memory_now(scarce) - counted
    assert grown > 50 * 100
    # The server keeps what it has made of some indexes a little longer than the clients do.
    assert memory_now(scarce) - counted < 4 * grown


def test_sessions_keep_no_more_tables_than_the_table_cache_allows() -> None:
    variables = {"table_open_cache": 10, "handlersocket_threads": 2, "handlersocket_threads_wr": 2}
    with PrivateServer(descriptors=420, variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        for number in range(100):
            server.sql(f"CREATE TABLE hs.t{number} (id INT PRIMARY KEY) ENGINE=MyISAM")
            server.sql(f"INSERT INTO hs.t{number} VALUES ({number})")
        clients = [Client(port) for port in (server.port, server.port_wr) * 2]
        for client in clients:
            for number in range(100):
                client.open(f"hs.t{number}", ["id"], id=number)
        for client in clients:
            client.send(b"".join(b"%d\t=\t1\t%d\n" % (number, number) for number in range(100)))
        for client in clients:
            assert [client.read_line() for _ in range(100)] == [
                b"0\t1\t%d" % number for number in range(100)
            ]
            client.close()


def test_what_clients_had_open_is_not_kept_after_they_have_gone() -> None:
    def memory(server: PrivateServer) -> int:
        return int(server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_memory'")[0][1])

    with PrivateServer(variables={"handlersocket_threads": 1}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        with Client(server.port) as client:
            client.open("hs.t", ["id"])
            for number in range(40):  # each another one, some of which fail
                names = [b"v"] * (3000 + number) + [b"none"] * (number % 2)
                columns = b",".join(names)
                answer = client.raw(b"P\t1\ths\tt\tPRIMARY\t" + columns)
                assert answer == (b"2\t1\tfld" if number % 2 else b"0\t1")
        deadline = time.monotonic() + 60
        while (left := memory(server)) > 2_000_000 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left <= 2_000_000
