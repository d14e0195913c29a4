#!/usr/bin/python3
"""Makes a failure small: leaves out requests of a table as long as some reply has a certain text.

tests/differential/shrink.py --seed 5 --case 325 --reply 126
tests/differential/shrink.py --seed 5 --case 325            prints all requests and replies
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "scripts"), str(HERE.parent / "e2e")]

from hs_client import Client  # noqa: E402

from cases import Request  # noqa: E402
from database import Database  # noqa: E402
from outcome import Row  # noqa: E402
from run import is_raw, make_server, run  # noqa: E402
from runner import Runner  # noqa: E402

CRASH = b"(the server has gone)"


def record(seed: int, case: int) -> tuple[list[Request], str]:
    """All requests of a table, and its sql_mode."""
    requests: list[Request] = []
    mode = ""
    perform = Runner._perform

    def spy(runner: Runner, group: list[Request], client: Client | None = None) -> list[Row]:
        nonlocal mode
        requests.extend(group)
        mode = runner.mode
        return perform(runner, group, client)

    Runner._perform = spy  # type: ignore
    run(seed, 0, case=case)
    return requests, mode


class Replay:
    """Performs chosen requests on a new table, again and again."""

    def __init__(self, server: Any, mode: str, table: Any) -> None:
        self.server, self.mode = server, mode
        self.statements = [*table.before, table.ddl, *table.after]

    def __call__(self, requests: list[Request]) -> list[bytes]:
        """The replies; ends with CRASH when the server ended."""
        if not self.server.running:
            self.server.start()
        sql = Database(str(self.server.socket))
        sql(f"SET GLOBAL sql_mode = '{self.mode}'")
        for statement in ["CREATE OR REPLACE DATABASE hs", "USE hs", *self.statements]:
            sql(statement)
        replies: list[bytes] = []
        try:
            with Client(self.server.port_wr, 20) as client:
                client.pipeline(sorted({r.spec.line() for r in requests}))
                for request in requests:
                    replies.append(client.pipeline([request.line()])[0])
        except (EOFError, OSError):
            replies.append(CRASH)
            self.server.kill9()
        return replies


def shrink(requests: list[Request], replay: Replay, wanted: bytes) -> list[Request]:
    """Leaves out runs of requests, longer ones first."""
    size = max(1, len(requests) // 2)
    while size:
        position = 0
        while position < len(requests):
            fewer = requests[:position] + requests[position + size :]
            if fewer and any(wanted in reply for reply in replay(fewer)):
                requests = fewer
            else:
                position += size
        size //= 2
    return requests


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--case", type=int, required=True)
    parser.add_argument(
        "--reply", default="", help=f"what a reply must hold; a crash is {CRASH.decode()!r}"
    )
    wanted = parser.parse_args()
    requests, mode = record(wanted.seed, wanted.case)
    with make_server(raw=is_raw(wanted.case)) as server:
        replay = Replay(server, mode, requests[0].spec.table)
        if wanted.reply:
            requests = shrink(requests, replay, wanted.reply.encode())
        print(f"SET GLOBAL sql_mode = '{mode}';", *(f"{s};" for s in replay.statements), sep="\n")
        for request, reply in zip(requests, replay(requests)):
            print(f"{request.spec.line()!r}\n{request.line()!r}\n    {reply!r}")


if __name__ == "__main__":
    main()
