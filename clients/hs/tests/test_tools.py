"""top, bench, the man page, the completion of bash, and the commands of docs/hs.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

from conftest import PROGRAM, REPOSITORY, Run, environment
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
        assert run.returncode == 0 and b"run hs doctor as root" in run.stdout
    finally:
        rows.sql("DROP USER patient@localhost")
        rows.sql("SET GLOBAL handlersocket_authentication = DEFAULT")
    assert hs(*where, "--sql-user", "patient").returncode == 4
    assert hs("doctor", "--sql-port", "1").returncode == 4


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
    for command in re.findall(r"^  ([a-z-]+)  ", overview[overview.index("Commands:") :], re.M):
        assert re.search(rf"\b{command}\b", text), command
    for option in re.findall(r"--[a-z-]+", overview):
        assert option in text, option


def completed(hs_words: list[str], tmp_path: Path, rows: PrivateServer) -> list[str]:
    """What bash offers for the last word."""
    script = (
        f"source {REPOSITORY}/clients/hs/hs.bash; COMP_WORDS=(hs \"$@\"); COMP_CWORD=$#; _hs; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    env = environment(rows, tmp_path)
    env["PATH"] = f"{PROGRAM.parent}:{env['PATH']}"
    run = subprocess.run(
        ["bash", "-c", script, "bash", *hs_words], capture_output=True, text=True, env=env, check=True
    )
    assert run.stderr == ""
    return run.stdout.split()


def test_bash_completes_as_the_prompt_does(rows: PrivateServer, tmp_path: Path) -> None:
    assert completed(["cou"], tmp_path, rows) == ["count"]
    assert completed(["get", "test.us"], tmp_path, rows) == ["test.user"]
    assert completed(["get", "user", "--ind"], tmp_path, rows) == ["--index"]
    assert completed(["find", "user", "-i", "by"], tmp_path, rows) == ["by_name"]
    assert completed(["describe", "test.us"], tmp_path, rows) == ["test.user"]
    for command in ["ping", "top", "doctor", "raw", "wait-gtid"]:
        assert completed([command, "test.us"], tmp_path, rows) == [], command
        assert completed([command, "-f", "jsonl"], tmp_path, rows) == ["jsonl"], command


def test_the_commands_of_the_page_print_what_it_says(hs: Run, rows: PrivateServer) -> None:
    page = (REPOSITORY / "docs/hs.md").read_text()
    examples = re.findall(r"^    \$ (hs .*)\n((?:    .*\n)*)", page, re.M)
    assert len(examples) >= 2
    for command, output in examples:
        expected = [line.strip() for line in output.splitlines() if not line.startswith("    $")]
        run = hs(input=f"\\format table\n{command.removeprefix('hs ')}\n".encode())
        assert run.returncode == 0, run.stderr
        assert [line.strip() for line in run.stdout.decode().splitlines()] == expected, command
