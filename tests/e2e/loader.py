"""Servers whose library is missing, broken or of another server, for the tests of the loader."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

from private_server import PrivateServer, free_port
from server_files import files_beside

RELOAD = "SET GLOBAL handlersocket_reload = 1"
# The note of a library, as src/seam/library.h has it.
NOTE_NAME = b"HandlerSocket 2\0"
NOTE = struct.Struct("=24sII72s")


class Loader:
    """A server with the plugin's file, and what a test puts in the place of the library."""

    def __init__(self, *arguments: str) -> None:
        self.port = free_port()
        # Without "loose" MySQL does not start when another option of the plugin is wrong.
        ports = (f"--loose-handlersocket-port={self.port}", "--loose-handlersocket-port-wr=")
        load = "--plugin-load-add=handlersocket2.so"
        self.server = PrivateServer(plugin="none", arguments=[load, *ports, *arguments])
        beside = files_beside(self.server.plugin_file)
        self.original = next(file for file in beside if file.name.startswith("handlersocket2-"))
        self.name = self.original.name
        # Links of the server's start would lead to the build's own file.
        self.folder = self.server.directory / "own"
        self.folder.mkdir()
        plugins = self.server.server_root / "usr/lib/mysql/plugin"
        for file in (*plugins.glob("*.so"), self.server.plugin_file, *beside):
            if file != self.original:
                (self.folder / file.name).symlink_to(file.resolve())
        self.server.variables["plugin_dir"] = self.folder

    @property
    def library(self) -> Path:
        """Where the loader looks."""
        return self.folder / self.name

    def put(self, change: Callable[[bytearray], None] | None = None) -> None:
        """Puts the library there, at once, as a package does; `change` alters its bytes."""
        bytes_ = bytearray(self.original.read_bytes())
        if change is not None:
            change(bytes_)
        new = self.library.with_suffix(".new")
        new.write_bytes(bytes_)
        new.rename(self.library)

    def status(self) -> tuple[str, str]:
        """Handlersocket_state and Handlersocket_message."""
        found = dict(self.server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket%'"))
        return found["Handlersocket_state"], found["Handlersocket_message"]

    def lines(self) -> list[str]:
        """What the plugin has written to the error log since the last start."""
        log = self.server.error_log(this_start_only=True)
        return [line for line in log.splitlines() if "handlersocket: " in line]


def note_changed(**fields: object) -> Callable[[bytearray], None]:
    """A change of a library's note: server_version, build_id, release or seam."""

    def change(library: bytearray) -> None:
        at = library.index(NOTE_NAME) + len(NOTE_NAME)
        release, seam, version, build_id = NOTE.unpack_from(library, at)
        known = {"release": release, "seam": seam, "server_version": version, "build_id": build_id}
        assert set(fields) <= set(known)
        NOTE.pack_into(library, at, *(known | fields).values())

    return change
