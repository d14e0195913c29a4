"""The loader: a server without a library for its version starts, says so, and can be mended."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest
import server_files
from hs_client import Client
from loader import RELOAD, Loader, note_changed
from on_mysql import IS_MYSQL
from private_server import PrivateServer, free_port

PRODUCT = "MySQL" if IS_MYSQL else "MariaDB"
# Debian's package has a command for it, and it is not here.
MEND = (
    "build one for this server, as docs/operations.md tells, and put it there, "
    "and then SET GLOBAL handlersocket_reload = 1 opens the ports"
)


def find_a_row(loader: Loader) -> bytes:
    loader.server.sql("CREATE DATABASE IF NOT EXISTS hs")
    loader.server.sql("CREATE OR REPLACE TABLE hs.t (id INT PRIMARY KEY, v INT)")
    loader.server.sql("INSERT INTO hs.t VALUES (1, 10)")
    with Client(loader.port) as client:
        client.open("hs.t", ["v"])
        return client.find("=", [1])[0][0]


def test_without_a_library_the_server_starts_and_says_what_mends_it(loader: Loader) -> None:
    loader.server.start()
    state, message = loader.status()
    assert state == "no library"
    assert message == f"no port is open: there is no {loader.name} in {loader.folder} for this server; {MEND}"
    (line,) = loader.lines()
    assert "[ERROR]" in line
    assert line.endswith(message)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", loader.port))
    # What my.cnf sets is known, and numbers are there.
    shown = dict(loader.server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'"))
    assert shown["handlersocket_port"] == str(loader.port)
    assert loader.server.sql("SHOW GLOBAL STATUS LIKE 'Handlersocket_requests'")[0][1] == "0"


def test_when_the_library_arrives_a_set_opens_the_ports_without_a_restart(loader: Loader) -> None:
    loader.server.start()
    with pytest.raises(Exception, match="no port is open: there is no"):
        loader.server.sql(RELOAD)
    loader.put()
    loader.server.sql(RELOAD)
    assert loader.status() == ("running", "")
    assert find_a_row(loader) == b"10"
    assert loader.server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket_reload'")[0][1] == "0"
    loader.server.sql(RELOAD)  # it runs: nothing happens
    loader.server.sql("SET GLOBAL handlersocket_reload = 0")
    with pytest.raises(Exception, match="handlersocket_reload takes 1"):
        loader.server.sql("SET GLOBAL handlersocket_reload = 2")
    assert find_a_row(loader) == b"10"
    assert loader.server.stop() == 0


def of_another_patch(loader: Loader) -> str:
    loader.put(note_changed(server_version=101117))
    return f"was built for {PRODUCT} 10.11.17, this server is {PRODUCT} "


def of_another_build(loader: Loader) -> str:
    loader.put(note_changed(build_id=b"0123abcd"))
    return f"was built for another build of {PRODUCT} "


def of_another_release(loader: Loader) -> str:
    loader.put(note_changed(release=b"1.9.9"))
    return "is of HandlerSocket 1.9.9, and not of the same build as this plugin, HandlerSocket "


def with_another_seam(loader: Loader) -> str:
    loader.put(note_changed(seam=1))
    return "and not of the same build as this plugin"


def cut_short(loader: Loader) -> str:
    loader.put()
    os.truncate(loader.library, loader.library.stat().st_size // 2)
    return "is no complete library"


def empty(loader: Loader) -> str:
    loader.library.touch()
    return "is no complete library"


def a_text(loader: Loader) -> str:
    loader.library.write_text("#!/bin/sh\n" * 1000)
    return "is no complete library"


def for_another_architecture(loader: Loader) -> str:
    loader.put()
    with loader.library.open("r+b") as file:
        file.seek(18)
        file.write(b"\xf3\x00")
    return "is a library for another architecture"


def a_fifo(loader: Loader) -> str:
    os.mkfifo(loader.library)
    return "is no file"


def a_directory(loader: Loader) -> str:
    loader.library.mkdir()
    return "is no file"


def a_link_to_nothing(loader: Loader) -> str:
    loader.library.symlink_to("nothing")
    return f"{loader.name} cannot be read: No such file or directory"


def another_plugin(loader: Loader) -> str:
    shutil.copy(loader.folder / "handlersocket2.so", loader.library)
    return "is no library of HandlerSocket 2"


REFUSED = [
    of_another_patch, of_another_build, of_another_release, with_another_seam, cut_short, empty, a_text,
    for_another_architecture, a_fifo, a_directory, a_link_to_nothing, another_plugin,
]  # fmt: skip


def test_what_is_no_library_of_this_server_is_refused_before_it_runs(loader: Loader) -> None:
    of_another_patch(loader)
    loader.server.start()
    assert f"was built for {PRODUCT} 10.11.17" in loader.status()[1]
    for put in REFUSED:
        if loader.library.is_dir():
            loader.library.rmdir()
        loader.library.unlink(missing_ok=True)
        said = put(loader)
        with pytest.raises(Exception) as refusal:
            loader.server.sql(RELOAD)
        assert said in str(refusal.value), put.__name__
        state, message = loader.status()
        assert state == "no library"
        assert said in message
        assert message.endswith(MEND)
        # None of its code is in the process.
        assert loader.name not in Path(f"/proc/{loader.server.pid}/maps").read_text()
    if loader.library.exists():
        loader.library.unlink()
    loader.put()
    loader.server.sql(RELOAD)
    assert find_a_row(loader) == b"10"


def test_a_server_starts_with_each_of_them(loader: Loader) -> None:
    for put in (cut_short, a_fifo, of_another_build):
        loader.library.unlink(missing_ok=True)
        said = put(loader)
        loader.server.start()
        assert said in loader.status()[1]
        assert len(loader.lines()) == 1
        assert loader.server.stop() == 0


def test_force_does_not_keep_the_server_from_starting_without_a_library() -> None:
    loader = Loader("--handlersocket=FORCE")
    try:
        loader.server.start()
        assert loader.status()[0] == "no library"
    finally:
        loader.server.close()


def test_a_faked_version_is_not_taken_for_the_servers(loader: Loader) -> None:
    loader.put()
    loader.server.arguments.append("--version=10.6.1-fake")
    loader.server.start()
    assert loader.status() == ("running", "")
    assert find_a_row(loader) == b"10"


def test_install_without_a_library_warns_the_client(loader: Loader) -> None:
    loader.server.arguments = []
    loader.server.start()
    with loader.server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("INSTALL PLUGIN handlersocket SONAME 'handlersocket2.so'")
        cursor.execute("SHOW WARNINGS")
        assert any("no port is open" in row[2] for row in cursor.fetchall())
    with pytest.raises(Exception, match="HANDLERSOCKET_CONNECTIONS"):
        loader.server.sql("INSTALL SONAME 'handlersocket2_tables.so'")
    assert loader.server.sql("SELECT 1") == [(1,)]
    loader.server.sql("UNINSTALL PLUGIN handlersocket")


def test_what_is_set_without_a_library_counts_when_it_arrives(loader: Loader) -> None:
    loader.server.start()
    port = free_port()
    loader.server.sql(f"SET GLOBAL handlersocket_port = '{port}'")
    loader.server.sql("SET GLOBAL handlersocket_max_in_keys = 2")
    loader.server.sql("SET GLOBAL handlersocket_slow_log_file = 'other.log'")
    with pytest.raises(Exception, match="while there is no library"):
        loader.server.sql("SET GLOBAL handlersocket_plain_secret = 'sesame'")
    with pytest.raises(Exception, match="no port is open"):
        loader.server.sql("SET GLOBAL handlersocket_kill = 1")
    with pytest.raises(Exception, match="contains a NUL"):
        loader.server.sql("SET GLOBAL handlersocket_socket = 'a\\0b'")
    loader.put()
    loader.server.sql(RELOAD)
    loader.port = port
    assert find_a_row(loader) == b"10"
    with Client(port) as client:
        client.open("hs.t", ["v"])
        assert client.request(1, "=", 1, 1, 1, 0, "@", 0, 3, 1, 2, 3) == b"2\t1\ttoo_many_keys"
    shown = dict(loader.server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'"))
    assert shown["handlersocket_slow_log_file"] == "other.log"
    loader.server.sql("SET GLOBAL handlersocket_slow_log_file = 'third.log'")
    assert loader.server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket_slow_log_file'")[0][1] == "third.log"


def test_a_secret_is_hidden_without_a_library_and_asked_for_when_it_arrives() -> None:
    loader = Loader("--handlersocket-plain-secret=open sesame")
    try:
        loader.server.start()
        assert "sesame" not in str(loader.server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'"))
        command_line = Path(f"/proc/{loader.server.pid}/cmdline").read_bytes()
        assert b"sesame" not in command_line
        loader.put()
        loader.server.sql(RELOAD)
        with Client(loader.port) as client:
            assert client.raw(b"P\t1\tmysql\tuser\tPRIMARY\tUser") == b"3\t1\tunauth"
            assert client.raw(b"A\t1\topen sesame") == b"0\t1"
        assert "sesame" not in str(loader.server.sql("SHOW GLOBAL VARIABLES LIKE 'handlersocket%'"))
    finally:
        loader.server.close()


def test_what_keeps_the_library_from_starting_can_be_changed(loader: Loader) -> None:
    loader.server.start()
    loader.put()
    with socket.create_server(("127.0.0.1", loader.port)):
        with pytest.raises(Exception, match=f"{loader.port} on 127.0.0.1 is in use"):
            loader.server.sql(RELOAD)
        state, message = loader.status()
        assert state == "failed"
        assert f"{loader.port} on 127.0.0.1 is in use" in message
        with pytest.raises(Exception, match="no.such.host.invalid"):
            loader.server.sql("SET GLOBAL handlersocket_address = 'no.such.host.invalid'; ")
            loader.server.sql(RELOAD)
        loader.server.sql("SET GLOBAL handlersocket_address = '127.0.0.1'")
        before, loader.port = loader.port, free_port()
        # As docs/variables.md tells: the reload comes first.
        with pytest.raises(Exception, match=f"{before} on 127.0.0.1 is in use"):
            loader.server.sql(f"SET GLOBAL handlersocket_port = '{loader.port}', GLOBAL handlersocket_reload = 1")
        assert loader.server.sql("SELECT @@global.handlersocket_port") == [(str(before),)]
        loader.server.sql(f"SET GLOBAL handlersocket_port = '{loader.port}'")
        loader.server.sql("SET GLOBAL handlersocket_plain_secret = 'sesame'")
        loader.server.sql("SET GLOBAL handlersocket_plain_secret = ''")
        loader.server.sql(RELOAD)
    assert loader.status() == ("running", "")
    assert find_a_row(loader) == b"10"


def test_many_reloads_at_once_beside_settings_and_status_open_the_ports_once(loader: Loader) -> None:
    loader.server.start()
    loader.put()
    statements = [RELOAD, "SET GLOBAL handlersocket_max_rows = 5000",
                  f"SET GLOBAL handlersocket_port = '{loader.port}'", "SHOW GLOBAL STATUS LIKE 'handlersocket%'",
                  "SHOW GLOBAL VARIABLES LIKE 'handlersocket%'"]  # fmt: skip
    failed: list[BaseException] = []

    def run(statement: str) -> None:
        try:
            for _ in range(20):
                loader.server.sql(statement)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(each,)) for each in statements * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    listening = [line for line in loader.lines() if " listening for reads on port" in line]
    assert len(listening) == 1
    assert find_a_row(loader) == b"10"
    assert loader.server.stop() == 0


def test_a_plugin_whose_file_has_changed_says_how_to_take_the_new_one(loader: Loader) -> None:
    """As after an upgrade of the plugin while the server runs: no library that is built now fits the old one."""
    loader.server.start()
    loader.put(note_changed(release=b"9.9.9"))
    with pytest.raises(Exception, match=f"not of the same build as this plugin, [^,;]*; {MEND}"):
        loader.server.sql(RELOAD)
    plugin = loader.folder / "handlersocket2.so"
    bytes_ = bytearray(plugin.read_bytes())
    change_build_id(bytes_)
    plugin.unlink()
    plugin.write_bytes(bytes_)
    change = "a restart" if IS_MYSQL else "UNINSTALL SONAME, and then INSTALL SONAME, of .*"
    with pytest.raises(Exception, match=f"whose file has changed since it was loaded; {change} takes the new one"):
        loader.server.sql(RELOAD)
    loader.put()
    if IS_MYSQL:
        loader.server.restart()
    else:
        loader.server.sql("UNINSTALL SONAME 'handlersocket2.so'")
        loader.server.sql("INSTALL SONAME 'handlersocket2.so'")
    assert loader.status() == ("running", "")
    assert find_a_row(loader) == b"10"


def test_uninstall_takes_both_files_out_of_the_process(loader: Loader) -> None:
    loader.put()
    loader.server.arguments[0] += ";handlersocket2_tables.so"
    loader.server.start()

    def mapped() -> set[str]:
        maps = Path(f"/proc/{loader.server.pid}/maps").read_text()
        names = (line.split("/")[-1] for line in maps.splitlines() if "handlersocket2" in line)
        return {name.removesuffix(" (deleted)") for name in names}

    rows = "SELECT COUNT(*) FROM information_schema.HANDLERSOCKET_CONNECTIONS"
    with Client(loader.port) as client:
        client.raw(b"X")
        assert loader.server.sql(rows) == [(1,)]
        loader.server.sql("UNINSTALL SONAME 'handlersocket2.so'")
        assert client.at_eof()
    # The tables are there, with nothing in them, and so is the library.
    assert loader.server.sql(rows) == [(0,)]
    assert mapped() == {loader.name, "handlersocket2_tables.so"}
    # A library that has changed meanwhile is not taken for the one that is loaded.
    loader.put(change_build_id)
    with pytest.raises(Exception, match="still has the one before; (a restart|UNINSTALL SONAME .*) lets it go, and then"):
        loader.server.sql("INSTALL SONAME 'handlersocket2.so'")
        loader.server.sql(RELOAD)
    loader.server.sql("UNINSTALL SONAME 'handlersocket2_tables.so'")
    if IS_MYSQL:
        loader.put()
    loader.server.sql(RELOAD)
    assert find_a_row(loader) == b"10"
    loader.server.sql("INSTALL SONAME 'handlersocket2_tables.so'")
    for _ in range(3):
        for name in ("handlersocket2_tables.so", "handlersocket2.so"):
            loader.server.sql(f"UNINSTALL SONAME '{name}'")
        assert mapped() == ({loader.name} if IS_MYSQL else set())
        for name in ("handlersocket2_tables.so", "handlersocket2.so"):
            loader.server.sql(f"INSTALL SONAME '{name}'")
        with Client(loader.port) as client:
            client.raw(b"X")
            assert loader.server.sql(rows) == [(1,)]
    assert loader.server.stop() == 0


def change_build_id(library: bytearray) -> None:
    """Another build ID of the library's own: the note of the linker is of 20 bytes."""
    at = library.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
    library[at] ^= 1


def test_a_data_directory_is_made_without_the_library(loader: Loader) -> None:
    loader.put()
    with PrivateServer(plugin="none") as other:
        option_file = other.directory / "bootstrap.cnf"
        option_file.write_text(f"[mysqld]\nplugin_dir={loader.folder}\nplugin_load_add=handlersocket2.so\n")
        data = other.directory / "second"
        data.mkdir()
        command = server_files.daemon_command(other.server_root, option_file)
        how = ["--initialize-insecure"] if IS_MYSQL else ["--bootstrap", "--innodb-log-file-size=16M"]
        done = subprocess.run(
            [*command, *how, f"--datadir={data}", f"--tmpdir={other.directory / 'tmp'}",
             "--innodb-buffer-pool-size=32M", "--skip-log-bin"],
            input=b"CREATE DATABASE mysql;\n", capture_output=True, check=False,
            env={**os.environ, **server_files.sanitizer_environment()},
        )  # fmt: skip
        output = (done.stdout + done.stderr).decode()
        assert done.returncode == 0, output
        assert "listening" not in output
        assert "handlersocket" not in output


@pytest.mark.skipif(IS_MYSQL, reason="MySQL has no Galera")
def test_a_node_that_looks_where_its_data_ends_opens_no_port(loader: Loader) -> None:
    loader.put()
    loader.server.start()
    assert loader.status()[0] == "running"
    loader.server.stop()
    log = loader.server.directory / "recover.log"
    command = [*loader.server.command(), "--wsrep-recover", f"--log-error={log}"]
    environment = {**os.environ, **server_files.sanitizer_environment()}
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env=environment)
    text = log.read_text(errors="replace")
    assert "WSREP" in text, "it has looked"
    assert "listening" not in text
