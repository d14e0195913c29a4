"""Values for a column: typical, at its borders, garbage."""

from __future__ import annotations

from random import Random

from columns import Column, Family, Value

# fmt: off
_WORDS = ["", "a", "A", "b", "abc", "ABC", "abd", "zz", "ä", "Ä", "ss", "ß", "x y", "0", "7", "12", "-3"]
_RARE_WORDS = [
    "a ", "a  ", " a", "€", "日本", "😀", "é", "e\u0301", "ÿ", "a\tb", "a\nb", "a\0b", "\x01", "'",
    "\\", '"', "a\x7f", "\u00a0", "ı", "ſ", "1.5", "007",
]
_BROKEN = [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"ok\x80ok", b"\xf0\x9f", b"\xc0\x80"]
_NUMBERS_ODD = [
    "", "abc", "12abc", " 5", "5 ", "+7", "0x10", "1e2", "1e400", "-", ".5", "5.", "1.5", "-0.4",
    "2.4999", "00012", "99999999999999999999", "-99999999999999999999", "1e-5", "-0", "1 2", "NaN",
    "5\0", "\t5", "4e0", "1.0", "9223372036854775808",
]
_DATES = ["2020-01-01", "2020-02-29", "1999-12-31", "2024-07-15", "1970-01-02", "2001-05-05"]
_TIMES = ["00:00:00", "12:34:56", "23:59:59", "01:02:03"]
_DATES_ODD = [
    "0000-00-00", "2020-00-01", "2020-02-30", "2021-02-29", "9999-12-31", "0001-01-01",
    "10000-01-01", "20200101", "200101", "2020-1-2", "2020/01/02", "2020-13-01", "abc", "", "2020",
    "1", "0", "2020-01-01x", "1969-12-31", "2038-01-19", "1970-01-01", "99-01-01", "2020-01-01 ",
    "2020-04-31",
]
_TIMES_ODD = [
    "-838:59:59", "838:59:59", "839:00:00", "-12:00:00", "25:00:00", "1 10:00:00", "10:61:00",
    "100", "123456", "5", "12:30", "", "abc", "00:00:00.0000001", "12:00:00.9999999", "-00:00:00.5",
    "12:34:56 ", "0",
]
_NAMED = {
    "UUID": [
        "123e4567-e89b-12d3-a456-426655440000", "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff", "123E4567E89B12D3A456426655440001", "abc", "",
        "{123e4567-e89b-12d3-a456-426655440000}", "123e4567-e89b-12d3-a456-42665544000",
    ],
    "INET6": [
        "::1", "::", "2001:db8::ff00:42:8329", "::ffff:192.0.2.1", "FE80::1", "192.0.2.1",
        "abc", "", "1::2::3", "fe80::1%1",
    ],
    "INET4": ["192.0.2.1", "0.0.0.0", "255.255.255.255", "10.0.0.1", "256.0.0.1", "abc", "", "1.2.3", "::1"],
}
_ENUMS_ODD = ["A", "b", "a ", "1", "2", "0", "9", "x", "ZÄ", "3 ", "a,b"]
_SETS = ["", "a", "b", "C", "dé", "a,b", "a,C,dé"]
_SETS_OF_DIGITS = ["", "2", "a", "1", "b", "2,a", "a,1", "2,a,1,b"]
_SETS_ODD = ["b,a", "a,a", "A", "c", "x", "a,x", "1", "15", "16", ",", "a,", "DÉ", " a"]
_JSON = ["{}", "[]", '{"a": 1}', "1", '"x"', "null", '{"b": [1, 2, "ä😀"]}', '[1,  2]']
_JSON_ODD = ["", "{", "abc", "{'a':1}", '{"a":1}x', "nul", " 1 "]
# fmt: on


def draw(column: Column, rng: Random, odd: float = 0.15) -> Value:
    """A value; with probability `odd` one that may not fit."""
    if rng.random() < (0.12 if column.nullable else 0.02):
        return None
    drawn = (
        _ODD[column.family](column, rng)
        if rng.random() < odd
        else _PLAIN[column.family](column, rng)
    )
    if isinstance(drawn, str) and column.no_control_characters:
        drawn = "".join(c for c in drawn if c.isprintable())
    return on_the_wire(column, drawn.encode() if isinstance(drawn, str) else drawn)


def on_the_wire(column: Column, value: bytes) -> bytes:
    """The column's own bytes for a text, where values travel so."""
    if not column.travels_raw:
        return value
    try:
        raw = value.decode().encode(column.codec)
    except UnicodeError:
        raw = value
    # A COMPRESSED column takes broken text from the one and not from the other, in the server.
    is_taken = column.decodes(raw) or "COMPRESSED" not in column.type
    return raw if is_taken else "x".encode(column.codec)


def in_utf8(column: Column, value: bytes) -> bytes:
    """The text of such bytes."""
    return value.decode(column.codec, "replace").encode() if column.travels_raw else value


def _integer(column: Column, rng: Random) -> str:
    return str(
        rng.choice(
            [
                0,
                1,
                2,
                3,
                5,
                7,
                10,
                20,
                50,
                99,
                100,
                rng.randint(0, 120),
                max(column.low, -rng.randint(1, 9)),
            ]
        )
    )


def _integer_odd(column: Column, rng: Random) -> str:
    edge = [
        column.low,
        column.high,
        column.low - 1,
        column.high + 1,
        column.high - 1,
        column.low + 1,
    ]
    return str(rng.choice([*edge, *_NUMBERS_ODD]))


def _decimal(column: Column, rng: Random) -> str:
    whole = rng.randint(0, min(column.high, 300))
    return rng.choice([str(whole), f"{whole}.5", f"{-whole}.25", "0", "1", "0.10", f"{whole}"])


def _decimal_odd(column: Column, rng: Random) -> str:
    nines = f"{column.high}.{'9' * column.length}"
    edge = [str(column.high), str(column.high + 1), str(column.low - 1), nines]
    return rng.choice([*edge, nines + "9", "0.0000000000000000000000000000001", *_NUMBERS_ODD])


def _float(column: Column, rng: Random) -> str:
    return rng.choice(
        ["0", "1", "1.5", "0.1", "3.25", "100", "1e10", "2.5e-3", str(rng.randint(0, 99))]
    )


def _float_odd(column: Column, rng: Random) -> str:
    return rng.choice(
        [
            "-1.5",
            "1e38",
            "3.5e38",
            "1e308",
            "1e309",
            "-0.0",
            "0.1234567890123",
            "123456.789",
            "99999999.9",
            "1e-320",
            *_NUMBERS_ODD,
        ]
    )


def _bit(column: Column, rng: Random) -> bytes:
    return rng.getrandbits(column.length).to_bytes((column.length + 7) // 8, "big")


def _bit_odd(column: Column, rng: Random) -> bytes:
    size = (column.length + 7) // 8
    return rng.choice(
        [b"", b"\xff" * size, b"\0" * size + b"\1", b"\xff" * (size + 1), b"\0", b"1", b"\1"]
    )


def _temporal(column: Column, rng: Random) -> str:
    fraction = (
        rng.choice(["", "." + "5"[: column.length], ".123456"[: column.length + 1]])
        if column.length
        else ""
    )
    if column.type == "DATE":
        return rng.choice(_DATES)
    if column.type.startswith("TIME") and not column.type.startswith("TIMESTAMP"):
        return rng.choice(_TIMES) + fraction
    return f"{rng.choice(_DATES)} {rng.choice(_TIMES)}{fraction}"


def _temporal_odd(column: Column, rng: Random) -> str:
    fraction = rng.choice(["", "", ".9", ".999999", ".1234567", ".5"])
    date = rng.choice(_DATES_ODD + _DATES)
    if column.type.startswith("TIME") and not column.type.startswith("TIMESTAMP"):
        return rng.choice(
            [rng.choice(_TIMES_ODD), f"{date} 01:02:03", rng.choice(_TIMES) + fraction]
        )
    time = rng.choice([*_TIMES, "24:00:00", "03:14:07", "03:14:08", "01:00:00", "12:61:00"])
    return rng.choice([date, f"{date} {time}{fraction}", f"{date}T{time}", rng.choice(_TIMES_ODD)])


def _text(column: Column, rng: Random) -> str | bytes:
    if column.type == "JSON":
        return rng.choice(_JSON)
    word = rng.choice(_WORDS) if rng.random() < 0.9 else rng.choice(_RARE_WORDS)
    if column.charset == "ascii" and not word.isascii():
        word = "abc"
    if rng.random() < 0.15:
        word = f"{word}{rng.randint(0, 99)}"
    return word if column.blob else word[: column.length]


def _text_odd(column: Column, rng: Random) -> str | bytes:
    if column.type == "JSON":
        return rng.choice([*_JSON_ODD, *_RARE_WORDS]) if rng.random() < 0.8 else rng.choice(_BROKEN)
    # The server lets more into a COMPRESSED column than it may have, and cuts it in some queries.
    if "COMPRESSED" in column.type and not column.blob:
        return rng.choice(["x", "ä", "€"])[: column.length]
    if rng.random() < 0.25 and "COMPRESSED" not in column.type:
        return rng.choice(_BROKEN)
    if rng.random() < 0.4:
        return rng.choice(_RARE_WORDS)
    if column.blob and rng.random() < 0.02 and column.type.startswith("LONGTEXT"):
        return rng.choice("xä") * 3_000_000
    if column.blob and rng.random() < 0.7:
        return rng.choice("xä€") * rng.choice([10, 255, 256, 300, 8000, 21845, 21846, 65535, 65536])
    letter = rng.choice(["x", "x", "ä", "€", "😀"])
    size = max(0, column.length + rng.choice([-1, 0, 1, 2]))
    return rng.choice(
        [letter * size, "x" * column.length + "  ", "x" * column.length + " y", letter * size]
    )


def _bytes(column: Column, rng: Random) -> bytes:
    size = rng.choice([0, 1, 2, 3, 5]) if column.blob else rng.randint(0, column.length)
    return rng.choice(
        [b"", b"a", b"A", b"abc"[: column.length], rng.randbytes(size), b"\0" * min(size, 2)]
    )


def _bytes_odd(column: Column, rng: Random) -> bytes:
    if column.blob:
        return rng.randbytes(rng.choice([0, 255, 256, 1000, 9000]))
    return rng.choice(
        [
            b"z" * column.length,
            b"z" * (column.length + 1),
            b"z" * column.length + b"\0",
            b"z" * column.length + b" ",
            b"\xff" * column.length,
            b"a\0"[: column.length],
        ]
    )


_PLAIN = {
    Family.INTEGER: _integer,
    Family.DECIMAL: _decimal,
    Family.FLOAT: _float,
    Family.BIT: _bit,
    Family.TEMPORAL: _temporal,
    Family.YEAR: lambda column, rng: rng.choice(["1999", "2020", "2024", "1901", "2155", "0"]),
    Family.TEXT: _text,
    Family.BYTES: _bytes,
    Family.ENUM: lambda column, rng: rng.choice(column.type[5:-1].split(",")).strip("'"),
    Family.SET: lambda column, rng: rng.choice(_SETS if "C" in column.type else _SETS_OF_DIGITS),
    Family.NAMED: lambda column, rng: rng.choice(_NAMED[column.type][:4]),
}
_ODD = {
    Family.INTEGER: _integer_odd,
    Family.DECIMAL: _decimal_odd,
    Family.FLOAT: _float_odd,
    Family.BIT: _bit_odd,
    Family.TEMPORAL: _temporal_odd,
    Family.YEAR: lambda column, rng: rng.choice(
        [
            "1900",
            "2156",
            "70",
            "69",
            "00",
            "0000",
            "1",
            "abc",
            "",
            "99999",
            "-1",
            "2020.6",
            "2e3",
            "100",
        ]
    ),
    Family.TEXT: _text_odd,
    Family.BYTES: _bytes_odd,
    Family.ENUM: lambda column, rng: rng.choice(_ENUMS_ODD),
    Family.SET: lambda column, rng: rng.choice(_SETS_ODD),
    Family.NAMED: lambda column, rng: rng.choice(_NAMED[column.type][3:]),
}
