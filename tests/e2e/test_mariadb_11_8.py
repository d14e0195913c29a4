"""What MariaDB has since 11.8: vectors, triggers that pass over rows, times past 2038,
accounts by parsec."""

from __future__ import annotations

import datetime
import ssl
import struct
from collections.abc import Iterator
from pathlib import Path

import ed25519
import pytest
import server_files
from accounts import IN, OUT
from hs_client import Client, line, readable, sql_holds, wait_for_a_lock_wait
from private_server import PrivateServer
from test_tls import TlsClient

pytestmark = pytest.mark.skipif(
    server_files.SERVER != "mariadb-11.8", reason="./test --server mariadb-11.8 runs these"
)
NEAREST = (
    "SELECT id FROM hs.v ORDER BY VEC_DISTANCE_EUCLIDEAN(e, VEC_FromText('[10,20,1]')) LIMIT 3"
)


def vector(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


@pytest.fixture(autouse=True)
def _empty(server: PrivateServer) -> None:
    server.make_database("hs")


def nearest(server: PrivateServer) -> list[int]:
    assert "e" in server.sql("EXPLAIN " + NEAREST)[0]
    return [id for (id,) in server.sql(NEAREST)]


def test_the_index_of_vectors_follows_the_changes(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.v (id INT PRIMARY KEY, e VECTOR(3) NOT NULL, VECTOR INDEX (e))")
    writer.open("hs.v", ["id", "e"], id=1)
    writer.open("hs.v", ["e"], id=2)
    reader.open("hs.v", ["id", "e"], id=1)
    for i in range(50):
        assert writer.request(1, "+", 2, i, vector(i, 2 * i, 1)) == b"0\t1"
    assert nearest(server) == [10, 11, 9]
    assert writer.request(1, "=", 1, 10, 1, 0, "D") == b"0\t1\t1"
    assert nearest(server) == [11, 9, 12]
    assert writer.request(2, "=", 1, 40, 1, 0, "U", vector(10, 20, 1)) == b"0\t1\t1"
    assert nearest(server) == [40, 11, 9]
    assert reader.find("=", [40]) == [(b"40", vector(10, 20, 1))]
    assert server.sql("CHECK TABLE hs.v EXTENDED")[0][-1] == "OK"

@pytest.fixture
def vectors(server: PrivateServer, writer: Client) -> Client:
    """A client with the table hs.v open: 1 inserts its three columns, 2 changes the last two."""
    server.sql(
        "CREATE TABLE hs.v (id INT PRIMARY KEY, u INT, e VECTOR(3) NOT NULL, UNIQUE u (u), VECTOR INDEX (e))"
    )
    writer.open("hs.v", ["id", "u", "e"], id=1)
    writer.open("hs.v", ["u", "e"], id=2)
    added = writer.pipeline([line(1, "+", 3, i, i, vector(i, 2 * i, 1)) for i in range(40)])
    assert set(added) == {b"0\t1"}
    return writer


# While the entry of the graph is locked, a row is written and its place in the graph is not.
@pytest.mark.parametrize("operator", ["U", "+I"])
def test_a_change_among_others_that_must_wait_for_the_index_of_vectors_is_done_once(
    server: PrivateServer, vectors: Client, operator: str
) -> None:
    requests = {
        "U": [
            line(2, "=", 1, 20, 1, 0, "U", 20, vector(20, 40, 1)),
            line(2, "=", 1, 30, 1, 0, "U", 300, vector(10, 20, 1)),
        ],
        "+I": [line(1, "+I", 3, 1, 1, vector(1, 2, 1)), line(1, "+I", 3, 30_000, 300, vector(10, 20, 1))],
    }[operator]
    with sql_holds(server, "UPDATE hs.v SET e = VEC_FromText('[0,0,0]') WHERE id = 39") as holder:
        vectors.send(b"".join(requests))
        readable([vectors], 0.3)
        holder.rollback()
    assert [vectors.read_line() for _ in requests][-1] == b"0\t1\t1"
    server.sql("DELETE FROM hs.v WHERE id = 10")
    assert server.sql(f"SELECT u FROM hs.v WHERE id = {nearest(server)[0]}") == [(300,)]
    assert server.sql("DELETE FROM hs.v WHERE u = 300") == []


def test_what_is_undone_in_a_batch_leaves_nothing_in_the_index_of_vectors(
    server: PrivateServer, vectors: Client
) -> None:
    replies = vectors.pipeline(
        [
            line(2, "=", 1, 39, 1, 0, "U", 39, vector(39, 78, 1)),
            line(1, "+", 3, 100, 100, vector(0, 0, 1)),
            line(2, ">=", 1, 9, 2, 0, "U", 1000, vector(10, 20, 1)),
            line(1, "+", 3, 101, 101, vector(10, 20, 1)),
            line(1, "+", 3, 102, 102, vector(11, 20, 1)),
        ]
    )
    assert replies == [b"0\t1\t1", b"0\t1", b"1\t1\t121", b"0\t1", b"0\t1"]
    server.sql("DELETE FROM hs.v WHERE id = 10")
    assert nearest(server) == [101, 102, 11]
    removed = vectors.pipeline([line(1, "=", 1, i, 1, 0, "D") for i in (9, 100, 101, 102)])
    assert removed == [b"0\t1\t1"] * 4


@pytest.mark.parametrize("value", [b"abc", b""])
def test_what_is_no_vector_is_refused(server: PrivateServer, writer: Client, value: bytes) -> None:
    server.sql("CREATE TABLE hs.v (id INT PRIMARY KEY, e VECTOR(3) NOT NULL)")
    writer.open("hs.v", ["id", "e"])
    assert writer.request(1, "+", 2, 1, value).startswith(b"1\t1\tsql_1292")
    assert server.sql("SELECT COUNT(*) FROM hs.v") == [(0,)]


def test_the_index_of_vectors_cannot_be_opened(server: PrivateServer, reader: Client) -> None:
    server.sql("CREATE TABLE hs.v (id INT PRIMARY KEY, e VECTOR(3) NOT NULL, VECTOR INDEX e (e))")
    assert reader.request("P", 1, "hs", "v", "e", "id") == b"2\t1\tidxnum"


def test_a_row_that_a_trigger_passes_over_fails_the_request(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    for event, row in (("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")):
        server.sql(
            f"CREATE TRIGGER hs.b{event} BEFORE {event} ON hs.t FOR EACH ROW"
            f" BEGIN IF {row}.v = 7 THEN SIGNAL SQLSTATE '02TRG'; END IF; END"
        )
    writer.open("hs.t", ["id", "v"])
    writer.open("hs.t", ["v"], id=2)
    skipped = b"1\t1\tsql_4208 The row is skipped by a trigger implementation"
    assert writer.request(1, "+", 2, 1, 1) == b"0\t1"
    assert writer.request(1, "+", 2, 2, 7) == skipped
    assert writer.request(2, "=", 1, 1, 1, 0, "U", 7) == skipped
    assert server.sql("SELECT * FROM hs.t") == [(1, 1)]
    server.sql("DROP TRIGGER hs.bUPDATE")
    server.sql("UPDATE hs.t SET v = 7")
    assert writer.request(1, "=", 1, 1, 1, 0, "D") == skipped
    assert server.sql("SELECT * FROM hs.t") == [(1, 7)]


def test_triggers_of_certain_columns_are_refused(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT, w INT)")
    server.sql("CREATE TRIGGER hs.b BEFORE UPDATE OF w ON hs.t FOR EACH ROW SET NEW.v = 100")
    assert writer.request("P", 1, "hs", "t", "PRIMARY", "id") == b"1\t1\tunsupported_table"
    assert reader.request("P", 1, "hs", "t", "PRIMARY", "id") == b"0\t1"


def test_a_timestamp_goes_up_to_2106(server: PrivateServer, reader: Client, writer: Client) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, t TIMESTAMP, KEY (t))")
    writer.open("hs.t", ["id", "t"])
    assert writer.request(1, "+", 2, 1, "2100-01-01 00:00:00") == b"0\t1"
    assert writer.request(1, "+", 2, 2, "2107-01-01 00:00:00").startswith(b"1\t1\tsql_1292")
    assert server.sql("SELECT * FROM hs.t") == [(1, datetime.datetime(2100, 1, 1))]
    reader.open("hs.t", ["id"], index="t")
    assert reader.find("<", ["2150-01-01"]) == [(b"1",)]
    assert reader.find(">", ["2099-12-31"]) == [(b"1",)]


def test_keys_compare_by_the_collations_of_unicode_14(
    server: PrivateServer, reader: Client, writer: Client
) -> None:
    server.sql(
        "CREATE TABLE hs.t (id INT PRIMARY KEY, u UUID DEFAULT UUID_v7(),"
        " x VARCHAR(20) COLLATE utf8mb4_uca1400_ai_ci, KEY (x))"
    )
    writer.open("hs.t", ["id", "x"])
    assert writer.request(1, "+", 2, 1, "Ünï") == b"0\t1"
    reader.open("hs.t", ["id", "x"], index="x")
    assert reader.find("=", ["uni"]) == [(b"1", "Ünï".encode())]
    ((version,),) = server.sql("SELECT SUBSTR(u, 15, 1) FROM hs.t")
    assert version == "7"


def test_a_row_that_has_changed_since_the_view_is_not_changed(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 1)")
    writer.open("hs.t", ["id", "v"])
    writer.open("hs.t", ["v"], id=2)
    assert writer.request("T", "B", "RR") == b"0\t1"
    assert writer.find("=", [1]) == [(b"1", b"1")]
    server.sql("UPDATE hs.t SET v = 2")
    assert writer.request(2, "=", 1, 1, 1, 0, "U", 3) == b"1\t1\t123"
    assert writer.request("T", "C") == b"1\t1\ttransaction_lost"
    assert server.sql("SELECT * FROM hs.t") == [(1, 2)]


def test_outside_of_a_transaction_a_row_that_has_changed_is_changed_as_it_is(
    server: PrivateServer, writer: Client
) -> None:
    server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    server.sql("INSERT INTO hs.t VALUES (1, 1), (2, 1)")
    writer.open("hs.t", ["v"])
    with sql_holds(server, "UPDATE hs.t SET v = 10 WHERE id = 1") as holder:
        writer.send(line(1, "=", 1, 2) + line(1, "=", 1, 2, 1, 0, "U", 7) + line(1, "=", 1, 1, 1, 0, "+", 5))
        wait_for_a_lock_wait(server)
        holder.commit()
    assert [writer.read_line() for _ in range(3)] == [b"0\t1\t1"] * 3
    assert server.sql("SELECT * FROM hs.t") == [(1, 15), (2, 7)]


@pytest.fixture
def parsec(tmp_path: Path) -> Iterator[PrivateServer]:
    """A server that asks for accounts, with one whose method is parsec."""
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_socket": tmp_path / "r",
        "handlersocket_socket_wr": tmp_path / "w",
    }
    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
        server.sql("INSERT INTO hs.t VALUES (1)")
        server.sql("INSTALL SONAME 'auth_parsec'")
        server.sql("CREATE USER pat@'%' IDENTIFIED VIA parsec USING PASSWORD('right')")
        server.sql("GRANT SELECT ON hs.t TO pat@'%'")
        yield server


def log_in_by_parsec(client: Client, user: str, password: str) -> bytes:
    """Answers two questions: the challenge by nothing, the account's salt by a signature."""
    code, _, method, challenge = client.request("A", 2, user, "parsec").split(b"\t")
    assert (code, method, len(challenge)) == (b"0", b"parsec", 64)
    code, _, method, salt = client.request("A", 3, "").split(b"\t")
    assert (code, method, len(salt)) == (b"0", b"parsec", 40)
    question, salt = bytes.fromhex(challenge.decode()), bytes.fromhex(salt.decode())
    return client.request("A", 3, ed25519.parsec_response(question, salt, password))


def test_an_account_by_parsec_logs_in_on_a_private_channel(parsec: PrivateServer) -> None:
    # The server makes a certificate of its own where it is given none.
    tls = ssl._create_unverified_context()
    for channel in (
        Client.local(parsec.variables["handlersocket_socket"]),
        Client.local(parsec.variables["handlersocket_socket_wr"]),
        TlsClient(parsec.port, tls),
    ):
        with channel as client:
            assert log_in_by_parsec(client, "pat", "wrong") == OUT
            assert client.request("P", 1, "hs", "t", "PRIMARY", "id") == OUT
            assert log_in_by_parsec(client, "pat", "right") == IN
            client.open("hs.t", ["id"])
            assert client.find("=", [1]) == [(b"1",)]


def test_other_logins_to_an_account_by_parsec_are_refused(parsec: PrivateServer) -> None:
    with Client(parsec.port) as client:  # in clear
        assert client.request("A", 2, "pat", "parsec") == b"3\t1\tauthtype"
        assert client.log_in("pat", "right", "mysql_native_password") == OUT
        assert client.request("A", 4, "pat", "right") == b"3\t1\tauthtype"
    with Client.local(parsec.variables["handlersocket_socket"]) as client:
        assert client.request("A", 4, "pat", "right") == OUT
        assert client.log_in("pat", "right", "mysql_native_password") == OUT
        for response in ("00", "00" * 96, "00" * 97):
            assert client.request("A", 2, "pat", "parsec").startswith(b"0\t2\tparsec\t")
            assert client.request("A", 3, "").startswith(b"0\t2\tparsec\t")
            assert client.request("A", 3, response) == OUT
