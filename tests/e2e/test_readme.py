"""What README shows: its program, and its sessions with nc. They are run as they stand there.

Only the ports are others, since the tests take free ones.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sample_table
from private_server import PrivateServer

README = Path(__file__).resolve().parents[2] / "README.md"
PATIENCE_SECONDS = 60


@pytest.fixture
def text(server: PrivateServer) -> Iterator[str]:
    """README with the ports of the tests' server, which has some rows of ./run's sample table."""
    sample_table.make(server, 1000, lambda _: None)
    readme = README.read_text(encoding="utf-8")
    yield readme.replace("9998", str(server.port)).replace("9999", str(server.port_wr))
    server.sql("DROP TABLE test.user")
    (server.directory / "rows.json").unlink()  # the note of how many rows there are


def test_the_program_prints_what_stands_below_it(text: str, tmp_path: Path) -> None:
    shown = re.search(
        r"^```python\n(.*?)^```$.*?^    (\S+) python3 first.py$.*?^```\n(.*?)^```$",
        text,
        re.M | re.S,
    )
    assert shown is not None
    program = tmp_path / "first.py"
    program.write_text(shown[1], encoding="utf-8")
    done = subprocess.run(
        ["env", shown[2], sys.executable, str(program)],
        capture_output=True,
        cwd=README.parent,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, shown[3], "")


def test_each_command_prints_what_stands_below_it(text: str) -> None:
    sessions = re.findall(r"^    \$ (.+)\n((?:    .+\n)+)", text, re.M)
    assert len(sessions) == 4
    for command, shown in sessions:
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        assert done.stdout == re.sub("^    ", "", shown, flags=re.M), command
