"""What ./run prints: progress on stderr, how to talk to the server, and the JSON of --detach."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import sample_table
import server_files
from private_server import PrivateServer

REQUESTS = (
    r"P\t1\ttest\tuser\tPRIMARY\tuser_name,user_email,created\n",
    rf"1\t=\t1\t{sample_table.SAMPLE_ID}\n",
)
CLIENT = """\
import socket
s = socket.create_connection(("127.0.0.1", {port}))
s.sendall(b"{requests[0]}"
          b"{requests[1]}")
replies = s.makefile("rb")
print(replies.readline(), replies.readline())"""


def say(text: str, end: str = "\n") -> None:
    """Prints progress."""
    print(text, end=end, file=sys.stderr, flush=True)


def show(text: str) -> None:
    """Prints results: the session, and how to talk to the server."""
    print(text, flush=True)


@contextmanager
def step(text: str) -> Iterator[None]:
    """One line for a slow step, with the seconds it took."""
    started = time.monotonic()
    say(f"{text} …", end="")
    try:
        yield
    except BaseException:
        say(f" failed after {time.monotonic() - started:.1f} s")
        raise
    say(f" {time.monotonic() - started:.1f} s")


def how_to_talk(server: PrivateServer) -> str:
    """How to reach the server by nc, by SQL and from a program; each can be pasted."""
    client = server_files.program(server.server_root.parent.resolve() / "root", "usr/bin/mariadb")
    sql = [*client, "--no-defaults", "-u", "root", "-S", str(server.socket), "test"]
    source = CLIENT.format(port=server.port, requests=REQUESTS)
    return f"""
The read port is {server.port}, the write port {server.port_wr}, the SQL port {server.sql_port} \
(user root, no password).

By hand:
  printf '{"".join(REQUESTS)}' | nc -q 1 127.0.0.1 {server.port}

By SQL:
  {shlex.join(sql)}

From a program, here in Python:

{source}
"""


def as_json(server: PrivateServer) -> str:
    """The line that --detach prints."""
    return json.dumps(
        {
            "pid": server.pid,
            "port": server.port,
            "port_wr": server.port_wr,
            "sql_port": server.sql_port,
            "socket": str(server.socket),
            "dir": str(server.directory),
        },
        separators=(",", ":"),
    )
