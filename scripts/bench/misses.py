"""How rows that are not in memory are measured: here, and by scripts/bench_misses.py."""

from __future__ import annotations

from private_server import PrivateServer

HOT = 50_000  # rows that are read often, and fit the buffer pool
VARIABLES: dict[str, object] = {
    "innodb_buffer_pool_size": "64M",
    "innodb_flush_method": "O_DIRECT",
    "innodb_adaptive_hash_index": True,
    "innodb_log_file_size": "128M",
    "handlersocket_threads": 2,
    "handlersocket_threads_wr": 1,
    "max_connections": 500,
}


def pages_read(server: PrivateServer) -> int:
    """How many pages the server has read from its disk so far, because they were needed."""
    return int(server.sql("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_reads'")[0][1])
