"""GTIDs as the server at hand writes them."""

from __future__ import annotations

import server_files
from private_server import PrivateServer

_IS_MYSQL = server_files.is_mysql(server_files.SERVER_ROOT)
# Of a server that no test has, so it never comes; and one that may be there.
NEVER = "11111111-2222-3333-4444-555555555555:99999999999" if _IS_MYSQL else "0-77-99999999999"
SOME = "11111111-2222-3333-4444-555555555555:1" if _IS_MYSQL else "0-1-1"
MALFORMED = (
    ("x", "11111111-2222-3333-4444-555555555555", f"{SOME}:", f"{SOME}-", f"0{SOME}")
    if _IS_MYSQL
    else ("x", "0-1", "0-1-1,", "4294967296-1-1", ",".join(["0-1-1"] * 65))
)


def last(server: PrivateServer) -> str:
    """The last one in the binary log."""
    position = str(server.sql("SELECT @@GLOBAL.gtid_binlog_pos")[0][0])
    if not _IS_MYSQL or not position:
        return position
    source, _, numbers = position.rpartition(":")  # uuid:1-420
    return f"{source}:{numbers.rpartition('-')[2]}"


def number(server: PrivateServer) -> int:
    """The number of the last one, which is one higher with each commit."""
    return int(last(server).rpartition(":" if _IS_MYSQL else "-")[2])
