"""A terminal on which hs runs."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import subprocess
import termios

from conftest import PROGRAM


class Terminal:
    """hs with these words on a terminal of its own."""

    def __init__(self, env: dict[str, str], *words: str) -> None:
        self.primary, replica = pty.openpty()
        self.process = subprocess.Popen(
            [PROGRAM, *words], stdin=replica, stdout=replica, stderr=replica, env=env, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY),  # so that Ctrl-C is for it
        )
        os.close(replica)

    def wait_for(self, pattern: str) -> str:
        """What comes until the pattern has come."""
        before = ""
        while (match := re.search(pattern, before)) is None:
            assert select.select([self.primary], [], [], 10)[0], before
            before += self.read()
        return before[: match.end()]

    def send(self, text: str) -> None:
        os.write(self.primary, text.encode())

    def cancel(self) -> None:
        """Ctrl-C until there is a new line; one that comes between two reads is lost."""
        self.send("\x03")
        while not select.select([self.primary], [], [], 1)[0] or "hs> " not in self.read():
            self.send("\x03")

    def read(self) -> str:
        """What has come, without codes of the terminal."""
        data = os.read(self.primary, 4096).decode(errors="replace")
        return re.sub(r"\x1b\[[0-9;]*[A-Za-z]|\x07\r?", "", data)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.primary)
