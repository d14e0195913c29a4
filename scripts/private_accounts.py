"""Accounts of a private server, and the table that the tests of logins read."""

from __future__ import annotations

from collections.abc import Iterable

from private_server import PrivateServer

# It has what URLs, option files and shells take for something else.
PASSWORD = "p:w/?% é#"


def identified_by(password: str) -> str:
    """How an account logs in that has a password of the usual kind."""
    escaped = password.replace("\\", "\\\\").replace("'", "''")
    return f"IDENTIFIED BY '{escaped}'"


def make_account(
    server: PrivateServer, user: str, how: str, grants: Iterable[str] = (), host: str = "%"
) -> str:
    """Makes an account, which logs in by `how`, with these privileges. Its name as SQL takes it."""
    name = f"'{user}'@'{host}'"
    server.sql(f"CREATE USER {name} {how}")
    for grant in grants:
        server.sql(f"GRANT {grant} TO {name}")
    return name


def make_guarded_table(server: PrivateServer, **grants: str) -> None:
    """The table test.t with the row (1, 2), and accounts with PASSWORD and that privilege on it."""
    server.sql("CREATE DATABASE test")
    server.sql("CREATE TABLE test.t (id INT PRIMARY KEY, v INT)")
    server.sql("INSERT INTO test.t VALUES (1, 2)")
    for user, grant in grants.items():
        make_account(server, user, identified_by(PASSWORD), [f"{grant} ON test.t"])
