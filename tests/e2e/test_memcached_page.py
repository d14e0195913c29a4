"""What docs/memcached.md shows is run as it stands there; only the port is another one."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from private_server import PrivateServer, free_port

PAGE = Path(__file__).resolve().parents[2] / "docs/memcached.md"


def test_the_first_session_is_as_shown(server: PrivateServer) -> None:
    page = PAGE.read_text(encoding="utf-8").replace("11211", str(free_port()))
    statements, command, shown = re.search(  # type: ignore[union-attr]
        r"\n\n((?:    [^$\n]*\n|\n)+)    \$ (.+)\n((?:    .+\n)+)", page
    ).groups()
    try:
        server.sql("CREATE DATABASE IF NOT EXISTS test")
        for statement in statements.split(";"):
            if statement.strip():
                server.sql(statement)
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout.splitlines() == [line.strip() for line in shown.splitlines()]
        assert server.sql("SELECT id, data FROM test.cart") == [("42", b"hello")]
    finally:
        server.sql("DROP TABLE IF EXISTS test.cart")
        server.sql("SET GLOBAL handlersocket_memcached_port = '0'")
