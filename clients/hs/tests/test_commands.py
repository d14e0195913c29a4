"""The commands that ask once."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from conftest import PROGRAM, Run
from private_server import PrivateServer
from private_server import free_port


def lines(run: object) -> list[str]:
    """What a run has written, which must be all that it was to do."""
    assert run.returncode == 0, run.stderr  # type: ignore[attr-defined]
    return run.stdout.decode().splitlines()  # type: ignore[attr-defined,no-any-return]


def test_get_prints_a_row_and_says_by_its_status_whether_there_is_one(hs: Run) -> None:
    assert lines(hs("get", "test.user", "101", "-c", "user_id,user_name")) == [
        "user_id\tuser_name",
        "101\tYukari Takeba",
    ]
    assert hs("get", "user", "9999").returncode == 1


def test_a_name_with_a_dot_stands_in_backquotes(hs: Run, server: PrivateServer) -> None:
    server.sql("CREATE DATABASE `odd.name`")
    server.sql("CREATE TABLE `odd.name`.`a.b` (id INT PRIMARY KEY)")
    server.sql("INSERT INTO `odd.name`.`a.b` VALUES (1)")
    try:
        found = lines(hs("get", "`odd.name`.`a.b`", "1"))
        assert found == ["id", "1"]
        assert lines(hs("-D", "odd.name", "get", "`a.b`", "1")) == found
        assert lines(hs("describe", "`odd.name`")) == ["table\tcomment", "a.b\t"]
        assert lines(hs("describe", "`odd.name`.`a.b`", "-N"))[0].startswith("id\tint")
        assert lines(hs("indexes", "`a.b`", "-D", "odd.name", "-N"))[0].startswith("PRIMARY\t1\tid")
        refused = hs("get", "`odd.name", "1")
        assert refused.returncode == 2 and b'"`odd.name" is no name' in refused.stderr
    finally:
        server.sql("DROP DATABASE `odd.name`")


def test_options_stand_before_and_behind_the_command(hs: Run) -> None:
    expected = lines(hs("get", "user", "5", "-f", "jsonl"))
    assert lines(hs("-f", "jsonl", "get", "user", "5")) == expected
    url = "hs://127.0.0.1:1/test"
    assert hs("get", "user", "5", "--url", url).returncode == 4
    assert hs("--url", url, "get", "user", "5").returncode == 4


def test_what_is_said_of_a_word_shows_the_word(hs: Run, tmp_path: Path) -> None:
    for words, shown in [
        (["find", "user", "--limit", "-1"], "Value -1 not in range"),
        (["find", "user", "<>", "3"], '"<>" is no operator of an index'),
        (["count", "user", "!=", "3"], '"!=" is no operator of an index'),
        (["find", "user", "--limit=-1"], "Value -1 not in range"),
        (["get", "user", "5", "--format", "{x"], "{x not in"),
    ]:
        run = hs(*words)
        assert run.returncode == 2 and shown in run.stderr.decode() and b"\x01" not in run.stderr
    # A value of any option may begin as a list of CLI11 does.
    file = tmp_path / "[x].cnf"
    file.write_text("[hs]\nname = x\n")
    assert hs("get", "user", "5", "--defaults-file", "[x].cnf", cwd=tmp_path).returncode == 0
    assert b"[nosuch].cnf: No such file" in hs("ping", "--defaults-file", "[nosuch].cnf").stderr
    assert "kpnum (code 2): the key has more values" in hs("get", "user", "5", "6").stderr.decode()


def test_find_goes_along_an_index(hs: Run) -> None:
    words = ("find", "user", ">=", "100", "--limit", "3", "-N", "-c", "user_id")
    assert lines(hs(*words)) == ["100", "101", "102"]
    assert lines(hs(*words, "--offset", "1")) == ["101", "102", "103"]
    assert lines(hs(*words, "--where", "user_name != Yukari Takeba")) == ["100", "102", "103"]
    assert lines(hs(*words, "--while", "user_id<102")) == ["100", "101"]
    by_name = ("find", "user", "--index", "by_name", "=", "user name 7", "-N", "-c", "user_id")
    assert lines(hs(*by_name)) == ["7"]


def test_find_takes_lists_of_values(hs: Run) -> None:
    assert lines(hs("find", "user", "--in", "9", "--in", "3", "-N", "-c", "user_id")) == ["9", "3"]
    each = ("find", "event", "=<", "--in", "7", "--in", "8", "--each", "-l", "2", "-N", "-c", "at")
    assert lines(hs(*each)) == ["30", "20", "15"]
    part = ("find", "event", "7", "--in", "10", "--in", "30", "--in-column", "at", "-N", "-c", "what")
    assert lines(hs(*part)) == ["login", "logout"]


def test_find_without_a_key_reads_all_rows_and_tells_when_it_stops(hs: Run) -> None:
    run = hs("find", "user", "-N")
    assert len(lines(run)) == 100 and b"--limit" in run.stderr
    assert len(lines(hs("find", "user", "-N", "-l", "1000"))) == 200
    assert len(lines(hs("find", "event", "-N"))) == 4


def test_count(hs: Run) -> None:
    assert lines(hs("count", "user")) == ["200"]
    assert lines(hs("count", "event", "7")) == ["3"]
    assert lines(hs("count", "user", ">", "190", "--where", "user_id != 195")) == ["9"]
    assert lines(hs("count", "event", "99", "-f", "jsonl")) == ['{"rows":0}']


def test_the_place_that_cannot_be_reached_is_told(hs: Run) -> None:
    refused = hs("ping", "--host", "127.0.0.1", "--port", "1")
    assert refused.returncode == 4
    assert b"no connection to 127.0.0.1:1: " in refused.stderr


def test_insert_upsert_and_replace(hs: Run) -> None:
    assert lines(hs("insert", "visits", "page=/a", "visits=1")) == ["inserted, id 1"]
    again = hs("insert", "visits", "page=/a")
    assert again.returncode == 3
    assert b"DuplicateKeyError: 121 (code 1): a row with this key is there already" in again.stderr
    ignored = hs("insert", "visits", "page=/a", "--ignore")
    assert (ignored.returncode, ignored.stdout) == (1, b"unchanged\n")
    assert lines(hs("upsert", "visits", "page=/a", "visits=2")) == ["updated, id 1"]
    assert lines(hs("upsert", "visits", "page=/a", "visits=2")) == ["unchanged"]
    assert lines(hs("replace", "visits", "page=/a"))[0].startswith("inserted, 1 replaced, id ")
    row = json.loads(hs("insert", "visits", "page=/b", "-f", "jsonl", "-r", "after").stdout)
    assert (row["page"], row["visits"]) == ("/b", None) and row["id"] > 1
    assert lines(hs("upsert", "visits", "page=/b", "last=y", "--update", "last=x"))[0].startswith("updated")
    assert lines(hs("get", "visits", str(row["id"]), "-N")) == [f"{row['id']}\t/b\t\\N\tx"]


def test_update_delete_incr_and_decr(hs: Run) -> None:
    assert lines(hs("update", "user", "5", "user_name=x=y", "--null", "created")) == ["1 row updated"]
    row = json.loads(hs("get", "user", "5", "-f", "json").stdout)[0]
    assert (row["user_name"], row["created"]) == ("x=y", None)
    assert hs("update", "user", "9999", "user_name=x").returncode == 1
    before = hs("update", "user", "6", "user_name=z", "-r", "before", "-N")
    assert lines(before) == ["user name 6"]
    assert lines(hs("delete", "event", "7", "10")) == ["1 row deleted"]
    assert lines(hs("delete", "event", "7", "--limit", "9")) == ["2 rows deleted"]
    hs("insert", "visits", "page=/a", "visits=5")
    assert lines(hs("incr", "visits", "-i", "page", "/a", "visits=3", "-r", "after", "-N")) == ["8"]
    assert hs("decr", "visits", "-i", "page", "/a", "visits=9").returncode == 1
    assert lines(hs("decr", "visits", "-i", "page", "/a", "visits=8")) == ["1 row counted"]


def test_a_condition_makes_an_update_a_comparison(hs: Run) -> None:
    words = ("update", "user", "5", "user_name=new", "--where")
    assert hs(*words, "user_name = other").returncode == 1
    assert hs(*words, "user_name = user name 5").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("delete", "event", "7"),
        ("update", "event", "7", "what=x"),
        ("delete", "user", "--index", "by_name", "user name 5"),
        ("delete", "user", "--op", ">", "5"),
        ("delete", "user"),
        ("update", "user", "user_name=x"),
        ("update", "user", "5", "user_name=x", "6"),
        ("update", "user", "5", "user_name=x", "user_name=y"),
        ("update", "user", "5"),
        ("insert", "user"),
        ("get", "user"),
        ("get", "user", "5", "--frob"),
        ("get", "user", "5", "-f", "xml"),
        ("find", "user", "5", "--where", "user_id"),
        ("find", "user", "5", "--limit", "0"),
        ("find", "user", "5", "--limit", "4294967296"),
        ("find", "user", "5", "--each"),
        ("frob",),
        ("get", "user", "5", "--tls", "maybe"),
        ("get", "user", "5", "--url", "http://x"),
        ("get", "user", "a\tb", "-c", "user_id,,"),
        ("find", "user", "<"),
        ("count", "user", ">="),
        ("count", "user", "--where", "user_id == 5"),
        ("count", "user", "--where", "user_id =< 5"),
        ("count", "user", "--while", "user_id <> 5"),
    ],
)
def test_wrong_words_are_refused_and_change_nothing(
    hs: Run, rows: PrivateServer, words: tuple[str, ...]
) -> None:
    before = rows.sql("CHECKSUM TABLE test.user, test.event")
    run = hs(*words)
    assert run.returncode == 2, run
    assert run.stderr.startswith(b"hs: ") and not run.stdout
    assert rows.sql("CHECKSUM TABLE test.user, test.event") == before


@pytest.mark.parametrize("key", ["", "{}", "[a,b]", "-5", "-x", "count", "a=b", "\\", "\x01", "日本", "[", '"',
                                 "++", "%%", "--", "-", "'a'", '"a"', "`a`", "a,b", "a b", "/a", "@a", "\n"])
def test_every_text_is_a_key(hs: Run, key: str) -> None:
    assert lines(hs("insert", "kinds", "k=" + key)) == ["inserted"]
    found = hs("get", "kinds", "-f", "jsonl", "-c", "k", "--", key)
    assert found.returncode == 0 and json.loads(found.stdout) == {"k": key}
    assert lines(hs("update", "kinds", f"--key={key}", "t=new")) == ["1 row updated"]
    assert lines(hs("delete", "kinds", "--", key)) == ["1 row deleted"]


def test_null_and_bytes_are_told_apart(hs: Run) -> None:
    hs("insert", "kinds", "-e", "k=a", r"b=\x00\xff\t", "t=\\N", "n=")
    lines(hs("insert", "kinds", "-e", "k=b", r"b=\x00\xff\t", "t=\\N", "n=1.50", "d=0.1"))
    lines(hs("insert", "kinds", "k=c", r"t=\t"))
    row = json.loads(hs("get", "kinds", "b", "-f", "jsonl").stdout)
    assert row == {"k": "b", "b": {"base64": "AP8J"}, "d": 0.1, "n": "1.50", "t": None}
    assert hs("get", "kinds", "b", "-N").stdout == b"b\t\\0\xff\\t\t0.1\t1.50\t\\N\n"
    assert hs("get", "kinds", "b", "-N", "-f", "csv").stdout == b"b,\x00\xff\t,0.1,1.50,\n"
    assert lines(hs("get", "kinds", "c", "-N", "-c", "t")) == ["\\\\t"]


def test_describe_and_indexes(hs: Run) -> None:
    assert "test" in lines(hs("describe", "-N"))
    assert {"user\t", "event\t"} <= set(lines(hs("describe", "test", "-N")))
    assert lines(hs("describe", "test.event", "-N"))[1].split("\t")[:4] == ["at", "int(11)", "NO", "PRI"]
    assert lines(hs("indexes", "event", "-N")) == ["PRIMARY\t1\tuser\t1\tA\t\\N", "PRIMARY\t2\tat\t1\tA\t\\N"]
    assert hs("describe", "nosuch").returncode == 3


def test_ping_says_what_is_there(hs: Run) -> None:
    for port in ((), ("--write",)):
        (line,) = lines(hs("ping", *port))
        assert re.fullmatch(r"HandlerSocket 2 \S+ in \S+ answers in [0-9.]+ ms", line)
    assert "transaction" in json.loads(hs("ping", "-f", "jsonl").stdout)["features"]


def test_raw_sends_lines_as_they_are(hs: Run) -> None:
    asked = b"P\t1\ttest\tuser\tPRIMARY\tuser_name\n1\t=\t1\t101\n1\t=\t1\t9999\nfrob\n"
    run = hs("raw", input=asked)
    assert run.stdout == b"0\t1\n0\t1\tYukari Takeba\n0\t1\n2\t1\tcmd\n"
    assert run.returncode == 3
    assert lines(hs("raw", "D", "test", "event", "I"))[0].startswith("0\t6\tPRIMARY\t1")
    change = b"P\t1\ttest\tuser\tPRIMARY\tuser_name\n1\t=\t1\t5\t1\t0\tU\ta\x01Jb\n1\t=\t1\t5\n"
    assert hs("raw", "--write", input=change).stdout == b"0\t1\n0\t1\t1\n0\t1\ta\x01Jb\n"


def test_wait_gtid(hs: Run, rows: PrivateServer) -> None:
    hs("update", "user", "5", "user_name=x")
    (gtid,) = rows.sql("SELECT @@gtid_binlog_pos")[0]
    assert lines(hs("wait-gtid", gtid)) == ["applied"]
    late = hs("wait-gtid", "7-7-7", "--seconds", "0.02")
    assert (late.returncode, late.stdout) == (1, b"not applied\n")
    assert hs("wait-gtid", "later").returncode == 3


def test_errors_tell_by_their_status_who_made_them(hs: Run, tmp_path: Path) -> None:
    assert hs("get", "nosuch", "1").returncode == 3
    refused = hs("--url", f"hs://127.0.0.1:{free_port()}/test", "get", "user", "1")
    assert refused.returncode == 4 and b"ConnectionError" in refused.stderr
    with open("/dev/full", "wb") as full:
        import subprocess

        run = subprocess.run([PROGRAM, "--help"], stdout=full, stderr=subprocess.PIPE)
    assert run.returncode == 5 and b"No space" in run.stderr


@pytest.mark.parametrize("words", [("get", "user", "5"), ("export", "user", "-f", "csv"), ("ping",)])
def test_no_row_goes_to_the_server_where_the_output_is_closed(hs: Run, words: tuple[str, ...]) -> None:
    run = hs(*words, preexec_fn=lambda: os.close(1))
    assert run.returncode == 5 and b"Bad file descriptor" in run.stderr


def test_option_files_lead_to_the_server(hs: Run, rows: PrivateServer, tmp_path: Path) -> None:
    folder = tmp_path / "conf.d"
    folder.mkdir()
    (folder / "hs.cnf").write_text(f"[hs]\nport={rows.port}\nwrite-port={rows.port_wr}\n")
    (tmp_path / ".my.cnf").write_text(
        f"[client]\nport={rows.sql_port}\nuser=u\npassword=p\n!includedir {folder}\n"
    )
    (tmp_path / ".hs.cnf").write_text("[hs]\ndatabase = test\n")
    assert lines(hs("count", "event", env={"HS_URL": ""})) == ["4"]  # the port asks for no account
    (folder / "hs.cnf").write_text("[hs]\nfrob=1\n")
    wrong = hs("count", "event", env={"HS_URL": ""})
    assert wrong.returncode == 2 and b"hs.cnf, line 2" in wrong.stderr


def test_an_extra_file_and_a_suffix_are_taken_as_the_servers_programs_do(
    hs: Run, rows: PrivateServer, tmp_path: Path
) -> None:
    places = f"port={rows.port}\nwrite-port={rows.port_wr}\n"
    extra = tmp_path / "extra.cnf"
    extra.write_text(f"[hs]\n{places}database=nosuch\n[hs_report]\ndatabase=test\n")
    words = ("count", "event", "--defaults-extra-file", str(extra))
    assert hs(*words, env={"HS_URL": ""}).returncode == 3
    assert lines(hs(*words, "--defaults-group-suffix=_report", env={"HS_URL": ""})) == ["4"]
    assert hs(*words, "--defaults-group-suffix=_other", env={"HS_URL": ""}).returncode == 3
    (tmp_path / ".my.cnf").write_text("[hs]\ndatabase=test\n")  # read after it
    assert lines(hs(*words, env={"HS_URL": ""})) == ["4"]
    missing = hs("ping", "--defaults-extra-file", "nosuch.cnf")
    assert missing.returncode == 5 and b"nosuch.cnf: No such file" in missing.stderr


def test_null_in_a_unique_key_is_no_single_row(hs: Run, rows: PrivateServer) -> None:
    rows.sql("INSERT INTO test.visits (page, visits) VALUES (NULL, 1), (NULL, 2)")
    for words in (("update", "visits", "-i", "page", "\\N", "visits=9"), ("delete", "visits", "-i", "page", "\\N"),
                  ("delete", "visits", "-i", "page", "--in", "\\N")):
        run = hs(*words)
        assert run.returncode == 2 and b"--limit" in run.stderr, run
    assert rows.sql("SELECT SUM(visits), COUNT(*) FROM test.visits") == [(3, 2)]
    assert lines(hs("delete", "visits", "-i", "page", "\\N", "--limit", "5")) == ["2 rows deleted"]
