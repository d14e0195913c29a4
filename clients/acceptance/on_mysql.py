"""What is otherwise on MySQL."""

from __future__ import annotations

import re
from pathlib import Path

import server_files

IS_MYSQL = server_files.is_mysql(server_files.SERVER_ROOT)
GTID = re.compile(r"[0-9a-f-]{36}:(\d+)" if IS_MYSQL else r"\d+-\d+-(\d+)")
GTID_THAT_NEVER_COMES = "00000000-0000-0000-0000-000000000007:7" if IS_MYSQL else "7-7-7"
LOWEST_TIME = "-838:59:59" if IS_MYSQL else "-838:59:59.99"


def secure(folder: Path) -> str:
    """What a URL with an account needs: to MySQL a client shows the password, and so only where it knows the server."""
    return f"&tls=verify&tls_name=localhost&tls_ca={folder}/ca.pem" if IS_MYSQL else ""
