"""The worked example runs as its page says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = REPOSITORY / "docs/example-web-application.md"


def test_the_command_of_the_page_prints_each_store_and_the_plugin_is_never_stale() -> None:
    command = re.search(r"^    (examples/web/measure\.py .*)$", PAGE.read_text("utf-8"), re.M)
    assert command
    done = subprocess.run(
        ["/usr/bin/python3", *command[1].split()],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    plugin, redis, cache = done.stdout.splitlines()[2:]
    assert "| the plugin |" in plugin and "| 0 of 400 |" in plugin
    assert "| the plugin, by a client of Redis |" in redis and "| 0 of 400 |" in redis
    stale = re.search(r"(\d+) of 400", cache)
    assert stale and int(stale[1]) > 0
