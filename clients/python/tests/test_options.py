"""Options from arguments, the environment and the option file; values that cannot be sent."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import handlersocket2
from handlersocket2 import errors
from handlersocket2.options import make_options
from handlersocket2.values import DECODERS, to_bytes


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("HS_URL", "HS_PASSWORD", "HS_SECRET"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "hs.cnf"
    file.touch()
    monkeypatch.setenv("HS_OPTION_FILE", str(file))
    return file


def test_arguments_and_the_url_go_together_but_not_twice() -> None:
    made = make_options("hs://db", {"timeout": 2, "read_your_writes": True, "replicas": ["a:1"]})
    assert (made.host, made.timeout, made.read_your_writes) == ("db", 2, True)
    assert made.replicas == ("a:1",)
    for wrong in ({"host": "x"}, {"nosuch": 1}, {"port": 0}, {"tls": True}, {"timeout": -1}):
        with pytest.raises(errors.ConfigurationError):
            make_options("hs://db", wrong)


def test_the_environment_and_the_file_give_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, bare: Path
) -> None:
    bare.write_text("[other]\nuser = no\n[hs]\n# who\nuser = app\ntimeout = 3\npassword = file\n")
    monkeypatch.setenv("HS_PASSWORD", "variable")
    made = make_options("hs://db?timeout=1", {})
    assert (made.user, made.timeout, made.password) == ("app", 1, "variable")
    monkeypatch.setenv("HS_URL", "hs://other")
    assert make_options(None, {}).host == "other"
    for wrong in ("[hs]\nnosuch = 1\n", "[hs]\nuser = a\nuser = b\n", "[hs]\nport = x\n"):
        bare.write_text(wrong)
        with pytest.raises(errors.ConfigurationError):
            make_options("hs://db", {})


def test_files_of_tls_that_are_not_there_are_a_configuration_error() -> None:
    with pytest.raises(errors.ConfigurationError):
        handlersocket2.connect("hs://db?tls=verify&tls_ca=/nosuch.pem")


def test_changes_over_a_unix_socket_need_the_other_socket() -> None:
    table = handlersocket2.connect("hs+unix:///nosuch.sock").table("test.t", ["a"], raw=True)
    with pytest.raises(errors.ConfigurationError):
        table.insert({"a": 1})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), object(), "\ud800"])
def test_values_that_cannot_be_sent_are_refused(value: object) -> None:
    with pytest.raises(errors.ValueError):
        to_bytes(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (True, b"1"),
        (0.1, b"0.1"),
        (Decimal("1E+3"), b"1000"),
        (datetime.datetime(2024, 2, 29, 1, 2, 3, 4), b"2024-02-29 01:02:03.000004"),
        (datetime.date(2024, 2, 29), b"2024-02-29"),
        (datetime.timedelta(hours=-838, microseconds=-5), b"-838:00:00.000005"),
        (datetime.timedelta(days=1, seconds=1), b"24:00:01"),
    ],
)
def test_values_are_sent_as_sql_writes_them(value: object, sent: bytes) -> None:
    assert to_bytes(value) == sent  # type: ignore[arg-type]


def test_times_come_as_they_are() -> None:
    assert DECODERS["time"](b"-00:00:01.5") == -datetime.timedelta(seconds=1.5)
    assert DECODERS["datetime"](b"2024-02-29 12:34:56.78").microsecond == 780_000
    assert DECODERS["datetime"](b"0000-00-00 00:00:00") == "0000-00-00 00:00:00"
    assert DECODERS["date"](b"2024-00-00") == "2024-00-00"


@pytest.mark.parametrize("wrong", ["abc", b"abc", 5, None])
def test_what_should_be_a_list_is_refused_before_anything_is_sent(wrong: Any) -> None:
    client = handlersocket2.connect("hs://127.0.0.1:1?retries=0")
    table: Any = client.table("test.t", ["a"], raw=True)
    for call in (
        lambda: table.get_many(wrong),
        lambda: client.pipeline().table(table).get_many(wrong),
        lambda: table.find("=", 1, in_=("a", wrong)),
        lambda: table.find_all("=", 1, "a", wrong),
        lambda: table.count("=", 1, filters=wrong),
        lambda: table.count("=", 1, filters=[wrong]),
        lambda: client.raw("read", wrong),
    ):
        with pytest.raises(errors.ValueError):
            call()


@pytest.mark.parametrize("wrong", ["ab", 5, ["a"], ["a", [1], 2]])
def test_an_in_is_a_column_and_a_list_of_its_values(wrong: Any) -> None:
    table = handlersocket2.connect("hs://127.0.0.1:1").table("test.t", ["a"], raw=True)
    with pytest.raises(errors.ValueError, match="a column and a list"):
        table.find("=", 1, in_=wrong)


@pytest.mark.parametrize("name", [None, 5, b"test.t"])
def test_a_table_is_named_by_a_text(name: Any) -> None:
    with pytest.raises(errors.ValueError):
        handlersocket2.connect("hs://127.0.0.1:1").table(name)


@pytest.mark.parametrize("wrong", [5, b"hs://x", {"host": "x"}, ["hs://x"]])
def test_a_url_is_a_text(wrong: Any) -> None:
    with pytest.raises(errors.ConfigurationError, match="the URL is a text"):
        handlersocket2.connect(wrong)


@pytest.mark.parametrize("wrong", [5, "x", [print]])
def test_a_hook_is_a_function(wrong: Any) -> None:
    with pytest.raises(errors.ConfigurationError, match="on_request"):
        handlersocket2.connect("hs://h", on_request=wrong)
    with pytest.raises(errors.ConfigurationError, match="on_request"):
        handlersocket2.AsyncClient("hs://h", on_request=wrong)


@pytest.mark.parametrize("name", ["port", "timeout", "pool_size", "replicas", "password"])
def test_an_option_of_none_is_as_none(name: str) -> None:
    given = make_options("hs://h", {name: None})
    assert given == make_options("hs://h", {})


@pytest.mark.parametrize("name", ["password", "host", "replicas"])
@pytest.mark.parametrize("wrong", [b"x", {}, [b"x"]])
def test_an_option_is_no_bytes_whose_text_would_be_another(name: str, wrong: Any) -> None:
    with pytest.raises(errors.ConfigurationError, match=name):
        handlersocket2.connect(**{name: wrong})


def test_names_and_rows_of_another_kind_are_refused_before_anything_is_sent() -> None:
    client: Any = handlersocket2.connect("hs://127.0.0.1:1?retries=0")
    table = client.table("test.t", ["a"], raw=True)
    for call in (
        lambda: client.table("test.t", 5),
        lambda: client.table("test.t", [5]).get(1),
        lambda: client.describe(5),
        lambda: client.transaction().table(5),
        lambda: client.pipeline().table(5),
        lambda: client.pipeline().add(5),
        lambda: client.wait_for_gtid("0-1-1", "x"),
        lambda: client.wait_for_gtid("0-1-1", float("nan")),
        lambda: table.upsert({"a": 1}, update=5),
        lambda: table.compare_and_set(1, 5, {"a": 1}),
        lambda: list(table.range(1, page="x")),
    ):
        with pytest.raises(errors.ValueError):
            call()
