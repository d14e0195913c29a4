"""Start options: shared secrets, rights of Unix sockets, and the character set of values."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

from hs_client import Client
from private_server import PrivateServer, free_port

TABLE = "CREATE TABLE hs.t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET latin1, KEY v (v))"


@contextlib.contextmanager
def make(variables: dict[str, object]) -> Iterator[PrivateServer]:
    """A server with these variables and the table."""
    with PrivateServer(variables={"handlersocket_threads": 1, **variables}) as server:
        server.sql("CREATE DATABASE hs")
        server.sql(TABLE)
        yield server


def test_without_the_secret_nothing_is_served_and_it_is_shown_nowhere() -> None:
    with make({"handlersocket_plain_secret": "open sesame"}) as server:
        for port in (server.port, server.port_wr):
            with Client(port) as client:
                assert client.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"3\t1\tunauth"
                assert client.raw(b"1\t=\t1\t1") == b"3\t1\tunauth"
                assert client.raw(b"X") == b"2\t1\tcmd"
                assert client.raw(b"A\t1\topen") == b"3\t1\tunauth"
                assert client.raw(b"A\t2\topen sesame") == b"3\t1\tauthtype"
                assert client.raw(b"A\t1\topen sesame") == b"0\t1"
                client.open("hs.t", ["id"])
                assert client.raw(b"A\t1\twrong") == b"3\t1\tunauth"
                assert client.raw(b"1\t=\t1\t1") == b"3\t1\tunauth"
        shown = server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket_plain_secret%'")
        assert "sesame" not in str(shown) + server.error_log()


def test_each_port_can_have_a_secret_of_its_own_or_none() -> None:
    secrets = {"handlersocket_plain_secret": "", "handlersocket_plain_secret_wr": "w"}
    with make(secrets) as server:
        with Client(server.port) as reader, Client(server.port_wr) as writer:
            reader.open("hs.t", ["id"])
            assert reader.raw(b"A\t1\t") == b"0\t1"
            assert writer.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"3\t1\tunauth"
            assert writer.raw(b"A\t1\tw") == b"0\t1"
            writer.open("hs.t", ["id"])


def secret_file(path: Path, content: str, mode: int = 0o600) -> Path:
    """A file of that content, to which those have rights that the mode says."""
    path.write_text(content, encoding="utf-8")
    path.chmod(mode)
    return path


def test_secrets_can_be_the_first_lines_of_files_and_are_shown_nowhere(tmp_path: Path) -> None:
    files = {
        "handlersocket_plain_secret_file": secret_file(tmp_path / "r", "open sesame\nmore\n"),
        "handlersocket_plain_secret_wr_file": secret_file(tmp_path / "w", "open wheat\r\n", 0o640),
    }
    with make(files) as server:
        with Client(server.port) as reader, Client(server.port_wr) as writer:
            assert reader.raw(b"A\t1\topen wheat") == b"3\t1\tunauth"
            assert reader.raw(b"A\t1\topen sesame") == b"0\t1"
            assert writer.raw(b"A\t1\topen sesame") == b"3\t1\tunauth"
            assert writer.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"3\t1\tunauth"
            assert writer.raw(b"A\t1\topen wheat") == b"0\t1"
            writer.open("hs.t", ["id"])
        shown = str(server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'"))
        assert str(tmp_path / "r") in shown
        for secret in ("sesame", "wheat"):
            assert secret not in shown + server.error_log()
        # Read when the plugin starts, and only then.
        secret_file(tmp_path / "r", "another\n")
        with Client(server.port) as reader:
            assert reader.raw(b"A\t1\topen sesame") == b"0\t1"
        server.restart()
        with Client(server.port) as reader:
            assert reader.raw(b"A\t1\tanother") == b"0\t1"


def test_the_read_ports_secret_file_guards_the_write_port_unless_that_has_its_own(
    tmp_path: Path,
) -> None:
    file = secret_file(tmp_path / "secret", "s\n")
    with make({"handlersocket_plain_secret_file": file}) as server:
        with Client(server.port_wr) as writer:
            assert writer.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"3\t1\tunauth"
            assert writer.raw(b"A\t1\ts") == b"0\t1"
        server.variables["handlersocket_plain_secret_wr"] = ""
        server.restart()
        with Client(server.port) as reader, Client(server.port_wr) as writer:
            assert reader.raw(b"P\t1\ths\tt\tPRIMARY\tid") == b"3\t1\tunauth"
            writer.open("hs.t", ["id"])


def log_of_refusal(server: PrivateServer, options: dict[str, object]) -> str:
    """Restarts the server with the plugin and these options, which it refuses: what its log has."""
    server.arguments = [
        "--plugin-load-add=handlersocket2.so",
        f"--handlersocket-port={free_port()}",
        "--handlersocket-port-wr=",
        *(f"--{name}={value}" for name, value in options.items()),
    ]
    server.restart()
    assert server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'") == []
    log = server.error_log(this_start_only=True)
    assert "listening" not in log
    return log


def test_a_secret_file_that_is_no_good_keeps_the_plugin_from_starting(tmp_path: Path) -> None:
    good = secret_file(tmp_path / "good", "sesame\n")
    open_to_all = secret_file(tmp_path / "open", "sesame\n", 0o644)
    empty = secret_file(tmp_path / "empty", "\nsesame\n")
    option = "handlersocket_plain_secret"
    refused = [
        ({option: "x", f"{option}_file": good}, f"{option} and {option}_file are both set"),
        ({f"{option}_wr": "", f"{option}_wr_file": good}, f"{option}_wr and {option}_wr_file are"),
        ({f"{option}_file": open_to_all}, f"{open_to_all}, can be read or written by every user"),
        ({f"{option}_file": empty}, f"{empty}, has an empty first line ({option}_file)"),
        ({f"{option}_wr_file": tmp_path / "none"}, f"No such file or directory ({option}_wr_file)"),
    ]
    with PrivateServer(plugin="none") as server:
        for options, sentence in refused:
            log = log_of_refusal(server, options)
            assert sentence in log
            assert "sesame" not in log


def test_unix_sockets_have_the_mode_and_the_group_that_are_asked_for(tmp_path: Path) -> None:
    ports = {"handlersocket_port": tmp_path / "r", "handlersocket_port_wr": tmp_path / "w"}
    group = 54321 if os.geteuid() == 0 else os.getegid()
    with make({"handlersocket_address": "/", **ports}) as server:
        for mode, owner in ((0o660, os.getegid()), (0o606, group)):
            for path in ports.values():
                about = path.stat()
                assert stat.S_ISSOCK(about.st_mode)
                assert (stat.S_IMODE(about.st_mode), about.st_gid) == (mode, owner)
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(path))
                    client.sendall(b"X\n")
                    assert client.recv(100) == b"2\t1\tcmd\n"
            server.variables["handlersocket_socket_mode"] = "606"
            server.variables["handlersocket_socket_group"] = group
            server.restart()


def test_unix_sockets_serve_beside_the_ports(tmp_path: Path) -> None:
    sockets = {"handlersocket_socket": tmp_path / "r", "handlersocket_socket_wr": tmp_path / "w"}
    with make(sockets) as server:
        with Client(server.port_wr) as writer:
            writer.open("hs.t", ["id", "v"])
            assert writer.request(1, "+", 2, 7, "seven") == b"0\t1"
        for path, answer in zip(sockets.values(), (b"2\t1\treadonly", b"0\t1")):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(path))
                client.sendall(b"P\t1\ths\tt\tPRIMARY\tid,v\n1\t=\t1\t7\n1\t+\t2\t8\teight\n")
                lines = client.makefile("rb")
                assert [next(lines).rstrip(b"\n") for _ in range(3)] == [
                    b"0\t1",
                    b"0\t2\t7\tseven",
                    answer,
                ]
        log = server.error_log()
        assert f"listening for reads on the socket {tmp_path / 'r'}" in log
        assert f"listening for reads and writes on the socket {tmp_path / 'w'}" in log
    assert not any(path.exists() for path in sockets.values())


def test_several_addresses_are_listened_on() -> None:
    with make({"handlersocket_address": "127.0.0.1, 127.0.0.2"}) as server:
        for host in ("127.0.0.1", "127.0.0.2"):
            for port in (server.port, server.port_wr):
                with socket.create_connection((host, port), timeout=30) as client:
                    client.sendall(b"X\n")
                    assert client.recv(100) == b"2\t1\tcmd\n"


def test_other_machines_are_served_only_with_a_secret_or_on_request() -> None:
    with PrivateServer(plugin="none") as server:
        log = log_of_refusal(server, {"handlersocket_address": "0.0.0.0"})
        assert "can be reached from other machines and asks its clients for no secret" in log
        assert "handlersocket_allow_unauthenticated = 1" in log
        assert "(handlersocket_address)" in log
        assert "has an empty one" in log_of_refusal(server, {"handlersocket_address": "127.0.0.1,"})
        assert "other machines" in log_of_refusal(server, {"handlersocket_address": ""})
    for allowed in (
        {"handlersocket_plain_secret": "sesame"},
        {"handlersocket_allow_unauthenticated": True},
    ):
        with make({"handlersocket_address": "0.0.0.0", **allowed}) as server:
            assert "listening for reads on port" in server.error_log()


def test_rights_of_a_socket_that_are_nonsense_keep_the_plugin_from_starting() -> None:
    refused = [
        ({"handlersocket_socket_mode": "0888"}, "'0888' is no mode of a socket"),
        ({"handlersocket_socket_mode": "0440"}, "no client could connect"),
        ({"handlersocket_socket_group": "no-such-group"}, "there is no group 'no-such-group'"),
    ]
    with PrivateServer(plugin="none") as server:
        for options, sentence in refused:
            log = log_of_refusal(server, options)
            assert sentence in log
            assert f"({next(iter(options))})" in log


def test_values_are_utf8_or_on_demand_the_columns_own_bytes() -> None:
    for character_set, sent in (("utf8mb4", "ä".encode()), ("binary", b"\xe4")):
        with make({"handlersocket_character_set": character_set}) as server:
            with Client(server.port_wr) as client:
                client.open("hs.t", ["id", "v"])
                client.open("hs.t", ["v"], index="v", id=2)
                assert client.request(1, "+", 2, 1, sent) == b"0\t1"
                assert server.sql("SELECT v, HEX(v) FROM hs.t") == [("ä", "E4")]
                assert client.find("=", [sent], id=2) == [(sent,)]
