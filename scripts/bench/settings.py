"""How the MariaDB servers of the benchmark are set up, which their names say."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from private_server import PluginChoice

from bench import certificate, machine, misses

GIB = 2**30

WITH_LOG = "-binlog"
SLOW = "-slow"
DEFAULT = "-default"
THREADS = "-threads"
NO_SPIN = "-nospin"
COLD = "-cold"
AGAIN = "-again"
HUGE = "-huge"
THP = "-thp"
COST = "-cost"
LEAST_POOL = 16 * 2**20  # bytes
COLD_BYTES_PER_ROW = 8  # of the buffer pool; a row takes fifteen times as much
# So that more of the descriptors are for connections.
FEW_TABLES = 200
BINARY_LOG: dict[str, object] = {
    "log_bin": "binlog",
    "server_id": 1,
    "binlog_format": "ROW",
    "sync_binlog": 1,
}


def pool_gib() -> int:
    """A third of the memory, at most 8 GiB."""
    return max(1, min(8, round(machine.memory_bytes() / GIB / 3)))


def variables() -> dict[str, object]:
    """The settings that both plugins' servers have."""
    return {
        "innodb_buffer_pool_size": f"{pool_gib()}G",
        "innodb_adaptive_hash_index": True,
        # All rows of an index share one part, so fewer parts have more places for it.
        "innodb_adaptive_hash_index_parts": 2,
        "innodb_log_file_size": "1G",
        "innodb_flush_log_at_trx_commit": 1,
        "character_set_server": "utf8mb4",
        "max_connections": 300,
        "handlersocket_threads": 1,
        "handlersocket_threads_wr": 1,
    }


@dataclass(frozen=True)
class Setting:
    """One server. Its name is ours or stock, with suffixes, in this order:

    -binlog      with the binary log, and without the rows of test.user
    -slow        each sync of its files takes longer (--sync-delay)
    -default     handlersocket_threads_wr is what it is by default
    -threads2    with so many threads of the read port, on all cores
    -nospin      threads never look for the next request before they sleep
    -cold        most rows of test.user do not fit the buffer pool; on all cores
    -again       the data of ours, which does not run meanwhile
    -huge        the same, with large_pages
    -thp         the same; malloc asks for transparent huge pages
    -cost        its plugin can be replaced while it runs, and it has a certificate
    """

    plugin: PluginChoice
    directory: str
    variables: Mapping[str, object]
    environment: Mapping[str, str]
    rows: int  # of test.user; 0: not made, and not read before anything else
    heated: bool  # they are in memory when the server is used
    pinned: bool  # to its core
    changes: bool = False  # its plugin can be replaced while it runs

    @staticmethod
    def of(name: str, options: argparse.Namespace) -> Setting:
        """What a server of that name has."""
        plugin, *suffixes = name.split("-")
        settings = variables()
        environment = {}
        rows = options.rows
        for suffix in (f"-{suffix}" for suffix in suffixes):
            if suffix == WITH_LOG:
                settings |= BINARY_LOG
                rows = 0
            elif suffix == SLOW:
                environment = sync_delay_environment(options.build, options.sync_delay)
            elif suffix == DEFAULT:
                del settings["handlersocket_threads_wr"]
            elif suffix == NO_SPIN:
                settings["handlersocket_spin_us"] = 0
            elif suffix == COLD:
                settings = {**misses.VARIABLES, "innodb_buffer_pool_size": cold_pool(options)}
                rows = options.cold_rows
            elif suffix == HUGE:
                settings["large_pages"] = True
            elif suffix == THP:
                environment = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
            elif suffix == COST:
                settings |= {**certificate.settings(), "table_open_cache": FEW_TABLES}
            elif suffix.startswith(THREADS):
                settings["handlersocket_threads"] = int(suffix.removeprefix(THREADS))
            elif suffix != AGAIN:
                raise ValueError(name)
        shared = suffixes and f"-{suffixes[-1]}" in (AGAIN, HUGE, THP)
        return Setting(
            plugin="stock" if plugin == "stock" else "ours",
            directory=plugin if shared else name,
            variables=settings,
            environment=environment,
            rows=0 if shared else rows,
            heated=COLD not in name,
            pinned=COLD not in name and THREADS not in name,
            changes=COST in name,
        )


def cold_pool(options: argparse.Namespace) -> int:
    """Bytes of a buffer pool that holds few of the cold rows, and all hot ones."""
    return max(LEAST_POOL, COLD_BYTES_PER_ROW * options.cold_rows)


def sync_delay_environment(build: Path, milliseconds: float) -> dict[str, str]:
    """What makes each sync of a server take so much longer (tools/sync_delay)."""
    return {
        "LD_PRELOAD": str(build / "tools/sync_delay/hs_sync_delay.so"),
        "HS_SYNC_DELAY_MS": f"{milliseconds:g}",
    }
