"""The command line of ./run, with a clear sentence for each mistake in it.

The text of --help is run_help.txt, which the shell part of ./run shows on a bare machine too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NoReturn

import run_state
import server_files
from ports import port_is_free
from server_files import ServerError

HELP_FILE = Path(__file__).with_name("run_help.txt")
# A server cannot read the data directory of a later release.
DEFAULT_DIRECTORY = server_files.REPOSITORY / (
    "build/run" if server_files.IS_DEFAULT else f"build/run-{server_files.SERVER}"
)
DEFAULT_ROWS = 1_000_000
MAX_ROWS = 100_000_000
MAX_THREADS = 3000


@dataclass(frozen=True)
class Options:
    """What ./run was asked to do. `rows` is None when the rows in the directory stay as they are;
    `source` and `server` are only used by the shell part."""

    once: bool
    detach: bool
    stop: bool
    directory: Path
    port: int
    port_wr: int
    sql_port: int
    threads: int | None
    threads_wr: int | None
    rows: int | None
    source: Path | None
    server: str
    server_arguments: tuple[str, ...]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (./run --help tells more)\n")

    def print_help(self, file: object = None) -> None:
        print(HELP_FILE.read_text(encoding="utf-8"), end="")


def _number(name: str, low: int, high: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                f"{name} is a number from {low} to {high}, not {text!r}"
            )
        return int(text)

    return convert


def _make_parser() -> _Parser:
    parser = _Parser(prog="./run", allow_abbrev=False)
    kind = parser.add_mutually_exclusive_group()
    for flag in ("--once", "--detach", "--stop"):
        kind.add_argument(flag, action="store_true")
    parser.add_argument("--dir", dest="directory", type=Path, default=DEFAULT_DIRECTORY)
    port = _number("a port", 0, 65535)
    parser.add_argument("--port", type=port, default=9998)
    parser.add_argument("--port-wr", type=port, default=9999)
    parser.add_argument("--sql-port", type=port, default=13306)
    threads = _number("a number of threads", 1, MAX_THREADS)
    parser.add_argument("--threads", type=threads)
    parser.add_argument("--threads-wr", type=threads)
    parser.add_argument("--rows", type=_number("a number of rows", 0, MAX_ROWS))
    parser.add_argument("--source", type=Path)
    parser.add_argument("--server", choices=server_files.SERVERS, default=server_files.SERVER)
    return parser


def parse(arguments: Sequence[str]) -> Options:
    """Reads the command line; on a mistake it says which and exits with 2."""
    own = list(arguments)
    server_arguments: list[str] = []
    if "--" in own:
        split = own.index("--")
        own, server_arguments = own[:split], own[split + 1 :]
    parser = _make_parser()
    values = vars(parser.parse_args(own))
    ports = (
        ("--port", values["port"]),
        ("--port-wr", values["port_wr"]),
        ("--sql-port", values["sql_port"]),
    )
    for (first, port), (second, other) in combinations(ports, 2):
        if port and port == other:
            parser.error(f"{first} and {second} must differ, both are {port}")
    if values["stop"] and server_arguments:
        parser.error("--stop starts no server that arguments after -- could go to")
    values["directory"] = values["directory"].expanduser().resolve()
    return Options(**values, server_arguments=tuple(server_arguments))


def check_ports(options: Options) -> None:
    """Raises ServerError when a port that was asked for is in use."""
    wanted = (
        ("--port", options.port),
        ("--port-wr", options.port_wr),
        ("--sql-port", options.sql_port),
    )
    for option, port in wanted:
        if port and not port_is_free(port):
            raise ServerError(f"port {port} is in use; {option} N takes another one")


def _check_early() -> None:
    """Checks the command line and the ports before minutes of installing and building."""
    options = parse(sys.argv[1:])
    # A server that runs in the directory has the ports. A later message names its process.
    if options.stop or run_state.read_running(options.directory) is not None:
        return
    try:
        check_ports(options)
    except ServerError as error:
        sys.exit(f"error: {error.message}")


if __name__ == "__main__":
    _check_early()
