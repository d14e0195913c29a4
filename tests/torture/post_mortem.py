"""Facts about a server that has died or hangs: logs, stacks, the process list."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import time

import pymysql
from private_server import PrivateServer

TIMEOUT_S = 60


def allow_cores() -> None:
    """Servers that are started from now on leave a core file when they die, in their data directory."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def answers(server: PrivateServer) -> bool:
    """Whether the server lives. One that does not answer is given time to end."""
    deadline = time.monotonic() + TIMEOUT_S
    while server.running and time.monotonic() < deadline:
        try:
            server.sql("DO 1")
            return True
        except pymysql.err.MySQLError:
            time.sleep(0.2)
    return server.running


def log_tail(server: PrivateServer) -> list[str]:
    """The last lines of the error log, without notes and the noise of imports. What it says again and
    again is there once, where it says it first."""
    quiet = re.compile(r"\[Note\]|`unlogged`\.")
    first: dict[str, str] = {}  # by what a line says behind its time and thread
    for line in server.error_log().splitlines():
        if not quiet.search(line):
            first.setdefault(line.partition("[")[2] or line, line)
    return list(first.values())[-60:]


def crash_report(server: PrivateServer) -> str:
    """The stack of the thread that crashed, if there is a core file and a debugger."""
    cores = sorted(server.data_directory.glob("core*"))
    if not cores:
        return "there is no core file"
    return _gdb(server, ["-c", str(cores[-1])], ["bt 40"])


def hang_report(server: PrivateServer) -> str:
    """The process list, and the stacks of the threads that execute a statement. Those of all threads
    are in a file."""
    lines = []
    try:
        connection = server.connect(connect_timeout=10, read_timeout=10)
        with connection, connection.cursor() as sql:
            sql.execute("SHOW FULL PROCESSLIST")
            lines += [repr(row) for row in sql.fetchall()]
    except pymysql.err.MySQLError as error:
        lines.append(f"SQL does not answer: {error!r}")
    stacks = _gdb(server, ["-p", str(server.pid)], ["thread apply all bt 25"])
    file = server.directory / "stacks.txt"
    file.write_text(stacks, encoding="utf-8")
    busy = [s for s in stacks.split("\n\n") if "mysql_execute_command" in s]
    return "\n".join([*lines, *busy, f"stacks of all threads: {file}"])


def _gdb(server: PrivateServer, what: list[str], commands: list[str]) -> str:
    if shutil.which("gdb") is None:
        return "there is no gdb"
    arguments = [word for command in commands for word in ("-ex", command)]
    try:
        done = subprocess.run(
            ["gdb", "-q", "-batch", *arguments, *what, server.server_root / "usr/sbin/mariadbd"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "gdb takes too long"
    text = done.stdout.decode(errors="replace").splitlines()
    return "\n".join(line for line in text if not line.startswith("[New LWP"))
