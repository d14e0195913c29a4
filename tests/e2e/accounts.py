"""What tests with accounts of the server share: accounts that go with the test, the two answers to a
login, server_audit."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from private_accounts import make_account
from private_server import PrivateServer

IN = b"0\t1"
OUT = b"3\t1\tunauth"

MakeAccount = Callable[..., str]


@contextlib.contextmanager
def made_accounts(server: PrivateServer, grant: str) -> Iterator[MakeAccount]:
    """Makes accounts, `make(user, how, host, grant)`, with that privilege or another one, and returns
    the name of the user. All are dropped at the end."""
    made: list[str] = []
    usual = grant

    def make(user: str, how: str, host: str = "%", grant: str = usual) -> str:
        made.append(make_account(server, user, how, [grant] if grant else [], host))
        return user

    try:
        yield make
    finally:
        for name in made:
            server.sql(f"DROP USER IF EXISTS {name}")


@contextlib.contextmanager
def audited(server: PrivateServer, events: str) -> Iterator[Callable[[str], list[list[str]]]]:
    """Has server_audit log these events. Yields what tells the fields of a user's lines so far."""
    log = server.data_directory / "audit.log"
    server.sql("INSTALL SONAME 'server_audit'")
    try:
        server.sql("SET GLOBAL server_audit_file_path = 'audit.log'")
        server.sql("SET GLOBAL server_audit_events = %s", [events])
        server.sql("SET GLOBAL server_audit_logging = ON")

        def lines(user: str) -> list[list[str]]:
            every = [line.split(",") for line in log.read_text(encoding="utf-8").splitlines()]
            return [fields for fields in every if fields[2] == user]

        yield lines
    finally:
        server.sql("SET GLOBAL server_audit_logging = OFF")
        server.sql("UNINSTALL SONAME 'server_audit'")
