"""What the binary log of a server has."""

from __future__ import annotations

from pathlib import Path

from private_server import PrivateServer

QUERY_EVENT = 2

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


def statement_errors(server: PrivateServer) -> set[int]:
    """The errors that statements of the present file have ended with, 0 among them: replicas stop at
    others. Source: sql/log_event.h, Query_log_event."""
    folder = Path(str(server.sql("SELECT @@log_bin_basename")[0][0])).parent
    server.sql("FLUSH BINARY LOGS")
    file = [str(row[0]) for row in server.sql("SHOW BINARY LOGS")][-2]
    log = (folder / file).read_bytes()
    found, place = set(), 4
    while place < len(log):
        kind, size = log[place + 4], int.from_bytes(log[place + 9 : place + 13], "little")
        if kind == QUERY_EVENT:
            found.add(int.from_bytes(log[place + 28 : place + 30], "little"))
        place += size
    return found
