"""import and export: what comes out can go in again, byte for byte, and nothing is changed on the way."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM, Run, environment
from private_server import PrivateServer

FORMATS = ["csv", "tsv", "jsonl"]
ALL_BYTES = bytes(range(256))


def fill_kinds(server: PrivateServer) -> None:
    """Rows with every byte, NULL, empty texts and what the formats have a meaning for."""
    texts = ["", "NULL", "\\N", "null", ",", '"', '""', "\t", "\n", "\r\n", "\\", " x ", "é日😀", "{}", "\x00\x01"]
    for number, text in enumerate(texts):
        server.sql("INSERT INTO test.kinds VALUES (%s, %s, -0.0, -1.50, %s)", (f"t{number}", text.encode(), text))
    for byte in range(256):
        server.sql("INSERT INTO test.kinds VALUES (%s, %s, %s, NULL, NULL)", (f"b{byte:03}", bytes([byte]), byte / 7))
    server.sql("INSERT INTO test.kinds VALUES ('\t', %s, 1e300, 0, '')", (ALL_BYTES * 2,))
    server.sql("INSERT INTO test.kinds VALUES ('', NULL, NULL, NULL, NULL)")


def content(server: PrivateServer, table: str) -> list[tuple[object, ...]]:
    """All rows, with the sign of zeros."""
    return server.sql(f"SELECT k, HEX(b), CONCAT(d), n, HEX(t) FROM test.{table} ORDER BY k")


@pytest.mark.parametrize("format", FORMATS)
def test_every_byte_survives_export_and_import(
    hs: Run, rows: PrivateServer, tmp_path: Path, format: str
) -> None:
    fill_kinds(rows)
    rows.sql("CREATE OR REPLACE TABLE test.copy LIKE test.kinds")
    file = tmp_path / f"kinds.{format}"
    assert hs("export", "kinds", str(file)).returncode == 0
    run = hs("import", "copy", str(file))
    assert run.returncode == 0, run.stderr
    assert content(rows, "copy") == content(rows, "kinds")
    assert len(content(rows, "copy")) == 273
    again = hs("export", "copy", "-f", format)
    assert again.stdout == file.read_bytes()


@pytest.mark.parametrize("format", FORMATS)
def test_an_import_leaves_out_what_the_server_generates(
    hs: Run, rows: PrivateServer, tmp_path: Path, format: str
) -> None:
    rows.sql(
        "CREATE TABLE test.copy (id INT PRIMARY KEY, twice INT AS (id * 2) STORED UNIQUE, more INT AS (id + 1) VIRTUAL)"
    )
    rows.sql("INSERT INTO test.copy (id) VALUES (1), (2)")
    file = tmp_path / f"copy.{format}"
    assert hs("export", "copy", str(file)).returncode == 0
    rows.sql("DELETE FROM test.copy")
    run = hs("import", "copy", str(file), "--state", str(tmp_path / "state"))
    assert run.returncode == 0, run.stderr
    assert run.stderr.count(b'"twice" is generated') == run.stderr.count(b'"more" is generated') == 1
    assert rows.sql("SELECT * FROM test.copy ORDER BY id") == [(1, 2, 2), (2, 4, 3)]
    alone = {"csv": b"twice\n6\n", "tsv": b"twice\n6\n", "jsonl": b'{"twice":6}\n'}[format]
    run = hs("import", "copy", "-f", format, input=alone)
    assert run.returncode == 6 and b"no column to import" in run.stderr
    assert rows.sql("SELECT COUNT(*) FROM test.copy") == [(2,)]


@pytest.mark.parametrize("format", FORMATS)
def test_an_export_that_was_cut_anywhere_is_resumed(
    hs: Run, rows: PrivateServer, tmp_path: Path, format: str
) -> None:
    fill_kinds(rows)
    file = tmp_path / f"kinds.{format}"
    hs("export", "kinds", str(file))
    whole = file.read_bytes()
    for cut in (0, 1, len(whole) // 2, len(whole) - 1, len(whole)):
        file.write_bytes(whole[:cut])
        run = hs("export", "kinds", str(file), "--resume")
        assert run.returncode == 0, run.stderr
        assert file.read_bytes() == whole, cut
    file.write_bytes(b"other\n" + whole)
    assert hs("export", "kinds", str(file), "--resume").returncode == 2
    assert hs("export", "kinds", str(file)).returncode == 2
    assert file.read_bytes() == b"other\n" + whole
    assert hs("export", "kinds", str(file), "--overwrite").returncode == 0
    assert file.read_bytes() == whole


def test_an_export_of_some_rows_and_columns(hs: Run) -> None:
    run = hs("export", "user", "-f", "csv", "-c", "user_name,user_id", "-w", "user_id < 3", "-N")
    assert run.stdout == b"user name 1,1\nuser name 2,2\n"
    assert b"2 rows exported" in run.stderr


def test_bad_rows_are_told_with_their_lines_and_nothing_else_is_lost(
    hs: Run, rows: PrivateServer, tmp_path: Path
) -> None:
    file, bad = tmp_path / "in.csv", tmp_path / "bad.csv"
    file.write_text(
        'user_id,user_name\n5000,"two\nlines"\n1,there\nx,no number\n5001\n5002,a"b\n5003,'
        + "y" * 51 + '\n5004,""\n5005,'
    )
    run = hs("import", "user", str(file), "--bad", str(bad))
    assert run.returncode == 6
    told = [line.split(b":")[1:3] for line in run.stderr.splitlines()]
    assert [int(line) for line, _ in told[:-1]] == [4, 5, 6, 7, 8]
    assert b"3 rows imported, 5 refused" in run.stderr
    assert bad.read_text().splitlines()[:3] == ["user_id,user_name", "1,there", "x,no number"]
    kept = rows.sql("SELECT user_id, user_name FROM test.user WHERE user_id >= 5000 ORDER BY 1")
    assert kept == [(5000, "two\nlines"), (5004, ""), (5005, None)]


@pytest.mark.parametrize(
    "name, text, added",
    [
        ("in.csv", "user_id,user_name\r\n\r\n6000,a\r\n\r\n\n6001,b\n\n", [(6000, "a"), (6001, "b")]),
        ("in.tsv", "user_id\tuser_name\n\n6000\ta\n\r\n", [(6000, "a")]),
        ("in.jsonl", '\n{"user_id":6000}\n\r\n{"user_id":6001}\n\n', [(6000, None), (6001, None)]),
    ],
)
def test_lines_without_anything_are_no_rows(
    hs: Run, rows: PrivateServer, tmp_path: Path, name: str, text: str, added: list[tuple[object, ...]]
) -> None:
    (tmp_path / name).write_bytes(text.encode())
    run = hs("import", "user", str(tmp_path / name))
    assert run.returncode == 0, run.stderr
    assert rows.sql("SELECT user_id, user_name FROM test.user WHERE user_id >= 6000 ORDER BY 1") == added


def test_bad_json_lines_are_told(hs: Run, rows: PrivateServer) -> None:
    lines = b'{"user_id":7000}\n{"frob":1}\n[]\n\n{"user_id":7001,"user_name":null}\n{"user_id":18446744073709551616}'
    run = hs("import", "user", "-f", "jsonl", input=lines)
    assert run.returncode == 6
    assert [int(line.split(b":")[1]) for line in run.stderr.splitlines()[:-1]] == [2, 3, 6]
    assert rows.sql("SELECT COUNT(*) FROM test.user WHERE user_id >= 7000") == [(2,)]


def test_a_number_beyond_those_of_json_is_told_as_one(hs: Run, rows: PrivateServer) -> None:
    run = hs("import", "user", "-f", "jsonl", input=b'{"user_id":1e400}\n{"user_id":\n')
    assert run.returncode == 6
    assert [line.rsplit(b": ", 1)[1] for line in run.stderr.splitlines()[:2]] == [
        b"a number beyond those of JSON",
        b"no JSON",
    ]


def test_a_header_in_utf_16_is_shown_whole(hs: Run, rows: PrivateServer) -> None:
    run = hs("import", "user", "-f", "csv", input="user_id,user_name\n5000,a\n".encode("utf-16-le"))
    assert run.returncode == 2
    assert rb"u\x00s\x00e\x00r" in run.stderr and b"--no-header" in run.stderr, run.stderr


@pytest.mark.parametrize(
    "words, text",
    [
        ((), "user_id,frob\n1,2\n"),
        ((), "user_id,user_id\n1,2\n"),
        (("-c", "user_id"), "user_id,user_name\n1,2\n"),
        (("-c", "frob"), "x\n1\n"),
        (("--state", "/dev/null/x"), "user_id\n5000\n"),
        (("--piece", "0"), "user_id\n5000\n"),
    ],
)
def test_a_file_that_does_not_fit_changes_nothing(
    hs: Run, rows: PrivateServer, words: tuple[str, ...], text: str
) -> None:
    run = hs("import", "user", "-f", "csv", *words, input=text.encode())
    assert run.returncode == 2, run.stderr
    assert rows.sql("SELECT COUNT(*) FROM test.user") == [(200,)]


def test_an_import_ends_after_too_many_bad_rows(hs: Run, rows: PrivateServer) -> None:
    text = "user_id\n" + "x\n" * 5 + "5000\n"
    run = hs("import", "user", "-f", "csv", "--max-bad", "2", "--piece", "1", input=text.encode())
    assert run.returncode == 6 and b"stops in front of line 4" in run.stderr
    assert rows.sql("SELECT COUNT(*) FROM test.user") == [(200,)]


def test_rows_that_are_there_are_ignored_updated_or_replaced(hs: Run, rows: PrivateServer) -> None:
    text = b"user_id,user_name\n1,new\n5000,new\n"
    ignored = hs("import", "user", "-f", "csv", "--on-duplicate", "ignore", input=text)
    assert b"1 rows imported, 1 were there already" in ignored.stderr
    assert rows.sql("SELECT user_name FROM test.user WHERE user_id = 1") == [("user name 1",)]
    hs("import", "user", "-f", "csv", "--on-duplicate", "update", input=text)
    row = rows.sql("SELECT user_name, user_email FROM test.user WHERE user_id = 1")
    assert row == [("new", "user1@example.com")]
    hs("import", "user", "-f", "csv", "--on-duplicate", "replace", input=text)
    assert rows.sql("SELECT user_email FROM test.user WHERE user_id = 1") == [(None,)]


def test_an_import_goes_on_where_its_state_says(hs: Run, rows: PrivateServer, tmp_path: Path) -> None:
    file, state = tmp_path / "in.csv", tmp_path / "state"
    text = "user_id,user_name\n" + "".join(f"{number},n\n" for number in range(5000, 5100))
    file.write_text(text)
    head, sent = ("".join(text.splitlines(True)[:lines]) for lines in (21, 61))
    # As if it had been ended while 40 rows were under way, of which the server had done 10.
    hs("import", "user", "-f", "csv", input="".join(text.splitlines(True)[:31]).encode())
    spots = {"done": {"offset": len(head), "line": 22}, "sent": {"offset": len(sent), "line": 62}}
    state.write_text(json.dumps({"table": "test.user", "file": str(file), "rows": 20, "bad": 0, **spots}))
    run = hs("import", "user", str(file), "--state", str(state))
    assert run.returncode == 0, run.stderr
    assert b"goes on at line 22" in run.stderr
    assert b"90 rows imported, 10 were there already" in run.stderr
    assert not state.exists()
    assert rows.sql("SELECT COUNT(*) FROM test.user WHERE user_id >= 5000") == [(100,)]


def test_an_import_does_not_go_on_in_another_file(hs: Run, rows: PrivateServer, tmp_path: Path) -> None:
    file, state = tmp_path / "in.csv", tmp_path / "state"
    words = ("import", "user", str(file), "--state", str(state), "--piece", "2", "--max-bad", "1")
    file.write_text("user_id,user_name\n5000,n\n5001,n\nwrong,n\n5003,n\n5004,n\n")
    assert hs(*words).returncode == 6 and state.exists()
    file.write_text("user_id,user_name\n600,a name\n60001,n\n600002,n\n6003,n\n6004,n\n")
    run = hs(*words)
    assert run.returncode == 5 and b"is it another file?" in run.stderr, run.stderr
    assert rows.sql("SELECT COUNT(*) FROM test.user WHERE user_id >= 6000") == [(0,)]
    assert state.exists()


def test_an_import_that_loses_the_server_keeps_its_state(
    hs: Run, rows: PrivateServer, tmp_path: Path
) -> None:
    file, state = tmp_path / "in.csv", tmp_path / "state"
    file.write_text("user_id\n" + "".join(f"{number}\n" for number in range(5000, 5100)))
    rows.sql("CREATE TRIGGER test.ends BEFORE INSERT ON test.user FOR EACH ROW "
             "IF NEW.user_id = 5050 THEN SET NEW.created = SLEEP(60); END IF")
    try:
        words = ("import", "user", str(file), "--state", str(state), "--piece", "10", "--timeout", "0.5")
        lost = hs(*words)
        assert lost.returncode == 4 and b"lines 52 to 61" in lost.stderr
        for (number,) in rows.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE INFO IS NOT NULL "
                                  "AND ID <> CONNECTION_ID() OR STATE = 'User sleep'"):
            rows.sql(f"KILL QUERY {number}")
    finally:
        rows.sql("DROP TRIGGER test.ends")
    run = hs("import", "user", str(file), "--state", str(state))
    assert run.returncode == 0, run.stderr
    assert rows.sql("SELECT COUNT(*) FROM test.user WHERE user_id >= 5000") == [(100,)]


def test_a_terminal_sees_how_far_it_is_and_a_pipe_does_not(
    rows: PrivateServer, hs: Run, tmp_path: Path
) -> None:
    assert b"\r" not in hs("export", "user", "-f", "csv").stderr
    primary, replica = pty.openpty()
    with subprocess.Popen(
        [PROGRAM, "export", "user", "-f", "csv"], stdout=subprocess.DEVNULL, stderr=replica,
        env=environment(rows, tmp_path),
    ) as run:
        os.close(replica)
        seen = b""
        while select.select([primary], [], [], 30)[0]:
            try:
                seen += os.read(primary, 4096)
            except OSError:  # the other end is closed
                break
    os.close(primary)
    assert run.returncode == 0 and b" %, " in seen and b"200 rows exported" in seen


@pytest.mark.parametrize(
    "name, text, refused",
    [
        ("in.csv", "page,visits\na,1\n,2\nb,3\n", 1),
        ("in.csv", "id,visits\n1,1\n,2\n0,3\n0.4,4\n5,5\n", 3),
        ("in.jsonl", '{"page":"a"}\n{"visits":2}\n{"id":5}\n{"page":null,"id":6}\n', 1),
    ],
)
def test_a_row_that_no_key_would_know_again_is_not_imported_with_a_state(
    hs: Run, rows: PrivateServer, tmp_path: Path, name: str, text: str, refused: int
) -> None:
    (tmp_path / name).write_text(text)
    run = hs("import", "visits", str(tmp_path / name), "--state", str(tmp_path / "state"))
    assert run.returncode == 6 and run.stderr.count(b"imported twice") == refused, run.stderr


@pytest.mark.parametrize("duplicate", ["error", "ignore", "update", "replace"])
def test_a_state_needs_a_unique_index_whose_columns_are_in_the_file(
    hs: Run, rows: PrivateServer, tmp_path: Path, duplicate: str
) -> None:
    file = tmp_path / "in.csv"
    file.write_text("visits\n1\n")
    words = ("import", "visits", str(file), "--on-duplicate", duplicate)
    run = hs(*words, "--state", str(tmp_path / "state"))
    assert run.returncode == 2 and b"unique index" in run.stderr
    assert rows.sql("SELECT COUNT(*) FROM test.visits") == [(0,)]
    assert hs(*words).returncode == 0


@pytest.mark.parametrize("words", [("import", "user", "-f", "jsonl"), ("raw",)])
def test_a_line_without_an_end_takes_no_memory_without_an_end(
    rows: PrivateServer, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with open(tmp_path / "line", "wb+") as sparse:
        sparse.truncate(3 << 30)
        env = environment(rows, tmp_path)
        with subprocess.Popen([PROGRAM, *words], stdin=sparse, stderr=subprocess.PIPE, env=env) as run:
            told = run.stderr.read()  # type: ignore[union-attr]
            _, status, used = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode == 5 and b"of more than 268435456 bytes" in told
    assert used.ru_maxrss < 2 << 20


@pytest.mark.parametrize("key", ["UNIQUE", "KEY"])
def test_rows_go_into_a_table_without_a_primary_key(hs: Run, rows: PrivateServer, key: str) -> None:
    rows.sql(f"CREATE OR REPLACE TABLE test.copy (t TEXT, a INT, FULLTEXT KEY words (t), {key} by_a (a))")
    assert hs("import", "copy", "-f", "csv", input=b"a,t\n1,x\n2,y\n").returncode == 0
    assert hs("insert", "copy", "a=3").stdout == b"inserted\n"
    assert hs("upsert", "copy", "a=4", "t=z", "-r", "after").returncode == 0
    assert rows.sql("SELECT a, t FROM test.copy ORDER BY a") == [(1, "x"), (2, "y"), (3, None), (4, "z")]
    run = hs("get", "copy", "1")
    assert run.returncode == 3 and b"--index names another" in run.stderr


def test_a_table_without_an_index_is_refused_before_anything_is_sent(hs: Run, rows: PrivateServer) -> None:
    rows.sql("CREATE OR REPLACE TABLE test.copy (a INT)")
    run = hs("import", "copy", "-f", "csv", input=b"a\n1\n")
    assert run.returncode == 2 and run.stderr == b"hs: test.copy has no index: rows are only added by SQL\n"
