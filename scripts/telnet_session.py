"""The session that ./run shows: real requests over plain sockets, their answers, and a check.

Every request is sent as it is printed, and every answer is printed as it came. TABs are shown as
\\t, which is how `printf` takes them, too. The expected answers come from the definition of the
sample table and, where other rows may be in the way, from SQL.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass

from private_server import PrivateServer
from sample_table import SAMPLE_ID, SAMPLE_ROW

# No generated row has this id.
SCRATCH_ID = 4_000_000_000
RANGE_FROM = 100
TIMEOUT_S = 30
COLUMNS = "user_name,user_email,created"

Print = Callable[[str], None]


class WrongAnswer(Exception):
    """An answer that is not the expected one."""


@dataclass(frozen=True)
class Exchange:
    """One request and the answer that it must get; both without the line's end."""

    remark: str
    request: str
    answer: str


def show(server: PrivateServer, out: Print) -> None:
    """Holds the session on both ports. Raises WrongAnswer at the first unexpected answer."""
    server.sql("DELETE FROM test.user WHERE user_id = %s", (SCRATCH_ID,))
    _converse("read port", server.port, _reading(server), out)
    _converse("write port", server.port_wr, _writing(), out)
    _check_sql(server, ("Renamed Row", "scratch@example.com", "2024-02-29 12:00:00"), out)
    _converse("write port", server.port_wr, _deleting(), out)
    _check_sql(server, None, out)


def _line(*tokens: object) -> str:
    return "\t".join(str(token) for token in tokens)


def _open(index_id: int, columns: str) -> Exchange:
    request = _line("P", index_id, "test", "user", "PRIMARY", columns)
    return Exchange(f"open index {index_id}: the primary key of test.user", request, _line(0, 1))


def _reading(server: PrivateServer) -> list[Exchange]:
    rows = server.sql(
        "SELECT user_name, user_email, CAST(created AS CHAR) FROM test.user"
        " WHERE user_id >= %s ORDER BY user_id LIMIT 3",
        (RANGE_FROM,),
    )
    values = [value for row in rows for value in row]
    return [
        _open(1, COLUMNS),
        Exchange(
            f"find user_id = {SAMPLE_ID}",
            _line(1, "=", 1, SAMPLE_ID),
            _line(0, 3, *SAMPLE_ROW),
        ),
        Exchange(
            f"the first three rows from user_id {RANGE_FROM} on",
            _line(1, ">=", 1, RANGE_FROM, 3),
            _line(0, 3, *values),
        ),
        Exchange("a row that is not there", _line(1, "=", 1, SCRATCH_ID), _line(0, 3)),
    ]


def _writing() -> list[Exchange]:
    row = ("Scratch Row", "scratch@example.com", "2024-02-29 12:00:00")
    return [
        _open(1, "user_id," + COLUMNS),
        _open(2, "user_name"),
        Exchange("insert a row", _line(1, "+", 4, SCRATCH_ID, *row), _line(0, 1)),
        Exchange(
            "update its name: one row changed",
            _line(2, "=", 1, SCRATCH_ID, 1, 0, "U", "Renamed Row"),
            _line(0, 1, 1),
        ),
        Exchange("read the name back", _line(2, "=", 1, SCRATCH_ID), _line(0, 1, "Renamed Row")),
    ]


def _deleting() -> list[Exchange]:
    return [
        _open(1, "user_id"),
        Exchange("delete it: one row", _line(1, "=", 1, SCRATCH_ID, 1, 0, "D"), _line(0, 1, 1)),
        Exchange("it is gone", _line(1, "=", 1, SCRATCH_ID), _line(0, 1)),
    ]


def visible(line: str) -> str:
    """The line as it is printed: control characters as printf would take them."""
    return "".join(
        "\\t" if c == "\t" else f"\\x{ord(c):02x}" if c < " " or c == "\x7f" else c for c in line
    )


def _converse(name: str, port: int, exchanges: list[Exchange], out: Print) -> None:
    out(f"\n$ telnet 127.0.0.1 {port}        # the {name}; > is sent, < is answered, \\t is a TAB")
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as connection:
        answers = connection.makefile("rb")
        for exchange in exchanges:
            out(f"  # {exchange.remark}")
            out(f"  > {visible(exchange.request)}")
            connection.sendall(exchange.request.encode() + b"\n")
            received = answers.readline()
            answer = received.decode(errors="replace").removesuffix("\n")
            out(f"  < {visible(answer)}")
            if not received.endswith(b"\n"):
                raise WrongAnswer(f"the {name} closed the connection instead of answering")
            if answer != exchange.answer:
                raise WrongAnswer(
                    f"the {name} answered {visible(answer)!r}"
                    f" to {visible(exchange.request)!r}; expected {visible(exchange.answer)!r}"
                )


def _check_sql(server: PrivateServer, expected: tuple[str, ...] | None, out: Print) -> None:
    statement = (
        "SELECT user_name, user_email, CAST(created AS CHAR) FROM test.user"
        f" WHERE user_id = {SCRATCH_ID}"
    )
    rows = server.sql(statement)
    out("\nSQL sees the same rows:")
    out(f"  > {statement}")
    out("  < " + (" | ".join(rows[0]) if rows else "(no row)"))
    if rows != ([] if expected is None else [expected]):
        raise WrongAnswer(f"SQL sees {rows} where the session left {expected}")
