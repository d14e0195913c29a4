"""./run after provisioning and building: starts the private server, fills it, shows the session.

The shell part (../run) calls this with the same arguments. Progress goes to stderr; the session
goes to stdout, except with --detach, where stdout gets exactly one line of JSON.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

import run_options
import run_report
import run_state
import sample_table
import server_files
import telnet_session
from ports import free_port
from private_server import PrivateServer
from run_options import Options
from run_report import say, show, step
from server_files import ServerError

# On disk: redo log, system tablespaces and the server's own tables.
BASE_BYTES = 256 * 2**20


class Interrupted(BaseException):
    """SIGINT, SIGTERM or SIGHUP came: end the server and leave."""


def main(arguments: list[str]) -> int:
    """Does what the command line asks and returns the exit code."""
    options = run_options.parse(arguments)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        if options.stop:
            state = run_state.stop(options.directory)
            say(f"the server in {options.directory} (process {state.pid}) has ended")
            return 0
        return serve(options)
    except ServerError as error:
        if error.log:
            say(f"--- the last lines of mariadbd\n{error.log}\n---")
        say(f"error: {error.message}")
    except telnet_session.WrongAnswer as error:
        say(f"error: {error}")
    except OSError as error:
        say(f"error: {_describe(error)}")
    except Interrupted:
        say("interrupted")
        return 130
    return 1


def serve(options: Options) -> int:
    """Starts the server in a new or a used directory, fills it, shows the session, and serves."""
    options.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    running = run_state.read_running(options.directory)
    if running is not None:
        raise ServerError(
            f"a server already runs in {options.directory} (process {running.pid}, port "
            f"{running.port}): ./run --stop --dir {shlex.quote(str(options.directory))} ends it"
        )
    with run_state.lock(options.directory):
        rows = _wanted_rows(options)
        run_options.check_ports(options)
        _check_room(options.directory, rows)
        server = make_server(options)
        try:
            start(server)
            fill(server, rows)
            out = say if options.detach else show
            telnet_session.show(server, out)
            out("\nEvery answer is as it should be.")
            if options.once:
                return 0
            out(run_report.how_to_talk(server))
            if options.detach:
                print(run_report.as_json(server), flush=True)
                server.detach()
                return 0
            return _wait(server, options.directory)
        except Exception as error:
            if type(error).__module__.startswith("pymysql"):
                raise ServerError(_describe_sql(error, server)) from error
            raise
        finally:
            _end(server, options)


def make_server(options: Options) -> PrivateServer:
    """The server with the settings of ./run: a small machine's, and those asked for."""
    is_mysql = server_files.is_mysql(server_files.SERVER_ROOT)
    variables: dict[str, object] = {
        "innodb_buffer_pool_size": "512M" if _available_memory() > 2 * 2**30 else "128M",
        "innodb_redo_log_capacity" if is_mysql else "innodb_log_file_size": "128M",
        "innodb_adaptive_hash_index": True,
        "character_set_server": "utf8mb4",
    }
    if options.threads is not None:
        variables["handlersocket_threads"] = options.threads
    if options.threads_wr is not None:
        variables["handlersocket_threads_wr"] = options.threads_wr
    return PrivateServer(
        options.directory,
        port=options.port or free_port(),
        port_wr=options.port_wr or free_port(),
        sql_port=options.sql_port or free_port(),
        variables=variables,
        arguments=options.server_arguments,
    )


def start(server: PrivateServer) -> None:
    """Starts the server and notes it in its directory."""
    with step(f"starting {_kind(server)} {_version(server)} in {server.directory}"):
        server.start()
    started = run_state.start_time(server.pid)
    if started is None:
        raise ServerError("mariadbd ended right after its start", server.error_log(True)[-2000:])
    state = run_state.State(
        server.pid, started, server.port, server.port_wr, server.sql_port, str(server.socket)
    )
    run_state.write(server.directory, state)


def fill(server: PrivateServer, rows: int) -> None:
    """Makes the sample table, with a line of progress when there is something to do."""
    note = sample_table.read_note(server.directory)
    if note is None:
        sentence = f"filling test.user with {rows:,} rows"
    elif note.rows != rows or not note.complete:
        sentence = f"changing test.user from {note.rows:,} to {rows:,} generated rows"
    else:
        sentence = f"test.user already has its {rows:,} generated rows"
    with step(sentence):
        sample_table.make(server, rows, lambda done: say(f" {done:,} …", end=""))


def _wanted_rows(options: Options) -> int:
    if options.rows is not None:
        return options.rows
    note = sample_table.read_note(options.directory)
    return note.rows if note else run_options.DEFAULT_ROWS


def _check_room(directory: Path, rows: int) -> None:
    note = sample_table.read_note(directory)
    new_rows = max(0, rows - (note.rows if note else 0))
    needed = (0 if note else BASE_BYTES) + new_rows * sample_table.BYTES_PER_ROW
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise ServerError(
            f"the disk is full: {directory} needs about {needed >> 20:,} MB "
            f"and has {free >> 20:,} MB free"
        )


def _available_memory() -> int:
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def _kind(server: PrivateServer) -> str:
    return "MySQL" if server_files.is_mysql(server.server_root) else "MariaDB"


def _version(server: PrivateServer) -> str:
    return server.server_root.parent.resolve().name


def _wait(server: PrivateServer, directory: Path) -> int:
    say(f"It serves until Ctrl-C; its error log is {server.error_log_file}")
    try:
        while server.running:
            time.sleep(0.2)
    except Interrupted:
        return 0
    if server.exit_code == 0:
        say("another process has ended the server")
        return 0
    raise ServerError(
        f"mariadbd died ({server.exit_code})", "\n".join(server.error_log(True).splitlines()[-20:])
    )


def _end(server: PrivateServer, options: Options) -> None:
    """Ends the server, unless it has been detached; a second signal does not disturb that."""
    if not server.owned:
        return
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if server.running:
        with step("stopping the server"):
            code = server.stop(run_state.STOP_TIMEOUT_S)
            if code != 0:
                raise ServerError(f"mariadbd ended with {code} instead of 0")
    run_state.forget(options.directory)


def _describe(error: OSError) -> str:
    text = error.strerror or str(error)
    return f"{text}: {error.filename}" if error.filename else text


def _describe_sql(error: Exception, server: PrivateServer) -> str:
    text = str(error.args[-1]) if error.args else str(error)
    is_full = error.args[:1] in ((1021,), (1114,)) or server_files.mentions_full_disk(
        text + server.error_log(this_start_only=True)
    )
    return f"the disk is full ({text})" if is_full else f"SQL failed: {text}"


def _interrupt(number: int, frame: object) -> NoReturn:
    raise Interrupted


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main(sys.argv[1:]))
