"""top, bench, the man page, the completion of bash, and the commands of docs/hs.md."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import server_files
from conftest import PROGRAM, REPOSITORY, Run, environment, runner
from private_server import PrivateServer


def test_top_shows_requests_and_the_hottest_tables(hs: Run, rows: PrivateServer) -> None:
    where = ("--sql-socket", str(rows.socket), "--sql-user", "root")
    words = ("top", *where, "--seconds", "3", "--times", "1")
    with subprocess.Popen(
        [PROGRAM, *words], stdout=subprocess.PIPE, env=environment(rows, Path("/nonexistent"))
    ) as top:
        while top.poll() is None:
            hs("raw", input=b"P\t1\ttest\tuser\tPRIMARY\tuser_id\n" + b"1\t=\t1\t5\n" * 50)
        assert top.stdout is not None
        text = top.stdout.read().decode()
    assert top.returncode == 0
    assert re.search(r"^connections \d+", text) and re.search(r"^read +find +[1-9]", text, re.M)
    assert hs("top", "--sql-port", "1", "--times", "1").returncode == 4
    assert hs("top", "--seconds", "0").returncode == 2


def test_top_goes_on_when_the_server_has_restarted() -> None:
    with PrivateServer() as server:
        words = ("top", "--sql-socket", str(server.socket), "--sql-user", "root", "--seconds", "0.1")
        with subprocess.Popen(
            [PROGRAM, *words], stdout=subprocess.PIPE, env=environment(None, Path("/nonexistent"))
        ) as top:
            assert top.stdout is not None

            def read_until(word: bytes) -> None:
                assert any(word in line for line in iter(top.stdout.readline, b"")), word

            read_until(b"connections ")
            server.restart()
            read_until(b"trying again")
            read_until(b"answers again")
            read_until(b"connections ")
            top.kill()


def test_doctor_tells_what_is_wrong_and_its_status_does(hs: Run, rows: PrivateServer) -> None:
    words = ("doctor", "--sql-socket", str(rows.socket), "--sql-user", "root")
    run = hs(*words, "-f", "json")
    found = json.loads(run.stdout)
    assert run.returncode == 0 and run.stderr == b"", run
    assert [list(finding) for finding in found] == [["health", "area", "finding", "remedy"]] * len(found)
    assert found[0]["health"] == "good" and found[0]["finding"].startswith("HandlerSocket 2.")
    told = {(finding["health"], finding["area"]) for finding in found}
    assert ("advice", "exposure") in told and "wrong" not in {health for health, _ in told}
    assert {"plugin", "exposure", "descriptors", "speed", "durability"} <= {area for _, area in told}
    assert all((finding["remedy"] is None) == (finding["health"] == "good") for finding in found)
    text = hs(*words).stdout.decode()
    assert f"the read port (127.0.0.1:{rows.port}) asks for nothing" in text
    assert "-> SET GLOBAL handlersocket_authentication = 'account'" in text


def test_doctor_finds_accounts_without_a_password(hs: Run, rows: PrivateServer) -> None:
    where = ("doctor", "--sql-socket", str(rows.socket))
    rows.sql("SET GLOBAL handlersocket_authentication = 'account'")
    rows.sql("CREATE USER patient@localhost IDENTIFIED BY 'secret'")
    try:
        run = hs(*where, "--sql-user", "root")
        assert run.returncode == 7 and b"'root'@'localhost' may log in without a password" in run.stdout
        assert b"'patient'@" not in run.stdout and b"'mariadb.sys'@" not in run.stdout
        run = hs(*where, "--sql-user", "patient", env={"HS_SQL_PASSWORD": "secret"})
        assert run.returncode == 0 and b"run the same hs doctor as root" in run.stdout
    finally:
        rows.sql("DROP USER patient@localhost")
        rows.sql("SET GLOBAL handlersocket_authentication = DEFAULT")
    assert hs(*where, "--sql-user", "patient").returncode == 4
    assert hs("doctor", "--sql-port", "1").returncode == 4


def test_doctor_tells_that_a_server_is_read_only_where_a_port_takes_changes(hs: Run, rows: PrivateServer) -> None:
    words = ("doctor", "--sql-socket", str(rows.socket), "--sql-user", "root")
    assert b"read_only" not in hs(*words).stdout
    rows.sql("SET GLOBAL read_only = ON")
    try:
        refused = hs("raw", "--write", input=b"P\t1\ttest\tuser\tPRIMARY\tuser_id\n1\t+\t1\t900000001\n")
        assert b"lock_tables" in refused.stdout, refused
        assert b"read_only is on: every change by a port that takes changes (write) is refused" in hs(*words).stdout
    finally:
        rows.sql("SET GLOBAL read_only = OFF")


def test_doctor_says_what_mends_a_plugin_without_a_library(tmp_path: Path) -> None:
    server = PrivateServer(plugin="none", arguments=["--plugin-load-add=handlersocket2.so"])
    folder = server.directory / "loader"
    folder.mkdir()
    (folder / "handlersocket2.so").symlink_to(server_files.PLUGIN_FILE.resolve())
    server.variables["plugin_dir"] = folder
    with server:
        run = runner(None, tmp_path)("doctor", "--sql-socket", str(server.socket), "--sql-user", "root", "-f", "json")
    found = json.loads(run.stdout)[0]
    assert run.returncode == 7 and (found["health"], found["area"]) == ("wrong", "plugin")
    assert "no port is open: there is no handlersocket2-" in found["finding"]
    assert found["remedy"].startswith("build one for this server, as docs/operations.md tells, and put it there, and then SET")


def option_file(tmp_path: Path, text: str) -> tuple[str, str]:
    (tmp_path / "own.cnf").write_text(text)
    return ("--defaults-file", str(tmp_path / "own.cnf"))


def test_the_named_sql_port_is_asked_and_not_that_of_a_file(hs: Run, rows: PrivateServer, tmp_path: Path) -> None:
    """Else the figures, or the faults, would be those of another server."""
    top = ("top", "--seconds", "0.1", "--times", "1", "--sql-user", "root")
    other = option_file(tmp_path, "[client]\nhost = 127.0.0.1\nport = 1\n")
    assert hs(*top, *other, "--sql-socket", str(rows.socket)).returncode == 0
    other = option_file(tmp_path, "[client]\nhost = localhost\nsocket = /nosuch\n")
    assert hs(*top, *other, "--sql-port", str(rows.sql_port)).returncode == 0
    other = option_file(tmp_path, f"[client]\nport = 1\nsocket = {rows.socket}\n")
    assert hs(*top, *other).returncode == 0


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listening:
        yield listening.getsockname()[1]


def test_a_server_that_says_nothing_is_not_waited_for(hs: Run, rows: PrivateServer, silent: int) -> None:
    limits = ("--connect-timeout", "1", "--timeout", "1")
    for words in (
        ("top", "--sql-host", "127.0.0.1", "--sql-port", str(silent), *limits),
        ("doctor", "--sql-host", "127.0.0.1", "--sql-port", str(silent), *limits),
        ("--url", f"hs://127.0.0.1:{silent}/test", "ping", *limits),
        ("--url", f"hs://127.0.0.1:{silent}/test", "raw", "D", *limits),
    ):
        began = time.monotonic()
        assert hs(*words).returncode == 4, words
        assert time.monotonic() - began < 10, words
    where = ("--sql-socket", str(rows.socket), "--sql-user", "root", *limits)
    os.kill(rows.pid, signal.SIGSTOP)
    try:
        assert hs("doctor", *where).returncode == 4
    finally:
        os.kill(rows.pid, signal.SIGCONT)


@pytest.mark.parametrize("said", [
    b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", b"-ERR unknown command 'H'\r\n", b"ERROR\r\n",
    b"\n", b"\x00\n", b"0\t1", b"5.5.5-10.11.0-MariaDB\x00", b"1\n", b"1\t1\n", b"0\t0\n", b"2\t0\n", b"9\t1\ttext\n", b"0\t99999999999999999999\n", b"a" * 100000,
])
def test_a_port_that_answers_something_else_is_told(hs: Run, said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    taken, _ = listening.accept()
                    with taken:
                        taken.recv(65536)
                        taken.sendall(said)
                        taken.settimeout(0.3)
                        with contextlib.suppress(OSError):
                            while taken.recv(65536):
                                taken.sendall(said)
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        place = ("--url", f"hs://127.0.0.1:{listening.getsockname()[1]}/test", "--timeout", "2", "--connect-timeout", "2")
        for words in (("ping",), ("ping", "--write"), ("get", "user", "1"), ("count", "user"), ("describe",), ("raw", "D"),
                      ("insert", "user", "user_id=1"), ("wait-gtid", "0-1-1"), ("import", "user", "-f", "csv")):
            run = hs(*place, *words, input=b"a\n1\n")
            assert run.returncode in (3, 4) or (words[0] in ("ping", "raw") and run.returncode == 0), (words, run)
            assert run.returncode == 0 or run.stderr.startswith(b"hs: ") or words[0] == "raw", (words, run)
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def test_a_server_without_the_plugin_is_told_as_such(tmp_path: Path) -> None:
    with PrivateServer(plugin="none") as server:
        run = runner(None, tmp_path)("top", "--sql-socket", str(server.socket), "--sql-user", "root", "--times", "1")
    assert run.returncode == 3 and b"the plugin is not loaded: hs doctor" in run.stderr, run


def test_bench_tells_by_its_status_that_the_report_was_lost(hs: Run, rows: PrivateServer) -> None:
    words = ("bench", "--port", str(rows.port), "--connections", "1", "--requests", "10", "--rows", "100", "--quiet")
    with open("/dev/full", "wb") as full:
        run = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 1 and b"the output" in run.stderr, run
    run = hs("--host", "127.0.0.1", "bench")
    assert run.returncode == 2 and b"hs bench --help" in run.stderr


def test_bench_is_the_load_generator(hs: Run, rows: PrivateServer) -> None:
    load = ("--connections", "2", "--requests", "100", "--rows", "100", "--quiet")
    run = hs("bench", "--port", str(rows.port), *load)
    assert run.returncode == 0 and b"100 requests" in run.stdout, run
    assert hs("bench", "--frob").returncode == 2


def test_the_man_page_is_right_and_has_every_command_and_option(hs: Run) -> None:
    page = REPOSITORY / "clients/hs/hs.1"
    checked = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", str(page)],
        capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": ""}, check=True,
    )
    assert checked.stderr == b""
    text = page.read_text().replace("\\-", "-")
    overview = hs("--help").stdout.decode()
    commands = re.findall(r"^  ([a-z-]+)  ", overview[overview.index("Commands:") :], re.M)
    for command in commands:
        assert re.search(rf"\b{command}\b", text), command
    helps = [hs(command, "--help").stdout.decode() for command in commands if command != "bench"]
    for option in re.findall(r"--[a-z-]+", overview + "".join(helps)):
        assert re.search(rf"{option}(?![a-z-])", text), option


FOLDER = REPOSITORY / "clients/hs"
# What each shell offers for the last word, one line for each.
SHELLS = {
    "bash": (
        f"source {FOLDER}/hs.bash; COMP_WORDS=(hs \"$@\"); COMP_CWORD=$#; _hs; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    ),
    "zsh": (
        'compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@" }; _default() { }; '
        f'complete_it() {{ words=(hs "$@"); CURRENT=$#words; source {FOLDER}/_hs; }}; complete_it "$@"'
    ),
    "fish": (
        f"source {FOLDER}/hs.fish; "
        "complete --do-complete (string join ' ' -- hs (string escape -- $argv))"
    ),
}
WORDS_OF = {"bash": ["bash"], "zsh": ["zsh"], "fish": ["--"]}  # before the first argument of a script


def completed(shell: str, hs_words: list[str], tmp_path: Path, rows: PrivateServer) -> list[str]:
    env = environment(rows, tmp_path)
    env["PATH"] = f"{PROGRAM.parent}:{env['PATH']}"
    run = subprocess.run(
        [shell, "-c", SHELLS[shell], *WORDS_OF[shell], *hs_words],
        capture_output=True, text=True, env=env, cwd=tmp_path, check=True,
    )
    assert run.stderr == ""
    return run.stdout.split()


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_complete_as_the_prompt_does(
    shell: str, rows: PrivateServer, tmp_path: Path
) -> None:
    def offers(*words: str) -> list[str]:
        return completed(shell, list(words), tmp_path, rows)

    assert offers("cou") == ["count"]
    assert offers("ben") == ["bench"]
    assert offers("--writ") == offers("get", "user", "--writ") == ["--write-port", "--write-socket"]
    assert offers("get", "test.us") == ["test.user"]
    assert offers("get", "user", "--ind") == ["--index"]
    assert offers("find", "user", "-i", "by") == ["by_name"]
    assert offers("describe", "test.us") == ["test.user"]
    for command in ["ping", "top", "doctor", "raw", "wait-gtid"]:
        assert offers(command, "test.us") == [], command
        assert offers(command, "-f", "jsonl") == ["jsonl"], command


def test_the_commands_of_the_page_print_what_it_says(hs: Run, rows: PrivateServer) -> None:
    page = (REPOSITORY / "docs/hs.md").read_text()
    examples = re.findall(r"^    \$ (hs .*)\n((?:    .*\n)*)", page, re.M)
    assert len(examples) >= 2
    for command, output in examples:
        expected = [line.strip() for line in output.splitlines() if not line.startswith("    $")]
        run = hs(input=f"\\format table\n{command.removeprefix('hs ')}\n".encode())
        assert run.returncode == 0, run.stderr
        assert [line.strip() for line in run.stdout.decode().splitlines()] == expected, command
