"""Ports are given to one process at a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ports
import pytest

SCRIPTS = Path(ports.__file__).parent


def _other_process(statement: str) -> str:
    """What another process that uses the module prints."""
    done = subprocess.run(
        [sys.executable, "-c", f"import ports\n{statement}"],
        cwd=SCRIPTS,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_another_process_is_not_given_a_port_that_was_given_here() -> None:
    port = ports.free_port()
    only_that = f"ports.PORT_RANGE = [{port}]"
    wanted = f"{only_that}\ntry: ports.free_port()\nexcept ports.ServerError as error: print(error)"
    assert _other_process(wanted) == "no free port found"


def test_a_port_is_not_given_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "PORT_RANGE", [ports.free_port()])
    with pytest.raises(ports.ServerError, match="no free port"):
        ports.free_port()


def test_a_port_goes_with_the_process_that_had_it(monkeypatch: pytest.MonkeyPatch) -> None:
    port = int(_other_process("print(ports.free_port())"))
    monkeypatch.setattr(ports, "PORT_RANGE", [port])
    assert ports.free_port() == port
