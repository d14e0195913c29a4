"""Plays one case against the two ports of any server and records the replies."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

from hs_client import Client  # noqa: E402
from transcript import CLOSED, Case, Send, Transcript  # noqa: E402

Connect = Callable[[str], Client]  # for "R" or "W"


class SilentServer(Exception):
    """No reply within the client's timeout."""


def play(transcript: Transcript, case: Case, connect: Connect) -> list[bytes | None]:
    """The replies that come in place of the expected ones. After the server has closed a connection, all
    further replies of that connection are CLOSED. Requests that follow each other without an
    expected reply between them leave in one piece."""
    player = _Player(transcript, connect)
    try:
        for step in case.steps:
            if isinstance(step, Send):
                player.send(step)
            else:
                player.receive(step.reply)
        return player.replies
    finally:
        player.close()


class _Player:
    def __init__(self, transcript: Transcript, connect: Connect) -> None:
        self.replies: list[bytes | None] = []
        self._transcript = transcript
        self._connect = connect
        self._clients: dict[str, Client] = {}
        self._current = ""
        self._unsent = b""

    def send(self, step: Send) -> None:
        """Keeps bytes until the connection changes, a reply is wanted or the sending side ends."""
        if step.connection != self._current:
            self._flush()
            self._current = step.connection
        self._unsent += step.data
        if step.half_close:
            self._flush()
            self._client().socket.shutdown(socket.SHUT_WR)

    def receive(self, expected: bytes | None) -> None:
        """One reply, or the end of the connection where that is expected."""
        self._flush()
        try:
            if expected is CLOSED and self._client().at_eof():
                self.replies.append(CLOSED)
            else:
                self.replies.append(self._client().read_line())
        except (EOFError, ConnectionError):
            self.replies.append(CLOSED)
        except TimeoutError as error:
            raise SilentServer(f"no reply number {len(self.replies) + 1}") from error

    def close(self) -> None:
        """Ends all connections."""
        for client in self._clients.values():
            client.close()

    def _client(self) -> Client:
        if self._current not in self._clients:
            client = self._clients[self._current] = self._connect(self._current[0])
            replies = client.pipeline(self._transcript.open)
            if any(reply != b"0\t1" for reply in replies):
                raise AssertionError(f"[open] is answered with {replies}")
        return self._clients[self._current]

    def _flush(self) -> None:
        data, self._unsent = self._unsent, b""
        if data:
            try:
                self._client().send(data)
            except ConnectionError:
                pass  # the server has closed; reading tells
