"""Replies that are well formed, and none to what was asked: never a row or a number."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Optional

import pytest
from fake import Server

from handlersocket2 import errors
from handlersocket2.reader import LongValues

Work = Callable[[Any], Any]
TYPES = ["int(11)", "double", "decimal(9,2)", "date", "datetime(3)", "time(6)"]
NAMES = list("ifdatm")
COLUMNS = "".join(
    f"\t{name}\t{type}\tNO\t\t\0\t\t\0\t" for name, type in zip(NAMES, TYPES)
).encode()


def lying(lie: bytes, to: bytes = b"0\t") -> Server:
    def answer(line: bytes) -> Optional[bytes]:
        if line.startswith(to):
            return lie + b"\n"
        return b"0\t8" + COLUMNS + b"\n" if line.startswith(b"D\t") else None

    return Server(answer)


def pair(client: Any) -> Any:
    return client.table("t", ["a", "b"], raw=True)


CALLS = {
    "get": lambda db: pair(db).get(1),
    "get_many": lambda db: pair(db).get_many([1]),
    "find": lambda db: pair(db).find(">=", 1, 9),
    "returning": lambda db: pair(db).update(1, {"a": 1, "b": 2}, returning="after"),
    "inserted": lambda db: pair(db).insert({"a": 1, "b": 2}, returning="after"),
    "deleted": lambda db: pair(db).delete(1, returning="before"),
}
COUNTS = {
    "count": lambda db: pair(db).count("=", 1),
    "exists": lambda db: pair(db).exists(1),
    "update": lambda db: pair(db).update(1, {"a": 1}),
    "delete": lambda db: pair(db).delete(1),
    "compare_and_set": lambda db: pair(db).compare_and_set(1, {"a": 1}, {"a": 2}),
    "insert_ignore": lambda db: pair(db).insert_ignore({"a": 1}),
    "upsert": lambda db: pair(db).upsert({"a": 1}),
    "replace": lambda db: pair(db).replace({"a": 1}),
}


def refused(server: Server, work: Work) -> None:
    client = server.client()
    with pytest.raises(errors.ProtocolError) as caught:
        work(client)
    assert caught.value.sent
    before = server.connections
    with pytest.raises(errors.ProtocolError):
        work(client)
    assert server.connections == before + 1, "the connection was closed"


@pytest.mark.parametrize(
    "lie", [b"0\t1\t1", b"0\t1", b"0\t3", b"0\t3\t1\t2\t3", b"0\t0", b"0\t4\t1\t2\t3\t4"]
)
@pytest.mark.parametrize("call", CALLS)
def test_rows_of_another_width_are_no_rows(call: str, lie: bytes) -> None:
    refused(lying(lie), CALLS[call])


def test_what_comes_behind_the_reply_is_no_part_of_the_next() -> None:
    said = b"0\t2\t1\t2\n0\t2"  # a reply, and the beginning of another one
    server = Server(lambda line: said if line.startswith(b"0\t") else None)
    client = server.client()
    for connections in (1, 2):
        assert pair(client).get(1) == {"a": b"1", "b": b"2"}
        assert server.connections == connections


LONG = {
    **{name: CALLS[name] for name in ("get", "get_many", "find")},
    "count": COUNTS["count"],
    "delete": COUNTS["delete"],
    "upsert": COUNTS["upsert"],
    "insert": lambda db: pair(db).insert({"a": 1}),
}


@pytest.mark.parametrize("call", LONG)
def test_a_long_reply_to_something_else_is_not_even_listed(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(values: Any) -> Any:
        raise AssertionError("the values were listed")

    monkeypatch.setattr(LongValues, "_list", fail)
    refused(lying(b"0\t2" + b"\t" * (1 << 20)), LONG[call])
    refused(lying(b"0\t2" + b"\t" * (1 << 20), b"D\t"), lambda db: db.describe("test.t"))
    refused(lying(b"0\t2" + b"\t" * (1 << 20), b"P\t"), LONG["get"])


def test_a_long_reply_has_its_values() -> None:
    row = [b"", b"\0", b"\x01I\x01@", b"x" * 70_000]
    server = lying(b"0\t4\t" + b"\t".join(row * 10))
    found = server.client().table("t", list("abcd"), raw=True).find(">=", 1, 10)
    assert found == [{"a": b"", "b": None, "c": b"\t\0", "d": b"x" * 70_000}] * 10


@pytest.mark.parametrize("lie", [b"\t\x01", b"\t\x01a", b"\t\t"])
def test_a_long_reply_may_be_none(lie: bytes) -> None:
    refused(lying(b"0\t2\t" + b"x" * 70_000 + lie), lambda db: pair(db).find(">=", 1, 10))


def test_get_takes_one_row() -> None:
    refused(lying(b"0\t2\t1\t2\t3\t4"), CALLS["get"])


@pytest.mark.parametrize("lie", [b"0\t1\t1\t2\t3\n", b"0\t2\t1\t2\n"])
def test_a_page_has_the_columns_and_no_more_rows_than_were_asked_for(lie: bytes) -> None:
    honest = lying(lie[:-1]).answer

    def answer(line: bytes) -> Optional[bytes]:
        key = b"0\t6\tPRIMARY\t1\ti\t1\tA\t\0\n"
        return key if line == b"D\ttest\tt\tI" else honest(line)

    refused(Server(answer), lambda db: list(db.table("t", ["i"]).range(1, page=2)))


@pytest.mark.parametrize(
    "lie",
    [b"", b"\t-5", b"\t1_0", b"\t 1", b"\tabc", b"\t", b"\t\0", b"\t" + b"9" * 21, b"\t+1"],
)
@pytest.mark.parametrize("call", COUNTS)
def test_what_has_other_than_digits_is_no_count(call: str, lie: bytes) -> None:
    refused(lying(b"0\t1" + lie), COUNTS[call])


@pytest.mark.parametrize("call", COUNTS)
def test_a_count_is_one_value(call: str) -> None:
    refused(lying(b"0\t1\t1\t1"), COUNTS[call])
    refused(lying(b"0\t3\t1\t1\t1"), COUNTS[call])


@pytest.mark.parametrize("lie", [b"0\t1\tabc", b"0\t1\t-1", b"0\t2\t1\t1", b"0\t1\t1\t1"])
def test_what_is_no_id_is_none(lie: bytes) -> None:
    refused(lying(lie), lambda db: pair(db).insert({"a": 1}))


@pytest.mark.parametrize(
    "column, lie",
    [("i", lie) for lie in ("", " 1", "1_0", "1.5", "abc", "9" * 21, "\xd9\xa3")]
    + [("f", lie) for lie in ("", "nan", "inf", "1_0", " 1", "1e999", "x")]
    + [("d", lie) for lie in ("", "NaN", "1_0", "1e5", "Infinity", "x", "1.2.3")]
    + [("m", lie) for lie in ("", "1", "99999999999:00:00", "1_0:00:00", "12:00:00.", "-0:0:0")],
)
def test_what_its_column_cannot_hold_is_no_value(column: str, lie: str) -> None:
    reply = b"0\t1\t" + lie.encode("latin-1")
    refused(lying(reply), lambda db: db.table("t", [column]).get(1))


@pytest.mark.parametrize("lie", ["9999999-12-31", "2024-99-99", "", "20240229", "2024-W01-1"])
def test_what_is_no_day_is_text(lie: str) -> None:
    client = lying(b"0\t1\t" + lie.encode()).client()
    assert client.table("t", ["a"]).get(1) == {"a": lie}


@pytest.mark.parametrize("lie", [b"0\t8" + b"\t\0" * 8, b"0\t1\tx", b"0\t16" + b"\t" * 16])
def test_what_describes_nothing_is_no_description(lie: bytes) -> None:
    refused(lying(lie, b"D\t"), lambda db: db.table("t").get(1))
    refused(lying(lie, b"D\t"), lambda db: db.describe("test.t"))


@pytest.mark.parametrize("lie", [b"0\t6" + b"\t\0" * 6, b"0\t6\tP\tx\tc\t1\tA\t\0", b"0\t1\tx"])
def test_what_tells_no_index_is_none(lie: bytes) -> None:
    refused(lying(lie, b"D\t"), lambda db: db.indexes("test.t"))


def test_an_index_is_opened_with_nothing_to_tell() -> None:
    refused(lying(b"0\t3\ta\tb\tc", b"P\t"), CALLS["get"])


def test_a_transaction_begins_and_ends_with_nothing_to_tell() -> None:
    def work(db: Any) -> None:
        with db.transaction():
            pass

    refused(lying(b"0\t1\t5", b"T\tB"), work)
    refused(lying(b"0\t2\t5\t6", b"T\tC"), work)


@pytest.mark.parametrize("lie", [b"0\t1\t\xff;x", b"0\t2\t0-1-1\t0-1-2", b"0\t1\t1", b"0\t1"])
def test_what_is_no_gtid_is_none(lie: bytes) -> None:
    def work(db: Any) -> None:
        pair(db).update(1, {"a": 1})
        db.last_gtid()

    server = Server(
        lambda line: (
            lie + b"\n" if line == b"G\tL" else b"0\t1\t1\n" if line.startswith(b"0\t") else None
        )
    )
    with pytest.raises(errors.ProtocolError):
        work(server.client())


@pytest.mark.parametrize(
    "lie", [b"0\t6", b"0\t6\t2\tp\t1\tv\t\xff\t1", b"0\t1", b"0\t5\t1\t2\t3\t4\t5"]
)
def test_a_greeting_is_none_or_has_features(lie: bytes) -> None:
    with pytest.raises(errors.Error):
        pair(lying(lie, b"H\t").client()).count("=", 1)


def test_a_challenge_is_hexadecimal() -> None:
    server = lying(b"0\t2\tmysql_native_password\tzz", b"A\t2")
    with pytest.raises(errors.ProtocolError):
        pair(server.client("&retries=0&user=me&password=x")).get(1)


@pytest.mark.parametrize("lie", [b"9" * 5000 + b"\t1\tx", b"12345678901\t1\tx"])
def test_a_code_has_ten_digits_at_most(lie: bytes) -> None:
    refused(lying(lie), CALLS["get"])


def test_an_error_has_its_place_in_a_pipeline() -> None:
    replies = iter([b"0\t2\t1\t2\n", b"0\t3\t1\t2\t3\n", b"0\t2\t5\t6\n"])
    client = Server(lambda line: next(replies) if line.startswith(b"0\t") else None).client()
    calls = client.calls(pair(client))
    with client.pipeline() as pipeline:
        results = [pipeline.add(calls.get(at)) for at in range(3)]
    assert results[0].value == {"a": b"1", "b": b"2"} and results[2].value == {"a": b"5", "b": b"6"}
    with pytest.raises(errors.ProtocolError):
        assert results[1].value


def test_more_indexes_than_a_connection_opens_may_be_refused() -> None:
    client = lying(b"2\t1\topen_table", b"P\t").client()
    with client.pipeline() as pipeline:
        results = [
            pipeline.add(client.calls(client.table(f"t{at}", ["a"], raw=True)).get(1))
            for at in range(300)
        ]
    assert all(isinstance(one.outcome, errors.NotFoundError) for one in results)
    with pytest.raises(errors.NotFoundError):
        pair(client).get(1)


def test_calls_behind_an_index_without_memory_are_not_sent_nor_is_the_rest_again() -> None:
    opened = itertools.count(1)
    server = Server(
        lambda line: b"1\t1\tmax_memory\n" if line[:1] == b"P" and next(opened) > 256 else None
    )
    client = server.client()
    with client.pipeline() as pipeline:
        results = [
            pipeline.add(client.calls(client.table(f"t{at}", ["a"], raw=True)).insert({"a": 1}))
            for at in range(300)
        ]
    outcomes = [one.outcome for one in results]
    assert outcomes[:256] == [None] * 256
    assert isinstance(outcomes[256], errors.OverloadedError)
    assert [type(one) for one in outcomes[257:]] == [errors.ConnectionError] * 43
    assert not any(one.sent for one in outcomes[257:])
    assert sum(b"\t+\t" in line for line in server.lines) == 256


def test_more_replies_than_requests_are_none_where_an_index_replaces_another() -> None:
    opened = itertools.count(1)
    twice = b"0\t1\n" * 2
    server = Server(lambda line: twice if line[:1] == b"P" and next(opened) > 256 else None)
    client = server.client("&retries=1")
    for at in range(256):
        client.table(f"t{at}", ["a"], raw=True).insert({"a": 1})
    with pytest.raises(errors.ProtocolError):
        client.table("t256", ["a"], raw=True).insert({"a": 1})
    assert server.connections == 1


def test_a_pipeline_that_only_reads_has_its_errors_in_their_places() -> None:
    client = lying(b"1\t1\t200").client()
    with client.transaction(read_only=True) as transaction:
        calls = client.calls(transaction.table(pair(client)))
        pipeline = transaction.pipeline()
        results = [pipeline.add(one) for one in (calls.get(1), calls.insert({"a": 1}))]
        pipeline.run()
    assert [one.outcome.text for one in results] == ["200", "readonly"]


@pytest.mark.parametrize(
    "work",
    [
        lambda db: db.table("t\ud800").get(1),
        lambda db: db.table("t", ["\ud800"], raw=True).get(1),
        lambda db: db.table("t", ["a"], index="\ud800").get(1),
        lambda db: db.describe("test.\ud800"),
        lambda db: db.raw("read", ["\ud800"]),
    ],
)
def test_a_text_that_is_no_unicode_cannot_be_sent(work: Work) -> None:
    with pytest.raises(errors.ValueError):
        work(lying(b"").client())
