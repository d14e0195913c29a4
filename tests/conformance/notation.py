"""Bytes as readable text, as the transcripts and the list of differences write them.

`\\t \\n \\r \\0 \\s \\\\ \\xHH` and `\\(COUNT*TEXT)`, which repeats TEXT; everything else is UTF-8.
`\\s` is a blank, for places where one would not be seen.
"""

from __future__ import annotations

import re

_SIMPLE = {"t": b"\t", "n": b"\n", "r": b"\r", "0": b"\0", "s": b" ", "\\": b"\\"}
_ESCAPE = re.compile(
    r"\\(?:(?P<simple>[tnr0s\\])|x(?P<hex>[0-9a-f]{2})|\((?P<count>\d+)\*(?P<text>[^)]*)\))"
)
_NAMES = {byte[0]: name for name, byte in _SIMPLE.items() if name != "s"}


def to_bytes(text: str) -> bytes:
    """The bytes that a notation stands for. Raises ValueError for an unknown escape."""
    out = bytearray()
    position = 0
    while (at := text.find("\\", position)) >= 0:
        out += text[position:at].encode()
        match = _ESCAPE.match(text, at)
        if match is None:
            raise ValueError(f"unknown escape at {text[at : at + 10]!r}")
        if match["simple"]:
            out += _SIMPLE[match["simple"]]
        elif match["hex"]:
            out.append(int(match["hex"], 16))
        else:
            out += to_bytes(match["text"]) * int(match["count"])
        position = match.end()
    return bytes(out + text[position:].encode())


def to_text(data: bytes) -> str:
    """A notation for bytes; valid UTF-8 stays readable, a long repetition is folded."""
    text = data.decode("utf-8", "surrogateescape")
    text = re.sub(r"([^)]{1,3}?)\1{30,}", _fold, text, flags=re.DOTALL)
    out = "".join(_character(c) for c in text)
    return out[:-1] + "\\s" if out.endswith(" ") else out


def _fold(match: re.Match[str]) -> str:
    # Private characters stand for the parentheses until all else is escaped.
    return f"\ue000{len(match[0]) // len(match[1])}*{match[1]}\ue001"


def _character(c: str) -> str:
    code = ord(c)
    if c == "\ue000":
        return "\\("
    if c == "\ue001":
        return ")"
    if code in _NAMES:
        return "\\" + _NAMES[code]
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is no UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x20 or code == 0x7F else c
