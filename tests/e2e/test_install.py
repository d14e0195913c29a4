"""What `cmake --install` puts where, and that a server loads the plugin from there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import server_files
from hs_client import Client
from private_server import PrivateServer

BUILD = server_files.PLUGIN_FILE.parent
PLUGINS = "usr/lib/mysql/plugin"
SHARE = "usr/local/share"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The root of an installation."""
    if server_files.REPORTS or not server_files.IS_DEFAULT:
        pytest.skip("of this build only the plugin is made, not hs")
    subprocess.run(
        ["cmake", "--install", str(BUILD)],
        env={**os.environ, "DESTDIR": str(tmp_path)},
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=120,
    )
    return tmp_path


def test_an_installed_plugin_serves_and_hs_reads_from_it(installed: Path) -> None:
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    version = (server_files.SERVER_ROOT.parent / "complete").read_text().split(":")[-1].split("-")[0]
    assert files == {
        f"{PLUGINS}/handlersocket2.so",
        f"{PLUGINS}/handlersocket2-{version}.so",
        f"{PLUGINS}/handlersocket2_tables.so",
        "usr/local/bin/hs",
        f"{SHARE}/man/man1/hs.1",
        f"{SHARE}/bash-completion/completions/hs",
        f"{SHARE}/zsh/site-functions/_hs",
        f"{SHARE}/fish/vendor_completions.d/hs.fish",
    }
    with PrivateServer(plugin_file=installed / PLUGINS / "handlersocket2.so") as server:
        server.sql("CREATE DATABASE hs")
        server.sql("CREATE TABLE hs.t (id INT PRIMARY KEY, v INT)")
        with Client(server.port_wr) as client:
            client.open("hs.t", ["id", "v"])
            assert client.request(1, "+", 2, 1, 10) == b"0\t1"
            assert server.sql("SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS") == [(1,)]
        command = [installed / "usr/local/bin/hs", "--port", str(server.port), "get", "hs.t", "1"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        assert done.stdout.split() == ["id", "v", "1", "10"]
