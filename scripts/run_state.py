"""Which server runs in a directory of ./run: a small file, believed only after a look at /proc.

A process id alone may belong to another process by now. Together with the time at which the process
started it is certain.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from server_files import ServerError

STATE_FILE = "server.json"
STOP_TIMEOUT_S = 120


@dataclass(frozen=True)
class State:
    """One running server, as its file says. `started` is its start time in clock ticks."""

    pid: int
    started: int
    port: int
    port_wr: int
    sql_port: int
    socket: str


def start_time(pid: int) -> int | None:
    """When the process started, in clock ticks since boot; None when it is gone (or a zombie)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    after_name = fields.rpartition(")")[2].split()
    return None if after_name[0] == "Z" else int(after_name[19])


def write(directory: Path, state: State) -> None:
    """Notes the server of this directory; the file is whole at any moment."""
    new = directory / (STATE_FILE + ".new")
    new.write_text(json.dumps(asdict(state)) + "\n", encoding="ascii")
    new.rename(directory / STATE_FILE)


def read_running(directory: Path) -> State | None:
    """The server that runs in this directory, if any. Removes the note of one that is gone."""
    file = directory / STATE_FILE
    try:
        state = State(**json.loads(file.read_text(encoding="ascii")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        file.unlink(missing_ok=True)
        return None
    if start_time(state.pid) == state.started:
        return state
    file.unlink(missing_ok=True)
    return None


def forget(directory: Path) -> None:
    """Removes the note after the server's end."""
    (directory / STATE_FILE).unlink(missing_ok=True)


def lock(directory: Path) -> IO[str]:
    """Locks the directory against a second ./run until the result is closed."""
    handle = (directory / "lock").open("w", encoding="ascii")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.close()
        raise ServerError(f"another ./run is at work in {directory}") from None
    return handle


def stop(directory: Path) -> State:
    """Ends the directory's server cleanly, waits for its end, and returns what it was."""
    state = read_running(directory)
    if state is None:
        raise ServerError(f"no server runs in {directory}")
    os.kill(state.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while start_time(state.pid) == state.started:
        if time.monotonic() > deadline:
            raise ServerError(
                f"the server in {directory} (process {state.pid}) got the signal to end "
                f"but still runs after {STOP_TIMEOUT_S} s"
            )
        time.sleep(0.02)
    forget(directory)
    return state
