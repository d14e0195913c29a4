"""Checks the structure of the vectors: `python3 check.py` names what is wrong, and ends with 1 then."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
MEMBERS = {
    "values": {"value", "token"},
    "bad_values": {"token"},
    "requests": {"call", "bytes"},
    "bad_requests": {"call"},
    "replies": {"bytes", "columns", "values"},
    "errors": {"bytes", "class", "code", "text"},
    "bad_replies": {"bytes"},
    "long_replies": {"bytes", "max_reply", "error"},
    "streams": {"bytes", "replies", "rest"},
    "urls": {"url"},
    "options": {"option", "text"},
    "logins": {"password", "challenge", "response"},
    "types": {"type", "kind"},
    "gtids": {"told", "known"},
}
OPTIONAL = {"values": {"also"}, "errors": {"number", "hint"}, "urls": {"options", "error"}, "options": {"error"}}


def token(value: str | None) -> str:
    """The bytes of a value on the wire."""
    if value is None:
        return "\0"
    return "".join(f"\x01{chr(ord(c) + 64)}" if c < "\x10" else c for c in value)


def line(reply: dict[str, Any]) -> str:
    """The bytes of a reply or of an error."""
    if "code" in reply:
        return f"{reply['code']}\t1\t{reply['text']}\n"
    return "\t".join(["0", str(reply["columns"]), *map(token, reply["values"])]) + "\n"


def problems(kind: str, case: dict[str, Any]) -> Iterator[str]:
    """What is wrong with one case."""
    members = set(case) - {"name"}
    if not MEMBERS[kind] <= members <= MEMBERS[kind] | OPTIONAL.get(kind, set()):
        yield f"its members are {sorted(members)}"
        return
    if any(c > "\xff" for member in ("bytes", "token", "value") for c in case.get(member) or ""):
        yield "a character is no byte"
    if kind == "values" and case["token"] != token(case["value"]):
        yield "the token is another one"
    if kind in ("replies", "errors") and case["bytes"] != line(case):
        yield "the bytes are others"
    if kind == "streams":
        whole = "".join(map(line, case["replies"]))
        rest = case["bytes"][len(whole) :]
        if not case["bytes"].startswith(whole) or len(rest) != case["rest"] or "\n" in rest:
            yield "the bytes are others"
    if kind == "requests" and (case["bytes"][-1:] != "\n" or "\n" in case["bytes"][:-1]):
        yield "it is not one line"
    if kind == "urls" and ("options" in case) == ("error" in case):
        yield "it needs options, or an error"
    if kind == "gtids" and not set(case["known"]) <= set(case["told"]):
        yield "it knows what was not told"


def main() -> int:
    """Prints what is wrong and returns how the process ends."""
    found = []
    for kind in MEMBERS:
        cases = json.loads((FOLDER / f"{kind}.json").read_text())["cases"]
        if len({case["name"] for case in cases}) != len(cases):
            found.append(f"{kind}: a name stands twice")
        found += [f"{kind}: {case['name']}: {what}" for case in cases for what in problems(kind, case)]
    print("\n".join(found) or "the vectors are good")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
