"""The vectors that all clients share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from handlersocket2 import errors, protocol, reader  # noqa: E402
from handlersocket2.gtids import Gtids  # noqa: E402
from handlersocket2.lines import LAST_GTID  # noqa: E402
from handlersocket2.options import Options, parse_url  # noqa: E402
from handlersocket2.values import kind_of  # noqa: E402


def cases(kind: str) -> Any:
    file = ROOT.parent / "vectors" / f"{kind}.json"
    found = json.loads(file.read_text(encoding="utf-8"))["cases"]
    return pytest.mark.parametrize("case", found, ids=[one["name"] for one in found])


def raw(text: Any) -> Any:
    return text if text is None else text.encode("latin-1")


def cuts(data: bytes) -> list[list[bytes]]:
    step = max(1, len(data) // 500)
    two = [[data[:at], data[at:]] for at in range(1, len(data), step)]
    return [[data], *two, [data[at : at + 1] for at in range(len(data))]]


def meaning(reply: Any) -> Any:
    if isinstance(reply, errors.ServerError):
        return type(reply).__name__, reply.code, reply.text, reply.number, str(reply)
    return reply.columns, reply.values


def expected(case: dict[str, Any]) -> Any:
    if "code" in case:
        hint = f": {case['hint']}" if "hint" in case else ""
        message = f"{case['text']} (code {case['code']}){hint}"
        return case["class"], case["code"], case["text"], case.get("number"), message
    return case["columns"], [raw(one) for one in case["values"]]


@cases("values")
def test_values_have_their_tokens(case: dict[str, Any]) -> None:
    assert protocol.encode_value(raw(case["value"])) == raw(case["token"])
    for token in (case["token"], *case.get("also", ())):
        assert reader.decode_value(raw(token)) == raw(case["value"])


@cases("bad_values")
def test_what_is_no_value_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(errors.ProtocolError):
        reader.decode_value(raw(case["token"]))


def text(value: Any) -> Any:
    return raw(value).decode() if isinstance(value, str) else value


def request(name: str, *arguments: Any) -> bytes:
    given = list(arguments)
    if name in ("find", "count", "change"):
        given[2] = [raw(one) for one in given[2]]
        if len(given) > 5 and given[5]:
            listed = given[5]
            given[5] = protocol.In(
                listed["part"], [raw(one) for one in listed["values"]], listed["all"]
            )
        if len(given) > 6:
            given[6] = [protocol.Filter(*one[:3], raw(one[3])) for one in given[6] or ()]
        if name == "change":
            given[8] = [raw(one) for one in given[8]]
        return bytes(getattr(protocol, name)(*given))
    if name == "insert":
        return protocol.insert(*given[:2], *([raw(one) for one in values] for values in given[2:]))
    if name in ("commit", "rollback", "last_gtid"):
        return {"commit": b"T\tC\n", "rollback": b"T\tR\n", "last_gtid": b"G\tL\n"}[name]
    if name == "rollback_to":
        return protocol.savepoint(given[0], b"U")
    if name == "answer":
        return protocol.answer(bytes.fromhex(given[0]))
    if name == "secret":
        return protocol.secret(given[0])
    if name == "open":
        given[1:] = [
            [text(one) for one in arg] if isinstance(arg, list) else text(arg) for arg in given[1:]
        ]
        return protocol.open_index(*given)
    return bytes(getattr(protocol, name)(*given))


@cases("requests")
def test_requests_have_their_bytes(case: dict[str, Any]) -> None:
    assert request(*case["call"]) == raw(case["bytes"])


@cases("bad_requests")
def test_what_cannot_be_sent_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(errors.ValueError):
        request(*case["call"])


@pytest.mark.parametrize("kind", ["replies", "errors", "streams"])
def test_replies_are_read_in_any_pieces(kind: str) -> None:
    for case in json.loads((ROOT.parent / "vectors" / f"{kind}.json").read_text())["cases"]:
        wanted = [expected(one) for one in case.get("replies", [case])]
        for pieces in cuts(raw(case["bytes"])):
            made = reader.Reader()
            got = [meaning(one) for piece in pieces for one in made.feed(piece)]
            assert got == wanted and made.rest == case.get("rest", 0), case["name"]


@cases("bad_replies")
def test_what_is_no_reply_is_refused(case: dict[str, Any]) -> None:
    for pieces in cuts(raw(case["bytes"])):
        made = reader.Reader()
        with pytest.raises(errors.ProtocolError):
            for piece in pieces:
                made.feed(piece)


@cases("long_replies")
def test_replies_have_a_bound(case: dict[str, Any]) -> None:
    for pieces in cuts(raw(case["bytes"])):
        made = reader.Reader(case["max_reply"])
        try:
            for piece in pieces:
                made.feed(piece)
        except errors.ProtocolError:
            assert case["error"]
        else:
            assert not case["error"]


@cases("urls")
def test_urls_have_their_options(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(errors.ConfigurationError):
            parse_url(case["url"])
        return
    wanted = {**case["options"]}
    if "replicas" in wanted:
        wanted["replicas"] = tuple(wanted["replicas"])
    assert Options(**parse_url(case["url"])) == Options(**wanted)


@cases("logins")
def test_passwords_answer_challenges(case: dict[str, Any]) -> None:
    got = protocol.native_password(
        bytes.fromhex(case["password"]), bytes.fromhex(case["challenge"])
    )
    assert got.hex() == case["response"]


@cases("gtids")
def test_reads_wait_for_the_highest_gtids(case: dict[str, Any]) -> None:
    known = Gtids()
    for told in case["told"]:
        known.note(LAST_GTID.decode(reader.Reply(1, [told.encode()])))
    assert sorted(filter(None, str(known).split(","))) == sorted(case["known"])


@cases("types")
def test_types_have_their_kinds(case: dict[str, Any]) -> None:
    assert kind_of(case["type"]) == case["kind"]
