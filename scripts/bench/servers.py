"""The servers of the benchmark: started, filled and pinned when a section first asks for one."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import sample_table
import server_files
from private_server import PluginChoice, PrivateServer
from run_report import say, step
from server_files import ServerError

from bench import certificate, machine, processes, tables
from bench.load import Place
from bench.options import DIRECTORY
from bench.settings import Setting, pool_gib

PLUGINS: tuple[PluginChoice, ...] = ("ours", "stock")
HEAT_UP = 2_000_000  # lookups that bring pages into the buffer pool and fill the hash index


def _put_plugin(build: Path, directory: Path) -> Path:
    """Copies the plugin of a build, with what is beside it: the path of its file."""
    plugin = build / server_files.PLUGIN_FILE.name
    for file in (plugin, *server_files.files_beside(plugin)):
        copy = directory / file.name
        copy.unlink(missing_ok=True)  # never write to a file that a server has loaded
        shutil.copyfile(file, copy)
    return directory / plugin.name


class Servers:
    """All of them by name: ours, stock, null, memcached, redis. Further ones have a suffix.

    For ours and stock bench.settings tells them; redis-large is another instance, with other rows,
    and redis-always one that has written to disk what it answers.
    """

    def __init__(self, options: argparse.Namespace, stack: ExitStack) -> None:
        self.options = options
        self._stack = stack
        self._databases: dict[str, PrivateServer] = {}
        self._places: dict[str, Place] = {}
        self._builds: dict[str, Path] = {}  # of those whose plugin was replaced

    def pids(self) -> list[int]:
        """The processes of all that run."""
        return list({place.pid for place in self._places.values()})

    def place(self, name: str) -> Place:
        """Where it is; started if it was not."""
        if name not in self._places:
            if name.startswith(("ours", "stock")):
                self._start_database(name)
            else:
                self._start_process(name)
        return self._places[name]

    def add_port(self, name: str, of: str, port: int) -> None:
        """A further port of a server, as a place of its own."""
        self._places[name] = replace(self.place(of), port=port, port_wr=port)

    def database(self, name: str) -> PrivateServer:
        """A MariaDB, for SQL."""
        self.place(name)
        return self._databases[name]

    def pin(self, name: str) -> None:
        """Binds a server to its core again."""
        machine.pin(self.place(name).pid, {self.options.server_core})

    def unpin(self, name: str) -> None:
        """Gives a server all cores, until pin()."""
        machine.pin(self.place(name).pid, os.sched_getaffinity(0))

    def stop(self, name: str) -> None:
        """Ends a MariaDB; a later use starts it again."""
        if name in self._databases:
            self._databases.pop(name).close()
            del self._places[name]
            self._builds.pop(name, None)

    def replace_plugin(self, name: str, build: Path, variables: Mapping[str, object]) -> None:
        """Takes the plugin out of a running server and puts that of a build in, with further settings."""
        server = self.database(name)
        assert server.defaults_file is not None
        for file in (server_files.TABLES_FILE, server_files.PLUGIN_FILE.name):
            server.sql(f"UNINSTALL SONAME IF EXISTS '{file}'")
        lines = ["[mysqld]", *(f"{variable}={value}" for variable, value in variables.items())]
        server.defaults_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if self._builds.get(name, self.options.build) != build:
            _put_plugin(build, server.directory)
            self._builds[name] = build
        server.sql(f"INSTALL SONAME '{server_files.PLUGIN_FILE.name}'")

    def hs_bench(self, *arguments: str) -> None:
        """Runs hs bench, not to measure but to fill or to warm up."""
        program = str(self.options.build / "clients/hs/hs")
        done = subprocess.run(
            ["taskset", "-c", str(self.options.load_core), program, "bench", *arguments, "--quiet"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise ServerError(f"hs bench failed: {done.stdout}{done.stderr}")

    def heat(
        self, name: str, rows: int, lookups: int, table: str = "test.user", value_size: int = 0
    ) -> None:
        """Reads at random until pages and hash index are in memory."""
        place = self.place(name)
        lookups = min(lookups, 4 * rows)
        target = ("--target", "hs", "--port", str(place.port), "--table", table)
        load = ("--connections", "32", "--depth", "32", "--requests", str(lookups))
        size = ("--value-size", str(value_size)) if value_size else ()
        self.hs_bench(*target, *load, "--rows", str(rows), *size)

    def _start_database(self, name: str) -> None:
        setting = Setting.of(name, self.options)
        directory = DIRECTORY / setting.directory
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy = _put_plugin(self.options.build, directory)  # so that a build may go on meanwhile
        defaults = directory / "changing.cnf" if setting.changes else None
        if defaults is not None:
            certificate.make()
            defaults.write_text("[mysqld]\n", encoding="utf-8")
        server = PrivateServer(
            directory,
            plugin=setting.plugin,
            variables=setting.variables,
            environment=setting.environment,
            plugin_file=copy,
            defaults_file=defaults,
        )
        with step(f"starting the server {name}"):
            self._stack.enter_context(server)
        self._databases[name] = server
        server.sql("CREATE DATABASE IF NOT EXISTS test CHARACTER SET utf8mb4")
        if setting.rows:
            with step(f"filling its test.user with {setting.rows:,} rows"):
                sample_table.make(server, setting.rows, lambda done: say(f" {done:,} …", end=""))
                tables.settle(server)
        if setting.pinned:
            machine.pin(server.pid, {self.options.server_core})
        self._places[name] = Place(
            server.pid, server.port, server.port_wr, server.sql_port, pinned=setting.pinned
        )
        if setting.rows and setting.heated:
            with step(f"heating up the server {name}"):
                self.heat(name, setting.rows, HEAT_UP)

    def _start_process(self, name: str) -> None:
        tools = self.options.build / "tools"
        megabytes = pool_gib() * 1024 // 2
        with step(f"starting {name}"):
            place = self._stack.enter_context(
                processes.running(name, DIRECTORY / name, tools, megabytes)
            )
        machine.pin(place.pid, {self.options.server_core})
        self._places[name] = place
        if name in ("memcached", "redis", "redis-tls"):
            self.fill(name, self.options.rows)

    def fill(self, name: str, rows: int, *arguments: str) -> None:
        """Puts rows into memcached or Redis."""
        target = name.partition("-")[0]
        place = self.place(name)
        with step(f"filling {name} with {rows:,} rows"):
            where = ("--target", target, "--port", str(place.port))
            self.hs_bench(*where, "--fill", "--connections", "8", "--rows", str(rows), *arguments)
