"""TLS, accounts, secrets, Unix sockets, the environment and the option file."""

from __future__ import annotations

import contextlib
import socket
import ssl
import tempfile
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from certificates import Certificates
from driver import ClientError, Driver
from on_mysql import IS_MYSQL, secure
from private_accounts import PASSWORD, make_guarded_table
from private_server import PrivateServer

Connect = Callable[..., Driver]
ESCAPED = urllib.parse.quote(PASSWORD, safe="")


@pytest.fixture(scope="session")
def certificates() -> Iterator[Certificates]:
    """A certificate for localhost, in a folder that the server's user may read."""
    with tempfile.TemporaryDirectory(prefix="hs-tls-") as name:
        Path(name).chmod(0o755)
        made = Certificates(Path(name))
        made.make("foreign")
        made.make("server", signed_by="ca", hosts=["localhost"])
        yield made


@pytest.fixture(scope="session")
def folder(certificates: Certificates) -> Path:
    """The folder of the certificates and the sockets."""
    return certificates.directory


@pytest.fixture(scope="session")
def accounts(certificates: Certificates, folder: Path) -> Iterator[PrivateServer]:
    """A server that asks for accounts, with TLS and Unix sockets."""
    sockets = folder / "sockets"
    sockets.mkdir()
    sockets.chmod(0o777)
    variables = {
        "handlersocket_authentication": "account",
        "handlersocket_socket": sockets / "read.sock",
        "handlersocket_socket_wr": sockets / "write.sock",
        **certificates.variables("server"),
    }
    with PrivateServer(variables=variables) as running:
        make_guarded_table(running, app="ALL", reader="SELECT")
        yield running


def use(client: Driver, url: str) -> None:
    client.call("connect", url=url)
    table = client.table("test.t", ["id", "v"])
    assert table.get(key=[1]) == {"id": 1, "v": 2}
    assert table.update(key=[1], values={"v": 2}) == 1


def refused(client: Driver, url: str) -> str:
    with pytest.raises(ClientError) as caught:
        client.call("connect", url=url)
        client.call("ping")
    return caught.value.name


def test_a_port_that_asks_for_no_account_is_used_without_one(
    make_driver: Connect, certificates: Certificates, folder: Path
) -> None:
    """As the package sets the ports. A wrong password is one where an account is asked for."""
    variables = {"handlersocket_authentication_wr": "account", **certificates.variables("server")}
    with PrivateServer(variables=variables) as own:
        make_guarded_table(own, app="ALL")
        place = f"127.0.0.1:{own.port}?write_port={own.port_wr}{secure(folder)}"
        use(make_driver(), f"hs://app:{ESCAPED}@{place}")
        client = make_driver()
        client.call("connect", url=f"hs://app:wrong@{place}")
        table = client.table("test.t", ["id", "v"])
        assert table.get(key=[1]) == {"id": 1, "v": 2}
        with pytest.raises(ClientError) as caught:
            table.update(key=[1], values={"v": 3})
        assert caught.value.name == "AuthenticationError"
        assert own.sql("SELECT v FROM test.t") == [(2,)]
    with PrivateServer(variables={"handlersocket_plain_secret": "s"}) as own:
        make_guarded_table(own)
        place = f"hs://app:{ESCAPED}@127.0.0.1:{own.port}?write_port={own.port_wr}"
        client = make_driver()
        client.call("connect", url=place)
        with pytest.raises(ClientError) as caught:
            client.table("test.t", ["id", "v"]).get(key=[1])
        assert caught.value.name == "AuthenticationError"
        client.call("connect", url=f"{place}&secret=s")
        assert client.table("test.t", ["id", "v"]).get(key=[1]) == {"id": 1, "v": 2}


def test_an_account_logs_in_with_its_password(
    make_driver: Connect, accounts: PrivateServer, folder: Path
) -> None:
    place = f"127.0.0.1:{accounts.port}?write_port={accounts.port_wr}{secure(folder)}"
    client = make_driver()
    use(client, f"hs://app:{ESCAPED}@{place}")
    assert refused(client, f"hs://app:wrong@{place}") == "AuthenticationError"
    assert refused(client, f"hs://nobody:{ESCAPED}@{place}") == "AuthenticationError"


def test_an_account_may_do_what_it_may(make_driver: Connect, accounts: PrivateServer, folder: Path) -> None:
    client = make_driver()
    place = f"127.0.0.1:{accounts.port}?write_port={accounts.port_wr}{secure(folder)}"
    client.call("connect", url=f"hs://reader:{ESCAPED}@{place}")
    table = client.table("test.t", ["id", "v"])
    assert table.get(key=[1]) == {"id": 1, "v": 2}
    with pytest.raises(ClientError) as caught:
        table.update(key=[1], values={"v": 3})
    assert caught.value.name == "AccessDeniedError" and caught.value.members["number"] == 1142


def test_tls_looks_at_the_certificate(make_driver: Connect, accounts: PrivateServer, folder: Path) -> None:
    ports = f"{accounts.port}?write_port={accounts.port_wr}&retries=0"
    client = make_driver()
    use(client, f"hs://app:{ESCAPED}@localhost:{ports}&tls=verify&tls_ca={folder}/ca.pem")
    use(client, f"hs://app:{ESCAPED}@127.0.0.1:{ports}&tls=verify&tls_name=localhost&tls_ca={folder}/ca.pem")
    unknown = f"hs://app:{ESCAPED}@127.0.0.1:{ports}&tls=require"
    if IS_MYSQL:
        assert refused(client, unknown) == "AuthenticationError"
    else:
        use(client, unknown)
    for wrong in (
        f"hs://app:{ESCAPED}@localhost:{ports}&tls=verify&tls_ca={folder}/foreign.pem",
        f"hs://app:{ESCAPED}@127.0.0.1:{ports}&tls=verify&tls_name=other&tls_ca={folder}/ca.pem",
    ):
        assert refused(client, wrong) == "ConnectionError"


def test_files_of_tls_that_cannot_be_used_are_told(
    make_driver: Connect, accounts: PrivateServer, folder: Path, tmp_path: Path
) -> None:
    url = f"hs://app:{ESCAPED}@localhost:{accounts.port}?write_port={accounts.port_wr}&tls=verify"
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("-----BEGIN NOTHING-----\n")
    pair = f"tls_ca={folder}/ca.pem&tls_cert={folder}/server.pem&tls_key={folder}/server-key.pem"
    client = make_driver()
    use(client, f"{url}&{pair}")
    for file in (garbage, tmp_path / "missing.pem"):
        assert refused(client, f"{url}&tls_ca={file}") == "ConfigurationError"
        for good in (f"{folder}/server.pem", f"{folder}/server-key.pem"):
            assert refused(client, f"{url}&{pair.replace(good, str(file))}") == "ConfigurationError"


class Refuser:
    """Listens with TLS at `port` of 127.0.0.1 and refuses each login; `lines` are those that came."""

    def __init__(self, folder: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / "server.pem", folder / "server-key.pem")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.lines: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            with contextlib.suppress(OSError):
                client, _ = self._listener.accept()
                with client, self._context.wrap_socket(client, server_side=True) as secure:
                    self._refuse(secure)
            if self._listener.fileno() < 0:
                return

    def _refuse(self, client: socket.socket) -> None:
        for line in client.makefile("rb"):
            self.lines.append(line)
            challenge = b"0\t2\tmysql_native_password\t" + b"41" * 20 + b"\n"
            client.sendall(challenge if line.startswith(b"A\t2\t") else b"3\t1\tunauth\n")

    def close(self) -> None:
        """Ends listening."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def test_a_password_goes_in_clear_only_to_a_server_that_was_looked_at(
    make_driver: Connect, folder: Path
) -> None:
    with contextlib.closing(Refuser(folder)) as server:
        url = f"hs://app:hidden@127.0.0.1:{server.port}?retries=0"
        assert refused(make_driver(), f"{url}&tls=require") == "AuthenticationError"
        assert server.lines and not any(b"hidden" in line for line in server.lines)
        verified = f"{url}&tls=verify&tls_name=localhost&tls_ca={folder}/ca.pem"
        assert refused(make_driver(), verified) == "AuthenticationError"
        assert b"A\t4\tapp\thidden\n" in server.lines


def test_unix_sockets_serve(make_driver: Connect, accounts: PrivateServer, folder: Path) -> None:
    read, write = f"{folder}/sockets/read.sock", f"{folder}/sockets/write.sock"
    use(make_driver(), f"hs+unix://app:{ESCAPED}@{read}?write_socket={write}")


def test_the_environment_and_the_option_file_are_read(
    make_driver: Connect, accounts: PrivateServer, folder: Path, tmp_path: Path
) -> None:
    place = f"127.0.0.1:{accounts.port}?write_port={accounts.port_wr}{secure(folder)}"
    use(make_driver(HS_PASSWORD=PASSWORD), f"hs://app@{place}")
    file = tmp_path / "hs.cnf"
    groups = f"[client]\nuser = other\n[hs]\nuser = app\n;user = x\npassword = {PASSWORD}\n"
    file.write_text(f"# where\n; and who\n{groups}", encoding="utf-8")
    use(make_driver(HS_OPTION_FILE=str(file)), f"hs://{place}")
    for elsewhere in ("port = 1\nwrite_port = 1", "socket = /nosuch", "host = nosuch.invalid"):
        file.write_text(f"[hs]\nuser = app\npassword = {PASSWORD}\n{elsewhere}\n")
        use(make_driver(HS_OPTION_FILE=str(file)), f"hs://{place}")
    for group in ("[hs] # mine", "[hs \t]", "[client]\nuser=x\n[hs]x[client]", "[ hs]\nuser=x\n[]\nx\n[hs]", "[hS]"):
        file.write_text(f"[client]\nskip-ssl\n{group}\nuser = app\npassword = {PASSWORD}\n[other]\nport=1")
        use(make_driver(HS_OPTION_FILE=str(file)), f"hs://{place}")
    file.rename(tmp_path / ".hs.cnf")
    use(make_driver(HS_OPTION_FILE="", HS_URL="", HOME=str(tmp_path)), f"hs://{place}")


def test_an_option_file_that_is_wrong_is_refused(make_driver: Connect, tmp_path: Path) -> None:
    file = tmp_path / "hs.cnf"
    wrongs = ["[hs]\nuser", "[hs]\nnosuch = 1", "[hs]\nuser = a\nuser = b", "[hs]\nuser = a\n[client"]
    wrongs += ["user = a", "[hs\nuser = a", "\ufeff[hs]\nuser = a", "\ufeff# x\n[hs]\nuser = a"]  # before a group
    wrongs += ["!include x", "[client]\n!include x", "[hs]\n!includedir x", "[hs]\n ! x", "[hs]\nuser = a\0b", "[client]\na=\0"]
    wrongs += ["[hs]\n= a", "[hs]\npool_size = 0", "[hs]\nretries = 1 # x", "[hs]\nmax_idle = '1'", "[hs]\nread-your-writes = on"]
    for wrong in [*(one.encode() for one in wrongs), b"[hs]\nuser = \xff", b"[x]\n\xff"]:
        file.write_bytes(wrong + b"\n")
        assert refused_file(make_driver(HS_OPTION_FILE=str(file))), wrong
    (tmp_path / ".hs.cnf").mkdir()
    assert refused_file(make_driver(HS_OPTION_FILE=str(tmp_path)))
    assert refused_file(make_driver(HS_OPTION_FILE=str(tmp_path / "nosuch")))
    assert refused_file(make_driver(HS_OPTION_FILE="", HOME=str(tmp_path)))
    assert not refused_file(make_driver(HS_OPTION_FILE="", HOME=str(tmp_path / "nosuch")))


def refused_file(client: Driver) -> bool:
    answer = client.send("connect", url="hs://127.0.0.1")
    return answer.get("error", {}).get("class") == "ConfigurationError"


def test_ports_with_a_secret_are_told_it(make_driver: Connect, tmp_path: Path) -> None:
    odd = "\"r\" #\v\u2028t\u00a0"  # no blanks that end a line, or stand around it
    variables = {"handlersocket_plain_secret": odd, "handlersocket_plain_secret_wr": "w%"}
    with PrivateServer(variables=variables) as own:
        make_guarded_table(own)
        place = f"hs://127.0.0.1:{own.port}?write_port={own.port_wr}"
        client = make_driver()
        use(client, f"{place}&secret={urllib.parse.quote(odd)}&write_secret=w%25")
        file = tmp_path / "hs.cnf"
        file.write_bytes(f"[hs]\r\n\tsecret\t= {odd}\t\r\nwrite_secret=w%".encode())
        use(make_driver(HS_OPTION_FILE=str(file)), place)
        assert refused(client, f"{place}&secret=no") == "AuthenticationError"
