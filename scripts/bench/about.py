"""When, where and with what a section is measured."""

from __future__ import annotations

import argparse
import subprocess
from datetime import datetime, timezone
from typing import Any

import server_files
from server_files import REPOSITORY

from bench import machine, processes, settings


def describe(options: argparse.Namespace) -> dict[str, Any]:
    """Everything that the page says besides figures."""
    variables = {
        name: int(value) if isinstance(value, bool) else value
        for name, value in settings.variables().items()
    }
    complete = server_files.SERVER_ROOT.parent / "complete"
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "revision": revision(),
        "machine": machine.describe(),
        "versions": {
            "MariaDB, the stock plugin": f"{complete.read_text().strip()} (Debian's packages)",
            "memcached": processes.version("memcached"),
            "Redis": processes.version("redis-server"),
        },
        "variables": variables,
        "binary_log": settings.BINARY_LOG,
        "rows": options.rows,
        "cold_rows": options.cold_rows,
        "rounds": options.rounds,
        "seconds": options.seconds,
        "server_core": options.server_core,
        "load_core": options.load_core,
        "quiet": options.quiet,
    }


def revision() -> str:
    """The commit that was measured."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(REPOSITORY), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.stdout.strip()

    try:
        commit = git("rev-parse", "--short", "HEAD")
        changed = git("status", "--porcelain", "--", "src")
    except FileNotFoundError:
        return "unknown"
    return (commit or "unknown") + (" with changes" if changed else "")
