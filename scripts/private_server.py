"""A private mariadbd or mysqld: data directory and socket of its own, loopback only, not installed.

Used by ./run and by the end-to-end tests. It never touches a MariaDB that the machine already has,
and any number of them can run side by side. The sample table and the session that ./run shows are
elsewhere (sample_table.py, telnet_session.py).

    with PrivateServer(variables={"handlersocket_threads": 2}) as server:
        server.sql("CREATE DATABASE hs")
        socket.create_connection(("127.0.0.1", server.port))
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import ports
import server_files
from ports import free_port
from server_files import ServerError

__all__ = ["PrivateServer", "ServerError", "free_port"]

PluginChoice = Literal["ours", "stock", "none"]

POLL_SECONDS = 0.02

_running: weakref.WeakSet[PrivateServer] = weakref.WeakSet()


class PrivateServer:
    """One mariadbd with its directory. Not started by the constructor: start(), or use `with`.

    directory    holds data/, tmp/, plugins/, error.log; None: a temporary one, removed by close()
    plugin       "ours" (handlersocket2.so and what is beside it), "stock" (Debian's
                 handlersocket.so) or "none"
    port, port_wr, sql_port   0: a free port is chosen, and kept over restarts
    variables    system variables, {"handlersocket_threads": 2, "skip_log_bin": None}; a value of
                 None gives the bare option, True and False give 1 and 0
    arguments    further arguments of mariadbd, after everything else
    environment  variables to add to the server's environment
    defaults_file  options that mariadbd reads at its start, and again with each INSTALL SONAME
    descriptors  most files that mariadbd may open, 0: as many as this process
    """

    def __init__(
        self,
        directory: str | Path | None = None,
        *,
        plugin: PluginChoice = "ours",
        port: int = 0,
        port_wr: int = 0,
        sql_port: int = 0,
        variables: Mapping[str, object] | None = None,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        descriptors: int = 0,
        server_root: str | Path = server_files.SERVER_ROOT,
        plugin_file: str | Path = server_files.PLUGIN_FILE,
        defaults_file: Path | None = None,
        start_timeout_s: float = 120,
    ) -> None:
        self._temporary = directory is None
        self.directory = (
            Path(tempfile.mkdtemp(prefix="hs-")) if directory is None else Path(directory).resolve()
        )
        self.plugin: PluginChoice = plugin
        self.port = port or free_port()
        self.port_wr = port_wr or free_port()
        self.sql_port = sql_port or free_port()
        self.variables: dict[str, object] = dict(variables or {})
        self.arguments = list(arguments)
        self.environment = dict(environment or {})
        self.descriptors = descriptors
        self.server_root = Path(server_root)
        self.plugin_file = Path(plugin_file)
        self.defaults_file = defaults_file
        self.start_timeout_s = start_timeout_s
        self.socket = server_files.socket_path(self.directory)
        self.owned = True  # False after detach(): the server outlives this object
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    # --- what it is -------------------------------------------------------------------------------

    @property
    def data_directory(self) -> Path:
        """The data directory of mariadbd."""
        return self.directory / "data"

    @property
    def error_log_file(self) -> Path:
        """Everything that mariadbd wrote, over all starts."""
        return self.directory / "error.log"

    @property
    def pid(self) -> int:
        """The process id of the running (or last) mariadbd."""
        if self._process is None:
            raise ServerError("the server has not been started")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether mariadbd lives now."""
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """How the last mariadbd ended: 0 clean, -9 killed; None while it lives."""
        return None if self._process is None else self._process.poll()

    def error_log(self, this_start_only: bool = False) -> str:
        """The text of the error log."""
        try:
            content = self.error_log_file.read_bytes()
        except FileNotFoundError:
            return ""
        return content[self._log_start if this_start_only else 0 :].decode(errors="replace")

    # --- life -------------------------------------------------------------------------------------

    def start(self) -> PrivateServer:
        """Makes the data directory if there is none, starts, and returns when SQL and the plugin's
        ports answer. Raises ServerError with the last lines of the error log."""
        if self.running:
            raise ServerError("the server is already running")
        if self.plugin == "ours" and not self.plugin_file.exists():
            raise ServerError(f"the plugin {self.plugin_file} has not been built")
        server_files.prepare(self.directory, self.server_root)
        server_files.link_plugins(self.directory, self.server_root, self.plugin_file)
        self.socket.unlink(missing_ok=True)
        with self.error_log_file.open("ab") as log:
            self._log_start = log.tell()
            self._process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **server_files.sanitizer_environment(), **self.environment},
                start_new_session=True,  # a Ctrl-C at the terminal is for ./run, not for mariadbd
            )
        _running.add(self)
        try:
            self._wait_until_ready()
        except BaseException:
            self.kill9()
            raise
        return self

    def command(self) -> list[str]:
        """The command line of mariadbd."""
        limit = f"--nofile={self.descriptors}:{self.descriptors}"
        return [
            *(("prlimit", limit) if self.descriptors else ()),
            *server_files.daemon_command(self.server_root, self.defaults_file),
            *(_option(name, value) for name, value in self._options().items()),
            *self.arguments,
        ]

    def program(self, name: str) -> list[str]:
        """How to run one of the programs that came with the server, by MariaDB's name for it."""
        if server_files.is_mysql(self.server_root):
            name = name.replace("mariadb-", "mysql").replace("mariadb", "mysql")
        return server_files.program(self.server_root, f"usr/bin/{name}")

    def _options(self) -> dict[str, object]:
        return {
            "datadir": self.data_directory,
            "tmpdir": self.directory / "tmp",
            "socket": self.socket,
            "pid_file": self.directory / "mariadbd.pid",
            "plugin_dir": self.directory / "plugins",
            "secure_file_priv": self.directory / "tmp",
            "port": self.sql_port,
            "bind_address": "127.0.0.1",
            "skip_name_resolve": None,
            "innodb_buffer_pool_size": "64M",
            **server_files.own_options(self.server_root),
            **self._plugin_options(),
            **self._given_options(),
        }

    def _given_options(self) -> dict[str, object]:
        given = {name.replace("-", "_"): value for name, value in self.variables.items()}
        if not server_files.is_mysql(self.server_root):
            return given
        import mysql_dialect  # only here: it needs pymysql

        return mysql_dialect.options(given)

    def _plugin_options(self) -> dict[str, object]:
        if self.plugin == "none":
            return {}
        listeners = {"handlersocket_port": self.port, "handlersocket_port_wr": self.port_wr}
        if self.plugin == "ours":
            # FORCE: a plugin that cannot be loaded ends the server, with the reason in its log.
            load = f"handlersocket2.so;{server_files.TABLES_FILE}"
            return {"plugin_load_add": load, "handlersocket": "FORCE", **listeners}
        return {
            "plugin_load_add": "handlersocket.so",
            "plugin_maturity": "beta",
            "handlersocket_address": "127.0.0.1",
            "handlersocket_plain_secret": "",
            "handlersocket_plain_secret_wr": "",
            **listeners,
        }

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + self.start_timeout_s
        waiting_for = {"SQL": partial(ports.greets, self.socket)}
        for name, place in self._listeners().items():
            waiting_for[name] = partial(ports.accepts, *place)
        for name, is_ready in waiting_for.items():
            while not is_ready():
                ended = not self.running
                log = self.error_log(this_start_only=True)
                if server_files.mentions_full_disk(log):
                    raise ServerError("the disk is full", self._log_tail())
                if self.plugin == "ours" and "handlersocket: no port is open" in log:
                    raise ServerError("the plugin has no library", self._log_tail())
                if ended:
                    raise ServerError(f"mariadbd ended with {self.exit_code}", self._log_tail())
                if time.monotonic() > deadline:
                    raise ServerError(
                        f"{name} does not answer after {self.start_timeout_s:g} s", self._log_tail()
                    )
                time.sleep(POLL_SECONDS)

    def _listeners(self) -> dict[str, tuple[str, int]]:
        """Where the plugin can be reached, as far as the variables ask for listeners on TCP."""
        options = self._options()
        address = str(options.get("handlersocket_address") or "127.0.0.1")
        if self.plugin == "none" or address.startswith("/"):
            return {}
        address = address.split(",")[0]  # all of them are bound before any is served
        address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)
        wanted = {
            "the read port": str(options["handlersocket_port"]),
            "the write port": str(options["handlersocket_port_wr"]),
        }
        return {name: (address, int(port)) for name, port in wanted.items() if port.isdigit()}

    def _log_tail(self) -> str:
        return "\n".join(self.error_log(this_start_only=True).splitlines()[-20:])

    def stop(self, timeout_s: float = 60) -> int:
        """Ends the server cleanly (SIGTERM) and returns its exit code; 0 is a clean end. After
        timeout_s it is killed and ServerError raised. Does nothing when it does not run."""
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.kill9()
                raise ServerError(
                    f"mariadbd did not end within {timeout_s:g} s and was killed", self._log_tail()
                ) from None
        self._note_end()
        return self._process.returncode

    def kill9(self) -> None:
        """Kills the server, as a crash would."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._note_end()

    def _note_end(self) -> None:
        _running.discard(self)
        server_files.keep_reports(self.directory.name, self.error_log())

    def restart(self) -> None:
        """Stops cleanly and starts again on the same ports and data."""
        self.stop()
        self.start()

    def detach(self) -> int:
        """Leaves the server running when this process ends; returns its pid."""
        self.owned = False
        _running.discard(self)
        return self.pid

    def close(self) -> None:
        """Stops, and removes the directory if it was a temporary one."""
        try:
            self.stop()
        finally:
            if self._temporary:
                shutil.rmtree(self.directory, ignore_errors=True)
            if self.socket.parent != self.directory:
                shutil.rmtree(self.socket.parent, ignore_errors=True)

    def __enter__(self) -> PrivateServer:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- SQL --------------------------------------------------------------------------------------

    def connect(self, **arguments: Any) -> Any:
        """A pymysql connection as root through the Unix socket, with autocommit and utf8mb4;
        arguments replace these (unix_socket=None, port=server.sql_port goes through TCP)."""
        import pymysql  # only here: a server can be started without it

        defaults: dict[str, Any] = {
            "host": "127.0.0.1",
            "unix_socket": str(self.socket),
            "user": "root",
            "charset": "utf8mb4",
            "autocommit": True,
        }
        if server_files.is_mysql(self.server_root):
            import mysql_dialect

            defaults |= {
                "cursorclass": mysql_dialect.MysqlCursor,
                "init_command": mysql_dialect.SESSION,
            }
            if arguments.get("unix_socket", "") is None:
                defaults["ssl"] = {"check_hostname": False}  # passwords do not go in clear
        return pymysql.connect(**{**defaults, **arguments})

    def sql(
        self,
        statement: str,
        values: Sequence[object] | Mapping[str, object] | None = None,
        database: str | None = None,
    ) -> list[tuple[Any, ...]]:
        """Runs one statement on a connection of its own and returns its rows."""
        connection = self.connect(database=database)
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, values)
                return list(cursor.fetchall())
        finally:
            connection.close()

    def make_database(self, name: str) -> None:
        """An empty database of texts in utf8mb4; one of this name goes."""
        self.sql(f"DROP DATABASE IF EXISTS {name}")
        self.sql(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")


def _option(name: str, value: object) -> str:
    option = "--" + name.replace("_", "-")
    if value is None:
        return option
    return f"{option}={int(value) if isinstance(value, bool) else value}"


@atexit.register
def _end_all() -> None:
    for server in list(_running):
        server.kill9()
