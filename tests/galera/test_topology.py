"""./run topology galera, as docs/scaling.md has it."""

from __future__ import annotations

import subprocess
import sys

from server_files import REPOSITORY


def test_the_topology_shows_its_session_and_lives_on_without_its_first_node() -> None:
    command = [sys.executable, str(REPOSITORY / "scripts/topology.py"), "galera", "--once"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Every answer is as it should be.\n")
