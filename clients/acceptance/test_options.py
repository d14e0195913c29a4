"""The options that have bounds: from a URL, an option file and the program."""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from driver import ClientError, Driver
from proxy import Proxy

CASES = json.loads((Path(__file__).resolve().parents[1] / "vectors" / "options.json").read_text())["cases"]
WITHOUT_CODE = ("c", "cpp")  # They take a URL alone.
WORDS = ("tls", "read_your_writes", "replicas")
NUMBERS = ("port", "write_port", "pool_size", "retries", "connect_timeout", "timeout", "max_idle", "gtid_timeout")
NUMBER = re.compile(r"(-?[1-9][0-9]{0,11}|0)(\.[0-9]*[1-9])?")  # as each program can give it


def in_code(case: dict[str, Any], language: str) -> dict[str, Any] | None:
    """The option as a program gives it, where it is a number or any text."""
    option, text = case["option"], case["text"]
    if option in NUMBERS and NUMBER.fullmatch(text):
        return {option: float(text) if "." in text else int(text)}
    empty_is_none = language == "go" and option not in ("host", "name")
    return None if option in (*NUMBERS, *WORDS) or not text and empty_is_none else {option: text}


def ways(client: Driver, case: dict[str, Any], file: Path, language: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """What the client answers to the option in each place where it may stand."""
    option, text = case["option"], case["text"]
    escaped = urllib.parse.quote(text)
    host = "" if option == "host" else "db"
    url = f"hs://db:{escaped}" if option == "port" else f"hs://{host}?{option}={escaped}"
    file.write_text("")
    yield "URL", client.send("connect", url=url)
    given = None if language in WITHOUT_CODE else in_code(case, language)
    if given is not None:
        yield "code", client.send("connect", options=given)
    if "\0" in text:
        return  # A NUL makes the whole file wrong.
    file.write_text(f"[hs]\n{option} = {text}\n", encoding="utf-8")
    yield "file", client.send("connect", url="hs://db")
    if option not in ("port", "write_port"):
        own = {"retries": "0", "tls": "off", "read_your_writes": "off", "replicas": "r:1"}.get(option, "1")
        yield "file behind a URL", client.send("connect", url=f"hs://{host}?{option}={own}")


def test_options_have_the_same_bounds_wherever_they_stand(make_driver: Any, tmp_path: Path, language: str) -> None:
    file = tmp_path / "hs.cnf"
    client = make_driver(HS_OPTION_FILE=str(file))
    wrong = []
    for case in CASES:
        for way, answer in ways(client, case, file, language):
            told = json.dumps(answer.get("error", ""))
            if not (told == '""' if "error" not in case else refused(told, case)):
                wrong.append(f"{way}: {case['name'][:60]}: {str(answer)[:200]}")
    assert not wrong, "\n".join(wrong)


def test_a_certificate_and_its_key_may_stand_in_two_places(make_driver: Any, tmp_path: Path) -> None:
    file = tmp_path / "hs.cnf"
    client = make_driver(HS_OPTION_FILE=str(file))
    for there, here in (("tls_cert", "tls_key"), ("tls_key", "tls_cert")):
        file.write_text(f"[hs]\n{there} = /x.pem\n")
        assert client.send("connect", url=f"hs://db?{here}=/y.pem") == {"ok": None}
        assert refused(
            json.dumps(client.send("connect", url="hs://db")["error"]),
            {"option": there, "error": "tls_cert and tls_key belong together"},
        )


def refused(told: str, case: dict[str, Any]) -> bool:
    """Whether the error names the option and what it may be."""
    option = re.sub("(?<=[a-z])([A-Z])", r"_\1", told).lower()
    return '"ConfigurationError"' in told and case["option"] in option and case["error"] in told


def test_the_shortest_time_is_not_none(make_driver: Any, proxies: tuple[Proxy, Proxy]) -> None:
    client = make_driver()
    proxies[0].held = True
    client.call("connect", url=f"hs://127.0.0.1:{proxies[0].port}?retries=0&timeout=0&connect_timeout=0.0000000001")
    with pytest.raises(ClientError) as caught:
        client.call("ping")
    assert caught.value.name == "TimeoutError"
