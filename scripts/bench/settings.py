"""How the MariaDB servers of the benchmark are set up, which their names say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from private_server import PluginChoice

from bench import machine

GIB = 2**30

WITH_LOG = "-binlog"
SLOW = "-slow"
DEFAULT = "-default"
THREADS = "-threads"
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
    """One server. Its name is ours or stock, with suffixes in this order:

    -binlog      with the binary log, and without the rows of test.user
    -slow        each sync of its files takes longer (--sync-delay)
    -default     handlersocket_threads_wr is what it is by default
    -threads2    with so many threads of the read port, on all cores
    """

    plugin: PluginChoice
    variables: Mapping[str, object]
    environment: Mapping[str, str]
    filled: bool  # has the rows of test.user
    pinned: bool  # to its core

    @staticmethod
    def of(name: str, build: Path, sync_delay_ms: float) -> Setting:
        """What a server of that name has. `build`: where the tools are."""
        settings = variables()
        if WITH_LOG in name:
            settings |= BINARY_LOG
        if DEFAULT in name:
            del settings["handlersocket_threads_wr"]
        _, _, threads = name.partition(THREADS)
        if threads:
            settings["handlersocket_threads"] = int(threads)
        return Setting(
            plugin="stock" if name.startswith("stock") else "ours",
            variables=settings,
            environment=sync_delay_environment(build, sync_delay_ms) if SLOW in name else {},
            filled=WITH_LOG not in name,
            pinned=not threads,
        )


def sync_delay_environment(build: Path, milliseconds: float) -> dict[str, str]:
    """What makes each sync of a server take so much longer (tools/sync_delay)."""
    return {
        "LD_PRELOAD": str(build / "tools/sync_delay/hs_sync_delay.so"),
        "HS_SYNC_DELAY_MS": f"{milliseconds:g}",
    }
