"""What the binary log of a server has."""

from __future__ import annotations

from private_server import PrivateServer

Place = tuple[str, int]  # file and position


def end_of_log(server: PrivateServer) -> Place:
    file, position = server.sql("SHOW MASTER STATUS")[0][:2]
    return str(file), int(position)


def log_events(server: PrivateServer, place: Place | None = None) -> list[str]:
    """The kinds of events since `place`, or of the present file; row events without their version."""
    file, position = place or (end_of_log(server)[0], 4)
    rows = server.sql(f"SHOW BINLOG EVENTS IN '{file}' FROM {position}")
    # MySQL has the beginning of a transaction as an event of its own.
    return [str(row[2]).removesuffix("_v1") for row in rows if row[5] != "BEGIN"]
