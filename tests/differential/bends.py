"""Values close to one that a row has, for keys and filters."""

from __future__ import annotations

from random import Random

from columns import Column, Family

_ENDS = ["", "0", ".0", ".5", ".000", ".0000001", "e0", "e1", " ", "  ", "x", "\0", "."]
_FRACTIONS = [".0", ".5", ".000000", ".0000001", ".9999999", ".50", ".123", ".1234567", " ", "x", "Z"]  # fmt: skip
_LACKED = ["日", "ä", "😀", "€"]  # few character sets have one of them


def bend(column: Column, value: bytes, rng: Random) -> bytes:
    """A value close to `value`: other digits, blanks, letters or length, often beyond the column."""
    if column.family in (Family.BYTES, Family.BIT):
        return _bend_bytes(column, value, rng)
    text = value.decode("utf8", "surrogateescape")
    if column.family in (Family.INTEGER, Family.DECIMAL, Family.FLOAT, Family.YEAR):
        text = _bend_number(text, rng)
    elif column.family is Family.TEMPORAL:
        text = _bend_time(text, rng)
    elif column.family is Family.NAMED:
        text = rng.choice([text.upper(), text + " ", " " + text, text[:-1], text + "0", "::" + text])
    else:
        text = _bend_text(column, text, rng)
    return text.encode("utf8", "surrogateescape")


def _bend_number(text: str, rng: Random) -> str:
    if rng.random() < 0.5 or "e" in text:
        return text + rng.choice(_ENDS)
    return rng.choice(
        [" " + text, "+" + text, "-" + text, "0" + text, text + "0" * 30, text + "00000000000000000000",
         "\t" + text, text[:-1], text + ".00000000000000000000000000000000000001", "0x" + text]
    )  # fmt: skip


def _bend_time(text: str, rng: Random) -> str:
    if rng.random() < 0.6:
        return text.split(".")[0] + rng.choice(_FRACTIONS)
    return rng.choice(
        [text.replace(" ", "T"), text.replace("-", ""), text.replace("-", "/"), text[:10], text[:-1],
         text + " 00:00:00", text + " 00:00:01", " " + text, "0" + text, "-" + text, text[2:]]
    )  # fmt: skip


def _bend_text(column: Column, text: str, rng: Random) -> str:
    choices = [
        text + " ", text + "  ", text + " " * 70, " " + text, text.swapcase(), text[:-1], text + "x",
        text + "\0", text + "\t", text + rng.choice(_LACKED), text * 3, rng.choice(_LACKED),
    ]  # fmt: skip
    if column.family in (Family.ENUM, Family.SET):
        choices += ["1", "2", "3", "0", "4", "9", text + ",", f"{text},a", f"a,{text}", text + ",1"]
    if column.no_control_characters:
        choices = [c for c in choices if c.isprintable()]
    return rng.choice(choices)


def _bend_bytes(column: Column, value: bytes, rng: Random) -> bytes:
    return rng.choice(
        [value + b"\0", b"\0" + value, value[:-1], value.rstrip(b"\0"), value + b" ", value.ljust(column.length, b"\0"),
         value + b"\0" * 9, value + b"a", value.swapcase()]
    )  # fmt: skip
