"""A small file system that can be filled and emptied, and servers that wait for room on it. Needs root,
and the right to mount."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from private_server import PrivateServer

FULL = "Disk is full writing"  # in the error log


class SmallDisk:
    """A tmpfs with a file that takes up what is free."""

    def __init__(self, path: Path, mebibytes: int) -> None:
        self.path = path
        self._ballast = path / "ballast"
        path.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=700", "tmpfs", path],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if mounted.returncode != 0:
            pytest.skip(f"no file system can be mounted here: {mounted.stdout.decode().strip()}")

    def fill(self, leave: int = 0) -> None:
        """Leaves so many bytes, to the block."""
        place = os.statvfs(self.path)
        with self._ballast.open("ab") as ballast:
            size = ballast.tell() + place.f_bavail * place.f_frsize - leave
            os.posix_fallocate(ballast.fileno(), 0, size)

    def make_room(self) -> None:
        """Takes the ballast away."""
        self._ballast.unlink(missing_ok=True)

    def unmount(self) -> None:
        subprocess.run(["umount", "--lazy", self.path], check=True)


def wait_until_full(server: PrivateServer) -> None:
    """Waits until the server has met the end of its disk."""
    while FULL not in server.error_log():
        assert server.running


def waiting_for_room(server: PrivateServer) -> list[int]:
    """Waits until threads wait for room on a disk, and returns them."""
    while True:
        found = server.sql(
            "SELECT id FROM information_schema.processlist"
            " WHERE state = 'Waiting for someone to free space'"
        )
        if found:
            return [id_ for (id_,) in found]
