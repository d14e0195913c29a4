"""Neither secrets nor passwords stay in the memory of the server, where a core file would have them."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

import pytest
import server_files
from certificates import Certificates
from hs_client import Client, native_response, status
from on_mysql import IS_MYSQL
from private_server import PrivateServer
from test_mysql_9_7_accounts import by_challenge
from test_tls import TlsClient, context

pytestmark = pytest.mark.skipif(bool(server_files.REPORTS), reason="the sanitizers keep what was freed")

IN = b"0\t1"
OUT = b"3\t1\tunauth"
CHUNK = 16 << 20
# MySQL keeps a copy of what was on its command line; docs/servers.md says so.
KEPT_BY_THE_SERVER = {"on_command_line"} if IS_MYSQL else set()


def drawn() -> str:
    """A text that nothing else in memory has."""
    return secrets.token_hex(24)


def in_memory(pid: int, texts: dict[str, str]) -> set[str]:
    """The names of those texts of which the first or the last bytes are in the process's memory."""
    parts = {name: {text[:16].encode(), text[-16:].encode()} for name, text in texts.items()}
    found = set()
    try:
        memory = open(f"/proc/{pid}/mem", "rb", buffering=0)
    except PermissionError:
        pytest.skip("the memory of another process cannot be read here")
    with memory:
        for area in Path(f"/proc/{pid}/maps").read_text(encoding="ascii").splitlines():
            place, rights = area.split()[:2]
            if not rights.startswith("rw"):
                continue
            begin, end = (int(number, 16) for number in place.split("-"))
            for at in range(begin, end, CHUNK):
                try:
                    memory.seek(at)
                    content = memory.read(min(CHUNK + 64, end - at))
                except OSError:  # it has gone, or is no memory
                    continue
                for name, pieces in parts.items():
                    if any(piece in content for piece in pieces):
                        found.add(name)
    return found


def private(path: Path, text: str) -> Path:
    path.write_text(text + "\n", encoding="ascii")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    directory = tmp_path_factory.mktemp("certificates")
    made = Certificates(directory)
    made.make("server", signed_by="ca")
    return made


def with_tls(certificates: Certificates) -> dict[str, object]:
    return {
        **certificates.variables("server"),
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
    }


def test_a_text_that_is_in_memory_is_found(tls: Certificates) -> None:
    text = drawn()
    with PrivateServer(variables=with_tls(tls)) as server:
        server.sql("SET GLOBAL init_connect = %s", [f"SELECT '{text}'"])
        assert in_memory(server.pid, {"there": text, "not there": drawn()}) == {"there"}


def test_of_secrets_nothing_is_left_in_memory(tls: Certificates, tmp_path: Path) -> None:
    names = "first second third guess part escaped again on_command_line"
    texts = {name: drawn() for name in names.split()}
    file = private(tmp_path / "secret", texts["first"])
    variables = {
        **with_tls(tls),
        "handlersocket_plain_secret_file": file,
        "handlersocket_plain_secret_wr": texts["on_command_line"],
    }

    def log_in(client: Client, name: str) -> bytes:
        return client.request("A", 1, texts[name])

    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
        server.sql("INSERT INTO hs.t VALUES (1)")
        with Client(server.port) as client, Client(server.port) as half:
            half.send(b"A\t1\t" + texts["part"].encode())
            assert log_in(client, "guess") == OUT
            assert client.request("A", 1, texts["escaped"] + "\x02") == OUT
            for byte in b"A\t1\t" + texts["first"].encode() + b"\n":
                client.send(bytes([byte]))
            assert client.read_line() == IN
            client.open("hs.t", ["id"])
            client.send(b"1\t=\t1\t1\nA\t1\t" + texts["again"].encode() + b"\n1\t=\t1\t1\n")
            assert [client.read_line() for _ in range(3)] == [b"0\t1\t1", OUT, OUT]
        with Client(server.port_wr) as writer:
            assert log_in(writer, "on_command_line") == IN
        while status(server, "connections_open") != 0:
            pass
        with Client(server.port) as client:  # the port's only thread is done with those
            assert client.raw(b"1\t=\t1\t1") == OUT
        assert in_memory(server.pid, texts) <= KEPT_BY_THE_SERVER

        private(file, texts["second"])
        server.sql(
            "SET GLOBAL handlersocket_plain_secret_file = @@global.handlersocket_plain_secret_file"
        )
        with TlsClient(server.port, context(tls)) as client:
            assert log_in(client, "first") == OUT
            assert log_in(client, "second") == IN
            client.open("hs.t", ["id"])
            assert client.raw(b"1\t=\t1\t1") == b"0\t1\t1"
            assert in_memory(server.pid, texts) <= KEPT_BY_THE_SERVER

        # The statement's text, which the server keeps, has the secret as numbers.
        server.sql("SET GLOBAL handlersocket_plain_secret_file = ''")
        numbers = ", ".join(str(byte) for byte in texts["third"].encode())
        server.sql(f"SET GLOBAL handlersocket_plain_secret = CHAR({numbers})")
        with Client(server.port) as client:
            assert log_in(client, "third") == IN
        assert in_memory(server.pid, texts) <= KEPT_BY_THE_SERVER
        command_line = Path(f"/proc/{server.pid}/cmdline").read_bytes()
        assert texts["on_command_line"].encode() not in command_line


def test_of_secrets_of_known_clients_nothing_is_left_in_memory(tls: Certificates, tmp_path: Path) -> None:
    names = "right split grown half too_long no_escape tls_split tls_half tls_too_long transaction escaped method"
    texts = {name: drawn() for name in names.split()}
    shown = {name: texts[name].encode() for name in texts}
    variables = {
        **with_tls(tls),
        "handlersocket_plain_secret_file": private(tmp_path / "secret", texts["right"]),
        "handlersocket_max_request_size": 200_000,
    }
    find = b"1\t=\t1\t1\n"
    found = b"0\t1\t1"
    clients = []

    def known(client: Client) -> Client:
        clients.append(client)
        assert client.request("A", 1, texts["right"]) == IN
        client.open("hs.t", ["id"])
        return client

    def plain() -> Client:
        return known(Client(server.port))

    def over_tls() -> Client:
        return known(TlsClient(server.port, context(tls)))

    def begin(client: Client, shown: bytes) -> Client:
        """The server has read so much of a request that tries a secret."""
        client.send(find * 50 + b"A\t1\t" + shown)
        assert {client.read_line() for _ in range(50)} == {found}
        return client

    def end(client: Client, shown: bytes) -> bytes:
        client.send(shown + b"\n")
        return client.read_line()

    with PrivateServer(variables=variables) as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY)")
        server.sql("INSERT INTO hs.t VALUES (1)")
        for kind, new in (("", plain), ("tls_", over_tls)):
            split = shown[kind + "split"]
            assert end(begin(new(), split[:-8]), split[-8:]) == OUT
            begin(new(), shown[kind + "half"]).close()
            too_long = begin(new(), shown[kind + "too_long"])
            assert end(too_long, b"z" * 250_000) == b"2\t1\trequest_too_long"
            too_long.close()
        grown = begin(plain(), shown["grown"])
        for _ in range(4):
            grown.send(b"z" * 40_000)
        assert end(grown, b"") == OUT
        assert end(plain(), b"A\t1\t" + shown["no_escape"] + b"\x01?") == b"2\t1\tescape"
        assert end(plain(), b"A\t9\t" + shown["method"]) == b"3\t1\tauthtype"
        writer = known(Client(server.port_wr))
        assert writer.request("T", "B") == b"0\t1"
        assert writer.request("A", 1, texts["transaction"]) == b"2\t1\tin_transaction"
        assert writer.request("A", 1, texts["escaped"] + "\x02") == b"2\t1\tin_transaction"
        while status(server, "connections_open") != 6:
            pass
        assert in_memory(server.pid, texts) == set()
        for client in clients:
            client.close()


def test_of_passwords_nothing_is_left_in_memory(tls: Certificates, tmp_path: Path) -> None:
    names = "native wrong over_tls second half"
    texts = {name: drawn() for name in names.split()}
    sockets = {"handlersocket_socket": tmp_path / "r"}
    variables = {**with_tls(tls), **sockets, "handlersocket_authentication": "account"}

    def stored(password: str) -> str:
        twice = hashlib.sha1(hashlib.sha1(password.encode()).digest()).hexdigest()
        return f"IDENTIFIED BY PASSWORD '*{twice.upper()}'"

    with PrivateServer(variables=variables) as server:
        server.sql(f"CREATE USER ada {stored(texts['native'])}")
        server.sql(f"CREATE USER bob {stored(texts['over_tls'])}")
        with Client(server.port) as client:
            challenge = bytes.fromhex(client.request("A", 2, "ada").split(b"\t")[3].decode())
            assert client.request("A", 3, native_response(challenge, texts["native"])) == IN
        with Client.local(tmp_path / "r") as client, Client.local(tmp_path / "r") as half:
            half.send(b"A\t4\tada\t" + texts["half"].encode())
            assert client.request("A", 4, "ada", texts["wrong"]) == OUT
            assert client.request("A", 4, "ada", texts["native"]) == IN
            assert client.request("A", 4, "ada", texts["native"] + "\x02") == OUT
            assert client.request("A", 4, "ada", texts["native"]) == IN
        with TlsClient(server.port, context(tls)) as client:
            assert client.request("A", 4, "bob", texts["over_tls"]) == IN
            assert in_memory(server.pid, texts) == set()
        server.sql(f"ALTER USER bob {stored(texts['second'])}")
        with TlsClient(server.port, context(tls)) as client:
            assert client.request("A", 4, "bob", texts["over_tls"]) == OUT
            assert client.request("A", 4, "bob", texts["second"]) == IN
        assert in_memory(server.pid, texts) == set()


@pytest.mark.skipif(not IS_MYSQL, reason="its accounts are MySQL's")
def test_of_passwords_nothing_is_left_in_the_memory_of_mysql(tls: Certificates, tmp_path: Path) -> None:
    texts = {name: drawn() for name in "first second wrong half escaped".split()}
    sockets = {"handlersocket_socket": tmp_path / "r"}
    with PrivateServer(variables={**with_tls(tls), **sockets, "handlersocket_authentication": "account"}) as server:
        for user, name in (("ada", "first"), ("bob", "second")):
            server.sql(f"CREATE USER {user} IDENTIFIED BY '{texts[name]}'")
        server.restart()  # SQL has shown the passwords to a process that has gone
        with Client.local(tmp_path / "r") as client, Client.local(tmp_path / "r") as half:
            half.send(b"A\t4\tada\t" + texts["half"].encode())
            for password, expected in (
                (texts["wrong"], OUT),
                (texts["first"], IN),  # whole, which the server then keeps as a digest
                (texts["escaped"] + "\x02", OUT),
                (texts["first"], IN),  # by that digest
            ):
                assert client.request("A", 4, "ada", password) == expected
                assert in_memory(server.pid, texts) <= {"half"}  # whose line has no end yet
        for password, questions in (("wrong", 2), ("second", 2), ("second", 1)):
            with TlsClient(server.port, context(tls)) as client:
                expected = OUT if password == "wrong" else IN
                assert by_challenge(client, "bob", texts[password]) == (expected, questions)
                assert in_memory(server.pid, texts) == set()
