"""The servers that the transcripts run against: ours, the stock plugin, ours without a database.

Each is kept running from case to case, as long as the options stay the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from player import SilentServer, play  # noqa: E402
from private_server import PrivateServer  # noqa: E402
from hs_client import Client  # noqa: E402
from transcript import CLOSED, Case, Transcript  # noqa: E402

TIMEOUT_S = 20
FAKE_SERVER = REPOSITORY / "build/dev/tools/hs_fake_server"

# One thread for each port: the next connection sees at once what the one before did. The other
# settings make the server quicker to start and the tables quicker to fill.
VARIABLES: dict[str, object] = {
    "handlersocket_threads": 1,
    "handlersocket_threads_wr": 1,
    "innodb_flush_log_at_trx_commit": 0,
    "innodb_buffer_pool_dump_at_shutdown": 0,
    "innodb_fast_shutdown": 2,
    "character_set_server": "utf8mb4",
    "default_time_zone": "+00:00",
    "collation_server": "utf8mb4_general_ci",
}

# How the server without a database calls the variables that it has.
FAKE_OPTIONS = {
    "handlersocket_plain_secret": "--secret",
    "handlersocket_plain_secret_wr": "--secret-wr",
    "handlersocket_max_request_size": "--max-request-size",
    "handlersocket_max_reply_size": "--max-reply-size",
}


class Target(Protocol):
    """A kind of server."""

    name: str

    def unable(self, transcript: Transcript) -> str:
        """Why it cannot take part in a file; empty: it can."""

    def play(self, transcript: Transcript, case: Case) -> list[bytes | None]:
        """Plays a case on tables as the file describes them."""

    def close(self) -> None:
        """Ends its server."""


class DatabaseTarget:
    """mariadbd with a plugin. The tables of all files with the same options are made before the
    first connection to the plugin: the stock one blocks DDL from then on."""

    def __init__(self, plugin: Literal["ours", "stock"], transcripts: Sequence[Transcript]) -> None:
        self.name = plugin
        self._plugin: Literal["ours", "stock"] = plugin
        self._transcripts = transcripts
        self._directory = tempfile.TemporaryDirectory(prefix="hs-conformance-")
        self._server: PrivateServer | None = None
        self._group: tuple[dict[str, str], str] | None = None
        self._sql: Any = None
        self._fresh: set[str] = set()  # databases whose rows are as the file says

    def unable(self, transcript: Transcript) -> str:
        return ""

    def play(self, transcript: Transcript, case: Case) -> list[bytes | None]:
        server = self._start(transcript)
        if transcript.name not in self._fresh:
            self._fill(transcript)
        if case.writes:
            self._fresh.discard(transcript.name)
        ports = {"R": server.port, "W": server.port_wr}
        try:
            replies = play(transcript, case, lambda port: Client(ports[port], TIMEOUT_S))
        except SilentServer:
            self._abandon(server)
            raise
        if CLOSED in replies and CLOSED not in case.expected and not _answers(server):
            self._abandon(server)
        return replies

    def close(self) -> None:
        self.close_server()
        self._directory.cleanup()

    def close_server(self) -> None:
        """Ends the server; the next case starts another one."""
        if self._sql is not None:
            self._sql.close()
            self._sql = None
        if self._server is not None:
            self._server.close()
            self._server = None

    def _abandon(self, server: PrivateServer) -> None:
        """After a crash or a hang: the next case gets a new server."""
        server.kill9()
        self.close_server()

    def group(self, transcript: Transcript) -> tuple[dict[str, str], str]:
        """What a server is started for: its variables, and the file's name if it wants it alone."""
        if self._plugin == "ours":
            return {**transcript.server, **transcript.ours}, ""
        return transcript.server, transcript.name if transcript.fresh else ""

    def _start(self, transcript: Transcript) -> PrivateServer:
        group = self.group(transcript)
        if self._server is not None and self._group == group:
            return self._server
        self.close_server()
        server = PrivateServer(
            self._directory.name,
            plugin=self._plugin,
            variables={**VARIABLES, **group[0]},
        )
        self._server = server.start()
        self._group = group
        self._sql = server.connect(client_flag=1 << 16, autocommit=False)  # MULTI_STATEMENTS
        self._fresh.clear()
        for other in self._transcripts:
            if self.group(other) == group:
                name = f"`{other.name}`"
                self._run(f"CREATE OR REPLACE DATABASE {name}; USE {name}; {other.tables}")
        return server

    def _fill(self, transcript: Transcript) -> None:
        emptying = "".join(f"DELETE FROM {name};\n" for name in transcript.table_names)
        self._run(
            f"USE `{transcript.name}`; SET foreign_key_checks = 0;\n{emptying}"
            f"SET foreign_key_checks = 1;\n{transcript.rows} COMMIT"
        )
        self._fresh.add(transcript.name)

    def _run(self, statements: str) -> None:
        with self._sql.cursor() as cursor:
            cursor.execute(statements.rstrip().rstrip(";").replace("%", "%%"), ())
            while cursor.nextset():
                pass


def _answers(server: PrivateServer) -> bool:
    try:
        return server.sql("SELECT 1") == [(1,)]
    except Exception:  # any error that the driver makes of a server that is ending
        return False


class FakeTarget:
    """Our network server on tables in memory; a process of its own after each case that writes."""

    name = "fake"

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._ports: dict[str, int] = {}
        self._command: list[str] = []

    def unable(self, transcript: Transcript) -> str:
        if not FAKE_SERVER.exists():
            return "hs_fake_server has not been built"
        if transcript.fake_reason:
            return transcript.fake_reason
        if unknown := [name for name in self._variables(transcript) if name not in FAKE_OPTIONS]:
            return f"the server without a database has no {', '.join(unknown)}"
        return ""

    def play(self, transcript: Transcript, case: Case) -> list[bytes | None]:
        command = [str(FAKE_SERVER), *transcript.fake]
        for name, value in self._variables(transcript).items():
            command += [FAKE_OPTIONS[name], value]
        if self._command != command:
            self._start(command)
        replies = play(transcript, case, lambda port: Client(self._ports[port], TIMEOUT_S))
        if case.writes:
            self.close()
        return replies

    def close(self) -> None:
        self._command = []
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _variables(self, transcript: Transcript) -> dict[str, str]:
        return {**transcript.server, **transcript.ours}

    def _start(self, command: list[str]) -> None:
        self.close()
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        ready = self._process.stdout.readline()
        if not ready:
            raise RuntimeError(f"hs_fake_server has ended with {self._process.wait()}: {command}")
        ports = json.loads(ready)
        self._ports = {"R": ports["port"], "W": ports["port_wr"]}
        self._command = command
