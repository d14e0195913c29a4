"""TLS and accounts: who may come in, and who does not come in."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from certificates import Certificates
from conftest import Run, environment, runner
from private_accounts import PASSWORD, make_guarded_table
from private_server import PrivateServer
from terminal import Terminal

@pytest.fixture(scope="module")
def certificates() -> Iterator[Certificates]:
    """A certificate for localhost, in a folder that the server's user may read."""
    with tempfile.TemporaryDirectory(prefix="hs-tls-") as name:
        Path(name).chmod(0o755)
        made = Certificates(Path(name))
        made.make("foreign")
        made.make("localhost", signed_by="ca", hosts=["localhost"])
        yield made


@pytest.fixture(scope="module")
def folder(certificates: Certificates) -> Path:
    """The folder of the certificates."""
    return certificates.directory


@pytest.fixture(scope="module")
def guarded(certificates: Certificates) -> Iterator[PrivateServer]:
    """A server that asks for accounts, and has TLS."""
    variables = {"handlersocket_authentication": "account", **certificates.variables("localhost", ca=None)}
    with PrivateServer(variables=variables) as running:
        make_guarded_table(running, app="ALL", reader="SELECT (id)")
        yield running


@pytest.fixture
def guest(guarded: PrivateServer, tmp_path: Path) -> Run:
    """hs, led to the server that asks for accounts."""
    return runner(guarded, tmp_path)


def test_the_password_comes_from_the_environment_or_an_option_file(
    guest: Run, guarded: PrivateServer, tmp_path: Path
) -> None:
    assert guest("get", "t", "1", "-N", "-u", "app", env={"HS_PASSWORD": PASSWORD}).stdout == b"1\t2\n"
    (tmp_path / ".my.cnf").write_text(f'[client]\nuser = app\npassword = "{PASSWORD}"\n')
    assert guest("get", "t", "1", "-N").stdout == b"1\t2\n"
    (tmp_path / ".hs.cnf").write_text(f"[hs]\nuser = reader\npassword = {PASSWORD}\n")
    assert guest("get", "t", "1", "-N", "-c", "id").stdout == b"1\n"
    assert guest("update", "t", "1", "v=2", "-u", "app").returncode == 0


def test_rows_are_added_where_the_write_port_alone_asks_for_an_account(tmp_path: Path) -> None:
    with PrivateServer(variables={"handlersocket_authentication_wr": "account"}) as server:
        make_guarded_table(server, app="ALL")
        hs = runner(server, tmp_path)
        added = hs("insert", "t", "id=2", "v=3", "-u", "app", env={"HS_PASSWORD": PASSWORD})
        assert added.returncode == 0, added.stderr
        assert server.sql("SELECT * FROM test.t") == [(1, 2), (2, 3)]


def test_the_password_is_asked_for_and_not_shown(guarded: PrivateServer, tmp_path: Path) -> None:
    env = environment(guarded, tmp_path)
    terminal = Terminal(env, "get", "t", "1", "-u", "app", "-p", "-f", "csv")
    try:
        terminal.wait_for("Password: ")
        terminal.send(PASSWORD + "\n")
        assert PASSWORD not in terminal.wait_for("id,v\r\n1,2\r\n")
        assert terminal.process.wait(timeout=60) == 0
    finally:
        terminal.close()


def test_a_password_is_asked_for_on_a_terminal_only(guest: Run) -> None:
    run = guest("get", "t", "1", "-u", "app", "-p", input=b"")
    assert run.returncode == 2 and b"no terminal to ask for the password on" in run.stderr
    run = guest("get", "t", "1", "-p", input=b"")
    assert run.returncode == 2 and b"--ask-password needs --user" in run.stderr


@pytest.mark.parametrize("words", [("-u", "app"), ("-u", "nobody"), ()])
def test_who_has_not_the_password_does_not_come_in(guest: Run, words: tuple[str, ...]) -> None:
    for command in (("get", "t", "1"), ("update", "t", "1", "v=3"), ("ping",)):
        run = guest(*command, *words, env={"HS_PASSWORD": "wrong secret"})
        assert run.returncode == 3 and run.stdout == b"", run
        assert b"AuthenticationError: unauth" in run.stderr and b"wrong secret" not in run.stderr


def test_ping_tells_of_a_port_that_asks_for_a_login(guest: Run) -> None:
    for port in ((), ("--write",)):
        said = guest("ping", *port).stdout.decode()
        assert re.fullmatch(r"HandlerSocket 2 answers in [0-9.]+ ms, and asks for a login\n", said), said
    (told,) = json.loads(guest("ping", "-f", "json").stdout)
    assert (told["product"], told["version"], told["server"], told["features"]) == ("HandlerSocket 2", None, None, None)


def test_an_account_does_no_more_than_it_may(guest: Run, guarded: PrivateServer, tmp_path: Path) -> None:
    (tmp_path / ".hs.cnf").write_text(f"[hs]\nuser = reader\npassword = {PASSWORD}\n")
    file = tmp_path / "in.csv"
    file.write_text("id,v\n5,5\n")
    for words in (
        ("get", "t", "1", "-c", "id,v"),
        ("update", "t", "1", "id=3"),
        ("insert", "t", "id=3"),
        ("delete", "t", "1"),
        ("get", "mysql.user", "x"),
    ):
        run = guest(*words)
        assert (run.returncode, run.stdout) == (3, b""), run
    assert guest("import", "t", str(file)).returncode == 2
    assert guarded.sql("SELECT * FROM test.t") == [(1, 2)]


def test_tls_looks_at_the_certificate(guest: Run, guarded: PrivateServer, folder: Path) -> None:
    by_name = ("-H", "localhost", "-P", str(guarded.port), "--write-port", str(guarded.port_wr), "-u", "app")
    verified = ("--tls", "verify", "--tls-ca", f"{folder}/ca.pem")
    env = {"HS_PASSWORD": PASSWORD}
    assert guest("get", "t", "1", *by_name, *verified, env=env).returncode == 0
    assert guest("update", "t", "1", "v=2", *by_name, *verified, env=env).returncode == 0
    assert guest("get", "t", "1", *by_name, "--tls", "require", env=env).returncode == 0
    for wrong in (
        ("--tls", "verify", "--tls-ca", f"{folder}/foreign.pem"),
        ("--tls", "verify"),
        (*verified, "--tls-name", "other"),
    ):
        run = guest("get", "t", "1", *by_name, *wrong, env=env)
        assert (run.returncode, run.stdout) == (4, b""), run
        assert b"certificate" in run.stderr, run.stderr
    run = guest("get", "t", "1", *by_name, "--tls", "verify", "--tls-ca", f"{folder}/none.pem", env=env)
    assert run.returncode == 2 and b"none.pem: " in run.stderr, run.stderr


def test_a_server_without_tls_is_none_for_who_asks_for_tls(hs: Run) -> None:
    run = hs("get", "user", "5", "-u", "app", "--tls", "require", env={"HS_PASSWORD": PASSWORD})
    assert run.returncode == 4, run
