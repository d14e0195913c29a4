"""Where the private server's files are, and making its data directory.

The layout below build/server is written by scripts/provision (scripts/lib/server.sh describes it).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
# One of SERVERS; the first is the one that everything is built for where nothing else is said.
SERVERS = ("mariadb-10.11", "mariadb-11.8", "mysql-9.7")
# MySQL, as scripts/provision --server mysql-9.7 unpacks it.
MYSQL_ROOT = REPOSITORY / "build/server/mysql-9.7/root"
SERVER = os.environ.get("HS_SERVER") or SERVERS[0]
IS_DEFAULT = SERVER == SERVERS[0]
SERVER_ROOT = REPOSITORY / "build/server" / ("current" if IS_DEFAULT else SERVER) / "root"
# A directory for the reports of the sanitizers: the plugin is the one that was built under them.
REPORTS = os.environ.get("HS_ASAN_REPORTS", "")
_PRESET = "asan-server" if REPORTS else "release"
_BUILD = _PRESET if IS_DEFAULT else f"{_PRESET}-{SERVER}"
PLUGIN_FILE = REPOSITORY / "build" / _BUILD / "handlersocket2.so"
# What belongs to the plugin beside that file: the library of a server version, and the tables.
TABLES_FILE = "handlersocket2_tables.so"

# A Unix socket's path has room for 107 bytes and a closing NUL.
SOCKET_PATH_BYTES = 107

_FULL_DISK = re.compile(
    r"No space left on device|disk is full|(errcode|errno|error):? 28\b", re.IGNORECASE
)

# Without the beginning of their names, which differs between releases.
SYSTEM_TABLES = (
    "system_tables.sql",
    "performance_tables.sql",
    "system_tables_data.sql",
    "add_gis_sp_bootstrap.sql",
)


# The server resolves no names, so it would warn of these accounts at every start.
NO_HOST_NAMES = b"""
DELETE FROM global_priv WHERE Host NOT IN ('localhost', '127.0.0.1');
DELETE FROM proxies_priv WHERE Host NOT IN ('localhost', '127.0.0.1');
"""


class ServerError(Exception):
    """The server could not be started, stopped or reached. `log` has its last lines, if any."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.log = log

    def __str__(self) -> str:
        if not self.log:
            return self.message
        return f"{self.message}; the end of its error log:\n{self.log}"


def mentions_full_disk(text: str) -> bool:
    """Whether mariadbd complains of a full disk; it may wait for room instead of ending."""
    return _FULL_DISK.search(text) is not None


def is_mysql(server_root: Path) -> bool:
    """Whether the unpacked packages are those of MySQL."""
    return daemon(server_root) == "usr/sbin/mysqld"


def daemon(server_root: Path) -> str:
    """The server's program, below its root. MariaDB has it by its old name, too."""
    names = ("usr/sbin/mariadbd", "usr/sbin/mysqld")
    return next((name for name in names if (server_root / name).exists()), names[0])


def daemon_command(server_root: Path, defaults_file: Path | None = None) -> list[str]:
    """The server of the unpacked packages, with the options that an unpacked copy needs."""
    share = _share(server_root)
    command = [
        *program(server_root, daemon(server_root)),
        f"--defaults-file={defaults_file}" if defaults_file else "--no-defaults",
        f"--basedir={server_root / 'usr'}",
        f"--lc-messages-dir={share}",
        f"--character-sets-dir={share / 'charsets'}",
    ]
    if os.geteuid() == 0:
        command.append("--user=root")
    return command


def _share(server_root: Path) -> Path:
    """The messages, character sets and scripts of the server."""
    folder = server_root / "usr/share/mariadb"
    return folder if (folder / "charsets").exists() else server_root / "usr/share/mysql"


def program(server_root: Path, path: str) -> list[str]:
    """How to run a program of the unpacked packages. A root of another distribution has a loader and
    libraries of its own."""
    loader = server_root / "lib64/ld-linux-x86-64.so.2"
    if not loader.exists():
        return [str(server_root / path)]
    libraries = server_root / "usr/lib/x86_64-linux-gnu"
    return [str(loader), "--library-path", str(libraries), str(server_root / path)]


def socket_path(directory: Path) -> Path:
    """The server's Unix socket: in its directory, or in a short one when the path is too long.

    The short one depends on nothing but the directory, so that it is found again.
    """
    path = directory / "mariadbd.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_BYTES:
        return path
    name = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"hs-{os.geteuid()}-{name}" / "mariadbd.sock"


def prepare(directory: Path, server_root: Path) -> None:
    """Makes the server's directory and, when there is none yet, its data directory."""
    if not (server_root / daemon(server_root)).exists():
        raise ServerError(f"there is no mariadbd in {server_root}: scripts/provision gets it")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    (directory / "tmp").mkdir(exist_ok=True)
    _make_socket_directory(socket_path(directory).parent)
    if not (directory / "data").exists():
        _bootstrap(directory, server_root)


def _make_socket_directory(directory: Path) -> None:
    """Raises when a directory in the shared /tmp belongs to another user."""
    directory.mkdir(mode=0o700, exist_ok=True)
    if directory.stat().st_uid != os.geteuid() or directory.is_symlink():
        raise ServerError(f"{directory} belongs to another user")


def _bootstrap(directory: Path, server_root: Path) -> None:
    """Writes the system tables; data/ appears only when they are complete."""
    unfinished = directory / "data.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    if is_mysql(server_root):
        _copy_first_data(server_root, unfinished)
    else:
        unfinished.mkdir(mode=0o700)
        _initialise(directory, server_root, unfinished)
    unfinished.rename(directory / "data")


def _copy_first_data(server_root: Path, unfinished: Path) -> None:
    """MySQL takes long to write its system tables, so they are written once, and copied. Each server
    makes its own UUID when it starts."""
    first = server_root.resolve().parent / "first_data"
    with (server_root.resolve().parent / "first_data.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not first.exists():
            with tempfile.TemporaryDirectory(dir=first.parent) as scratch:
                made = Path(scratch) / "data"
                made.mkdir(mode=0o700)
                (Path(scratch) / "tmp").mkdir()
                _initialise(Path(scratch), server_root, made)
                (made / "auto.cnf").unlink()
                made.rename(first)
    try:
        shutil.copytree(first, unfinished)
    except shutil.Error as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        full = mentions_full_disk(str(error))
        raise ServerError("the disk is full" if full else f"cannot copy {first}", str(error)) from None


def _initialise(directory: Path, server_root: Path, unfinished: Path) -> None:
    arguments, script = _initialising(server_root)
    result = subprocess.run(
        [
            *daemon_command(server_root),
            *arguments,
            f"--datadir={unfinished}",
            f"--tmpdir={directory / 'tmp'}",
            "--innodb-buffer-pool-size=32M",
            "--skip-log-bin",
        ],
        input=script,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        start_new_session=True,
    )
    output = result.stdout.decode(errors="replace")
    last = "mysql.ibd" if is_mysql(server_root) else "mysql/global_priv.frm"
    if result.returncode != 0 or not (unfinished / last).exists():
        full = mentions_full_disk(output)
        shutil.rmtree(unfinished, ignore_errors=True)
        raise ServerError(
            "the disk is full" if full else "the data directory could not be made",
            "\n".join(output.splitlines()[-20:]),
        )


def _initialising(server_root: Path) -> tuple[list[str], bytes]:
    """The options that make system tables, and the SQL to do it by; root needs no password."""
    if is_mysql(server_root):
        return ["--initialize-insecure", "--innodb-redo-log-capacity=16M"], b""
    share = _share(server_root)
    script = b"CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n"
    for name in SYSTEM_TABLES:
        (file,) = share.glob(f"m*_{name}")
        script += file.read_bytes()
    return ["--bootstrap", "--innodb-log-file-size=16M"], script + NO_HOST_NAMES


def own_options(server_root: Path) -> dict[str, object]:
    """What a small server is given that only servers of its kind know."""
    if is_mysql(server_root):
        # The list begins with this option: what a test puts there is loaded beside our plugin.
        own: dict[str, object] = {"plugin_load": "", "innodb_redo_log_capacity": "64M", "mysqlx": False}
        return own | {"log_error_verbosity": 3}  # with what plugins say in passing
    return {"innodb_log_file_size": "64M"}


def sanitizer_environment() -> dict[str, str]:
    """The environment of a mariadbd that was not built under ASan, but loads a plugin that was.

    Such a mariadbd has its own allocator, and stacks for signals that ASan would take for its own.
    """
    if not REPORTS:
        return {}
    asked = [os.environ.get("CXX", "g++"), "-print-file-name=libasan.so"]
    runtime = subprocess.run(asked, stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    log = f"log_path={REPORTS}/report"
    return {
        "LD_PRELOAD": str(Path(runtime).resolve()),
        "ASAN_OPTIONS": f"detect_leaks=0:alloc_dealloc_mismatch=0:use_sigaltstack=0:{log}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:{log}",
    }


def keep_reports(name: str, error_log: str) -> None:
    """Puts a server's log where UBSan has said something in it among the reports of the sanitizers. Beside a preloaded
    ASan it writes there, whatever log_path is."""
    if REPORTS and "runtime error:" in error_log:
        Path(REPORTS).mkdir(parents=True, exist_ok=True)
        (Path(REPORTS) / f"report.ubsan.{name}").write_text(error_log, encoding="utf-8")


def link_plugins(directory: Path, server_root: Path, plugin_file: Path) -> None:
    """Fills plugins/ with links to the stock plugins and to ours, as far as it is built."""
    folder = directory / "plugins"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for stock in (server_root / "usr/lib/mysql/plugin").glob("*.so"):
        (folder / stock.name).symlink_to(stock)
    if plugin_file.exists():
        (folder / "handlersocket2.so").symlink_to(plugin_file.resolve())
    for beside in files_beside(plugin_file):
        (folder / beside.name).symlink_to(beside.resolve())


def files_beside(plugin_file: Path) -> list[Path]:
    """The libraries of server versions, and the file of the tables, that belong to the plugin."""
    folder = plugin_file.parent
    return sorted([*folder.glob("handlersocket2-*.so"), *folder.glob(TABLES_FILE)])
