"""import and export: what comes out can go in again, byte for byte, and nothing is changed on the way."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import threading
from pathlib import Path

import pymysql
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
    ends = [end.end() for end in re.finditer(b"\n", whole)]
    for cut in (0, 1, len(whole) // 2, len(whole) - 1, len(whole), *ends[-12:]):
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


@pytest.mark.parametrize(
    "type, values",
    [
        ("INT NULL", ["NULL", "NULL", "NULL", "NULL", "1", "2", "3"]),
        ("FLOAT", ["0.10000001", "0.10000002", "16777214", "16777215", "16777216", "99999999"]),
        ("TIMESTAMP", ["'2024-10-27 01:30:00'", "'2024-10-27 02:30:00'", "'2024-10-27 12:00:00'", "'2024-10-28 23:00:00'"]),
    ],
)
def test_an_export_is_resumed_where_a_key_tells_its_place(
    hs: Run, rows: PrivateServer, tmp_path: Path, type: str, values: list[str]
) -> None:
    rows.sql(f"CREATE OR REPLACE TABLE test.copy (a {type}, b INT, UNIQUE KEY a (a))")
    for number, value in enumerate(values):
        rows.sql(f"INSERT INTO test.copy VALUES ({value}, {number})")
    file = tmp_path / "copy.csv"
    words = ("export", "copy", str(file), "--index", "a")
    assert hs(*words).returncode == 0
    whole = file.read_bytes()
    assert whole.count(b"\n") == len(values) + 1
    for rows_left in range(1, len(values) + 1):
        file.write_bytes(b"".join(whole.splitlines(True)[: rows_left + 1]))
        run = hs(*words, "--resume")
        assert run.returncode == 0 and file.read_bytes() == whole, (rows_left, file.read_bytes())
        assert b"%d rows exported" % len(values) in run.stderr


def test_an_export_does_not_go_on_in_a_file_with_other_columns(hs: Run, tmp_path: Path) -> None:
    file = tmp_path / "event.jsonl"
    assert hs("export", "event", str(file), "-c", "at,user").returncode == 0
    whole = file.read_bytes()
    run = hs("export", "event", str(file), "-c", "user,at", "--resume")
    assert run.returncode == 2 and b"other columns" in run.stderr
    assert file.read_bytes() == whole


@pytest.mark.parametrize(
    "type, values",
    [
        ("UUID", ["00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-a456-426655440000"]),
        ("INET6", ["::", "::ffff:1.2.3.4", "2001:db8::1"]),
        ("INET4", ["0.0.0.0", "10.0.0.1", "255.255.255.255"]),
        ("BIT(8)", [b"\x00", b"\x01", b"\xff"]),
        ("YEAR", ["0", "1999", "2155"]),
        ("DATE", ["0000-00-00", "0001-01-01", "2024-01-01"]),
        ("TIME", ["-838:59:59", "-00:00:01", "838:59:59"]),
        ("DATETIME(6)", ["0000-00-00", "1000-01-01", "9999-12-31 23:59:59.999999"]),
        ("TIMESTAMP", ["0000-00-00", "1970-01-01 00:00:01", "2038-01-19 03:14:07"]),
        ("ENUM('b','a','')", ["b", "a", ""]),
        ("SET('b','a')", ["", "b", "a", "b,a"]),
        ("BIGINT UNSIGNED", ["0", "9223372036854775808", "18446744073709551615"]),
        ("DECIMAL(65,30)", ["-99999999999999999999999999999999999.1", "0", "0.000000000000000000000000000001"]),
        ("DOUBLE", ["-1.7976931348623157e308", "0", "5e-324", "1.7976931348623157e308"]),
        ("BINARY(2)", [b"\x00\x00", b"\x00\x01", b"\xff\xff"]),
        ("VARBINARY(9)", [b"", b"\x00", b"\x00\x00", b"\x01", b" "]),
        ("VARCHAR(9) COLLATE utf8mb4_bin", ["", "\t", "\x01a", "a", "😀"]),
        ("VARCHAR(9) COLLATE utf8mb4_nopad_bin", ["", "\x00", "\t", " ", "a"]),
    ],
)
def test_keys_of_every_type_are_exported_and_imported(
    hs: Run, rows: PrivateServer, tmp_path: Path, type: str, values: list[object]
) -> None:
    rows.sql(f"CREATE OR REPLACE TABLE test.copy (a {type} PRIMARY KEY, b INT) CHARSET utf8mb4")
    for number, value in enumerate(values):
        rows.sql("INSERT IGNORE INTO test.copy VALUES (%s, %s)", (value, number))
    before = rows.sql("SELECT HEX(a), CONCAT(a), b FROM test.copy ORDER BY b")
    assert len(before) == len(values)
    for format in FORMATS:
        file = tmp_path / f"copy.{format}"
        run = hs("export", "copy", str(file))
        assert run.returncode == 0, run.stderr
        assert b"%d rows exported" % len(values) in run.stderr
        assert hs("count", "copy").stdout == b"%d\n" % len(values)
        rows.sql("DELETE FROM test.copy")
        rows.sql("SET GLOBAL sql_mode = ''")
        try:
            run = hs("import", "copy", str(file))
        finally:
            rows.sql("SET GLOBAL sql_mode = DEFAULT")
        assert run.returncode == 0, run.stderr
        assert rows.sql("SELECT HEX(a), CONCAT(a), b FROM test.copy ORDER BY b") == before, format


def unreachable(hs: Run, *words: str, **more: object) -> None:
    """As an import that is ended with its first piece under way: its state says so."""
    assert hs(*words, "--write-port", "1", **more).returncode == 4


def test_a_resumed_import_that_is_ended_again_forgets_no_doubt(
    hs: Run, rows: PrivateServer, tmp_path: Path
) -> None:
    file, state = tmp_path / "in.csv", tmp_path / "state"
    file.write_text("user_id\n" + "".join(f"{number}\n" for number in range(5000, 5100)))
    words = ("import", "user", str(file), "--state", str(state))
    unreachable(hs, *words)
    assert hs("import", "user", "-f", "csv", input=file.read_bytes()).returncode == 0  # as if it had all been done
    unreachable(hs, *words, "--piece", "10")
    run = hs(*words)
    assert run.returncode == 0 and b"100 were there already" in run.stderr, run.stderr


def test_records_of_several_imports_are_kept_apart(hs: Run, rows: PrivateServer, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    for text in (b"user_id,user_name\nx,1", b"user_id,user_name\ny,2\n"):
        assert hs("import", "user", "-f", "csv", "--bad", str(bad), input=text).returncode == 6
    assert bad.read_bytes() == b"user_id,user_name\nx,1\ny,2\n"


def test_a_file_without_anything_is_imported(hs: Run, rows: PrivateServer, tmp_path: Path) -> None:
    for name in ("in.csv", "in.tsv", "in.jsonl"):
        (tmp_path / name).write_bytes(b"")
        for more in ((), ("--state", str(tmp_path / "state"))):
            run = hs("import", "user", str(tmp_path / name), *more)
            assert run.returncode == 0 and b"0 rows imported" in run.stderr, run.stderr
            assert not (tmp_path / "state").exists()


def test_an_import_goes_on_in_a_file_whose_beginning_another_program_has_read(
    hs: Run, rows: PrivateServer, tmp_path: Path
) -> None:
    file, state = tmp_path / "in", tmp_path / "state"
    file.write_text("a title\nuser_id\n" + "".join(f"{number}\n" for number in [5000, 5001, "x", *range(5002, 5100)]))
    for most, status in (("1", 6), ("100", 6)):
        with open(file, "rb") as opened:
            os.lseek(opened.fileno(), len("a title\n"), os.SEEK_SET)
            words = ("import", "user", "-f", "csv", "--state", str(state), "--piece", "2", "--max-bad", most)
            run = hs(*words, stdin=opened)
        assert run.returncode == status, run.stderr
    assert b"101 rows imported" not in run.stderr and b"there already" not in run.stderr
    assert rows.sql("SELECT COUNT(*) FROM test.user WHERE user_id >= 5000") == [(100,)]


@pytest.mark.parametrize("duplicate", ["update", "replace"])
def test_of_two_records_with_one_key_the_later_one_stays_whatever_locks_they_meet(
    hs: Run, rows: PrivateServer, duplicate: str
) -> None:
    rows.sql("SET GLOBAL innodb_lock_wait_timeout = 1")
    holder = pymysql.connect(unix_socket=str(rows.socket), user="root", autocommit=False)
    try:
        with holder.cursor() as cursor:
            cursor.execute("SELECT * FROM test.user WHERE user_id = 5 FOR UPDATE")
        release = threading.Timer(1.5, holder.rollback)
        release.start()
        text = b"user_id,user_name\n5,first\n6,x\n5,last\n"
        run = hs("import", "user", "-f", "csv", "--on-duplicate", duplicate, input=text)
        release.join()
    finally:
        holder.close()
        rows.sql("SET GLOBAL innodb_lock_wait_timeout = DEFAULT")
    assert run.returncode == 0 and b"3 rows imported" in run.stderr, run.stderr
    assert rows.sql("SELECT user_name FROM test.user WHERE user_id IN (5, 6)") == [("last",), ("x",)]


def test_a_record_that_is_longer_than_a_request_is_refused_alone(hs: Run, rows: PrivateServer, tmp_path: Path) -> None:
    rows.sql("CREATE OR REPLACE TABLE test.copy (id INT PRIMARY KEY, v LONGBLOB)")
    (tmp_path / "in.csv").write_bytes(b"id,v\n1,a\n2," + b"x" * (65 << 20) + b"\n3,c\n4," + b"y" * (2 << 20) + b"\n5,e\n")
    run = hs("import", "copy", str(tmp_path / "in.csv"))
    assert run.returncode == 6 and run.stderr.count(b"in.csv:3: request_too_long") == 1, run.stderr
    assert rows.sql("SELECT id, LENGTH(v) FROM test.copy ORDER BY id") == [(1, 1), (3, 1), (4, 2 << 20), (5, 1)]


@pytest.mark.parametrize(
    "type, values",
    [
        ("INT UNSIGNED", ["0", "5", "4294967295"]),
        ("TIME", ["-838:59:59", "838:59:59"]),
        ("DECIMAL(5,1)", ["-9999.9", "0.0", "9999.9"]),
        ("VARCHAR(9)", ["", "a", "B", "zz", "\x01x", "~"]),
        ("VARCHAR(9) COLLATE utf8mb4_bin", ["", "zz", "\U0010ffff", "\x01"]),
        ("VARBINARY(9)", ["", "a", "\x7f"]),
        ("ENUM('z', 'b')", ["z", "b"]),
        ("DATE", ["0001-01-01", "2024-02-29", "9999-12-31"]),
        ("DATETIME(6)", ["1000-01-01 00:00:00.000001", "9999-12-31 23:59:59.999999"]),
        ("TIMESTAMP", ["1971-01-01 12:00:00", "2037-01-19 12:14:07"]),
        ("INET6", ["::", "ffff::1"]),
        ("YEAR", ["1901", "2155"]),
    ],
)
@pytest.mark.parametrize("key", ["PRIMARY KEY (a DESC, b)", "KEY k (a DESC, b)"])
def test_an_index_that_goes_downwards_is_read_from_its_beginning(
    hs: Run, rows: PrivateServer, type: str, values: list[str], key: str
) -> None:
    null = "" if key.startswith("P") else " NULL DEFAULT NULL"
    rows.sql(f"CREATE OR REPLACE TABLE test.copy (a {type}{null}, b INT, {key})")
    for value in [*values, *([None] if null else [])]:
        rows.sql("INSERT INTO test.copy VALUES (%s, 1), (%s, 2)", (value, value))
    index = ("-i", "k") if null else ()
    run = hs("export", "copy", "-f", "tsv", "-N", *index)
    expected = rows.sql("SELECT IFNULL(CAST(a AS CHAR), '\\\\N'), b FROM test.copy ORDER BY copy.a DESC, b")
    assert run.stdout.decode() == "".join(f"{value}\t{number}\n" for value, number in expected), run
    assert hs("count", "copy", *index).stdout == b"%d\n" % len(expected)


def test_a_zero_below_zero_is_that_of_sql(hs: Run, rows: PrivateServer) -> None:
    columns = "d DOUBLE, f FLOAT, c DECIMAL(5,2), v VARCHAR(9), i INT"
    rows.sql(f"CREATE OR REPLACE TABLE test.copy (id INT PRIMARY KEY, {columns})")
    rows.sql("INSERT INTO test.copy VALUES (1, -0e0, -0e0, -0e0, -0e0, -0e0)")
    run = hs("import", "copy", "-f", "jsonl", input=b'{"id":2,"d":-0,"f":-0,"c":-0,"v":-0,"i":-0}\n')
    assert run.returncode == 0, run.stderr
    first, second = rows.sql("SELECT CONCAT_WS(',', d, f, c, v, i) FROM test.copy ORDER BY id")
    assert first == second == ("0,0,0.00,0,0",)


def test_a_byte_order_mark_is_no_part_of_a_value(hs: Run, rows: PrivateServer) -> None:
    mark = "\ufeff"
    for words, text in (
        (("csv", "--no-header"), mark + "a,1\n"),
        (("csv", "--no-header"), mark + '"b\nc",1\n'),
        (("csv",), mark + '"page",visits\nd,1\n'),
        (("tsv",), mark + "page\tvisits\ne\t1\n"),
        (("tsv", "--no-header"), mark + "g\t1\n"),
        (("jsonl",), mark + '{"page":"f"}\n'),
    ):
        names = ("-c", "page,visits") if "--no-header" in words else ()
        run = hs("import", "visits", *names, "-f", *words, input=text.encode())
        assert run.returncode == 0, run.stderr
    assert rows.sql("SELECT page FROM test.visits ORDER BY page") == [("a",), ("b\nc",), ("d",), ("e",), ("f",), ("g",)]
    rows.sql("INSERT INTO test.kinds (k) VALUES (%s)", (mark + "x",))
    for form in ("csv", "tsv", "jsonl"):
        text = hs("export", "kinds", "-c", "k", "-N", "-f", form).stdout
        rows.sql("DELETE FROM test.kinds")
        assert hs("import", "kinds", "-c", "k", "-N", "-f", form, input=text).returncode == 0
        assert rows.sql("SELECT k FROM test.kinds") == [(mark + "x",)], form


def test_a_state_that_has_no_room_leaves_nothing_behind(hs: Run, rows: PrivateServer, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("user_id\n5000\n")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    words = ("import", "user", str(tmp_path / "in.csv"), "--state", str(tmp_path / "state"))
    run = hs(*words, preexec_fn=lambda: (resource.setrlimit(resource.RLIMIT_FSIZE, (1, limit[1])),
                                         signal.signal(signal.SIGXFSZ, signal.SIG_IGN)))
    assert run.returncode == 5 and b"state: File too large" in run.stderr, run
    assert [file.name for file in tmp_path.iterdir()] == ["in.csv"]
    assert rows.sql("SELECT COUNT(*) FROM test.user") == [(200,)]
