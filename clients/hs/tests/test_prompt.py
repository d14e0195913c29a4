"""The prompt: lines as a script, and a terminal with completion and history."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import PROGRAM, Run, environment
from private_server import PrivateServer
from terminal import Terminal


@pytest.fixture
def terminal(rows: PrivateServer, tmp_path: Path) -> Iterator[Terminal]:
    """A prompt that waits for its first line."""
    running = Terminal({**environment(rows, tmp_path), "TERM": "xterm"})
    running.wait_for("hs> ")
    yield running
    running.close()


def test_lines_are_commands_until_the_first_error(hs: Run) -> None:
    script = b"# a script\nget user 5 -c user_name -N\n\n\\format csv\nget user 'x'\n\\use test\ncount event\n"
    run = hs(input=script)
    assert run.stdout == b"user name 5\nuser_id,user_name,user_email,created\nrows\n4\n"
    assert run.returncode == 0
    run = hs(input=b"count user\nfrob\ncount user\n")
    assert (run.stdout, run.returncode) == (b"200\n", 2)
    assert hs(input=b"get user 9999 -N\n").returncode == 1
    assert hs(input=b"count user\n\\q\nfrob\n").returncode == 0


def test_watch_runs_a_line_again(hs: Run) -> None:
    assert hs(input=b"count user \\watch 0 3\n\\watch 0 2\n").stdout == b"200\n" * 5
    assert hs(input=b"count user \\watch x\n").returncode == 2
    assert hs(input=b"count user \\watch 0 2.5\n").returncode == 2


def test_null_needs_no_quotes_at_the_prompt(hs: Run, rows: PrivateServer) -> None:
    hs(input=b"update user 5 user_name=\\N user_email='a b'\n")
    assert rows.sql("SELECT user_name, user_email FROM test.user WHERE user_id = 5") == [(None, "a b")]


def test_tab_completes_commands_tables_columns_and_indexes(terminal: Terminal) -> None:
    for typed, completed in [
        ("cou\t", "count "),
        ("get us\t", "get user "),
        ("get test.ev\t", "get test.event "),
        ("get tes\t", r"get test\."),
        ("get user --ind\t", "get user --index "),
        ("find user -i by\t", "find user -i by_name "),
        ("insert user user_n\t", "insert user user_name="),
        ("get user 5 -c user_id,crea\t", "get user 5 -c user_id,created"),
    ]:
        terminal.send(typed)
        terminal.wait_for(completed)
        terminal.cancel()


def test_a_line_can_be_taken_back_and_comes_again_from_the_history(
    terminal: Terminal, tmp_path: Path
) -> None:
    terminal.send("get user 5 -c user_name\n")
    terminal.wait_for("user name 5\r\nhs> ")
    terminal.send("\x1b[A\n")
    terminal.wait_for("user name 5\r\nhs> ")
    terminal.send("frob")
    terminal.wait_for("frob")
    terminal.cancel()
    terminal.send("\\q\n")
    assert terminal.process.wait(30) == 0
    history = tmp_path / ".hs_history"
    assert "get" in history.read_text() and history.stat().st_mode & 0o777 == 0o600


def test_ctrl_c_ends_watch_and_not_hs(terminal: Terminal) -> None:
    terminal.send("count user \\watch 60\n")
    terminal.wait_for("200")
    terminal.cancel()


def test_ctrl_c_ends_what_goes_on_by_itself_and_not_hs(terminal: Terminal, rows: PrivateServer) -> None:
    terminal.send(f"top --sql-socket {rows.socket} --sql-user root --seconds 600\n")
    terminal.cancel()
    terminal.send("raw\n")
    time.sleep(1)
    terminal.send("frob\n")
    terminal.wait_for("cmd")
    terminal.cancel()
    terminal.send("count user\n")
    terminal.wait_for("200\r\nhs> ")


def test_a_second_ctrl_c_ends_hs_where_a_request_waits(terminal: Terminal) -> None:
    terminal.send("wait-gtid 7-7-7 --seconds 60\n")
    time.sleep(1)
    terminal.send("\x03")
    time.sleep(2.2)
    terminal.send("\x03")
    assert terminal.process.wait(10) == 130


def test_the_input_of_a_command_ends_without_the_prompt(terminal: Terminal) -> None:
    for command in ("raw", "import user -f csv -c user_id"):
        terminal.send(f"{command}\n")
        time.sleep(1)
        terminal.send("user_id\n5000\n\x04")
        terminal.wait_for("hs> ")
    terminal.send("count user\n")
    terminal.wait_for("201\r\nhs> ")


@pytest.mark.parametrize("command", ["raw", "import user -f csv", "import user - -f csv"])
def test_no_command_of_a_script_reads_the_script(hs: Run, rows: PrivateServer, command: str) -> None:
    run = hs(input=f"{command}\nuser_id\n5000\n".encode())
    assert run.returncode == 2 and b"the standard input is the script" in run.stderr, run
    assert rows.sql("SELECT COUNT(*) FROM test.user") == [(200,)]


def test_a_terminal_gets_a_table_in_colours_unless_they_are_not_wanted(
    rows: PrivateServer, tmp_path: Path
) -> None:
    for more, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        primary, replica = pty.openpty()
        env = {**environment(rows, tmp_path), "TERM": "xterm", **more}
        subprocess.run([PROGRAM, "get", "user", "101"], stdout=replica, env=env, check=True)
        text = os.read(primary, 65536).decode()
        os.close(primary)
        os.close(replica)
        assert "Yukari Takeba  yukari" in text and "-----" in text
        assert ("\x1b[1m" in text) == coloured


OBEYED = "\x1b[31mred\x07\u009b2J\x7f\r"


def on_terminal(rows: PrivateServer, home: Path, *words: str, stream: str = "stdout") -> bytes:
    """What hs writes to that stream when it is a terminal."""
    primary, replica = pty.openpty()
    env = {**environment(rows, home), "TERM": "xterm", "NO_COLOR": "1"}
    subprocess.run([PROGRAM, *words], env=env, **{stream: replica})  # type: ignore[call-overload]
    text = os.read(primary, 65536)
    os.close(primary)
    os.close(replica)
    return text


@pytest.mark.parametrize("format", ["table", "vertical", "tsv", "csv", "json", "jsonl"])
def test_no_value_is_obeyed_by_a_terminal(
    rows: PrivateServer, tmp_path: Path, hs: Run, format: str
) -> None:
    rows.sql("INSERT INTO test.kinds (k, t) VALUES ('x', %s)", (OBEYED + "😀é",))
    words = [("get", "kinds", "x", "-c", "t", "-f", format)]
    words += [("export", "kinds", "-c", "t", "-f", format)] if format in ("tsv", "csv", "jsonl") else []
    for command in words:
        text = on_terminal(rows, tmp_path, *command).replace(b"\r\n", b"\n")
        assert b"red" in text and "😀é".encode() in text
        assert not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", text), text
        if format == "jsonl":
            assert json.loads(text)["t"].startswith(OBEYED)
    assert format in ("table", "vertical", "json", "jsonl") or OBEYED[:-1].encode() in hs(*words[0]).stdout


def test_no_name_and_no_refusal_is_obeyed_by_a_terminal(
    rows: PrivateServer, tmp_path: Path, hs: Run
) -> None:
    (tmp_path / "in.jsonl").write_text('{"\\u001b[31mred":1}\n{"a":1,"\\u001b":1,"\\u001b":1}\n')
    told = hs("import", "user", str(tmp_path / "in.jsonl")).stderr
    assert b"\\x1b[31mred" in told and b"\x1b" not in told


def test_shells_complete_no_name_that_they_would_act_on(rows: PrivateServer, hs: Run) -> None:
    names = ["\x1b[31mred", "a b", "q$(touch x)", "q`x`", "it's", "a;b", "a\nb", "plain_é"]
    for name in names:
        rows.sql("CREATE TABLE test.`" + name.replace("`", "``") + "` (id INT PRIMARY KEY)")
    try:
        told = hs("complete", "--", "test.", "get").stdout.decode().splitlines()
    finally:
        for name in names:
            rows.sql("DROP TABLE test.`" + name.replace("`", "``") + "`")
    assert told == ["test.event", "test.kinds", "test.plain_é", "test.user", "test.visits"]


def test_an_empty_word_is_no_command(hs: Run) -> None:
    run = hs(input=b"''\n")
    assert run.returncode == 2 and b"is no command" in run.stderr
