"""What ./run topology starts, and the commands of docs/scaling.md. Galera's is in tests/galera."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import topology
from server_files import REPOSITORY

PAGE = REPOSITORY / "docs/scaling.md"


@pytest.mark.parametrize("name", ["replicas", "shards"])
def test_a_topology_shows_its_session_and_lives_on_without_its_first_server(name: str) -> None:
    command = [sys.executable, str(REPOSITORY / "scripts/topology.py"), name, "--once"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("Every answer is as it should be.\n")


def test_the_commands_of_the_page_print_what_stands_below_them(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    ports = topology.ports(3, free=False)
    made = topology.replicas(tmp_path, topology.ports(3, free=True))
    try:
        for fixed, (_, server) in zip(ports, made.servers):
            for name in ("port", "port_wr"):
                text = text.replace(f" {fixed[name]} ", f" {getattr(server, name)} ")
        session = re.search(r"^    \$ .+\n(?:    .+\n)+", text, re.M)
        assert session is not None
        lines = [line.removeprefix("    ") for line in session[0].splitlines()]
        commands = [line[2:] for line in lines if line.startswith("$ ")]
        shown = [line for line in lines if not line.startswith("$ ")]
        assert len(commands) == 2 and len(shown) == 3
        # A busy machine may take longer to apply a change than nc waits.
        script = "\n".join(commands).replace("-q 1", "-q 5")
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.stdout.splitlines() == shown
    finally:
        for _, server in made.servers:
            server.close()
